/* What happens around the steps of an epoch: reading the log, measuring, finding the best epoch, progress. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <situ/grad.h>

#include "base/memory.h"
#include "device/device.h"
#include "optim/optimizer.h"
#include "os/plain.h"
#include "os/wait.h"
#include "train/ranks.h"
#include "train/report.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum {
    EPOCH_POINTS = 200, /* most points of the training curve for one epoch */
    MOST_NANS = 20,     /* NaN losses in a row after which a training fails that skips such steps and halves the loss scale */
    MOST_LEFT_OUT = 50  /* skipped steps in a row after which a training fails, the last twenty of them with the least scale */
};
static const int64_t reading_pause = 1000000000; /* nanoseconds between two readings of the losses of a long epoch */

/* ---- progress ---------------------------------------------------------------------------------------------- */

static void time_went(situ_fit *f)
{
    situ_trainer *t = f->t;
    int64_t now = situ_now();
    situ_loader_times times = situ_loader_times_of(f->loader);
    t->seconds += 1e-9 * (double)(now - f->began);
    f->began = now;
    t->waited += times.waited - f->times.waited;
    t->copied += times.copied - f->times.copied;
    f->times = times;
}

/* Writes a line of progress: the position in the training and where the time went. */
static int note(situ_fit *f, const char *event)
{
    situ_trainer *t = f->t;
    situ_trainer_rates r = situ_trainer_rates_of(t);
    char text[256];
    if (*event)
        snprintf(text, sizeof text, "%s after step %lld, in epoch %d of %d", event, (long long)t->steps, t->epochs + 1, f->last);
    else if (f->batch < f->batches && f->phase == FIT_TRAIN)
        snprintf(text, sizeof text, "epoch %d of %d, step %lld of %lld", t->epochs + 1, f->last, (long long)f->batch,
            (long long)f->batches);
    else situ_plain_format(text, sizeof text, "epoch %d of %d, %.1f s, mean loss %.4g", t->epochs, f->last, t->seconds, t->loss);
    int rc = situ_board_note(t->board, text);
    if (rc || !t->o.progress) return rc;
    fprintf(t->o.progress, "%s", text);
    for (int i = 0; i < t->values && f->phase != FIT_TRAIN; i++)
        if (strcmp(t->value[i].name, "loss")) situ_plain_print(t->o.progress, ", %s %.4g", t->value[i].name, t->value[i].mean);
    situ_plain_print(t->o.progress, "; %.3g rows/s, %.3g steps/s; waited for data %.0f %%, copies %.0f %%, computing %.0f %%",
        r.rows, r.steps, 100 * r.waited, 100 * r.copied, 100 * r.computed);
    for (int i = 0; i < t->devices; i++) {
        situ_memory m;
        char device[32], now[24], peak[24];
        if (situ_memory_of(t->device[i], &m)) continue;
        fprintf(t->o.progress, "; %s has %s, had %s at most", situ_device_name(t->device[i], device),
            situ_bytes_text(m.in_use, now), situ_bytes_text(situ_fit_peak(f, i), peak));
    }
    fputc('\n', t->o.progress);
    fflush(t->o.progress);
    return 0;
}

/* ---- reading the log ---------------------------------------------------------------------------------------- */

/* Adds a point to each curve: the mean of enough batches that an epoch has at most EPOCH_POINTS, at the x of the last
 * of them. */
static int add_point(situ_fit *f, int64_t end)
{
    char name[SITU_LOG_NAME + 16];
    int rc = 0;
    for (int c = 0; c < f->log[0].columns && !rc; c++) {
        if (c && (c == f->log[0].norm || c == f->log[0].scale)) continue;
        snprintf(name, sizeof name, "train %s", f->log[0].name[c]);
        rc = situ_board_add(f->t->board, name, f->t->epochs + (double)end / (double)f->batches, f->point[c] / (double)f->points);
    }
    memset(f->point, 0, sizeof f->point);
    f->points = 0;
    return rc;
}

bool situ_fit_due(const situ_fit *f)
{
    const situ_trainer *t = f->t;
    if (t->o.nan) return true; /* values of a failed step are lost, so do not wait for them */
    bool shown = t->o.board || t->o.progress || t->report || t->live;
    return f->log[0].at == f->log[0].capacity || (shown && !t->o.log_every && situ_now() - f->read_at >= reading_pause);
}

