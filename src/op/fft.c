/* Fourier transforms along one axis: one operation for complex, real and Hermitian data. */
#include <situ/fft.h>

#include <math.h>

#include "base/complex.h"
#include "base/memory.h"
#include "math/f64.h"
#include "op/attr.h"
#include "op/create.h"
#include "numeric/dft.h"
#include "op/host.h"
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef double _Complex number;
enum { FULL = SITU_FFT_FULL, FROM_REAL = SITU_FFT_FROM_REAL, TO_REAL = SITU_FFT_TO_REAL };
typedef situ_fft_attr fft_attr;

/* ---- running --------------------------------------------------------------------------------------------------------- */

enum { LINES = 16 }; /* largest number of lines in a task */

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    const situ_host *host;
    const fft_attr *attr;
    const situ_dft *dft;
    situ_around in, out;
    double scale;
} job;

/* For n elements, `step` apart. */
#define COPY_(n, step, statement) \
    for (int64_t i = 0; i < (n); i++) { \
        int64_t k = i * (step); \
        statement; \
    } \
    break

static void load(situ_dtype dtype, const char *from, int64_t step, int64_t n, number *x)
{
    const float *f = (const float *)(const void *)from;
    const double *d = (const double *)(const void *)from;
    switch (dtype) {
    case SITU_F32: COPY_(n, step, x[i] = CMPLX(f[k], 0));
    case SITU_F64: COPY_(n, step, x[i] = CMPLX(d[k], 0));
    case SITU_C64: COPY_(n, step, x[i] = CMPLX(f[2 * k], f[2 * k + 1]));
    default: COPY_(n, step, x[i] = CMPLX(d[2 * k], d[2 * k + 1]));
    }
}

static void store(situ_dtype dtype, char *to, int64_t step, int64_t n, double s, const number *y)
{
    float *f = (float *)(void *)to;
    double *d = (double *)(void *)to;
    switch (dtype) {
    case SITU_F32: COPY_(n, step, f[k] = (float)(creal(y[i]) * s));
    case SITU_F64: COPY_(n, step, d[k] = creal(y[i]) * s);
    case SITU_C64: COPY_(n, step, (f[2 * k] = (float)(creal(y[i]) * s), f[2 * k + 1] = (float)(cimag(y[i]) * s)));
    default: COPY_(n, step, (d[2 * k] = creal(y[i]) * s, d[2 * k + 1] = cimag(y[i]) * s));
    }
}

static void read_line(const job *j, int64_t line, number *x)
{
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t n = j->attr->n, size = (int64_t)situ_dtype_size(dtype), have = j->in.n < n ? j->in.n : n;
    if (j->attr->kind == TO_REAL && have > n / 2 + 1) have = n / 2 + 1;
    const char *from = j->address[1] + (line / j->in.inner * j->in.n * j->in.inner + line % j->in.inner) * size;
    load(dtype, from, j->in.inner, have, x);
    for (int64_t i = have; i < n; i++) x[i] = 0;
    if (j->attr->kind != TO_REAL) return;
    /* a real result: its second half mirrors the first; elements that mirror themselves are real */
    for (int64_t i = n / 2 + 1; i < n; i++) x[i] = conj(x[n - i]);
    x[0] = creal(x[0]);
    if (n % 2 == 0) x[n / 2] = creal(x[n / 2]);
}

static void write_line(const job *j, int64_t line, const number *y)
{
    situ_dtype dtype = (situ_dtype)j->call->out.dtype;
    int64_t size = (int64_t)situ_dtype_size(dtype);
    char *to = j->address[0] + (line / j->out.inner * j->out.n * j->out.inner + line % j->out.inner) * size;
    store(dtype, to, j->out.inner, j->out.n, j->scale, y);
}

