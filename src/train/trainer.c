/* The trainer object: options, devices, results. */
#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "device/device.h"
#include "nn/hyper.h"
#include "op/precision.h"
#include "os/plain.h"
#include "train/proof.h"
#include "train/report.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Warns that there are fewer GPUs than requested; the training is only slower. */
static void tell_missing(const situ_trainer *t, int there, situ_site site)
{
    static const char format[] = "%sit was to train on %d GPU%s, and there %s %d: it trains on %s; `situ devices` says why%s";
    char device[32];
    const char *are = there == 1 ? "is" : "are", *s = t->o.num_gpus == 1 ? "" : "s";
    situ_device_name(t->device[0], device);
    if (t->o.progress) fprintf(t->o.progress, format, "", t->o.num_gpus, s, are, there, device, "\n");
    if (situ_hints()) situ_hint(site, format, "situ_trainer_new: ", t->o.num_gpus, s, are, there, device, "");
}

/* Takes the requested GPUs, as many as exist; if there are none, the default device. */
static int take_devices(situ_trainer *t, situ_site site)
{
    int there = t->o.num_gpus ? situ_num_gpus() : 0;
    t->gpus = there < t->o.num_gpus ? there : t->o.num_gpus;
    t->devices = t->gpus ? t->gpus : 1;
    for (int i = 0; i < t->devices; i++) {
        t->device[i] = t->gpus ? situ_gpu(i) : t->o.device;
        if (situ_device_resolve(&t->device[i], site) || !situ_dev_open(t->device[i], site)) return -situ_error_code;
    }
    if (t->gpus < t->o.num_gpus) tell_missing(t, there, site);
    return 0;
}

static int check_folders(const situ_trainer_options *o, situ_site site)
{
    if (o->proof_every && !o->proof)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_trainer_new: " SITU_SAY(".proof_every needs the folder, .proof", "proof_every needs the folder, proof"));
    if (!o->checkpoint && (o->resume || o->checkpoint_every))
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_trainer_new: " SITU_SAY(".resume and .checkpoint_every need the folder, .checkpoint",
                "resume and checkpoint_every need the folder, checkpoint"));
    return 0;
}

/* Only rank 0 draws and writes; a run that `situ verify` repeats leaves nothing behind. */
static void choose_writers(situ_trainer_options *o)
{
    bool repeats = o->proof && situ_proof_verifying();
    if (!repeats && !situ_group_rank(o->group)) return;
    o->board = o->progress = NULL;
    o->plot = o->report = NULL;
    if (!repeats) return;
    o->checkpoint = NULL;
    o->checkpoint_every = 0;
    o->resume = false;
}

