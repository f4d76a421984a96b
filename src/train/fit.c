/* The training loop: batches are cut into parts, a step is one plan, and each epoch ends with a measurement and a
 * point on the board. Control is inverted: situ_trainer_next returns the next part of a batch, situ_trainer_give takes
 * its loss; situ_trainer_fit calls both. */
#include "train/fit.h"

#include <math.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "data/dataset.h"
#include "graph/owned.h"
#include "group/tree.h"
#include "math/f64.h"
#include "op/precision.h"
#include "optim/optimizer.h"
#include "os/wait.h"
#include "run/apart.h"
#include "train/ranks.h"
#include "train/report.h"
#include "train/svg.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum {
    RESIDENT_BYTES = 256 << 20, /* data sets up to this size are moved to the device by default */
    EVALUATION_ROWS = 1000,
    LOG_ROOM = 1 << 16,   /* most batches between two readings of the log */
    FIRST_SCALE = 1 << 16 /* initial loss scale for f16 */
};

int situ_trainer_cut(const situ_trainer *t, int64_t rows, situ_part *out, int most, int64_t *total)
{
    int64_t pieces = (int64_t)situ_group_size(t->o.group) * t->devices * t->o.accumulate, first = 0;
    bool shards = t->o.deterministic;
    int64_t parts = *total = shards ? (rows + SITU_SHARD_ROWS - 1) / SITU_SHARD_ROWS : rows < pieces ? rows : pieces;
    if (t->o.group) parts = situ_group_cut(t->o.group, *total, &first);
    int n = 0;
    for (; n < parts && n < most; n++) {
        int64_t i = first + n, row = shards ? i * SITU_SHARD_ROWS : (i * rows + *total - 1) / *total;
        int64_t end = shards ? row + SITU_SHARD_ROWS : ((i + 1) * rows + *total - 1) / *total;
        out[n] = (situ_part){row, (end < rows ? end : rows) - row, (int)(n * (int64_t)t->devices / parts)};
    }
    return n;
}

bool (*situ_train_interrupted)(void);

static int interrupted(const situ_fit *f)
{
    if (!situ_train_interrupted || !situ_train_interrupted()) return 0;
    if (f->train && f->keeper) { /* stopped by a binding's signal: writes a checkpoint; the binding reports the signal */
        f->t->asked = true;
        return 0;
    }
    return situ_fail(SITU_BAD_ARGUMENT, f->site, "situ_trainer_%s: it was interrupted", f->train ? "fit" : "evaluate");
}

/* ---- beginning --------------------------------------------------------------------------------------------------------------- */

static int check(const situ_trainer *t, const situ_module *net, const situ_optimizer *opt, const situ_dataset *train,
    const situ_dataset *held_out, situ_site site)
{
    const char *who = situ_speaking.name ? situ_speaking.name : "situ_trainer_fit";
    if (situ_ended(t, who, "trainer", site) || situ_ended(net, who, "network", site) || situ_ended(opt, who, "optimizer", site) ||
        situ_ended(train, who, "data set", site) || situ_ended(held_out, who, "data set", site))
        return -situ_error_code;
    if (!t || !net || !train || (!opt && !t->o.step))
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the %s is NULL%s", who,
            !t         ? "trainer" :
                !net   ? "network" :
                !train ? "training data" :
                         "optimizer",
            t && net && train ? "; that is for a " SITU_SAY(".step", "step") " that steps optimizers of its own" : "");
    if (!opt && t->devices > 1)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_fit: a step with optimizers of its own trains on one device, not on %d", t->devices);
    if (!opt && situ_group_size(t->o.group) > 1)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_fit: a step with optimizers of its own trains in one process, not in %d", situ_group_size(t->o.group));
    if (!opt && t->o.accumulate > 1)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_trainer_fit: " SITU_SAY(".accumulate", "accumulate") " needs the trainer's optimizer");
    if (opt && situ_module_root(opt->net) != situ_module_root(net))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_trainer_fit: the optimizer was made for another network; make one for this network");
    if (!train->count) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_fit: there are no rows to train on");
    if (train->count < 0 && !t->o.epoch_batches)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_trainer_fit: \"%s\" is a stream: " SITU_SAY(".epoch_batches", "epoch_batches") " says how many "
                                                                                                 "batches an epoch has",
            train->name);
    if (held_out && held_out->count < 0)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_trainer_fit: \"%s\" is a stream; held-out data must have an end", held_out->name);
    return 0;
}

