/* Positions of maxima, sorting, searching. All of it works on keys (host.h). */
#include "op/attr.h"
#include "numeric/extreme.h"
#include "op/host.h"
#include "op/number.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef situ_axis_attr arg_attr;
static const char positions[] = "its results are positions";

/* ---- argmax, argmin -------------------------------------------------------------------------------------------------- */

static int infer_arg(situ_infer *c)
{
    const arg_attr *a = c->attr;
    const situ_tensor *x = c->in[0];
    int failed = situ_refuse_complex(c);
    if (failed) return failed;
    if (!x->dim[a->axis])
        return situ_fail(SITU_BAD_SHAPE, c->site, "%s: axis %d has no element to choose from", c->op->name, a->axis);
    c->dtype = SITU_I64;
    for (int i = 0; i < x->ndim; i++)
        if (i != a->axis) c->dim[c->ndim++] = x->dim[i];
    return 0;
}

enum { NEIGHBOURS = 64 };

/* The element with the largest rank wins, the first of equal ones; NaN has the largest rank for minima, too. */
static inline uint64_t rank_of(uint64_t key, bool largest, bool has_nan)
{
    return largest || (has_nan && key == UINT64_MAX) ? key : ~key;
}

static int64_t best_of(situ_dtype dtype, const char *x, int64_t stride, int64_t n, bool largest)
{
    enum { CHUNK = 256 };
    uint64_t key[CHUNK], best = 0;
    int64_t at = 0, size = (int64_t)situ_dtype_size(dtype);
    bool has_nan = situ_dtype_is_float(dtype);
    if (stride == 1 && (at = situ_extreme(dtype, x, n, largest)) >= 0) return at;
    at = 0;
    for (int64_t first = 0; first < n; first += CHUNK) {
        int64_t count = n - first < CHUNK ? n - first : CHUNK;
        situ_host_keys(key, dtype, x + first * stride * size, stride, count);
        for (int64_t i = 0; i < count; i++) {
            uint64_t rank = rank_of(key[i], largest, has_nan);
            if (rank <= best) continue;
            at = first + i;
            best = rank;
        }
    }
    return at;
}

/* For `width` adjacent lines, step by step. */
static void best_of_neighbours(situ_dtype dtype, const char *x, int64_t stride, int64_t n, bool largest, int width, int64_t *at)
{
    uint64_t key[NEIGHBOURS], best[NEIGHBOURS] = {0};
    bool has_nan = situ_dtype_is_float(dtype);
    for (int j = 0; j < width; j++) at[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        situ_host_keys(key, dtype, x + i * stride * (int64_t)situ_dtype_size(dtype), 1, width);
        for (int j = 0; j < width; j++) {
            uint64_t rank = rank_of(key[j], largest, has_nan);
            bool better = rank > best[j];
            at[j] = better ? i : at[j];
            best[j] = better ? rank : best[j];
        }
    }
}

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
} job;

static void arg_lines(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    const situ_call_desc *c = j->call;
    situ_dtype dtype = (situ_dtype)c->in[0].dtype;
    situ_around r = situ_host_around(&c->in[0], ((const arg_attr *)c->attr)->axis);
    int64_t *out = (int64_t *)(void *)j->address[0], size = (int64_t)situ_dtype_size(dtype);
    for (int64_t i = first, width; i < end; i += width) {
        const char *line = j->address[1] + (i / r.inner * r.n * r.inner + i % r.inner) * size;
        width = r.inner - i % r.inner < end - i ? r.inner - i % r.inner : end - i;
        if (width > NEIGHBOURS) width = NEIGHBOURS;
        if (width > 1) best_of_neighbours(dtype, line, r.inner, r.n, c->op->code, (int)width, out + i);
        else out[i] = best_of(dtype, line, r.inner, r.n, c->op->code);
    }
}

static void host_arg(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {c, address};
    situ_host_lines(h, arg_lines, &j, situ_host_around(&c->in[0], ((const arg_attr *)c->attr)->axis), NEIGHBOURS);
}

const situ_op situ_op_argmax = {.name = "argmax",
    .family = SITU_CALL,
    .code = 1,
    .operands = "x",
    .infer = infer_arg,
    .no_gradient = positions,
    .host = host_arg};
const situ_op situ_op_argmin = {.name = "argmin",
    .family = SITU_CALL,
    .code = 0,
    .operands = "x",
    .infer = infer_arg,
    .no_gradient = positions,
    .host = host_arg};

