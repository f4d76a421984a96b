/* The trainer's checkpoints: a thread writes them into a folder while the training goes on. Values are borrowed, not
 * copied: as long as they are, a step writes its new values to other memory. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/thread.h"
#include "data/dataset.h"
#include "file/network.h"
#include "optim/optimizer.h"
#include "os/file.h"
#include "os/plain.h"
#include "os/process.h"
#include "os/wait.h"
#include "train/checkpoint.h"
#include "train/ranks.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { PATH = 4096, DATA_TEXT = 1024, DIFFERENCES = 2000 };
#define FUNCTION "situ_trainer_fit"
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

struct situ_keeper {
    const char *folder;
    int lock; /* descriptor of the folder, locked against other trainings; -1: rank 0 has it, and writes */
    int keep;
    situ_site site;
    situ_status state;                 /* state of the checkpoint that is being written */
    bool writing, threaded, best, due; /* best: it also becomes best.safetensors; due: write one when the epoch ends */
    int64_t step;                      /* step of the checkpoint that is being written */
    situ_thread_id thread;
    int forks;
    bool failed; /* did the last one fail? */
    situ_error error;
};

/* The numbers that a training needs to continue: fields of the fit and of its trainer. */
static const situ_status_row fit_rows[] = {
    {"situ.trainer.batch", SITU_STATUS_INT64, offsetof(situ_fit, batch), 0},
    {"situ.trainer.points", SITU_STATUS_INT64, offsetof(situ_fit, points), 0},
    {"situ.trainer.step", SITU_STATUS_INT64, offsetof(situ_fit, step), 0},
    {"situ.trainer.lr", SITU_STATUS_DOUBLE, offsetof(situ_fit, lr), 0},
    {"situ.trainer.first", SITU_STATUS_INT, offsetof(situ_fit, first), 0},
    {"situ.trainer.weight", SITU_STATUS_INT64, offsetof(situ_fit, log[0].weight), 0},
};
static const situ_status_row trainer_rows[] = {
    {"situ.trainer.epochs", SITU_STATUS_INT, offsetof(situ_trainer, epochs), 0},
    {"situ.trainer.steps", SITU_STATUS_INT64, offsetof(situ_trainer, steps), 0},
    {"situ.trainer.rows", SITU_STATUS_INT64, offsetof(situ_trainer, rows), 0},
    {"situ.trainer.waited", SITU_STATUS_INT64, offsetof(situ_trainer, waited), 0},
    {"situ.trainer.copied", SITU_STATUS_INT64, offsetof(situ_trainer, copied), 0},
    {"situ.trainer.seconds", SITU_STATUS_DOUBLE, offsetof(situ_trainer, seconds), 0},
    {"situ.trainer.loss", SITU_STATUS_DOUBLE, offsetof(situ_trainer, loss), 0},
    {"situ.trainer.validation_loss", SITU_STATUS_DOUBLE, offsetof(situ_trainer, validation_loss), 0},
    {"situ.trainer.accuracy", SITU_STATUS_DOUBLE, offsetof(situ_trainer, accuracy), 0},
    {"situ.trainer.best", SITU_STATUS_DOUBLE, offsetof(situ_trainer, best), 0},
    {"situ.trainer.best_epoch", SITU_STATUS_INT, offsetof(situ_trainer, best_epoch), 0},
};
/* Options that must be the same to continue a training, besides those of its loader. */
static const situ_status_row option_rows[] = {
    {"situ.options.accumulate", SITU_STATUS_INT, offsetof(situ_trainer_options, accumulate), 1},
    {"situ.options.deterministic", SITU_STATUS_BOOL, offsetof(situ_trainer_options, deterministic), 0},
    {"situ.options.cosine", SITU_STATUS_BOOL, offsetof(situ_trainer_options, cosine), 0},
    {"situ.options.clip_norm", SITU_STATUS_DOUBLE, offsetof(situ_trainer_options, clip_norm), 0},
};
/* Options that decide which epoch is the best. The best weights are in the file if they were kept. */
static const situ_status_row best_rows[] = {
    {"situ.options.maximize", SITU_STATUS_BOOL, offsetof(situ_trainer_options, maximize), 0},
    {"situ.options.keep_best", SITU_STATUS_BOOL, offsetof(situ_trainer_options, keep_best), 0},
};
static const situ_status_row fits_row = {"situ.trainer.fits", SITU_STATUS_INT, offsetof(situ_trainer, fits), 1};

