/* Training: batches cut into parts, one plan a step, a measurement and a point on the board every epoch. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include <situ/grad.h>

#include "base/memory.h"
#include "base/wait.h"
#include "nn/module.h"
#include "optim/optimizer.h"
#include "train/svg.h"
#include "train/trainer.h"
/* last */
#include "op/here.h"

enum {
    RESIDENT_BYTES = 256 << 20, /* sets up to this size lie on the device by default */
    EVALUATION_ROWS = 1000,
    EPOCH_POINTS = 200 /* of the training curve in an epoch at most */
};
static const int64_t reading_pause = 1000000000; /* nanoseconds between two readings of the losses of a long epoch */

int situ_trainer_cut(const situ_trainer *t, int64_t rows, situ_part *out, int most)
{
    int64_t size = t->o.deterministic ? SITU_SHARD_ROWS : (rows + t->devices - 1) / t->devices;
    int64_t parts = (rows + size - 1) / size;
    int n = 0;
    for (int64_t first = 0; first < rows && n < most; first += size, n++)
        out[n] = (situ_part){first, rows - first < size ? rows - first : size, (int)(n * (int64_t)t->devices / parts)};
    return n;
}

/* ---- one epoch ------------------------------------------------------------------------------------------------------------ */

typedef struct fit {
    situ_trainer *t;
    situ_module *net;
    situ_optimizer *opt;
    situ_loader *loader;
    situ_site site;
    situ_tensor *log;     /* a variable on the first device: the loss of each batch of this epoch */
    float *losses;        /* of log, as last read */
    int64_t batches;      /* of an epoch */
    int64_t batch, drawn; /* of this epoch: the next one, points on the board so far */
    int64_t read_at;      /* when the log was last read */
    int most;             /* parts of a batch at most */
    situ_part *part;
    situ_tensor **loss;
    double *weight;
    double lr;           /* of the optimizer, before the schedule */
    int64_t step, steps; /* done and in all, for the schedule */
} fit;

/* The losses of the parts of a batch, each on its device. */
static int losses(fit *f, int64_t rows, int n)
{
    for (int i = 0; i < n; i++) {
        const situ_part *p = &f->part[i];
        situ_site site = f->site;
        situ_tensor *x, *y;
        int rc = (situ_loader_part)(f->loader, f->t->device[p->device], p->first, p->rows, &x, &y, site);
        if (rc) return rc;
        situ_tensor *scores = situ_module_call(f->net, x, .first = p->first, .of = rows, .step = situ_optimizer_steps(f->opt));
        f->loss[i] = situ_cross_entropy(scores, y);
        f->weight[i] = (double)p->rows / (double)rows;
    }
    return situ_error_code ? -situ_error_code : 0;
}

bool (*situ_train_interrupted)(void);

static int interrupted(const char *operation, situ_site site)
{
    if (!situ_train_interrupted || !situ_train_interrupted()) return 0;
    return situ_fail(SITU_BAD_ARGUMENT, site, "%s: it was interrupted", operation);
}

static int train_batch(fit *f, int64_t rows)
{
    situ_site site = f->site;
    if (interrupted("situ_trainer_fit", site)) return -situ_error_code;
    int n = situ_trainer_cut(f->t, rows, f->part, f->most);
    int rc = losses(f, rows, n);
    const double *weight = n > 1 ? f->weight : NULL;
    if (rc) return rc;
    if (f->t->o.cosine) rc = situ_optimizer_set_lr(f->opt, f->lr * 0.5 * (1 + cos(M_PI * (double)f->step / (double)f->steps)));
    f->step++;
    if (!rc) rc = (situ_optimizer_step_n)(f->opt, TENSORS_OF(f->loss, n), weight, site);
    if (rc) return rc;
    situ_tensor *mean = (situ_mean_loss)(TENSORS_OF(f->loss, n), weight, site);
    return situ_assign_slice(f->log, situ_reshape(mean, SHAPE(1)), SHAPE(f->batch++));
}

/* Reads the log, which waits for the device, and draws the points that have come since. A point is the mean of as many
 * batches as leave EPOCH_POINTS in an epoch, at the place where the last of them ended. */
static int draw_losses(fit *f)
{
    situ_site site = f->site;
    int64_t each = (f->batches + EPOCH_POINTS - 1) / EPOCH_POINTS;
    int rc = situ_read(f->log, f->losses, (size_t)f->batches * sizeof *f->losses);
    for (; !rc && f->drawn * each < f->batch; f->drawn++) {
        int64_t first = f->drawn * each, end = first + each < f->batches ? first + each : f->batches;
        double sum = 0;
        if (end > f->batch) break;
        for (int64_t i = first; i < end; i++) sum += (double)f->losses[i];
        rc =
            situ_board_add(f->t->board, "train loss", f->t->epochs + (double)end / (double)f->batches, sum / (double)(end - first));
    }
    f->read_at = situ_now();
    return rc;
}

