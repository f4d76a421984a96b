/* A description of a data set that tells it from others. */
#include <stdio.h>

#include "base/hash.h"
#include "data/dataset.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { SAMPLED_ROWS = 64, SAMPLED_BYTES = 4096 };

static void hash_number(situ_hash *h, double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    situ_hash_word(h, word);
}

/* Hashes rows at equal distances, including the first and the last. */
static void hash_rows(situ_hash *h, const situ_dataset *data, const situ_column *c)
{
    int64_t n = data->count, rows = n < SAMPLED_ROWS ? n : SAMPLED_ROWS;
    for (int64_t i = 0; i < rows && c->data; i++) {
        int64_t row = rows > 1 ? i * (n - 1) / (rows - 1) : 0;
        int64_t bytes = c->start ? situ_column_length(c, row) * c->bytes : c->bytes;
        const char *from = c->data + (c->start ? c->start[row] * c->bytes : row * c->pitch);
        situ_hash_bytes(h, from, (size_t)(bytes < SAMPLED_BYTES ? bytes : SAMPLED_BYTES));
        if (bytes > SAMPLED_BYTES) situ_hash_bytes(h, from + bytes - SAMPLED_BYTES, SAMPLED_BYTES);
    }
}

static void hash_stage(situ_hash *h, const situ_row_change *s)
{
    const situ_augment_options *o = &s->o;
    const double number[] = {
        o->crop, o->flip, o->rotate, o->brightness, o->contrast, o->mean, o->deviation, o->mix_up, o->channels, s->map != NULL};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) hash_number(h, number[i]);
    for (int i = 0; i < o->channels; i++) hash_number(h, (double)s->mean[i]), hash_number(h, (double)s->deviation[i]);
}

void situ_dataset_describe(const situ_dataset *data, char *text, size_t size)
{
    situ_hash h = situ_hash_start(0);
    size_t used = (size_t)(data->count < 0 ? snprintf(text, size, "a stream of ") :
                                             snprintf(text, size, "%lld rows of ", (long long)data->count));
    for (int i = 0; i < data->fields; i++) {
        const situ_column *c = &data->field[i];
        char shape[128];
        hash_rows(&h, data, c);
        situ_hash_word(&h, (uint64_t)c->pixels << 1 | (c->start != NULL));
        hash_number(&h, c->fill);
        situ_shape_text((int)c->shape.ndim, c->shape.dim, shape, sizeof shape);
        if (used < size)
            used += (size_t)snprintf(
                text + used, size - used, "%s%.40s %s%s", i ? ", " : "", c->name ? c->name : "", situ_dtype_name(c->dtype), shape);
    }
    for (int i = 0; i < data->stages; i++) hash_stage(&h, &data->stage[i]);
    if (used < size) snprintf(text + used, size - used, " (%016llx)", (unsigned long long)situ_hash_end(&h).a);
}
