/* Data sets from tensors, as windows of a sequence, and from functions of the user. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "op/support.h"
#include "tensor/dtype.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { NAME_BYTES = 64 };
static char rows_elsewhere[1]; /* placeholder for memory that a column gets later */
static char lengths_name[] = "lengths", input_name[] = "input", target_name[] = "target";

typedef struct naming {
    char *copy, *next; /* the rest of the list of names */
    char text[SITU_FIELDS][NAME_BYTES];
    int used;
} naming;

/* The next name of the comma-separated list; without one, a name made of the field's index. */
static char *next_name(naming *n, bool target, int index, int of)
{
    char *given = n->next, *text = n->text[n->used++];
    if (given) {
        n->next = strchr(given, ',');
        if (n->next) *n->next++ = 0;
        given += strspn(given, " ");
    }
    if (given && *given) snprintf(text, NAME_BYTES, "%s", given);
    else snprintf(text, NAME_BYTES, of > 1 ? "%s%d" : "%s", target ? "target" : "input", index);
    return text;
}

/* Describes a tensor as a column, without its first axis. */
static int column_of(situ_column *c, situ_tensor *t, int64_t count, const char *operation, situ_site site)
{
    char text[512];
    if (!t->ndim || (count >= 0 && t->dim[0] != count))
        return situ_fail(SITU_BAD_SHAPE, site,
            "%s: (%s) has %s; each tensor has the rows in front, as many as the first one has (%lld)", operation,
            situ_operand_text(t, text, sizeof text), t->ndim ? "another number of rows" : "no rows", (long long)count);
    c->dtype = (situ_dtype)t->dtype;
    c->shape.ndim = t->ndim - 1;
    memcpy(c->shape.dim, t->dim + 1, (size_t)c->shape.ndim * sizeof *c->shape.dim);
    return 0;
}

static int check_list(situ_list list, int targets, int most, const char *operation, situ_site site)
{
    if (situ_error_code) return -situ_error_code;
    if (list.count < 0 || list.count > most || (list.count && !list.tensor))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: %d tensors; a data set has 1 to %d inputs and targets", operation, list.count, most);
    if (targets < 0 || targets > list.count)
        return situ_fail(
            SITU_BAD_OPTION, site, "%s: " SITU_SAY(".targets", "targets") " = %d of %d tensors", operation, targets, list.count);
    return situ_usable(list.tensor, list.count, operation, site) ? 0 : -situ_error_code;
}

/* Reads the tensors into columns i, i + 1, ... */
static int read_all(situ_dataset *data, int i, situ_list list, situ_site site)
{
    int rc = 0;
    for (int k = 0; !rc && k < list.count; k++)
        rc = (situ_read)(list.tensor[k], data->field[i + k].data, (size_t)(data->field[i + k].bytes * data->count), site);
    return rc;
}

situ_dataset *(situ_tensor_dataset)(situ_list tensors, const situ_tensor_dataset_options *options, situ_site site)
{
    SITU_SPEAK("situ_tensor_dataset", site);
    situ_tensor_dataset_options o = {SITU_DEFAULTS(SITU_TENSOR_DATASET_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_tensor_dataset", site)) return NULL;
    if (o.targets == 1 && tensors.count == 1) o.targets = 0;
    if (check_list(tensors, o.targets, SITU_FIELDS, "situ_tensor_dataset", site)) return NULL;
    if (!tensors.count || o.classes < 0) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_tensor_dataset: %s",
            tensors.count ? "a negative number of classes" : "there is no tensor");
        return NULL;
    }
    situ_column field[SITU_FIELDS] = {{0}};
    int inputs = tensors.count - o.targets;
    int64_t count = tensors.tensor[0]->ndim ? tensors.tensor[0]->dim[0] : 0;
    naming n = {.copy = situ_strdup(o.names)};
    n.next = n.copy;
    bool fits = n.copy || !o.names;
    if (!fits) situ_fail(SITU_NO_MEMORY, site, "situ_tensor_dataset: out of host memory");
    for (int i = 0; fits && i < tensors.count; i++) {
        field[i].name = next_name(&n, i >= inputs, i < inputs ? i : i - inputs, i < inputs ? inputs : o.targets);
        fits = !column_of(&field[i], tensors.tensor[i], count, "situ_tensor_dataset", site);
    }
    situ_dataset *data = fits ? situ_dataset_frame(count, field, tensors.count, inputs, o.classes, o.name) : NULL;
    situ_free(n.copy);
    if (!data || !read_all(data, 0, tensors, site)) return situ_dataset_checked(data, "situ_tensor_dataset");
    situ_dataset_free(data);
    return NULL;
}