static situ_tensor *arg(const situ_op *op, situ_tensor *x, const situ_arg_options *options, situ_site site)
{
    situ_arg_options o = {.axis = SITU_ALL_AXES};
    if (!situ_usable(&x, 1, op->name, site) || !SITU_TAKE_OPTIONS(o, options, op->name, site)) return situ_poisoned();
    situ_shape kept = situ_shape_like(x);
    if (o.axis == SITU_ALL_AXES) {
        for (int i = 0; i < x->ndim; i++) kept.dim[i] = 1;
        x = situ_reshape(x, SHAPE(situ_node_count(x)));
        o.axis = 0;
    } else {
        o.axis = situ_axis(o.axis, x->ndim, op->name, site);
        if (o.axis < 0) return situ_poisoned();
        kept.dim[o.axis] = 1;
    }
    arg_attr attr = {.axis = o.axis};
    situ_tensor *y = situ_apply1(op, x, &attr, sizeof attr, site);
    return o.keepdims ? situ_reshape(y, kept) : y;
}

situ_tensor *(situ_argmax)(situ_tensor *x, const situ_arg_options *options, situ_site site)
{
    SITU_SPEAK("argmax", site);
    return arg(&situ_op_argmax, x, options, site);
}

situ_tensor *(situ_argmin)(situ_tensor *x, const situ_arg_options *options, situ_site site)
{
    SITU_SPEAK("argmin", site);
    return arg(&situ_op_argmin, x, options, site);
}

/* ---- searchsorted ---------------------------------------------------------------------------------------------------- */

static int infer_search(situ_infer *c)
{
    int failed = situ_refuse_complex(c);
    if (failed) return failed;
    if (c->in[0]->ndim != 1)
        return situ_fail(SITU_BAD_SHAPE, c->site, "searchsorted: the sorted sequence has %d dimensions, not 1", c->in[0]->ndim);
    c->dtype = SITU_I64;
    situ_infer_dims(c, c->in[1]->ndim, c->in[1]->dim);
    return 0;
}

/* How elements of one size become keys: floats by magnitude with mirrored negatives, signed integers with their sign bit flipped
 * (host.h). */
typedef struct search {
    const char *sorted, *values;
    int64_t *out, n;
    situ_dtype dtype;
    bool real, right;
    uint64_t sign, infinity; /* sign: 0 for unsigned integers */
} search;

static inline uint64_t search_key(const search *s, uint64_t bits)
{
    if (!s->real) return bits ^ s->sign;
    uint64_t size = bits & (s->sign - 1);
    if (size > s->infinity) return UINT64_MAX;
    return bits & s->sign ? s->sign - size : s->sign + size;
}

/* searches several values at a time, whose loads do not wait for each other; the result is the number of elements before each */
enum { SEARCHED = 16 };
#define SEARCH(type) \
    for (int64_t i = first; i < end; i += SEARCHED) { \
        int64_t low[SEARCHED] = {0}, count = end - i < SEARCHED ? end - i : SEARCHED; \
        uint64_t value[SEARCHED]; \
        for (int k = 0; k < SEARCHED; k++) \
            value[k] = search_key(s, ((const type *)(const void *)s->values)[i + (k < count ? k : 0)]); \
        for (int64_t left = s->n, step; left > 0; left -= step) { \
            step = left > 1 ? left / 2 : 1; \
            for (int k = 0; k < SEARCHED; k++) { \
                uint64_t key = search_key(s, ((const type *)(const void *)s->sorted)[low[k] + step - 1]); \
                low[k] += step & -(int64_t)((key < value[k]) | ((key == value[k]) & s->right)); \
            } \
        } \
        memcpy(s->out + i, low, (size_t)count * sizeof *low); \
    } \
    break

static void search_values(void *context, int64_t first, int64_t end)
{
    const search *s = context;
    switch (situ_dtype_size(s->dtype)) {
    case 1: SEARCH(uint8_t);
    case 2: SEARCH(uint16_t);
    case 4: SEARCH(uint32_t);
    default: SEARCH(uint64_t);
    }
}

static void host_search(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    enum { LEAST_VALUES = 512 };
    situ_dtype dtype = (situ_dtype)c->in[0].dtype;
    search s = {
        .sorted = address[1], .values = address[2], .out = (int64_t *)(void *)address[0], .n = c->in[0].dim[0], .dtype = dtype};
    s.real = situ_dtype_is_float(dtype);
    s.right = *(const int32_t *)c->attr;
    if (s.real || situ_dtype_is_signed(dtype)) s.sign = 1ull << (8 * situ_dtype_size(dtype) - 1);
    s.infinity = dtype == SITU_F16 ? 0x7c00 : dtype == SITU_BF16 ? 0x7f80 : dtype == SITU_F32 ? 0x7f800000 : 0x7ff0000000000000;
    situ_host_pieces(h, search_values, &s, situ_layout_count(&c->out), LEAST_VALUES);
}

const situ_op situ_op_searchsorted = {.name = "searchsorted",
    .family = SITU_CALL,
    .operands = "sorted, values",
    .infer = infer_search,
    .no_gradient = positions,
    .host = host_search};

