/* Data sets in host memory. */
#include "data/dataset.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/digits.h"
#include "op/support.h"
#include "tensor/dtype.h"

int64_t situ_column_count(const situ_column *c) { return situ_shape_count((int)c->shape.ndim, c->shape.dim); }

void *situ_dataset_block(situ_dataset *data, size_t bytes)
{
    void *p = situ_calloc(1, bytes + 1);
    if (p) data->block[data->blocks++] = p;
    return p;
}

/* Computes the bytes of a row and of all rows; false on overflow. */
static bool measure(situ_column *c, int64_t count, int64_t *all)
{
    int64_t row = (int64_t)situ_dtype_size(c->dtype);
    bool fits = true;
    for (int i = 0; i < c->shape.ndim; i++) fits &= !__builtin_mul_overflow(row, c->shape.dim[i], &row);
    c->bytes = c->pitch = row;
    fits &= !__builtin_mul_overflow(row, count < 0 ? 0 : count, all);
    return fits && *all < INT64_MAX / 4;
}

situ_dataset *situ_dataset_frame(int64_t count, const situ_column *fields, int number, int inputs, int classes, const char *name)
{
    if (situ_error_code) return NULL;
    situ_dataset *data = count < INT64_MAX / 8 ? situ_calloc(1, sizeof *data) : NULL;
    bool fits = data != NULL;
    if (data)
        *data = (situ_dataset){.handle = SITU_HANDLE_NEW(DATASET),
            .count = count,
            .classes = classes,
            .fields = number,
            .inputs = inputs,
            .name = situ_strdup(name ? name : "data")};
    for (int i = 0; fits && i < number; i++) {
        situ_column *c = &data->field[i];
        int64_t all = 0;
        *c = fields[i];
        c->name = situ_strdup(fields[i].name);
        fits = c->name && measure(c, count, &all);
        if (fits && !c->data) fits = (c->data = situ_dataset_block(data, (size_t)all)) != NULL;
    }
    if (fits && data->name) return data;
    situ_dataset_free(data);
    situ_fail(
        SITU_NO_MEMORY, NULL, "situ_dataset_new: no host memory for %lld rows of %d inputs and targets", (long long)count, number);
    return NULL;
}

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
    situ_column field[2] = {
        {.name = "features", .dtype = SITU_F32, .shape.ndim = shape.ndim - 1}, {.name = "labels", .dtype = SITU_I32}};
    memcpy(field[0].shape.dim, shape.dim + 1, sizeof shape.dim - sizeof *shape.dim);
    return situ_dataset_frame(shape.dim[0], field, 2, 1, classes, name);
}

static void dataset_free(situ_dataset *data)
{
    situ_free(data->name);
    situ_free(data->stage);
    for (int i = 0; i < data->fields; i++) situ_free(data->field[i].name);
    for (int i = 0; i < data->blocks; i++) situ_free(data->block[i]);
    situ_retire(data);
}

void situ_dataset_free(situ_dataset *data)
{
    situ_site site = situ_passed_site();
    if (data && !situ_ended(data, "situ_dataset_free", "data set", site) && situ_handle_end(data, site)) dataset_free(data);
}

void situ_dataset_let_go(const situ_dataset *data)
{
    if (situ_handle_let_go(data)) dataset_free((situ_dataset *)(uintptr_t)data);
}

/* ---- labels ------------------------------------------------------------------------------------------------------------- */

/* Converts integer labels of any width to i32 in place, if their values fit. */
static bool narrow(situ_dataset *data, situ_column *c)
{
    size_t size = situ_dtype_size(c->dtype);
    if (c->dtype == SITU_I32) return true;
    int32_t *to = situ_dataset_block(data, (size_t)data->count * sizeof *to);
    if (!to) return false;
    for (int64_t i = 0; i < data->count; i++) {
        int64_t v = situ_element_get_i64(c->dtype, c->data + i * (int64_t)size);
        if (v != (int32_t)v) return true;
        to[i] = (int32_t)v;
    }
    *c = (situ_column){.name = c->name, .dtype = SITU_I32, .bytes = 4, .pitch = 4, .data = (char *)to};
    return true;
}

