/* Elementwise operations on complex numbers: each is a call whose loop is made from its row of complex.def. */
#include "op/complex.h"

#include "math/complex_number.h"
#include "math/f64.h"
#include "op/elementwise_ops.h"
#include "op/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define number(f) situ_f64_##f
#include "math/complex_functions.inc"

/* ---- gradient rules ------------------------------------------------------------------------------------------------ */

enum { COMPLEX, REAL, BOOL };
enum { BLOCK = 128, PIECE = 4096 };

typedef struct rule {
    void (*run)(const c128_F *a, const c128_F *b, const c128_F *c, c128_F *y, int n);
    int result;
    const char *text;
} rule;

static void vjp_complex_abs(situ_vjp *v)
{
    situ_site site = v->site;
    v->out[0] = situ_mul(v->g, situ_conj(situ_sign(v->in[0])));
}

/* y = z / |z|: i Im(g y) conj(y) / |z|; 0 at z = 0. */
static void vjp_complex_sign(situ_vjp *v)
{
    situ_site site = v->site;
    situ_tensor *y = situ_sign(v->in[0]), *size = situ_abs(v->in[0]), *zero = situ_equal(size, 0);
    situ_tensor *turn = situ_div(situ_imag(situ_mul(v->g, y)), situ_where(zero, 1, size));
    v->out[0] = situ_mul(situ_complex(situ_mul(turn, 0), turn), situ_conj(y));
}

/* The derivative is 0 almost everywhere. */
static void vjp_complex_round(situ_vjp *v) { (void)v; }

static void vjp_complex_asinh(situ_vjp *v)
{
    situ_site site = v->site;
    v->out[0] = situ_div(v->g, situ_sqrt(situ_add(situ_square(v->in[0]), 1)));
}

/* (1 - z)(1 + z), since there is no fma for complex numbers. */
static situ_tensor *one_less_square(situ_tensor *z, situ_site site) { return situ_mul(situ_sub(1, z), situ_add(1, z)); }

static void vjp_complex_asin(situ_vjp *v)
{
    situ_site site = v->site;
    v->out[0] = situ_mul(v->g, situ_rsqrt(one_less_square(v->in[0], site)));
}

static void vjp_complex_acos(situ_vjp *v)
{
    situ_site site = v->site;
    v->out[0] = situ_negative(situ_mul(v->g, situ_rsqrt(one_less_square(v->in[0], site))));
}

static void vjp_complex_atanh(situ_vjp *v)
{
    situ_site site = v->site;
    v->out[0] = situ_div(v->g, one_less_square(v->in[0], site));
}

#define VALUE_COMPLEX(value) (value)
#define VALUE_REAL(value) complex_of(value, 0)
#define VALUE_BOOL(value) complex_of(value, 0)
#define ROW(name, result, value) \
    static void run_##name(const c128_F *a, const c128_F *b, const c128_F *c, c128_F *y, int n) \
    { \
        (void)b, (void)c; \
        for (int i = 0; i < n; i++) y[i] = VALUE_##result(value); \
    }
#define A a[i]
#define B b[i]
#define C c[i]
#define CX1(name, result, value, gradient) ROW(name, result, value)
#define CX2(name, result, value, gradient) ROW(name, result, value)
#define CX3(name, result, value, gradient) ROW(name, result, value)
#include "op/complex.def"
#undef A
#undef B
#undef C
#undef CX1
#undef CX2
#undef CX3

#define CX1(name, result, value, gradient) [SITU_EL_##name] = {run_##name, result, #value},
#define CX2(name, result, value, gradient) [SITU_EL_##name] = {run_##name, result, #value},
#define CX3(name, result, value, gradient) [SITU_EL_##name] = {run_##name, result, #value},
static const rule rules[SITU_EL_COUNT] = {
#include "op/complex.def"
};
#undef CX1
#undef CX2
#undef CX3

/* ---- running --------------------------------------------------------------------------------------------------------- */

/* One call, cut into pieces of the result in row-major order. */
typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    int64_t stride[3][8];
} job;

/* Loads n elements of operand k, for elements `first` ... of the result. */
static void load(const job *j, int k, int64_t first, int n, c128_F *to)
{
    const situ_layout *out = &j->call->out;
    situ_dtype dtype = (situ_dtype)j->call->in[k].dtype;
    int64_t at[8] = {0}, size = (int64_t)situ_dtype_size(dtype), offset = 0, rest = first;
    for (int i = out->ndim; i-- > 0; rest /= out->dim[i]) {
        at[i] = rest % out->dim[i];
        offset += at[i] * j->stride[k][i];
    }
    for (int e = 0; e < n; e++) {
        situ_c128 v = situ_element_get_c128(dtype, j->address[1 + k] + offset * size);
        to[e] = complex_of(v.re, v.im);
        for (int i = out->ndim; i-- > 0;) {
            offset += j->stride[k][i];
            if (++at[i] < out->dim[i]) break;
            offset -= at[i] * j->stride[k][i];
            at[i] = 0;
        }
    }
}

