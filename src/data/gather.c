#include "data/gather.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/augment.h"
#include "op/support.h"
#include "tensor/dtype.h"

static double mixing(const situ_dataset *data)
{
    for (int i = 0; i < data->stages; i++)
        if (data->stage[i].o.mix_up > 0) return data->stage[i].o.mix_up;
    return 0;
}

situ_column situ_gathered(const situ_dataset *data, int field)
{
    situ_column c = data->field[field];
    if (c.start) return c;
    if (!field && c.pixels) c.dtype = SITU_F32;
    if (field == data->inputs && mixing(data) > 0) c.dtype = SITU_F32, c.shape = SHAPE(data->classes);
    c.bytes = situ_column_count(&c) * (int64_t)situ_dtype_size(c.dtype);
    return c;
}

static int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

size_t situ_slot_bytes(const situ_dataset *data, int field, int64_t rows, int64_t multiple)
{
    situ_column c = situ_gathered(data, field);
    return (size_t)(rows * c.bytes * (c.start ? round_up(c.shape.dim[0], multiple) : 1));
}

/* Fills memory with one value. */
static void fill(char *to, int64_t bytes, situ_dtype dtype, double value)
{
    char one[16];
    int64_t size = (int64_t)situ_dtype_size(dtype);
    situ_element_set_f64(dtype, one, value);
    for (int64_t i = 0; i < bytes; i += size) memcpy(to + i, one, (size_t)size);
}

static void pad(const situ_column *c, int64_t row, int64_t length, char *to)
{
    int64_t own = situ_column_length(c, row) * c->bytes;
    memcpy(to, c->data + c->start[row] * c->bytes, (size_t)own);
    fill(to + own, length * c->bytes - own, c->dtype, c->fill);
}

/* Loads the first input of a row as f32. */
static void load(const situ_dataset *data, int64_t row, float *to)
{
    const situ_column *c = &data->field[0];
    const char *from = c->data + row * c->pitch;
    int64_t n = situ_column_count(c);
    if (!c->pixels) memcpy(to, from, (size_t)c->bytes);
    for (int64_t i = 0; c->pixels && i < n; i++) to[i] = (float)(uint8_t)from[i] / 255;
}

/* Applies the stages before `end`; each has its own random numbers. */
static void change(const situ_dataset *data, const situ_data_pass *pass, int64_t row, float *x)
{
    const situ_column *c = &data->field[0];
    for (int k = 0; k < data->stages; k++) {
        situ_draws d = situ_draws_of(pass->key, pass->epoch, row, k);
        situ_augment(&data->stage[k], &c->shape, x, situ_column_count(c), &d);
    }
}

/* Mixes the row with a random other one; both labels become shares. */
static void mix(const situ_dataset *data, const situ_data_pass *pass, int64_t row, double a, char *x, char *y, float *scratch)
{
    situ_draws d = situ_draws_of(pass->key, pass->epoch, row, 1 << 16);
    const int32_t *label = situ_dataset_label(data);
    int64_t n = situ_column_count(&data->field[0]), other = (int64_t)(situ_draw(&d) * (double)data->count);
    float *to = (float *)(void *)x, *share = (float *)(void *)y, lambda = (float)situ_draw_beta(&d, a);
    load(data, other, scratch);
    change(data, pass, other, scratch);
    for (int64_t i = 0; i < n; i++) to[i] = lambda * to[i] + (1 - lambda) * scratch[i];
    memset(share, 0, (size_t)data->classes * sizeof *share);
    share[label[row]] += lambda;
    share[label[other]] += 1 - lambda;
}

static void copy_row(
    const situ_dataset *data, const situ_data_pass *pass, int64_t row, situ_gathered_rows *slot, int64_t at, float *scratch)
{
    double a = data->stages ? mixing(data) : 0;
    for (int k = 0; k < data->fields; k++) {
        const situ_column *c = &data->field[k];
        if (c->start) pad(c, row, slot->length, slot->field[k] + at * slot->length * c->bytes);
        else if (!k && (c->pixels || data->stages)) {
            load(data, row, scratch);
            change(data, pass, row, scratch);
            memcpy(slot->field[k] + at * situ_column_count(c) * 4, scratch, (size_t)situ_column_count(c) * 4);
        } else if (a > 0 && k == data->inputs)
            mix(data, pass, row, a, slot->field[0] + at * situ_column_count(&data->field[0]) * 4,
                slot->field[k] + at * data->classes * 4, scratch);
        else memcpy(slot->field[k] + at * c->bytes, c->data + row * c->pitch, (size_t)c->bytes);
    }
}

static int make_row(
    const situ_dataset *data, const situ_data_pass *pass, int64_t row, const situ_gathered_rows *slot, int64_t at, float *scratch)
{
    void *to[SITU_FIELDS];
    for (int k = 0; k < data->fields; k++) to[k] = slot->field[k] + at * data->field[k].bytes;
    int rc = data->row(data->self, row, to);
    if (rc || !data->stages) return rc;
    memcpy(scratch, to[0], (size_t)data->field[0].bytes);
    change(data, pass, row, scratch);
    memcpy(to[0], scratch, (size_t)data->field[0].bytes);
    return 0;
}

int situ_data_gather(const situ_dataset *data, const situ_data_pass *pass, int64_t first, int64_t rows, situ_gathered_rows *slot,
    float *scratch, int64_t *bad)
{
    const situ_column *c = data->field;
    slot->length = 0;
    for (int64_t i = 0; c->start && i < rows; i++) {
        int64_t length = situ_column_length(c, pass->order[first + i]);
        slot->length = length > slot->length ? length : slot->length;
    }
    slot->length = round_up(slot->length, pass->multiple);
    for (slot->rows = 0; slot->rows < rows; slot->rows++) {
        int64_t row = pass->order ? pass->order[first + slot->rows] :
                                    __atomic_fetch_add(&((situ_dataset *)(uintptr_t)data)->taken, 1, __ATOMIC_RELAXED);
        int rc = 0;
        if (data->row) rc = make_row(data, pass, row, slot, slot->rows, scratch);
        else copy_row(data, pass, row, slot, slot->rows, scratch);
        *bad = row;
        if (rc) return rc;
    }
    return 0;
}
