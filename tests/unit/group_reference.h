/* Reference implementation of fused groups: one element after another, with the baseline kernels, casts of single
 * elements, and reductions in the documented order. */
#ifndef GROUP_REFERENCE_H
#define GROUP_REFERENCE_H

#include "backend/cpu/tiles/tile.h"
#include "op/reduce_kind.h"
#include "numeric/threefry.h"
#include "plan/kernel.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union reference_value {
    uint8_t b;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    char bytes[16];
} reference_value;

static inline reference_value reference_cast(int from, int to, const void *element)
{
    reference_value v;
    memset(&v, 0, sizeof v);
    if (from == SITU_F64 && to == SITU_F32) v.f32 = (float)*(const double *)element;
    else if (situ_dtype_is_float((situ_dtype)from)) {
        double x = situ_element_get_f64((situ_dtype)from, element);
        if (situ_dtype_is_float((situ_dtype)to) || to == SITU_BOOL) situ_element_set_f64((situ_dtype)to, &v, x);
        else situ_element_set_f64((situ_dtype)to, &v, x);
    } else if (from == SITU_U64 && situ_dtype_is_float((situ_dtype)to)) {
        uint64_t x;
        memcpy(&x, element, 8);
        if (to == SITU_F64) v.f64 = (double)x;
        else if (to == SITU_F32) v.f32 = (float)x;
        else situ_element_set_f64((situ_dtype)to, &v, (double)x);
    } else if (to == SITU_F32) v.f32 = (float)situ_element_get_i64((situ_dtype)from, element);
    else situ_element_set_i64((situ_dtype)to, &v, situ_element_get_i64((situ_dtype)from, element));
    if (from == SITU_BOOL && to == SITU_BOOL) v.b = *(const uint8_t *)element != 0;
    return v;
}

/* ---------------------------------------------------------------- elements */

static inline const char *reference_at(const situ_fused *g, const situ_load *l, const char *base, int64_t position)
{
    int64_t offset = 0;
    for (int i = g->ndim; i-- > 0; position /= g->dim[i]) offset += position % g->dim[i] * l->stride[i];
    return base + offset * (int64_t)situ_dtype_size((situ_dtype)l->dtype);
}

static inline reference_value reference_instruction(const situ_fused *g, const situ_instruction *in,
                                                    const reference_value *r, char *const *load, const uint64_t *word,
                                                    int64_t position)
{
    int compute = situ_dtype_compute((situ_dtype)in->dtype);
    reference_value v, stored;
    memset(&v, 0, sizeof v);
    memset(&stored, 0, sizeof stored);
    switch (in->kind) {
    case SITU_DO_LOAD:
        compute = situ_dtype_compute((situ_dtype)g->load[in->a].dtype);
        return reference_cast(g->load[in->a].dtype, compute, reference_at(g, &g->load[in->a], load[in->a], position));
    case SITU_DO_ARGUMENT: {
        double real;
        memcpy(&real, &word[in->a], 8);
        if (in->b) situ_element_set_f64((situ_dtype)in->dtype, &stored, real);
        else situ_element_set_i64((situ_dtype)in->dtype, &stored, (int64_t)word[in->a]);
        return reference_cast(in->dtype, compute, &stored);
    }
    case SITU_DO_IOTA: {
        int64_t x = position / in->p % in->q;
        situ_element_set_i64((situ_dtype)in->dtype, &stored, x);
        return reference_cast(in->dtype, compute, &stored);
    }
    case SITU_DO_RANDOM:
        if (in->dtype == SITU_U64)
            situ_threefry_bits64(&v.u64, (const uint32_t *)(void *)load[in->a], (uint64_t)position, 1, (uint64_t)in->q,
                                 (int)in->p);
        else
            situ_threefry_bits32(&v.u32, (const uint32_t *)(void *)load[in->a], (uint64_t)position, 1, (uint64_t)in->q,
                                 (int)in->p);
        return v;
    case SITU_DO_ELEMENT: situ_tiles_baseline.op[in->el][in->from](&v, &r[in->a], &r[in->b], &r[in->c], 1); return v;
    default:
        stored = reference_cast(situ_dtype_compute((situ_dtype)in->from), in->dtype, &r[in->a]);
        return reference_cast(in->dtype, compute, &stored);
    }
}

