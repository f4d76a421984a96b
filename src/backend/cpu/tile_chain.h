/* The links of chains (tile.h): the value texts on four vectors that are passed in registers from link to link. A link
 * returns a vector, so that the compiler need not clear the registers' upper halves at every end. */
typedef v_F (*chain_fn)(v_F r0, v_F r1, v_F r2, v_F r3, const situ_link *in, char *const *place, int64_t at);

#define PREFIX v_
#define LINK(name) static v_F name(v_F r0, v_F r1, v_F r2, v_F r3, const situ_link *in, char *const *place, int64_t at)
#define NEXT return ((chain_fn)in[1].run)(r0, r1, r2, r3, in + 1, place, at);
#define OPERAND(k) const float *k = (const float *)(const void *)(place[in->k] + (at & in->walk_##k));
#define VECTOR_AT(k, i) v_load(k + i * LANES)

LINK(link_load)
{
    OPERAND(a)
    r0 = VECTOR_AT(a, 0), r1 = VECTOR_AT(a, 1), r2 = VECTOR_AT(a, 2), r3 = VECTOR_AT(a, 3);
    NEXT
}
LINK(link_save)
{
    float *a = (float *)(void *)(place[in->a] + (at & in->walk_a));
    v_store(a, r0), v_store(a + LANES, r1), v_store(a + 2 * LANES, r2), v_store(a + 3 * LANES, r3);
    NEXT
}
LINK(link_end)
{
    (void)r1, (void)r2, (void)r3, (void)in, (void)place, (void)at;
    return r0;
}