static bool is_small(const situ_trainer *t, const situ_dataset *data)
{
    int64_t bytes = 0;
    for (int i = 0; i < data->fields; i++) bytes += data->count * data->field[i].bytes;
    return t->o.resident < 0 ? bytes <= RESIDENT_BYTES : t->o.resident > 0;
}

static int room_for_parts(situ_fit *f, int64_t batch)
{
    f->most = (int)(batch / SITU_SHARD_ROWS) + 1 + f->t->devices * f->t->o.accumulate;
    situ_free(f->part); /* the array of the measurement, which has fewer parts */
    f->part = situ_malloc((size_t)f->most * (sizeof *f->part + sizeof *f->weight + (SITU_LOGS + 1) * sizeof(situ_tensor *)));
    if (!f->part) return situ_fail(SITU_NO_MEMORY, f->site, "situ_trainer_fit: out of host memory");
    f->weight = (double *)(void *)(f->part + f->most);
    f->value = (situ_tensor **)(f->weight + f->most);
    f->moments = f->value + f->most * SITU_LOGS;
    return 0;
}

/* Batch norms over all ranks exchange in the middle of a call, so each rank has to have a part with rows in each
 * batch. */
static int check_norms(situ_fit *f)
{
    const situ_trainer *t = f->t;
    f->meet = situ_module_over_ranks(situ_module_root(f->net));
    if (!f->meet || (situ_ranks_several(f) && !t->o.deterministic && t->devices == 1 && t->o.accumulate == 1)) return 0;
    return situ_fail(SITU_BAD_OPTION, f->site,
        "situ_trainer_fit: a batch norm takes the moments of all ranks' rows (its " SITU_SAY(
            ".group", "group") "): the trainer has %s",
        !situ_ranks_several(f) ? "the same group, then" :
            t->o.deterministic ? "to be one that is not deterministic; there each 16 rows have their own" :
            t->devices > 1     ? "to have one GPU on each rank, then" :
                                 "to compute a batch in one piece on each rank, then");
}

static void watch_peaks(situ_fit *f, bool on)
{
    for (int i = 0; i < f->t->devices && f->train; i++) {
        situ_dev *d = situ_dev_opened(f->t->device[i]);
        if (d) (on ? situ_peak_watch(d, &f->peak[i]) : situ_peak_leave(d, &f->peak[i]));
    }
}

static int open_training(situ_fit *f)
{
    situ_trainer *t = f->t;
    int64_t count = f->train->count, batch = count >= 0 && t->o.batch > count ? count : t->o.batch;
    if (t->plot && situ_svg_check(t->plot)) return -situ_error_code;
    situ_site site = f->site;
    f->loader = situ_loader_new(f->train, .batch = t->o.batch, .shuffle = count >= 0, .key = t->o.key, .device = t->device[0],
        .resident = is_small(t, f->train), .workers = t->o.workers, .batches = t->o.epoch_batches);
    if (!f->loader || room_for_parts(f, batch)) return -situ_error_code;
    f->batches = situ_loader_batches(f->loader);
    int64_t capacity = t->o.log_every ? t->o.log_every : f->batches;
    if (situ_log_open(&f->log[0], capacity < LOG_ROOM ? capacity : LOG_ROOM)) return -situ_error_code;
    f->lr = f->opt ? *f->opt->lr : 0; /* learning rate without the factor of the schedule */
    f->planned = f->batches * t->o.max_epochs;
    f->last = t->epochs + t->o.max_epochs;
    if (t->o.clip_norm > 0 && f->opt) situ_optimizer_set_clip_norm(f->opt, t->o.clip_norm);
    if (t->o.precision == SITU_F16 && f->opt && !(f->opt->first_scale > 0)) situ_optimizer_set_loss_scale(f->opt, FIRST_SCALE);
    if (situ_error_code || check_norms(f) || situ_survive_begin(f) || situ_module_mirror(f->net, t->device, t->devices) ||
        situ_report_begin(f))
        return -situ_error_code;
    return t->o.max_epochs ? situ_fit_go_on(f, situ_prove_begin(f, situ_keep_begin(f))) : 0;
}