/* ---------------------------------------------------------------- folds */

#define REFERENCE_OP(field)                                                                                            \
    switch (op) {                                                                                                      \
    case SITU_REDUCE_SUM: a.field = a.field + b.field; break;                                                            \
    case SITU_REDUCE_PROD: a.field = a.field * b.field; break;                                                           \
    case SITU_REDUCE_MAX:                                                                                                \
        if (a.field == a.field && !(a.field > b.field)) a.field = b.field;                                             \
        break;                                                                                                         \
    case SITU_REDUCE_MIN:                                                                                                \
        if (a.field == a.field && !(a.field < b.field)) a.field = b.field;                                             \
        break;                                                                                                         \
    default: break;                                                                                                    \
    }                                                                                                                  \
    break;

static inline reference_value reference_combine(int op, int dtype, reference_value a, reference_value b)
{
    switch (dtype) {
    case SITU_I32:
    case SITU_U32:
        if (dtype == SITU_U32 || op == SITU_REDUCE_SUM || op == SITU_REDUCE_PROD) {
            REFERENCE_OP(u32)
        }
        REFERENCE_OP(i32)
    case SITU_I64:
    case SITU_U64:
        if (dtype == SITU_U64 || op == SITU_REDUCE_SUM || op == SITU_REDUCE_PROD) {
            REFERENCE_OP(u64)
        }
        REFERENCE_OP(i64)
    case SITU_F32: REFERENCE_OP(f32)
    case SITU_F64: REFERENCE_OP(f64)
    default:
        if (op == SITU_REDUCE_ANY || op == SITU_REDUCE_MAX) a.b |= b.b;
        else a.b &= b.b;
    }
    return a;
}

static inline reference_value reference_neutral(int op, int dtype)
{
    reference_value v;
    memset(&v, 0, sizeof v);
    bool product = op == SITU_REDUCE_PROD, most = op == SITU_REDUCE_MIN;
    switch (dtype) {
    case SITU_BOOL: v.b = op == SITU_REDUCE_ALL || most; break;
    case SITU_I32: v.i32 = product ? 1 : op == SITU_REDUCE_SUM ? 0 : most ? INT32_MAX : INT32_MIN; break;
    case SITU_U32: v.u32 = product ? 1 : most ? UINT32_MAX : 0; break;
    case SITU_I64: v.i64 = product ? 1 : op == SITU_REDUCE_SUM ? 0 : most ? INT64_MAX : INT64_MIN; break;
    case SITU_U64: v.u64 = product ? 1 : most ? UINT64_MAX : 0; break;
    case SITU_F32: v.f32 = product ? 1 : op == SITU_REDUCE_SUM ? 0 : most ? INFINITY : -INFINITY; break;
    default: v.f64 = product ? 1 : op == SITU_REDUCE_SUM ? 0 : most ? INFINITY : -INFINITY; break;
    }
    return v;
}

/* Adjacent pairs level by level; an odd last one moves up. */
static inline reference_value reference_tree(int op, int dtype, reference_value *block, int64_t n)
{
    if (!n) return reference_neutral(op, dtype);
    for (; n > 1; n = (n + 1) / 2)
        for (int64_t i = 0; i < n; i += 2)
            block[i / 2] = i + 1 < n ? reference_combine(op, dtype, block[i], block[i + 1]) : block[i];
    return block[0];
}

static inline reference_value reference_row_block(int op, int dtype, const reference_value *x, int64_t n)
{
    reference_value lane[64];
    for (int i = 0; i < 64; i++) lane[i] = reference_neutral(op, dtype);
    for (int64_t i = 0; i < n; i++) lane[i % 64] = reference_combine(op, dtype, lane[i % 64], x[i]);
    for (int half = 32; half; half /= 2)
        for (int i = 0; i < half; i++) lane[i] = reference_combine(op, dtype, lane[i], lane[i + half]);
    return lane[0];
}

