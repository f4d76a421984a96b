/* Attention and related operators: heads, masks, caches, rotary positions, recurrent forms of attention. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static situ_tensor *bad_heads(const situ_onnx_call *c, int64_t heads)
{
    return situ_onnx_refuse(
        c, SITU_BAD_SHAPE, "an input is missing, has another number of axes, or is not divided by %lld heads", (long long)heads);
}

/* Reshapes [n, positions, heads * width] to [n, positions, heads, width]. */
static situ_tensor *by_heads(const situ_onnx_call *c, situ_tensor *x, int64_t heads, situ_site site)
{
    if (!x || situ_error_code || situ_ndim(x) != 3 || heads < 1 || situ_dim(x, 2) % heads) return bad_heads(c, heads);
    return situ_reshape(x, SHAPE(situ_dim(x, 0), situ_dim(x, 1), heads, situ_dim(x, 2) / heads));
}

/* Repeats keys or values for the query heads that share them. */
static situ_tensor *shared_heads(const situ_onnx_call *c, situ_tensor *x, int64_t heads, situ_site site)
{
    int64_t own = situ_error_code ? 0 : situ_dim(x, 1);
    if (own != heads && (own < 1 || heads % own)) return bad_heads(c, own);
    return own == heads ? x : situ_repeat(x, heads / own, .axis = 1);
}

static situ_tensor *along(situ_tensor *x, int axis, int64_t start, int64_t stop, int64_t step, situ_site site)
{
    situ_shape from = {.ndim = situ_ndim(x)}, to = situ_shape_of(x), by = from;
    for (int i = 0; i < by.ndim; i++) by.dim[i] = 1;
    from.dim[axis] = start;
    to.dim[axis] = stop;
    by.dim[axis] = step;
    return situ_slice(x, .start = from, .stop = to, .step = by);
}

/* ---- Attention ------------------------------------------------------------------------------------------------------------ */

typedef struct attending {
    situ_tensor *q, *k, *v; /* [n, heads, positions, width] */
    int64_t queries, keys, past;
    situ_dtype dtype;
    bool flat; /* the result is [n, positions, heads * width] */
} attending;

static bool attending_of(situ_onnx_call *c, attending *a, situ_site site)
{
    situ_tensor *part[3] = {IN(0), IN(1), IN(2)};
    a->flat = part[0] && situ_ndim(part[0]) == 3;
    for (int i = 0; i < 3; i++) {
        int64_t heads = situ_onnx_int(c, i ? "kv_num_heads" : "q_num_heads", 0);
        if (a->flat) part[i] = situ_swapaxes(by_heads(c, part[i], heads, site), 1, 2);
        else if (!part[i] || situ_ndim(part[i]) != 4) bad_heads(c, heads);
    }
    if (HAS(4) && HAS(5)) {
        a->past = situ_error_code || situ_ndim(IN(4)) != 4 ? 0 : situ_dim(IN(4), 2);
        part[1] = situ_concat(TENSORS(IN(4), part[1]), .axis = 2);
        part[2] = situ_concat(TENSORS(IN(5), part[2]), .axis = 2);
    }
    if (situ_error_code) return false;
    situ_onnx_give(c, 1, part[1]);
    situ_onnx_give(c, 2, part[2]);
    a->q = part[0];
    a->dtype = situ_dtype_of(a->q);
    a->queries = situ_dim(a->q, 2);
    a->keys = situ_dim(part[1], 2);
    a->k = shared_heads(c, part[1], situ_dim(a->q, 1), site);
    a->v = shared_heads(c, part[2], situ_dim(a->q, 1), site);
    return !situ_error_code;
}

/* 1 / sqrt(width); 1 for width 0, where all scores are 0. */
static double even_scale(situ_tensor *q) { return 1 / sqrt((double)(situ_dim(q, 3) ? situ_dim(q, 3) : 1)); }

static situ_tensor *both(situ_tensor *a, situ_tensor *b, situ_site site) { return a ? situ_logical_and(a, b) : b; }

/* Visible keys of each query: [queries, keys], or [n, 1, queries, keys] if each sequence has its own length; NULL:
 * all. */
