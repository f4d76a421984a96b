/* Reading, writing and adding elements by index. Writes happen in the order of the indices, so equal indices give the
 * same bits on every device. */
#include "op/attr.h"
#include "op/host.h"
#include "op/index.h"
#include "op/kernel.h"
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef situ_axis_attr index_attr;

static int check_index(const situ_infer *c, int which)
{
    situ_dtype d = (situ_dtype)c->in[which]->dtype;
    if (situ_dtype_is_integer(d)) return 0;
    return situ_fail(SITU_BAD_DTYPE, c->site, "%s: index has dtype %s, not an integer one; %s", c->op->name, situ_dtype_name(d),
        d == SITU_BOOL               ? SITU_SAY("situ_masked takes a mask", "a mask goes into x[mask]") :
            situ_dtype_is_complex(d) ? "it is the number of an element, counted from 0" :
                                       "write " SITU_SAY("situ_cast(index, SITU_I64)", "index.astype(\"int64\")"));
}

/* ---- take and index_add: whole slices -------------------------------------------------------------------------------- */

/* x's shape with its axis replaced by the shape of the index. */
static int taken_shape(const situ_infer *c, int axis, int64_t *dim)
{
    const situ_tensor *x = c->in[0], *index = c->in[1];
    int n = 0;
    if (x->ndim - 1 + index->ndim > SITU_MAX_DIMS)
        return situ_fail(SITU_BAD_SHAPE, c->site, "%s: more than %d dimensions", c->op->name, SITU_MAX_DIMS);
    for (int i = 0; i < axis; i++) dim[n++] = x->dim[i];
    for (int i = 0; i < index->ndim; i++) dim[n++] = index->dim[i];
    for (int i = axis + 1; i < x->ndim; i++) dim[n++] = x->dim[i];
    return n;
}

static int infer_take(situ_infer *c)
{
    int failed = check_index(c, 1);
    if (failed) return failed;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    c->ndim = taken_shape(c, ((const index_attr *)c->attr)->axis, c->dim);
    return c->ndim < 0 ? c->ndim : 0;
}

/* K for indices that choose among n elements along an axis: [outer, count, inner]. */
#define CHOOSE(k, around, count) \
    const index_attr *a = c->attr; \
    situ_around r = situ_host_around(around, a->axis); \
    (k)->outer = r.outer, (k)->rows = (count), (k)->inner = r.inner; \
    (k)->from_end = c->in[1].dtype != SITU_U64 && !a->flag

SITU_KERNEL(take, SITU_BY_SIZE, (), {
    i64_F at = INDEX(i, K.n);
    if (at < 0) EACH_J OUT[row * K.inner + j] = MISSING;
    else EACH_J OUT[row * K.inner + j] = IN0[(o * K.n + at) * K.inner + j];
})

static void take_shape(const situ_call_desc *c, struct take *k)
{
    CHOOSE(k, &c->in[0], situ_layout_count(&c->in[1]));
    k->n = r.n;
}

static situ_tensor *add_at(
    const situ_op *op, situ_tensor *x, situ_tensor *index, situ_tensor *value, index_attr attr, situ_site site);
static situ_dtype adds_in(const situ_op *op, situ_dtype dtype, const situ_tensor *index, int axis);

/* Adds g at the indices to the gradient that the operand has already. So a table that is also multiplied by needs no
 * second array of zeros. */
static void add_back(situ_vjp *c, const situ_op *op)
{
    situ_site site = c->site;
    const index_attr *a = situ_node_attr(c->y);
    situ_dtype dtype = (situ_dtype)c->g->dtype;
    bool onto = *c->before && (*c->before)->dtype == dtype && adds_in(op, dtype, c->in[1], a->axis) == dtype;
    situ_tensor *x = onto ? *c->before : situ_full_like(c->in[0], 0, .dtype = dtype);
    if (onto) *c->before = NULL;
    c->out[0] = add_at(op, x, c->in[1], c->g, *a, site);
}

static void vjp_take(situ_vjp *c) { add_back(c, &situ_op_index_add); }

const situ_op situ_op_take = {.name = "take",
    .family = SITU_CALL,
    .can_fail = true,
    .operands = "x, index",
    .infer = infer_take,
    .vjp = vjp_take,
    .reads = {SITU_READS_B},
    SITU_ONE_KERNEL(take)};

