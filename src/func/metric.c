/* Metrics: a vector of f64 counts on the device, how a batch is added to it, and the value at the end. */
#include <situ/metric.h>

#include <math.h>

#include "base/handle.h"
#include "base/memory.h"
#include "func/losses.h"
#include "op/index.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Arguments of a built-in metric: k, classes, bins. */
typedef struct setting {
    int64_t n;
    situ_average average;
} setting;

struct situ_metric {
    situ_handle handle;
    const situ_metric_kind *kind;
    int64_t counts;
    setting own;
    const void *self;
    bool foreign;
    situ_tensor *count; /* a variable; NULL before the first update */
};

#define BEGIN_KIND \
    const setting *s = self; \
    situ_site site = situ_speaking.site; \
    (void)s, (void)site
#define AT(i) situ_select(counts, 0, i)
#define ALL(x) situ_sum(situ_cast(x, SITU_F64))

/* ---- sums ------------------------------------------------------------------------------------------------------------------- */

static situ_tensor *one_more(situ_tensor *counts, situ_tensor *sum, situ_tensor *of, situ_site site)
{
    return situ_stack(TENSORS(situ_add(AT(0), sum), situ_add(AT(1), (double)situ_count(of))));
}

static situ_tensor *quotient(situ_tensor *counts, const void *self)
{
    BEGIN_KIND;
    return situ_div(AT(0), AT(1));
}

static situ_tensor *add_mean(situ_tensor *counts, situ_tensor *x, situ_tensor *target, const void *self)
{
    BEGIN_KIND;
    if (!target) return one_more(counts, ALL(x), x, site);
    situ_fail(SITU_BAD_ARGUMENT, site, "situ_metric_update: the mean is of one tensor; target is " SITU_SAY("NULL", "None"));
    return situ_poisoned();
}

static bool fit(situ_tensor *prediction, situ_tensor **target, situ_site site)
{
    return situ_alike(prediction, target, "situ_metric_update", "prediction", "target", site);
}

static situ_tensor *difference(situ_tensor *a, situ_tensor *b, situ_site site)
{
    return situ_sub(situ_cast(a, SITU_F64), situ_cast(b, SITU_F64));
}

static situ_tensor *add_mae(situ_tensor *counts, situ_tensor *x, situ_tensor *y, const void *self)
{
    BEGIN_KIND;
    if (!fit(x, &y, site)) return situ_poisoned();
    return one_more(counts, situ_sum(situ_abs(difference(x, y, site))), x, site);
}

static situ_tensor *add_mse(situ_tensor *counts, situ_tensor *x, situ_tensor *y, const void *self)
{
    BEGIN_KIND;
    if (!fit(x, &y, site)) return situ_poisoned();
    return one_more(counts, situ_sum(situ_square(difference(x, y, site))), x, site);
}

/* Counts: sum of d^2, n, mean of the targets, sum of their squares about the mean. Batches are merged by Chan's
 * formula, which is exact even if the mean is far from 0. */
static situ_tensor *add_r2(situ_tensor *counts, situ_tensor *x, situ_tensor *y, const void *self)
{
    BEGIN_KIND;
    if (!fit(x, &y, site)) return situ_poisoned();
    double n = (double)situ_count(y);
    if (!(n > 0)) return counts;
    situ_tensor *wide = situ_cast(y, SITU_F64), *mean = situ_mean(wide), *off = situ_sum(situ_square(situ_sub(wide, mean)));
    situ_tensor *shift = situ_sub(mean, AT(2)), *share = situ_div(n, situ_add(AT(1), n));
    situ_tensor *between = situ_mul(situ_mul(situ_square(shift), share), AT(1));
    return situ_stack(TENSORS(situ_add(AT(0), situ_sum(situ_square(difference(x, y, site)))), situ_add(AT(1), n),
        situ_add(AT(2), situ_mul(shift, share)), situ_add(situ_add(AT(3), off), between)));
}

