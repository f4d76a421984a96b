/* Groups with many operations, each with a store of its own: one kernel covers many cases, because kernels take long to
 * compile. */
#ifndef SITU_TEST_BULK_GROUP_H
#define SITU_TEST_BULK_GROUP_H

#include "support/random_group.h"

/* A group with three loads of dtype d and one of bool. */
static inline situ_fused bulk_group(random_state *s, situ_dtype d)
{
    situ_fused g = small_group(3, 700);
    for (int i = 0; i < 3; i++) add_contiguous(s, &g, d);
    add_contiguous(s, &g, SITU_BOOL);
    return g;
}

static inline void store_that(situ_fused *g, situ_instruction in)
{
    g->store[g->nstore].from_register = (uint8_t)g->ninstruction;
    g->store[g->nstore++].dtype = in.dtype;
    *next_instruction(g) = in;
}

static inline void bulk_operation(situ_fused *g, int el, situ_dtype d)
{
    bool choice = situ_el_rows[el].kind == SITU_EL_SELECT;
    store_that(g, (situ_instruction){.kind = SITU_DO_ELEMENT, .el = (uint16_t)el, .from = (uint8_t)d,
                                     .dtype = (uint8_t)situ_el_result((situ_el)el, d), .a = choice ? 3 : 0, .b = 1, .c = 2});
}

/* All casts from dtypes first ... first + 3. */
static inline situ_fused bulk_casts(random_state *s, int first)
{
    situ_fused g = small_group(3, 700);
    for (int from = first; from < SITU_DTYPES && from < first + 4; from++) {
        int r = add_contiguous(s, &g, (situ_dtype)from);
        for (int to = 0; to < SITU_DTYPES; to++)
            if (to != from) store_that(&g, (situ_instruction){.kind = SITU_DO_CAST, .dtype = (uint8_t)to, .from = (uint8_t)from, .a = (uint8_t)r});
    }
    return g;
}

/* Random bits of every width and layout. */
static inline situ_fused bulk_bits(int64_t n)
{
    situ_fused g = bits_group(SITU_U32, 0, n);
    for (int kind = 1; kind < 4; kind++)
        store_that(&g, (situ_instruction){.kind = SITU_DO_RANDOM, .dtype = kind & 1 ? SITU_U64 : SITU_U32, .p = kind / 2, .q = n});
    return g;
}

/* Reductions in every mode of execution: [A,R,C], kind and dtype. */
static const struct {
    int64_t A, R, C;
    int fold;
    situ_dtype d;
} bulk_folds[] = {
    {300, 10, 1, SITU_REDUCE_SUM, SITU_F32}, {3, 256, 1, SITU_REDUCE_MAX, SITU_F16}, {2, 0, 1, SITU_REDUCE_MIN, SITU_F32},
    {5, 700, 1, SITU_REDUCE_SUM, SITU_F64}, {2, 1025, 1, SITU_REDUCE_PROD, SITU_I32}, {1, 200001, 1, SITU_REDUCE_SUM, SITU_F32},
    {1, 5120, 1, SITU_REDUCE_SUM, SITU_I64}, {1, 600000, 1, SITU_REDUCE_MAX, SITU_F32}, {1, 3000, 1, SITU_REDUCE_ANY, SITU_BOOL},
    {2, 40, 70, SITU_REDUCE_SUM, SITU_F32}, {1, 1, 5, SITU_REDUCE_ALL, SITU_BOOL}, {3, 500, 65, SITU_REDUCE_SUM, SITU_F32},
    {1, 5000, 40, SITU_REDUCE_SUM, SITU_BF16}, {1, 0, 9, SITU_REDUCE_PROD, SITU_F32}, {1, 448, 3, SITU_REDUCE_MIN, SITU_U8}};

#endif
