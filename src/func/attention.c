/* Embedding and attention. */
#include <math.h>

#include "func/attention.h"
#include "op/attention.h"
#include "op/create.h"
#include "op/precision.h"
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

situ_tensor *(situ_embedding)(situ_tensor *table, situ_tensor *index, situ_site site)
{
    SITU_SPEAK("embedding", site);
    char text[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){table, index}, 2, "embedding", "table, index", site)) return situ_poisoned();
    if (!situ_is_number(table) && table->ndim == 2) return situ_take(table, index);
    situ_fail(SITU_BAD_SHAPE, site, "embedding: the table is %s; it must be [count, width]", situ_brief(table, text));
    return situ_poisoned();
}

/* Scores q k^T * scale; if causal, -inf for later positions. */
static situ_tensor *scores(situ_tensor *q, situ_tensor *k, double scale, bool causal, situ_site site)
{
    situ_tensor *s = situ_mul(situ_matmul(q, situ_transpose(k)), scale);
    if (!causal || situ_error_code) return s;
    int64_t rows = q->dim[q->ndim - 2], columns = k->dim[k->ndim - 2];
    situ_tensor *row = situ_arange(0, (double)rows, 1, .dtype = SITU_I64, .device = q->device);
    situ_tensor *column = situ_arange(0, (double)columns, 1, .dtype = SITU_I64, .device = q->device);
    return situ_where(situ_greater_equal(situ_expand_dims(row, 1), column), s, -INFINITY);
}

/* ---- one tensor of queries, keys and values, [..., positions, 3 heads width] -------------------------------------------------
 * The operation gives [..., positions, heads width + heads]: the result, and the log-sum-exp of each row of scores, which
 * its gradient reads instead of the scores. */

static int infer_self(situ_infer *c)
{
    const situ_attention_attr *a = c->attr;
    const situ_tensor *x = c->in[0];
    situ_infer_same(c);
    c->dim[x->ndim - 1] = x->dim[x->ndim - 1] / 3 + a->heads;
    return 0;
}

static int infer_self_back(situ_infer *c)
{
    c->dtype = (situ_dtype)c->in[1]->dtype;
    situ_infer_dims(c, c->in[1]->ndim, c->in[1]->dim);
    return 0;
}

/* Columns first ... first + heads * width - 1 of x [batch, positions, ...] as [batch, heads, positions, width]. */
static situ_tensor *heads_of(situ_tensor *x, int64_t first, int64_t heads, int64_t width, situ_site site)
{
    situ_tensor *part =
        situ_slice(x, .start = SHAPE(SITU_FULL, SITU_FULL, first), .stop = SHAPE(SITU_FULL, SITU_FULL, first + heads * width));
    return situ_permute(situ_reshape(part, SHAPE(x->dim[0], x->dim[1], heads, width)), AXES(0, 2, 1, 3));
}

/* The inverse of heads_of. */
static situ_tensor *columns_of(situ_tensor *x, situ_site site)
{
    return situ_reshape(situ_permute(x, AXES(0, 2, 1, 3)), SHAPE(x->dim[0], x->dim[2], x->dim[1] * x->dim[3]));
}

static situ_tensor *as_batch(situ_tensor *x, situ_site site)
{
    int64_t batch = 1;
    for (int i = 0; i < x->ndim - 2; i++) batch *= x->dim[i];
    return situ_reshape(x, SHAPE(batch, x->dim[x->ndim - 2], x->dim[x->ndim - 1]));
}

static situ_tensor *expand_self(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    const situ_attention_attr *a = attr;
    situ_tensor *x = as_batch(in[0], site);
    int64_t all = x->dim[2] / 3, width = all / a->heads;
    situ_tensor *q = heads_of(x, 0, a->heads, width, site), *k = heads_of(x, all, a->heads, width, site),
                *v = heads_of(x, 2 * all, a->heads, width, site);
    situ_tensor *s = scores(q, k, a->scale, a->causal, site);
    situ_tensor *sum = situ_logsumexp(s, .axes = AXES(-1), .keepdims = true);
    situ_tensor *y = columns_of(situ_matmul(situ_exp(situ_sub(s, sum)), v), site);
    situ_tensor *both = situ_concat(TENSORS(y, columns_of(sum, site)), .axis = 2);
    situ_shape shape = situ_shape_like(in[0]);
    shape.dim[shape.ndim - 1] = all + a->heads;
    return situ_reshape(both, shape);
}

