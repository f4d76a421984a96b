/* Writes the lines of a report: what is trained, points of the curves, epochs, the end. */
#include "train/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "optim/optimizer.h"
#include "os/file.h"
#include "os/wait.h"
#include "train/page.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_CLASSES = 100, DENSE = 1000 /* points at full density */, DENSE_EPOCHS = 500, HYPER = 40 };
static const int64_t writing_pause = 500000000; /* nanoseconds between two writes, at least; and at least a 200th of the time so far
                                                 */

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void key_text(situ_source *t, const char *key, const char *value)
{
    situ_source_add(t, ",\"%s\":", key);
    situ_json_text(t, value);
}

static void key_number(situ_source *t, const char *key, double value)
{
    situ_source_add(t, ",\"%s\":", key);
    situ_json_number(t, value);
}

static void hyper(situ_source *t, const char *key, const situ_hyper *h, int count)
{
    situ_source_add(t, ",\"%s\":{", key);
    for (int i = 0; i < count && i < HYPER; i++) {
        situ_source_append(t, i ? "," : "");
        situ_json_text(t, h[i].name);
        situ_source_append(t, ":");
        situ_json_number(t, h[i].value);
    }
    situ_source_append(t, "}");
}

/* ---- writing the file ------------------------------------------------------------------------------------------------ */

static int fail(const situ_report *r, int code, situ_site site)
{
    return situ_fail(SITU_IO, site, "cannot write the report %s: %s", r->path, situ_file_why(code));
}

/* On an error only the report is lost: the training goes on and reports the error at its end. */
static void flush(situ_report *r)
{
    r->written_at = situ_now();
    if (!r->opened_at) r->opened_at = r->written_at;
    if (r->text.failed) r->failed = ENOMEM;
    else if (r->text.length && !r->failed) r->failed = situ_file_append(r->path, r->text.text, r->text.length);
    if (r->failed) situ_source_drop(&r->text);
    r->text.length = 0;
}

static situ_report *make(const char *path, situ_site site)
{
    situ_report *r = situ_calloc(1, sizeof *r);
    if (r) r->path = situ_strdup(path);
    if (!r || !r->path) {
        situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: no host memory for the report");
        situ_report_free(r);
        return NULL;
    }
    int code = situ_page_begin(path);
    if (!code) return r;
    fail(r, code, site);
    situ_report_free(r);
    return NULL;
}

void situ_report_free(situ_report *r)
{
    if (!r) return;
    if (r->owns_ledger) situ_ledger_record(0);
    situ_report_trace_drop(r);
    situ_metric_free(r->confusion);
    situ_source_drop(&r->text);
    situ_source_drop(&r->matrix);
    situ_free(r->line);
    situ_free(r->rate);
    situ_free(r->error);
    situ_free(r->path);
    situ_free(r);
}

/* ---- what is trained --------------------------------------------------------------------------------------------- */

static void devices(situ_source *s, const situ_trainer *t)
{
    situ_device_info info;
    char name[32];
    situ_source_append(s, ",\"devices\":[");
    for (int i = 0; i < t->devices; i++) {
        if (situ_device_describe(t->device[i], &info)) continue;
        situ_source_append(s, i ? ",{\"name\":" : "{\"name\":");
        situ_json_text(s, situ_device_name(t->device[i], name));
        key_text(s, "model", info.name);
        key_text(s, "driver", info.driver);
        key_number(s, "total", (double)info.memory_total);
        situ_source_add(s, ",\"simulated\":%s}", info.simulated ? "true" : "false");
    }
    situ_source_append(s, "]");
}