static void task(void *context, int64_t index)
{
    const job *j = context;
    int64_t n = j->attr->n, lines = j->out.outer * j->out.inner, end = (index + 1) * LINES < lines ? (index + 1) * LINES : lines;
    number *x = situ_malloc((size_t)(2 * n + situ_dft_scratch(j->dft)) * sizeof *x);
    if (!x) situ_fault_set(j->host->fault, SITU_NO_MEMORY, n, 0);
    for (int64_t line = index * LINES; x && line < end; line++) {
        read_line(j, line, x);
        situ_dft_run(j->dft, j->attr->inverse, x, x + n, x + 2 * n);
        write_line(j, line, x + n);
    }
    situ_free(x);
}

double situ_fft_scale(const situ_fft_attr *a)
{
    if (a->norm == SITU_NORM_ORTHO) return 1 / sqrt((double)a->n);
    return (a->norm == SITU_NORM_BACKWARD) == (a->inverse != 0) ? 1 / (double)a->n : 1;
}

static void host_fft(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const fft_attr *a = c->attr;
    job j = {.call = c,
        .address = address,
        .host = h,
        .attr = a,
        .in = situ_host_around(&c->in[0], a->axis),
        .out = situ_host_around(&c->out, a->axis),
        .scale = situ_fft_scale(a)};
    if (!situ_layout_count(&c->out)) return; /* no tables for an empty result */
    situ_dft *dft = situ_dft_new(a->n);
    if (!dft) {
        situ_fault_set(h->fault, SITU_NO_MEMORY, a->n, 0);
        return;
    }
    j.dft = dft;
    situ_host_for(h, task, &j, (j.out.outer * j.out.inner + LINES - 1) / LINES);
    situ_dft_free(dft);
}

static double flops_fft(const situ_call_desc *c)
{
    const fft_attr *a = c->attr;
    return 5 * (double)situ_layout_count(&c->out) * situ_f64_log2((double)a->n + 1);
}

static int infer_fft(situ_infer *c)
{
    const fft_attr *a = c->attr;
    situ_infer_same(c);
    c->dtype = a->kind == TO_REAL ? situ_dtype_real(c->dtype) : situ_dtype_complex(c->dtype);
    c->dim[a->axis] = a->kind == FROM_REAL ? a->n / 2 + 1 : a->n;
    return 0;
}

/* ---- gradient ---------------------------------------------------------------------------------------------------------- */

/* x cut, or padded with zeros, to this length. */
static situ_tensor *fit(situ_tensor *x, int axis, int64_t length, situ_site site)
{
    if (!situ_usable(&x, 1, "fft", site)) return situ_poisoned();
    situ_shape stop = {.ndim = axis + 1}, edge = situ_shape_like(x);
    for (int i = 0; i < axis; i++) stop.dim[i] = SITU_FULL;
    stop.dim[axis] = length;
    if (x->dim[axis] >= length) return situ_slice(x, .stop = stop);
    edge.dim[axis] = length - x->dim[axis];
    return situ_concat(TENSORS(x, situ_zeros(edge, .dtype = (situ_dtype)x->dtype, .device = x->device)), .axis = axis);
}

/* The matrix of a transform is its own transpose. For a real result each element except the self-mirrored ones counts
 * twice. */
static void vjp_fft(situ_vjp *c)
{
    situ_site site = c->site;
    fft_attr a = *(const fft_attr *)situ_node_attr(c->y);
    const situ_tensor *x = c->in[0];
    situ_tensor *g;
    if (a.kind == TO_REAL) {
        int64_t half = a.n / 2 + 1;
        situ_tensor *at = situ_iota(SHAPE(half), 0, SITU_I64, x->device, site);
        situ_tensor *alone = situ_equal(situ_remainder(situ_mul(at, 2), a.n), 0);
        situ_shape along = {.ndim = x->ndim - a.axis};
        for (int i = 0; i < along.ndim; i++) along.dim[i] = i ? 1 : half;
        fft_attr back = {
            .n = a.n, .axis = a.axis, .kind = FROM_REAL, .norm = a.norm == SITU_NORM_ORTHO ? a.norm : SITU_NORM_FORWARD - a.norm};
        g = situ_conj(situ_apply1(&situ_op_fft, c->g, &back, sizeof back, site));
        g = situ_mul(g, situ_reshape(situ_where(alone, 1, 2), along));
    } else {
        bool real = a.kind == FROM_REAL;
        a.kind = FULL;
        g = situ_apply1(&situ_op_fft, c->g, &a, sizeof a, site);
        if (real) g = situ_real(g);
    }
    c->out[0] = fit(g, a.axis, x->dim[a.axis], site);
}

