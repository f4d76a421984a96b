/* Random valid fused groups.
 *
 *     random_state s = {seed};
 *     situ_fused g = random_group(&s);
 *
 * Payload and sign of a NaN are unspecified, so no operation that would show them reads a computed value. */
#ifndef SITU_TEST_RANDOM_GROUP_H
#define SITU_TEST_RANDOM_GROUP_H

#include <string.h>

#include "op/reduce_kind.h"
#include "plan/kernel.h"
#include "support/random_element.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- shapes */

/* Splits n into factors over some of the axes from g->ndim on. */
static inline void random_factors(random_state *s, situ_fused *g, int64_t n, int axes)
{
    for (int i = 0; i < axes; i++) {
        int64_t factor = n;
        if (i + 1 < axes) {
            factor = random_between(s, 1, 6);
            if (n <= 0 || n % factor) factor = 1;
        }
        g->dim[g->ndim++] = factor;
        if (factor) n /= factor;
    }
}

static inline void random_domain(random_state *s, situ_fused *g)
{
    int64_t few = random_between(s, 1, 40), some = random_between(s, 1, 400), many = random_between(s, 1, 6000);
    bool large = random_chance(s, 8);
    int shape = random_below(s, 8);
    g->reduction = shape < 3 ? -1 : random_below(s, SITU_REDUCE_KINDS);
    g->A = g->R = g->C = 1;
    if (shape < 3) g->A = large ? 50 * many : random_chance(s, 5) ? 0 : many;
    else if (shape == 3) g->R = large ? 40 * many : many;                                  /* of all */
    else if (shape == 4) g->A = few, g->R = random_chance(s, 4) ? 0 : large ? many : some; /* of rows */
    else if (shape == 5) g->R = large ? many : some, g->C = few + 1;                       /* of columns */
    else if (shape == 6) g->R = few, g->C = large ? many : some + 1;
    else g->A = few, g->R = random_chance(s, 4) ? 0 : few, g->C = random_between(s, 2, 9);
    random_factors(s, g, g->A, random_below(s, 3) + 1);
    if (g->reduction < 0) return;
    random_factors(s, g, g->R, random_below(s, 2) + 1);
    if (g->C > 1) random_factors(s, g, g->C, random_below(s, 2) + 1);
}