static situ_tensor *value_r2(situ_tensor *counts, const void *self)
{
    BEGIN_KIND;
    return situ_sub(1, situ_div(AT(0), AT(3)));
}

static situ_tensor *add_perplexity(situ_tensor *counts, situ_tensor *logits, situ_tensor *labels, const void *self)
{
    BEGIN_KIND;
    if (!situ_check_labels(logits, labels, "situ_metric_update", site)) return situ_poisoned();
    return one_more(counts, ALL(situ_cross_entropy(logits, labels, .reduction = SITU_NONE)), labels, site);
}

static situ_tensor *value_perplexity(situ_tensor *counts, const void *self)
{
    BEGIN_KIND;
    return situ_exp(quotient(counts, self));
}

/* ---- classes ---------------------------------------------------------------------------------------------------------------- */

/* The score of each label; the gather raises the error of a label without a score. */
static situ_tensor *of_label(situ_tensor *scores, situ_tensor *labels, situ_site site)
{
    return situ_squeeze(situ_gather_labels(scores, labels, site), .axes = AXES(-1));
}

/* Number of scores ranked before the label's: larger ones, NaN, and equal ones at smaller positions. */
static situ_tensor *add_accuracy(situ_tensor *counts, situ_tensor *scores, situ_tensor *labels, const void *self)
{
    BEGIN_KIND;
    if (!situ_check_labels(scores, labels, "situ_metric_update", site)) return situ_poisoned();
    int64_t classes = scores->dim[scores->ndim - 1];
    if (s->n > classes) {
        situ_fail(
            SITU_BAD_OPTION, site, "situ_metric_update: the %lld largest of %lld scores", (long long)s->n, (long long)classes);
        return situ_poisoned();
    }
    situ_tensor *own = situ_expand_dims(of_label(scores, labels, site), -1), *position = situ_expand_dims(labels, -1);
    situ_tensor *earlier =
        situ_less(situ_arange(0, (double)classes, 1, .dtype = SITU_I64, .device = situ_device_of(scores)), position);
    situ_tensor *before =
        situ_logical_or(situ_logical_not(situ_less_equal(scores, own)), situ_logical_and(situ_equal(scores, own), earlier));
    situ_tensor *right = situ_less(situ_count_nonzero(before, .axes = AXES(-1)), s->n);
    return one_more(counts, ALL(right), labels, site);
}

static situ_tensor *add_confusion(situ_tensor *counts, situ_tensor *scores, situ_tensor *labels, const void *self)
{
    BEGIN_KIND;
    if (!situ_check_labels(scores, labels, "situ_metric_update", site)) return situ_poisoned();
    int64_t classes = scores->dim[scores->ndim - 1];
    if (classes != s->n) {
        situ_fail(SITU_BAD_SHAPE, site, "situ_metric_update: %lld scores; the metric has %lld classes", (long long)classes,
            (long long)s->n);
        return situ_poisoned();
    }
    situ_tensor *best = situ_argmax(scores, .axis = -1);
    situ_tensor *checked = situ_mul(situ_cast(of_label(situ_one_hot(best, classes), labels, site), SITU_I64), 0);
    situ_tensor *place = situ_add(situ_add(situ_mul(situ_cast(labels, SITU_I64), classes), best), checked);
    place = situ_reshape(place, SHAPE(-1));
    return situ_scatter_add(counts, place, situ_cast(situ_ones_like(place), SITU_F64));
}

static situ_tensor *matrix(situ_tensor *counts, const void *self)
{
    BEGIN_KIND;
    return situ_reshape(counts, SHAPE(s->n, s->n));
}

/* For each class: true positives, predictions, labels. */
typedef struct rows {
    situ_tensor *right, *said, *of;
} rows;

static rows rows_of(situ_tensor *counts, const void *self)
{
    BEGIN_KIND;
    situ_tensor *m = matrix(counts, self);
    return (rows){situ_diagonal(m, 0), situ_sum(m, .axes = AXES(0)), situ_sum(m, .axes = AXES(1))};
}