/* ---- rows of different lengths ---------------------------------------------------------------------------------------------- */

/* Computes where each row starts; returns the length of the longest row, or a negative code. */
static int64_t starts(situ_column *c, const int32_t *length, int64_t count, int64_t total, situ_site site)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < count; i++) {
        if (length[i] < 0 || length[i] > total - c->start[i])
            return situ_fail(SITU_BAD_ARGUMENT, site,
                "situ_ragged_dataset: row %lld has length %d, where %lld of the %lld values are left", (long long)i, length[i],
                (long long)(total - c->start[i]), (long long)total);
        c->start[i + 1] = c->start[i] + length[i];
        longest = length[i] > longest ? length[i] : longest;
    }
    if (c->start[count] == total) return longest;
    return situ_fail(SITU_BAD_ARGUMENT, site, "situ_ragged_dataset: the lengths add up to %lld, there are %lld values",
        (long long)c->start[count], (long long)total);
}

static situ_dataset *ragged(situ_list all, const situ_ragged_dataset_options *o, situ_site site)
{
    situ_tensor *values = all.tensor[0], *lengths = all.tensor[1];
    situ_column field[SITU_FIELDS] = {{0}};
    int inputs = all.count - o->targets;
    int64_t count = lengths->ndim == 1 ? lengths->dim[0] : 0, total = values->ndim ? values->dim[0] : 0;
    naming n = {.copy = situ_strdup(o->names)};
    n.next = n.copy;
    bool fits = n.copy || !o->names;
    for (int i = 0; fits && i < all.count; i++) {
        if (i == 1) field[i] = (situ_column){.name = lengths_name, .dtype = SITU_I32};
        else {
            field[i].name = next_name(&n, i >= inputs, i < inputs ? i : i - inputs, i < inputs ? inputs : o->targets);
            fits = !column_of(&field[i], all.tensor[i], i ? count : total, "situ_ragged_dataset", site);
        }
    }
    memmove(field[0].shape.dim + 1, field[0].shape.dim, sizeof field[0].shape.dim - sizeof *field[0].shape.dim);
    field[0].shape.dim[0] = 0;
    field[0].shape.ndim++;
    field[0].data = rows_elsewhere;
    field[0].fill = o->fill;
    situ_dataset *data = fits ? situ_dataset_frame(count, field, all.count, inputs, o->classes, o->name) : NULL;
    situ_free(n.copy);
    if (!data) return NULL;
    situ_column *c = data->field;
    c->bytes = c->pitch = (int64_t)situ_dtype_size(c->dtype) * (total ? situ_count(values) / total : 1);
    c->start = situ_dataset_block(data, (size_t)(count + 1) * sizeof *c->start);
    c->data = situ_dataset_block(data, (size_t)(total * c->bytes));
    if (!c->start || !c->data)
        situ_fail(SITU_NO_MEMORY, site, "situ_ragged_dataset: no host memory for %lld values", (long long)total);
    else if (!situ_read(values, c->data, (size_t)(total * c->bytes)) &&
        !read_all(data, 1, (situ_list){all.tensor + 1, all.count - 1}, site)) {
        int64_t longest = starts(c, (const int32_t *)(void *)data->field[1].data, count, total, site);
        c->shape.dim[0] = longest;
        if (longest >= 0) return situ_dataset_checked(data, "situ_ragged_dataset");
    }
    situ_dataset_free(data);
    return NULL;
}