static int infer_index_add(situ_infer *c)
{
    int64_t dim[8];
    int failed = check_index(c, 1), n = failed ? failed : taken_shape(c, ((const index_attr *)c->attr)->axis, dim);
    if (n < 0) return n;
    if (!situ_shape_equal(n, dim, c->in[2]->ndim, c->in[2]->dim)) {
        char is[SITU_SHAPE_TEXT], needs[SITU_SHAPE_TEXT];
        return situ_fail(SITU_BAD_SHAPE, c->site, "index_add: value has shape %s, but take(x, index) has %s",
            situ_shape_text(c->in[2]->ndim, c->in[2]->dim, is, sizeof is), situ_shape_text(n, dim, needs, sizeof needs));
    }
    return situ_infer_same(c);
}

/* Defines an operation that writes slices of x: adds to them or replaces them. */
#define WRITE_SLICES(id, TYPES, write) \
    SITU_KERNEL(id, TYPES, (), { \
        i64_F at = INDEX(i, K.n); \
        if (at >= 0) EACH_J write(at, IN2[row * K.inner + j]); \
    }) \
    static void id##_shape(const situ_call_desc *c, struct id *k) \
    { \
        CHOOSE(k, &c->out, situ_layout_count(&c->in[1])); \
        k->n = r.n, k->ordered = 1; \
    }
WRITE_SLICES(index_add, SITU_NUMBERS, ADD_TO)

static void vjp_index_add(situ_vjp *c)
{
    situ_site site = c->site;
    const index_attr *a = situ_node_attr(c->y);
    c->out[0] = c->g;
    if (c->need[2]) c->out[2] = situ_take(c->g, c->in[1], .axis = a->axis);
}

/* Defines the variant of an operation for checked indices: see situ_op.sure. */
#define SURE(id, infers, reads_by) \
    static const situ_op sure_##id = {.name = #id, \
        .family = SITU_CALL, \
        .part = true, \
        .operands = "x, index, value", \
        .infer = infers, \
        SITU_ONE_KERNEL(reads_by)};
SURE(index_add, infer_index_add, index_add)

const situ_op situ_op_index_add = {.name = "index_add",
    .family = SITU_CALL,
    .can_fail = true,
    .part = true,
    .sure = &sure_index_add,
    .operands = "x, index, value",
    .infer = infer_index_add,
    .vjp = vjp_index_add,
    .reads = {0, 0, SITU_READS_B},
    SITU_ONE_KERNEL(index_add)};

/* With equal indices the last slice counts. */
WRITE_SLICES(index_copy, SITU_BY_SIZE, PUT)
SURE(index_copy, infer_index_add, index_copy)
const situ_op situ_op_index_copy = {.name = "index_copy",
    .family = SITU_CALL,
    .can_fail = true,
    .part = true,
    .sure = &sure_index_copy,
    .operands = "x, index, value",
    .infer = infer_index_add,
    .no_gradient = "only optimizers record it",
    SITU_ONE_KERNEL(index_copy)};

/* ---- gather and scatter: one element for each index ------------------------------------------------------------------ */

static int infer_gather(situ_infer *c)
{
    int failed = check_index(c, 1);
    c->dtype = (situ_dtype)c->in[0]->dtype;
    situ_infer_dims(c, c->in[1]->ndim, c->in[1]->dim);
    return failed;
}

SITU_KERNEL(gather, SITU_BY_SIZE, (), {
    EACH_J {
        i64_F p = row * K.inner + j, at = INDEX(p, K.n);
        OUT[p] = at < 0 ? MISSING : IN0[(o * K.n + at) * K.inner + j];
}
})

static void gather_shape(const situ_call_desc *c, struct gather *k)
{
    CHOOSE(k, &c->out, r.n);
    k->n = c->in[0].dim[a->axis];
}

static void vjp_gather(situ_vjp *c) { add_back(c, &situ_op_scatter_add); }

const situ_op situ_op_gather = {.name = "gather",
    .family = SITU_CALL,
    .can_fail = true,
    .operands = "x, index",
    .infer = infer_gather,
    .vjp = vjp_gather,
    .reads = {SITU_READS_B},
    SITU_ONE_KERNEL(gather)};

static int infer_scatter(situ_infer *c)
{
    int failed = check_index(c, 1);
    situ_infer_same(c);
    return failed;
}

#define SCATTER(id, TYPES, write) \
    SITU_KERNEL(id, TYPES, (), { \
        EACH_J { \
            i64_F p = row * K.inner + j, at = INDEX(p, K.n); \
            if (at >= 0) write(at, IN2[p]); \
    } \
    }) \
    static void id##_shape(const situ_call_desc *c, struct id *k) \
    { \
        CHOOSE(k, &c->in[1], r.n); \
        k->n = c->out.dim[a->axis], k->ordered = 1; \
    }