/* A comparison's result is a mask of lanes, which only a choice takes. */
#define AS_V_F(x) ((v_F)(x))
#define CHAIN_1(tile, f)                                                                                           \
    LINK(a_##tile)                                                                                                 \
    {                                                                                                              \
        r0 = AS_V_F(f(r0)), r1 = AS_V_F(f(r1)), r2 = AS_V_F(f(r2)), r3 = AS_V_F(f(r3));                            \
        NEXT                                                                                                       \
    }
#define CHAIN_2(tile, f)                                                                                           \
    LINK(a_##tile)                                                                                                 \
    {                                                                                                              \
        OPERAND(a)                                                                                                 \
        r0 = AS_V_F(f(r0, VECTOR_AT(a, 0))), r1 = AS_V_F(f(r1, VECTOR_AT(a, 1)));                                  \
        r2 = AS_V_F(f(r2, VECTOR_AT(a, 2))), r3 = AS_V_F(f(r3, VECTOR_AT(a, 3)));                                  \
        NEXT                                                                                                       \
    }                                                                                                              \
    LINK(b_##tile)                                                                                                 \
    {                                                                                                              \
        OPERAND(a)                                                                                                 \
        r0 = AS_V_F(f(VECTOR_AT(a, 0), r0)), r1 = AS_V_F(f(VECTOR_AT(a, 1), r1));                                  \
        r2 = AS_V_F(f(VECTOR_AT(a, 2), r2)), r3 = AS_V_F(f(VECTOR_AT(a, 3), r3));                                  \
        NEXT                                                                                                       \
    }                                                                                                              \
    LINK(c_##tile)                                                                                                 \
    {                                                                                                              \
        r0 = AS_V_F(f(r0, r0)), r1 = AS_V_F(f(r1, r1)), r2 = AS_V_F(f(r2, r2)), r3 = AS_V_F(f(r3, r3));            \
        NEXT                                                                                                       \
    }
#define CHAIN_3(tile, f)                                                                                           \
    LINK(a_##tile)                                                                                                 \
    {                                                                                                              \
        OPERAND(a)                                                                                                 \
        OPERAND(b)                                                                                                 \
        r0 = f(r0, VECTOR_AT(a, 0), VECTOR_AT(b, 0)), r1 = f(r1, VECTOR_AT(a, 1), VECTOR_AT(b, 1));                \
        r2 = f(r2, VECTOR_AT(a, 2), VECTOR_AT(b, 2)), r3 = f(r3, VECTOR_AT(a, 3), VECTOR_AT(b, 3));                \
        NEXT                                                                                                       \
    }                                                                                                              \
    LINK(b_##tile)                                                                                                 \
    {                                                                                                              \
        OPERAND(a)                                                                                                 \
        OPERAND(b)                                                                                                 \
        r0 = f(VECTOR_AT(a, 0), r0, VECTOR_AT(b, 0)), r1 = f(VECTOR_AT(a, 1), r1, VECTOR_AT(b, 1));                \
        r2 = f(VECTOR_AT(a, 2), r2, VECTOR_AT(b, 2)), r3 = f(VECTOR_AT(a, 3), r3, VECTOR_AT(b, 3));                \
        NEXT                                                                                                       \
    }                                                                                                              \
    LINK(c_##tile)                                                                                                 \
    {                                                                                                              \
        OPERAND(a)                                                                                                 \
        OPERAND(b)                                                                                                 \
        r0 = f(VECTOR_AT(a, 0), VECTOR_AT(b, 0), r0), r1 = f(VECTOR_AT(a, 1), VECTOR_AT(b, 1), r1);                \
        r2 = f(VECTOR_AT(a, 2), VECTOR_AT(b, 2), r2), r3 = f(VECTOR_AT(a, 3), VECTOR_AT(b, 3), r3);                \
        NEXT                                                                                                       \
    }

#define MASK_2(tile, value) FN v_M v_##tile##_value(v_F A, v_F B) { return value; }
/* Long functions are called, not repeated four times in each form: the compiler judges. */
#define MAY_1(tile) static inline v_F may_##tile(v_F A) { return v_##tile##_value(A); }
#define MAY_2(tile) static inline v_F may_##tile(v_F A, v_F B) { return v_##tile##_value(A, B); }
#define MAY_3(tile) static inline v_F may_##tile(v_F A, v_F B, v_F C) { return v_##tile##_value(A, B, C); }
#define KERNEL_FLOAT(arity, tile, value) MAY_##arity(tile) CHAIN_##arity(tile, may_##tile)
#define KERNEL_NUMBER(arity, tile, value) KERNEL_FLOAT(arity, tile, value)
#define KERNEL_ROUND(arity, tile, value) KERNEL_FLOAT(arity, tile, value)
#define KERNEL_COMPARE(arity, tile, value) MASK_2(tile, value) CHAIN_2(tile, v_##tile##_value)
#define KERNEL_EQUAL(arity, tile, value) MASK_2(tile, value) CHAIN_2(tile, v_##tile##_value)
#define KERNEL_SELECT(arity, tile, value)                                                                          \
    FN v_F v_##tile##_value(v_F mask, v_F B, v_F C)                                                                \
    {                                                                                                              \
        const v_M A = (v_M)mask;                                                                                   \
        return value;                                                                                              \
    }                                                                                                              \
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
#include "backend/cpu/tile_undef.h"

static void run_chain(const situ_link *chain, char *const *place, int n)
{
    const v_F none = {0};
    for (int64_t at = 0; at < (int64_t)n * 4; at += 4 * VECTOR_BYTES)
        ((chain_fn)chain->run)(none, none, none, none, chain, place, at);
}

static void iota_f32(float *out, int start, int n)
{
    for (int i = 0; i < n; i++) out[i] = (float)(start + i);
}

#define FORMS_1(tile) {(situ_link_fn)a_##tile}
#define FORMS_2(tile) {(situ_link_fn)a_##tile, (situ_link_fn)b_##tile, (situ_link_fn)c_##tile}
#define FORMS_3(tile) FORMS_2(tile)
#define ENTRY_FLOAT(arity, tile) FORMS_##arity(tile)
#define ENTRY_NUMBER(arity, tile) FORMS_##arity(tile)
#define ENTRY_ROUND(arity, tile) FORMS_##arity(tile)
#define ENTRY_COMPARE(arity, tile) FORMS_##arity(tile)
#define ENTRY_EQUAL(arity, tile) FORMS_##arity(tile)
#define ENTRY_SELECT(arity, tile) FORMS_##arity(tile)
#define ENTRY_INTEGER(arity, tile) {NULL}
#define ENTRY_BITS(arity, tile) {NULL}
#define ENTRY_LOGIC(arity, tile) {NULL}
#define ENTRY_PREDICATE(arity, tile) {NULL}
#define ENTRY_TO_F32(arity, tile) {NULL}
#define ENTRY_TO_U32(arity, tile) {NULL}
#define ENTRY_TO_F64(arity, tile) {NULL}
#define ENTRY_TO_U64(arity, tile) {NULL}
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
    4 * LANES,
    {
#include "op/elementwise.def"
    },
    (situ_link_fn)link_load,
    (situ_link_fn)link_save,
    (situ_link_fn)link_end,
    run_chain,
    iota_f32,
};
#undef EL1
#undef EL2
#undef EL3
#pragma pop_macro("EL1")
#pragma pop_macro("EL2")
#pragma pop_macro("EL3")