/* Operands: the gradient of the result, the operand, the result. */
static situ_tensor *expand_self_back(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    const situ_attention_attr *a = attr;
    situ_tensor *g = as_batch(in[0], site), *x = as_batch(in[1], site), *y = as_batch(in[2], site);
    int64_t all = x->dim[2] / 3, width = all / a->heads;
    situ_tensor *q = heads_of(x, 0, a->heads, width, site), *k = heads_of(x, all, a->heads, width, site),
                *v = heads_of(x, 2 * all, a->heads, width, site);
    situ_tensor *by_y = heads_of(g, 0, a->heads, width, site), *by_sum = heads_of(g, all, a->heads, 1, site);
    situ_tensor *p = situ_exp(situ_sub(scores(q, k, a->scale, a->causal, site), heads_of(y, all, a->heads, 1, site)));
    situ_tensor *mean = situ_sum(situ_mul(by_y, heads_of(y, 0, a->heads, width, site)), .axes = AXES(-1), .keepdims = true);
    situ_tensor *by_p = situ_matmul(by_y, situ_transpose(v));
    situ_tensor *by_s = situ_mul(situ_mul(p, situ_add(situ_sub(by_p, mean), by_sum)), a->scale);
    situ_tensor *parts[] = {columns_of(situ_matmul(by_s, k), site), columns_of(situ_matmul(situ_transpose(by_s), q), site),
        columns_of(situ_matmul(situ_transpose(p), by_y), site)};
    return situ_reshape(situ_concat(TENSORS_OF(parts, 3), .axis = 2), situ_shape_like(in[1]));
}

static void vjp_self(situ_vjp *c)
{
    situ_tensor *in[] = {c->g, c->in[0], c->y};
    c->out[0] =
        situ_apply(&situ_op_self_attention_back, in, 3, situ_node_attr(c->y), sizeof(situ_attention_attr), NULL, 0, c->site);
}

const situ_op situ_op_self_attention = {.name = "self_attention",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_self,
    .vjp = vjp_self,
    .reads = {SITU_READS_A | SITU_READS_RESULT},
    .expand = expand_self};
const situ_op situ_op_self_attention_back = {.name = "self_attention_back",
    .family = SITU_COMPOSITE,
    .operands = "gradient, x, result",
    .infer = infer_self_back,
    .expand = expand_self_back};

/* ---- queries after cached keys and values ------------------------------------------------------------------------------- */

/* [batch, positions, kv_heads * per * width] to [batch, kv_heads, per * positions, width]. */
static situ_tensor *groups_of(situ_tensor *x, int64_t kv_heads, int64_t per, situ_site site)
{
    int64_t batch = x->dim[0], places = x->dim[1], width = x->dim[2] / kv_heads / per;
    x = situ_permute(situ_reshape(x, SHAPE(batch, places, kv_heads, per, width)), AXES(0, 2, 3, 1, 4));
    return situ_reshape(x, SHAPE(batch, kv_heads, per * places, width));
}

