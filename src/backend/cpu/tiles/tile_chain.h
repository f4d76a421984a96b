/* The links of chains (tile.h): value expressions applied to eight vectors, which links pass to each other in
 * registers. A link returns a vector, so that the compiler need not clear the upper halves of registers at every
 * return. */
#define REGISTERS v_F r0, v_F r1, v_F r2, v_F r3, v_F r4, v_F r5, v_F r6, v_F r7
typedef v_F (*chain_fn)(REGISTERS, const situ_link *in, char *const *place, int64_t at);
enum { AT_ONCE = 8 };

#define PREFIX v_
#define LINK(name) static v_F name(REGISTERS, const situ_link *in, char *const *place, int64_t at)
#define NEXT return ((chain_fn)in[1].run)(r0, r1, r2, r3, r4, r5, r6, r7, in + 1, place, at);
#define OPERAND(k) const float *k = (const float *)(const void *)(place[in->k] + (at & in->stride_##k));
#define VECTOR_AT(k, i) v_load(k + i * LANES)
/* EACH(DO) expands DO(r, i) for each register r, with its number i. */
#define EACH(DO) DO(r0, 0) DO(r1, 1) DO(r2, 2) DO(r3, 3) DO(r4, 4) DO(r5, 5) DO(r6, 6) DO(r7, 7)

LINK(link_load)
{
    OPERAND(a)
#define LOAD(r, i) r = VECTOR_AT(a, i);
    EACH(LOAD)
    NEXT
}
/* The same with prefetching b lines ahead: the hardware prefetcher follows consecutive lines only to the end of a
 * memory page. */