/* An error if too many steps in a row were skipped: further ones would be skipped, too, at any loss scale. */
static int find_stuck(situ_fit *f)
{
    if (!f->opt || !f->opt->scale) return 0;
    int64_t steps = f->opt->steps, left_out = (situ_optimizer_left_out)(f->opt, f->site);
    f->stuck = left_out - f->left_out == steps - f->seen ? f->stuck + steps - f->seen : 0;
    f->seen = steps;
    f->left_out = left_out;
    if (situ_error_code || f->stuck < MOST_LEFT_OUT) return -situ_error_code;
    return situ_fail(SITU_NAN, f->site,
        "situ_trainer_fit: the last %lld steps changed nothing: their gradients were infinite or NaN, with the least scale of "
        "losses "
        "in the end; train with " SITU_SAY(
            ".precision = SITU_BF16", "precision=situ.bfloat16") " or f32, make inputs and first "
                                                                 "weights smaller, or let " SITU_SAY(".nan = true",
                                                                     "nan=True") " name the operation that made the first NaN",
        (long long)f->stuck);
}

/* Adds points for the batches after the last points, to the curves and to the report. */
static void add_rest(situ_fit *f, int64_t batch)
{
    if (f->points) add_point(f, batch);
    situ_report_rest(f);
}

/* Row i of the log is NaN and ends the training; the batches before it get points. */
static int end_at_nan(situ_fit *f, int64_t i, int64_t batch)
{
    add_rest(f, batch - 1);
    situ_report_row(f, i, batch);
    situ_report_rest(f);
    return situ_fail(SITU_NAN, f->site,
        "situ_trainer_fit: the loss of batch %lld of epoch %d is NaN; train anew with " SITU_SAY(
            ".nan = true", "nan=True") ", which names the operation that made the first one",
        (long long)batch, f->t->epochs + 1);
}

int situ_fit_read(situ_fit *f)
{
    situ_step_log *log = &f->log[0];
    int64_t each = (f->batches + EPOCH_POINTS - 1) / EPOCH_POINTS, first = f->batch - log->at;
    bool told = situ_fit_due(f); /* else the log is read only for the report, or at the end of the epoch */
    int rc = situ_log_read(log, f->site);
    for (int64_t i = 0; i < log->at && !rc; i++) {
        bool none = isnan(log->value[i * log->columns]);
        f->nans = none ? f->nans + 1 : 0;
        if (none && f->nans >= (f->opt && f->opt->first_scale > 0 ? MOST_NANS : 1)) {
            rc = end_at_nan(f, i, first + i + 1);
            break;
        }
        for (int c = 0; c < log->columns; c++) f->point[c] += (double)log->value[i * log->columns + c];
        if (++f->points == each) rc = add_point(f, first + i + 1);
        situ_report_row(f, i, first + i + 1);
    }
    log->at = 0;
    if (!rc) rc = find_stuck(f);
    f->read_at = situ_now();
    time_went(f);
    situ_report_read(f);
    if (!rc && told && f->batch < f->batches && !situ_fit_stops(f)) rc = note(f, "");
    return rc;
}

void situ_fit_read_rest(situ_fit *f)
{
    situ_error e = {0};
    if (!f->train || f->phase != FIT_TRAIN || !f->log[0].at || situ_group_size(f->t->o.group) > 1) return;
    if (situ_error_code) situ_error_take(&e);
    if (!situ_fit_read(f)) add_rest(f, f->batch);
    if (!e.code) return;
    situ_error_take(NULL);
    situ_fail_again(e.code, e.message);
}

int situ_fit_read_measured(situ_fit *f)
{
    int rc = situ_log_read(&f->log[1], f->site);
    f->log[1].at = 0;
    return rc;
}

/* ---- epochs ----------------------------------------------------------------------------------------------------- */

int situ_fit_epoch(situ_fit *f)
{
    f->phase = FIT_TRAIN;
    f->batch = f->points = 0;
    memset(f->point, 0, sizeof f->point);
    situ_log_begin(&f->log[0]);
    f->began = f->read_at = situ_now();
    int rc = situ_loader_start(f->loader, f->t->epochs);
    return rc ? rc : situ_module_set_training(f->net, true);
}

int situ_fit_go_on(situ_fit *f, int at)
{
    situ_trainer *t = f->t;
    bool late = at != 1 && t->epochs >= f->last,
         best = t->o.patience && t->best_epoch && t->epochs - t->best_epoch >= t->o.patience;
    if (at < 0) return at;
    if (at == 2 || late || (!at && best && t->epochs > f->first)) { /* the training was complete already */
        t->ended = at != 2 && !late ? "patience" : "epochs";
        return 0;
    }
    if (at != 1) return situ_fit_epoch(f);
    f->phase = FIT_TRAIN;
    f->log[0].at = 0;
    f->began = f->read_at = situ_now();
    return situ_module_set_training(f->net, true);
}

int situ_fit_measure(situ_fit *f)
{
    f->phase = FIT_MEASURE;
    f->measuring = true;
    f->was_training = situ_module_training(f->net);
    situ_module_set_training(f->net, false);
    f->no_grad = situ_no_grad(true);
    situ_log_begin(&f->log[1]);
    return situ_loader_start(f->held_loader, 0);
}

