/* Cumulative sums, products and linear recurrences. */
#include "op/attr.h"
#include "op/host.h"
#include "op/scan_sum.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef situ_axis_attr scan_attr;
enum { SCAN_SUM, SCAN_PRODUCT, SCAN_LINEAR };
enum { BEHIND = 8, BESIDE = 256 }; /* number of lines that are processed together if they are consecutive, or adjacent */

/* One step for whole vectors of adjacent lines in f32; b NULL: a product. Returns the number of lines done. */
static inline int64_t vectors(int64_t lines, void *out, const void *a, const void *b, void *before)
{
    typedef float narrow __attribute__((vector_size(16), aligned(4), may_alias));
    typedef double wide __attribute__((vector_size(32), aligned(8), may_alias));
    int64_t j = 0;
    for (; j + 4 <= lines; j += 4) {
        wide p = *(wide *)((double *)before + j) * __builtin_convertvector(*(const narrow *)((const float *)a + j), wide);
        if (b) p += __builtin_convertvector(*(const narrow *)((const float *)b + j), wide);
        *(wide *)((double *)before + j) = p;
        *(narrow *)((float *)out + j) = __builtin_convertvector(p, narrow);
    }
    return j;
}

/* One step of line j, which depends on its previous result, p. */
#define STEP(type, wide, expression, across) \
    { \
        wide x = a[at + j * (across)], y = b[at + j * (across)], p = before[j]; \
        (void)y; \
        out[at + j * (across)] = (type)(before[j] = (expression)); \
    }
/* Several lines in step: of real numbers, which programs scan often, by code for so many. */
#define STEPS(unrolled, type, wide, expression) \
    for (int64_t s = 0; s < r.n; s++) { \
        int64_t at = (t->flag ? r.n - 1 - s : s) * r.inner, j = 0; \
        if (unrolled && r.inner == 1 && lines == BEHIND) { \
            _Pragma("GCC unroll 8") for (; j < BEHIND; j++) STEP(type, wide, expression, r.n) \
        } else if (r.inner == 1) { \
            for (; j < lines; j++) STEP(type, wide, expression, r.n) \
        } else { \
            if (c->out.dtype == SITU_F32) j = vectors(lines, out + at, a + at, product ? NULL : b + at, before); \
            for (; j < lines; j++) STEP(type, wide, expression, 1) \
        } \
    }
/* Scans lines first..end-1 in order. A scheme of blocks would not do: the product of a block can overflow though no
 * result does. The carried value has a wider type instead. */
#define SCAN(unrolled, type, wide, expression) \
    for (int64_t line = first, lines; line < end; line += lines) { \
        int64_t place = line % r.inner, skip = line / r.inner * r.n * r.inner + place, \
                most = r.inner > 1 ? r.inner - place : BEHIND; \
        const type *a = (const type *)(const void *)address[1] + skip; \
        const type *b = (const type *)(const void *)(c->nin > 1 ? address[2] : address[1]) + skip; \
        type *out = (type *)(void *)address[0] + skip; \
        wide before[BESIDE]; \
        lines = end - line < most ? end - line : most; \
        if (lines > BESIDE) lines = BESIDE; \
        for (int64_t j = 0; j < lines; j++) before[j] = (wide)product; \
        STEPS(unrolled, type, wide, expression) \
    }
#define SCAN_TYPES(expression) \
    switch (c->out.dtype) { \
    case SITU_F32: SCAN(true, float, double, expression) break; \
    case SITU_F64: SCAN(true, double, double, expression) break; \
    case SITU_C64: SCAN(false, float _Complex, double _Complex, expression) break; \
    case SITU_C128: SCAN(false, double _Complex, double _Complex, expression) break; \
    case SITU_I32: \
    case SITU_U32: SCAN(false, uint32_t, uint32_t, expression) break; \
    default: SCAN(false, uint64_t, uint64_t, expression) break; \
    }

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
} job;

static void scan_lines(void *context, int64_t first, int64_t end)
{
    const situ_call_desc *c = ((const job *)context)->call;
    char *const *address = ((const job *)context)->address;
    const scan_attr *t = c->attr;
    situ_around r = situ_host_around(&c->out, t->axis);
    bool product = c->op->code == SCAN_PRODUCT;
    if (product) SCAN_TYPES(p * x)
    else SCAN_TYPES(p * x + y)
}

static void host_scan(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    enum { NEIGHBOURS = 256 };
    job j = {c, address};
    situ_host_lines(h, scan_lines, &j, situ_host_around(&c->out, ((const scan_attr *)c->attr)->axis), NEIGHBOURS);
}

static int infer_scan(situ_infer *c)
{
    if (c->nin > 1 &&
        (c->in[0]->dtype != c->in[1]->dtype || !situ_shape_equal(c->in[0]->ndim, c->in[0]->dim, c->in[1]->ndim, c->in[1]->dim)))
        return situ_fail(SITU_BAD_SHAPE, c->site, "linear_scan: a and b differ in shape or dtype");
    return situ_infer_same(c);
}