const situ_op situ_op_fft = {.name = "fft",
    .family = SITU_CALL,
    .can_fail = true,
    .operands = "x",
    .infer = infer_fft,
    .vjp = vjp_fft,
    .host = host_fft,
    .flops = flops_fft};

/* ---- public functions ---------------------------------------------------------------------------------------------------- */

/* A transform along one axis; n = 0: the default length. */
static situ_tensor *along(
    situ_tensor *x, int64_t n, int axis, int norm, int kind, bool inverse, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (!situ_usable(&x, 1, operation, site)) return situ_poisoned();
    axis = situ_axis(axis, x->ndim, operation, site);
    if (axis < 0) return situ_poisoned();
    situ_dtype dtype = (situ_dtype)x->dtype;
    if (kind == FROM_REAL && situ_dtype_is_complex(dtype))
        return situ_refused(SITU_BAD_DTYPE, site,
            "%s: x (%s) must be real; use " SITU_SAY("situ_fft", "situ.fft.fft") " for complex numbers", operation,
            situ_brief(x, text));
    if (!n) n = kind == TO_REAL ? 2 * (x->dim[axis] - 1) : x->dim[axis];
    if (n < 1 || n > INT64_C(1) << 48 || norm < SITU_NORM_BACKWARD || norm > SITU_NORM_FORWARD)
        return situ_refused(SITU_BAD_ARGUMENT, site, "%s: %s along axis %d of %s", operation,
            n < 1 || n > INT64_C(1) << 48 ? "no transform has that length" : "no such norm", axis, situ_brief(x, text));
    bool wide = situ_dtype_real(dtype) == SITU_F64;
    x = situ_cast(x, kind == FROM_REAL ? wide ? SITU_F64 : SITU_F32 : wide ? SITU_C128 : SITU_C64);
    fft_attr attr = {.n = n, .axis = axis, .kind = kind, .inverse = inverse, .norm = norm};
    return situ_apply1(&situ_op_fft, x, &attr, sizeof attr, site);
}

static situ_tensor *one(
    situ_tensor *x, const situ_fft_options *options, int kind, bool inverse, const char *operation, situ_site site)
{
    situ_fft_options o = {SITU_DEFAULTS(SITU_FFT_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, operation, site)) return situ_poisoned();
    return along(x, o.n, o.axis, o.norm, kind, inverse, operation, site);
}

situ_tensor *(situ_fft)(situ_tensor *x, const situ_fft_options *options, situ_site site)
{
    return one(x, options, FULL, false, "fft", site);
}
situ_tensor *(situ_ifft)(situ_tensor *x, const situ_fft_options *options, situ_site site)
{
    return one(x, options, FULL, true, "ifft", site);
}
situ_tensor *(situ_rfft)(situ_tensor *x, const situ_fft_options *options, situ_site site)
{
    return one(x, options, FROM_REAL, false, "rfft", site);
}
situ_tensor *(situ_irfft)(situ_tensor *x, const situ_fft_options *options, situ_site site)
{
    return one(x, options, TO_REAL, true, "irfft", site);
}

/* Exchanges backward and forward normalisation; an invalid value stays invalid. */
static int other_norm(int norm)
{
    return norm == SITU_NORM_BACKWARD ? SITU_NORM_FORWARD : norm == SITU_NORM_FORWARD ? SITU_NORM_BACKWARD : norm;
}

