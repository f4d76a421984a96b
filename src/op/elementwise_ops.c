#include "op/elementwise_ops.h"

#include <math.h>

#include "op/complex.h"
#include "op/number.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static int refuse(const situ_infer *c, situ_dtype d, const char *mend)
{
    return situ_fail(SITU_BAD_DTYPE, c->site, "%s: no rule for %s; %s", c->op->name, situ_dtype_name(d), mend);
}

/* The dtype of the result, from the operands' promoted dtype. */
static int infer_dtype(situ_infer *c, situ_dtype d)
{
    situ_el op = (situ_el)c->op->code;
    const situ_el_rule *rule = &situ_el_rules[situ_el_rows[op].kind];
    int r = situ_dtype_rank(d);
    if (r == 3) return refuse(c, d, "take " SITU_SAY("situ_real and situ_imag", "situ.real and situ.imag") " of it");
    if (!(rule->takes >> r & 1) || (rule->only && rule->only != 1 + d)) return refuse(c, d, rule->mend);
    if (op == SITU_EL_nextafter && (d == SITU_F16 || d == SITU_BF16))
        return refuse(c, d, "the step would be f32's: write " SITU_SAY("situ_cast(x, SITU_F32)", "x.astype(\"float32\")"));
    c->dtype = situ_el_rows[op].kind == SITU_EL_FLOAT && r < 2 ? SITU_F32 : situ_el_result(op, d);
    return 0;
}

static inline bool same_dims(int na, const int64_t *a, int nb, const int64_t *b)
{
    int k = 0;
    while (k < nb && a[k] == b[k]) k++;
    return na == nb && k == nb;
}

static int infer_elementwise(situ_infer *c)
{
    int first = situ_el_rows[c->op->code].kind == SITU_EL_SELECT;
    int failed = infer_dtype(c, situ_infer_promote(c, first, c->nin - first));
    if (failed) return failed;
    c->ndim = 0;
    for (int i = 0; i < c->nin; i++) {
        const situ_tensor *t = c->in[i];
        if (!t->ndim) continue;
        if (!c->ndim) {
            situ_infer_dims(c, t->ndim, t->dim);
        } else if (!same_dims(t->ndim, t->dim, c->ndim, c->dim)) {
            c->ndim = situ_shape_broadcast(c->site, c->op->name, c->ndim, c->dim, t->ndim, t->dim, c->dim);
            if (c->ndim < 0) return c->ndim;
        }
    }
    return 0;
}

/* ---- gradients: the texts of the table, compiled ------------------------------------------------------------------ */

/* With a NaN operand the gradient is NaN, too, so that a training does not continue unnoticed. */
static situ_tensor *where_above_at(situ_tensor *a, situ_tensor *b, situ_tensor *g, situ_site site)
{
    situ_tensor *tied = situ_where(situ_equal(a, b), situ_mul(0.5, g), NAN);
    return situ_where(situ_greater(a, b), g, situ_where(situ_less(a, b), 0, tied));
}

/* Divides twice, so that no square overflows. y, the angle, is NaN if an operand is; the hypotenuse is not, if the
 * other operand is infinite. */
static situ_tensor *over_square_at(situ_tensor *x, situ_tensor *a, situ_tensor *b, situ_tensor *y, situ_site site)
{
    situ_tensor *h = situ_hypot(a, b), *edge = situ_logical_or(situ_equal(h, 0), situ_isinf(h)), *divisor = situ_where(edge, 1, h);
    return situ_where(edge, situ_mul(0, y), situ_div(situ_div(x, divisor), divisor));
}
/* The exponent b - 1 of a^b's derivative b a^(b - 1), changed where that would be 0 * infinity: for b = 0 the
 * derivative is 0 for any a, even NaN. The smallest integer would wrap. */
static situ_tensor *power_below_at(situ_tensor *a, situ_tensor *b, situ_site site)
{
    if (situ_dtype_is_integer((situ_dtype)b->dtype)) b = situ_cast(b, (situ_dtype)a->dtype);
    situ_tensor *inverse = situ_reciprocal(a), *edge = situ_logical_and(situ_logical_not(situ_isfinite(inverse)), situ_equal(b, 0));
    return situ_where(edge, situ_cast(situ_isinf(inverse), (situ_dtype)b->dtype), situ_sub(b, 1));
}
/* y + 1; computed otherwise if y is so near to -1 that the sum would lose digits. */
static situ_tensor *power_of_at(situ_tensor *a, situ_tensor *y, situ_site site)
{
    bool complex = situ_dtype_is_complex((situ_dtype)y->dtype);
    return situ_where(situ_greater(complex ? situ_real(y) : y, -0.9375), situ_add(y, 1), situ_exp(a));
}
#define power_of(a, y) power_of_at(a, y, site)
#define power_below(a, b) power_below_at(a, b, site)
#define where_above(a, b, g) where_above_at(a, b, g, site)
#define over_square(x, a, b, y) over_square_at(x, a, b, y, site)