static situ_tensor *expand_cached(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    const situ_cached_attr *a = attr;
    int64_t batch = in[0]->dim[0], n = in[0]->dim[1], most = in[3]->dim[1], g = a->kv_heads, per = a->heads / g;
    situ_device device = in[0]->device;
    situ_tensor *q = situ_mul(groups_of(in[0], g, per, site), a->scale), *k[2], *v[2], *s[2];
    for (int i = 0; i < 2; i++) {
        k[i] = groups_of(in[i ? 1 : 3], g, 1, site);
        v[i] = groups_of(in[i ? 2 : 4], g, 1, site);
        s[i] = situ_reshape(situ_matmul(q, situ_transpose(k[i])), SHAPE(batch, g, per, n, i ? n : most));
    }
    situ_tensor *column = situ_iota(SHAPE(n, n), 1, SITU_I32, device, site),
                *row = situ_iota(SHAPE(n, n), 0, SITU_I32, device, site);
    s[0] = situ_where(situ_less(situ_iota(SHAPE(most), 0, SITU_I32, device, site), in[5]), s[0], -INFINITY);
    s[1] = situ_where(situ_less_equal(column, row), s[1], -INFINITY);
    situ_tensor *p = situ_reshape(situ_softmax(situ_concat(TENSORS(s[0], s[1]), .axis = 4)), SHAPE(batch, g, per * n, most + n));
    situ_tensor *past = situ_slice(p, .stop = SHAPE(SITU_FULL, SITU_FULL, SITU_FULL, most)),
                *new = situ_slice(p, .start = SHAPE(SITU_FULL, SITU_FULL, SITU_FULL, most));
    situ_tensor *y = situ_reshape(situ_add(situ_matmul(past, v[0]), situ_matmul(new, v[1])), SHAPE(batch, g, per, n, -1));
    return situ_reshape(situ_permute(y, AXES(0, 3, 1, 2, 4)), situ_shape_like(in[0]));
}

/* For each part and row: the sum of weighted values, the largest score, the sum of exponentials. */
static size_t workspace_cached(const situ_call_desc *c)
{
    const situ_cached_attr *a = c->attr;
    const int64_t *q = c->in[0].dim, parts = situ_cached_parts(q[1], c->in[3].dim[1]);
    return parts > 1 ? (size_t)(parts * q[0] * q[1] * (q[2] + 2 * a->heads)) * sizeof(float) : 0;
}

const situ_op situ_op_cached_attention = {.name = "cached_attention",
    .family = SITU_COMPOSITE,
    .operands = "q, k, v, past_k, past_v, at",
    .infer = situ_infer_same,
    .no_gradient = "keys and values that were kept have no history; call the model as a whole to train it",
    .workspace = workspace_cached,
    .expand = expand_cached};

situ_tensor *situ_cached_attention(situ_tensor *q, situ_tensor *k, situ_tensor *v, situ_tensor *past_k, situ_tensor *past_v,
    situ_tensor *at, int64_t heads, int64_t kv_heads, situ_site site)
{
    if (situ_error_code) return situ_poisoned();
    situ_cached_attr a = {1 / sqrt((double)(q->dim[2] / heads)), heads, kv_heads};
    return situ_apply(&situ_op_cached_attention, (situ_tensor *[]){q, k, v, past_k, past_v, at}, 6, &a, sizeof a, NULL, 0, site);
}

static bool check_scale(double scale, const char *operation, situ_site site)
{
    if (isfinite(scale)) return true;
    situ_fail(SITU_BAD_OPTION, site, "%s: .scale = %g; it is a finite number, or 0 for 1 / sqrt(width)", operation, scale);
    return false;
}

