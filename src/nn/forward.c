/* Calling a network: the frame of a call, and what forward functions can ask for. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "nn/module.h"
#include "op/precision.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

__thread situ_frame *situ_frame_now;
__thread situ_call_watch *situ_watch_now;

/* A kind with an empty list of inputs takes none; if one is given, it only tells the device. */
static bool takes_none(const situ_module *m) { return m->kind->inputs && !*m->kind->inputs; }

static int count_names(const char *list)
{
    int count = list && *list;
    for (const char *c = list; c && *c; c++) count += *c == ',' || *c == ';';
    return count;
}

int situ_module_room(const situ_module *m)
{
    int named = count_names(m->kind->results);
    return named > SITU_MODULE_MOST ? named : SITU_MODULE_MOST;
}

/* A list of tensors for a call; short lists are on the stack. */
typedef struct tensors {
    situ_tensor *few[SITU_MODULE_MOST], **at;
} tensors;

static bool tensors_open(tensors *r, int count, situ_site site)
{
    r->at = count > SITU_MODULE_MOST ? situ_calloc((size_t)count, sizeof *r->at) : r->few;
    if (!r->at) situ_fail(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    return r->at != NULL;
}

static void tensors_close(tensors *r)
{
    if (r->at != r->few) situ_free(r->at);
}

static int check_input(const situ_module *net, situ_tensor *const *in, int count, const situ_module_call_options *o, situ_site site)
{
    if (situ_ended(net, "situ_module_call", "network", site)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: the network is NULL");
    if (!count && takes_none(net)) return 0;
    situ_tensor *x = count ? in[0] : NULL;
    if (!x) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: the first input is " SITU_SAY("NULL", "None"));
    if (!situ_usable(&x, 1, "situ_module_call", site)) return -situ_error_code;
    if (situ_is_number(x)) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: the input must be a tensor, not a number");
    int64_t rows = x->ndim ? x->dim[0] : 1;
    if (o->first < 0 || (o->of && o->first + rows > o->of) || (o->first && !o->of))
        return situ_fail(SITU_BAD_OPTION, site, "situ_module_call: rows %lld to %lld are no part of a batch of %lld",
            (long long)o->first, (long long)(o->first + rows), (long long)o->of);
    return 0;
}

/* The first input tells the device of the network; the others must be on it. */
static int check_device(situ_module *root, const situ_tensor *x, situ_site site)
{
    char text[512], name[32], its_name[32];
    if (!root->devices) {
        root->device[0] = x->device;
        root->devices = 1;
    }
    if (situ_module_place(root, x->device) >= 0 || !root->total) return 0;
    return situ_fail(SITU_BAD_DEVICE, site,
        "situ_module_call: the input (%s) is not on a device of the network, which is on %s; write " SITU_SAY(
            "situ_to(x, situ_%s) for the input, or move the network: situ_module_to(net, situ_%s)",
            "x.to_device(situ.%s) for the input, or move the network: net.to(situ.%s)"),
        situ_operand_text(x, text, sizeof text), situ_device_name(root->device[0], name), name,
        situ_device_name(x->device, its_name), name, its_name);
}

situ_tensor *situ_forward_result(situ_tensor *y)
{
    if (y && y->scope && !(y->flags & (SITU_NODE_POISON | SITU_NODE_SCALAR))) y->flags |= SITU_NODE_RESULT;
    return y;
}

/* Least and largest number of inputs of a kind: by the names that it declares, or one. */
static int count_inputs(const situ_module_kind *kind, int *most)
{
    int least = 1;
    *most = 1;
    if (!kind->inputs) return least;
    if (!*kind->inputs) return 0;
    for (const char *c = kind->inputs; *c; c++) {
        *most += *c == ',';
        least += (*c == ',') - (*c == '?');
    }
    if (!strstr(kind->inputs, "...")) return least;
    *most = SITU_MODULE_MOST;
    return least - 1;
}

static int check_inputs(const situ_module *m, situ_tensor *const *in, int count, situ_site site)
{
    char text[128];
    int most, least = count_inputs(m->kind, &most);
    for (int i = 0; i < count; i++)
        if (!in[i] && i < least)
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: input %d of %s is missing: it takes %s", i,
                situ_module_text(m, text, sizeof text), m->kind->inputs ? m->kind->inputs : "one");
    if (count >= least && count <= most) return 0;
    return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: %s takes %s%s, not %d inputs",
        situ_module_text(m, text, sizeof text),
        !m->kind->inputs     ? "one input" :
            *m->kind->inputs ? "the inputs " :
                               "no input, or one that says where",
        m->kind->inputs ? m->kind->inputs : "", count);
}