static int open_measuring(situ_fit *f)
{
    situ_trainer *t = f->t;
    situ_site site = f->site;
    int64_t batch = t->o.step ? t->o.batch : EVALUATION_ROWS, count = f->held_out->count;
    f->held_loader = situ_loader_new(
        f->held_out, .batch = batch, .device = t->device[0], .resident = is_small(t, f->held_out), .workers = t->o.workers);
    if (!f->held_loader || (!f->part && room_for_parts(f, 0))) return -situ_error_code;
    int64_t batches = (count + batch - 1) / batch;
    return situ_log_open(&f->log[1], batches < LOG_ROOM ? batches : LOG_ROOM);
}

/* Warns that there are no held-out rows, so neither an accuracy nor a validation loss. */
static void tell_empty(const situ_trainer *t, const situ_dataset *held_out, situ_site site)
{
    static const char format[] = "%sthe held-out data \"%s\" has no rows: nothing is measured on it%s";
    if (t->o.progress) fprintf(t->o.progress, format, "", held_out->name, "\n");
    if (situ_hints()) situ_hint(site, format, "situ_trainer_fit: ", held_out->name, "");
}

/* Begins a training, or only a measurement if train is NULL. */
static int begin(
    situ_trainer *t, situ_module *net, situ_optimizer *opt, const situ_dataset *train, const situ_dataset *held_out, situ_site site)
{
    const char *title = t->title ? t->title : situ_dataset_name(train ? train : held_out);
    situ_fit *f = situ_calloc(1, sizeof *f);
    if (!f) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: out of host memory");
    *f = (situ_fit){.t = t,
        .net = net,
        .opt = opt,
        .train = train,
        .site = site,
        .phase = FIT_DONE,
        .outer = t->fit,
        .held_out = held_out && held_out->count ? held_out : NULL};
    t->fit = f;
    if (held_out && !held_out->count) tell_empty(t, held_out, site);
    situ_steps_apart += t->o.deterministic;
    watch_peaks(f, true);
    f->precision = situ_precision_swap(t->o.precision == SITU_F32 ? 0 : (uint8_t)t->o.precision);
    if (train) {
        t->stop = false;
        t->asked = false;
        t->ended = "";
        f->nan = t->o.nan ? situ_guard_open(.nan = true) : (situ_guard){0};
    }
    if (train && !t->board && !(t->board = situ_board_open(t->o.board, title, t->o.xlim))) return -situ_error_code;
    if (f->held_out && open_measuring(f)) return -situ_error_code;
    return train ? open_training(f) : situ_fit_measure(f);
}

int(situ_trainer_begin)(
    situ_trainer *t, situ_module *net, situ_optimizer *opt, const situ_dataset *train, const situ_dataset *held_out, situ_site site)
{
    SITU_SPEAK("situ_trainer_begin", site);
    if (situ_error_code) return -situ_error_code;
    int rc = check(t, net, opt, train, held_out, site);
    if (rc) return rc;
    if (t->fit)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_fit: this trainer trains already; end that " SITU_SAY("with situ_trainer_end ", "") "first");
    return begin(t, net, opt, train, held_out, site);
}

/* ---- parts of a batch ------------------------------------------------------------------------------------------ */