situ_tensor *(situ_hfft)(situ_tensor *x, const situ_fft_options *options, situ_site site)
{
    SITU_SPEAK("hfft", site);
    situ_fft_options o = {SITU_DEFAULTS(SITU_FFT_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "hfft", site)) return situ_poisoned();
    return along(situ_conj(x), o.n, o.axis, other_norm(o.norm), TO_REAL, true, "hfft", site);
}

situ_tensor *(situ_ihfft)(situ_tensor *x, const situ_fft_options *options, situ_site site)
{
    SITU_SPEAK("ihfft", site);
    situ_fft_options o = {SITU_DEFAULTS(SITU_FFT_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "ihfft", site)) return situ_poisoned();
    return situ_conj(along(x, o.n, o.axis, other_norm(o.norm), FROM_REAL, false, "ihfft", site));
}

/* ---- several axes ------------------------------------------------------------------------------------------------------- */

static bool take_axes(situ_tensor *x, situ_fftn_options *o, const situ_fftn_options *options, const char *operation, situ_site site)
{
    bool mark[SITU_MAX_DIMS];
    if (!situ_usable(&x, 1, operation, site) || !SITU_TAKE_OPTIONS(*o, options, operation, site)) return false;
    bool alone = o->s.ndim == -1;
    if (!situ_take_shape(&o->s, ".s", operation, site) || !situ_take_axes(&o->axes, operation, site)) return false;
    if (o->s.ndim < 0) o->s.ndim = 0;
    if (alone && o->s.ndim && !o->axes.given && x->ndim != 1) {
        situ_fail(SITU_BAD_OPTION, site,
            "%s: .s = %lld is one length, but x has %d dimensions; write " SITU_SAY(".s = SHAPE(", "s=(") "%lld" SITU_SAY(
                ")", ",)") " for the last of them, or a length for each",
            operation, (long long)o->s.dim[0], x->ndim, (long long)o->s.dim[0]);
        return false;
    }
    if ((o->s.ndim > 0 && o->axes.given && o->axes.count != o->s.ndim) || (!o->axes.given && o->s.ndim > x->ndim)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "%s: .s has %lld lengths, but there are %d axes", operation, (long long)o->s.ndim,
            o->axes.given ? o->axes.count : x->ndim);
        return false;
    }
    if (!o->axes.given) {
        int count = o->s.ndim ? (int)o->s.ndim : x->ndim;
        o->axes = (situ_axes){.given = 1, .count = count};
        for (int i = 0; i < count; i++) o->axes.axis[i] = i - count;
    }
    if (!situ_axes_mark(o->axes, x->ndim, mark, operation, site)) return false;
    if (!o->axes.count) situ_fail(SITU_BAD_ARGUMENT, site, "%s: there is no axis to transform along", operation);
    for (int i = 0; i < o->s.ndim; i++)
        if (o->s.dim[i] < 1)
            situ_fail(
                SITU_BAD_ARGUMENT, site, "%s: .s has the length %lld; lengths are at least 1", operation, (long long)o->s.dim[i]);
    return !situ_error_code;
}

/* Axis number i of the list, with its length. */
static situ_tensor *ith(
    situ_tensor *x, const situ_fftn_options *o, int i, int kind, bool inverse, const char *operation, situ_site site)
{
    return along(x, o->s.ndim ? o->s.dim[i] : 0, o->axes.axis[i], o->norm, kind, inverse, operation, site);
}

static situ_tensor *many(
    situ_tensor *x, const situ_fftn_options *options, int kind, bool inverse, const char *operation, situ_site site)
{
    situ_fftn_options o = {SITU_DEFAULTS(SITU_FFTN_DEFAULTS)};
    if (!take_axes(x, &o, options, operation, site)) return situ_poisoned();
    int last = o.axes.count - 1;
    if (kind != TO_REAL) x = ith(x, &o, last, kind, inverse, operation, site);
    for (int i = last; i-- > 0;) x = ith(x, &o, i, FULL, inverse, operation, site);
    return kind == TO_REAL ? ith(x, &o, last, kind, inverse, operation, site) : x;
}