static void run_piece(void *context, int64_t start, int64_t end)
{
    const job *j = context;
    const rule *r = &rules[j->call->op->code];
    situ_dtype dtype = (situ_dtype)j->call->out.dtype;
    size_t size = situ_dtype_size(dtype);
    c128_F in[3][BLOCK], y[BLOCK];
    for (int64_t first = start; first < end; first += BLOCK) {
        int n = (int)(end - first < BLOCK ? end - first : BLOCK);
        for (int k = 0; k < j->call->nin; k++) load(j, k, first, n, in[k]);
        r->run(in[0], in[1], in[2], y, n);
        for (int e = 0; e < n; e++)
            situ_element_set_c128(dtype, j->address[0] + (size_t)(first + e) * size, (situ_c128){y[e].re, y[e].im});
    }
}

static void host_complex(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.call = c, .address = address};
    for (int k = 0; k < c->nin; k++)
        situ_stride_broadcast(c->in[k].ndim, c->in[k].dim, c->in[k].stride, c->out.ndim, c->out.dim, j.stride[k]);
    situ_host_pieces(h, run_piece, &j, situ_layout_count(&c->out), PIECE);
}

/* ---- recording ------------------------------------------------------------------------------------------------------- */

static int infer_complex(situ_infer *c)
{
    situ_dtype d = (situ_dtype)c->in[c->nin - 1]->dtype;
    int result = rules[c->op->code].result;
    c->dtype = result == COMPLEX ? d : result == REAL ? situ_dtype_real(d) : SITU_BOOL;
    situ_infer_dims(c, c->in[0]->ndim, c->in[0]->dim);
    for (int i = 1; i < c->nin && c->ndim >= 0; i++)
        c->ndim = situ_shape_broadcast(c->site, c->op->name, c->ndim, c->dim, c->in[i]->ndim, c->in[i]->dim, c->dim);
    return c->ndim < 0 ? c->ndim : 0;
}

#define OP_(id, names, ...) \
    [SITU_EL_##id] = {.name = #id, \
        .family = SITU_CALL, \
        .code = SITU_EL_##id, \
        .strided = true, \
        .operands = names, \
        .infer = infer_complex, \
        .host = host_complex, \
        __VA_ARGS__},
#define GRADIENT_TABLE(id) .no_gradient = NULL
#define GRADIENT_RULE(id) .vjp = vjp_complex_##id, .reads = {SITU_READS_A}
#define GRADIENT_NONE(id) .no_gradient = "its result is a bool"
#define CX1(name, result, value, gradient) OP_(name, "a", GRADIENT_##gradient(name))
#define CX2(name, result, value, gradient) OP_(name, "a, b", GRADIENT_##gradient(name))
#define CX3(name, result, value, gradient) OP_(name, "a, b, c", GRADIENT_##gradient(name))
static situ_op ops[SITU_EL_COUNT] = {
#include "op/complex.def"
};

/* Takes gradients that are those of the real functions from the table; runs before main. */
__attribute__((constructor)) static void take_gradients(void)
{
    for (int i = 0; i < SITU_EL_COUNT; i++) {
        if (!ops[i].name || ops[i].vjp || ops[i].no_gradient) continue;
        ops[i].vjp = situ_el_ops[i].vjp;
        for (int k = 0; k < situ_el_rows[i].arity; k++) ops[i].reads[k] = (uint8_t)situ_el_grad_reads((situ_el)i, k);
    }
}

const situ_op *situ_complex_op(situ_el el) { return ops[el].name ? &ops[el] : NULL; }

const char *situ_complex_value(const situ_op *op)
{
    for (int i = 0; i < SITU_EL_COUNT; i++)
        if (op == &ops[i]) return rules[i].text;
    return NULL;
}

situ_tensor *situ_complex_apply(situ_el el, situ_tensor *const *in, int n, situ_site site)
{
    const situ_op *real = &situ_el_ops[el];
    situ_tensor *same[3];
    if (!situ_together(in, n, real->name, real->operands, site)) return situ_poisoned();
    int first = situ_el_rows[el].kind == SITU_EL_SELECT;
    situ_infer all = {.op = real, .site = site, .nin = n, .in = in};
    situ_dtype dtype = situ_infer_promote(&all, first, n - first);
    if (!rules[el].run)
        return situ_refused(SITU_BAD_DTYPE, site,
            "%s: no rule for %s; take " SITU_SAY("situ_real and situ_imag", "situ.real and situ.imag") " of it", real->name,
            situ_dtype_name(dtype));
    const situ_tensor *some = NULL;
    for (int i = 0; i < n; i++)
        if (!situ_is_number(in[i])) some = in[i];
    for (int i = 0; i < n; i++) {
        same[i] = situ_as_tensor(in[i], i < first ? SITU_BOOL : dtype, some, real->name, site);
        if (i >= first) same[i] = situ_cast(same[i], dtype);
    }
    return situ_apply(&ops[el], same, n, NULL, 0, NULL, 0, site);
}