static int train_epoch(fit *f)
{
    int64_t rows, all = 0, last = 0;
    int rc = situ_loader_start(f->loader, f->t->epochs);
    if (!rc) rc = situ_module_set_training(f->net, true);
    f->batch = f->drawn = 0;
    f->read_at = situ_now();
    while (!rc && (rows = situ_loader_next(f->loader))) {
        if (rows < 0) return (int)rows;
        situ_scope *scope = situ_scope_open();
        rc = train_batch(f, rows);
        situ_scope_close(scope);
        if (!rc) rc = -situ_error_code;
        if (!rc && f->t->o.board && situ_now() - f->read_at >= reading_pause) rc = draw_losses(f);
        all += rows;
        last = rows;
    }
    if (!rc) rc = draw_losses(f);
    if (rc) return rc;
    double sum = 0, each = f->batches > 1 ? (double)(all - last) / (double)(f->batches - 1) : 0; /* only the last batch is short */
    for (int64_t i = 0; i < f->batches; i++) sum += (double)f->losses[i] * (i < f->batches - 1 ? each : (double)last);
    f->t->loss = sum / (double)(all ? all : 1);
    return -situ_error_code;
}

/* ---- measuring ------------------------------------------------------------------------------------------------------------ */

typedef struct measurement {
    double accuracy, loss;
} measurement;

/* Shares and means over all rows; both sums stay on the device until the end. */
static measurement measure_rows(situ_trainer *t, situ_module *net, const situ_dataset *data, situ_site site)
{
    measurement m = {(double)NAN, (double)NAN};
    situ_loader *loader = situ_loader_new(data, .batch = EVALUATION_ROWS, .device = t->device[0]);
    situ_scope *outer = situ_scope_open();
    situ_tensor *right = situ_keep(situ_zeros(SHAPE(), .dtype = SITU_I64, .device = t->device[0]));
    situ_tensor *loss = situ_keep(situ_zeros(SHAPE(), .device = t->device[0]));
    int64_t rows;
    while (loader && (rows = situ_loader_next(loader)) > 0 && !interrupted("situ_trainer_evaluate", site)) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x, *y;
        (situ_loader_batch)(loader, &x, &y, site);
        situ_tensor *scores = situ_module_call(net, x);
        situ_tensor *hits = situ_cast(situ_equal(situ_argmax(scores, .axis = -1), y), SITU_I64);
        situ_tensor *rights = situ_keep(situ_add(right, situ_sum(hits)));
        situ_tensor *losses = situ_keep(situ_add(loss, situ_mul(situ_cross_entropy(scores, y), (double)rows)));
        situ_scope_close(scope);
        situ_release(right);
        situ_release(loss);
        right = rights;
        loss = losses;
    }
    if (!situ_error_code) m.accuracy = (double)situ_item_int(right) / (double)situ_dataset_count(data);
    if (!situ_error_code) m.loss = situ_item(loss) / (double)situ_dataset_count(data);
    situ_release(right);
    situ_release(loss);
    situ_scope_close(outer);
    situ_loader_free(loader);
    return m;
}

static measurement measure(situ_trainer *t, situ_module *net, const situ_dataset *data, situ_site site)
{
    bool training = situ_module_training(net), no_grad = situ_no_grad(true);
    situ_module_set_training(net, false);
    measurement m = measure_rows(t, net, data, site);
    situ_module_set_training(net, training);
    situ_no_grad(no_grad);
    return m;
}

double(situ_trainer_evaluate)(situ_trainer *t, situ_module *net, const situ_dataset *data, situ_site site)
{
    SITU_SPEAK("situ_trainer_evaluate", site);
    if (situ_error_code) return (double)NAN;
    if (situ_ended(t, "situ_trainer_evaluate", "trainer", site) || situ_ended(net, "situ_trainer_evaluate", "network", site) ||
        situ_ended(data, "situ_trainer_evaluate", "data set", site))
        return (double)NAN;
    if (!t || !net || !data || !situ_dataset_count(data)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_evaluate: %s",
            !t       ? "the trainer is NULL" :
                !net ? "the network is NULL" :
                       "there are no rows to measure on");
        return (double)NAN;
    }
    double accuracy = measure(t, net, data, site).accuracy;
    return situ_error_code ? (double)NAN : accuracy;
}

/* ---- the board ------------------------------------------------------------------------------------------------------------ */

static int report(fit *f, const situ_dataset *held_out, int last)
{
    situ_trainer *t = f->t;
    char note[160];
    int rc = held_out ? situ_board_add(t->board, "validation loss", t->epochs, t->validation_loss) : 0;
    if (!rc && held_out) rc = situ_board_add(t->board, "validation accuracy", t->epochs, t->accuracy);
    snprintf(note, sizeof note, "epoch %d of %d, %.1f s, mean loss %.4g", t->epochs, last, t->seconds, t->loss);
    return rc ? rc : situ_board_note(t->board, note);
}

