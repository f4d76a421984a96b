/* The public functions: they call the network, have its program written, and put the two texts into files. */
#include <situ/create.h>
#include <situ/emit.h>
#include <situ/grad.h>
#include <situ/function.h>

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "device/thread.h"
#include "emit/emit.h"
#include "nn/module.h"
#include "os/file.h"
#include "os/plain.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_INPUTS = 32, MOST_RESULTS = 64, NAME = 48 };

static int fail_file(const char *path, int code, situ_site site)
{
    return situ_fail(SITU_IO, site, "situ_emit: %s: %s", path, situ_file_why(code ? code : EIO));
}

static int fail_memory(situ_site site) { return situ_fail(SITU_NO_MEMORY, site, "situ_emit: out of host memory"); }

static int write_text(const char *path, const char *text, situ_site site)
{
    situ_file f;
    FILE *stream = situ_file_begin(&f, path, false);
    if (!stream) return fail_file(path, errno, site);
    errno = 0;
    bool whole = fputs(text, stream) >= 0;
    int code = errno, end = situ_file_end(&f, whole);
    return whole && !end ? 0 : fail_file(path, end ? end : code, site);
}

/* The name that the file's own begin with: of the option or of the path. A negative code with an error. */
static int name_of(char name[NAME], const char *path, const char *wanted, situ_site site)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    if (!dot || strcmp(dot, ".c") || dot == base)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: %s is no name of a C file; write \"net.c\"", path);
    int length = wanted ? (int)strlen(wanted) : (int)(dot - base);
    if (!wanted) wanted = base;
    bool fits = length > 0 && length < NAME && (situ_is_letter(*wanted) || *wanted == '_');
    for (int i = 0; i < length && fits; i++) {
        char c = wanted[i];
        name[i] = c == '-' || c == '.' ? '_' : c;
        fits = situ_is_letter(name[i]) || situ_is_digit(name[i]) || name[i] == '_';
    }
    if (!fits)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_emit: \"%.*s\" cannot begin names of C, which have letters, digits and _, here at most %d; choose another one "
            "with " SITU_SAY(".name", "name"),
            length < 80 ? length : 80, wanted, NAME - 1);
    name[length] = 0;
    return 0;
}

/* Copies of the inputs that are in memory, so that a plan reads them as leaves. */
static int take_inputs(situ_list given, situ_tensor **in, situ_site site)
{
    if (given.count < 1 || given.count > MOST_INPUTS || !given.tensor)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: the network is called with 1 to %d inputs", MOST_INPUTS);
    for (int i = 0; i < given.count; i++) {
        if (!situ_usable(given.tensor + i, 1, "situ_emit", site)) return -situ_error_code;
        if (situ_is_number(given.tensor[i]))
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: input %d is a number, no tensor", i);
        in[i] = situ_copy_to(given.tensor[i], given.tensor[i]->device);
    }
    return (situ_eval)((situ_list){in, given.count}, site);
}

static int write_files(situ_emitted *e, const char *path, const char *beside, situ_site site)
{
    char *source = NULL, *header = NULL;
    int rc = situ_emit_texts(e, &source, &header);
    if (!rc) rc = write_text(beside, header, site);
    if (!rc) rc = write_text(path, source, site);
    situ_free(source);
    situ_free(header);
    return rc;
}

static int fail_same(situ_site site)
{
    return situ_fail(SITU_UNSUPPORTED, site, "situ_emit: two results are the same tensor, or a result is an input");
}

/* The file's function for inference. The network is called twice: after the first time all of its weights are in memory, so the
 * second time records the computation alone. */
static int write_run(situ_emitted *e, situ_module *net, situ_tensor *const *in, int inputs, situ_site site)
{
    situ_tensor *out[MOST_RESULTS];
    situ_emit_function *f = &e->function[e->functions];
    int results = 0, rc = 0;
    for (int times = 0; times < 2; times++) {
        results = (situ_module_call_n)(net, (situ_list){(situ_tensor **)(uintptr_t)in, inputs}, out, MOST_RESULTS, NULL, site);
        if (results < 0) return results;
        if (!times && (situ_eval)((situ_list){out, results}, site)) return -situ_error_code;
    }
    *f = (situ_emit_function){.inputs = inputs, .results = results};
    for (int i = 0; i < inputs + results; i++)
        if (!(f->node[i] = situ_take_operand(situ_thread_get(), i < inputs ? in[i] : out[i - inputs], "situ_emit", site)))
            return -situ_error_code;
    if ((rc = situ_emit_write(e)) <= 0) return rc ? rc : situ_emit_expected(e, f);
    for (int i = 0; i < results; i++) /* views and inputs need a copy */
        situ_emit_results(f)[i] = situ_copy_to(out[i], out[i]->device);
    if (situ_error_code) return -situ_error_code;
    rc = situ_emit_write(e);
    return rc > 0 ? fail_same(site) : rc ? rc : situ_emit_expected(e, f);
}