enum { DEPTH = 500, MOST_INPUTS = 1 << 16 };

/* True if forward functions call each other more often than m is deep: endless recursion would overflow the stack. */
static bool too_deep(int depth, const situ_module *m)
{
    if (depth < DEPTH) return false;
    for (depth -= DEPTH; depth && m->parent; m = m->parent) depth--;
    return depth > 0;
}

/* Runs the forward function and returns the number of results. An error names the innermost module in which it
 * occurred. */
static int run(situ_module *m, situ_tensor *const *in, int count, situ_tensor **out, situ_site site)
{
    situ_frame *frame = situ_frame_now;
    situ_speaker whole = situ_speaking;
    char text[128];
    int results = 1;
    if (too_deep(frame->depth, m))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: %s is within %d others: does a forward function call itself?",
            situ_module_text(m, text, sizeof text), frame->depth);
    if (m->foreign) situ_speak_not();
    situ_policies before = situ_policies_begin(m);
    frame->depth++;
    if (m->kind->forward_n) results = m->kind->forward_n(m, (situ_list){(situ_tensor **)(uintptr_t)in, count}, out, m->self);
    else out[0] = m->kind->forward(m, in[0], m->self);
    frame->depth--;
    situ_policies_end(before);
    situ_spoken(&whole);
    if (situ_error_code && !frame->met) situ_error_met(situ_module_text(m, text, sizeof text));
    frame->met |= situ_error_code != 0;
    return results;
}

/* Calls m; the results go to out, which has capacity situ_module_room(m). Returns their number, or a negative code. */
static int forward(situ_module *m, situ_tensor *const *in, int count, situ_tensor **out, situ_site site)
{
    if (check_inputs(m, in, count, site)) return -situ_error_code;
    situ_call_watch *watch = situ_frame_now->watch;
    uint64_t row = watch ? watch->begin(watch, m) : 0;
    int results = run(m, in, count, out, site);
    if (situ_error_code) return -situ_error_code;
    char text[128];
    if (results < 1 || results > situ_module_room(m))
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_module_call: the forward function of %s gave %d results; 1 to %d are possible",
            situ_module_text(m, text, sizeof text), results, situ_module_room(m));
    for (int i = 0; i < results; i++)
        if (!out[i])
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call: the forward function of %s gave NULL",
                situ_module_text(m, text, sizeof text));
    if (watch) watch->after(watch, row, out, results);
    return results;
}

void situ_module_pause(situ_module *m, bool on)
{
    bool *from = on ? &m->training : &m->paused, *to = on ? &m->paused : &m->training;
    if (*from) {
        *from = false;
        *to = true;
    }
    for (int i = 0; i < m->children; i++) situ_module_pause(m->child[i], on);
}

void situ_module_act(situ_module *m, bool inference)
{
    situ_thread_state.inference = inference;
    if (m) situ_module_pause(m, inference);
}

static bool any_paused(const situ_module *m)
{
    for (int i = 0; i < m->children; i++)
        if (any_paused(m->child[i])) return true;
    return m->paused;
}

/* For a trainer's part of a batch: any cut of the batch gets the same random numbers; a second call in a step gets
 * others. */
static void take_share(situ_frame *frame, situ_share *share)
{
    if (frame->of || !share->of || frame->rows != share->rows) return;
    frame->first = share->first;
    frame->of = share->of;
    if (frame->step < 0) frame->step = share->step + (share->calls++ << 40);
}

int situ_forward_open(situ_frame *frame, situ_module *net, situ_tensor *x, const situ_module_call_options *o, situ_site site)
{
    situ_module *root = situ_module_root(net);
    if (situ_module_number(root) || (x && check_device(root, x, site))) return -situ_error_code;
    *frame = (situ_frame){.root = root,
        .first = o->first,
        .rows = x && x->ndim ? x->dim[0] : 1,
        .of = o->of,
        .step = o->step,
        .site = site,
        .place = x ? situ_module_place(root, x->device) : 0,
        .outer = situ_frame_now,
        .watch = situ_watch_now};
    situ_watch_now = NULL;
    if (__builtin_expect(situ_thread_state.inference, 0) && !any_paused(root)) situ_module_pause(root, frame->paused = true);
    if (net->training) take_share(frame, &root->share);
    if (!frame->of) frame->of = frame->rows;
    if (frame->step < 0) frame->step = net->training ? __atomic_fetch_add(&root->steps, 1, __ATOMIC_RELAXED) : 0;
    situ_frame_now = frame;
    return 0;
}