situ_dataset *situ_dataset_checked(situ_dataset *data, const char *operation)
{
    situ_column *c = data && data->fields > data->inputs ? &data->field[data->inputs] : NULL;
    if (!c || (!data->classes && (c->shape.ndim || !situ_dtype_is_integer(c->dtype)))) return data;
    if (c->shape.ndim || !situ_dtype_is_integer(c->dtype)) {
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "%s: labels of classes are integers [n]; the target \"%s\" has values of %s in %d dimensions", operation, c->name,
            situ_dtype_name(c->dtype), (int)c->shape.ndim + 1);
    } else if (!narrow(data, c)) {
        situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the labels", operation);
    } else {
        const int32_t *y = c->dtype == SITU_I32 ? (const int32_t *)(void *)c->data : NULL;
        int64_t at = 0, most = -1;
        for (; y && at < data->count && y[at] >= 0 && (!data->classes || y[at] < data->classes); at++)
            most = y[at] > most ? y[at] : most;
        if (y && at == data->count && !data->classes) data->classes = most >= 0 && most < 1 << 20 ? (int)most + 1 : 0;
        if (!data->classes || (y && at == data->count)) return data;
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "%s: the label of row %lld of \"%s\" is %d; labels go from 0 to %d, one for each of %d classes", operation,
            (long long)at, data->name, y ? y[at] : 0, data->classes - 1, data->classes);
    }
    situ_dataset_free(data);
    return NULL;
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
    memcpy(data->field[0].data, features, (size_t)(n * data->field[0].bytes));
    memcpy(data->field[1].data, labels, (size_t)n * sizeof *labels);
    return situ_dataset_checked(data, "situ_dataset_new");
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
    for (int i = 0; i < VALUES; i++) situ_dataset_values(data)[i] = (float)bytes[i] / SITU_DIGITS_WHITE;
    for (int i = 0; i < SITU_DIGITS_COUNT; i++) situ_dataset_label(data)[i] = bytes[VALUES + i];
    situ_free(bytes);
    return data;
}

/* ---- properties ----------------------------------------------------------------------------------------------------------- */

int64_t situ_dataset_count(const situ_dataset *data)
{
    return situ_is_usable(data, "situ_dataset_count", "data set") ? data->count : 0;
}
int situ_dataset_classes(const situ_dataset *data)
{
    return situ_is_usable(data, "situ_dataset_classes", "data set") ? data->classes : 0;
}
const char *situ_dataset_name(const situ_dataset *data)
{
    return situ_is_usable(data, "situ_dataset_name", "data set") ? data->name : "";
}

static situ_shape whole_shape(const situ_dataset *data, const situ_column *c)
{
    situ_shape shape = {.ndim = c->shape.ndim + 1};
    shape.dim[0] = data->count;
    memcpy(shape.dim + 1, c->shape.dim, (size_t)c->shape.ndim * sizeof *shape.dim);
    return shape;
}

situ_shape situ_dataset_shape(const situ_dataset *data)
{
    return situ_is_usable(data, "situ_dataset_shape", "data set") && data->fields ? whole_shape(data, &data->field[0]) : SHAPE(0);
}
const float *situ_dataset_features(const situ_dataset *data)
{
    if (!situ_is_usable(data, "situ_dataset_features", "data set") || !data->fields) return NULL;
    const situ_column *c = &data->field[0];
    return c->dtype == SITU_F32 && c->pitch == c->bytes && !c->start ? situ_dataset_values(data) : NULL;
}
const int32_t *situ_dataset_labels(const situ_dataset *data)
{
    return situ_is_usable(data, "situ_dataset_labels", "data set") ? situ_dataset_label(data) : NULL;
}

int situ_dataset_fields(const situ_dataset *data, situ_field *out, int most)
{
    if (!situ_is_usable(data, "situ_dataset_fields", "data set")) return 0;
    for (int i = 0; out && i < data->fields && i < most; i++) {
        const situ_column *c = &data->field[i];
        out[i] = (situ_field){.name = c->name,
            .dtype = c->dtype,
            .shape = whole_shape(data, c),
            .target = i >= data->inputs,
            .ragged = c->start != NULL,
            .data = c->pitch == c->bytes && !c->start ? c->data : NULL};
    }
    return data->fields;
}