situ_tensor *(situ_self_attention)(situ_tensor *x, int64_t heads, const situ_attention_options *options, situ_site site)
{
    SITU_SPEAK("self_attention", site);
    situ_attention_options o = {SITU_DEFAULTS(SITU_ATTENTION_DEFAULTS)};
    char text[SITU_BRIEF_TEXT];
    if (!situ_usable(&x, 1, "self_attention", site) || !SITU_TAKE_OPTIONS(o, options, "self_attention", site) ||
        !check_scale(o.scale, "self_attention", site))
        return situ_poisoned();
    if (situ_is_number(x) || x->ndim < 2 || !situ_dtype_is_float((situ_dtype)x->dtype) || heads < 1 || heads > INT32_MAX ||
        !x->dim[x->ndim - 1] || x->dim[x->ndim - 1] % (3 * heads) || !x->dim[x->ndim - 2])
        return situ_refused(SITU_BAD_SHAPE, site,
            "self_attention: x is %s; with %lld heads it must be floats of [..., positions, 3 x %lld x width]: queries, keys, "
            "values",
            situ_brief(x, text), (long long)heads, (long long)heads);
    situ_dtype dtype = (situ_dtype)x->dtype;
    int64_t all = x->dim[x->ndim - 1] / 3;
    situ_attention_attr a = {o.scale ? o.scale : 1 / sqrt((double)(all / heads)), heads, o.causal};
    uint8_t low = situ_precision_of(x);
    x = low ? situ_rounded(x, low, site) : situ_cast(x, dtype == SITU_F64 ? SITU_F64 : SITU_F32);
    situ_tensor *both = situ_apply1(&situ_op_self_attention, x, &a, sizeof a, site);
    if (!situ_usable(&both, 1, "self_attention", site)) return situ_poisoned();
    situ_shape stop = {.ndim = both->ndim};
    for (int i = 0; i < both->ndim - 1; i++) stop.dim[i] = SITU_FULL;
    stop.dim[both->ndim - 1] = all;
    return situ_cast(situ_slice(both, .stop = stop), dtype);
}

/* ---- separate queries, keys and values ------------------------------------------------------------------------------------------
 */

/* Sets keys or values after the last query to 0: no query attends to them, but weight 0 times NaN would be NaN. */
static situ_tensor *up_to_last_query(situ_tensor *x, const situ_tensor *q, situ_site site)
{
    int64_t queries = q->dim[q->ndim - 2], keys = situ_error_code ? 0 : x->dim[x->ndim - 2];
    if (keys <= queries) return x;
    situ_tensor *at = situ_arange(0, (double)keys, 1, .dtype = SITU_I64, .device = x->device);
    return situ_where(situ_expand_dims(situ_less(at, queries), 1), x, 0);
}

situ_tensor *(situ_attention)(situ_tensor *q, situ_tensor *k, situ_tensor *v, const situ_attention_options *options, situ_site site)
{
    SITU_SPEAK("attention", site);
    situ_attention_options o = {SITU_DEFAULTS(SITU_ATTENTION_DEFAULTS)};
    situ_tensor *in[] = {q, k, v};
    char text[3][SITU_BRIEF_TEXT];
    if (!situ_together(in, 3, "attention", "q, k, v", site) || !SITU_TAKE_OPTIONS(o, options, "attention", site) ||
        !check_scale(o.scale, "attention", site))
        return situ_poisoned();
    bool fits = true;
    for (int i = 0; i < 3; i++) fits &= !situ_is_number(in[i]) && in[i]->ndim >= 2 && situ_dtype_is_float((situ_dtype)in[i]->dtype);
    if (!fits || q->dim[q->ndim - 1] != k->dim[k->ndim - 1] || k->dim[k->ndim - 2] != v->dim[v->ndim - 2] || !k->dim[k->ndim - 2])
        return situ_refused(SITU_BAD_SHAPE, site,
            "attention: q %s, k %s and v %s must be floats of [..., queries, width], [..., keys, width] and [..., keys, any width]",
            situ_brief(q, text[0]), situ_brief(k, text[1]), situ_brief(v, text[2]));
    situ_dtype dtype = situ_dtype_promote(situ_dtype_promote((situ_dtype)q->dtype, (situ_dtype)k->dtype), (situ_dtype)v->dtype);
    for (int i = 0; i < 3; i++) in[i] = situ_cast(in[i], dtype == SITU_F64 ? SITU_F64 : SITU_F32);
    if (o.causal) in[1] = up_to_last_query(in[1], q, site), in[2] = up_to_last_query(in[2], q, site);
    double scale = o.scale ? o.scale : 1 / sqrt((double)(q->dim[q->ndim - 1] ? q->dim[q->ndim - 1] : 1));
    situ_tensor *p = situ_softmax(scores(in[0], in[1], scale, o.causal, site));
    return situ_cast(situ_matmul(p, in[2]), dtype);
}