void situ_forward_close(const situ_frame *frame)
{
    if (frame->paused) situ_module_pause((situ_module *)(uintptr_t)frame->root, false);
    situ_frame_now = frame->outer;
}

/* Calls a part from inside its parent: a forward function in another language has its own call sites. */
static int forward_part(situ_module *root, situ_module *part, situ_tensor **in, int count, situ_tensor **out, situ_site site)
{
    situ_site whole = situ_frame_now->site;
    if (count && !root->devices && (!(in[0] = situ_value_of(in[0], site)) || check_device(root, in[0], site)))
        return -situ_error_code;
    if (site) situ_frame_now->site = site;
    int results = forward(part, in, count, out, site);
    situ_frame_now->site = whole;
    return results;
}

static int forward_whole(
    situ_module *net, situ_tensor **in, int count, const situ_module_call_options *o, situ_tensor **out, situ_site site)
{
    situ_frame frame;
    if (situ_forward_open(&frame, net, count ? in[0] : NULL, o, site)) return -situ_error_code;
    int results = forward(net, in, count, out, site);
    situ_forward_close(&frame);
    return results;
}

static int list_variables(const situ_module *m, int place, situ_tensor **to)
{
    int n = 0;
    for (int i = 0; i < m->owns; i++)
        if (__atomic_load_n(&m->own[i]->made, __ATOMIC_ACQUIRE)) to[n++] = m->own[i]->copy[place];
    for (int i = 0; i < m->children; i++) n += list_variables(m->child[i], place, to + n);
    return n;
}

/* Pins one version of net's variables for all reads of this call, whatever other threads publish meanwhile. x: the
 * first input, or NULL. */
static int pin(const situ_module *net, const situ_module *root, const situ_tensor *x, situ_site site)
{
    int place = x ? situ_module_place(root, x->device) : root->devices ? 0 : -1;
    situ_thread *th = &situ_thread_state;
    if (situ_threads_live <= 1 || place < 0) return 0;
    size_t most = (size_t)situ_module_owned(net);
    situ_tensor **all = situ_malloc(2 * most * sizeof(situ_tensor *) + 1);
    if (!all) return situ_fail(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    int count = list_variables(net, place, all);
    if (!th->pin && !(th->pin = ++th->pins)) th->pin = ++th->pins; /* skips 0, which means no pin */
    int rc = situ_variables_read(all, all + most, count, site);
    situ_free(all);
    return rc;
}

/* The only entry to a network. in[0] is a tensor, if there are inputs. The inputs are replaced by read nodes. */
static int call(situ_module *net, situ_tensor **in, int count, const situ_module_call_options *o, situ_tensor **out, situ_site site)
{
    situ_module *root = situ_module_root(net);
    if (situ_frame_now && situ_frame_now->root == root) return forward_part(root, net, in, count, out, site);
    if (situ_module_number(root)) return -situ_error_code;
    for (int i = 0; i < count; i++)
        if (in[i] && !(in[i] = situ_value_of(in[i], site))) return -situ_error_code;
    bool first = situ_first_open(root);
    uint32_t pinned = situ_thread_state.pin;
    int results = pin(net, root, count ? in[0] : NULL, site) ? -situ_error_code : forward_whole(net, in, count, o, out, site);
    situ_thread_state.pin = pinned;
    if (first) situ_first_close(root, site);
    for (int i = 0; i < results && !situ_error_code; i++) situ_forward_result(out[i]);
    return situ_error_code ? -situ_error_code : results;
}

situ_tensor *(situ_module_call)(situ_module *net, situ_tensor *x, const situ_module_call_options *options, situ_site site)
{
    SITU_SPEAK("situ_module_call", site);
    situ_module_call_options o = {SITU_DEFAULTS(SITU_MODULE_CALL_DEFAULTS)};
    tensors out;
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_module_call", site) || check_input(net, &x, 1, &o, site) ||
        !tensors_open(&out, situ_module_room(net), site))
        return situ_poisoned();
    situ_tensor *y = call(net, &x, 1, &o, out.at, site) < 0 ? situ_poisoned() : out.at[0];
    tensors_close(&out);
    return y;
}