situ_trainer *(situ_trainer_new)(const situ_trainer_options *options, situ_site site)
{
    SITU_SPEAK("situ_trainer_new", site);
    situ_trainer_options o = {SITU_DEFAULTS(SITU_TRAINER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_trainer_new", site)) return NULL;
    if (!situ_take_device(&o.device, "situ_trainer_new", site)) return NULL;
    if (o.num_gpus && o.device.kind) {
        situ_fail(SITU_BAD_OPTION, site, "situ_trainer_new: .num_gpus and .device are both set; which devices are meant?");
        return NULL;
    }
    if (o.loss && o.step) {
        situ_fail(SITU_BAD_OPTION, site, "situ_trainer_new: .loss and .step are both set; a step computes the loss itself");
        return NULL;
    }
    if (o.precision == SITU_DTYPE_DEFAULT) o.precision = SITU_F32;
    if (!situ_precision_check(o.precision, "situ_trainer_new", site)) return NULL;
    if (check_folders(&o, site) || situ_ended(o.group, "situ_trainer_new", "group", site)) return NULL;
    choose_writers(&o);
    if (situ_hyper_check(situ_trainer_rows, SITU_TRAINER_ROWS, &o, "situ_trainer_new", site)) return NULL;
    situ_trainer *t = situ_calloc(1, sizeof *t);
    if (t)
        *t = (situ_trainer){.handle = SITU_HANDLE_NEW(TRAINER),
            .o = o,
            .plot = situ_strdup(o.plot),
            .title = situ_strdup(o.title),
            .monitor = situ_strdup(o.monitor),
            .report_path = situ_strdup(o.report),
            .checkpoint = situ_strdup(o.checkpoint),
            .proof = situ_strdup(o.proof),
            .ended = "",
            .loss = NAN,
            .validation_loss = NAN,
            .accuracy = NAN};
    if (t && t->o.xlim < 0) t->o.xlim = t->o.max_epochs;
    if (!t || (o.plot && !t->plot) || (o.title && !t->title) || (o.monitor && !t->monitor) || (o.report && !t->report_path) ||
        (o.checkpoint && !t->checkpoint) || (o.proof && !t->proof)) {
        situ_fail(SITU_NO_MEMORY, site, "situ_trainer_new: out of host memory");
    } else if (!take_devices(t, site)) {
        return t;
    }
    situ_trainer_free(t);
    return NULL;
}

void situ_trainer_free(situ_trainer *t)
{
    situ_site site = situ_passed_site();
    if (!t || situ_ended(t, "situ_trainer_free", "trainer", site)) return;
    while (t->fit) situ_fit_close(t);
    situ_board_close(t->board);
    situ_report_free(t->report);
    situ_free(t->report_path);
    situ_free(t->checkpoint);
    situ_free(t->proof);
    situ_free(t->note);
    situ_free(t->monitor);
    situ_free(t->plot);
    situ_free(t->title);
    if (situ_handle_end(t, site)) situ_retire(t);
}

double situ_trainer_loss(const situ_trainer *t)
{
    return situ_is_usable(t, "situ_trainer_loss", "trainer") ? t->loss : (double)NAN;
}
double situ_trainer_validation_loss(const situ_trainer *t)
{
    return situ_is_usable(t, "situ_trainer_validation_loss", "trainer") ? t->validation_loss : (double)NAN;
}
double situ_trainer_accuracy(const situ_trainer *t)
{
    return situ_is_usable(t, "situ_trainer_accuracy", "trainer") ? t->accuracy : (double)NAN;
}
double situ_trainer_seconds(const situ_trainer *t) { return situ_is_usable(t, "situ_trainer_seconds", "trainer") ? t->seconds : 0; }
int64_t situ_trainer_steps(const situ_trainer *t) { return situ_is_usable(t, "situ_trainer_steps", "trainer") ? t->steps : 0; }
int situ_trainer_best(const situ_trainer *t) { return situ_is_usable(t, "situ_trainer_best", "trainer") ? t->best_epoch : 0; }
const char *situ_trainer_ended(const situ_trainer *t) { return situ_is_usable(t, "situ_trainer_ended", "trainer") ? t->ended : ""; }
void situ_trainer_stop(situ_trainer *t)
{
    if (situ_is_usable(t, "situ_trainer_stop", "trainer")) t->asked = true;
}

const char *situ_trainer_commitment(const situ_trainer *t)
{
    return situ_is_usable(t, "situ_trainer_commitment", "trainer") ? t->commitment : "";
}

situ_trainer_proof situ_trainer_proof_of(const situ_trainer *t)
{
    return situ_is_usable(t, "situ_trainer_proof_of", "trainer") ? t->proved : (situ_trainer_proof){0};
}

int situ_trainer_note(situ_trainer *t, const char *note)
{
    SITU_SPEAK_AT("situ_trainer_note");
    if (situ_error_code || situ_ended(t, "situ_trainer_note", "trainer", NULL)) return -situ_error_code;
    if (!t || !note || strchr(note, '\n'))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_trainer_note: %s",
            !t       ? "the trainer is NULL" :
                note ? "the note is one line; it has a line's end in it" :
                       "the note is NULL");
    char *copy = situ_strdup(note);
    if (!copy) return situ_fail(SITU_NO_MEMORY, NULL, "situ_trainer_note: out of host memory");
    situ_free(t->note);
    t->note = copy;
    return 0;
}

int situ_trainer_epochs(const situ_trainer *t) { return situ_is_usable(t, "situ_trainer_epochs", "trainer") ? t->epochs : 0; }

int situ_trainer_devices(const situ_trainer *t, situ_device *out, int most)
{
    if (!situ_is_usable(t, "situ_trainer_devices", "trainer")) return 0;
    for (int i = 0; out && i < t->devices && i < most; i++) out[i] = t->device[i];
    return t->devices;
}

int situ_trainer_gpus(const situ_trainer *t, situ_device *out, int most)
{
    return situ_is_usable(t, "situ_trainer_gpus", "trainer") && t->gpus ? situ_trainer_devices(t, out, most) : 0;
}

int situ_trainer_curves(const situ_trainer *t, situ_curve *out, int most)
{
    const situ_series *series = NULL;
    int n = situ_is_usable(t, "situ_trainer_curves", "trainer") ? situ_board_series(t->board, &series) : 0;
    for (int i = 0; out && i < n && i < most; i++) out[i] = (situ_curve){series[i].name, series[i].x, series[i].y, series[i].count};
    return n;
}

int situ_trainer_prepare_model(situ_trainer *t, situ_module *net)
{
    SITU_SPEAK_AT("situ_trainer_prepare_model");
    if (situ_ended(t, "situ_trainer_prepare_model", "trainer", NULL)) return -situ_error_code;
    if (!t) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_trainer_prepare_model: the trainer is NULL");
    return situ_module_mirror(net, t->device, t->devices);
}

situ_tensor *(situ_trainer_prepare_batch)(situ_trainer *t, situ_tensor *batch, situ_site site)
{
    if (situ_ended(t, "situ_trainer_prepare_batch", "trainer", site)) return situ_poisoned();
    if (t) return situ_to(batch, t->device[0]);
    situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_prepare_batch: the trainer is NULL");
    return situ_poisoned();
}

int(situ_trainer_prepare_arrays)(situ_trainer *t, situ_list batch, situ_tensor **out, situ_site site)
{
    if (situ_ended(t, "situ_trainer_prepare_arrays", "trainer", site)) return -situ_error_code;
    if (!t || !batch.tensor || !out || batch.count < 0)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_trainer_prepare_arrays: %s",
            !t                      ? "the trainer is NULL" :
                batch.tensor && out ? "the count is negative" :
                                      "the batch is NULL");
    for (int i = 0; i < batch.count; i++) out[i] = situ_to(batch.tensor[i], t->device[0]);
    return -situ_error_code;
}