static situ_tensor *seen_keys(situ_onnx_call *c, const attending *a, situ_site site)
{
    int64_t left = situ_onnx_int(c, "left_window_size", -1), right = situ_onnx_int(c, "right_window_size", -1);
    situ_tensor *length = HAS(6) ? situ_reshape(situ_cast(IN(6), SITU_I64), SHAPE(-1, 1, 1, 1)) : NULL, *seen = NULL;
    situ_device where = situ_device_of(a->q);
    situ_tensor *key = situ_arange(0, a->keys, 1, .device = where),
                *at = situ_reshape(situ_arange(0, a->queries, 1, .device = where), SHAPE(-1, 1));
    at = situ_add(at, length && !a->past ? situ_sub(length, a->queries) : situ_full(SHAPE(), a->past, .device = where));
    if (situ_onnx_int(c, "is_causal", 0)) seen = situ_less_equal(key, at);
    if (left >= 0) seen = both(seen, situ_greater_equal(key, situ_sub(at, left)), site);
    if (right >= 0) seen = both(seen, situ_less_equal(key, situ_add(at, right)), site);
    return length ? both(seen, situ_less(key, length), site) : seen;
}

static situ_tensor *hidden(situ_tensor *seen, const attending *a, situ_site site)
{
    situ_device where = situ_device_of(a->q);
    return situ_where(seen, situ_zeros(SHAPE(), .dtype = a->dtype, .device = where),
        situ_full(SHAPE(), -(double)INFINITY, .dtype = a->dtype, .device = where));
}

/* What is added to the scores: -inf for hidden keys; NULL: nothing. */
static situ_tensor *bias_of(situ_onnx_call *c, const attending *a, situ_site site)
{
    situ_tensor *seen = seen_keys(c, a, site), *mask = HAS(3) ? IN(3) : NULL;
    situ_tensor *bias = seen ? hidden(seen, a, site) : NULL;
    if (!mask || situ_error_code) return bias;
    mask = situ_dtype_of(mask) == SITU_BOOL ? hidden(mask, a, site) : situ_cast(mask, a->dtype);
    int last = situ_ndim(mask) - 1;
    if (last >= 0 && situ_dim(mask, last) != 1 && situ_dim(mask, last) < a->keys) {
        situ_shape before = {.ndim = last + 1}, after = before;
        after.dim[last] = a->keys - situ_dim(mask, last);
        mask = situ_pad(mask, before, after, .value = -(double)INFINITY);
    }
    return bias ? situ_add(mask, bias) : mask;
}

/* softmax along the last axis; 0 in rows without visible keys, with no NaN in the gradient either. */
static situ_tensor *weights(situ_tensor *scores, situ_tensor *bias, situ_site site)
{
    if (!bias) return situ_softmax(scores);
    situ_tensor *blind = situ_equal(situ_max(bias, .axes = AXES(-1), .keepdims = true), -(double)INFINITY);
    return situ_where(blind, situ_zeros_like(scores), situ_softmax(situ_where(blind, situ_zeros_like(scores), scores)));
}

SITU_ONNX_BODY(attention)
{
    attending a = {.past = 0};
    if (!attending_of(c, &a, site)) return situ_poisoned();
    int64_t number = situ_onnx_int(c, "softmax_precision", 0), mode = situ_onnx_int(c, "qk_matmul_output_mode", 0);
    double cap = situ_onnx_float(c, "softcap", 0), scale = situ_onnx_float(c, "scale", even_scale(a.q));
    bool causal = situ_onnx_int(c, "is_causal", 0) != 0,
         windows = situ_onnx_int(c, "left_window_size", -1) >= 0 || situ_onnx_int(c, "right_window_size", -1) >= 0;
    situ_tensor *y;
    if (!HAS(3) && !HAS(6) && !a.past && !windows && !(cap > 0) && !number && c->node->outs < 4 && scale > 0)
        y = situ_attention(a.q, a.k, a.v, .causal = causal, .scale = scale);
    else {
        double root = sqrt(fabs(scale));
        situ_tensor *bias = bias_of(c, &a, site), *of[4];
        of[0] = situ_matmul(situ_mul(a.q, scale < 0 ? -root : root), situ_mul(situ_matrix_transpose(a.k), root));
        of[1] = cap > 0 ? situ_mul(situ_tanh(situ_div(of[0], cap)), cap) : of[0];
        of[2] = bias ? situ_add(of[1], bias) : of[1];
        situ_dtype d = number ? situ_onnx_dtype(number) : a.dtype;
        if (!situ_dtype_is_float(d)) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "a softmax of values that are no floats");
        of[3] = situ_cast(weights(situ_cast(of[2], d), bias, site), a.dtype);
        if (mode < 0 || mode > 3) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "qk_matmul_output_mode is 0 to 3");
        situ_onnx_give(c, 3, of[mode]);
        y = situ_cast(situ_matmul(of[3], a.v), a.dtype);
    }
    if (!a.flat || situ_error_code) return y;
    return situ_reshape(situ_swapaxes(y, 1, 2), SHAPE(situ_dim(y, 0), a.queries, situ_dim(y, 1) * situ_dim(y, 3)));
}

