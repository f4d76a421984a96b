/* Conversions to another dtype, copies to another device, and the parts of complex numbers. */
#include "op/generate.h"
#include "op/kernel.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int infer_cast(situ_infer *c)
{
    const int32_t *dtype = c->attr;
    situ_infer_same(c);
    c->dtype = (situ_dtype)*dtype;
    return 0;
}

static void vjp_cast(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_cast(c->g, (situ_dtype)c->in[0]->dtype);
}

const situ_op situ_op_cast = {.name = "cast", .family = SITU_CAST, .operands = "x", .infer = infer_cast, .vjp = vjp_cast};

/* Casts from or to complex numbers, one element at a time, in the widest type. */
static void host_cast_complex(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    (void)h;
    situ_dtype from = (situ_dtype)c->in[0].dtype, to = (situ_dtype)c->out.dtype;
    size_t from_size = situ_dtype_size(from), to_size = situ_dtype_size(to);
    int64_t n = situ_shape_count(c->out.ndim, c->out.dim);
    for (int64_t i = 0; i < n; i++) {
        const char *x = address[1] + (size_t)i * from_size;
        situ_c128 value = situ_element_get_c128(from, x);
        /* avoids double rounding: f64 does not hold every u64 */
        if (to == SITU_C64 && from == SITU_U64) value.re = (float)*(const uint64_t *)(const void *)x;
        if (to == SITU_C64 && from == SITU_I64) value.re = (float)*(const int64_t *)(const void *)x;
        /* to bool: nonzero if either part is nonzero */
        if (to == SITU_BOOL) address[0][i] = value.re != 0 || value.im != 0;
        else situ_element_set_c128(to, address[0] + (size_t)i * to_size, value);
    }
}

static void vjp_cast_complex(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_cast(c->g, (situ_dtype)c->in[0]->dtype);
}

const situ_op situ_op_cast_complex = {.name = "cast_complex",
    .family = SITU_CALL,
    .operands = "x",
    .infer = infer_cast,
    .vjp = vjp_cast_complex,
    .host = host_cast_complex};

