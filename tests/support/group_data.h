/* Memory to run a group on: random operands, results, argument words.
 *
 *     group_data data;
 *     if (data_make(&data, &g, &s)) ... data_reset(&data), run with data.address, data.argument ...
 *     data_free(&data);
 */
#ifndef SITU_TEST_GROUP_DATA_H
#define SITU_TEST_GROUP_DATA_H

#include <stdlib.h>

#include "support/random_group.h"

typedef struct group_data {
    const situ_fused *g;
    int naddress, nresult;
    char *address[SITU_FUSED_STORES + 1 + SITU_FUSED_LOADS];
    char *block[SITU_FUSED_STORES + 1 + SITU_FUSED_LOADS]; /* blocks that the addresses point into */
    char *fresh[SITU_FUSED_STORES + 1 + SITU_FUSED_LOADS]; /* initial values of the operands */
    int64_t bytes[SITU_FUSED_STORES + 1 + SITU_FUSED_LOADS];
    int alias; /* the operand that store 0 overwrites, or -1 */
    uint64_t argument[SITU_FUSED_WORDS];
} group_data;

static inline situ_dtype result_dtype(const situ_fused *g, int i)
{
    return (situ_dtype)(i < g->nstore ? g->store[i].dtype : g->reduce_out);
}

static inline bool data_load(group_data *d, int i, random_state *s)
{
    const situ_load *load = &d->g->load[i];
    int at = d->nresult + i;
    int64_t low = 0, high = 0, size = (int64_t)situ_dtype_size((situ_dtype)load->dtype);
    for (int k = 0; k < d->g->ndim; k++) {
        int64_t reach = d->g->dim[k] > 0 ? load->stride[k] * (d->g->dim[k] - 1) : 0;
        *(reach < 0 ? &low : &high) += reach;
    }
    int64_t n = high - low + 2; /* a key has two words */
    d->bytes[at] = n * size;
    d->block[at] = malloc((size_t)d->bytes[at]);
    d->fresh[at] = malloc((size_t)d->bytes[at]);
    if (!d->block[at] || !d->fresh[at]) return false;
    bool tame = random_chance(s, 70);
    for (int64_t k = 0; k < n; k++) random_element(s, (situ_dtype)load->dtype, tame, d->fresh[at] + k * size);
    d->address[at] = d->block[at] - low * size;
    return true;
}

/* Lets store 0 overwrite an operand with the same layout, as the planner does with inputs that are not needed any
 * more. */
static inline void data_alias(group_data *d, random_state *s)
{
    const situ_fused *g = d->g;
    d->alias = -1;
    if (!g->nstore || !random_chance(s, 30)) return;
    for (int i = 0; i < g->nload; i++)
        if (situ_is_contiguous(g->ndim, g->dim, g->load[i].stride) &&
            situ_dtype_size((situ_dtype)g->load[i].dtype) == situ_dtype_size((situ_dtype)g->store[0].dtype) &&
            situ_shape_count(g->ndim, g->dim) > 1)
            d->alias = d->nresult + i;
}

static inline void data_free(group_data *d)
{
    for (int i = 0; i < d->naddress; i++) {
        free(d->block[i]);
        free(d->fresh[i]);
    }
}

static inline bool data_make(group_data *d, const situ_fused *g, random_state *s)
{
    memset(d, 0, sizeof *d);
    d->g = g;
    d->nresult = g->nstore + (g->reduction >= 0);
    d->naddress = d->nresult + g->nload;
    bool made = true;
    for (int i = 0; i < d->nresult; i++) {
        int64_t n = i < g->nstore ? situ_shape_count(g->ndim, g->dim) : g->A * g->C;
        d->bytes[i] = n * (int64_t)situ_dtype_size(result_dtype(g, i));
        d->address[i] = d->block[i] = malloc((size_t)d->bytes[i] + 1);
        made &= d->block[i] != NULL;
    }
    for (int i = 0; i < g->nload && made; i++) made = data_load(d, i, s);
    for (int i = 0; i < g->nword; i++) {
        double x = random_chance(s, 80) ? random_unit(s) * 6 - 3 : random_unit(s) * 1e12;
        memcpy(&d->argument[i], &x, 8);
    }
    for (int i = 0; i < g->ninstruction; i++) {
        const situ_instruction *in = &g->instruction[i];
        if (in->kind == SITU_DO_ARGUMENT && !in->b)
            d->argument[in->a] = random_chance(s, 80) ? (uint64_t)random_between(s, -9, 9) : random_u64(s);
    }
    data_alias(d, s);
    if (d->alias >= 0) d->address[0] = d->address[d->alias];
    return made;
}

/* Restores the operands, and fills the results with a pattern that no kernel writes. */
static inline void data_reset(group_data *d)
{
    for (int i = 0; i < d->naddress; i++) {
        if (i < d->nresult) memset(d->block[i], 0xa5, (size_t)d->bytes[i]);
        else memcpy(d->block[i], d->fresh[i], (size_t)d->bytes[i]);
    }
}

#endif