/* Returns the next part to the caller. */
static int64_t hand(situ_fit *f, situ_batch *out)
{
    const situ_part *p = &f->part[f->handed];
    situ_loader *loader = f->phase == FIT_TRAIN ? f->loader : f->held_loader;
    if ((situ_loader_get_part)(loader, f->t->device[p->device], p->first, p->rows, out, f->site)) return -situ_error_code;
    out->step = f->phase == FIT_MEASURE ? -1 : f->opt ? situ_optimizer_steps(f->opt) : f->t->steps;
    out->device = p->device;
    out->training = f->phase == FIT_TRAIN;
    if (situ_moments_before(f, p->device)) return -situ_error_code;
    if (out->training && (situ_ranks_several(f) || f->t->devices > 1 || f->t->o.deterministic))
        situ_module_root(f->net)->share = (situ_share){.first = p->first, .rows = p->rows, .of = f->rows, .step = out->step};
    memset(f->value + f->handed * SITU_LOGS, 0, SITU_LOGS * sizeof *f->value);
    f->weight[f->handed++] = (double)p->rows / (double)f->rows;
    return p->rows;
}

static void close_batch(situ_fit *f)
{
    if (f->scope) situ_scope_close(f->scope);
    f->scope = NULL;
    situ_module_root(f->net)->share.of = 0;
}

void situ_fit_leave_batch(situ_fit *f)
{
    situ_site site = f->site;
    close_batch(f);
    for (int i = 0; i < f->starts; i++) situ_release(f->start[i]), f->start[i] = NULL;
    for (int i = 0; i < f->parts; i++) situ_release(f->moments[i]), f->moments[i] = NULL;
    f->parts = f->handed = f->given = 0;
    f->stepped = false;
    f->phase = FIT_DONE;
    situ_fit_leave_measuring(f);
    for (int i = 0; i < 2; i++) {
        situ_step_log *log = &f->log[i];
        log->at = 0;
        if (log->variable) situ_assign(log->variable, situ_zeros(situ_shape_like(log->variable), .device = log->variable->device));
    }
}

/* Writes a checkpoint after a step, if one is due, when everything that follows a step has been done. */
static int keep_step(situ_fit *f)
{
    bool stepped = f->stepped;
    f->stepped = false;
    int rc = stepped ? situ_survive_copy(f, false) : 0;
    if (stepped && !rc) rc = situ_prove_step(f);
    if (rc || !stepped || !situ_keep_due(f)) return rc;
    rc = situ_ranks_agree(f);
    if (rc || situ_fit_stops(f)) return rc; /* when the training stops, a checkpoint is written anyway */
    rc = situ_fit_read(f);
    return rc ? rc : situ_keep_step(f);
}

/* Called when the phase (training or measuring) has no more batches. */
static int end_phase(situ_fit *f)
{
    if (f->phase == FIT_EPOCH) return situ_fit_close_epoch(f);
    return f->phase == FIT_TRAIN ? situ_fit_trained(f) : situ_fit_measured(f);
}

/* Cuts the loader's next batch into parts. */
static int begin_batch(situ_fit *f)
{
    const situ_trainer *t = f->t;
    bool training = f->phase == FIT_TRAIN;
    if (!situ_owned_recording(situ_thread_get())) f->scope = situ_scope_open();
    f->part[0] = (situ_part){0, f->rows, 0};
    f->total = 1;
    f->parts = training ? situ_trainer_cut(t, f->rows, f->part, f->most, &f->total) : 1;
    f->handed = f->given = 0;
    memset(f->moments, 0, (size_t)f->most * sizeof *f->moments);
    if (f->meet && training && f->total < situ_group_size(t->o.group))
        return situ_fail(SITU_BAD_ARGUMENT, f->site,
            "situ_trainer_fit: a batch of %lld rows, the last of an epoch perhaps, has none for some of %d ranks, whose moments a "
            "batch norm takes together; take another " SITU_SAY(".batch", "batch"),
            (long long)f->rows, situ_group_size(t->o.group));
    if ((f->idle = !f->parts)) /* all rows belong to other ranks: this rank computes a part of the first rows, which does not count
                                */
        f->part[f->parts++] = (situ_part){0, f->rows < SITU_SHARD_ROWS ? f->rows : SITU_SHARD_ROWS, 0};
    return 0;
}