/* n elements in a row (last axis), or in a column. */
static inline reference_value reference_fold(int op, int dtype, const reference_value *x, int64_t n, bool row)
{
    int64_t size = row ? 1024 : 64, blocks = (n + size - 1) / size;
    reference_value *block = malloc((size_t)(blocks + 1) * sizeof *block);
    for (int64_t i = 0; i < blocks; i++) {
        int64_t m = n - i * size < size ? n - i * size : size;
        if (row) block[i] = reference_row_block(op, dtype, x + i * size, m);
        else {
            block[i] = reference_neutral(op, dtype);
            for (int64_t k = 0; k < m; k++) block[i] = reference_combine(op, dtype, block[i], x[i * size + k]);
        }
    }
    reference_value whole = reference_tree(op, dtype, block, blocks);
    free(block);
    return whole;
}

/* ---------------------------------------------------------------- groups */

/* `address` as in a launch; results go to separate memory. */
static inline void reference_run(const situ_fused *g, char *const *address, const uint64_t *word)
{
    int64_t count = situ_shape_count(g->ndim, g->dim);
    char *const *load = address + g->nstore + (g->reduction >= 0);
    reference_value *folded = malloc((size_t)(count + 1) * sizeof *folded), r[SITU_FUSED_INSTRUCTIONS];
    int accumulate = g->reduction < 0 ? 0 : situ_dtype_compute((situ_dtype)g->reduce_dtype);
    for (int64_t i = 0; i < count; i++) {
        for (int k = 0; k < g->ninstruction; k++) r[k] = reference_instruction(g, &g->instruction[k], r, load, word, i);
        for (int s = 0; s < g->nstore; s++) {
            const situ_instruction *in = &g->instruction[g->store[s].from_register];
            int held = situ_dtype_compute((situ_dtype)(in->kind == SITU_DO_LOAD ? g->load[in->a].dtype : in->dtype));
            reference_value v = reference_cast(held, g->store[s].dtype, &r[g->store[s].from_register]);
            size_t size = situ_dtype_size((situ_dtype)g->store[s].dtype);
            memcpy(address[s] + (size_t)i * size, &v, size);
        }
        if (g->reduction < 0) continue;
        const situ_instruction *in = &g->instruction[g->reduce_register];
        int held = situ_dtype_compute((situ_dtype)(in->kind == SITU_DO_LOAD ? g->load[in->a].dtype : in->dtype));
        folded[i] = reference_cast(held, accumulate, &r[g->reduce_register]);
    }
    reference_value *column = malloc((size_t)(g->reduction < 0 ? 1 : g->R + 1) * sizeof *column);
    for (int64_t i = 0; g->reduction >= 0 && i < g->A * g->C; i++) {
        for (int64_t k = 0; k < g->R; k++) column[k] = folded[(i / g->C * g->R + k) * g->C + i % g->C];
        reference_value whole = reference_fold(g->reduction, accumulate, column, g->R, g->C == 1);
        whole = reference_cast(accumulate, g->reduce_out, &whole);
        size_t size = situ_dtype_size((situ_dtype)g->reduce_out);
        memcpy(address[g->nstore] + (size_t)i * size, &whole, size);
    }
    free(column);
    free(folded);
}

/* The first element that differs, -1: none. NaNs are equal. */
static inline int64_t reference_differs(int dtype, const void *a, const void *b, int64_t n)
{
    size_t size = situ_dtype_size((situ_dtype)dtype);
    const char *x = a, *y = b;
    for (int64_t i = 0; i < n; i++, x += size, y += size) {
        if (!memcmp(x, y, size)) continue;
        if (situ_dtype_is_float((situ_dtype)dtype) && isnan(situ_element_get_f64((situ_dtype)dtype, x)) &&
            isnan(situ_element_get_f64((situ_dtype)dtype, y)))
            continue;
        return i;
    }
    return -1;
}

#endif