static void run_line(situ_fit *f)
{
    situ_trainer *t = f->t;
    situ_source *s = &t->report->text;
    situ_hyper h[HYPER];
    situ_source_append(s, "{\"k\":\"run\"");
    key_text(s, "title", t->title ? t->title : situ_dataset_name(f->train));
    key_text(s, "data", situ_dataset_name(f->train));
    key_text(s, "version", SITU_VERSION);
    situ_source_add(s, ",\"time\":%lld,\"rows\":%lld,\"held_out\":%lld,\"batches\":%lld,\"epochs\":%d,\"first\":%d",
        (long long)situ_date(), (long long)f->train->count, f->held_out ? (long long)f->held_out->count : 0, (long long)f->batches,
        f->last, t->epochs);
    devices(s, t);
    hyper(s, "trainer", h, situ_trainer_hyper(t, h, HYPER));
    if (f->opt) {
        key_text(s, "optimizer", situ_optimizer_name(f->opt));
        hyper(s, "hyper", h, situ_optimizer_hyper(f->opt, h, HYPER));
    }
    situ_source_append(s, "}\n");
}

/* Written after the first step, when the parameters exist. If the network has one input, shapes are included. */
static void network_line(situ_fit *f)
{
    const situ_column *x = &f->train->field[0];
    situ_site site = f->site;
    char *text = NULL;
    size_t size = 0;
    for (int with = f->train->inputs == 1; with >= 0 && !situ_error_code; with--) {
        FILE *file = situ_text_open(&text, &size);
        if (!file) return;
        situ_scope *scope = situ_scope_open();
        situ_shape shape = {.ndim = x->shape.ndim + 1, .dim = {f->rows}};
        memcpy(shape.dim + 1, x->shape.dim, (size_t)x->shape.ndim * sizeof *x->shape.dim);
        situ_dtype dtype = x->pixels ? SITU_F32 : x->dtype;
        situ_tensor *input = with ? situ_zeros(shape, .dtype = dtype, .device = f->t->device[0]) : NULL;
        int rc = situ_module_summary(f->net, with ? TENSORS_OF(&input, 1) : TENSORS_OF(NULL, 0), .file = file);
        situ_scope_close(scope);
        fclose(file);
        if (!rc && !situ_error_code) break;
        free(text);
        text = NULL;
        situ_error_take(NULL); /* a network that only the user's step knows how to call */
    }
    situ_source_append(&f->t->report->text, "{\"k\":\"network\"");
    key_text(&f->t->report->text, "text", text);
    situ_source_append(&f->t->report->text, "}\n");
    free(text);
}

int situ_report_begin(situ_fit *f)
{
    situ_trainer *t = f->t;
    if (!t->report_path) return 0;
    if (!t->report && !(t->report = make(t->report_path, f->site))) return -situ_error_code;
    situ_report *r = t->report;
    situ_free(r->rate);
    r->rate = situ_malloc((size_t)f->log[0].capacity * sizeof *r->rate);
    if (!r->rate) return situ_fail(SITU_NO_MEMORY, f->site, "situ_trainer_fit: no host memory for the report");
    r->fresh = true;
    r->columns = 0;
    r->points = 0;
    memset(r->sum, 0, sizeof r->sum);
    r->trace_at = f->planned > 5 ? t->steps + 3 : f->planned > 1 ? t->steps + 1 : -1;
    if (f->opt) f->opt->watched = true;
    if (!r->owns_ledger && !situ_ledger_kept()) r->owns_ledger = !situ_ledger_record(1 << 12);
    r->ledger_at = situ_seconds();
    run_line(f);
    flush(r);
    return -situ_error_code;
}

/* ---- while it trains ----------------------------------------------------------------------------------------------- */

int situ_report_step(situ_fit *f)
{
    situ_report *r = f->t->report;
    if (!r) return 0;
    if (r->fresh && !situ_error_code) network_line(f);
    r->fresh = false;
    r->rate[f->log[0].at - 1] = f->opt ? (float)(*f->opt->lr * f->opt->schedule.now) : NAN;
    int64_t since = f->t->steps - r->trace_at;
    if (r->trace_at >= 0 && !since) situ_report_trace_begin(r);
    return r->tracing && since >= 3;
}