static int64_t next_part(situ_fit *f, situ_batch *out)
{
    if (f->handed < f->parts) return hand(f, out);
    if (keep_step(f)) return -situ_error_code;
    close_batch(f);
    if (situ_prove_jump(f)) return -situ_error_code;
    while (f->phase != FIT_DONE && !situ_error_code) {
        if (interrupted(f)) break;
        bool none = f->phase == FIT_EPOCH || (f->phase == FIT_TRAIN && situ_fit_stops(f));
        f->rows = none ? 0 : situ_loader_next(f->phase == FIT_TRAIN ? f->loader : f->held_loader);
        if (f->rows < 0 || situ_error_code) break;
        if (f->rows) return begin_batch(f) ? -situ_error_code : hand(f, out);
        f->parts = f->handed = f->given = 0;
        if (end_phase(f) || f->phase == FIT_EPOCH) break;
    }
    return situ_error_code ? -situ_error_code : 0;
}

int64_t situ_trainer_next(situ_trainer *t, situ_batch *out)
{
    SITU_SPEAK_AT("situ_trainer_next");
    if (situ_error_code || situ_ended(t, "situ_trainer_next", "trainer", NULL)) return -situ_error_code;
    situ_fit *f = t ? t->fit : NULL;
    if (!f || !out)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_trainer_next: %s",
            f ? "the batch is NULL" : SITU_SAY("call situ_trainer_begin first", "nothing trains"));
    if (f->given < f->handed)
        return situ_fail(SITU_BAD_ARGUMENT, f->site,
            "situ_trainer_next: the batch before has no loss yet" SITU_SAY("; give it to situ_trainer_give", ""));
    int64_t rows = next_part(f, out);
    while ((rows < 0 || (!rows && !situ_survive_settled(f))) && situ_survive(f)) rows = next_part(f, out);
    return situ_error_code ? -situ_error_code : rows;
}

/* Adds the log column of the loss scale for the report, and returns its index; 0: there is none. */
static int add_scale(situ_fit *f)
{
    situ_step_log *log = &f->log[0];
    int before = log->columns;
    if (log->scale || !f->t->report || !f->opt || !(f->opt->first_scale > 0) || before == SITU_LOGS) return log->scale;
    int column = situ_log_column(log, "loss scale", f->site);
    return column == before ? column : 0;
}

/* Adds the log column of the gradients' norm for the report, and returns its index; 0: there is none. */
static int add_norm(situ_fit *f)
{
    situ_step_log *log = &f->log[0];
    int before = log->columns;
    if (log->norm) return log->norm; /* it exists already, from a checkpoint */
    if (!f->t->report || !f->opt || before == SITU_LOGS) return 0;
    int column = situ_log_column(log, "gradient norm", f->site);
    return column == before ? column : 0; /* unless the step itself logs a value with this name */
}

/* The mean over all ranks' parts. The values are evaluated before the step, so that its gradients find stored what
 * they read. */
static situ_tensor *mean_of_ranks(situ_fit *f, situ_tensor **value, situ_tensor **scratch)
{
    situ_site site = f->site;
    int n = f->idle ? 0 : f->parts;
    if (n && situ_eval(TENSORS_OF(value, n))) return situ_poisoned();
    for (int i = 0; i < n; i++) scratch[i] = f->total > 1 ? situ_mul(value[i], f->weight[i]) : value[i];
    return situ_group_add_up(f->t->o.group, TENSORS_OF(scratch, n), f->total, value[0], site);
}