/* a / b, 0 where b is 0. */
static situ_tensor *share(situ_tensor *a, situ_tensor *b, situ_site site)
{
    return situ_where(situ_equal(b, 0), 0, situ_div(a, situ_where(situ_equal(b, 0), 1, b)));
}

static situ_tensor *averaged(situ_tensor *counts, const setting *s, situ_tensor *classes, situ_site site)
{
    rows r = rows_of(counts, s);
    switch (s->average) {
    /* Each row has one prediction, so micro averages of precision, recall and F1 are equal. */
    case SITU_MICRO: return share(situ_sum(r.right), situ_sum(r.of), site);
    case SITU_WEIGHTED: return share(situ_sum(situ_mul(classes, r.of)), situ_sum(r.of), site);
    case SITU_BINARY: return situ_select(classes, 0, 1);
    default: return situ_mean(classes);
    }
}

#define SCORE(name, a, b) \
    static situ_tensor *name##_result(situ_tensor *counts, const void *self) \
    { \
        BEGIN_KIND; \
        rows r = rows_of(counts, self); \
        return share(a, b, site); \
    } \
    static situ_tensor *name##_value(situ_tensor *counts, const void *self) \
    { \
        BEGIN_KIND; \
        return averaged(counts, s, name##_result(counts, self), site); \
    }
SCORE(precision, r.right, r.said)
SCORE(recall, r.right, r.of)
SCORE(f1, situ_mul(r.right, 2), situ_add(r.said, r.of))

/* ---- area under the curve --------------------------------------------------------------------------------------------------- */

/* counts: the targets 0 in each bin, then the targets 1 in each bin. */
static situ_tensor *add_auc(situ_tensor *counts, situ_tensor *p, situ_tensor *target, const void *self)
{
    BEGIN_KIND;
    if (!fit(p, &target, site)) return situ_poisoned();
    situ_tensor *one = situ_not_equal(target, 0), *bin = situ_floor(situ_mul(situ_cast(p, SITU_F64), (double)s->n));
    /* invalid probabilities and targets get an index out of range, which raises an error */
    situ_tensor *known = situ_logical_or(situ_equal(target, 0), situ_equal(target, 1));
    situ_tensor *inside = situ_logical_and(known, situ_logical_and(situ_greater_equal(p, 0), situ_less_equal(p, 1)));
    bin = situ_cast(situ_where(inside, situ_minimum(bin, (double)(s->n - 1)), (double)(4 * s->n)), SITU_I64);
    situ_tensor *place = situ_reshape(situ_add(bin, situ_mul(situ_cast(one, SITU_I64), s->n)), SHAPE(-1));
    return situ_scatter_add(counts, place, situ_cast(situ_ones_like(place), SITU_F64));
}

static situ_tensor *value_auc(situ_tensor *counts, const void *self)
{
    BEGIN_KIND;
    situ_tensor *both = situ_reshape(counts, SHAPE(2, s->n)), *no = situ_select(both, 0, 0), *yes = situ_select(both, 0, 1);
    situ_tensor *below = situ_sub(situ_cumsum(no), situ_mul(no, 0.5));
    return situ_div(situ_sum(situ_mul(yes, below)), situ_mul(situ_sum(yes), situ_sum(no)));
}

/* ---- the object ------------------------------------------------------------------------------------------------------------- */

static situ_metric *new_metric(const situ_metric_kind *kind, int64_t counts, setting own, situ_site site)
{
    if (situ_error_code) return NULL;
    situ_metric *m = situ_calloc(1, sizeof *m);
    if (!m) {
        situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", kind->name);
        return NULL;
    }
    *m = (situ_metric){.handle = SITU_HANDLE_NEW(METRIC), .kind = kind, .counts = counts, .own = own};
    m->self = &m->own;
    return m;
}

static bool in_range(int64_t n, int64_t least, int64_t most, const char *what, const char *operation, situ_site site)
{
    if (n >= least && n <= most) return true;
    situ_fail(SITU_BAD_OPTION, site, "%s: %s = %lld; it is from %lld to %lld", operation, what, (long long)n, (long long)least,
        (long long)most);
    return false;
}

#define PLAIN(word, counts_, ...) \
    situ_metric *(situ_##word##_metric)(situ_site site) \
    { \
        static const situ_metric_kind kind = {.name = "situ_" #word "_metric", __VA_ARGS__}; \
        SITU_SPEAK(kind.name, site); \
        return new_metric(&kind, counts_, (setting){0}, site); \
    }
PLAIN(perplexity, 2, .add = add_perplexity, .value = value_perplexity)
PLAIN(mae, 2, .add = add_mae, .value = quotient)
PLAIN(mse, 2, .add = add_mse, .value = quotient)
PLAIN(r2, 4, .add = add_r2, .value = value_r2)
PLAIN(mean, 2, .add = add_mean, .value = quotient)

situ_metric *(situ_accuracy_metric)(const situ_accuracy_metric_options *options, situ_site site)
{
    static const situ_metric_kind kind = {.name = "situ_accuracy_metric", .add = add_accuracy, .value = quotient};
    SITU_SPEAK(kind.name, site);
    situ_accuracy_metric_options o = {SITU_DEFAULTS(SITU_ACCURACY_METRIC_DEFAULTS)};
    bool fine = SITU_TAKE_OPTIONS(o, options, kind.name, site) && in_range(o.k, 1, INT64_MAX, "k", kind.name, site);
    return fine ? new_metric(&kind, 2, (setting){.n = o.k}, site) : NULL;
}

situ_metric *(situ_auc_metric)(const situ_auc_metric_options *options, situ_site site)
{
    static const situ_metric_kind kind = {.name = "situ_auc_metric", .add = add_auc, .value = value_auc};
    SITU_SPEAK(kind.name, site);
    situ_auc_metric_options o = {SITU_DEFAULTS(SITU_AUC_METRIC_DEFAULTS)};
    bool fine = SITU_TAKE_OPTIONS(o, options, kind.name, site) && in_range(o.bins, 2, 1 << 24, "bins", kind.name, site);
    return fine ? new_metric(&kind, 2 * o.bins, (setting){.n = o.bins}, site) : NULL;
}

enum { MOST_CLASSES = 1 << 14 };

situ_metric *(situ_confusion_metric)(int64_t classes, situ_site site)
{
    static const situ_metric_kind kind = {.name = "situ_confusion_metric", .add = add_confusion, .result = matrix};
    SITU_SPEAK(kind.name, site);
    if (!in_range(classes, 1, MOST_CLASSES, "classes", kind.name, site)) return NULL;
    return new_metric(&kind, classes * classes, (setting){.n = classes}, site);
}

static situ_metric *score(const situ_metric_kind *kind, int64_t classes, const situ_score_metric_options *options, situ_site site)
{
    situ_score_metric_options o = {SITU_DEFAULTS(SITU_SCORE_METRIC_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, kind->name, site) ||
        !in_range((int)o.average, SITU_MACRO, SITU_BINARY, "average", kind->name, site) ||
        !in_range(classes, o.average == SITU_BINARY ? 2 : 1, MOST_CLASSES, "classes", kind->name, site))
        return NULL;
    return new_metric(kind, classes * classes, (setting){.n = classes, .average = o.average}, site);
}
#define SCORES(word) \
    situ_metric *(situ_##word##_metric)(int64_t classes, const situ_score_metric_options *options, situ_site site) \
    { \
        static const situ_metric_kind kind = { \
            .name = "situ_" #word "_metric", .add = add_confusion, .value = word##_value, .result = word##_result}; \
        SITU_SPEAK(kind.name, site); \
        return score(&kind, classes, options, site); \
    }
SCORES(precision)
SCORES(recall)
SCORES(f1)

situ_metric *(situ_metric_custom)(const situ_metric_kind *kind, void *self, situ_site site)
{
    SITU_SPEAK("situ_metric_custom", site);
    if (!kind || !kind->name || !kind->add || kind->counts < 1) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_metric_custom: %s",
            kind ? "the kind has no name, no counts or no add" : "the kind is NULL");
        return NULL;
    }
    situ_metric *m = new_metric(kind, kind->counts, (setting){0}, site);
    if (m) m->self = self, m->foreign = true;
    return m;
}

static bool usable(const situ_metric *m, const char *operation, situ_site site)
{
    if (situ_error_code || situ_ended(m, operation, "metric", site)) return false;
    if (m) return true;
    situ_fail(SITU_BAD_ARGUMENT, site, "%s: the metric is NULL", operation);
    return false;
}

int(situ_metric_update)(situ_metric *metric, situ_tensor *prediction, situ_tensor *target, situ_site site)
{
    static const char name[] = "situ_metric_update";
    SITU_SPEAK(name, site);
    situ_tensor *in[] = {prediction, target};
    if (!usable(metric, name, site) || !situ_together(in, target ? 2 : 1, name, "prediction, target", site))
        return -situ_error_code;
    if (!target && metric->kind->add != add_mean && !metric->foreign)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the target is " SITU_SAY("NULL", "None"), name);
    situ_scope *scope = situ_scope_open();
    if (!metric->count) {
        situ_tensor *zeros = situ_zeros(SHAPE(metric->counts), .dtype = SITU_F64, .device = situ_device_of(prediction));
        metric->count = situ_variable(zeros, .trainable = false, .name = "metric");
        if (situ_error_code) metric->count = NULL;
    }
    int rc = situ_error_code ? -situ_error_code : 0;
    if (!rc) {
        situ_speaker before = metric->foreign ? situ_speak_not() : situ_speaking;
        situ_tensor *next = metric->kind->add(metric->count, prediction, target, metric->self);
        if (metric->foreign) situ_spoken(&before);
        rc = situ_error_code ? -situ_error_code : (situ_assign)(metric->count, next, site);
        if (!rc) rc = (situ_eval)(TENSORS(metric->count), site);
    }
    situ_scope_close(scope);
    return rc;
}

static situ_tensor *result(situ_metric *m, bool whole, const char *name, situ_site site)
{
    if (!usable(m, name, site)) return situ_poisoned();
    if (!m->count) {
        situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: nothing was counted yet; call " SITU_SAY("situ_metric_update", "update") " first", name);
        return situ_poisoned();
    }
    situ_tensor *(*make)(situ_tensor *, const void *) = whole && m->kind->result ? m->kind->result : m->kind->value;
    if (!make) return situ_sum(m->count);
    situ_speaker before = m->foreign ? situ_speak_not() : situ_speaking;
    situ_tensor *t = make(situ_itself(m->count, site), m->self);
    if (m->foreign) situ_spoken(&before);
    return t;
}

double(situ_metric_value)(situ_metric *metric, situ_site site)
{
    SITU_SPEAK("situ_metric_value", site);
    if (metric && situ_alive(metric) && !metric->count) return NAN;
    situ_scope *scope = situ_scope_open();
    double value = situ_item(result(metric, false, "situ_metric_value", site));
    situ_scope_close(scope);
    return situ_error_code ? NAN : value;
}

situ_tensor *(situ_metric_result)(situ_metric *metric, situ_site site)
{
    SITU_SPEAK("situ_metric_result", site);
    return result(metric, true, "situ_metric_result", site);
}

int(situ_metric_reset)(situ_metric *metric, situ_site site)
{
    SITU_SPEAK("situ_metric_reset", site);
    if (!usable(metric, "situ_metric_reset", site)) return -situ_error_code;
    situ_release(metric->count);
    metric->count = NULL;
    return 0;
}

void situ_metric_free(situ_metric *metric)
{
    situ_site site = situ_passed_site();
    if (!metric || situ_ended(metric, "situ_metric_free", "metric", site)) return;
    situ_release(metric->count);
    if (situ_handle_end(metric, site)) situ_retire(metric);
}
