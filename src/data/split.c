/* Orders of rows: random, split in two, in folds; and the scale of features. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <situ/random.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "op/support.h"

int situ_dataset_order(int64_t key, int64_t epoch, int64_t n, int64_t *order)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *k = situ_key(key, .device = situ_cpu());
    if (epoch >= 0) k = situ_fold_in(k, epoch);
    int rc = situ_read(situ_permutation(k, n, .layout = SITU_ORIGINAL), order, (size_t)n * sizeof *order);
    situ_scope_close(scope);
    return rc;
}

/* ---- splitting -------------------------------------------------------------------------------------------------------- */

/* Replaces the number of rows of each label by the number to hold out: the nearest to its share. If exactly `held` are
 * required, labels whose shares were rounded down the most get one more. */
static int64_t quotas(int64_t *left, int classes, int64_t n, int64_t held, bool exactly)
{
    int64_t sum = 0;
    for (int c = 0; c < classes && !exactly; c++) sum += left[c] = llround((double)held / (double)n * (double)left[c]);
    if (!exactly) return sum;
    int64_t *cut = situ_calloc((size_t)classes, sizeof *cut);
    if (!cut) return situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_split: out of host memory");
    for (int c = 0; c < classes; c++) { /* numbers of rows, far from overflow when multiplied */
        cut[c] = left[c] * held % n;
        sum += left[c] = left[c] * held / n;
    }
    for (; sum < held; sum++) {
        int most = 0;
        for (int c = 1; c < classes; c++)
            if (cut[c] > cut[most]) most = c;
        left[most]++;
        cut[most] = -1;
    }
    situ_free(cut);
    return held;
}

/* Moves the rows to hold out to the front: a share of each label, or `count` of all. Returns how many. */
static int64_t draw(const situ_dataset *data, const situ_split_options *o, const int64_t *order, int64_t *rows)
{
    int64_t n = data->count, held = o->count ? o->count : llround(o->share * (double)n), h = 0, t = held;
    if (!o->stratified) {
        memcpy(rows, order, (size_t)n * sizeof *rows);
        return held;
    }
    const int32_t *y = situ_dataset_label(data);
    int64_t *left = situ_calloc((size_t)data->classes, sizeof *left);
    if (!left) return situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_split: out of host memory");
    for (int64_t i = 0; i < n; i++) left[y[i]]++;
    t = held = quotas(left, data->classes, n, held, o->count > 0);
    for (int64_t i = 0; i < n && held >= 0; i++) rows[left[y[order[i]]]-- > 0 ? h++ : t++] = order[i];
    situ_free(left);
    return held;
}

/* Common part of splits and folds: the checks, and the random order, followed by scratch memory of the same size. */
static int64_t *split_open(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out, bool stratified,
    const char *operation, situ_site site)
{
    if (train) *train = NULL;
    if (held_out) *held_out = NULL;
    if (situ_error_code || situ_ended(data, operation, "data set", site)) return NULL;
    if (!data || !train || !held_out) {
        situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is NULL", operation, data ? "a result" : "the data set");
    } else if (data->row) {
        situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: the rows of \"%s\" come from a function; they cannot be divided", operation, data->name);
    } else if (stratified && !situ_dataset_label(data)) {
        situ_fail(SITU_BAD_OPTION, site,
            "%s: " SITU_SAY(
                ".stratified", "stratified") " needs labels: the first target of \"%s\" is none of integers [n] with classes",
            operation, data->name);
    } else {
        int64_t *order = situ_malloc((size_t)data->count * 2 * sizeof *order + 1);
        if (order && !situ_dataset_order(key, -1, data->count, order)) return order;
        if (!order) situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", operation);
        situ_free(order);
    }
    return NULL;
}

/* Splits: the first `held` rows are held out. */
static int split_rows(const situ_dataset *data, const int64_t *rows, int64_t held, situ_dataset **train, situ_dataset **held_out)
{
    *held_out = situ_dataset_select(data, rows, held);
    *train = *held_out ? situ_dataset_select(data, rows + held, data->count - held) : NULL;
    if (*train) return 0;
    situ_dataset_free(*held_out);
    *held_out = NULL;
    return -situ_error_code;
}