static void columns_line(situ_report *r, const situ_step_log *log)
{
    r->columns = log->columns;
    situ_source_append(&r->text, "{\"k\":\"columns\",\"names\":[");
    for (int c = 0; c < log->columns; c++) {
        situ_source_append(&r->text, c ? "," : "");
        situ_json_text(&r->text, log->name[c]);
    }
    situ_source_append(&r->text, "]}\n");
}

static void numbers(situ_source *t, const double *value, int count, double divisor)
{
    for (int c = 0; c < count; c++) {
        situ_source_append(t, c ? "," : "");
        situ_json_number(t, value[c] / divisor);
    }
}

void situ_report_rest(situ_fit *f)
{
    situ_report *r = f->t->report;
    if (!r || !r->points) return;
    situ_source_append(&r->text, "{\"k\":\"p\",\"v\":[");
    numbers(&r->text, r->sum, f->log[0].columns, (double)r->points);
    situ_source_add(&r->text, "],\"s\":%lld", (long long)r->row_at);
    key_number(&r->text, "x", r->row_x);
    key_number(&r->text, "lr", r->row_rate);
    situ_source_append(&r->text, "}\n");
    memset(r->sum, 0, sizeof r->sum);
    r->points = 0;
    r->point_at = r->row_at;
}

void situ_report_row(situ_fit *f, int64_t i, int64_t end)
{
    situ_report *r = f->t->report;
    const situ_step_log *log = &f->log[0];
    if (!r) return;
    if (r->columns != log->columns) columns_line(r, log);
    for (int c = 0; c < log->columns; c++) r->sum[c] += (double)log->value[i * log->columns + c];
    r->points++;
    r->row_at = f->t->steps - f->batch + end;
    r->row_x = f->t->epochs + (double)end / (double)f->batches;
    r->row_rate = (double)r->rate[i];
    /* a report of any length stays small: at first a point for each step, later one for each thousandth of the steps
     * so far */
    if (!r->point_at || (r->row_at - r->point_at) * DENSE >= r->row_at || end >= f->batches) situ_report_rest(f);
}

static void memory_line(situ_fit *f)
{
    situ_source *s = &f->t->report->text;
    situ_memory m;
    char name[32];
    situ_source_add(s, "{\"k\":\"memory\",\"s\":%lld", (long long)f->t->steps);
    key_number(s, "x", f->t->epochs + (f->phase == FIT_TRAIN ? (double)f->batch / (double)f->batches : 0));
    situ_source_append(s, ",\"d\":{");
    for (int i = 0; i < f->t->devices; i++) {
        if (situ_memory_of(f->t->device[i], &m)) continue;
        situ_source_append(s, i ? "," : "");
        situ_json_text(s, situ_device_name(f->t->device[i], name));
        situ_source_add(s, ":[%lld,%lld,%lld]", (long long)m.in_use, (long long)situ_fit_peak(f, i), (long long)m.reserved);
    }
    situ_source_append(s, "}}\n");
}

/* Lines that replace earlier lines of their kind: only the last one counts. */
static void state_lines(situ_report *r)
{
    situ_source *s = &r->text;
    situ_report_ledger(r);
    if (r->matrix.length) situ_source_append(s, r->matrix.text);
    r->matrix.length = 0;
}

void situ_report_read(situ_fit *f)
{
    situ_report *r = f->t->report;
    if (!r || situ_error_code) return;
    if (r->tracing) situ_report_trace_end(f);
    situ_report_count(r);
    int64_t now = situ_now(), pause = (now - r->opened_at) / 200;
    if (now - r->written_at < (pause > writing_pause ? pause : writing_pause)) return;
    memory_line(f);
    state_lines(r);
    flush(r);
}

void situ_report_confusion(situ_fit *f, situ_tensor *prediction, situ_tensor *target)
{
    situ_report *r = f->t->report;
    situ_site site = f->site;
    if (!r || !f->train || f->phase != FIT_MEASURE || situ_error_code) return;
    situ_shape shape = situ_shape_of(prediction);
    int64_t classes = shape.ndim ? shape.dim[shape.ndim - 1] : 0;
    if (classes < 2 || classes > MOST_CLASSES || (r->confusion && classes != r->classes)) return;
    r->classes = classes;
    if (!r->confusion && !(r->confusion = situ_confusion_metric(classes))) return;
    situ_metric_update(r->confusion, prediction, target);
}