/* Each element's next or previous neighbour; `number` at the end. */
static situ_tensor *neighbour(situ_tensor *x, int axis, bool next, int number, situ_site site)
{
    situ_shape edge = situ_shape_like(x), whole = {.ndim = axis + 1};
    if (!x->dim[axis]) return x;
    edge.dim[axis] = 1;
    for (int i = 0; i <= axis; i++) whole.dim[i] = SITU_FULL;
    situ_tensor *end = situ_full(edge, number, .dtype = (situ_dtype)x->dtype, .device = x->device);
    whole.dim[axis] = next ? 1 : -1;
    if (next) return situ_concat(TENSORS(situ_slice(x, .start = whole), end), .axis = axis);
    return situ_concat(TENSORS(end, situ_slice(x, .stop = whole)), .axis = axis);
}

static void vjp_cumsum(situ_vjp *c)
{
    situ_site site = c->site;
    const scan_attr *t = situ_node_attr(c->y);
    c->out[0] = situ_cumsum(c->g, .axis = t->axis, .reverse = !t->flag);
}

/* Gradient by x_i: (product before i) (g_i + x_(i+1) (g_(i+1) + x_(i+2) (...))), without division, so zeros are fine. */
static void vjp_cumprod(situ_vjp *c)
{
    situ_site site = c->site;
    const scan_attr *t = situ_node_attr(c->y);
    situ_tensor *after =
        situ_linear_scan(neighbour(c->in[0], t->axis, !t->flag, 1, site), c->g, .axis = t->axis, .reverse = !t->flag);
    c->out[0] = situ_mul(neighbour(c->y, t->axis, t->flag, 1, site), after);
}

static void vjp_linear(situ_vjp *c)
{
    situ_site site = c->site;
    const scan_attr *t = situ_node_attr(c->y);
    situ_tensor *by_b =
        situ_linear_scan(neighbour(c->in[0], t->axis, !t->flag, 1, site), c->g, .axis = t->axis, .reverse = !t->flag);
    if (c->need[0]) c->out[0] = situ_mul(by_b, neighbour(c->y, t->axis, t->flag, 0, site));
    c->out[1] = by_b;
}

const situ_op situ_op_cumsum = {.name = "cumsum",
    .family = SITU_CALL,
    .code = SCAN_SUM,
    .operands = "x",
    .infer = infer_scan,
    .vjp = vjp_cumsum,
    .host = situ_scan_sum,
    .workspace = situ_scan_sum_workspace};
const situ_op situ_op_cumprod = {.name = "cumprod",
    .family = SITU_CALL,
    .code = SCAN_PRODUCT,
    .operands = "x",
    .infer = infer_scan,
    .vjp = vjp_cumprod,
    .reads = {SITU_READS_A | SITU_READS_RESULT},
    .host = host_scan};
const situ_op situ_op_linear_scan = {.name = "linear_scan",
    .family = SITU_CALL,
    .code = SCAN_LINEAR,
    .operands = "a, b",
    .infer = infer_scan,
    .vjp = vjp_linear,
    .reads = {SITU_READS_A | SITU_READS_RESULT, SITU_READS_A},
    .host = host_scan};

/* Small integers and halves are scanned in a wider type that rounds or wraps to the same result at the end. */
static situ_dtype scan_dtype(situ_dtype given, situ_dtype x)
{
    if (given != SITU_DTYPE_DEFAULT) return given;
    situ_kind kind = situ_dtype_kind(x);
    return kind == SITU_KIND_UNSIGNED ? SITU_U64 : kind <= SITU_KIND_SIGNED ? SITU_I64 : x;
}

/* options: situ_scan_options, or situ_linear_scan_options, which has its first fields. */
_Static_assert(sizeof(situ_linear_scan_options) <= offsetof(situ_scan_options, initial), "a recurrence has no initial");
static bool take_scan(
    situ_tensor *const *in, int n, situ_scan_options *o, const void *options, const char *operation, situ_site site)
{
    if (!situ_together(in, n, operation, "a, b", site) || !SITU_TAKE_OPTIONS(*o, options, operation, site)) return false;
    if (o->dtype == SITU_BOOL)
        situ_fail(
            SITU_BAD_DTYPE, site, "%s: no rule for bool; write " SITU_SAY(".dtype = SITU_I64", "dtype=situ.int64"), operation);
    return !situ_error_code;
}

static situ_tensor *scan(const situ_op *op, situ_tensor *x, const situ_scan_options *options, situ_site site)
{
    situ_scan_options o = {SITU_DEFAULTS(SITU_SCAN_DEFAULTS)};
    if (!take_scan(&x, 1, &o, options, op->name, site)) return situ_poisoned();
    int axis = situ_axis(o.axis, x->ndim, op->name, site);
    if (axis < 0) return situ_poisoned();
    situ_dtype dtype = scan_dtype(o.dtype, (situ_dtype)x->dtype);
    scan_attr attr = {.axis = axis, .flag = o.reverse};
    x = situ_cast(situ_cast(x, dtype), situ_dtype_compute(dtype));
    situ_tensor *y = situ_cast(situ_apply1(op, x, &attr, sizeof attr, site), dtype);
    if (!o.initial || situ_error_code) return y;
    situ_shape edge = situ_shape_like(y);
    edge.dim[axis] = 1;
    situ_tensor *first = situ_full(edge, op == &situ_op_cumprod, .dtype = dtype, .device = y->device);
    return o.reverse ? situ_concat(TENSORS(y, first), .axis = axis) : situ_concat(TENSORS(first, y), .axis = axis);
}