/* ---- the folder ----------------------------------------------------------------------------------------------------------------
 */

/* Step number in a name such as "step-000000000012.safetensors", -1 for other names; *end: the text after the digits. */
static int64_t step_of(const char *name, const char **end)
{
    static const char front[] = "step-", back[] = ".safetensors";
    if (strncmp(name, front, 5) || strspn(name + 5, "0123456789") != 12 || strncmp(name + 17, back, sizeof back - 1)) return -1;
    *end = name + 17 + sizeof back - 1;
    return strtoll(name + 5, NULL, 10);
}

static void name_of(char *text, size_t size, const char *folder, int64_t step)
{
    if (step < 0) snprintf(text, size, "%s/best.safetensors", folder);
    else snprintf(text, size, "%s/step-%012lld.safetensors", folder, (long long)step);
}

/* Is this a partial file of a killed process? Its name ends in ".PID.NUMBER". */
static bool is_left(const char *name)
{
    static const char best[] = "best.safetensors";
    const char *end = name + sizeof best - 1;
    if (strncmp(name, best, sizeof best - 1) && step_of(name, &end) < 0) return false;
    char *after;
    long process = *end == '.' ? strtol(end + 1, &after, 10) : 0;
    return process > 0 && *after == '.' && (process == situ_process_id() || !situ_process_runs(process));
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the step of the newest checkpoint, -1: none; *before: the one before it. With keep 0 it removes partial
 * files, else all but the last `keep` checkpoints. */
static int64_t tidy(const char *folder, int keep, int64_t *before)
{
    char path[PATH + 300];
    const char *end;
    int64_t *step = NULL, n = 0, capacity = 0, newest = -1;
    situ_folder *d = situ_folder_open(folder);
    for (const char *name; d && (name = situ_folder_next(d));) {
        int64_t one = step_of(name, &end);
        if (one >= 0 && !*end) {
            if (one > newest) newest = one;
            int64_t *grown = n < capacity ? step : situ_realloc(step, (size_t)(capacity = 2 * capacity + 16) * sizeof *step);
            if (!grown) break; /* out of memory: the other files are left in the folder */
            step = grown;
            step[n++] = one;
        } else if (!keep && is_left(name) && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) {
            situ_file_remove(path);
        }
    }
    if (d) situ_folder_close(d);
    if (n) qsort(step, (size_t)n, sizeof *step, ascending);
    if (before) *before = n > 1 ? step[n - 2] : -1;
    for (int64_t i = 0; keep && i + keep < n; i++) {
        name_of(path, sizeof path, folder, step[i]);
        situ_file_remove(path);
    }
    situ_free(step);
    return newest;
}

/* The lock of the folder, which is made if it is not there; or a negative code. */
static int make_folder(const char *folder, situ_site site)
{
    int code = situ_folder_make(folder, false), lock;
    if (code && code != EEXIST)
        return situ_fail(
            SITU_IO, site, FUNCTION ": cannot make the folder \"%s\" for checkpoints: %s", folder, situ_file_why(code));
    if ((lock = situ_folder_lock(folder)) >= 0) return lock;
    if (lock == SITU_LOCK_BUSY)
        return situ_fail(SITU_IO, site, FUNCTION ": another training writes its checkpoints into %s", folder);
    return situ_fail(
        SITU_IO, site, FUNCTION ": cannot write into the folder \"%s\" for checkpoints: %s", folder, situ_file_why(errno));
}

/* ---- writing ----------------------------------------------------------------------------------------------------------------- */

/* Opens a checkpoint in the folder, if it is a regular file; opening a pipe would block. */
static situ_archive *open_found(const char *path, situ_site site)
{
    if (situ_file_inspect(path, NULL) <= SITU_FILE_REGULAR) return situ_archive_open(path);
    situ_fail(SITU_IO, NULL, "%s is no regular file; take it out of the folder", path);
    return NULL;
}

static int copy_file(const char *path, const char *to)
{
    situ_file f;
    char block[8192];
    FILE *in = situ_file_open(path), *out = in ? situ_file_begin(&f, to, false) : NULL;
    size_t n = 0;
    bool good = out != NULL;
    while (good && (n = fread(block, 1, sizeof block, in))) good = fwrite(block, 1, n, out) == n;
    good = good && !ferror(in);
    if (in) fclose(in);
    return out ? situ_file_end(&f, good) : errno;
}

/* Gives the file a second name, "best", by a hard link, or by a copy if the file system has no hard links. 0 or an
 * errno. */
static int name_best(const char *path, const char *best)
{
    char part[PATH + 100];
    snprintf(part, sizeof part, "%s.%lld.0", best, (long long)situ_process_id());
    /* If both are links to one file, rename does nothing and leaves the other name. */
    if (!situ_file_link(path, part) && !rename(part, best)) return situ_file_remove(part), 0;
    situ_file_remove(part);
    return copy_file(path, best);
}

static void *write_out(void *argument)
{
    situ_keeper *k = argument;
    situ_status *s = &k->state;
    char path[PATH + 64], best[PATH + 64];
    name_of(path, sizeof path, k->folder, k->step);
    name_of(best, sizeof best, k->folder, -1);
    int rc = situ_file_write(path, s->tensor, s->tensors, s->about, s->abouts, SITU_REASON_CHECKPOINT, FUNCTION, k->site);
    int code = !rc && k->best ? name_best(path, best) : 0;
    if (code) rc = situ_fail(SITU_IO, k->site, "%s: %s: %s", FUNCTION, best, situ_file_why(code));
    k->failed = rc != 0;
    if (rc) situ_error_take(&k->error);
    else tidy(k->folder, k->keep, NULL);
    situ_file_give_back(s->tensor, s->tensors);
    return NULL;
}

int situ_keep_note(situ_fit *f, const char *text)
{
    if (f->t->o.progress) {
        fprintf(f->t->o.progress, "%s\n", text);
        fflush(f->t->o.progress);
    }
    return situ_board_note(f->t->board, text);
}

/* Waits for the previous checkpoint, and writes a line of .progress if it could not be written. */
static int settle(situ_fit *f)
{
    situ_keeper *k = f->keeper;
    if (!k->writing) return 0;
    if (k->threaded && k->forks == situ_forks) situ_thread_join(k->thread);
    k->writing = k->threaded = false;
    situ_status_close(&k->state);
    return k->failed ? situ_keep_note(f, k->error.message) : 0;
}

/* ---- contents of a checkpoint ---------------------------------------------------------------------------------------------------
 */

static void gather_log(situ_status *s, const situ_fit *f)
{
    const situ_step_log *log = &f->log[0];
    char text[17];
    situ_status_integer(s, "situ.log.columns", log->columns);
    situ_status_integer(s, "situ.log.norm", log->norm);
    if (log->scale) situ_status_integer(s, "situ.log.scale", log->scale);
    for (int i = 0; i < log->columns; i++) {
        situ_status_text(s, log->name[i], "situ.log.%d.name", i);
        situ_status_digits(log->sum[i], text);
        situ_status_text(s, text, "situ.log.%d.sum", i);
        situ_status_digits(f->point[i], text);
        situ_status_text(s, text, "situ.log.%d.point", i);
    }
    situ_status_integer(s, "situ.trainer.values", f->t->values);
    for (int i = 0; i < f->t->values; i++) {
        situ_status_digits(f->t->value[i].mean, text);
        situ_status_text(s, text, "situ.trainer.value.%d", i);
        situ_status_text(s, f->t->value[i].name, "situ.trainer.value.%d.name", i);
    }
}

static void gather_curves(situ_status *s, const situ_fit *f)
{
    situ_site site = f->site;
    const situ_series *curve;
    int n = situ_board_series(f->t->board, &curve);
    for (int i = 0; i < n && !s->rc; i++) {
        int64_t count = curve[i].count;
        situ_tensor *x = situ_from_host(curve[i].x, SHAPE(count), .dtype = SITU_F64, .device = situ_cpu());
        situ_tensor *y = situ_from_host(curve[i].y, SHAPE(count), .dtype = SITU_F64, .device = situ_cpu());
        situ_status_tensor(s, situ_stack(TENSORS(x, y)), "situ/curve/%d/%s", i, curve[i].name);
    }
}

static void describe_held_out(const situ_fit *f, char *text, size_t size)
{
    if (f->held_out) situ_dataset_describe(f->held_out, text, size);
    else snprintf(text, size, "none");
}

void situ_keep_gather(situ_status *s, situ_fit *f, bool whole, bool before)
{
    char text[DATA_TEXT];
    const situ_module *root = situ_module_root(f->net);
    situ_checkpoint_gather(s, f->net, f->opt, f->loader, before);
    situ_status_rows(s, fit_rows, COUNT(fit_rows), f);
    situ_status_rows(s, trainer_rows, COUNT(trainer_rows), f->t);
    situ_status_rows(s, &fits_row, 1, f->t);
    situ_status_rows(s, option_rows, COUNT(option_rows), &f->t->o);
    situ_status_rows(s, best_rows, COUNT(best_rows), &f->t->o);
    situ_status_text(s, situ_fit_monitor(f), "situ.options.monitor");
    situ_status_integer(s, "situ.trainer.whole", whole);
    describe_held_out(f, text, sizeof text);
    situ_status_text(s, text, "situ.held_out");
    gather_log(s, f);
    for (int i = 0; i < f->best.count && i < root->total; i++)
        if (f->best.value[i]) situ_status_tensor(s, f->best.value[i], "situ/best/0/%s", root->all[i]->path);
}

/* Borrows the present state and starts a thread that writes it. */
static int take(situ_fit *f, bool whole)
{
    situ_keeper *k = f->keeper;
    situ_status *s = &k->state;
    int rc = settle(f);
    if (rc || k->lock < 0) return rc;
    situ_scope *scope = situ_scope_open();
    situ_status_open(s, FUNCTION, k->site);
    situ_keep_gather(s, f, whole, false);
    gather_curves(s, f);
    rc = s->rc ? s->rc : situ_file_compute(s->tensor, s->tensors, FUNCTION, k->site);
    if (!rc) rc = situ_file_borrow(s->tensor, s->tensors, k->site);
    situ_scope_close(scope);
    if (rc || situ_error_code) {
        situ_status_close(s);
        return rc ? rc : -situ_error_code;
    }
    k->step = f->t->steps;
    k->best = whole && f->t->best_epoch == f->t->epochs;
    k->writing = true;
    k->failed = false;
    k->forks = situ_forks;
    k->threaded = !situ_thread_start(&k->thread, write_out, k, "situ-checkpoint");
    if (!k->threaded) write_out(k);
    return 0;
}

bool situ_keep_due(situ_fit *f)
{
    const situ_trainer *t = f->t;
    if (!f->keeper || !t->o.checkpoint_every || t->steps % t->o.checkpoint_every) return false;
    if (f->batch < f->batches) return !situ_fit_stops(f);
    f->keeper->due = true; /* written when the epoch has been measured */
    return false;
}

int situ_keep_step(situ_fit *f) { return f->keeper ? take(f, false) : 0; }

int situ_keep_epoch(situ_fit *f)
{
    const situ_trainer *t = f->t;
    if (!f->keeper) return 0;
    bool best = t->best_epoch == t->epochs, last = situ_fit_stops(f) || t->epochs == f->last;
    bool due = f->keeper->due || !t->o.checkpoint_every;
    f->keeper->due = false;
    return due || best || last ? take(f, true) : 0;
}

int situ_keep_take_over(situ_fit *f)
{
    if (!f->keeper || f->keeper->lock >= 0 || situ_group_rank(f->t->o.group)) return 0;
    int lock = make_folder(f->keeper->folder, f->site);
    f->keeper->lock = lock < 0 ? -1 : lock;
    return lock < 0 ? lock : 0;
}

void situ_keep_free(situ_fit *f)
{
    if (!f->keeper) return;
    settle(f);
    if (f->keeper->lock >= 0) situ_file_unlock(f->keeper->lock, f->keeper->forks == situ_forks);
    situ_free(f->keeper);
    f->keeper = NULL;
}

void situ_keep_end(situ_fit *f)
{
    situ_keeper *k = f->keeper;
    if (!k) return;
    settle(f);
    if (k->failed) situ_fail_again(k->error.code, k->error.message);
    if (!situ_error_code && !f->copies) situ_ranks_agree(f); /* all ranks end together, after the last checkpoint is complete */
}

/* ---- resuming ------------------------------------------------------------------------------------------------------------------
 */

static const char *text_at(const situ_archive *a, const char *format, int i)
{
    char key[60];
    const char *value;
    snprintf(key, sizeof key, format, i);
    return situ_status_get(a, key, &value) ? NULL : value;
}

static int number_at(const situ_archive *a, const char *format, int i, double *value)
{
    const char *text = text_at(a, format, i);
    if (text && !situ_status_value(text, value)) situ_fail(SITU_BAD_FORMAT, NULL, "%s: a sum is no number", a->path);
    return -situ_error_code;
}

static int give_log(const situ_archive *a, situ_fit *f)
{
    situ_step_log *log = &f->log[0];
    struct counts {
        int columns, norm, values;
    } n;
    const situ_status_row rows[] = {{"situ.log.columns", SITU_STATUS_INT, offsetof(struct counts, columns), 1},
        {"situ.log.norm", SITU_STATUS_INT, offsetof(struct counts, norm), 0},
        {"situ.trainer.values", SITU_STATUS_INT, offsetof(struct counts, values), 0}};
    int rc = situ_status_get_rows(a, rows, COUNT(rows), &n);
    if (rc) return rc;
    if (n.columns > SITU_LOGS || n.norm >= n.columns || n.values > SITU_VALUES)
        return situ_fail(SITU_BAD_FORMAT, NULL, "%s: more is logged than there can be", a->path);
    for (int i = 0; i < n.columns && !rc; i++) {
        const char *name = text_at(a, "situ.log.%d.name", i);
        if (!name || number_at(a, "situ.log.%d.sum", i, &log->sum[i]) || number_at(a, "situ.log.%d.point", i, &f->point[i]))
            return -situ_error_code;
        snprintf(log->name[i], sizeof log->name[i], "%s", name);
    }
    const char *scale =
        situ_archive_metadata(a, "situ.log.scale"); /* the columns of norm and scale, for the report, come after all others */
    log->columns = n.columns - (f->t->report ? 0 : (n.norm > 0) + (scale != NULL));
    log->norm = f->t->report ? n.norm : 0;
    log->scale = f->t->report && scale && n.norm ? n.norm + 1 : 0;
    if (log->columns < 1 || log->scale >= n.columns)
        return situ_fail(SITU_BAD_FORMAT, NULL, "%s: the logged values make no sense", a->path);
    for (int i = 0; i < n.values; i++) {
        double mean;
        const char *name = text_at(a, "situ.trainer.value.%d.name", i);
        if (!name || number_at(a, "situ.trainer.value.%d", i, &mean)) return -situ_error_code;
        situ_trainer_set_value(f->t, "", name, mean);
    }
    return 0;
}

static int give_curve(const situ_archive *a, int64_t i, const char *name, situ_fit *f)
{
    const situ_entry *e = &a->entry[i];
    int64_t n = e->shape.ndim == 2 && e->shape.dim[0] == 2 && e->dtype == SITU_F64 ? e->shape.dim[1] : -1;
    if (n < 0) return situ_fail(SITU_BAD_FORMAT, NULL, "%s: the curve \"%.40s\" is none", a->path, name);
    int rc = 0;
    for (int64_t k = 0; k < n && !rc; k++) {
        double point[2];
        situ_little_numbers(&point[0], e->data + 8 * k, 8, 8);
        situ_little_numbers(&point[1], e->data + 8 * (n + k), 8, 8);
        rc = situ_board_add(f->t->board, name, point[0], point[1]);
    }
    return rc;
}

static int give_best(const situ_archive *a, int64_t i, const char *path, situ_fit *f)
{
    situ_site site = f->site;
    situ_module *root = situ_module_root(f->net);
    if (!f->t->o.keep_best) return 0;
    if (!f->best.value) f->best.value = situ_calloc((size_t)root->total + 1, sizeof(situ_tensor *));
    if (!f->best.value) return situ_fail(SITU_NO_MEMORY, site, FUNCTION ": no host memory for the best weights");
    f->best.count = root->total;
    for (int k = 0; k < root->total; k++)
        if (!strcmp(root->all[k]->path, path) && !f->best.value[k])
            f->best.value[k] = situ_keep(situ_archive_tensor(a, i, SITU_DTYPE_DEFAULT, root->device[0], true, site));
    return -situ_error_code;
}

static int give_tensors(const situ_archive *a, situ_fit *f)
{
    static const char *const front[2] = {"situ/curve/", "situ/best/"};
    int rc = 0;
    for (int64_t i = 0; i < a->entries && !rc; i++)
        for (int k = 0; k < 2 && !rc; k++) {
            const char *name = a->entry[i].name, *slash;
            if (strncmp(name, front[k], strlen(front[k])) || !(slash = strchr(name + strlen(front[k]), '/'))) continue;
            rc = k ? give_best(a, i, slash + 1, f) : give_curve(a, i, slash + 1, f);
        }
    return rc;
}

/* Loads everything that can fail first, all or nothing, then the rest. */
static int give_all(situ_archive *a, situ_fit *f, bool *whole)
{
    int rc = situ_status_get_rows(a, &(situ_status_row){"situ.trainer.whole", SITU_STATUS_BOOL, 0, 0}, 1, whole);
    if (!rc) rc = situ_status_get_rows(a, fit_rows, COUNT(fit_rows), f);
    if (!rc) rc = situ_status_get_rows(a, trainer_rows, COUNT(trainer_rows), f->t);
    if (!rc) rc = give_log(a, f);
    if (!rc) rc = give_tensors(a, f);
    return rc ? rc : situ_checkpoint_give(a, f->net, f->opt, f->loader, FUNCTION, f->site);
}

int situ_keep_give(situ_archive *a, situ_fit *f)
{
    struct before {
        situ_fit fit;
        situ_trainer trainer;
    } *before = situ_malloc(sizeof *before);
    if (!before) return situ_fail(SITU_NO_MEMORY, f->site, FUNCTION ": out of host memory");
    bool whole = false;
    situ_scope *scope = situ_scope_open();
    memcpy(&before->fit, f, sizeof *f);
    memcpy(&before->trainer, f->t, sizeof *f->t);
    int rc = give_all(a, f, &whole);
    situ_scope_close(scope);
    if (!rc) rc = -situ_error_code;
    if (rc) { /* a resumed training starts without best weights and curves */
        situ_weights_free(&f->best);
        situ_board_clear(f->t->board);
        memcpy(f->t, &before->trainer, sizeof *f->t);
        memcpy(f, &before->fit, sizeof *f);
    }
    situ_free(before);
    f->last = f->first + f->t->o.max_epochs;
    return rc ? rc : !whole;
}

/* The newest checkpoint cannot be read: adds a hint how to continue from the one before it. */
static int explain(situ_fit *f, int64_t before)
{
    situ_error e;
    char path[PATH + 64], text[sizeof e.message + 80];
    situ_site site = f->site;
    situ_error_take(&e);
    if (f->keeper->lock < 0) {
        snprintf(text, sizeof text, "%s; every rank reads it: the folder is one that all of them see", e.message);
        return situ_fail_again(e.code, text);
    }
    name_of(path, sizeof path, f->t->checkpoint, before);
    situ_archive *a = before < 0 ? NULL : open_found(path, site);
    if (situ_error_code) situ_error_take(NULL);
    snprintf(text, sizeof text, "%s; delete it: that of step %lld before it is whole", e.message, (long long)before);
    situ_fail_again(e.code, a ? text : e.message);
    if (a) situ_archive_done(a);
    return -situ_error_code;
}

static int resume(situ_fit *f, const char *path, int64_t before)
{
    char text[DIFFERENCES] = "", here[DATA_TEXT];
    int fits = 0;
    situ_trainer *t = f->t;
    situ_site site = f->site;
    double lr = f->lr;
    situ_archive *a = open_found(path, site);
    if (!a) return explain(f, before);
    int rc = situ_status_get_rows(a, &(situ_status_row){fits_row.key, SITU_STATUS_INT, 0, 1}, 1, &fits);
    if (!rc && fits > t->fits) {
        situ_archive_done(a);
        return 2;
    }
    describe_held_out(f, here, sizeof here);
    if (!rc) rc = situ_status_same_rows(a, option_rows, COUNT(option_rows), &t->o, text, sizeof text);
    if (!rc) rc = situ_status_same_rows(a, best_rows, t->o.keep_best ? 2 : 1, &t->o, text, sizeof text);
    if (!rc) rc = situ_status_same(a, "situ.options.monitor", "monitor", situ_fit_monitor(f), text, sizeof text);
    if (!rc) rc = situ_status_same(a, "situ.held_out", "what is held out", here, text, sizeof text);
    if (!rc) rc = situ_checkpoint_check(a, f->net, f->opt, f->loader, text, sizeof text, FUNCTION, f->site);
    if (!rc) rc = situ_keep_give(a, f);
    situ_archive_done(a);
    if (rc < 0 || lr == f->lr) return rc;
    situ_plain_format(
        text, sizeof text, "the learning rate continues as in the checkpoint, where it started at %.9g, not %.9g", f->lr, lr);
    int noted = situ_keep_note(f, text);
    return noted ? noted : rc;
}

int situ_keep_begin(situ_fit *f)
{
    situ_trainer *t = f->t;
    char path[PATH + 64];
    t->fits++;
    f->first = t->epochs;
    if (!t->checkpoint) return 0;
    if (!f->opt)
        return situ_fail(SITU_BAD_ARGUMENT, f->site,
            FUNCTION
            ": " SITU_SAY(".checkpoint", "checkpoint") " knows the trainer's optimizer alone; save those of a step of your "
                                                       "own by %s",
            SITU_SAY("situ_checkpoint_save, in .on_epoch", "situ.checkpoint_save, in on_epoch"));
    if (strlen(t->checkpoint) >= PATH)
        return situ_fail(SITU_BAD_OPTION, f->site, FUNCTION ": the name of the folder for checkpoints is too long");
    int64_t found[2] = {-1, -1}; /* steps of the newest checkpoint and of the one before it */
    int lock = situ_group_rank(t->o.group) ? -1 : make_folder(t->checkpoint, f->site);
    if (lock < 0 && situ_error_code) return lock;
    if (!(f->keeper = situ_calloc(1, sizeof *f->keeper))) {
        if (lock >= 0) situ_file_unlock(lock, true);
        return situ_fail(SITU_NO_MEMORY, f->site, FUNCTION ": out of host memory");
    }
    *f->keeper = (situ_keeper){.folder = t->checkpoint, .lock = lock, .keep = t->o.keep, .site = f->site, .forks = situ_forks};
    if (lock >= 0) found[0] = tidy(t->checkpoint, 0, &found[1]);
    if (situ_ranks_first(f, found, 2)) return -situ_error_code;
    int64_t newest = found[0];
    if (newest < 0 || t->fits > 1 + t->skipped) return 0;
    if (!t->o.resume)
        return situ_fail(SITU_BAD_ARGUMENT, f->site,
            FUNCTION ": %s holds checkpoints of a training, up to step %lld; %s continues from there, another folder starts anew",
            t->checkpoint, (long long)newest, SITU_SAY(".resume = true", "resume=True"));
    name_of(path, sizeof path, t->checkpoint, newest);
    int rc = resume(f, path, found[1]);
    t->skipped += rc == 2;
    return rc < 0 || !situ_ranks_agree(f) ? rc : -situ_error_code; /* so that no rank still reads a file that is removed */
}