SCATTER(scatter, SITU_BY_SIZE, PUT)
SCATTER(scatter_add, SITU_NUMBERS, ADD_TO)

static void vjp_scatter_add(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = c->g;
    situ_tensor *in[] = {c->g, c->in[1]};
    if (c->need[2]) c->out[2] = situ_apply(&situ_op_gather, in, 2, situ_node_attr(c->y), sizeof(index_attr), NULL, 0, site);
}

/* With equal indices only the last value is in the result. A second scatter, of position numbers, tells which one that
 * is. */
static void vjp_scatter(situ_vjp *c)
{
    situ_site site = c->site;
    const index_attr *a = situ_node_attr(c->y);
    situ_tensor *index = c->in[1], *zero = situ_full_like(c->in[2], 0, .dtype = (situ_dtype)c->g->dtype);
    if (c->need[0]) c->out[0] = situ_scatter(c->g, index, zero, .axis = a->axis);
    if (!c->need[2]) return;
    int64_t count = situ_node_count(index);
    situ_tensor *number = situ_reshape(situ_arange(0, count, 1, .device = index->device), situ_shape_like(index));
    situ_tensor *written = situ_scatter(situ_full_like(c->in[0], -1, .dtype = SITU_I64), index, number, .axis = a->axis);
    situ_tensor *last = situ_equal(situ_gather(written, index, .axis = a->axis), number);
    c->out[2] = situ_where(last, situ_gather(c->g, index, .axis = a->axis), 0);
}

SURE(scatter, infer_scatter, scatter)
const situ_op situ_op_scatter = {.name = "scatter",
    .family = SITU_CALL,
    .can_fail = true,
    .part = true,
    .sure = &sure_scatter,
    .operands = "x, index, value",
    .infer = infer_scatter,
    .vjp = vjp_scatter,
    .reads = {SITU_READS_B, 0, SITU_READS_B},
    SITU_ONE_KERNEL(scatter)};
SURE(scatter_add, infer_scatter, scatter_add)
const situ_op situ_op_scatter_add = {.name = "scatter_add",
    .family = SITU_CALL,
    .can_fail = true,
    .part = true,
    .sure = &sure_scatter_add,
    .operands = "x, index, value",
    .infer = infer_scatter,
    .vjp = vjp_scatter_add,
    .reads = {0, 0, SITU_READS_B},
    SITU_ONE_KERNEL(scatter_add)};

/* Returns operand 0, indices into n, after checking their range. */
SITU_KERNEL(checked, SITU_BY_SIZE, (), {
    EACH_J {
        i64_F p = row * K.inner + j, at = INDEX(p, K.n);
        OUT[p] = IN0[p];
        (void)at;
}
})

static void checked_shape(const situ_call_desc *c, struct checked *k)
{
    const situ_checked_attr *a = c->attr;
    k->rows = situ_layout_count(&c->out), k->n = a->n;
    k->from_end = c->in[1].dtype != SITU_U64 && !a->labels;
}

const situ_op situ_op_checked = {
    .name = "index", .family = SITU_CALL, .can_fail = true, .operands = "index, index", SITU_ONE_KERNEL(checked)};

bool situ_takes_labels(const situ_call_desc *c)
{
    return (c->op == &situ_op_gather || c->op == &situ_op_scatter_add) && ((const index_attr *)c->attr)->flag;
}

/* ---- public functions -------------------------------------------------------------------------------------------------- */

/* Does x's dtype hold value? A known number is checked itself, a tensor by its dtype: otherwise fractions would be
 * truncated, integers wrap, and imaginary parts vanish silently. Floats may round to floats. */
static bool holds(const situ_tensor *x, const situ_tensor *value, const char *operation, situ_site site)
{
    situ_dtype to = (situ_dtype)x->dtype, of = (situ_dtype)value->dtype;
    if (situ_is_number(value) || (situ_dtype_is_float(of) && situ_dtype_is_float(to))) return true;
    if (situ_dtype_promote(of, to) == to || situ_dtype_is_complex(to)) return true;
    if (situ_dtype_is_float(to) && !situ_dtype_is_complex(of)) return true;
    situ_fail(SITU_BAD_DTYPE, site,
        "%s: %s does not hold what %s has; write " SITU_SAY("situ_cast(value, dtype)", "value.astype(x.dtype)") " to cut it",
        operation, situ_dtype_name(to), situ_dtype_name(of));
    return false;
}