/* Contiguous, permuted, reversed, with gaps, broadcast along some axes or all. */
static inline void random_strides(random_state *s, const situ_fused *g, int64_t *stride)
{
    int order[8];
    int64_t step = 1;
    for (int i = 0; i < 8; i++) stride[i] = 0;
    for (int i = 0; i < g->ndim; i++) order[i] = g->ndim - 1 - i;
    int kind = random_below(s, 6);
    if (kind == 5) return;
    for (int i = g->ndim - 1; i > 0 && kind == 2; i--) {
        int k = random_below(s, i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (int i = 0; i < g->ndim; i++) {
        if (kind == 4 && random_chance(s, 40)) continue;
        if (kind == 3 && random_chance(s, 40)) step *= 2;
        stride[order[i]] = kind >= 2 && random_chance(s, 25) ? -step : step;
        step *= g->dim[order[i]] ? g->dim[order[i]] : 1;
    }
}

/* ---------------------------------------------------------------- instructions */

static inline situ_instruction *next_instruction(situ_fused *g) { return &g->instruction[g->ninstruction++]; }

static inline situ_dtype register_dtype(const situ_fused *g, int i)
{
    const situ_instruction *in = &g->instruction[i];
    return (situ_dtype)(in->kind == SITU_DO_LOAD ? g->load[in->a].dtype : in->dtype);
}

/* The register, rounded as its dtype requires. */
static inline int rounded(situ_fused *g, int i)
{
    situ_dtype d = register_dtype(g, i);
    if (g->instruction[i].kind != SITU_DO_ELEMENT || situ_dtype_compute(d) == d) return i;
    *next_instruction(g) =
        (situ_instruction){.kind = SITU_DO_CAST, .dtype = (uint8_t)d, .from = (uint8_t)d, .a = (uint8_t)i};
    return g->ninstruction - 1;
}

static inline int cast_to(situ_fused *g, int i, situ_dtype d)
{
    *next_instruction(g) = (situ_instruction){
        .kind = SITU_DO_CAST, .dtype = (uint8_t)d, .from = (uint8_t)register_dtype(g, i), .a = (uint8_t)i};
    return g->ninstruction - 1;
}

static inline int add_load(random_state *s, situ_fused *g, situ_dtype d)
{
    situ_load *load = &g->load[g->nload];
    load->dtype = (uint8_t)d;
    random_strides(s, g, load->stride);
    *next_instruction(g) = (situ_instruction){.kind = SITU_DO_LOAD, .dtype = (uint8_t)d, .a = (uint8_t)g->nload++};
    return g->ninstruction - 1;
}

static inline bool shows_nan_bits(int el)
{
    return el == SITU_EL_bitcast_u32 || el == SITU_EL_bitcast_u64 || el == SITU_EL_signbit || el == SITU_EL_copysign;
}

/* An operand of compute dtype d: an existing value, perhaps cast to d. */
static inline int random_operand(random_state *s, situ_fused *g, const int *ready, int nready, situ_dtype d)
{
    int start = random_below(s, nready);
    for (int k = 0; k < nready; k++) {
        int i = ready[(start + k) % nready];
        if (situ_dtype_compute(register_dtype(g, i)) == d) return i;
    }
    return cast_to(g, ready[start], d);
}

static inline int add_element(random_state *s, situ_fused *g, const int *ready, int nready)
{
    int first = ready[random_below(s, nready)], el;
    situ_dtype logical = register_dtype(g, first);
    if (situ_dtype_is_complex(logical)) return cast_to(g, first, SITU_F32);
    situ_dtype d = situ_dtype_compute(logical);
    do el = random_below(s, SITU_EL_COUNT);
    while (!situ_el_takes((situ_el)el, d) || shows_nan_bits(el));
    bool choice = situ_el_rows[el].kind == SITU_EL_SELECT;
    situ_instruction in = {.kind = SITU_DO_ELEMENT, .el = (uint16_t)el, .from = (uint8_t)d, .a = (uint8_t)first};
    if (choice) in.a = (uint8_t)random_operand(s, g, ready, nready, SITU_BOOL), in.b = (uint8_t)first;
    else if (situ_el_rows[el].arity > 1) in.b = (uint8_t)random_operand(s, g, ready, nready, d);
    if (situ_el_rows[el].arity > 2) in.c = (uint8_t)random_operand(s, g, ready, nready, d);
    situ_dtype result = situ_el_result((situ_el)el, d);
    in.dtype = (uint8_t)(result == d ? logical : result);
    *next_instruction(g) = in;
    return rounded(g, g->ninstruction - 1);
}

static inline int add_iota(random_state *s, situ_fused *g)
{
    situ_dtype d = SITU_F16;
    while (d == SITU_F16 || d == SITU_BF16) d = (situ_dtype)random_between(s, SITU_U8, SITU_F64);
    int64_t inner = 1;
    int axis = g->ndim ? random_below(s, g->ndim) : 0;
    for (int i = axis + 1; i < g->ndim; i++) inner *= g->dim[i];
    *next_instruction(g) = (situ_instruction){.kind = SITU_DO_IOTA, .dtype = (uint8_t)d, .p = inner, .q = g->dim[axis]};
    return g->ninstruction - 1;
}

static inline int add_random(random_state *s, situ_fused *g)
{
    int64_t n = situ_shape_count(g->ndim, g->dim);
    if (random_chance(s, 30)) n += random_between(s, 0, 5000);
    else if (random_chance(s, 20)) n += random_between(s, 0, (int64_t)1 << 35);
    g->load[g->nload].dtype = SITU_U32;
    memset(g->load[g->nload].stride, 0, sizeof g->load[0].stride);
    *next_instruction(g) = (situ_instruction){.kind = SITU_DO_RANDOM,
                                              .dtype = random_chance(s, 50) ? SITU_U32 : SITU_U64,
                                              .a = (uint8_t)g->nload++,
                                              .p = random_below(s, 2),
                                              .q = n};
    return g->ninstruction - 1;
}

static inline situ_dtype random_dtype(random_state *s)
{
    if (random_chance(s, 35)) return SITU_F32;
    return (situ_dtype)random_below(s, random_chance(s, 10) ? SITU_DTYPES : SITU_C64);
}

static inline int add_instruction(random_state *s, situ_fused *g, const int *ready, int nready)
{
    int pick = nready ? random_below(s, 100) : 0;
    if (pick < 16 && g->nload < 8) return add_load(s, g, random_dtype(s));
    if (pick < 24) {
        situ_instruction in = {.kind = SITU_DO_ARGUMENT,
                               .dtype = (uint8_t)random_dtype(s),
                               .a = (uint8_t)g->nword++,
                               .b = (uint8_t)random_below(s, 2)};
        *next_instruction(g) = in;
        return g->ninstruction - 1;
    }
    if (pick < 29) return add_iota(s, g);
    if (pick < 33 && g->nload < 8) return add_random(s, g);
    if (pick < 45) return cast_to(g, ready[random_below(s, nready)], random_dtype(s));
    return add_element(s, g, ready, nready);
}

static inline void random_fold(random_state *s, situ_fused *g, const int *ready, int nready)
{
    int r = ready[random_below(s, nready)];
    situ_dtype d = register_dtype(g, r);
    if (situ_dtype_is_complex(d)) r = cast_to(g, r, d = SITU_F32);
    if (g->reduction >= SITU_REDUCE_MAX && random_chance(s, 50)) { /* of a comparison inside the group, which a chain
                                                                    * may compute */
        static const int compare[] = {SITU_EL_less, SITU_EL_less_equal, SITU_EL_greater, SITU_EL_equal, SITU_EL_not_equal};
        int a = random_operand(s, g, ready, nready, SITU_F32), b = random_operand(s, g, ready, nready, SITU_F32);
        *next_instruction(g) = (situ_instruction){.kind = SITU_DO_ELEMENT, .el = (uint16_t)compare[random_below(s, 5)], .from = SITU_F32,
                                                  .dtype = d = SITU_BOOL, .a = (uint8_t)a, .b = (uint8_t)b};
        r = g->ninstruction - 1;
    }
    bool logic = g->reduction == SITU_REDUCE_ANY || g->reduction == SITU_REDUCE_ALL;
    if (logic && d != SITU_BOOL) r = cast_to(g, r, d = SITU_BOOL);
    if (g->reduction < SITU_REDUCE_MAX && d == SITU_BOOL) r = cast_to(g, r, d = SITU_I32);
    g->reduce_register = (uint8_t)r;
    g->reduce_dtype = (uint8_t)d;
    if (g->reduction < SITU_REDUCE_MAX && random_chance(s, 50))
        g->reduce_dtype = (uint8_t)(situ_dtype_is_float(d) ? (random_chance(s, 70) ? SITU_F32 : SITU_F64) : SITU_I64);
    g->reduce_out = random_chance(s, 70) ? g->reduce_dtype : (uint8_t)d;
}

static inline situ_fused random_group(random_state *s)
{
    situ_fused g;
    int ready[SITU_FUSED_INSTRUCTIONS], nready = 0;
    memset(&g, 0, sizeof g);
    random_domain(s, &g);
    int wanted = random_chance(s, 20) ? (int)random_between(s, 1, 3) : (int)random_between(s, 4, 40);
    while (nready < wanted && g.ninstruction < SITU_FUSED_INSTRUCTIONS - 12 && g.nword < SITU_FUSED_WORDS)
        ready[nready] = add_instruction(s, &g, ready, nready), nready++;
    g.nstore = g.reduction < 0 ? (int)random_between(s, 1, 4) : random_below(s, 3);
    for (int i = 0; i < g.nstore; i++) {
        int r = random_chance(s, 50) ? ready[nready - 1] : ready[random_below(s, nready)];
        g.store[i].from_register = (uint8_t)r;
        g.store[i].dtype = (uint8_t)register_dtype(&g, r);
    }
    if (g.reduction >= 0) random_fold(s, &g, ready, nready);
    return g;
}

/* A group over [a,b] without stores. */
static inline situ_fused small_group(int64_t a, int64_t b)
{
    situ_fused g;
    memset(&g, 0, sizeof g);
    g.reduction = -1;
    g.ndim = 2;
    g.dim[0] = a;
    g.dim[1] = b;
    return g;
}

static inline void store_last(situ_fused *g)
{
    g->store[g->nstore].from_register = (uint8_t)(g->ninstruction - 1);
    g->store[g->nstore++].dtype = (uint8_t)register_dtype(g, g->ninstruction - 1);
}

static inline int add_contiguous(random_state *s, situ_fused *g, situ_dtype d)
{
    int i = add_load(s, g, d);
    situ_shape_strides(g->ndim, g->dim, g->load[g->nload - 1].stride);
    return i;
}

/* A group with one operation of compute dtype d, on loads of its own. */
static inline situ_fused element_group(random_state *s, situ_el el, situ_dtype d)
{
    situ_fused g = small_group(3, 700);
    situ_instruction in = {
        .kind = SITU_DO_ELEMENT, .el = (uint16_t)el, .from = (uint8_t)d, .dtype = (uint8_t)situ_el_result(el, d)};
    bool choice = situ_el_rows[el].kind == SITU_EL_SELECT;
    in.a = (uint8_t)add_contiguous(s, &g, choice ? SITU_BOOL : d);
    if (situ_el_rows[el].arity > 1) in.b = (uint8_t)add_contiguous(s, &g, d);
    if (situ_el_rows[el].arity > 2) in.c = (uint8_t)add_load(s, &g, d);
    *next_instruction(&g) = in;
    store_last(&g);
    return g;
}

static inline situ_fused cast_group(random_state *s, situ_dtype from, situ_dtype to)
{
    situ_fused g = small_group(3, 700);
    cast_to(&g, add_contiguous(s, &g, from), to);
    store_last(&g);
    return g;
}

/* A group that reduces a load over [A,R,C]. */
static inline situ_fused fold_group(random_state *s, int fold, situ_dtype d, int64_t A, int64_t R, int64_t C)
{
    situ_fused g = small_group(A, R);
    if (C > 1) g.dim[g.ndim++] = C;
    g.reduction = fold;
    g.A = A, g.R = R, g.C = C;
    g.reduce_register = (uint8_t)add_contiguous(s, &g, d);
    g.reduce_dtype = g.reduce_out = (uint8_t)d;
    return g;
}

static inline situ_fused bits_group(situ_dtype d, int layout, int64_t n)
{
    situ_fused g = small_group(1, 5000);
    g.load[g.nload++].dtype = SITU_U32;
    *next_instruction(&g) = (situ_instruction){.kind = SITU_DO_RANDOM, .dtype = (uint8_t)d, .p = layout, .q = n};
    store_last(&g);
    return g;
}

#endif