void situ_fit_leave_measuring(situ_fit *f)
{
    if (!f->measuring) return;
    f->measuring = false;
    situ_module_set_training(f->net, f->was_training);
    situ_no_grad(f->no_grad);
}

int situ_fit_call(situ_fit *f, situ_trainer_fn function)
{
    if (!function) return 0;
    SITU_SPEAK_NOT;
    int rc = function(f->t, f->t->o.self);
    if (rc > 0) f->t->asked = true;
    if (rc < 0 && !situ_error_code) situ_fail(SITU_BAD_ARGUMENT, f->site, "situ_trainer_fit: a callback gave %d", rc);
    return -situ_error_code;
}

static void set_values(situ_fit *f, int which)
{
    const situ_step_log *log = &f->log[which];
    for (int c = 0; c < log->columns; c++)
        situ_trainer_set_value(
            f->t, which ? "validation " : "", log->name[c], log->weight ? log->sum[c] / (double)log->weight : (double)NAN);
}

/* If this epoch is the best so far, keeps its weights. */
static int judge(situ_fit *f)
{
    situ_trainer *t = f->t;
    const char *name = situ_fit_monitor(f);
    if (!t->monitor && !t->o.patience && !t->o.keep_best && !f->keeper) return 0;
    bool known = false;
    for (int i = 0; i < t->values; i++) known |= !strcmp(t->value[i].name, name);
    if (!known)
        return situ_fail(SITU_BAD_OPTION, f->site,
            "situ_trainer_fit: " SITU_SAY(".monitor", "monitor") " = \"%s\", but nothing of that name is logged", name);
    double now = situ_trainer_value(t, name), gain = t->o.maximize ? now - t->best : t->best - now;
    if (!isnan(now) && (!t->best_epoch || gain > t->o.min_delta)) {
        t->best = now;
        t->best_epoch = t->epochs;
        return t->o.keep_best ? situ_weights_take(&f->best, f->net, f->site) : 0;
    }
    if (t->o.patience && t->epochs - t->best_epoch >= t->o.patience) {
        t->stop = true;
        t->ended = "patience";
    }
    return 0;
}

static int end_epoch(situ_fit *f)
{
    situ_trainer *t = f->t;
    char name[SITU_LOG_NAME + 16];
    int rc = 0;
    for (int c = 0; f->held_out && c < f->log[1].columns && !rc; c++) {
        snprintf(name, sizeof name, "validation %s", f->log[1].name[c]);
        rc = situ_board_add(t->board, name, t->epochs, situ_trainer_value(t, name));
    }
    if (!rc) rc = note(f, "");
    if (!rc) rc = judge(f);
    if (!rc) rc = situ_fit_call(f, t->o.on_epoch);
    f->phase = FIT_EPOCH;
    return rc || f->pauses ? rc : situ_fit_close_epoch(f);
}

int situ_fit_close_epoch(situ_fit *f)
{
    situ_trainer *t = f->t;
    f->phase = FIT_DONE;
    int rc = situ_survive_copy(f, true); /* without it .on_epoch would be called again after a loss of ranks */
    if (!rc) rc = situ_ranks_agree(f);
    bool stop = situ_fit_stops(f);
    if (stop && !*t->ended) t->ended = "stopped";
    if (!rc) rc = situ_keep_epoch(f);
    situ_report_epoch(f, stop || t->epochs == f->last);
    if (stop || rc) return rc;
    if (t->epochs < f->last) return situ_fit_epoch(f);
    t->ended = "epochs";
    return 0;
}

int situ_fit_trained(situ_fit *f)
{
    situ_trainer *t = f->t;
    int rc = situ_fit_read(f);
    bool stop = situ_fit_stops(f) && f->batch < f->batches;
    if (!rc && stop) rc = situ_keep_step(f);
    if (!rc && f->points) rc = add_point(f, f->batch);
    if (rc) return rc;
    set_values(f, 0);
    t->loss = situ_trainer_value(t, "loss");
    if (stop) { /* the training stops in the middle of an epoch */
        t->ended = "stopped";
        rc = note(f, t->ended);
        f->phase = FIT_DONE;
        return rc;
    }
    t->epochs++;
    f->phase = FIT_MEASURE;
    if (f->held_out) return situ_fit_measure(f);
    t->accuracy = t->validation_loss = NAN;
    return end_epoch(f);
}

int situ_fit_measured(situ_fit *f)
{
    situ_trainer *t = f->t;
    int rc = situ_fit_read_measured(f);
    situ_fit_leave_measuring(f);
    if (rc) return rc;
    set_values(f, 1);
    if (!f->train) {
        f->phase = FIT_DONE;
        return 0;
    }
    t->validation_loss = situ_trainer_value(t, "validation loss");
    t->accuracy = situ_trainer_value(t, "validation accuracy");
    return end_epoch(f);
}