static int write_inference(situ_emitted *e, situ_module *net, situ_tensor *const *in, int inputs, situ_site site)
{
    bool without = situ_no_grad(true);
    situ_scope *scope = situ_scope_open();
    situ_module_act(net, true);
    int rc = write_run(e, net, in, inputs, site);
    situ_module_act(net, false);
    situ_scope_close(scope);
    situ_no_grad(without);
    return rc ? rc : -situ_error_code;
}

/* The paths and the prefix of names. */
typedef struct target {
    char name[NAME], upper[64], beside[SITU_FILE_PATH];
    const char *header;
} target;

static int take_target(target *t, const char *path, const char *name, situ_site site)
{
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: no file is named");
    if (name_of(t->name, path, name, site)) return -situ_error_code;
    if (strlen(path) >= sizeof t->beside) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: the path is too long");
    snprintf(t->beside, sizeof t->beside, "%s", path);
    t->beside[strlen(t->beside) - 1] = 'h';
    const char *slash = strrchr(t->beside, '/');
    t->header = slash ? slash + 1 : t->beside;
    return 0;
}

int(situ_emit)(situ_module *net, const char *path, situ_list inputs, const situ_emit_options *options, situ_site site)
{
    SITU_SPEAK("situ_emit", site);
    situ_emit_options o = {SITU_DEFAULTS(SITU_EMIT_DEFAULTS)};
    situ_tensor *in[MOST_INPUTS];
    target to;
    if (situ_error_code || situ_ended(net, "situ_emit", "network", site)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit: the network is NULL");
    if (!SITU_TAKE_OPTIONS(o, options, "situ_emit", site) || take_target(&to, path, o.name, site)) return -situ_error_code;
    situ_emitted *e = situ_malloc(sizeof *e);
    if (!e) return fail_memory(site);
    situ_scope *scope = situ_scope_open();
    situ_emit_begin(e, to.name, to.header, to.upper, site);
    int rc = take_inputs(inputs, in, site);
    if (!rc) rc = write_inference(e, net, in, inputs.count, site);
    if (!rc) rc = write_files(e, path, to.beside, site);
    situ_emit_close(e);
    situ_free(e);
    situ_scope_close(scope);
    return rc;
}

/* ---- a step of training ------------------------------------------------------------------------------------------------ */

typedef struct training {
    situ_optimizer *opt;
    situ_tensor *(*loss)(situ_tensor *prediction, situ_tensor *target);
    situ_tensor *in[MOST_INPUTS + 1]; /* the last one is the target */
    int inputs;
    bool copies; /* the loss is a view, of which a copy is the result */
    int64_t steps, averaged, calls;
    situ_tensor *norm, *scaled;
    double now;
    situ_site site;
} training;

static void note(training *t, situ_optimizer *opt)
{
    t->opt = opt;
    t->steps = opt->steps, t->averaged = opt->averaged, t->now = opt->schedule.now;
    t->norm = opt->norm, t->scaled = opt->scaled;
    t->calls = opt->net->steps;
}

/* As if `more` steps had been made since. */
static void set(training *t, int64_t more)
{
    t->opt->steps = t->steps + more;
    t->opt->averaged = t->averaged + (t->opt->average > 0 ? more : 0);
    t->opt->schedule.now = t->now;
    t->opt->norm = t->norm, t->opt->scaled = t->scaled;
    t->opt->net->steps = t->calls + more;
}

/* Records a step. Its assignments are pending; nothing has changed. */
static situ_tensor *record(training *t, situ_emit_words *words, int64_t more)
{
    situ_tensor *out[MOST_RESULTS], *loss = NULL;
    situ_site site = t->site;
    set(t, more);
    words->step = t->opt->steps;
    words->rates.count = 0;
    situ_rates_heard = &words->rates;
    int results = (situ_module_call_n)(t->opt->net, (situ_list){t->in, t->inputs}, out, MOST_RESULTS, NULL, site);
    for (int i = 0; i < results; i++) out[i]->flags &= (uint16_t)~SITU_NODE_RESULT; /* nobody reads it after the step */
    if (results > 0) loss = t->loss ? t->loss(out[0], t->in[t->inputs]) : situ_cross_entropy(out[0], t->in[t->inputs]);
    if (!situ_error_code && (!loss || situ_is_number(loss) || loss->ndim || (loss->dtype != SITU_F32 && loss->dtype != SITU_F64)))
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit_train: the loss is no scalar of f32 or f64");
    if (!situ_error_code) (situ_optimizer_step)(t->opt, loss, site);
    if (!situ_error_code && t->copies) loss = situ_copy_to(loss, loss->device);
    situ_rates_heard = NULL;
    set(t, 0);
    return situ_error_code ? NULL : loss;
}

/* The pending assignments are forgotten. */
static void forget(void)
{
    situ_thread *th = situ_thread_get();
    while (th && th->dirty_count) situ_thread_clean(th, th->dirty[th->dirty_count - 1]);
}

static int hear(situ_emitted *e, int number, situ_tensor *loss, situ_site site)
{
    situ_thread *th = situ_thread_get();
    situ_walk w = {0};
    situ_mutex_lock(&situ_planner);
    int rc = situ_walk_collect(&w, &loss, 1, th->dirty, th->dirty_count, site);
    if (!rc) rc = situ_walk_decide(&w, &loss, 1);
    if (!rc) rc = situ_emit_hear(e, number, &w);
    situ_walk_free(&w);
    situ_mutex_unlock(&situ_planner);
    return rc;
}

static int write_step(training *t, situ_emitted *e, situ_tensor *loss)
{
    situ_emit_function *f = &e->function[e->functions];
    *f = (situ_emit_function){.trains = true, .inputs = t->inputs + 1, .results = 1};
    for (int i = 0; i <= t->inputs + 1; i++)
        if (!(f->node[i] = situ_take_operand(situ_thread_get(), i <= t->inputs ? t->in[i] : loss, "situ_emit", t->site)))
            return -situ_error_code;
    e->rows = t->in[0]->ndim ? t->in[0]->dim[0] : 1;
    int rc = situ_emit_write(e);
    return rc ? rc : situ_emit_expected(e, f);
}

/* Records the step for later numbers, to hear what changes, then for the next one, and writes that. The very first time (-1) makes
 * what has no value yet: parameters and moments. */
static int record_and_write(training *t, situ_emitted *e)
{
    static const int64_t later[SITU_EMIT_RECORDED] = {0, 1, 1000};
    int rc = 0;
    for (int number = t->copies ? SITU_EMIT_RECORDED - 1 : SITU_EMIT_RECORDED; number >= 0 && !rc; number--) {
        situ_scope *scope = situ_scope_open();
        bool first = number == SITU_EMIT_RECORDED;
        situ_tensor *loss = record(t, &e->words[first ? 0 : number], first ? 0 : later[number]);
        rc = loss ? 0 : -situ_error_code;
        if (!rc && first) rc = situ_enqueue_first_values(t->site);
        else if (!rc && number) rc = hear(e, number, loss, t->site);
        else if (!rc) rc = write_step(t, e, loss);
        forget();
        situ_scope_close(scope);
    }
    return rc;
}

static int write_training(training *t, situ_emitted *e, const target *to)
{
    bool without = situ_no_grad(false);
    int rc = 0;
    for (int copies = 0; copies < 2; copies++) {
        t->copies = copies;
        situ_emit_begin(e, to->name, to->header, (char *)(uintptr_t)to->upper, t->site);
        rc = record_and_write(t, e);
        if (rc <= 0) break;
        if (copies) rc = fail_same(t->site);
        else situ_emit_close(e);
    }
    situ_no_grad(without);
    if (!rc) rc = situ_emit_state(e, t->opt);
    return rc ? rc : write_inference(e, t->opt->net, t->in, t->inputs, t->site);
}

static int check_training(const situ_optimizer *opt, situ_site site)
{
    if (situ_error_code || situ_ended(opt, "situ_emit_train", "optimizer", site)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_emit_train: the optimizer is NULL");
    if (situ_ended(opt->net, "situ_emit_train", "optimizer's network", site)) return -situ_error_code;
    if (opt->every > 1)
        return situ_fail(SITU_UNSUPPORTED, site,
            "situ_emit_train: a step of this optimizer has the gradients of %d calls; "
            "set that to 1 by " SITU_SAY("situ_optimizer_set_accumulation", "set_accumulation"),
            opt->every);
    if (opt->net->devices > 1)
        return situ_fail(
            SITU_UNSUPPORTED, site, "situ_emit_train: the network is on %d devices; the file's program has one", opt->net->devices);
    return 0;
}

int(situ_emit_train)(situ_optimizer *opt, const char *path, situ_list inputs, situ_tensor *label,
    const situ_emit_train_options *options, situ_site site)
{
    SITU_SPEAK("situ_emit_train", site);
    situ_emit_train_options o = {SITU_DEFAULTS(SITU_EMIT_TRAIN_DEFAULTS)};
    target to;
    training t = {.inputs = inputs.count, .site = site};
    if (check_training(opt, site) || !SITU_TAKE_OPTIONS(o, options, "situ_emit_train", site) ||
        take_target(&to, path, o.name, site) || situ_enqueue(NULL, 0, 0, true, false, site))
        return -situ_error_code;
    situ_emitted *e = situ_calloc(1, sizeof *e);
    if (!e) return fail_memory(site);
    t.loss = o.loss;
    note(&t, opt);
    situ_scope *scope = situ_scope_open();
    int rc = take_inputs(inputs, t.in, site);
    if (!rc) rc = take_inputs((situ_list){&label, 1}, t.in + inputs.count, site);
    if (!rc) rc = write_training(&t, e, &to);
    if (!rc) rc = write_files(e, path, to.beside, site);
    situ_emit_close(e);
    situ_free(e);
    situ_scope_close(scope);
    return rc;
}