/* Searching between u64 and signed dtypes: values beyond the searched dtype's range come before or after everything. */
static situ_tensor *search_integers(situ_tensor *sorted, situ_tensor *values, const situ_search_options *options, situ_site site)
{
    bool large = values->dtype == SITU_U64;
    situ_tensor *beyond = large ? situ_greater(values, INT64_MAX) : situ_less(values, 0);
    situ_dtype dtype = large ? SITU_I64 : SITU_U64;
    situ_tensor *at = (situ_searchsorted)(situ_cast(sorted, dtype), situ_cast(values, dtype), options, site);
    return situ_where(beyond, large && sorted->ndim ? sorted->dim[0] : 0, at);
}

situ_tensor *(situ_searchsorted)(situ_tensor *sorted, situ_tensor *values, const situ_search_options *options, situ_site site)
{
    SITU_SPEAK("searchsorted", site);
    situ_search_options o = {SITU_DEFAULTS(SITU_SEARCH_DEFAULTS)};
    situ_tensor *in[] = {sorted, values};
    if (!situ_together(in, 2, "searchsorted", "sorted, values", site) || !SITU_TAKE_OPTIONS(o, options, "searchsorted", site))
        return situ_poisoned();
    situ_infer both = {.nin = 2, .in = in};
    situ_dtype dtype = situ_infer_promote(&both, 0, 2);
    bool right = o.right;
    if (situ_is_number(values) && !situ_is_number(sorted)) {
        dtype = (situ_dtype)sorted->dtype;
        in[1] = situ_as_tensor(situ_number_between(values, dtype, &right), dtype, sorted, "searchsorted", site);
    } else if (situ_no_common_integer(sorted, values)) {
        return search_integers(sorted, values, options, site);
    }
    for (int i = 0; i < 2; i++) in[i] = situ_cast(in[i], dtype);
    int32_t attr = right;
    return situ_apply(&situ_op_searchsorted, in, 2, &attr, sizeof attr, NULL, 0, site);
}

/* ---- isin ------------------------------------------------------------------------------------------------------------ */

situ_tensor *(situ_isin)(situ_tensor *x, situ_tensor *values, const situ_isin_options *options, situ_site site)
{
    SITU_SPEAK("isin", site);
    situ_isin_options o = {SITU_DEFAULTS(SITU_ISIN_DEFAULTS)};
    situ_tensor *in[] = {x, values};
    if (!situ_together(in, 2, "isin", "x, values", site) || !SITU_TAKE_OPTIONS(o, options, "isin", site)) return situ_poisoned();
    situ_infer both = {.nin = 2, .in = in};
    situ_dtype dtype = situ_infer_promote(&both, 0, 2);
    const situ_tensor *some = situ_is_number(x) ? values : x;
    if (situ_no_common_integer(x, values)) { /* equal as i64, and not negative */
        situ_tensor *whole = situ_cast(x, SITU_I64), *found = situ_isin(whole, situ_cast(values, SITU_I64));
        found = situ_logical_and(found, situ_greater_equal(whole, 0));
        return o.invert ? situ_logical_not(found) : found;
    }
    for (int i = 0; i < 2 && !situ_is_number(some); i++) {
        if (!situ_is_number(in[i])) continue;
        dtype = (situ_dtype)some->dtype;
        if (!situ_number_is_in(in[i], dtype))
            return situ_full(situ_shape_like(x), o.invert, .dtype = SITU_BOOL, .device = some->device);
    }
    for (int i = 0; i < 2; i++) {
        if (situ_is_number(some)) in[i] = situ_full(SHAPE(), in[i], .dtype = dtype);
        else in[i] = situ_cast(situ_as_tensor(in[i], dtype, some, "isin", site), dtype);
        if (!situ_usable(&in[i], 1, "isin", site)) return situ_poisoned();
    }
    situ_shape shape = situ_shape_like(in[0]);
    int64_t n = situ_node_count(in[1]);
    situ_tensor *found, *flat = situ_reshape(in[1], SHAPE(n));
    if (!n) {
        found = situ_full(shape, 0, .dtype = SITU_BOOL, .device = in[0]->device);
    } else if (situ_dtype_is_complex(dtype)) { /* complex numbers have no order to search in */
        situ_tensor *all = situ_reshape(in[0], SHAPE(situ_node_count(in[0]), 1));
        found = situ_reshape(situ_any(situ_equal(all, flat), .axes = AXES(1)), shape);
    } else {
        situ_tensor *sorted = situ_sort(flat), *at = situ_minimum(situ_searchsorted(sorted, in[0]), n - 1);
        found = situ_equal(situ_take(sorted, at), in[0]);
    }
    return o.invert ? situ_logical_not(found) : found;
}