int(situ_dataset_split)(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out,
    const situ_split_options *options, situ_site site)
{
    SITU_SPEAK("situ_dataset_split", site);
    situ_split_options o = {SITU_DEFAULTS(SITU_SPLIT_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_dataset_split", site)) return -situ_error_code;
    int64_t *order = split_open(data, key, train, held_out, o.stratified, "situ_dataset_split", site);
    if (!order) return -situ_error_code;
    int64_t n = data->count, *rows = order + n, held = -1;
    if (!n || o.count < 0 || o.count > n || !(o.share >= 0 && o.share <= 1))
        situ_fail(SITU_BAD_OPTION, site, "situ_dataset_split: cannot hold out %lld rows (or a share of %g, from 0 to 1) of %lld",
            (long long)o.count, o.share, (long long)n);
    else held = draw(data, &o, order, rows);
    if (held >= 0) split_rows(data, rows, held, train, held_out);
    situ_free(order);
    return -situ_error_code;
}

typedef struct placed {
    double place;
    int64_t at, row;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    return p->place != q->place ? (p->place < q->place ? -1 : 1) : (p->at > q->at) - (p->at < q->at);
}

int situ_dataset_spread(const situ_dataset *data, int64_t *order, int64_t n)
{
    const int32_t *y = situ_dataset_label(data);
    int64_t *seen = situ_calloc((size_t)data->classes * 2, sizeof *seen), *all = seen + data->classes;
    placed *p = situ_malloc((size_t)n * sizeof *p + 1);
    if (!seen || !p) {
        situ_free(seen);
        situ_free(p);
        return situ_fail(SITU_NO_MEMORY, NULL, "situ_loader_start: out of host memory");
    }
    for (int64_t i = 0; i < n; i++) all[y[order[i]]]++;
    for (int64_t i = 0; i < n; i++) {
        int32_t label = y[order[i]];
        p[i] = (placed){((double)seen[label]++ + 0.5) / (double)all[label], i, order[i]};
    }
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int64_t i = 0; i < n; i++) order[i] = p[i].row;
    situ_free(seen);
    situ_free(p);
    return 0;
}

/* Sorts the order by label; `rows` is scratch memory of the same size. */
static bool by_label(const situ_dataset *data, int64_t *order, int64_t *rows)
{
    const int32_t *y = situ_dataset_label(data);
    int64_t n = data->count, *next = situ_calloc((size_t)data->classes + 1, sizeof *next);
    if (!next) return situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_fold: out of host memory") == 0;
    for (int64_t i = 0; i < n; i++) next[y[i] + 1]++;
    for (int c = 1; c < data->classes; c++) next[c] += next[c - 1];
    for (int64_t i = 0; i < n; i++) rows[next[y[order[i]]]++] = order[i];
    memcpy(order, rows, (size_t)n * sizeof *order);
    situ_free(next);
    return true;
}

int(situ_dataset_fold)(const situ_dataset *data, int64_t key, int fold, int folds, situ_dataset **train, situ_dataset **held_out,
    const situ_fold_options *options, situ_site site)
{
    SITU_SPEAK("situ_dataset_fold", site);
    situ_fold_options o = {SITU_DEFAULTS(SITU_FOLD_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_dataset_fold", site)) return -situ_error_code;
    int64_t *order = split_open(data, key, train, held_out, o.stratified, "situ_dataset_fold", site);
    if (!order) return -situ_error_code;
    int64_t n = data->count, *rows = order + n, held = 0, other = 0;
    if (folds < 2 || folds > n || fold < 0 || fold >= folds) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_dataset_fold: fold %d of %d of %lld rows; folds count from 0, there are 2 to as many as rows", fold, folds,
            (long long)n);
    } else if (!o.stratified || by_label(data, order, rows)) {
        for (int64_t i = 0; i < n; i++) held += i % folds == fold;
        other = held;
        held = 0;
        for (int64_t i = 0; i < n; i++) rows[i % folds == fold ? held++ : other++] = order[i];
        split_rows(data, rows, held, train, held_out);
    }
    situ_free(order);
    return -situ_error_code;
}

static bool plain(const situ_dataset *data) { return data && situ_dataset_features(data) && !data->row; }

/* shift[k] = mean of feature k, scale[k] = 1 / its standard deviation, or 0 if all values are equal. */
static void moments(const situ_dataset *data, int64_t row, double *mean, float *scale, float *shift)
{
    const float *x = situ_dataset_values(data);
    double n = (double)data->count;
    for (int64_t i = 0; i < data->count; i++)
        for (int64_t k = 0; k < row; k++) mean[k] += (double)x[i * row + k] / n;
    for (int64_t k = 0; k < row; k++) {
        double square = 0;
        bool alike = true;
        for (int64_t i = 0; i < data->count; i++) {
            double d = (double)x[i * row + k] - mean[k];
            square += d * d;
            alike &= x[i * row + k] == x[k];
        }
        scale[k] = alike ? 0 : (float)(1 / sqrt(square / n));
        shift[k] = (float)mean[k];
    }
}

int situ_dataset_standardize(situ_dataset *data, const situ_dataset *like)
{
    SITU_SPEAK_AT("situ_dataset_standardize");
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(data, "situ_dataset_standardize", "data set", NULL) ||
        situ_ended(like, "situ_dataset_standardize", "data set", NULL))
        return -situ_error_code;
    if (!plain(data) || !plain(like) || data->field[0].bytes != like->field[0].bytes || !like->count)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_dataset_standardize: two data sets with the same features of f32, the second of which has rows");
    int64_t row = situ_column_count(&data->field[0]);
    double *mean = situ_calloc((size_t)row + 1, sizeof *mean);
    float *scale = situ_malloc((size_t)row * 2 * sizeof *scale + 1), *shift = scale + row, *x = situ_dataset_values(data);
    bool done = mean && scale;
    if (done) moments(like, row, mean, scale, shift);
    for (int64_t i = 0; done && i < data->count; i++)
        for (int64_t k = 0; k < row; k++) x[i * row + k] = (x[i * row + k] - shift[k]) * scale[k];
    situ_free(mean);
    situ_free(scale);
    return done ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_standardize: out of host memory");
}