/* Called when all parts have their losses: takes the step and logs. */
static int finish_batch(situ_fit *f)
{
    if (f->phase == FIT_TRAIN && situ_survive_first(f)) return -situ_error_code;
    situ_trainer *t = f->t;
    situ_site site = f->site;
    int n = f->idle ? 0 : f->parts, rc = 0;
    situ_group *group = f->phase == FIT_TRAIN && situ_group_size(t->o.group) > 1 ? t->o.group : NULL;
    int64_t total = group ? f->total : n;
    const double *weight = total > 1 ? f->weight : NULL;
    situ_step_log *log = &f->log[f->phase == FIT_MEASURE];
    situ_tensor *all[SITU_LOGS] = {NULL}, **column = situ_malloc(2 * (size_t)f->parts * sizeof(situ_tensor *));
    if (!column) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_give: out of host memory");
    if (f->phase == FIT_TRAIN && !log->fixed) {
        log->norm = add_norm(f);
        log->scale = add_scale(f);
    }
    for (int c = 0; c < log->columns && !rc; c++) {
        bool there = true;
        for (int i = 0; i < f->parts; i++) there &= (column[i] = f->value[i * SITU_LOGS + c]) != NULL;
        if (group && there) all[c] = mean_of_ranks(f, column, column + f->parts);
        if (!c && f->phase == FIT_TRAIN && f->opt) {
            if (t->o.cosine)
                rc = situ_optimizer_set_lr(f->opt, f->lr * 0.5 * (1 + situ_f64_cos(M_PI * (double)f->step / (double)f->planned)));
            if (!rc) rc = (situ_optimizer_step_group)(f->opt, TENSORS_OF(column, n), weight, group, total, site);
            if (!rc) rc = situ_moments_mean(f);
        }
        if (!rc && there && !group) all[c] = n > 1 ? (situ_mean_loss)(TENSORS_OF(column, n), weight, site) : column[0];
    }
    situ_free(column);
    if (log->norm) all[log->norm] = f->opt->norm;
    if (log->scale) all[log->scale] = f->opt->scaled;
    if (!rc) rc = situ_log_add(log, all, f->rows, site);
    if (rc) return rc;
    if (f->phase == FIT_MEASURE) return log->at == log->capacity ? situ_fit_read_measured(f) : 0;
    f->step++;
    f->batch++;
    t->steps++;
    t->rows += f->rows;
    bool due = situ_report_step(f);
    if (due || situ_fit_due(f)) rc = situ_fit_read(f);
    f->stepped = true;
    return rc ? rc : situ_fit_call(f, t->o.on_step);
}

int(situ_trainer_give)(situ_trainer *t, situ_tensor *loss, situ_site site)
{
    SITU_SPEAK("situ_trainer_give", site);
    if (situ_error_code || situ_ended(t, "situ_trainer_give", "trainer", site)) return -situ_error_code;
    situ_fit *f = t ? t->fit : NULL;
    if (!f || f->given == f->handed)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_give: there is no batch without a loss" SITU_SAY("; call situ_trainer_next first", ""));
    if (!situ_usable(&loss, 1, "situ_trainer_give", site)) return -situ_error_code;
    if (loss->ndim)
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_trainer_give: the loss has %d dimensions; it is a scalar, the mean over the batch", loss->ndim);
    f->value[f->given * SITU_LOGS] = loss;
    if (situ_moments_after(f)) return -situ_error_code;
    int rc = ++f->given == f->parts ? finish_batch(f) : 0;
    return rc && situ_survive(f) ? 0 : rc;
}

int(situ_trainer_log)(situ_trainer *t, const char *name, situ_tensor *value, situ_site site)
{
    SITU_SPEAK("situ_trainer_log", site);
    if (situ_error_code || situ_ended(t, "situ_trainer_log", "trainer", site)) return -situ_error_code;
    situ_fit *f = t ? t->fit : NULL;
    if (!f || f->given == f->handed || !name)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_trainer_log: %s", name ? "only while a step computes a batch" : "the name is NULL");
    if (!situ_usable(&value, 1, "situ_trainer_log", site)) return -situ_error_code;
    if (value->ndim)
        return situ_fail(
            SITU_BAD_SHAPE, site, "situ_trainer_log: \"%s\" has %d dimensions; a value is a scalar", name, value->ndim);
    if (situ_is_number(value)) value = situ_full(SHAPE(), value, .device = t->device[f->part[f->given].device]);
    int column = situ_log_column(&f->log[f->phase == FIT_MEASURE], name, site);
    if (column < 1)
        return column ? column : situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_log: \"loss\" is what the step returns");
    f->value[f->given * SITU_LOGS + column] = value;
    return 0;
}