static void confusion_line(situ_fit *f)
{
    situ_report *r = f->t->report;
    situ_site site = f->site;
    size_t bytes = (size_t)(r->classes * r->classes) * sizeof(double);
    double *count = situ_malloc(bytes);
    situ_scope *scope = situ_scope_open();
    situ_tensor *all = situ_metric_result(r->confusion);
    if (!count) situ_fail(SITU_NO_MEMORY, site, "out of host memory for the report's confusion matrix");
    if (!situ_error_code && !situ_read(all, count, bytes)) {
        r->matrix.length = 0;
        situ_source_add(&r->matrix, "{\"k\":\"confusion\",\"epoch\":%d,\"n\":%lld,\"c\":[", f->t->epochs, (long long)r->classes);
        numbers(&r->matrix, count, (int)(r->classes * r->classes), 1);
        situ_source_append(&r->matrix, "]}\n");
    }
    situ_scope_close(scope);
    situ_free(count);
    if (!situ_error_code) situ_metric_reset(r->confusion);
}

void situ_report_epoch(situ_fit *f, bool last)
{
    situ_trainer *t = f->t;
    situ_report *r = t->report;
    situ_site site = f->site;
    if (!r || situ_error_code) return;
    if (!last && r->epoch_at && (t->epochs - r->epoch_at) * DENSE_EPOCHS < t->epochs) {
        if (r->confusion) situ_metric_reset(r->confusion);
        return;
    }
    r->epoch_at = t->epochs;
    situ_trainer_rates rate = situ_trainer_rates_of(t);
    situ_source_add(&r->text, "{\"k\":\"epoch\",\"n\":%d,\"s\":%lld", t->epochs, (long long)t->steps);
    const double times[] = {rate.seconds, rate.waited, rate.copied, rate.computed, rate.rows, rate.steps};
    situ_source_append(&r->text, ",\"rates\":[");
    numbers(&r->text, times, 6, 1);
    situ_source_append(&r->text, "],\"v\":{");
    for (int i = 0; i < t->values; i++) {
        situ_source_append(&r->text, i ? "," : "");
        situ_json_text(&r->text, t->value[i].name);
        situ_source_append(&r->text, ":");
        situ_json_number(&r->text, t->value[i].mean);
    }
    situ_source_append(&r->text, "}}\n");
    memory_line(f);
    if (r->confusion && f->held_out) confusion_line(f);
    situ_report_read(f);
}

void situ_report_failed(situ_trainer *t, const char *text)
{
    t->ended = "error";
    if (!t->report) return;
    situ_free(t->report->error);
    t->report->error = situ_strdup(text);
}

int situ_report_end(situ_fit *f)
{
    situ_trainer *t = f->t;
    situ_report *r = t->report;
    if (!r || !f->train) return 0;
    if (r->tracing && !situ_error_code) situ_report_trace_end(f);
    situ_report_trace_drop(r); /* after an error the timeline is not written */
    if (f->opt) f->opt->watched = false;
    situ_report_count(r);
    memory_line(f);
    state_lines(r);
    situ_source_append(&r->text, "{\"k\":\"end\"");
    key_text(&r->text, "why", t->ended);
    if (situ_error_code || r->error) key_text(&r->text, "error", situ_error_code ? situ_error_peek() : r->error);
    situ_source_add(&r->text, ",\"best\":%d,\"steps\":%lld,\"epochs\":%d", t->best_epoch, (long long)t->steps, t->epochs);
    key_number(&r->text, "seconds", t->seconds);
    situ_source_append(&r->text, "}\n");
    flush(r);
    return r->failed && !situ_error_code ? fail(r, r->failed, f->site) : 0;
}