situ_dataset *(situ_ragged_dataset)(situ_tensor *values, situ_tensor *lengths, situ_list tensors,
    const situ_ragged_dataset_options *options, situ_site site)
{
    SITU_SPEAK("situ_ragged_dataset", site);
    situ_ragged_dataset_options o = {SITU_DEFAULTS(SITU_RAGGED_DATASET_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_ragged_dataset", site)) return NULL;
    if (o.targets == 1 && !tensors.count) o.targets = 0;
    situ_tensor *all[SITU_FIELDS] = {values, lengths};
    if (check_list(tensors, o.targets, SITU_FIELDS - 2, "situ_ragged_dataset", site) ||
        !situ_usable(all, 2, "situ_ragged_dataset", site))
        return NULL;
    for (int i = 0; i < tensors.count; i++) all[2 + i] = tensors.tensor[i];
    if (lengths->ndim != 1 || !situ_dtype_is_integer((situ_dtype)lengths->dtype) || !values->ndim ||
        values->ndim == SITU_MAX_DIMS) {
        situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_ragged_dataset: values [total, ...] of at most 7 dimensions, and lengths, integers [n]");
        return NULL;
    }
    all[1] = situ_cast(lengths, SITU_I32);
    return ragged((situ_list){all, tensors.count + 2}, &o, site);
}

/* ---- windows -------------------------------------------------------------------------------------------------------------- */

situ_dataset *situ_dataset_windows(
    const situ_column *element, int64_t n, int64_t length, int64_t stride, const char *name, char **block, const char *operation)
{
    const char *of = name ? name : "the sequence";
    if (!stride) stride = length;
    if (length < 1 || stride < 1 || element->shape.ndim > SITU_MAX_DIMS - 2) {
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "%s: %s: windows of %lld elements of at most 6 dimensions, one each %lld; both are at least 1", operation, of,
            (long long)length, (long long)stride);
        return NULL;
    }
    if (n <= length) {
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "%s: %s has %lld elements; a window of %lld and what follows it need one more than a window", operation, of,
            (long long)n, (long long)length);
        return NULL;
    }
    situ_column field[2] = {*element};
    memmove(field[0].shape.dim + 1, element->shape.dim, (size_t)element->shape.ndim * sizeof *element->shape.dim);
    field[0].shape.ndim++;
    field[0].shape.dim[0] = length;
    field[0].data = rows_elsewhere;
    field[1] = field[0];
    field[0].name = input_name;
    field[1].name = target_name;
    situ_dataset *data = situ_dataset_frame((n - length - 1) / stride + 1, field, 2, 1, 0, name);
    int64_t size = data ? data->field[0].bytes / length : 0;
    *block = data ? situ_dataset_block(data, (size_t)(n * size)) : NULL;
    for (int i = 0; *block && i < 2; i++) {
        data->field[i].data = *block + i * size;
        data->field[i].pitch = stride * size;
    }
    if (*block) return data;
    if (data) situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for %lld elements", operation, (long long)n);
    situ_dataset_free(data);
    return NULL;
}

situ_dataset *(
    situ_window_dataset)(situ_tensor *sequence, int64_t length, const situ_window_dataset_options *options, situ_site site)
{
    SITU_SPEAK("situ_window_dataset", site);
    situ_window_dataset_options o = {SITU_DEFAULTS(SITU_WINDOW_DATASET_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_window_dataset", site) ||
        !situ_usable(&sequence, 1, "situ_window_dataset", site))
        return NULL;
    situ_column element = {0};
    int64_t n = sequence->ndim ? sequence->dim[0] : 0;
    if (sequence->ndim && column_of(&element, sequence, n, "situ_window_dataset", site)) return NULL;
    char *block;
    situ_dataset *data = situ_dataset_windows(&element, n, length, o.stride, o.name, &block, "situ_window_dataset");
    if (!data ||
        !(situ_read)(sequence, block, (size_t)n * situ_dtype_size(element.dtype) * (size_t)situ_column_count(&element), site))
        return data;
    situ_dataset_free(data);
    return NULL;
}

/* ---- functions of the user ----------------------------------------------------------------------------------------------- */

situ_dataset *situ_callback_dataset(
    int64_t count, const situ_field *fields, int number, situ_row_fn row, void *self, const char *name)
{
    SITU_SPEAK_AT("situ_callback_dataset");
    if (situ_error_code) return NULL;
    if (!fields || !row || number < 1 || number > SITU_FIELDS) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_callback_dataset: %s",
            !fields  ? "fields is NULL" :
                !row ? "there is no function" :
                       "there are 1 to 16 fields");
        return NULL;
    }
    situ_column column[SITU_FIELDS] = {{0}};
    int inputs = 0;
    for (int i = 0; i < number; i++) {
        situ_shape shape = fields[i].shape;
        if (!situ_shape_check(&shape, false, "situ_callback_dataset", NULL)) return NULL;
        if (!situ_dtype_valid(fields[i].dtype) || shape.ndim == SITU_MAX_DIMS || fields[i].ragged ||
            (i && fields[i - 1].target && !fields[i].target)) {
            situ_fail(SITU_BAD_ARGUMENT, NULL,
                "situ_callback_dataset: field %d is not an input, or a target after the inputs, of a known dtype, one length and "
                "at "
                "most 7 dimensions",
                i);
            return NULL;
        }
        inputs += !fields[i].target;
        column[i] = (situ_column){.name = (char *)(uintptr_t)(fields[i].name ? fields[i].name : "field"),
            .dtype = fields[i].dtype,
            .shape = shape,
            .data = rows_elsewhere};
    }
    situ_dataset *data = situ_dataset_frame(count < 0 ? -1 : count, column, number, inputs, 0, name);
    if (!data) return NULL;
    for (int i = 0; i < number; i++) data->field[i].data = NULL;
    data->row = row;
    data->self = self;
    return data;
}
