/* Proofs of a program's own loop: what the first record says of it, its states, and the public functions. Each process repeats one
 * range of steps: situ_proof_open loads the state before it, and situ_proof_step says when it is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/loader.h"
#include "file/network.h"
#include "nn/module.h"
#include "optim/optimizer.h"
#include "os/file.h"
#include "os/plain.h"
#include "train/checkpoint.h"
#include "train/proof.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define STEPS "situ.proof.steps"

struct situ_proof_loop {
    situ_module *net;
    situ_optimizer *opt;
    situ_loader *loader;
    int64_t steps;
    int ranks;
};

static situ_proof_step_state state_of(const situ_proof *p)
{
    return (situ_proof_step_state){.step = p->loop->steps, .net = p->loop->net, .opt = p->loop->opt};
}

void situ_proof_loop_free(struct situ_proof_loop *l)
{
    if (!l) return;
    if (situ_handle_let_go(l->net)) situ_retire(l->net);
    if (l->opt && situ_handle_let_go(l->opt)) situ_retire(l->opt);
    if (l->loader && situ_handle_let_go(l->loader)) situ_retire(l->loader);
    situ_free(l);
}

/* ---- the first record ----------------------------------------------------------------------------------------------------- */

static void put_loader(FILE *out, const situ_loader *loader)
{
    const situ_dataset *data;
    const situ_loader_options *o = situ_loader_options_of(loader, &data);
    fprintf(out, "option key %lld\noption batch %lld\n", (long long)o->key, (long long)o->batch);
    fprintf(out, "option shuffle %d\noption drop_last %d\noption stratified %d\noption buckets %d\n", o->shuffle, o->drop_last,
        o->stratified, o->buckets);
    situ_proof_data(out, data);
}

/* The first record, to be freed by free; NULL with an error. */
static char *first_record(const situ_proof *p, const char *note)
{
    char *text = NULL;
    size_t size;
    const struct situ_proof_loop *l = p->loop;
    FILE *out = situ_text_open(&text, &size);
    if (out) {
        fprintf(out, "situ proof %d\nversion %s\nprogram loop\n", SITU_PROOF_FORMAT, SITU_VERSION);
        if (note) fprintf(out, "note %s\n", note);
        if (l->opt) situ_proof_options(out, l->opt, *l->opt->lr);
        if (l->loader) put_loader(out, l->loader);
    }
    if (out && !fclose(out)) return text;
    situ_fail(SITU_NO_MEMORY, p->site, "%s: out of host memory", p->function);
    free(text);
    return NULL;
}

/* ---- states --------------------------------------------------------------------------------------------------------------- */

static int keep_state(const situ_proof *p)
{
    char path[SITU_PROOF_PATH];
    situ_status s;
    const struct situ_proof_loop *l = p->loop;
    situ_proof_state_path(path, sizeof path, p->folder, l->steps);
    situ_scope *scope = situ_scope_open();
    situ_status_open(&s, p->function, p->site);
    situ_checkpoint_gather(&s, l->net, l->opt, l->loader, false);
    situ_status_integer(&s, STEPS, l->steps);
    int rc = s.rc ? s.rc : situ_file_compute(s.tensor, s.tensors, p->function, p->site);
    if (!rc) rc = situ_file_write(path, s.tensor, s.tensors, s.about, s.abouts, SITU_REASON_CHECKPOINT, p->function, p->site);
    situ_status_close(&s);
    situ_scope_close(scope);
    return rc;
}