/* options: situ_axis_options or situ_last_axis_options, which differ only in their default. */
static bool take_index(situ_tensor **in, int n, int *axis, const void *options, int other, const char *operation, situ_site site)
{
    situ_axis_options o = {.axis = other};
    if (!situ_together(in, n, operation, n > 2 ? "x, index, value" : "x, index", site) ||
        !SITU_TAKE_OPTIONS(o, options, operation, site))
        return false;
    *axis = situ_axis(o.axis, in[0]->ndim, operation, site);
    if (*axis < 0) return false;
    if (situ_is_number(in[1]) && in[1]->kind == 1) in[1] = situ_as_tensor(in[1], SITU_I64, in[0], operation, site);
    if (n > 2 && !holds(in[0], in[2], operation, site)) return false;
    if (n > 2) in[2] = situ_cast(situ_as_tensor(in[2], (situ_dtype)in[0]->dtype, in[0], operation, site), (situ_dtype)in[0]->dtype);
    return !situ_error_code;
}

situ_tensor *(situ_take)(situ_tensor *x, situ_tensor *index, const situ_axis_options *options, situ_site site)
{
    SITU_SPEAK("take", site);
    situ_tensor *in[] = {x, index};
    index_attr attr = {0};
    if (!take_index(in, 2, &attr.axis, options, 0, "take", site)) return situ_poisoned();
    return situ_apply(&situ_op_take, in, 2, &attr, sizeof attr, NULL, 0, site);
}

enum { LONG_SUM = 16384 };

/* The dtype for additions: small integers and halves are added in a wider dtype and rounded once. So are long sums of
 * f32, because they are added in order. */
static situ_dtype adds_in(const situ_op *op, situ_dtype dtype, const situ_tensor *index, int axis)
{
    situ_dtype compute = situ_dtype_compute(dtype);
    int64_t count = op == &situ_op_index_add ? situ_node_count(index) : index->dim[axis];
    if (count < LONG_SUM) return compute;
    return compute == SITU_F32 ? SITU_F64 : compute == SITU_C64 ? SITU_C128 : compute;
}

static situ_tensor *add_at(
    const situ_op *op, situ_tensor *x, situ_tensor *index, situ_tensor *value, index_attr attr, situ_site site)
{
    situ_dtype dtype = (situ_dtype)x->dtype, compute = adds_in(op, dtype, index, attr.axis);
    if (dtype == SITU_BOOL)
        return situ_refused(SITU_BAD_DTYPE, site,
            "%s: no rule for bool; write " SITU_SAY("situ_cast(x, SITU_I32)", "x.astype(\"int32\")") " to count, or " SITU_SAY(
                "situ_scatter", "situ.scatter") " to set",
            op->name);
    situ_tensor *in[] = {situ_cast(x, compute), index, situ_cast(value, compute)};
    return situ_cast(situ_apply(op, in, 3, &attr, sizeof attr, NULL, 0, site), dtype);
}

situ_tensor *situ_index_copy(situ_tensor *x, situ_tensor *index, situ_tensor *value, situ_site site)
{
    const index_attr attr = {0};
    return situ_apply(&situ_op_index_copy, (situ_tensor *[]){x, index, value}, 3, &attr, sizeof attr, NULL, 0, site);
}

situ_tensor *(
    situ_index_add)(situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_axis_options *options, situ_site site)
{
    SITU_SPEAK("index_add", site);
    situ_tensor *in[] = {x, index, value};
    index_attr attr = {0};
    if (!take_index(in, 3, &attr.axis, options, 0, "index_add", site)) return situ_poisoned();
    return add_at(&situ_op_index_add, in[0], in[1], in[2], attr, site);
}

/* Checks that the shapes fit apart from the axis. The error says what was given and, if the index is shorter than x,
 * as in PyTorch, how to take a part of x. */
static bool fits_around(situ_tensor **in, int axis, const char *operation, situ_site site)
{
    for (int i = 0; i < in[0]->ndim; i++) {
        int64_t x = in[0]->dim[i], index = in[1]->dim[i];
        if (i == axis || x == index || x == 1 || index == 1) continue;
        char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT], part[96] = "";
        if (index < x)
            snprintf(part, sizeof part, "; for a part of x write " SITU_SAY("situ_slice(x, ...)", "x[%.*s:%lld]"), 3 * i,
                ":, :, :, :, :, :, :, ", (long long)index);
        situ_fail(SITU_BAD_SHAPE, site, "%s: x is %s and index %s: along each axis but %d they have one length, or one of them 1%s",
            operation, situ_brief(in[0], a), situ_brief(in[1], b), axis, part);
        return false;
    }
    return true;
}