#define ZERO NULL
#define NONE NULL
#define VJP_HEAD \
    __attribute__((unused)) situ_tensor *a = v->in[0], *b = v->nin > 1 ? v->in[1] : NULL, *c = v->nin > 2 ? v->in[2] : NULL; \
    __attribute__((unused)) situ_tensor *y = v->y, *g = v->g; \
    __attribute__((unused)) situ_site site = v->site;
#define EL1(name, kind, value, ga, lo, hi, doc) \
    __attribute__((unused)) static void vjp_##name(situ_vjp *v) \
    { \
        VJP_HEAD \
        if (v->need[0]) v->out[0] = ga; \
    }
#define EL2(name, kind, value, ga, gb, lo, hi, doc) \
    __attribute__((unused)) static void vjp_##name(situ_vjp *v) \
    { \
        VJP_HEAD \
        if (v->need[0]) v->out[0] = ga; \
        if (v->need[1]) v->out[1] = gb; \
    }
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) \
    __attribute__((unused)) static void vjp_##name(situ_vjp *v) \
    { \
        VJP_HEAD \
        if (v->need[0]) v->out[0] = ga; \
        if (v->need[1]) v->out[1] = gb; \
        if (v->need[2]) v->out[2] = gc; \
    }
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3
#undef ZERO
#undef NONE

/* ---- the operations ------------------------------------------------------------------------------------------------ */