int(situ_module_call_n)(
    situ_module *net, situ_list inputs, situ_tensor **results, int most, const situ_module_call_options *options, situ_site site)
{
    SITU_SPEAK("situ_module_call_n", site);
    situ_module_call_options o = {SITU_DEFAULTS(SITU_MODULE_CALL_DEFAULTS)};
    tensors in, out;
    for (int i = 0; results && i < most; i++) results[i] = situ_poisoned();
    if (situ_error_code) return -situ_error_code;
    if (inputs.count < 0 || inputs.count > MOST_INPUTS || (inputs.count && !inputs.tensor) || most < 0 || (most && !results))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_call_n: %d inputs and room for %d results", inputs.count, most);
    if (!SITU_TAKE_OPTIONS(o, options, "situ_module_call_n", site) || check_input(net, inputs.tensor, inputs.count, &o, site))
        return -situ_error_code;
    for (int i = 0; i < inputs.count; i++)
        if (inputs.tensor[i] && !situ_usable(inputs.tensor + i, 1, "situ_module_call_n", site)) return -situ_error_code;
    if (!tensors_open(&in, inputs.count, site)) return -situ_error_code;
    if (inputs.count) memcpy(in.at, inputs.tensor, (size_t)inputs.count * sizeof *in.at);
    int count =
        tensors_open(&out, situ_module_room(net), site) ? call(net, in.at, inputs.count, &o, out.at, site) : -situ_error_code;
    for (int i = 0; i < count && i < most; i++) results[i] = out.at[i];
    tensors_close(&in);
    if (out.at) tensors_close(&out);
    return count;
}

static void set_training(situ_module *m, bool on)
{
    m->training = on;
    for (int i = 0; i < m->children; i++) set_training(m->child[i], on);
}