int(situ_trainer_confusion)(situ_trainer *t, situ_tensor *prediction, situ_tensor *target, situ_site site)
{
    SITU_SPEAK("situ_trainer_confusion", site);
    if (situ_error_code || situ_ended(t, "situ_trainer_confusion", "trainer", site)) return -situ_error_code;
    situ_fit *f = t ? t->fit : NULL;
    situ_tensor *both[] = {prediction, target};
    if (!f || f->given == f->handed)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_confusion: only while a step computes a batch");
    if (situ_usable(both, 2, "situ_trainer_confusion", site)) situ_report_confusion(f, prediction, target);
    return -situ_error_code;
}

/* ---- ending --------------------------------------------------------------------------------------------------- */

void situ_fit_close(situ_trainer *t)
{
    situ_fit *f = t->fit;
    close_batch(f);
    watch_peaks(f, false);
    situ_precision_swap(f->precision);
    situ_fit_leave_measuring(f);
    if (f->train) situ_module_set_training(f->net, false);
    if (f->loader && f->opt) situ_optimizer_set_lr(f->opt, f->lr);
    for (int i = 0; i < 2; i++) situ_log_close(&f->log[i]);
    situ_weights_free(&f->best);
    for (int i = 0; i < f->starts; i++) situ_release(f->start[i]);
    for (int i = 0; i < f->parts; i++) situ_release(f->moments[i]);
    situ_free(f->start);
    situ_free(f->versions);
    situ_free(f->part); /* also frees the moments, which are in the same allocation */
    situ_loader_free(f->loader);
    situ_loader_free(f->held_loader);
    if (f->nan.depth) situ_guard_close(f->nan);
    situ_keep_free(f);
    situ_prove_free(f);
    situ_survive_free(f);
    t->fit = f->outer;
    situ_steps_apart -= t->o.deterministic;
    situ_free(f);
}

static int draw(situ_trainer *t, const char *title)
{
    const situ_series *series;
    if (!t->plot) return 0;
    int n = situ_board_series(t->board, &series);
    return situ_svg_curves(t->plot, title, "epoch", n, series);
}

int situ_trainer_end(situ_trainer *t)
{
    SITU_SPEAK_AT("situ_trainer_end");
    if (situ_ended(t, "situ_trainer_end", "trainer", NULL)) return -situ_error_code;
    if (!t || !t->fit) return -situ_error_code;
    situ_fit *f = t->fit;
    situ_fit_read_rest(f);
    situ_prove_end(f);
    if (!situ_error_code && f->best.count) situ_weights_give(&f->best, f->net, f->site);
    if (f->train && (!situ_error_code || f->step)) draw(t, t->title ? t->title : situ_dataset_name(f->train));
    if (f->train && (situ_error_code || !*t->ended)) t->ended = situ_error_code ? "error" : "stopped";
    situ_report_end(f);
    situ_keep_end(f);
    situ_ranks_fail(f);
    situ_fit_close(t);
    return -situ_error_code;
}

/* ---- fit and measure ----------------------------------------------------------------------------------------------- */

/* The default loss of a batch: .loss or cross entropy; also logs the accuracy if there are labels. */
static situ_tensor *usual(situ_fit *f, situ_trainer *t, const situ_batch *b)
{
    situ_site site = f->site;
    const situ_dataset *data = b->training ? f->train : f->held_out;
    if (b->inputs != 1 || b->fields == 1) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_fit: \"%s\" has %d inputs and %d targets; a " SITU_SAY(
                ".step", "step") " of yours calls the network with them and computes the loss",
            data->name, b->inputs, b->fields - b->inputs);
        return situ_poisoned();
    }
    situ_tensor *y = situ_module_call(f->net, b->field[0], .first = b->first, .of = b->of, .step = b->step), *target = b->field[1];
    if (t->o.loss) {
        SITU_SPEAK_NOT;
        return t->o.loss(y, target);
    }
    if (!data->classes && situ_dtype_is_float((situ_dtype)target->dtype)) {
        situ_fail(SITU_BAD_DTYPE, site,
            "situ_trainer_fit: the target \"%s\" holds numbers (%s), no labels; give the trainer a " SITU_SAY(
                ".loss, as one that returns situ_mse(prediction, target)", "loss, as situ.nn.mse"),
            data->field[1].name, situ_dtype_name((situ_dtype)target->dtype));
        return situ_poisoned();
    }
    if (!b->training) {
        (situ_trainer_log)(t, "accuracy", situ_accuracy(y, target), site);
        situ_report_confusion(f, y, target);
    }
    return situ_cross_entropy(y, target);
}

