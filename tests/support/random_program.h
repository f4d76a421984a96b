/* Random programs by the public interface: the same seed records the same graph on any device.
 *
 *     program p;
 *     program_record(&p, seed, situ_gpu(0));      // p.tensor[0..count-1], p.result[0..results-1]
 *
 * All shapes broadcast to one domain, so that any two tensors of a program can be combined. No operation shows the bits
 * of a NaN (payload and sign are unspecified), and there are no matrix products (libraries may compute them). */
#ifndef SITU_TEST_RANDOM_PROGRAM_H
#define SITU_TEST_RANDOM_PROGRAM_H

#include <math.h>
#include <situ/ops.h>
#include <stdlib.h>
#include <string.h>

#include "op/elementwise.h"
#include "support/random_element.h"
#include "tensor/dtype.h"

enum { PROGRAM_TENSORS = 80, PROGRAM_RESULTS = 4 };

typedef struct program {
    random_state random;
    situ_device device;
    situ_shape domain;
    situ_tensor *key;
    int count, results;
    situ_tensor *tensor[PROGRAM_TENSORS], *result[PROGRAM_RESULTS];
} program;

typedef situ_tensor *(*operation_1)(situ_tensor *, situ_site);
typedef situ_tensor *(*operation_2)(situ_tensor *, situ_tensor *, situ_site);
typedef situ_tensor *(*operation_3)(situ_tensor *, situ_tensor *, situ_tensor *, situ_site);
static const struct {
    operation_1 one;
    operation_2 two;
    operation_3 three;
} operations[SITU_EL_COUNT] = {
#define EL1(name, kind, value, ga, lo, hi, doc) {.one = (situ_##name)},
#define EL2(name, kind, value, ga, gb, lo, hi, doc) {.two = (situ_##name)},
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) {.three = (situ_##name)},
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3
};

static inline situ_tensor *program_pick(program *p) { return p->tensor[random_below(&p->random, p->count)]; }

/* ---------------------------------------------------------------- leaves */

static inline situ_dtype program_dtype(program *p)
{
    if (random_chance(&p->random, 45)) return SITU_F32;
    return (situ_dtype)random_below(&p->random, SITU_C64);
}

/* The domain's shape, with some lengths replaced by 1. */
static inline situ_shape program_shape(program *p)
{
    situ_shape shape = p->domain;
    for (int i = 0; i < shape.ndim; i++)
        if (random_chance(&p->random, 20)) shape.dim[i] = 1;
    return shape;
}

static inline situ_tensor *program_leaf(program *p)
{
    situ_shape shape = program_shape(p);
    situ_dtype d = program_dtype(p);
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    size_t size = situ_dtype_size(d);
    char *data = malloc((size_t)n * size + 1);
    if (!data) return NULL;
    bool tame = random_chance(&p->random, 75);
    for (int64_t i = 0; i < n; i++) random_element(&p->random, d, tame, data + (size_t)i * size);
    situ_tensor *t = situ_from_host(data, shape, .dtype = d, .device = p->device);
    free(data);
    return t;
}

static inline situ_tensor *program_generated(program *p)
{
    situ_shape shape = program_shape(p);
    situ_tensor *key = situ_fold_in(p->key, random_below(&p->random, 1000));
    situ_layout_kind layout = random_chance(&p->random, 70) ? SITU_ORIGINAL : SITU_PARTITIONABLE;
    switch (random_below(&p->random, 7)) {
    case 0: return situ_uniform(key, shape, .layout = layout);
    case 1: return situ_normal(key, shape, .layout = layout);
    case 2: return situ_bernoulli(key, 0.4, shape, .layout = layout);
    case 3:
        return situ_random_bits(key, shape, .dtype = random_chance(&p->random, 50) ? SITU_U32 : SITU_U64,
                                .layout = layout);
    case 4: return situ_full(shape, random_unit(&p->random) * 4 - 2, .device = p->device);
    case 5: return situ_full(shape, random_between(&p->random, -5, 5), .device = p->device);
    default: {
        int64_t last = shape.dim[shape.ndim - 1];
        situ_tensor *count = situ_reshape(situ_arange(0, last, 1, .device = p->device), SHAPE(1, 1, last));
        return situ_cast(count, random_chance(&p->random, 50) ? SITU_F32 : SITU_I32);
    }
    }
}

/* ---------------------------------------------------------------- elementwise */

/* The tensor as an operand of an operation of this kind: cast if necessary. */
static inline situ_tensor *program_operand(situ_el_kind kind, situ_tensor *t)
{
    situ_dtype d = situ_dtype_of(t);
    bool real = situ_dtype_is_float(d);
    switch (kind) {
    case SITU_EL_FLOAT:
    case SITU_EL_NUMBER:
    case SITU_EL_ROUND:
    case SITU_EL_PREDICATE: return d == SITU_BOOL ? situ_cast(t, SITU_I32) : t;
    case SITU_EL_INTEGER: return real || d == SITU_BOOL ? situ_cast(t, SITU_I32) : t;
    case SITU_EL_BITS: return real ? situ_cast(t, SITU_I16) : t;
    case SITU_EL_LOGIC: return situ_cast(t, SITU_BOOL);
    case SITU_EL_TO_F32: return situ_cast(t, SITU_U32);
    case SITU_EL_TO_F64: return situ_cast(t, SITU_U64);
    default: return t;
    }
}

static inline situ_tensor *program_elementwise(program *p)
{
    int el;
    do el = random_below(&p->random, SITU_EL_COUNT);
    while (el == SITU_EL_bitcast_u32 || el == SITU_EL_bitcast_u64 || el == SITU_EL_signbit || el == SITU_EL_copysign);
    situ_el_kind kind = situ_el_rows[el].kind;
    int arity = situ_el_rows[el].arity;
    situ_tensor *in[3];
    for (int i = 0; i < arity; i++) in[i] = program_operand(kind, program_pick(p));
    if (kind == SITU_EL_SELECT) in[0] = situ_cast(in[0], SITU_BOOL);
    /* does not accept f16 and bf16 */
    for (int i = 0; i < arity && el == SITU_EL_nextafter; i++) in[i] = situ_cast(in[i], SITU_F32);
    /* integers meet no floats under operations that take integers only, and u64 with a signed one is a float */
    if ((kind == SITU_EL_INTEGER || kind == SITU_EL_BITS) && arity == 2) in[1] = situ_cast(in[1], situ_dtype_of(in[0]));
    if (kind != SITU_EL_LOGIC && kind != SITU_EL_SELECT && arity > 1 && random_chance(&p->random, 15))
        in[1] = random_chance(&p->random, 50) && situ_dtype_of(in[0]) != SITU_BOOL
                    ? situ_scalar_int(random_between(&p->random, 0, 3))
                    : in[0];
    if (arity == 1) return operations[el].one(in[0], SITU_HERE);
    if (arity == 2) return operations[el].two(in[0], in[1], SITU_HERE);
    return operations[el].three(in[0], in[1], in[2], SITU_HERE);
}

/* ---------------------------------------------------------------- other shapes */

static inline int program_axis(program *p) { return random_below(&p->random, (int)p->domain.ndim); }

/* Reduces one axis to length 1. */
static inline situ_tensor *program_reduced(program *p)
{
    situ_tensor *x = program_pick(p);
    int axis = program_axis(p);
    situ_axes axes = AXES(axis);
    if (random_chance(&p->random, 25)) axes = AXES(0, 1);
    situ_tensor *number = situ_dtype_of(x) == SITU_BOOL ? situ_cast(x, SITU_I32) : x;
    switch (situ_count(x) ? random_below(&p->random, 10) : 9) { /* an empty tensor has no largest element */
    case 0: return situ_mean(number, .axes = axes, .keepdims = true);
    case 1: return situ_max(number, .axes = axes, .keepdims = true);
    case 2: return situ_min(number, .axes = axes, .keepdims = true);
    case 3: return situ_prod(number, .axes = axes, .keepdims = true);
    case 4: return situ_any(x, .axes = axes, .keepdims = true);
    case 5: return situ_all(x, .axes = axes, .keepdims = true);
    case 6: return situ_argmax(number, .axis = axis, .keepdims = true);
    case 7: return situ_logsumexp(situ_cast(x, SITU_F32), .axes = axes, .keepdims = true);
    default: return situ_sum(x, .axes = axes, .keepdims = true);
    }
}

/* A view of the tensor; if its shape differs, operations that restore the domain. */
static inline situ_tensor *program_moved(program *p)
{
    situ_tensor *x = program_pick(p);
    int axis = program_axis(p), last = (int)p->domain.ndim - 1;
    situ_shape shape = situ_shape_of(x), one = shape;
    switch (random_below(&p->random, 7)) {
    case 0: return situ_flip(x, .axes = AXES(axis));
    case 1: { /* one slice along an axis */
        situ_shape start = SHAPE(0, 0, 0), stop = shape;
        start.dim[axis] = random_between(&p->random, 0, shape.dim[axis] ? shape.dim[axis] - 1 : 0);
        stop.dim[axis] = start.dim[axis] + 1;
        return shape.dim[axis] ? situ_slice(x, .start = start, .stop = stop) : x;
    }
    case 2: return situ_broadcast_to(x, p->domain);
    case 3: { /* transposed, an operation, transposed back */
        situ_tensor *y = situ_swapaxes(x, axis, last);
        return situ_swapaxes(situ_maximum(situ_dtype_of(y) == SITU_BOOL ? situ_cast(y, SITU_U8) : y, 1), axis, last);
    }
    case 4: { /* flattened to one axis */
        situ_tensor *y = situ_reshape(x, SHAPE(-1));
        if (!situ_count(x)) return x;
        return situ_reshape(situ_flip(y), one);
    }
    case 5: return situ_roll(x, random_between(&p->random, 1, 5), .axis = axis);
    default: { /* two halves, exchanged */
        situ_tensor *half[2];
        if (shape.dim[axis] < 2 || situ_split(x, 2, half, .axis = axis)) return x;
        return situ_concat(TENSORS(half[1], half[0]), .axis = axis);
    }
    }
}

/* Functions of rows that consist of several steps. */
static inline situ_tensor *program_composed(program *p)
{
    situ_tensor *x = situ_cast(program_pick(p), random_chance(&p->random, 70) ? SITU_F32 : SITU_F16);
    int axis = program_axis(p);
    if (!situ_count(x)) return x;
    switch (random_below(&p->random, 6)) {
    case 0: return situ_softmax(x, .axis = axis);
    case 1: return situ_log_softmax(x, .axis = axis);
    case 2: return situ_gelu(x);
    case 3: return situ_silu(x);
    case 4: return situ_cumsum(x, .axis = axis);
    default: return situ_sort(x, .axis = axis);
    }
}

/* ---------------------------------------------------------------- the whole */

static inline situ_tensor *program_operation(program *p)
{
    int pick = p->count < 2 ? 0 : random_below(&p->random, 100);
    if (pick < 8) return program_leaf(p);
    if (pick < 15) return program_generated(p);
    if (pick < 22) return situ_cast(program_pick(p), program_dtype(p));
    if (pick < 32) return program_reduced(p);
    if (pick < 42) return program_moved(p);
    if (pick < 47) return program_composed(p);
    return program_elementwise(p);
}

static inline void program_record(program *p, uint64_t seed, situ_device device)
{
    memset(p, 0, sizeof *p);
    p->random.state = seed;
    p->device = device;
    int64_t a = random_between(&p->random, 1, 6),
            b = random_between(&p->random, 1, random_chance(&p->random, 8) ? 90 : 20);
    int64_t c = random_between(&p->random, 1, random_chance(&p->random, 20) ? 1500 : 60), most = 120000 / (a * b);
    p->domain = SHAPE(a, random_chance(&p->random, 3) ? 0 : b, c < most ? c : most);
    p->key = situ_key((int64_t)(seed & 0xffff), .device = device);
    int wanted = (int)random_between(&p->random, 3, PROGRAM_TENSORS);
    while (p->count < wanted) p->tensor[p->count] = program_operation(p), p->count++;
    p->results = random_below(&p->random, PROGRAM_RESULTS) + 1;
    p->result[0] = p->tensor[p->count - 1];
    for (int i = 1; i < p->results; i++) p->result[i] = program_pick(p);
}

#endif