int situ_module_set_training(situ_module *net, bool on)
{
    SITU_SPEAK_AT("situ_module_set_training");
    if (situ_ended(net, "situ_module_set_training", "network", NULL)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_set_training: the network is NULL");
    set_training(net, on);
    return 0;
}

int situ_module_set_precision(situ_module *net, situ_dtype dtype)
{
    SITU_SPEAK_AT("situ_module_set_precision");
    if (situ_error_code || situ_ended(net, "situ_module_set_precision", "network", NULL)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_set_precision: the network is NULL");
    if (!situ_precision_check(dtype, "situ_module_set_precision", NULL)) return -situ_error_code;
    net->precision = (uint8_t)dtype;
    return 0;
}

int situ_module_set_batch_invariant(situ_module *net, bool on)
{
    SITU_SPEAK_AT("situ_module_set_batch_invariant");
    if (situ_error_code || situ_ended(net, "situ_module_set_batch_invariant", "network", NULL)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_set_batch_invariant: the network is NULL");
    net->invariant = on;
    return 0;
}

bool situ_module_training(const situ_module *net)
{
    return situ_is_usable(net, "situ_module_training", "network") && net->training;
}

/* ---- for forward functions -------------------------------------------------------------------------------------------- */

static const situ_frame *frame_of(const situ_module *m, const char *operation)
{
    if (situ_ended(m, operation, "module", NULL)) return NULL;
    if (m && situ_frame_now && situ_frame_now->root == situ_module_root(m)) return situ_frame_now;
    situ_fail(SITU_BAD_ARGUMENT, NULL,
        "%s: only in the forward function of the module, while " SITU_SAY("situ_module_call", "a call of the network") " runs it",
        operation);
    return NULL;
}

static int check_shape(const situ_parameter *p, const situ_tensor *x, situ_shape shape, situ_site site)
{
    if (situ_shape_equal((int)p->shape.ndim, p->shape.dim, (int)shape.ndim, shape.dim)) return 0;
    char layer[128], input[512], has[SITU_SHAPE_TEXT], wants[SITU_SHAPE_TEXT];
    return situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: %s has %s %s, but this input (%s) asks for %s; %s",
        situ_module_text(p->owner, layer, sizeof layer), p->name,
        situ_shape_text((int)p->shape.ndim, p->shape.dim, has, sizeof has), situ_operand_text(x, input, sizeof input),
        situ_shape_text((int)shape.ndim, shape.dim, wants, sizeof wants),
        p->made ? "the first input decided on the shape, or the file that it was loaded from" : "its sizes were given");
}

situ_tensor *(situ_module_use)(situ_module *m, int i, situ_tensor *x, situ_shape shape, const situ_module_use_options *options,
    situ_site site)
{
    situ_module_use_options o = {SITU_DEFAULTS(SITU_MODULE_USE_DEFAULTS)};
    SITU_SPEAK("situ_module_use", site);
    const situ_frame *frame = frame_of(m, "situ_module_use");
    if (!frame || !SITU_TAKE_OPTIONS(o, options, "situ_module_use", site) || !situ_usable(&x, 1, "situ_module_use", site))
        return situ_poisoned();
    if (!(o.bound >= 0 && o.bound < INFINITY) || !isfinite(o.value) || (o.bound > 0 && o.value != 0) ||
        !(o.deviation >= 0 && o.deviation < INFINITY)) {
        situ_fail(SITU_BAD_OPTION, site,
            "situ_module_use: .bound = %g and .value = %g; first values are uniform within a bound above 0, or one value", o.bound,
            o.value);
        return situ_poisoned();
    }
    if (i < 0 || i >= m->owns) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_use: there is no parameter %d; the module declared %d", i, m->owns);
        return situ_poisoned();
    }
    if (!situ_shape_check(&shape, false, "situ_module_use", site)) return situ_poisoned();
    situ_parameter *p = m->own[i];
    if (!__atomic_load_n(&p->made, __ATOMIC_ACQUIRE)) {
        situ_parameter wanted = {.shape = shape, .bound = o.bound, .value = o.value, .deviation = o.deviation, .fixed = o.fixed};
        if (p->known && check_shape(p, x, shape, frame->site)) return situ_poisoned();
        if (situ_first_use(p, &wanted, frame->site)) return situ_poisoned();
    }
    if (p->untold) situ_parameter_told(p, o.fixed);
    if (check_shape(p, x, shape, frame->site)) return situ_poisoned();
    if (p->index < frame->givens) return frame->given[p->index];
    int place = situ_module_place(frame->root, x->device);
    if (place >= 0) return p->copy[place];
    char layer[128], input[512];
    situ_fail(SITU_BAD_DEVICE, frame->site, "situ_module_call: %s has no parameters on the device of its input (%s)",
        situ_module_text(m, layer, sizeof layer), situ_operand_text(x, input, sizeof input));
    return situ_poisoned();
}

/* Keys of modules begin here; those of parameters count from 0. */
enum { MODULE_KEYS = 1 << 30 };

situ_tensor *situ_module_key(situ_module *m, situ_tensor *x)
{
    SITU_SPEAK_AT("situ_module_key");
    const situ_frame *frame = frame_of(m, "situ_module_key");
    if (!frame || !situ_usable(&x, 1, "situ_module_key", frame->site)) return situ_poisoned();
    situ_site site = frame->site;
    situ_module *root = situ_module_root(m);
    if (situ_module_number(root)) return situ_poisoned(); /* a forward function may add modules */
    int place = situ_module_place(root, x->device);
    if (place < 0) {
        situ_tensor *at = root->key ? root->key : situ_key(0, .device = x->device);
        return situ_fold_in(situ_fold_in(situ_to(at, x->device), MODULE_KEYS + m->number), frame->step);
    }
    return situ_fold_in(situ_fold_in(situ_module_root_key(root, place, site), MODULE_KEYS + m->number), frame->step);
}

void situ_module_rows(const situ_module *m, situ_tensor *x, int64_t *first, int64_t *of)
{
    SITU_SPEAK_AT("situ_module_rows");
    const situ_frame *frame = frame_of(m, "situ_module_rows");
    int64_t rows = x && x->ndim ? x->dim[0] : 1;
    bool known = frame && frame->rows && rows % frame->rows == 0;
    int64_t each = known ? rows / frame->rows : 0; /* if rows are sequences, each row of the input has this many of them */
    if (first) *first = known ? frame->first * each : 0;
    if (of) *of = known ? frame->of * each : rows;
}
