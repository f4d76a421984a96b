/* Data sets in host memory. */
#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <situ/random.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/digits.h"
#include "op/support.h"

situ_dataset *situ_dataset_make(situ_shape shape, int classes, const char *name)
{
    if (situ_error_code) return NULL;
    if (!situ_shape_check(&shape, false, "situ_dataset_new", NULL)) return NULL;
    if (shape.ndim < 1 || classes < 1) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_new: %s",
            classes < 1 ? "there is at least one class" :
                          "the shape has the number of rows in front: " SITU_SAY("SHAPE(rows, features)", "(rows, features)"));
        return NULL;
    }
    int64_t total = 1, row = 1;
    bool fits = true;
    for (int i = 0; i < shape.ndim; i++) {
        fits &= !__builtin_mul_overflow(total, shape.dim[i], &total);
        if (i) fits &= !__builtin_mul_overflow(row, shape.dim[i], &row);
    }
    situ_dataset *data = fits && total < INT64_MAX / 4 && shape.dim[0] < INT64_MAX / 4 ? situ_calloc(1, sizeof *data) : NULL;
    if (data) {
        *data = (situ_dataset){
            .handle = SITU_HANDLE_NEW, .shape = shape, .row = row, .classes = classes, .name = situ_strdup(name ? name : "data")};
        data->x = situ_malloc((size_t)total * sizeof *data->x);
        data->y = situ_malloc((size_t)shape.dim[0] * sizeof *data->y);
    }
    if (data && data->name && data->x && data->y) return data;
    situ_dataset_free(data);
    situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_new: no host memory for %lld rows of %lld features", (long long)shape.dim[0],
        (long long)row);
    return NULL;
}

static void dataset_free(situ_dataset *data)
{
    situ_free(data->name);
    situ_free(data->x);
    situ_free(data->y);
    situ_retire(data);
}

void situ_dataset_free_at(situ_dataset *data, situ_site site)
{
    if (data && !situ_ended(data, "situ_dataset_free", "data set", site) && situ_handle_end(data, site)) dataset_free(data);
}

void situ_dataset_free(situ_dataset *data) { situ_dataset_free_at(data, NULL); }

void situ_dataset_let_go(const situ_dataset *data)
{
    if (situ_handle_let_go(data)) dataset_free((situ_dataset *)(uintptr_t)data);
}

static situ_dataset *check_labels(situ_dataset *data)
{
    for (int64_t i = 0; i < data->shape.dim[0]; i++) {
        if (data->y[i] >= 0 && data->y[i] < data->classes) continue;
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_dataset_new: the label of row %lld of \"%s\" is %d; labels go from 0 to %d, one for each of %d classes",
            (long long)i, data->name, data->y[i], data->classes - 1, data->classes);
        situ_dataset_free(data);
        return NULL;
    }
    return data;
}

situ_dataset *(situ_dataset_new)(const float *features, situ_shape shape, const int32_t *labels, int classes, const char *name)
{
    SITU_SPEAK_AT("situ_dataset_new");
    if (!features || !labels) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_new: %s is NULL", labels ? "features" : "labels");
        return NULL;
    }
    situ_dataset *data = situ_dataset_make(shape, classes, name);
    if (!data) return NULL;
    int64_t n = shape.dim[0];
    if (n && data->row) memcpy(data->x, features, (size_t)(n * data->row) * sizeof *data->x);
    if (n) memcpy(data->y, labels, (size_t)n * sizeof *data->y);
    return check_labels(data);
}

situ_dataset *situ_digits(void)
{
    SITU_SPEAK_AT("situ_digits");
    enum { VALUES = SITU_DIGITS_COUNT * SITU_DIGITS_PIXELS };
    situ_dataset *data =
        situ_dataset_make(SHAPE(SITU_DIGITS_COUNT, SITU_DIGITS_SIDE, SITU_DIGITS_SIDE), SITU_DIGITS_CLASSES, "digits");
    uint8_t *bytes = data ? situ_malloc(VALUES + SITU_DIGITS_COUNT) : NULL;
    if (!bytes) {
        if (data) situ_fail(SITU_NO_MEMORY, NULL, "situ_digits: out of host memory");
        situ_dataset_free(data);
        return NULL;
    }
    situ_digits_unpack(bytes, bytes + VALUES);
    for (int i = 0; i < VALUES; i++) data->x[i] = (float)bytes[i] / SITU_DIGITS_WHITE;
    for (int i = 0; i < SITU_DIGITS_COUNT; i++) data->y[i] = bytes[VALUES + i];
    situ_free(bytes);
    return data;
}

int64_t situ_dataset_count(const situ_dataset *data)
{
    return situ_there(data, "situ_dataset_count", "data set") ? data->shape.dim[0] : 0;
}
int situ_dataset_classes(const situ_dataset *data)
{
    return situ_there(data, "situ_dataset_classes", "data set") ? data->classes : 0;
}
const char *situ_dataset_name(const situ_dataset *data)
{
    return situ_there(data, "situ_dataset_name", "data set") ? data->name : "";
}
situ_shape situ_dataset_shape(const situ_dataset *data)
{
    return situ_there(data, "situ_dataset_shape", "data set") ? data->shape : SHAPE(0);
}
const float *situ_dataset_features(const situ_dataset *data)
{
    return situ_there(data, "situ_dataset_features", "data set") ? data->x : NULL;
}
const int32_t *situ_dataset_labels(const situ_dataset *data)
{
    return situ_there(data, "situ_dataset_labels", "data set") ? data->y : NULL;
}