#define VJP_FLOAT(name) vjp_##name
#define VJP_NUMBER(name) vjp_##name
#define VJP_ROUND(name) vjp_##name
#define VJP_SELECT(name) vjp_##name
#define VJP_INTEGER(name) NULL
#define VJP_BITS(name) NULL
#define VJP_LOGIC(name) NULL
#define VJP_COMPARE(name) NULL
#define VJP_EQUAL(name) NULL
#define VJP_PREDICATE(name) NULL
#define VJP_TO_F32(name) NULL
#define VJP_TO_U32(name) NULL
#define VJP_TO_F64(name) NULL
#define VJP_TO_U64(name) NULL
/* True if operands of one float dtype and shape give that dtype and shape. (nextafter refuses some dtypes.) */
#define PLAIN(id, kind) \
    (SITU_EL_##id != SITU_EL_nextafter && \
        (SITU_EL_##kind == SITU_EL_FLOAT || SITU_EL_##kind == SITU_EL_NUMBER || SITU_EL_##kind == SITU_EL_ROUND))
#define OP(id, kind, names) \
    [SITU_EL_##id] = {.name = #id, \
        .family = SITU_ELEMENTWISE, \
        .code = SITU_EL_##id, \
        .scalars = true, \
        .operands = names, \
        .plain = PLAIN(id, kind), \
        .infer = infer_elementwise, \
        .vjp = VJP_##kind(id)},
#define EL1(name, kind, value, ga, lo, hi, doc) OP(name, kind, "a")
#define EL2(name, kind, value, ga, gb, lo, hi, doc) OP(name, kind, "a, b")
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) OP(name, kind, "a, b, c")
static situ_op ops[SITU_EL_COUNT] = {
#include "op/elementwise.def"
};
#undef EL1
#undef EL2
#undef EL3
const situ_op *const situ_el_ops = ops;

/* Finds what each gradient reads from its text, and why there is none from the kind's rule; runs before main. */
__attribute__((constructor)) static void find_reads(void)
{
    for (int i = 0; i < SITU_EL_COUNT; i++) {
        ops[i].no_gradient = situ_el_rules[situ_el_rows[i].kind].no_gradient;
        for (int k = 0; k < situ_el_rows[i].arity; k++) ops[i].reads[k] = (uint8_t)situ_el_grad_reads((situ_el)i, k);
    }
}

/* Powers that are better computed by other operations, such as squares; NULL for the rest. They round like those
 * operations. */
static situ_tensor *common_power(situ_tensor *a, const situ_tensor *b, situ_site site)
{
    if (!situ_is_number(b) || situ_is_number(a)) return NULL;
    bool real = situ_dtype_is_float((situ_dtype)a->dtype), whole = situ_dtype_is_integer((situ_dtype)a->dtype) && b->kind == 1;
    if (!real && !whole) return NULL;
    double power = situ_number_f64(b);
    if (power == 1) return situ_positive(a);
    if (power == 2) return situ_square(a);
    if (power == 3) return situ_mul(situ_square(a), a);
    if (!real) return NULL;
    if (power == 0)
        return situ_where(situ_scalar_bool(true), 1, a); /* 1 for any a; the general rule's 0 * a^-1 would be NaN if 1 / a overflows
                                                          */
    if (power == -1) return situ_reciprocal(a);
    if (power != 0.5 && power != -0.5) return NULL;
    situ_tensor *half = situ_pow_half(a);
    return power > 0 ? half : situ_reciprocal(half);
}

/* Integers to a negative power are fractions: an error if the exponent is a C number, as in NumPy, PyTorch and JAX. */
static bool is_no_integer(const situ_tensor *a, const situ_tensor *b, situ_site site)
{
    if (!situ_is_number(b) || b->kind != 1 || situ_number_f64(b) >= 0 || !situ_dtype_is_integer((situ_dtype)a->dtype)) return false;
    situ_fail(SITU_BAD_NUMBER, site,
        "pow: integers to the power %g are fractions; take floats, as in " SITU_SAY(
            "situ_cast(x, SITU_F32)", "x.astype(\"float32\")"),
        situ_number_f64(b));
    return true;
}

/* True for numbers that every dtype of the operands' kind holds, next to tensors of one dtype; situ_numbers_meet would
 * not change them. */
static bool numbers_are_small(situ_el_kind kind, situ_tensor *const *in, int n)
{
    const situ_tensor *x = NULL;
    int i = kind == SITU_EL_SELECT, most = 0;
    uint64_t size = 0;
    if (kind == SITU_EL_LOGIC || !in[0] || (i && situ_is_number(in[0]))) return false;
    for (; i < n; i++) {
        if (!in[i]) return false;
        if (!situ_is_number(in[i])) {
            if (x && x->dtype != in[i]->dtype) return false;
            x = in[i];
            continue;
        }
        if (in[i]->kind > most) most = in[i]->kind;
        if (in[i]->kind == 1) size |= in[i]->dtype == SITU_I64 ? *situ_node_word(in[i]) : UINT64_MAX;
    }
    if (!x || size > INT8_MAX) return false;
    situ_kind of = situ_dtype_kind((situ_dtype)x->dtype);
    return of == SITU_KIND_FLOAT || (most < 2 && (of == SITU_KIND_SIGNED || of == SITU_KIND_UNSIGNED));
}

static situ_tensor *record(situ_el el, situ_tensor *const *in, int n, situ_site site)
{
    const situ_op *op = &ops[el];
    situ_el_kind kind = situ_el_rows[el].kind;
    bool number = false;
    if (el == SITU_EL_pow) {
        if (!situ_usable(in, n, op->name, site)) return situ_poisoned();
        if (is_no_integer(in[0], in[1], site)) return situ_poisoned();
        situ_tensor *other = common_power(in[0], in[1], site);
        if (other) return other;
    }
    for (int i = 0; i < n; i++) number |= in[i] && situ_is_number(in[i]);
    situ_tensor *met[3];
    if (number ? !numbers_are_small(kind, in, n) : kind == SITU_EL_COMPARE || kind == SITU_EL_EQUAL) {
        if (!situ_usable(in, n, op->name, site)) return situ_poisoned();
        situ_tensor *other = n == 2 && !number ? situ_compare_integers(el, in[0], in[1], site) : NULL;
        if (other) return other;
        for (int i = 0; i < n; i++) met[i] = in[i];
        if (number && !situ_numbers_meet(&el, met, n, site)) return situ_poisoned();
        in = met;
        op = &ops[el];
    }
    if (situ_any_complex(in, n) && (el != SITU_EL_where || (in[0] && in[0]->dtype == SITU_BOOL)))
        return situ_complex_apply(el, in, n, site);
    if (el == SITU_EL_where) {
        if (!situ_usable(in, n, op->name, site)) return situ_poisoned();
        if (in[0]->dtype != SITU_BOOL) {
            situ_tensor *test = situ_is_number(in[0]) ? situ_scalar_bool(situ_number_f64(in[0]) != 0) : situ_cast(in[0], SITU_BOOL);
            return record(el, (situ_tensor *[]){test, in[1], in[2]}, 3, site);
        }
    }
    return situ_apply(op, in, n, NULL, 0, NULL, 0, site);
}

static situ_tensor *record_op(const situ_op *op, situ_tensor *const *in, int n, situ_site site)
{
    return record((situ_el)op->code, in, n, site);
}

#define EL1(name, kind, value, ga, lo, hi, doc) \
    situ_tensor *(situ_##name)(situ_tensor * a, situ_site site) \
    { \
        const situ_op *op = &ops[SITU_EL_##name]; \
        return PLAIN(name, kind) ? situ_plain_1(op, a, site, record_op) : record_op(op, &a, 1, site); \
    }
#define EL2(name, kind, value, ga, gb, lo, hi, doc) \
    situ_tensor *(situ_##name)(situ_tensor * a, situ_tensor * b, situ_site site) \
    { \
        bool plain = PLAIN(name, kind) && SITU_EL_##name != SITU_EL_pow; /* pow looks at its number */ \
        const situ_op *op = &ops[SITU_EL_##name]; \
        if (plain) return situ_plain_2(op, a, b, site, record_op); \
        if (SITU_EL_##kind == SITU_EL_COMPARE || SITU_EL_##kind == SITU_EL_EQUAL) \
            return situ_plain_test(op, a, b, site, record_op); \
        return record_op(op, (situ_tensor *[]){a, b}, 2, site); \
    }
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) \
    situ_tensor *(situ_##name)(situ_tensor * a, situ_tensor * b, situ_tensor * c, situ_site site) \
    { \
        const situ_op *op = &ops[SITU_EL_##name]; \
        return PLAIN(name, kind) ? situ_plain_3(op, a, b, c, site, record_op) : \
                                   record_op(op, (situ_tensor *[]){a, b, c}, 3, site); \
    }
#include "op/elementwise.def"