/* Runs a graph attribute with one input and one result. */
static situ_tensor *through(situ_onnx_call *c, const char *name, situ_tensor *x)
{
    const situ_onnx_attribute *attribute = situ_onnx_attr(c, name);
    if (!attribute || situ_error_code) return x;
    const situ_onnx_graph *g = attribute->g;
    if (!g || g->inputs != 1 || g->results != 1)
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has one input and result", name);
    situ_onnx_node end = {.type = c->node->type, .name = c->node->name, .ins = 1, .in = (int[]){g->result[0].value}};
    situ_onnx_call e = {c->run, &end, c->opset};
    c->run->value[g->input[0].value] = (situ_onnx_value){.tensor = x};
    return situ_onnx_run_graph(c->run, g) ? situ_poisoned() : situ_onnx_in(&e, 0);
}

SITU_ONNX_BODY(flex_attention)
{
    attending a = {.past = 0};
    if (!attending_of(c, &a, site)) return situ_poisoned();
    int64_t number = situ_onnx_int(c, "softmax_precision", 0);
    situ_dtype d = number ? situ_onnx_dtype(number) : a.dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    if (!situ_dtype_is_float(d)) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "a softmax of values that are no floats");
    double scale = situ_onnx_float(c, "scale", even_scale(a.q));
    situ_tensor *scores = situ_mul(situ_matmul(situ_cast(a.q, d), situ_matrix_transpose(situ_cast(a.k, d))), scale);
    situ_tensor *p = through(c, "prob_mod", situ_softmax(through(c, "score_mod", scores)));
    return situ_cast(situ_matmul(p, situ_cast(a.v, d)), a.dtype);
}

/* ---- recurrent forms ------------------------------------------------------------------------------------------------------ */

typedef struct recurrence {
    situ_tensor *q, *k, *v, *decay, *beta, *state; /* [n, positions, heads, width]; state is [n, heads, width of k, width of v] */
    int64_t queries, heads;                        /* number of query heads, and of key and value heads */
    double scale;
} recurrence;

/* Position t as rows [n, heads, 1, width]. */
static situ_tensor *row_at(situ_tensor *x, int64_t t, situ_site site) { return situ_expand_dims(situ_select(x, 1, t), 2); }

/* One step of the recurrence; returns its result [n, 1, heads * width]. */
static situ_tensor *advance(const situ_onnx_call *c, recurrence *r, int64_t t, situ_site site)
{
    situ_tensor *k = row_at(r->k, t, site), *v = row_at(r->v, t, site);
    if (r->decay) r->state = situ_mul(r->state, situ_exp(situ_matrix_transpose(row_at(r->decay, t, site))));
    if (r->beta) v = situ_mul(row_at(r->beta, t, site), situ_sub(v, situ_matmul(k, r->state)));
    r->state = situ_add(r->state, situ_mul(situ_matrix_transpose(k), v));
    situ_tensor *y = situ_matmul(row_at(r->q, t, site), shared_heads(c, r->state, r->queries, site));
    return situ_error_code ? y : situ_reshape(situ_mul(y, r->scale), SHAPE(situ_dim(y, 0), 1, situ_dim(y, 1) * situ_dim(y, 3)));
}

SITU_ONNX_BODY(linear_attention)
{
    recurrence r = {.queries = situ_onnx_int(c, "q_num_heads", 0), .heads = situ_onnx_int(c, "kv_num_heads", 0)};
    const char *rule = situ_onnx_one_of(c, "update_rule", "gated_delta, linear, gated, delta");
    situ_tensor *x = IN(0), *past = HAS(3) ? IN(3) : NULL;
    situ_dtype d = x ? situ_dtype_of(x) : SITU_F32, state = past ? situ_dtype_of(past) : d;
    r.q = situ_cast(by_heads(c, x, r.queries, site), SITU_F32);
    r.k = situ_cast(by_heads(c, IN(1), r.heads, site), SITU_F32);
    r.v = situ_cast(by_heads(c, IN(2), r.heads, site), SITU_F32);
    if (situ_error_code) return situ_poisoned();
    int64_t n = situ_dim(r.k, 0), length = situ_dim(r.q, 1), width = situ_dim(r.k, 3);
    if (strstr(rule, "gated")) r.decay = situ_cast(by_heads(c, IN(4), r.heads, site), SITU_F32);
    if (strstr(rule, "delta") && HAS(5)) r.beta = situ_cast(situ_expand_dims(IN(5), 3), SITU_F32);
    else if (strstr(rule, "delta")) return bad_heads(c, r.heads);
    r.state =
        past ? situ_cast(past, SITU_F32) : situ_zeros(SHAPE(n, r.heads, width, situ_dim(r.v, 3)), .device = situ_device_of(x));
    r.scale = situ_onnx_float(c, "scale", 0);
    if (r.scale == 0) r.scale = even_scale(r.q);
    situ_tensor **part = situ_arena_alloc(&c->run->arena, sizeof *part * (size_t)(length + 1));
    if (!part || length > INT32_MAX) return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    for (int64_t t = 0; t < length && !situ_error_code; t++) part[t] = advance(c, &r, t, site);
    if (situ_error_code) return bad_heads(c, r.heads);
    situ_onnx_give(c, 1, situ_cast(r.state, state));
    if (!length)
        return situ_zeros(SHAPE(situ_dim(r.q, 0), 0, r.queries * situ_dim(r.v, 3)), .dtype = d, .device = situ_device_of(x));
    return situ_cast(situ_concat(TENSORS_OF(part, (int)length), .axis = 1), d);
}