static int run(situ_trainer *t)
{
    situ_fit *f = t->fit;
    situ_batch b;
    int64_t rows;
    while ((rows = situ_trainer_next(t, &b)) > 0) {
        situ_tensor *loss = NULL;
        if (t->o.step) {
            SITU_SPEAK_NOT;
            loss = t->o.step(t, f->net, &b, t->o.self);
        } else loss = usual(f, t, &b);
        if (!loss && !situ_error_code)
            situ_fail(
                SITU_BAD_ARGUMENT, f->site, "situ_trainer_fit: the function .%s gave NULL for a loss", t->o.step ? "step" : "loss");
        if ((situ_error_code || (situ_trainer_give)(t, loss, f->site)) && !situ_survive(f)) break;
    }
    return -situ_error_code;
}

int(situ_trainer_fit)(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train,
    const situ_dataset *held_out, situ_site site)
{
    SITU_SPEAK("situ_trainer_fit", site);
    if (situ_error_code) return -situ_error_code;
    int rc = check(trainer, net, opt, train, held_out, site);
    if (!rc && trainer->fit) return (situ_trainer_begin)(trainer, net, opt, train, held_out, site);
    if (rc) return rc;
    situ_scope *scope = situ_scope_open();
    if (!begin(trainer, net, opt, train, held_out, site)) run(trainer);
    situ_trainer_end(trainer);
    situ_scope_close(scope);
    return -situ_error_code;
}

int situ_trainer_begin_measuring(situ_trainer *t, situ_module *net, const situ_dataset *data, const char *operation, situ_site site)
{
    if (situ_error_code || situ_ended(t, operation, "trainer", site) || situ_ended(net, operation, "network", site) ||
        situ_ended(data, operation, "data set", site))
        return -situ_error_code;
    if (!t || !net || !data || data->count < 1)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", operation,
            !t       ? "the trainer is NULL" :
                !net ? "the network is NULL" :
                       "there are no rows to measure on");
    return begin(t, net, NULL, NULL, data, site);
}

/* Measures; true on success. */
static bool measure(situ_trainer *t, situ_module *net, const situ_dataset *data, const char *operation, situ_site site)
{
    bool there = t && !situ_ended(t, operation, "trainer", site);
    situ_fit *before = there ? t->fit : NULL;
    situ_scope *scope = situ_scope_open();
    if (!situ_trainer_begin_measuring(t, net, data, operation, site)) run(t);
    if (there && t->fit != before) situ_trainer_end(t);
    situ_scope_close(scope);
    return !situ_error_code;
}

double(situ_trainer_measure)(situ_trainer *t, situ_module *net, const situ_dataset *data, situ_site site)
{
    SITU_SPEAK("situ_trainer_measure", site);
    return measure(t, net, data, "situ_trainer_measure", site) ? situ_trainer_value(t, "validation loss") : (double)NAN;
}

double(situ_trainer_evaluate)(situ_trainer *t, situ_module *net, const situ_dataset *data, situ_site site)
{
    SITU_SPEAK("situ_trainer_evaluate", site);
    if (!measure(t, net, data, "situ_trainer_evaluate", site)) return (double)NAN;
    double accuracy = situ_trainer_value(t, "validation accuracy");
    if (isnan(accuracy))
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_trainer_evaluate: the trainer's steps log no \"accuracy\"; " SITU_SAY(
                "situ_trainer_measure", "trainer.measure") " gives the mean loss");
    return accuracy;
}