/* Gives the objects the state after a step. */
static int load_state(situ_proof *p, int64_t step)
{
    char path[SITU_PROOF_PATH], text[2000] = "";
    int64_t there = 0;
    struct situ_proof_loop *l = p->loop;
    situ_site site = p->site;
    situ_proof_state_path(path, sizeof path, p->folder, step);
    situ_archive *a = situ_archive_open(path);
    if (!a) return -situ_error_code;
    int rc = situ_checkpoint_check(a, l->net, l->opt, l->loader, text, sizeof text, p->function, p->site);
    if (!rc) rc = situ_status_get_rows(a, &(situ_status_row){STEPS, SITU_STATUS_INT64, 0, 1}, 1, &there);
    if (!rc && there != step)
        rc = situ_fail(SITU_BAD_FORMAT, p->site, "%s: %s is the state after step %lld", p->function, path, (long long)there);
    if (!rc) rc = situ_checkpoint_give(a, l->net, l->opt, l->loader, p->function, p->site);
    situ_archive_done(a);
    if (rc) return rc;
    l->steps = step;
    situ_proof_step_state s = state_of(p);
    return p->verifies ? situ_proof_compare_state(p, &s) : 0;
}

/* ---- opening -------------------------------------------------------------------------------------------------------------- */

/* The last state of which the log has an entry; 0: none. */
static int64_t last_state(situ_proof *p)
{
    char why[SITU_PROOF_WHY], path[SITU_PROOF_PATH];
    situ_proof_log log;
    int64_t step = 0;
    situ_proof_log_read(&log, p->folder, why); /* situ_proof_resume tells what is wrong with it */
    for (int64_t i = log.records - 1; i > 0 && !step; i--) {
        situ_proof_state_path(path, sizeof path, p->folder, log.record[i].step);
        if (strstr(log.record[i].text, "\nkept\n") && situ_file_exists(path)) step = log.record[i].step;
    }
    situ_proof_log_free(&log);
    return step;
}

static int begin(situ_proof *p, const char *text, bool resume)
{
    char path[SITU_PROOF_PATH];
    if (p->verifies) {
        int rc = situ_proof_start(p, text);
        return rc || !p->range[0].from ? rc : load_state(p, p->range[0].from);
    }
    situ_proof_path(path, sizeof path, p->folder);
    bool there = situ_file_exists(path);
    if (there && !resume)
        return p->writes ? situ_fail(SITU_BAD_ARGUMENT, p->site,
                               "%s: %s holds the proof of a training already; take another folder, or %s to go on with it",
                               p->function, p->folder, SITU_SAY(".resume = true", "resume=True")) :
                           0;
    int64_t step = there ? last_state(p) : 0;
    int rc = step ? load_state(p, step) : 0;
    if (rc || !p->writes) return rc;
    return step ? situ_proof_resume(p, text, step) : situ_proof_start(p, text);
}

static int check(const char *folder, situ_module *net, const situ_optimizer *opt, const situ_proof_open_options *o,
    const char *function, situ_site site)
{
    if (situ_error_code || situ_ended(net, function, "network", site) || situ_ended(opt, function, "optimizer", site) ||
        situ_ended(o->loader, function, "loader", site) || situ_ended(o->group, function, "group", site))
        return -situ_error_code;
    if (!net || !folder)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", function, net ? "no folder is named" : "the network is NULL");
    if (opt && opt->net != situ_module_root(net))
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the optimizer was made for another network", function);
    if (o->note && strchr(o->note, '\n')) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the note is one line", function);
    if (o->every < 0 || o->every > 1000000000000000)
        return situ_fail(
            SITU_BAD_OPTION, site, "%s: %s = %lld is not in [0, 1e15]", function, SITU_SAY(".every", "every"), (long long)o->every);
    return situ_module_number(net);
}