LINK(link_load_far)
{
    OPERAND(a)
    const char *ahead = (const char *)a + (size_t)in->b * SITU_LINE;
#define LOAD_FAR(r, i) \
    r = VECTOR_AT(a, i); \
    __asm__ volatile("" : SITU_IN_REGISTER(r)); \
    if (i * VECTOR_BYTES % SITU_LINE == 0) __builtin_prefetch(ahead + i * VECTOR_BYTES, 0, 2);
    EACH(LOAD_FAR)
    NEXT
}
LINK(link_count)
{
    static const float lane[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    v_F start = v_load(lane) + v_constant(*(const float *)(const void *)place[in->a] + (float)((uint32_t)at / 4));
#define COUNT(r, i) r = start + v_constant(i * LANES);
    EACH(COUNT)
    NEXT
}
/* Argument of links: the block's offset in bytes; for a block that is stored in part, also the first element and the
 * end. */
#define PART(at, from, to) ((int64_t)(at) | (int64_t)(from) << 32 | (int64_t)(to) << 48)
#define PUT(r, i) v_store(block + i * LANES, r);
static inline void copy_few(float *to, const float *from, int n)
{
    for (int i = 0; i < n; i += LANES) {
        int part = n - i < LANES ? n - i : LANES;
        v_store_part(to + i, v_load_part(from + i, part), part);
    }
}
/* Stores the part of a block that `at` asks for. */
static inline void copy_part(float *to, const float *block, int64_t at)
{
    int from = (int)(at >> 32 & 0xffff), end = (int)(at >> 48);
    copy_few(to + from, block + from, end - from);
}
__attribute__((noinline)) LINK(save_part)
{
    float *a = (float *)(void *)(place[in->a] + (at & in->stride_a)), block[AT_ONCE * LANES];
    EACH(PUT)
    copy_part(a, block, at);
    NEXT
}
LINK(link_save)
{
    if (at >> 32) return save_part(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at);
    float *a = (float *)(void *)(place[in->a] + (at & in->stride_a));
#define SAVE(r, i) v_store(a + i * LANES, r);
    EACH(SAVE)
    NEXT
}
/* A pinned position affects one element of one block. Returns its offset from the block's first element. */
static inline float pinned(const situ_link *in, char *const *place, int64_t at)
{
    return *(const float *)(const void *)place[in->b] - (*(const float *)(const void *)place[in->a] + (float)((uint32_t)at / 4));
}
__attribute__((noinline)) LINK(pin_here)
{
    float block[AT_ONCE * LANES], lane = pinned(in, place, at);
    EACH(PUT)
    if (lane == (float)(int)lane) block[(int)lane] = *(const float *)(const void *)place[in->stride_b];
#define GET(r, i) r = v_load(block + i * LANES);
    EACH(GET)
    NEXT
}
LINK(link_pin)
{
    float lane = pinned(in, place, at);
    if (lane >= 0 && lane < AT_ONCE * LANES) return pin_here(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at);
    NEXT
}
/* Streams whole lines only: a normal store of part of a line would read the line first. */
enum { LINE = SITU_LINE / 4 };
static inline void stream_line(float *to, const float *from)
{
    for (int i = 0; i < LINE; i += LANES) v_stream(to + i, v_load(from + i));
}
static void end_edge(situ_edge *e)
{
    if (e->line && e->from == 0 && e->to == LINE) stream_line(e->line, e->part);
    else if (e->line) copy_few(e->line + e->from, e->part + e->from, e->to - e->from);
    e->line = NULL;
}
__attribute__((noinline)) LINK(stream_part)
{
    float *a = (float *)(void *)(place[in->a] + (at & in->stride_a)), block[AT_ONCE * LANES];
    situ_edge *e = (situ_edge *)(void *)(place[in->b] + in->stride_b);
    EACH(PUT)
    for (int i = (int)(at >> 32 & 0xffff), end = (int)(at >> 48), n; i < end; i += n) {
        int behind = (int)((uintptr_t)(a + i) % SITU_LINE / 4);
        float *line = a + i - behind;
        n = end - i < LINE - behind ? end - i : LINE - behind;
        if (n == LINE) {
            stream_line(line, block + i);
            continue;
        }
        if (e->line != line || e->to != behind) {
            end_edge(e);
            e->line = line;
            e->from = behind;
        }
        copy_few(e->part + behind, block + i, n);
        e->to = behind + n;
        if (e->to == LINE) end_edge(e);
    }
    NEXT
}
LINK(link_stream)
{
    if (at >> 32) return stream_part(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at);
    float *a = (float *)(void *)(place[in->a] + (at & in->stride_a));
    if ((uintptr_t)a % VECTOR_BYTES) {
        EACH(SAVE)
    } else {
#define STREAM(r, i) v_stream(a + i * LANES, r);
        EACH(STREAM)
    }
    NEXT
}
/* f16 and bf16 in memory are f32 in registers. */
#define HALF_OPERAND char *a = place[in->a] + ((at & in->stride_a) >> 1);
#define WIDEN(r, i, half) r = v_from_##half(v_16(a + i * VECTOR_BYTES / 2));
#define NARROW_TO(r, i, half) v_put_16(a + i * VECTOR_BYTES / 2, v_to_##half(r));
#define STREAM_TO(r, i, half) v_stream_16(a + i * VECTOR_BYTES / 2, v_to_##half(r));
#define EACH_HALF(DO, half) \
    DO(r0, 0, half) DO(r1, 1, half) DO(r2, 2, half) DO(r3, 3, half) DO(r4, 4, half) DO(r5, 5, half) DO(r6, 6, half) DO(r7, 7, half)
#define HALF_LINKS(half, ROUND) \
    LINK(widen_##half) \
    { \
        HALF_OPERAND \
        for (int i = 0; in->stride_b && i < AT_ONCE * VECTOR_BYTES / 2; i += SITU_LINE) \
            __builtin_prefetch(a + in->stride_b * SITU_LINE + i, 0, 2); \
        EACH_HALF(WIDEN, half) NEXT \
    } \
    __attribute__((noinline)) LINK(narrow_part_##half) \
    { \
        char block[AT_ONCE * VECTOR_BYTES / 2], *to = place[in->a] + ((at & in->stride_a) >> 1), *a = block; \
        int from = (int)(at >> 32 & 0xffff), end = (int)(at >> 48); \
        EACH_HALF(NARROW_TO, half) \
        memcpy(to + 2 * from, block + 2 * from, (size_t)(end - from) * 2); \
        NEXT \
    } \
    LINK(narrow_##half) \
    { \
        HALF_OPERAND \
        if (at >> 32) return narrow_part_##half(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at); \
        if (in->stride_b && !((uintptr_t)a % SITU_LINE)) { \
            EACH_HALF(STREAM_TO, half) \
        } else { \
            EACH_HALF(NARROW_TO, half) \
        } \
        NEXT \
    } \
    LINK(round_##half) { EACH_HALF(ROUND, half) NEXT }
#define ROUND_F16(r, i, half) r = v_from_f16(v_to_f16(r));
#define ROUND_BF16(r, i, half) r = (v_F)(v_rounded_bf16(r) & (v_I)(v_bits(v_constant(0)) | 0xffff0000u));
HALF_LINKS(f16, ROUND_F16)
HALF_LINKS(bf16, ROUND_BF16)

/* Reduces into 64 lanes in memory: element i goes to lane i mod 64, in order (reduce.h). */
#define INTO_LANES(OP, r, i) l = lanes + i * LANES % 64, x = v_load(l), v_store(l, OP(x, r));
#define REDUCE_LINK(name, OP) \
    LINK(name) \
    { \
        float *lanes = (float *)(void *)(place[in->a] + at % (64 * 4)), *l; \
        v_F x; \
        INTO_LANES(OP, r0, 0) \
        INTO_LANES(OP, r1, 1) \
        INTO_LANES(OP, r2, 2) \
        INTO_LANES(OP, r3, 3) INTO_LANES(OP, r4, 4) INTO_LANES(OP, r5, 5) INTO_LANES(OP, r6, 6) INTO_LANES(OP, r7, 7) NEXT \
    }
#define REDUCE_SUM(x, y) ((x) + (y))
#define REDUCE_PROD(x, y) ((x) * (y))
REDUCE_LINK(reduce_sum, REDUCE_SUM)
REDUCE_LINK(reduce_prod, REDUCE_PROD)
REDUCE_LINK(reduce_max, v_maximum)
REDUCE_LINK(reduce_min, v_minimum)
LINK(link_end)
{
    (void)r1, (void)r2, (void)r3, (void)r4, (void)r5, (void)r6, (void)r7, (void)in, (void)place, (void)at;
    return r0;
}

/* A comparison gives a mask of lanes, which only a selection uses. */
#define AS_V_F(x) ((v_F)(x))
/* Vectors are processed one after the other: intermediate values of several would not fit the registers. Exception: two
 * at a time where the compiler interleaves them (simd/schedule.h), for processors with a small reorder window. */
#ifdef SITU_TWO_AT_ONCE
#define BESIDE(r0, r1)
#define THEN(r0, r1, r2, r3) \
    __asm__ volatile("" : SITU_IN_REGISTER(r0), SITU_IN_REGISTER(r1), SITU_IN_REGISTER(r2), SITU_IN_REGISTER(r3));
#else
#define BESIDE(r0, r1) __asm__ volatile("" : SITU_IN_REGISTER(r0), SITU_IN_REGISTER(r1));
#define THEN(r0, r1, r2, r3) BESIDE(r1, r2)
#endif
#define BLOCK_OF(f, a0, a1, a2, a3, a4, a5, a6, a7) \
    r0 = AS_V_F(f a0); \
    BESIDE(r0, r1) r1 = AS_V_F(f a1); \
    THEN(r0, r1, r2, r3) r2 = AS_V_F(f a2); \
    BESIDE(r2, r3) r3 = AS_V_F(f a3); \
    THEN(r2, r3, r4, r5) r4 = AS_V_F(f a4); \
    BESIDE(r4, r5) r5 = AS_V_F(f a5); \
    THEN(r4, r5, r6, r7) r6 = AS_V_F(f a6); \
    BESIDE(r6, r7) r7 = AS_V_F(f a7);
#define CHAIN_BODY(name, f, operands, ...) \
    LINK(name) { operands BLOCK_OF(f, __VA_ARGS__) NEXT }
#define CHAIN(name, f, operands, ARGUMENTS) \
    CHAIN_BODY(name, f, operands, ARGUMENTS(r0, 0), ARGUMENTS(r1, 1), ARGUMENTS(r2, 2), ARGUMENTS(r3, 3), ARGUMENTS(r4, 4), \
        ARGUMENTS(r5, 5), ARGUMENTS(r6, 6), ARGUMENTS(r7, 7))
/* Operands by form: HELD is the one in the register, the others are in memory. */
#define HELD(r, i) (r)
#define HELD_A(r, i) (r, VECTOR_AT(a, i))
#define HELD_B(r, i) (VECTOR_AT(a, i), r)
#define HELD_AB(r, i) (r, r)
#define HELD_A_ALIKE(r, i) (r, alike)
#define HELD_B_ALIKE(r, i) (alike, r)
#define HELD_A3(r, i) (r, VECTOR_AT(a, i), VECTOR_AT(b, i))
#define HELD_B3(r, i) (VECTOR_AT(a, i), r, VECTOR_AT(b, i))
#define HELD_C3(r, i) (VECTOR_AT(a, i), VECTOR_AT(b, i), r)
#define CHAIN_1(tile, f) CHAIN(a_##tile, f, , HELD)
#define CHAIN_2(tile, f) \
    CHAIN(a_##tile, f, OPERAND(a), HELD_A) \
    CHAIN(b_##tile, f, OPERAND(a), HELD_B) \
    CHAIN(c_##tile, f, , HELD_AB)
#define CHAIN_ALIKE_1(tile, f)
#define CHAIN_ALIKE_2(tile, f) \
    CHAIN(d_##tile, f, OPERAND(a) v_F alike = v_load(a);, HELD_A_ALIKE) \
    CHAIN(e_##tile, f, OPERAND(a) v_F alike = v_load(a);, HELD_B_ALIKE)
#define CHAIN_ALIKE_3(tile, f)
#define CHAIN_3(tile, f) \
    CHAIN(a_##tile, f, OPERAND(a) OPERAND(b), HELD_A3) \
    CHAIN(b_##tile, f, OPERAND(a) OPERAND(b), HELD_B3) \
    CHAIN(c_##tile, f, OPERAND(a) OPERAND(b), HELD_C3)

#define MASK_2(tile, value) \
    FN v_M v_##tile##_value(v_F A, v_F B) { return value; }
#define KERNEL_FLOAT(arity, tile, value) CHAIN_##arity(tile, one_##tile)
#define KERNEL_NUMBER(arity, tile, value) KERNEL_FLOAT(arity, tile, value) CHAIN_ALIKE_##arity(tile, one_##tile)
#define KERNEL_ROUND(arity, tile, value) KERNEL_FLOAT(arity, tile, value)
#define KERNEL_COMPARE(arity, tile, value) MASK_2(tile, value) CHAIN_2(tile, v_##tile##_value)
#define KERNEL_EQUAL(arity, tile, value) MASK_2(tile, value) CHAIN_2(tile, v_##tile##_value)
#define KERNEL_SELECT(arity, tile, value) \
    FN v_F v_##tile##_value(v_F mask, v_F B, v_F C) \
    { \
        const v_M A = (v_M)mask; \
        return value; \
    } \
    CHAIN_3(tile, v_##tile##_value)
#define KERNEL_INTEGER(arity, tile, value)
#define KERNEL_BITS(arity, tile, value)
#define KERNEL_LOGIC(arity, tile, value)
#define KERNEL_PREDICATE(arity, tile, value)
#define KERNEL_TO_F32(arity, tile, value)
#define KERNEL_TO_U32(arity, tile, value)
#define KERNEL_TO_F64(arity, tile, value)
#define KERNEL_TO_U64(arity, tile, value)
#include "op/elementwise.def"
#include "backend/cpu/tiles/tile_undef.h"

/* For functions with a range test: one test for all eight vectors instead of one each. If an element is out of range,
 * each vector does its own. */
#define MOST(r, key) most = v_larger_bits(most, key(r));
#define MOST_OF(key) \
    v_I most = key(r0); \
    MOST(r1, key) MOST(r2, key) MOST(r3, key) MOST(r4, key) MOST(r5, key) MOST(r6, key) MOST(r7, key)
#define TOGETHER(name, f, tile, key, is_far) \
    LINK(name) \
    { \
        MOST_OF(key) \
        if (v_any(is_far(most))) return a_##tile(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at); \
        BLOCK_OF(f, (r0), (r1), (r2), (r3), (r4), (r5), (r6), (r7)) \
        NEXT \
    }
TOGETHER(exp_together, v_exp_near, tile_exp, v_exp_key, v_exp_is_far)
FN v_F v_log2_near(v_F x) { return v_log2_from(x, v_log_zero()); }
FN v_F v_log10_near(v_F x) { return v_log10_from(x, v_log_zero()); }
TOGETHER(log2_together, v_log2_near, tile_log2, v_log_key, v_log_is_odd)
TOGETHER(log10_together, v_log10_near, tile_log10, v_log_key, v_log_is_odd)
TOGETHER(log_together, v_log_near, tile_log, v_log_key, v_log_is_odd)

/* max(number, element): if the number is not NaN, a NaN element propagates without a test. */
LINK(larger_than_number)
{
    OPERAND(a)
    v_F alike = v_load(a);
    if (v_any((v_M)(alike != alike))) return e_tile_maximum(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at);
    BLOCK_OF(v_larger, (alike, r0), (alike, r1), (alike, r2), (alike, r3), (alike, r4), (alike, r5), (alike, r6), (alike, r7))
    NEXT
}

/* Six links in one, for two rows of a softmax: the exponentials of one row are stored and summed while those of the
 * other are divided by their sum and stored. As separate links, eight exponentials would wait for eight divisions,
 * which exceeds the reorder window. Exponentials out of the fast range and partial lines use the separate links.
 * Afterwards the registers hold other values, but no link reads a streamed result. */
LINK(exp_beside_quotient)
{
    const float *above = (const float *)(const void *)(place[in[3].a] + (at & in[3].stride_a));
    const float *below = (const float *)(const void *)(place[in[4].a] + (at & in[4].stride_a));
    float *saved = (float *)(void *)(place[in[1].a] + (at & in[1].stride_a)),
          *streamed = (float *)(void *)(place[in[5].a] + (at & in[5].stride_a));
    MOST_OF(v_exp_key)
    if (at >> 32 || (uintptr_t)streamed % VECTOR_BYTES || v_any(v_exp_is_far(most)))
        return exp_together(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at);
#define TWO_ROWS(r, i) \
    r = v_exp_near(r); \
    v_store(saved + i * LANES, r); \
    v_stream(streamed + i * LANES, v_tile_div_value(VECTOR_AT(above, i), VECTOR_AT(below, i)));
#define TWICE(r, s, i) \
    TWO_ROWS(r, i) BESIDE(r, s) TWO_ROWS(s, (i + 1)) __asm__ volatile("" : SITU_IN_REGISTER(r), SITU_IN_REGISTER(s) : : "memory");
    TWICE(r0, r1, 0)
    TWICE(r2, r3, 2) TWICE(r4, r5, 4) TWICE(r6, r7, 6) float *lanes = (float *)(void *)(place[in[2].a] + at % (64 * 4)), *l;
    v_F x;
#define ADD_UP(r, i) INTO_LANES(REDUCE_SUM, r, i)
    EACH(ADD_UP)
    return ((chain_fn)in[6].run)(r0, r1, r2, r3, r4, r5, r6, r7, in + 6, place, at);
}

/* Stores square roots; the registers keep the operands. */
#define ROOT_ASIDE(r, i) v_store(to + i * LANES, v_tile_sqrt_value(r));
#define POW_HALF_ASIDE(r, i) v_store(to + i * LANES, v_tile_pow_half_value(r));
#define ROOTS_ASIDE(one) \
    float *a = (float *)(void *)(place[in->a] + (at & in->stride_a)), block[AT_ONCE * LANES], *to = at >> 32 ? block : a; \
    EACH(one) \
    if (at >> 32) copy_part(a, block, at);
LINK(link_root){ROOTS_ASIDE(ROOT_ASIDE) NEXT} LINK(link_pow_half)
{
    ROOTS_ASIDE(POW_HALF_ASIDE)
    NEXT
}
/* The same, followed by the logarithms of the operands' bits masked with stride_b, which are computed while the slow
 * divider works on the roots. Separately, the waiting roots would fill the reorder window. In the fast range of the
 * logarithm the operand is finite and not zero, so pow_half equals sqrt. */
#define MASKED(r) v_from_bits(v_bits(r) & bits)
#define MASK(r, i) r = MASKED(r);
#define MOST_MASKED(r, i) most = v_larger_bits(most, v_log_key(MASKED(r)));
#define BOTH(r, i) (r, MASKED(r), to + i * LANES)
static inline v_F log_beside_root(v_F x, v_F masked, float *to)
{
    v_store(to, v_tile_sqrt_value(x));
    return v_log_near(masked);
}
#define LOG_AND(one) \
    v_U bits = v_bits(v_constant(0)) | (uint32_t)in->stride_b; \
    v_I most = v_log_key(MASKED(r0)); \
    EACH(MOST_MASKED) \
    if (v_any(v_log_is_odd(most)) || at >> 32) { \
        ROOTS_ASIDE(one) \
        EACH(MASK) \
        return a_tile_log(r0, r1, r2, r3, r4, r5, r6, r7, in, place, at); \
    } \
    float *to = (float *)(void *)(place[in->a] + (at & in->stride_a)); \
    BLOCK_OF( \
        log_beside_root, BOTH(r0, 0), BOTH(r1, 1), BOTH(r2, 2), BOTH(r3, 3), BOTH(r4, 4), BOTH(r5, 5), BOTH(r6, 6), BOTH(r7, 7))
LINK(log_and_root){LOG_AND(ROOT_ASIDE) NEXT} LINK(log_and_pow_half)
{
    LOG_AND(POW_HALF_ASIDE)
    NEXT
}

#define a_tile_exp exp_together
#define a_tile_log log_together
#define a_tile_log2 log2_together
#define a_tile_log10 log10_together
#define e_tile_maximum larger_than_number

static void run_chain(const situ_link *chain, char *const *place, int first, int end)
{
    const v_F none = {0};
    for (int64_t at = (int64_t)first * 4; at < (int64_t)end * 4; at += AT_ONCE * VECTOR_BYTES)
        ((chain_fn)chain->run)(none, none, none, none, none, none, none, none, chain, place, at);
}

static void part_of_chain(const situ_link *chain, char *const *place, int first, int from, int to)
{
    const v_F none = {0};
    ((chain_fn)chain->run)(none, none, none, none, none, none, none, none, chain, place, PART(first * 4, from, to));
}

static void drain(situ_edge *edge, int n)
{
    for (int i = 0; i < n; i++) end_edge(&edge[i]);
    v_drain();
}

static void fill_f32(float *to, float value, int n)
{
    const v_F all = v_constant(value);
    int i = 0;
    for (; i + LANES <= n; i += LANES) v_store(to + i, all);
    for (; i < n; i++) to[i] = value;
}

static void iota_f32(float *out, int start, int n)
{
    for (int i = 0; i < n; i++) out[i] = (float)(start + i);
}

#define FORMS_1(tile) \
    { \
        (situ_link_fn) a_##tile \
    }
#define FORMS_2(tile) \
    { \
        (situ_link_fn) a_##tile, (situ_link_fn)b_##tile, (situ_link_fn)c_##tile \
    }
#define FORMS_3(tile) FORMS_2(tile)
#define FORMS_ALIKE_1(tile) FORMS_1(tile)
#define FORMS_ALIKE_2(tile) \
    { \
        (situ_link_fn) a_##tile, (situ_link_fn)b_##tile, (situ_link_fn)c_##tile, (situ_link_fn)d_##tile, (situ_link_fn)e_##tile \
    }
#define FORMS_ALIKE_3(tile) FORMS_3(tile)
#define ENTRY_FLOAT(arity, tile) FORMS_##arity(tile)
#define ENTRY_NUMBER(arity, tile) FORMS_ALIKE_##arity(tile)
#define ENTRY_ROUND(arity, tile) FORMS_##arity(tile)
#define ENTRY_COMPARE(arity, tile) FORMS_##arity(tile)
#define ENTRY_EQUAL(arity, tile) FORMS_##arity(tile)
#define ENTRY_SELECT(arity, tile) FORMS_##arity(tile)
#define ENTRY_INTEGER(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_BITS(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_LOGIC(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_PREDICATE(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_TO_F32(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_TO_U32(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_TO_F64(arity, tile) \
    { \
        NULL \
    }
#define ENTRY_TO_U64(arity, tile) \
    { \
        NULL \
    }
#pragma push_macro("EL1")
#pragma push_macro("EL2")
#pragma push_macro("EL3")
#undef EL1
#undef EL2
#undef EL3
#define EL1(name, kind, value, ga, lo, hi, doc) [SITU_EL_##name] = ENTRY_##kind(1, tile_##name),
#define EL2(name, kind, value, ga, gb, lo, hi, doc) [SITU_EL_##name] = ENTRY_##kind(2, tile_##name),
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) [SITU_EL_##name] = ENTRY_##kind(3, tile_##name),
static const situ_chains chains = {
    AT_ONCE * LANES,
    {
#include "op/elementwise.def"
    },
    (situ_link_fn)link_load,
    (situ_link_fn)link_load_far,
    (situ_link_fn)link_count,
    (situ_link_fn)link_save,
    (situ_link_fn)link_stream,
    (situ_link_fn)link_end,
    {(situ_link_fn)widen_f16, (situ_link_fn)widen_bf16},
    {(situ_link_fn)narrow_f16, (situ_link_fn)narrow_bf16},
    {(situ_link_fn)round_f16, (situ_link_fn)round_bf16},
    {(situ_link_fn)link_root, (situ_link_fn)link_pow_half},
    {(situ_link_fn)log_and_root, (situ_link_fn)log_and_pow_half},
    (situ_link_fn)link_pin,
    {[SITU_REDUCE_SUM] = (situ_link_fn)reduce_sum,
        [SITU_REDUCE_PROD] = (situ_link_fn)reduce_prod,
        [SITU_REDUCE_MAX] = (situ_link_fn)reduce_max,
        [SITU_REDUCE_MIN] = (situ_link_fn)reduce_min},
    (situ_link_fn)exp_beside_quotient,
    run_chain,
    part_of_chain,
    drain,
    fill_f32,
    iota_f32,
};
#undef a_tile_exp
#undef a_tile_log
#undef a_tile_log2
#undef a_tile_log10
#undef e_tile_maximum

/* exp of whole blocks by the chain's link. */
static void chain_tile_exp(void *out, const void *a, const void *b, const void *c, int n)
{
    const situ_link chain[] = {
        {chains.load, 0, 0, SITU_STRIDED, 0},
        {chains.op[SITU_EL_exp][SITU_LINK_A], 0, 0, 0, 0},
        {chains.save, 1, 0, SITU_STRIDED, 0},
        {chains.end, 0, 0, 0, 0},
    };
    char *const place[] = {(char *)(uintptr_t)a, out};
    int whole = n - n % chains.block;
    run_chain(chain, place, 0, whole);
    f32_tile_exp((float *)out + whole, (const float *)a + whole, b, c, n - whole);
}
#define f32_tile_exp chain_tile_exp
#undef EL1
#undef EL2
#undef EL3
#pragma pop_macro("EL1")
#pragma pop_macro("EL2")
#pragma pop_macro("EL3")