situ_tensor *(situ_cumsum)(situ_tensor *x, const situ_scan_options *options, situ_site site)
{
    return scan(&situ_op_cumsum, x, options, site);
}

situ_tensor *(situ_cumprod)(situ_tensor *x, const situ_scan_options *options, situ_site site)
{
    return scan(&situ_op_cumprod, x, options, site);
}

/* x with the tensors before and after it along an axis, broadcast to x's other axes. */
static situ_tensor *between(situ_tensor *before, situ_tensor *x, situ_tensor *after, int axis, situ_site site)
{
    situ_tensor *in[] = {before, x, after}, *part[3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (!in[i]) continue;
        situ_tensor *t = situ_as_tensor(in[i], (situ_dtype)x->dtype, x, "diff", site);
        situ_shape shape = situ_shape_like(x);
        int from_end = t->ndim - x->ndim + axis;
        shape.dim[axis] = from_end >= 0 ? t->dim[from_end] : 1;
        part[count++] = i == 1 ? x : situ_broadcast_to(t, shape);
        if (situ_error_code) return situ_poisoned();
    }
    situ_list parts = {part, count};
    return count == 1 ? x : situ_concat(parts, .axis = axis);
}

situ_tensor *(situ_diff)(situ_tensor *x, const situ_diff_options *options, situ_site site)
{
    SITU_SPEAK("diff", site);
    situ_diff_options o = {SITU_DEFAULTS(SITU_DIFF_DEFAULTS)};
    if (!situ_usable(&x, 1, "diff", site) || !SITU_TAKE_OPTIONS(o, options, "diff", site)) return situ_poisoned();
    int axis = situ_axis(o.axis, x->ndim, "diff", site);
    if (axis < 0) return situ_poisoned();
    if (o.n < 0) return situ_refused(SITU_BAD_ARGUMENT, site, "diff: %lld times; .n is at least 0", (long long)o.n);
    situ_tensor *parts[] = {x, o.prepend ? o.prepend : x, o.append ? o.append : x};
    if (!situ_together(parts, 3, "diff", "x, prepend, append", site)) return situ_poisoned();
    if (o.n) x = between(o.prepend, x, o.append, axis, site); /* as in NumPy: with n = 0 nothing is prepended or appended */
    situ_shape start = {.ndim = axis + 1}, stop = {.ndim = axis + 1};
    for (int i = 0; i <= axis; i++) start.dim[i] = stop.dim[i] = SITU_FULL;
    start.dim[axis] = 1;
    stop.dim[axis] = -1;
    for (int64_t i = 0; i < o.n && x->ndim && x->dim[axis]; i++) {
        situ_tensor *after = situ_slice(x, .start = start), *before = situ_slice(x, .stop = stop);
        x = x->dtype == SITU_BOOL ? situ_not_equal(after, before) : situ_sub(after, before);
    }
    return situ_itself(x, site);
}

situ_tensor *(situ_linear_scan)(situ_tensor *a, situ_tensor *b, const situ_linear_scan_options *options, situ_site site)
{
    SITU_SPEAK("linear_scan", site);
    situ_scan_options o = {SITU_DEFAULTS(SITU_SCAN_DEFAULTS)};
    situ_tensor *in[] = {a, b};
    if (!take_scan(in, 2, &o, options, "linear_scan", site)) return situ_poisoned();
    situ_shape shape = {.ndim = situ_shape_broadcast(site, "linear_scan", a->ndim, a->dim, b->ndim, b->dim, shape.dim)};
    int axis = shape.ndim < 0 ? -1 : situ_axis(o.axis, (int)shape.ndim, "linear_scan", site);
    if (axis < 0) return situ_poisoned();
    situ_infer both = {.nin = 2, .in = in};
    situ_dtype dtype = scan_dtype(o.dtype, situ_infer_promote(&both, 0, 2)), compute = situ_dtype_compute(dtype);
    a = situ_as_tensor(a, dtype, b, "linear_scan", site);
    b = situ_as_tensor(b, dtype, a, "linear_scan", site);
    situ_tensor *wide[] = {situ_broadcast_to(situ_cast(a, compute), shape), situ_broadcast_to(situ_cast(b, compute), shape)};
    scan_attr attr = {.axis = axis, .flag = o.reverse};
    return situ_cast(situ_apply(&situ_op_linear_scan, wide, 2, &attr, sizeof attr, NULL, 0, site), dtype);
}