situ_proof *(situ_proof_open)(const char *folder, situ_module *net, situ_optimizer *opt, const situ_proof_open_options *options,
    situ_site site)
{
    static const char function[] = "situ_proof_open";
    SITU_SPEAK(function, site);
    situ_proof_open_options o = {SITU_DEFAULTS(SITU_PROOF_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, function, site) || check(folder, net, opt, &o, function, site))
        return NULL;
    situ_proof *p = situ_proof_new(folder, !o.group || !situ_group_rank(o.group), function, site);
    if (!p) return NULL;
    p->states = o.every;
    char *text = NULL;
    if (!(p->loop = situ_calloc(1, sizeof *p->loop))) situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    else {
        *p->loop =
            (struct situ_proof_loop){.net = net, .opt = opt, .loader = o.loader, .ranks = o.group ? situ_group_size(o.group) : 1};
        situ_handle_hold(net);
        if (opt) situ_handle_hold(opt);
        if (o.loader) situ_handle_hold(o.loader);
        text = first_record(p, o.note);
    }
    if (text) begin(p, text, o.resume);
    free(text);
    if (!situ_error_code) return p;
    situ_proof_free(p);
    return NULL;
}

/* ---- steps and the end ---------------------------------------------------------------------------------------------------- */

static bool usable(const situ_proof *p, const char *function, situ_site site)
{
    if (situ_error_code || situ_ended(p, function, "proof", site)) return false;
    if (!p) situ_fail(SITU_BAD_ARGUMENT, site, "%s: the proof is NULL", function);
    if (!p || situ_ended(p->loop->net, function, "proof's network", site)) return false;
    return !situ_ended(p->loop->opt, function, "proof's optimizer", site) &&
        !situ_ended(p->loop->loader, function, "proof's loader", site);
}

static int enter(situ_proof *p, situ_tensor *loss, situ_list batch)
{
    situ_site site = p->site;
    situ_proof_step_state s = state_of(p);
    s.batch = batch.tensor;
    s.fields = batch.count;
    s.loss = (float)situ_item(loss);
    return situ_error_code ? -situ_error_code : situ_proof_enter(p, &s);
}

int(situ_proof_step)(situ_proof *p, situ_tensor *loss, situ_list batch, situ_site site)
{
    static const char function[] = "situ_proof_step";
    SITU_SPEAK(function, site);
    if (!usable(p, function, site)) return -situ_error_code;
    if (!loss || batch.count < 0 || (batch.count && !batch.tensor))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: %s", function, loss ? "the batch is no list of tensors" : "the loss is NULL");
    bool entry = false;
    int64_t step = ++p->loop->steps;
    p->function = function, p->site = site;
    if (p->verifies) {
        int rc = situ_proof_verify_step(p, step, &entry);
        if (!rc && entry) rc = enter(p, loss, batch);
        if (!rc) situ_proof_arrive(p, step);
        return rc ? rc : p->now == p->ranges;
    }
    if (!p->writes || !situ_proof_due(p, step)) return 0;
    if (p->states && step % p->states == 0 && keep_state(p)) return -situ_error_code;
    return enter(p, loss, batch);
}

int64_t situ_proof_steps(const situ_proof *p)
{
    situ_site site = situ_passed_site();
    return usable(p, "situ_proof_steps", site) ? p->loop->steps : 0;
}

static int end(situ_proof *p)
{
    char ran[200], name[32];
    situ_proof_step_state s = state_of(p);
    if (p->verifies) return situ_proof_verify_end(p, &s, "loop");
    if (!p->writes) return 0;
    if (p->chained < s.step && situ_proof_enter(p, &s)) return -situ_error_code;
    situ_proof_ran(p, situ_device_name(situ_module_root(p->loop->net)->device[0], name), p->loop->ranks, ran, sizeof ran);
    return situ_proof_finish(p, s.step, "loop", ran);
}

int(situ_proof_close)(situ_proof *p, char *commitment, situ_site site)
{
    static const char function[] = "situ_proof_close";
    SITU_SPEAK(function, site);
    if (commitment) *commitment = 0;
    if (!p || situ_ended(p, function, "proof", site)) return -situ_error_code;
    p->function = function, p->site = site;
    int rc = usable(p, function, site) ? end(p) : -situ_error_code;
    if (!rc && commitment) strcpy(commitment, p->hash);
    situ_proof_free(p);
    return rc;
}