/* Checks that the values broadcast to the shape of the index. */
static bool spreads(const situ_tensor *value, situ_shape s, const char *operation, situ_site site)
{
    bool fits = value->ndim <= s.ndim;
    for (int i = 0; i < value->ndim && fits; i++) {
        int64_t v = value->dim[value->ndim - 1 - i];
        fits = v == 1 || v == s.dim[s.ndim - 1 - i];
    }
    if (fits) return true;
    char a[SITU_BRIEF_TEXT], b[SITU_SHAPE_TEXT];
    situ_fail(SITU_BAD_SHAPE, site,
        "%s: value is %s, but the index names %s elements; give as many values, or what spreads to them", operation,
        situ_brief(value, a), situ_shape_text((int)s.ndim, s.dim, b, sizeof b));
    return false;
}

/* Broadcasts x and index (and value) to each other, except along the axis, where each keeps its length. */
static bool broadcast_around(situ_tensor **in, int n, int axis, const char *operation, situ_site site)
{
    int64_t shape[8], x[8], index[8];
    if (in[1]->ndim != in[0]->ndim) {
        situ_fail(
            SITU_BAD_SHAPE, site, "%s: x has %d dimensions, index %d; they must be as many", operation, in[0]->ndim, in[1]->ndim);
        return false;
    }
    int ndim = in[0]->ndim;
    memcpy(x, in[0]->dim, 8 * (size_t)ndim);
    memcpy(index, in[1]->dim, 8 * (size_t)ndim);
    int64_t length = x[axis], count = index[axis];
    x[axis] = index[axis] = 1;
    if (!fits_around(in, axis, operation, site) || situ_shape_broadcast(site, operation, ndim, x, ndim, index, shape) < 0)
        return false;
    situ_shape s = {.ndim = ndim};
    memcpy(s.dim, shape, 8 * (size_t)ndim);
    s.dim[axis] = length;
    in[0] = situ_broadcast_to(in[0], s);
    s.dim[axis] = count;
    in[1] = situ_broadcast_to(in[1], s);
    if (n > 2 && !spreads(in[2], s, operation, site)) return false;
    if (n > 2) in[2] = situ_broadcast_to(in[2], s);
    return !situ_error_code;
}

situ_tensor *(situ_gather)(situ_tensor *x, situ_tensor *index, const situ_last_axis_options *options, situ_site site)
{
    SITU_SPEAK("gather", site);
    situ_tensor *in[] = {x, index};
    index_attr attr = {0};
    if (!take_index(in, 2, &attr.axis, options, -1, "gather", site) || !broadcast_around(in, 2, attr.axis, "gather", site))
        return situ_poisoned();
    return situ_apply(&situ_op_gather, in, 2, &attr, sizeof attr, NULL, 0, site);
}

situ_tensor *situ_gather_labels(situ_tensor *scores, situ_tensor *labels, situ_site site)
{
    index_attr attr = {.axis = scores->ndim - 1, .flag = true};
    return situ_apply(
        &situ_op_gather, (situ_tensor *[]){scores, situ_expand_dims(labels, -1)}, 2, &attr, sizeof attr, NULL, 0, site);
}

situ_tensor *(
    situ_scatter)(situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_last_axis_options *options, situ_site site)
{
    SITU_SPEAK("scatter", site);
    situ_tensor *in[] = {x, index, value};
    index_attr attr = {0};
    if (!take_index(in, 3, &attr.axis, options, -1, "scatter", site) || !broadcast_around(in, 3, attr.axis, "scatter", site))
        return situ_poisoned();
    return situ_apply(&situ_op_scatter, in, 3, &attr, sizeof attr, NULL, 0, site);
}

situ_tensor *(
    situ_scatter_add)(situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_last_axis_options *options, situ_site site)
{
    SITU_SPEAK("scatter_add", site);
    situ_tensor *in[] = {x, index, value};
    index_attr attr = {0};
    if (!take_index(in, 3, &attr.axis, options, -1, "scatter_add", site) ||
        !broadcast_around(in, 3, attr.axis, "scatter_add", site))
        return situ_poisoned();
    return add_at(&situ_op_scatter_add, in[0], in[1], in[2], attr, site);
}
