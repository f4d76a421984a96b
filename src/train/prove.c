/* The trainer's proof: what its first record says, when entries are due, how verifying goes from one range of steps to the next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "data/dataset.h"
#include "file/network.h"
#include "optim/optimizer.h"
#include "os/file.h"
#include "os/plain.h"
#include "os/wait.h"
#include "train/checkpoint.h"
#include "train/proof.h"
#include "train/ranks.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define FUNCTION "situ_trainer_fit"

/* The options on which the bits depend. */
static bool decides(const char *name)
{
    static const char *const names[] = {"max_epochs", "batch", "deterministic", "accumulate", "epoch_batches", "cosine",
        "clip_norm", "patience", "min_delta", "keep_best", "maximize"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

static void put_number(FILE *out, const char *name, double value)
{
    char text[SITU_SHORTEST];
    situ_plain_shortest(text, 1, value);
    fprintf(out, "option %s %s\n", name, text);
}

static void put_options(FILE *out, const situ_fit *f)
{
    enum { MOST = 64 };
    situ_hyper h[MOST];
    const situ_trainer *t = f->t;
    fprintf(out, "key %lld\n", (long long)t->o.key);
    int n = situ_trainer_hyper(t, h, MOST);
    for (int i = 0; i < n && i < MOST; i++)
        if (decides(h[i].name)) put_number(out, h[i].name, h[i].value);
    fprintf(out, "option precision %s\n", situ_dtype_name(t->o.precision));
    situ_proof_options(out, f->opt, f->lr); /* the learning rate without the factor of the schedule */
}

/* Bits that depend on the number of devices and ranks hold for that number alone. */
static void put_parts(FILE *out, const situ_fit *f)
{
    const situ_trainer *t = f->t;
    if (!t->o.deterministic) fprintf(out, "devices %d, ranks %d\n", t->devices, situ_group_size(t->o.group));
}

/* The first record, to be freed by free; NULL with an error. */
static char *first_record(const situ_fit *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = situ_text_open(&text, &size);
    if (out) {
        fprintf(out, "situ proof %d\nversion %s\n", SITU_PROOF_FORMAT, SITU_VERSION);
        if (f->t->note) fprintf(out, "note %s\n", f->t->note);
        put_options(out, f);
        put_parts(out, f);
        if (!situ_group_rank(f->t->o.group)) situ_proof_data(out, f->train);
    }
    if (out && !fclose(out)) return text;
    situ_fail(SITU_NO_MEMORY, f->site, FUNCTION ": out of host memory");
    free(text);
    return NULL;
}

/* ---- states --------------------------------------------------------------------------------------------------------------- */

static int keep_state(situ_fit *f, int64_t step)
{
    char path[SITU_PROOF_PATH];
    situ_status s;
    situ_proof_state_path(path, sizeof path, f->proof->folder, step);
    situ_scope *scope = situ_scope_open();
    situ_status_open(&s, FUNCTION, f->site);
    situ_keep_gather(&s, f, false, false);
    int rc = s.rc ? s.rc : situ_file_compute(s.tensor, s.tensors, FUNCTION, f->site);
    if (!rc) rc = situ_file_write(path, s.tensor, s.tensors, s.about, s.abouts, SITU_REASON_CHECKPOINT, FUNCTION, f->site);
    situ_status_close(&s);
    situ_scope_close(scope);
    return rc;
}

static situ_proof_step_state state_of(const situ_fit *f)
{
    return (situ_proof_step_state){.step = f->t->steps, .net = f->net, .opt = f->opt, .loss = f->log[0].last};
}

/* Loads the state after a step. 1: it is in the middle of an epoch; 0: at the end of one; or a negative code. */
static int load_state(situ_fit *f, int64_t step)
{
    char path[SITU_PROOF_PATH], text[2000] = "";
    situ_site site = f->site;
    situ_proof_state_path(path, sizeof path, f->proof->folder, step);
    situ_archive *a = situ_archive_open(path);
    if (!a) return -situ_error_code;
    int rc = situ_checkpoint_check(a, f->net, f->opt, f->loader, text, sizeof text, FUNCTION, site);
    if (!rc) rc = situ_keep_give(a, f);
    situ_archive_done(a);
    if (rc < 0) return rc;
    if (f->t->steps != step) {
        situ_proof_differs(
            f->proof, "step %lld: the state that was kept is one of step %lld", (long long)step, (long long)f->t->steps);
        return -situ_error_code;
    }
    situ_proof_step_state s = state_of(f);
    return situ_proof_compare_state(f->proof, &s) ? -situ_error_code : rc;
}

/* ---- beginning ------------------------------------------------------------------------------------------------------------ */

static int begin_verifying(situ_fit *f, const char *text)
{
    situ_proof *p = f->proof;
    const situ_trainer *t = f->t;
    if (!t->o.patience && !t->o.on_epoch && !t->monitor && !t->o.keep_best) f->held_out = NULL; /* measuring changes no bit */
    int rc = situ_proof_start(p, text);
    if (rc) return rc;
    return p->range[0].from ? load_state(f, p->range[0].from) : 0;
}

static int begin_writing(situ_fit *f, const char *text)
{
    char path[SITU_PROOF_PATH];
    situ_proof *p = f->proof;
    const situ_trainer *t = f->t;
    p->states = t->o.proof_every;
    if (!p->writes) return 0;
    if (t->steps) return situ_proof_resume(p, text, t->steps);
    situ_proof_path(path, sizeof path, p->folder);
    if (situ_file_exists(path) && !t->o.resume)
        return situ_fail(SITU_BAD_ARGUMENT, f->site, FUNCTION ": %s holds the proof of a training already; take another folder%s",
            p->folder,
            t->checkpoint ?
                SITU_SAY(", or .resume = true to continue that training", ", or resume=True to continue that training") :
                "");
    return situ_proof_start(p, text);
}

int situ_prove_begin(situ_fit *f, int at)
{
    situ_trainer *t = f->t;
    if (!t->proof || at < 0 || at == 2) return at;
    if (!f->opt)
        return situ_fail(SITU_BAD_ARGUMENT, f->site,
            FUNCTION ": " SITU_SAY(".proof", "proof") " knows the trainer's optimizer alone; a step of your own has none to hash");
    if (t->fits > 1 + t->skipped)
        return situ_fail(SITU_BAD_ARGUMENT, f->site,
            FUNCTION ": a proof is of one training; make another trainer with another folder for this one");
    if (!(f->proof = situ_proof_new(t->proof, !situ_group_rank(t->o.group), FUNCTION, f->site))) return -situ_error_code;
    char *text = first_record(f);
    if (!text) return -situ_error_code;
    int rc = f->proof->verifies ? begin_verifying(f, text) : begin_writing(f, text);
    free(text);
    return rc < 0 ? rc : f->proof->verifies ? rc : at;
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

/* Is this the last step, whatever the training does? */
static bool is_last(const situ_fit *f) { return f->batch == f->batches && f->t->epochs + 1 >= f->last; }

/* An entry with the batch of this step, all of its rows, whatever the parts that devices and ranks compute. */
static int enter(situ_fit *f, bool with_batch)
{
    situ_batch b;
    situ_scope *scope = situ_scope_open();
    int rc = with_batch ? situ_fit_read(f) : 0;
    if (!rc && with_batch) rc = (situ_loader_get_part)(f->loader, f->t->device[0], 0, f->rows, &b, f->site);
    if (!rc) {
        situ_proof_step_state s = state_of(f);
        s.batch = with_batch ? b.field : NULL;
        s.fields = with_batch ? b.fields : 0;
        s.last = is_last(f);
        rc = situ_proof_enter(f->proof, &s);
    }
    situ_scope_close(scope);
    return rc;
}

static int verify_step(situ_fit *f)
{
    bool entry;
    situ_proof *p = f->proof;
    int rc = situ_proof_verify_step(p, f->t->steps, &entry);
    if (!rc && entry) rc = enter(f, true);
    situ_proof_step_state s = state_of(f);
    if (!rc && !p->to_end) rc = situ_proof_verify_state(p, &s); /* what was stopped by hand goes on here */
    if (!rc) situ_proof_arrive(p, f->t->steps);
    return rc;
}

int situ_prove_step(situ_fit *f)
{
    situ_proof *p = f->proof;
    if (!p) return 0;
    if (p->verifies) return verify_step(f);
    if (!p->writes || !(situ_proof_due(p, f->t->steps) || is_last(f))) return 0;
    if (p->states && f->t->steps % p->states == 0 && (situ_fit_read(f) || keep_state(f, f->t->steps))) return -situ_error_code;
    return enter(f, true);
}

int situ_prove_jump(situ_fit *f)
{
    situ_proof *p = f->proof;
    if (!p || !p->jump) return 0;
    p->jump = false;
    situ_fit_leave_batch(f);
    if (p->now < p->ranges) return situ_fit_go_on(f, load_state(f, p->range[p->now].from));
    f->t->ended = "epochs";
    return 0;
}

/* ---- the end -------------------------------------------------------------------------------------------------------------- */

static void end_writing(situ_fit *f, const char *reason)
{
    char ran[200], name[32], device[48];
    situ_proof *p = f->proof;
    situ_trainer *t = f->t;
    if (!p->writes || (p->chained < t->steps && enter(f, false))) return;
    snprintf(device, sizeof device, "%s%s", situ_device_name(t->device[0], name), t->devices > 1 ? " and others" : "");
    situ_proof_ran(p, device, situ_group_size(t->o.group), ran, sizeof ran);
    situ_proof_finish(p, t->steps, reason, ran);
}

void situ_prove_end(situ_fit *f)
{
    situ_proof *p = f->proof;
    situ_trainer *t = f->t;
    if (!p) return;
    const char *reason = *t->ended ? t->ended : "stopped";
    situ_proof_step_state s = state_of(f);
    if (!situ_error_code && p->verifies) situ_proof_verify_end(p, &s, reason);
    else if (!situ_error_code && f->train) end_writing(f, reason);
    memcpy(t->commitment, p->hash, sizeof t->commitment);
    double all = (double)(situ_now() - p->began);
    t->proved = (situ_trainer_proof){
        .entries = p->entries, .steps = p->every, .bytes = p->bytes, .share = all > 0 ? (double)p->spent / all : 0};
}

void situ_prove_free(situ_fit *f)
{
    situ_proof_free(f->proof);
    f->proof = NULL;
}