situ_tensor *(situ_fftn)(situ_tensor *x, const situ_fftn_options *options, situ_site site)
{
    return many(x, options, FULL, false, "fftn", site);
}
situ_tensor *(situ_ifftn)(situ_tensor *x, const situ_fftn_options *options, situ_site site)
{
    return many(x, options, FULL, true, "ifftn", site);
}
situ_tensor *(situ_rfftn)(situ_tensor *x, const situ_fftn_options *options, situ_site site)
{
    return many(x, options, FROM_REAL, false, "rfftn", site);
}
situ_tensor *(situ_irfftn)(situ_tensor *x, const situ_fftn_options *options, situ_site site)
{
    return many(x, options, TO_REAL, true, "irfftn", site);
}

/* ---- frequencies --------------------------------------------------------------------------------------------------------- */

static situ_tensor *frequencies(int64_t n, bool half, const situ_fftfreq_options *options, const char *operation, situ_site site)
{
    SITU_SPEAK(operation, site);
    situ_fftfreq_options o = {SITU_DEFAULTS(SITU_FFTFREQ_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, operation, site) || !situ_take_device(&o.device, operation, site))
        return situ_poisoned();
    if (o.dtype == SITU_DTYPE_DEFAULT) o.dtype = SITU_F32;
    if (!isfinite(o.d) || o.d == 0)
        return situ_refused(SITU_BAD_OPTION, site, "%s: .d = %g is no time between two samples", operation, o.d);
    if (n < 1 || !situ_dtype_is_float(o.dtype))
        return situ_refused(SITU_BAD_ARGUMENT, site, "%s: %s", operation, n < 1 ? "n is below 1" : "the dtype is not a float");
    situ_tensor *k = situ_iota(SHAPE(half ? n / 2 + 1 : n), 0, SITU_I64, o.device, site);
    if (!half) k = situ_where(situ_less(k, (n + 1) / 2), k, situ_sub(k, n));
    return situ_cast(situ_div(situ_cast(k, SITU_F64), (double)n * o.d), o.dtype);
}

situ_tensor *(situ_fftfreq)(int64_t n, const situ_fftfreq_options *options, situ_site site)
{
    return frequencies(n, false, options, "fftfreq", site);
}
situ_tensor *(situ_rfftfreq)(int64_t n, const situ_fftfreq_options *options, situ_site site)
{
    return frequencies(n, true, options, "rfftfreq", site);
}

static situ_tensor *shift(situ_tensor *x, const situ_axes_options *options, bool back, const char *operation, situ_site site)
{
    situ_axes_options o = {SITU_DEFAULTS(SITU_AXES_DEFAULTS)};
    bool mark[SITU_MAX_DIMS];
    if (!situ_usable(&x, 1, operation, site) || !SITU_TAKE_OPTIONS(o, options, operation, site) ||
        !situ_take_axes(&o.axes, operation, site) || !situ_axes_mark(o.axes, x->ndim, mark, operation, site))
        return situ_poisoned();
    int ndim = x->ndim;
    for (int i = 0; i < ndim; i++)
        if (mark[i]) x = situ_roll(x, back ? -(x->dim[i] / 2) : x->dim[i] / 2, .axis = i);
    return situ_itself(x, site);
}

situ_tensor *(situ_fftshift)(situ_tensor *x, const situ_axes_options *options, situ_site site)
{
    return shift(x, options, false, "fftshift", site);
}
situ_tensor *(situ_ifftshift)(situ_tensor *x, const situ_axes_options *options, situ_site site)
{
    return shift(x, options, true, "ifftshift", site);
}