situ_dataset *(situ_dataset_select)(const situ_dataset *data, const int64_t *rows, int64_t count)
{
    SITU_SPEAK_AT("situ_dataset_select");
    if (situ_ended(data, "situ_dataset_select", "data set", NULL)) return NULL;
    if (!data || (count && !rows) || count < 0) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_select: %s",
            !data    ? "the data set is NULL" :
                rows ? "a negative count" :
                       "rows is NULL");
        return NULL;
    }
    situ_shape shape = data->shape;
    shape.dim[0] = count;
    situ_dataset *out = situ_dataset_make(shape, data->classes, data->name);
    for (int64_t i = 0; out && i < count; i++) {
        if (rows[i] < 0 || rows[i] >= data->shape.dim[0]) {
            situ_fail(
                SITU_BAD_INDEX, NULL, "situ_dataset_select: row %lld of %lld", (long long)rows[i], (long long)data->shape.dim[0]);
            situ_dataset_free(out);
            return NULL;
        }
        memcpy(out->x + i * data->row, data->x + rows[i] * data->row, (size_t)data->row * sizeof *out->x);
        out->y[i] = data->y[rows[i]];
    }
    return out;
}

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

/* How many of each label to hold out, in the place of how many there are: the nearest to its share; or, where `exactly` so many are
 * asked for, one more of those whose shares were cut the most. */
static int64_t quotas(int64_t *left, int classes, int64_t n, int64_t held, bool exactly)
{
    int64_t sum = 0;
    for (int c = 0; c < classes && !exactly; c++) sum += left[c] = llround((double)held / (double)n * (double)left[c]);
    if (!exactly) return sum;
    int64_t *cut = situ_calloc((size_t)classes, sizeof *cut);
    if (!cut) return situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_split: out of host memory");
    for (int c = 0; c < classes; c++) { /* counts of rows: far from 2^31 squared */
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

/* Puts the rows to hold out first: of each label its share, or `count` of all. Returns how many. */
static int64_t draw(const situ_dataset *data, const situ_split_options *o, const int64_t *order, int64_t *rows)
{
    int64_t n = data->shape.dim[0], held = o->count ? o->count : llround(o->share * (double)n), h = 0, t = held;
    if (!o->stratified) {
        memcpy(rows, order, (size_t)n * sizeof *rows);
        return held;
    }
    int64_t *left = situ_calloc((size_t)data->classes, sizeof *left);
    if (!left) return situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_split: out of host memory");
    for (int64_t i = 0; i < n; i++) left[data->y[i]]++;
    t = held = quotas(left, data->classes, n, held, o->count > 0);
    for (int64_t i = 0; i < n && held >= 0; i++) rows[left[data->y[order[i]]]-- > 0 ? h++ : t++] = order[i];
    situ_free(left);
    return held;
}

int(situ_dataset_split)(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out,
    const situ_split_options *options, situ_site site)
{
    SITU_SPEAK("situ_dataset_split", site);
    situ_split_options o = {SITU_DEFAULTS(SITU_SPLIT_DEFAULTS)};
    if (train) *train = NULL;
    if (held_out) *held_out = NULL;
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_dataset_split", site)) return -situ_error_code;
    if (situ_ended(data, "situ_dataset_split", "data set", site)) return -situ_error_code;
    if (!data || !train || !held_out)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_dataset_split: %s is NULL", data ? "a result" : "the data set");
    int64_t n = data->shape.dim[0];
    if (!n || o.count < 0 || o.count > n || !(o.share >= 0 && o.share <= 1))
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_dataset_split: cannot hold out %lld rows (or a share of %g, from 0 to 1) of %lld", (long long)o.count, o.share,
            (long long)n);
    int64_t *order = situ_malloc((size_t)n * 2 * sizeof *order), *rows = order + n, held;
    if (!order) return situ_fail(SITU_NO_MEMORY, site, "situ_dataset_split: out of host memory");
    int rc = situ_dataset_order(key, -1, n, order);
    if (!rc && (held = draw(data, &o, order, rows)) >= 0) {
        *held_out = situ_dataset_select(data, rows, held);
        *train = situ_dataset_select(data, rows + held, n - held);
    }
    situ_free(order);
    if (*train && *held_out) return 0;
    situ_dataset_free(*train);
    situ_dataset_free(*held_out);
    *train = *held_out = NULL;
    return -situ_error_code;
}

int situ_dataset_standardize(situ_dataset *data, const situ_dataset *like)
{
    SITU_SPEAK_AT("situ_dataset_standardize");
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(data, "situ_dataset_standardize", "data set", NULL) ||
        situ_ended(like, "situ_dataset_standardize", "data set", NULL))
        return -situ_error_code;
    if (!data || !like || data->row != like->row || !like->shape.dim[0])
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_dataset_standardize: two data sets with the same features, of which the second has rows");
    double *mean = situ_calloc((size_t)like->row * 2 + 1, sizeof *mean), *square = mean + like->row, n = (double)like->shape.dim[0];
    float *scale = situ_malloc((size_t)like->row * 2 * sizeof *scale + 1), *shift = scale + like->row;
    for (int64_t i = 0; mean && scale && i < like->shape.dim[0]; i++)
        for (int64_t k = 0; k < like->row; k++) {
            double x = like->x[i * like->row + k];
            mean[k] += x;
            square[k] += x * x;
        }
    for (int64_t k = 0; mean && scale && k < like->row; k++) {
        double m = mean[k] / n, variance = square[k] / n - m * m;
        scale[k] = variance > 1e-12 ? (float)(1 / sqrt(variance)) : 0;
        shift[k] = (float)m;
    }
    for (int64_t i = 0; mean && scale && i < data->shape.dim[0]; i++)
        for (int64_t k = 0; k < data->row; k++) data->x[i * data->row + k] = (data->x[i * data->row + k] - shift[k]) * scale[k];
    bool done = mean && scale;
    situ_free(mean);
    situ_free(scale);
    return done ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_standardize: out of host memory");
}