SITU_ONNX_BODY(causal_conv)
{
    situ_tensor *x = IN(0), *w = IN(1);
    if (!x || !w || situ_error_code || situ_ndim(x) != 3 || situ_ndim(w) != 3)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, length] and [channels, 1, taps]");
    int64_t taps = situ_dim(w, 2), length = situ_dim(x, 2);
    situ_tensor *past = HAS(3) ? IN(3) :
                                 situ_zeros(SHAPE(situ_dim(x, 0), situ_dim(x, 1), taps > 1 ? taps - 1 : 0),
                                     .dtype = situ_dtype_of(x), .device = situ_device_of(x));
    if (situ_ndim(past) != 3 || (taps > 1 && situ_dim(past, 2) != taps - 1))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its state is [n, channels, taps - 1]");
    situ_tensor *all = taps > 1 ? situ_concat(TENSORS(past, x), .axis = 2) : x;
    situ_tensor *y = situ_count(x) ? situ_conv1d(all, w, .groups = situ_dim(x, 1)) : x;
    if (HAS(2)) y = situ_add(y, situ_reshape(IN(2), SHAPE(-1, 1)));
    situ_onnx_give(c, 1, taps > 1 ? along(all, 2, length, length + taps - 1, 1, site) : past);
    return situ_onnx_is(c, "activation", "none", "none, silu, swish") ? y : situ_mul(y, situ_sigmoid(y));
}

/* ---- positional encodings ------------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(rotary)
{
    situ_tensor *x = IN(0), *cosine = IN(1), *sine = IN(2);
    bool flat = x && situ_ndim(x) == 3, alternate = situ_onnx_int(c, "interleaved", 0) != 0;
    if (flat) x = by_heads(c, x, situ_onnx_int(c, "num_heads", 0), site);
    else if (x && situ_ndim(x) == 4) x = situ_swapaxes(x, 1, 2);
    else return bad_heads(c, 0);
    if (situ_error_code) return situ_poisoned();
    situ_shape s = situ_shape_of(x);
    int64_t turned = situ_onnx_int(c, "rotary_embedding_dim", 0), half;
    if (turned <= 0) turned = s.dim[3];
    half = turned / 2;
    if (turned > s.dim[3] || turned % 2) return bad_heads(c, s.dim[2]);
    if (HAS(3)) cosine = situ_take(cosine, IN(3)), sine = situ_take(sine, IN(3));
    cosine = situ_expand_dims(cosine, 2), sine = situ_expand_dims(sine, 2);
    situ_tensor *a = alternate ? along(x, 3, 0, turned, 2, site) : along(x, 3, 0, half, 1, site),
                *b = alternate ? along(x, 3, 1, turned, 2, site) : along(x, 3, half, turned, 1, site);
    situ_tensor *pair[2] = {situ_sub(situ_mul(a, cosine), situ_mul(b, sine)), situ_add(situ_mul(a, sine), situ_mul(b, cosine))};
    situ_tensor *y = alternate ?
        situ_reshape(situ_stack(TENSORS_OF(pair, 2), .axis = 4), SHAPE(s.dim[0], s.dim[1], s.dim[2], turned)) :
        situ_concat(TENSORS_OF(pair, 2), .axis = 3);
    if (turned < s.dim[3]) y = situ_concat(TENSORS(y, along(x, 3, turned, s.dim[3], 1, site)), .axis = 3);
    return flat ? situ_reshape(y, SHAPE(s.dim[0], s.dim[1], s.dim[2] * s.dim[3])) : situ_swapaxes(y, 1, 2);
}

#define ROW(onnx, f) \
    { \
        .name = onnx, .body = (f) \
    }
const situ_onnx_op situ_onnx_attention_ops[] = {ROW("Attention", attention), ROW("ai.onnx.preview.FlexAttention", flex_attention),
    ROW("LinearAttention", linear_attention), ROW("CausalConvWithState", causal_conv), ROW("RotaryEmbedding", rotary), {0}};