bool situ_dataset_names(situ_dataset *data, char *const *path, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += strlen(path[i]) + 1;
    data->token = situ_dataset_block(data, (size_t)count * sizeof *data->token);
    char *to = data->token ? situ_dataset_block(data, bytes) : NULL;
    for (int i = 0; to && i < count; i++) {
        const char *slash = strrchr(path[i], '/');
        data->token[i] = strcpy(to, slash ? slash + 1 : path[i]);
        to += strlen(to) + 1;
    }
    data->tokens = SITU_NAMES;
    return to || situ_fail(SITU_NO_MEMORY, NULL, "no host memory for the names of %d classes", count) > 0;
}

/* ---- selecting rows --------------------------------------------------------------------------------------------------------- */

static bool keep_stages(situ_dataset *out, const situ_dataset *data)
{
    size_t bytes = (size_t)data->stages * sizeof *data->stage;
    out->stage = bytes ? situ_malloc(bytes) : NULL;
    if (out->stage) memcpy(out->stage, data->stage, bytes);
    out->stages = out->stage ? data->stages : 0;
    return out->stages == data->stages;
}

/* Selects rows of a ragged column (rows of different lengths). */
static bool select_ragged(situ_dataset *out, situ_column *to, const situ_column *from, const int64_t *rows, int64_t count)
{
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) total += situ_column_length(from, rows[i]);
    to->start = situ_dataset_block(out, (size_t)(count + 1) * sizeof *to->start);
    to->data = situ_dataset_block(out, (size_t)(total * from->bytes));
    to->bytes = to->pitch = from->bytes;
    if (!to->start || !to->data) return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t length = situ_column_length(from, rows[i]);
        memcpy(to->data + to->start[i] * to->bytes, from->data + from->start[rows[i]] * to->bytes, (size_t)(length * to->bytes));
        to->start[i + 1] = to->start[i] + length;
    }
    return true;
}

static situ_dataset *select_rows(const situ_dataset *data, const int64_t *rows, int64_t count)
{
    situ_column field[SITU_FIELDS];
    static char none[1];
    for (int k = 0; k < data->fields; k++) {
        field[k] = data->field[k];
        field[k].data = field[k].start ? none : NULL; /* filled in below */
    }
    situ_dataset *out = situ_dataset_frame(count, field, data->fields, data->inputs, data->classes, data->name);
    bool fits = out && keep_stages(out, data);
    if (fits && data->tokens == SITU_NAMES) fits = situ_dataset_names(out, data->token, data->classes);
    for (int k = 0; fits && k < data->fields; k++) {
        const situ_column *from = &data->field[k];
        situ_column *to = &out->field[k];
        if (from->start) fits = select_ragged(out, to, from, rows, count);
        else
            for (int64_t i = 0; i < count; i++)
                memcpy(to->data + i * to->pitch, from->data + rows[i] * from->pitch, (size_t)to->bytes);
    }
    if (fits) return out;
    situ_dataset_free(out);
    situ_fail(SITU_NO_MEMORY, NULL, "situ_dataset_select: no host memory for %lld rows", (long long)count);
    return NULL;
}

situ_dataset *(situ_dataset_select)(const situ_dataset *data, const int64_t *rows, int64_t count)
{
    SITU_SPEAK_AT("situ_dataset_select");
    if (situ_error_code || situ_ended(data, "situ_dataset_select", "data set", NULL)) return NULL;
    if (!data || (count && !rows) || count < 0 || data->row) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_select: %s",
            !data         ? "the data set is NULL" :
                data->row ? "the rows come from a function; they cannot be taken out" :
                rows      ? "a negative count" :
                            "rows is NULL");
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] >= 0 && rows[i] < data->count) continue;
        situ_fail(SITU_BAD_INDEX, NULL, "situ_dataset_select: row %lld of %lld", (long long)rows[i], (long long)data->count);
        return NULL;
    }
    return select_rows(data, rows, count);
}