/* Prints as few digits as restore the same number. */
static void print_number(FILE *file, const char *name, double value)
{
    char text[SITU_SHORTEST];
    situ_plain_shortest(text, 6, value);
    fprintf(file, "%s = %s\n", name, text);
}

int situ_trainer_save_hyperparameters(const situ_trainer *t, const situ_optimizer *opt, FILE *file)
{
    SITU_SPEAK_AT("situ_trainer_save_hyperparameters");
    enum { MOST = 32 };
    situ_hyper h[MOST];
    if (situ_ended(t, "situ_trainer_save_hyperparameters", "trainer", NULL) ||
        situ_ended(opt, "situ_trainer_save_hyperparameters", "optimizer", NULL))
        return -situ_error_code;
    if (!t || !file)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_trainer_save_hyperparameters: the %s is NULL", t ? "file" : "trainer");
    int n = situ_trainer_hyper(t, h, MOST);
    for (int i = 0; i < n; i++) print_number(file, h[i].name, h[i].value);
    if (opt) {
        fprintf(file, "optimizer = %s\n", situ_optimizer_name(opt));
        n = situ_optimizer_hyper(opt, h, MOST);
        for (int i = 0; i < n; i++) print_number(file, h[i].name, h[i].value);
    }
    return ferror(file) ? situ_fail(SITU_IO, NULL, "situ_trainer_save_hyperparameters: the file could not be written") : 0;
}