static int draw(situ_trainer *t, const char *title)
{
    const situ_series *series;
    if (!t->plot) return 0;
    int n = situ_board_series(t->board, &series);
    return situ_svg_curves(t->plot, title, "epoch", n, series);
}

/* ---- all epochs ------------------------------------------------------------------------------------------------------------ */

static int fit_open(fit *f, const situ_dataset *train)
{
    situ_site site = f->site;
    situ_trainer *t = f->t;
    int64_t batch = t->o.batch < situ_dataset_count(train) ? t->o.batch : situ_dataset_count(train);
    int64_t bytes = situ_dataset_count(train) * 4;
    situ_shape shape = situ_dataset_shape(train);
    if (t->plot && situ_svg_check(t->plot)) return -situ_error_code;
    for (int i = 1; i < shape.ndim; i++) bytes *= shape.dim[i];
    f->loader = situ_loader_new(train, .batch = t->o.batch, .shuffle = true, .key = t->o.key, .device = t->device[0],
        .resident = t->o.resident < 0 ? bytes <= RESIDENT_BYTES : t->o.resident > 0);
    if (!f->loader) return -situ_error_code;
    f->most = (int)(batch / SITU_SHARD_ROWS) + 1 + t->devices;
    f->part = situ_malloc((size_t)f->most * (sizeof *f->part + sizeof *f->loss + sizeof *f->weight));
    f->batches = situ_loader_batches(f->loader);
    f->losses = situ_malloc((size_t)f->batches * sizeof *f->losses);
    if (!f->part || !f->losses) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: out of host memory");
    f->weight = (double *)(void *)(f->part + f->most);
    f->loss = (situ_tensor **)(f->weight + f->most);
    f->log = situ_variable(situ_zeros(SHAPE(f->batches), .device = t->device[0]), .trainable = false, .name = "losses");
    f->lr = situ_optimizer_lr(f->opt);
    f->steps = f->batches * t->o.max_epochs;
    if (t->o.clip_norm > 0) situ_optimizer_set_clip_norm(f->opt, t->o.clip_norm);
    return situ_error_code ? -situ_error_code : situ_trainer_prepare_model(t, f->net);
}

static int fit_epochs(fit *f, const situ_dataset *held_out)
{
    situ_trainer *t = f->t;
    int last = t->epochs + t->o.max_epochs, rc = 0;
    while (t->epochs < last && !rc) {
        int64_t start = situ_now();
        situ_scope *scope = situ_scope_open();
        rc = train_epoch(f);
        situ_scope_close(scope);
        if (rc) break;
        t->seconds += 1e-9 * (double)(situ_now() - start);
        t->epochs++;
        measurement m = held_out ? measure(t, f->net, held_out, f->site) : (measurement){(double)NAN, (double)NAN};
        t->accuracy = m.accuracy;
        t->validation_loss = m.loss;
        rc = situ_error_code ? -situ_error_code : report(f, held_out, last);
    }
    return rc;
}

int(situ_trainer_fit)(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train,
    const situ_dataset *held_out, situ_site site)
{
    SITU_SPEAK("situ_trainer_fit", site);
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(trainer, "situ_trainer_fit", "trainer", site) || situ_ended(net, "situ_trainer_fit", "network", site) ||
        situ_ended(opt, "situ_trainer_fit", "optimizer", site) || situ_ended(train, "situ_trainer_fit", "data set", site) ||
        situ_ended(held_out, "situ_trainer_fit", "data set", site))
        return -situ_error_code;
    if (!trainer || !net || !opt || !train)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_fit: the %s is NULL",
            !trainer ? "trainer" :
                !net ? "network" :
                !opt ? "optimizer" :
                       "training data");
    if (situ_module_root(opt->net) != situ_module_root(net))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_trainer_fit: the optimizer was made for another network; make one for this network");
    if (!situ_dataset_count(train)) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_fit: there are no rows to train on");
    fit f = {.t = trainer, .net = net, .opt = opt, .site = site};
    const char *title = trainer->title ? trainer->title : situ_dataset_name(train);
    int rc = 0;
    if (!trainer->board && !(trainer->board = situ_board_open(trainer->o.board, title, trainer->o.xlim))) rc = -situ_error_code;
    if (!rc) rc = fit_open(&f, train);
    if (!rc) rc = fit_epochs(&f, held_out && situ_dataset_count(held_out) ? held_out : NULL);
    if (!rc) rc = draw(trainer, title);
    situ_module_set_training(net, false);
    if (f.loader) situ_optimizer_set_lr(opt, f.lr);
    situ_release(f.log);
    situ_free(f.losses);
    situ_free(f.part);
    situ_loader_free(f.loader);
    return rc;
}