situ_tensor *(situ_cast)(situ_tensor *x, situ_dtype dtype, situ_site site)
{
    situ_tensor *same = x && (situ_dtype)x->dtype == dtype && !(x->flags & SITU_NODE_SCALAR) ? situ_value_here(x) : NULL;
    if (same) return same;
    SITU_SPEAK("cast", site);
    if (!situ_usable(&x, 1, "cast", site)) return situ_poisoned();
    if (!situ_dtype_valid(dtype))
        return situ_refused(
            SITU_BAD_DTYPE, site, "cast: %d is no dtype; write " SITU_SAY("SITU_F32", "\"float32\"") ", ...", (int)dtype);
    if (situ_is_number(x)) return situ_full(SHAPE(), x, .dtype = dtype);
    if ((situ_dtype)x->dtype == dtype) return situ_itself(x, site);
    int32_t attr = (int32_t)dtype;
    bool complex = situ_dtype_is_complex(dtype) || situ_dtype_is_complex((situ_dtype)x->dtype);
    return situ_apply1(complex ? &situ_op_cast_complex : &situ_op_cast, x, &attr, sizeof attr, site);
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

static void vjp_copy(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_to(c->g, c->in[0]->device);
}

const situ_op situ_op_copy = {
    .name = "copy", .family = SITU_COPY, .any_device = true, .operands = "x", .infer = situ_infer_same, .vjp = vjp_copy};

situ_tensor *(situ_copy_to)(situ_tensor *x, situ_device device, situ_site site)
{
    SITU_SPEAK("copy_to", site);
    if (!situ_usable(&x, 1, "copy_to", site)) return situ_poisoned();
    if (situ_is_number(x)) return situ_full(SHAPE(), x, .device = device);
    situ_copy_attr attr = {.device = device.kind ? device : situ_default_device()};
    return situ_apply1(&situ_op_copy, x, &attr, sizeof attr, site);
}

situ_tensor *(situ_to)(situ_tensor *x, situ_device device, situ_site site)
{
    SITU_SPEAK("to", site);
    if (!situ_usable(&x, 1, "to", site)) return situ_poisoned();
    if (!device.kind) device = situ_default_device();
    if (!situ_is_number(x) && situ_device_equal(x->device, device)) return x->flags & SITU_NODE_VARIABLE ? situ_itself(x, site) : x;
    return (situ_copy_to)(x, device, site);
}

/* ---- complex numbers ------------------------------------------------------------------------------------------------- */

static int infer_parts(situ_infer *c)
{
    situ_infer_same(c);
    c->dtype = situ_dtype_real(c->dtype);
    return 0;
}

/* Kernels that go over the elements of the result. */
#define PARTS(id, TYPES, ...) \
    SITU_KERNEL(id, TYPES, (), {EACH_J{__VA_ARGS__}}) \
    static void id##_shape(const situ_call_desc *c, struct id *k) { k->inner = situ_layout_count(&c->out); }
PARTS(real, SITU_FROM_COMPLEX, OUT[j] = IN0[j].re;)
PARTS(imag, SITU_FROM_COMPLEX, OUT[j] = IN0[j].im;)
PARTS(conj, SITU_COMPLEX, OUT[j].re = IN0[j].re; OUT[j].im = -IN0[j].im;)
PARTS(both, SITU_TO_COMPLEX, OUT[j].re = IN0[j]; OUT[j].im = IN1[j];)

static int infer_complex(situ_infer *c)
{
    situ_dtype re = (situ_dtype)c->in[0]->dtype, im = (situ_dtype)c->in[1]->dtype;
    if (re != im || (re != SITU_F32 && re != SITU_F64))
        return situ_fail(SITU_BAD_DTYPE, c->site, "complex: the parts are both f32 or both f64, not %s and %s", situ_dtype_name(re),
            situ_dtype_name(im));
    if (!situ_shape_equal(c->in[0]->ndim, c->in[0]->dim, c->in[1]->ndim, c->in[1]->dim))
        return situ_fail(SITU_BAD_SHAPE, c->site, "complex: the parts have different shapes");
    situ_infer_same(c);
    c->dtype = situ_dtype_complex(re);
    return 0;
}

/* JAX's convention: a gradient is the transpose of the linear map, without conjugation. */
static void vjp_real(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_complex(c->g, situ_zeros_like(c->g));
}

static void vjp_imag(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_complex(situ_zeros_like(c->g), situ_negative(c->g));
}

static void vjp_conj(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_conj(c->g);
}

static void vjp_complex(situ_vjp *c)
{
    situ_site site = c->site;
    if (c->need[0]) c->out[0] = situ_real(c->g);
    if (c->need[1]) c->out[1] = situ_negative(situ_imag(c->g));
}

const situ_op situ_op_real = {
    .name = "real", .family = SITU_CALL, .operands = "x", .infer = infer_parts, .vjp = vjp_real, SITU_ONE_KERNEL(real)};
const situ_op situ_op_imag = {
    .name = "imag", .family = SITU_CALL, .operands = "x", .infer = infer_parts, .vjp = vjp_imag, SITU_ONE_KERNEL(imag)};
const situ_op situ_op_conj = {
    .name = "conj", .family = SITU_CALL, .operands = "x", .infer = situ_infer_same, .vjp = vjp_conj, SITU_ONE_KERNEL(conj)};
const situ_op situ_op_complex = {.name = "complex",
    .family = SITU_CALL,
    .operands = "re, im",
    .infer = infer_complex,
    .vjp = vjp_complex,
    SITU_ONE_KERNEL(both)};

static situ_tensor *of_complex(const situ_op *op, situ_tensor *x, situ_site site)
{
    if (!situ_usable(&x, 1, op->name, site)) return situ_poisoned();
    if (situ_is_number(x)) x = situ_full(SHAPE(), x);
    if (!situ_dtype_is_complex((situ_dtype)x->dtype)) return op == &situ_op_imag ? situ_zeros_like(x) : situ_itself(x, site);
    return situ_apply1(op, x, NULL, 0, site);
}

situ_tensor *(situ_real)(situ_tensor *x, situ_site site) { return of_complex(&situ_op_real, x, site); }
situ_tensor *(situ_imag)(situ_tensor *x, situ_site site) { return of_complex(&situ_op_imag, x, site); }
situ_tensor *(situ_conj)(situ_tensor *x, situ_site site) { return of_complex(&situ_op_conj, x, site); }

situ_tensor *(situ_complex)(situ_tensor *re, situ_tensor *im, situ_site site)
{
    SITU_SPEAK("complex", site);
    if (!situ_usable((situ_tensor *[]){re, im}, 2, "complex", site)) return situ_poisoned();
    /* a C number takes the other part's dtype, shape and device */
    if (situ_is_number(re) && !situ_is_number(im)) re = situ_full_like(im, re);
    if (situ_is_number(im) && !situ_is_number(re)) im = situ_full_like(re, im);
    if (situ_is_number(re)) re = situ_full(SHAPE(), re, .dtype = SITU_F32);
    if (situ_is_number(im)) im = situ_full(SHAPE(), im, .dtype = SITU_F32);
    return situ_apply(&situ_op_complex, (situ_tensor *[]){re, im}, 2, NULL, 0, NULL, 0, site);
}
