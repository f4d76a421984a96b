/* Attention layers and Transformer blocks. */
#include <math.h>

#include <situ/sequence.h>

#include "base/memory.h"
#include "nn/module.h"
#include "op/rotary.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- multi-head attention ------------------------------------------------------------------------------------------------ */

typedef struct attention {
    int64_t width, heads;
    situ_multihead_attention_options o;
} attention;

enum { QUERY, KEY, VALUE, MASK, LENGTHS, K, V, AT, INPUTS };

static int64_t groups(const attention *l) { return l->o.kv_heads ? l->o.kv_heads : l->heads; }
static int64_t head_width(const attention *l) { return l->width / l->heads; }
static double bound(const attention *l, int64_t in) { return sqrt(6 / (double)(l->width + 2 * groups(l) * head_width(l) + in)); }

/* Reshapes [batch, positions, heads * width] to [batch, heads, positions, width]. */
static situ_tensor *by_head(situ_tensor *x, int64_t heads, int64_t width, situ_site site)
{
    return situ_permute(situ_reshape(x, SHAPE(x->dim[0], x->dim[1], heads, width)), AXES(0, 2, 1, 3));
}

/* Projects x by rows first ... first + rows - 1 of the weight and bias. */
static situ_tensor *project(situ_tensor *x, situ_tensor *w, situ_tensor *b, int64_t first, int64_t rows, situ_site site)
{
    situ_tensor *part = situ_slice(w, .start = SHAPE(first), .stop = SHAPE(first + rows));
    situ_tensor *y = situ_matmul(x, situ_transpose(part));
    return b ? situ_add(y, situ_slice(b, .start = SHAPE(first), .stop = SHAPE(first + rows))) : y;
}

/* The integers first, first + 1, ... [count]. */
static situ_tensor *positions(int64_t count, situ_tensor *first, const situ_tensor *x, situ_site site)
{
    situ_tensor *p = situ_arange(0, (double)count, 1, .dtype = SITU_I32, .device = x->device);
    return first ? situ_add(p, situ_cast(first, SITU_I32)) : p;
}

/* Rotary embedding: rotates the pairs (i, i + width / 2) of x [batch, heads, positions, width] by position / base^(2 i
 * / width). */
static situ_tensor *rotated(situ_tensor *x, situ_tensor *position, double base, situ_site site)
{
    int64_t half = x->dim[3] / 2;
    situ_dtype dtype = situ_dtype_compute((situ_dtype)x->dtype);
    situ_tensor *cosine, *sine;
    situ_rotary_angles(position, half, base, NULL, dtype, &cosine, &sine, site);
    if (situ_error_code) return situ_poisoned();
    cosine = situ_cast(cosine, (situ_dtype)x->dtype), sine = situ_cast(sine, (situ_dtype)x->dtype);
    situ_tensor *a = situ_slice(x, .stop = SHAPE(SITU_FULL, SITU_FULL, SITU_FULL, half)),
                *b = situ_slice(x, .start = SHAPE(SITU_FULL, SITU_FULL, SITU_FULL, half));
    return situ_concat(
        TENSORS(situ_sub(situ_mul(a, cosine), situ_mul(b, sine)), situ_add(situ_mul(b, cosine), situ_mul(a, sine))), .axis = 3);
}

/* Writes new keys or values into cache [batch, heads, most, width] at positions at, at + 1, ... The position is a
 * value on the device, so the next step has the same plan. */
static situ_tensor *put(situ_tensor *cache, situ_tensor *new, situ_tensor *position, situ_site site)
{
    situ_tensor *all = situ_arange(0, (double)cache->dim[2], 1, .dtype = SITU_I32, .device = cache->device);
    situ_tensor *here = situ_equal(situ_expand_dims(all, 1), situ_expand_dims(position, 0)); /* [most, positions] */
    situ_tensor *moved = situ_take(new, situ_argmax(here, .axis = 1), .axis = 2);
    return situ_where(situ_any(here, .axes = AXES(1), .keepdims = true), moved, cache);
}

/* Which keys each query attends to: masks in the shape of the scores, [batch, groups, heads per group, queries, keys],
 * or with sizes 1. */
typedef struct view {
    situ_tensor *seen;  /* true where a key is visible; NULL: all are */
    situ_tensor *added; /* added to the scores, or NULL */
    bool hides;         /* the caller's mask may hide keys from all queries */
} view;

static situ_tensor *mask_of(const attention *l, situ_tensor *mask, situ_site site)
{
    situ_shape shape = {.ndim = 5, .dim = {1, 1, 1, 1, 1}};
    for (int i = 0; i < mask->ndim; i++) shape.dim[4 - i] = mask->dim[mask->ndim - 1 - i];
    if (mask->ndim == 3) { /* [batch, queries, keys] */
        shape.dim[0] = shape.dim[2];
        shape.dim[2] = 1;
    } else if (mask->ndim == 4) { /* heads become groups of heads */
        shape.dim[0] = mask->dim[0];
        shape.dim[1] = mask->dim[1] == 1 ? 1 : groups(l);
        shape.dim[2] = mask->dim[1] == 1 ? 1 : l->heads / groups(l);
    }
    return situ_reshape(mask, shape);
}

static view view_of(const attention *l, situ_tensor *const *in, int64_t keys, situ_tensor *position, situ_site site)
{
    const situ_tensor *x = in[QUERY];
    view v = {.hides = in[MASK] || in[LENGTHS]};
    situ_tensor *key = situ_arange(0, (double)keys, 1, .dtype = SITU_I32, .device = x->device);
    if (l->o.causal) v.seen = situ_less_equal(key, situ_expand_dims(position ? position : positions(x->dim[1], NULL, x, site), 1));
    else if (in[K]) v.seen = situ_less_equal(key, situ_max(position));
    if (in[LENGTHS]) {
        situ_tensor *there = situ_less(key, situ_cast(situ_reshape(in[LENGTHS], SHAPE(x->dim[0], 1, 1, 1, 1)), SITU_I64));
        v.seen = v.seen ? situ_logical_and(v.seen, there) : there;
    }
    if (!in[MASK] || situ_error_code) return v;
    situ_tensor *mask = mask_of(l, in[MASK], site);
    bool is_truth = mask->dtype == SITU_BOOL;
    situ_tensor *there = is_truth ? mask : situ_greater(mask, -INFINITY);
    v.seen = v.seen ? situ_logical_and(v.seen, there) : there;
    v.added = is_truth ? NULL : mask;
    return v;
}

/* Sets keys or values [batch, (heads,) keys, width] that no query attends to to 0, because weight 0 times NaN or
 * infinity would be NaN. */
static situ_tensor *only_seen(situ_tensor *x, situ_tensor *seen, situ_site site)
{
    if (situ_error_code) return situ_poisoned();
    int64_t keys = seen->dim[seen->ndim - 1], batch = seen->ndim == 5 ? seen->dim[0] : 1, views = 1;
    for (int i = seen->ndim == 5; i < seen->ndim - 1; i++) views *= seen->dim[i];
    situ_tensor *any = situ_any(situ_reshape(seen, SHAPE(batch, views, keys)), .axes = AXES(1));
    return situ_where(situ_reshape(any, x->ndim == 4 ? SHAPE(batch, 1, keys, 1) : SHAPE(batch, keys, 1)), x, 0);
}

/* Sets NaN and infinities after the end of each row of x to 0. */
static situ_tensor *within_lengths(situ_tensor *x, situ_tensor *lengths, situ_site site)
{
    if (situ_error_code || x->ndim != 3 || lengths->ndim != 1) return x; /* wrong shapes are refused later */
    situ_tensor *there =
        situ_less(situ_expand_dims(positions(x->dim[1], NULL, x, site), 0), situ_expand_dims(situ_cast(lengths, SITU_I64), 1));
    return situ_where(situ_logical_or(situ_expand_dims(there, 2), situ_isfinite(x)), x, 0);
}

static int check_attention(const situ_module *m, const attention *l, situ_tensor *const *in, situ_site site)
{
    char text[128], a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT], c[SITU_BRIEF_TEXT];
    bool fits = true;
    for (int i = 0; i < 3; i++)
        fits &= in[i]->ndim == 3 && situ_dtype_is_float((situ_dtype)in[i]->dtype) && in[i]->dim[0] == in[0]->dim[0] &&
            in[i]->dim[2] == in[0]->dim[2] && in[i]->dim[1] && in[i]->dim[2];
    if (!fits || in[KEY]->dim[1] != in[VALUE]->dim[1])
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_module_call: %s takes floats of [batch, queries, width] and [batch, keys, width], twice; not %s, %s, %s",
            situ_module_text(m, text, sizeof text), situ_brief(in[0], a), situ_brief(in[1], b), situ_brief(in[2], c));
    const situ_tensor *mask = in[MASK];
    int64_t keys = in[K] && in[K]->ndim == 4 ? in[K]->dim[2] : in[KEY]->dim[1],
            spread[] = {in[0]->dim[0], l->heads, in[0]->dim[1], keys};
    for (int i = 0; mask && i < mask->ndim && i < 4; i++) {
        int64_t n = mask->dim[mask->ndim - 1 - i], whole = spread[mask->ndim == 3 && i == 2 ? 0 : 3 - i];
        fits &= n == 1 || n == whole;
    }
    if (mask && (!fits || mask->ndim > 4 || (mask->dtype != SITU_BOOL && !situ_dtype_is_float((situ_dtype)mask->dtype))))
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_module_call: the mask for %s is %s; it must be bool or floats of [queries, keys], [batch, "
            "queries, keys] or [batch, heads, queries, keys], or of sizes 1",
            situ_module_text(m, text, sizeof text), situ_brief(mask, a));
    if (in[LENGTHS] &&
        (in[LENGTHS]->ndim != 1 || in[LENGTHS]->dim[0] != in[0]->dim[0] || !situ_dtype_is_integer((situ_dtype)in[LENGTHS]->dtype)))
        return situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: the lengths for %s are %s; they must be integers of [%lld]",
            situ_module_text(m, text, sizeof text), situ_brief(in[LENGTHS], a), (long long)in[0]->dim[0]);
    for (int i = K; i <= V; i++)
        fits &= !in[i] ||
            (in[i]->ndim == 4 && in[i]->dim[0] == in[0]->dim[0] && in[i]->dim[1] == groups(l) && in[i]->dim[3] == head_width(l) &&
                in[i]->dim[2] == in[K]->dim[2]);
    if (!fits || !in[K] != !in[V] || !in[K] != !in[AT] ||
        (in[AT] && (in[AT]->ndim || !situ_dtype_is_integer((situ_dtype)in[AT]->dtype))))
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_module_call: %s remembers k and v of [%lld, %lld, most, %lld], at an integer without dimensions; all three or "
            "none",
            situ_module_text(m, text, sizeof text), (long long)in[0]->dim[0], (long long)groups(l), (long long)head_width(l));
    return 0;
}

/* softmax(scores) * values, [batch, heads, queries, width]. */
static situ_tensor *attend(situ_module *m, const attention *l, situ_tensor *q, situ_tensor *k, situ_tensor *v, const view *at)
{
    situ_site site = situ_frame_now->site;
    int64_t g = groups(l), per = l->heads / g, n = head_width(l);
    q = situ_reshape(q, SHAPE(q->dim[0], g, per, q->dim[2], n));
    k = situ_expand_dims(k, 2);
    v = situ_expand_dims(v, 2);
    const double far = -1e30; /* exp of it is 0; unlike with -inf, a query without visible keys gets zeros and no NaN */
    situ_tensor *s = situ_mul(situ_matmul(q, situ_transpose(k)), 1 / sqrt((double)n));
    if (at->added) s = situ_add(s, at->added);
    situ_tensor *p = situ_softmax(at->seen ? situ_where(at->seen, s, far) : s);
    if (at->hides) p = situ_where(at->seen, p, 0);
    situ_tensor *y = situ_matmul(situ_dropped(m, p, l->o.dropout, false, 0), v);
    return situ_error_code ? situ_poisoned() : situ_reshape(y, SHAPE(y->dim[0], l->heads, y->dim[3], n));
}

static int forward_attention(situ_module *m, situ_list given, situ_tensor **out, void *self)
{
    const attention *l = self;
    situ_site site = situ_frame_now->site;
    situ_tensor *in[INPUTS] = {NULL};
    for (int i = 0; i < given.count && i < INPUTS; i++)
        if (given.tensor[i] && !(in[i] = situ_value_of(given.tensor[i], site))) return -situ_error_code;
    bool alone = !in[KEY] && !in[VALUE];
    if (!in[KEY]) in[KEY] = in[QUERY];
    if (!in[VALUE]) in[VALUE] = in[KEY];
    if (check_attention(m, l, in, site)) return -situ_error_code;
    situ_tensor *x = in[QUERY], *position = in[AT] ? positions(x->dim[1], in[AT], x, site) : NULL;
    int64_t g = groups(l), n = head_width(l), rows = l->width + 2 * g * n;
    situ_tensor *w = situ_module_use(m, 0, x, SHAPE(rows, x->dim[2]), .bound = bound(l, x->dim[2]));
    situ_tensor *b = l->o.bias ? situ_module_use(m, 1, x, SHAPE(rows)) : NULL, *y;
    if (situ_error_code) return -situ_error_code;
    bool drops = l->o.dropout > 0 && m->training;
    if (alone && g == l->heads && !in[MASK] && !in[LENGTHS] && !in[K] && !drops && l->o.rotary == 0) {
        y = situ_self_attention(project(x, w, b, 0, rows, site), l->heads, .causal = l->o.causal);
    } else {
        view at = view_of(l, in, in[K] ? in[K]->dim[2] : in[KEY]->dim[1], position, site);
        bool unseen = at.hides || (l->o.causal && in[KEY]->dim[1] > x->dim[1]); /* some keys may be hidden from all queries */
        for (int i = KEY; i <= VALUE && unseen && !in[K]; i++) in[i] = only_seen(in[i], at.seen, site);
        if (alone && in[LENGTHS] && !in[K]) x = within_lengths(x, in[LENGTHS], site);
        if (situ_error_code) return -situ_error_code;
        situ_tensor *q = by_head(project(x, w, b, 0, l->width, site), l->heads, n, site);
        situ_tensor *k = by_head(project(in[KEY], w, b, l->width, g * n, site), g, n, site);
        situ_tensor *v = by_head(project(in[VALUE], w, b, l->width + g * n, g * n, site), g, n, site);
        if (l->o.rotary > 0) {
            q = rotated(q, position ? position : positions(q->dim[2], NULL, x, site), l->o.rotary, site);
            k = rotated(k, position ? position : positions(k->dim[2], NULL, x, site), l->o.rotary, site);
        }
        if (in[K]) {
            out[1] = k = put(in[K], k, position, site);
            out[2] = v = put(in[V], v, position, site);
        }
        if (in[K]) k = only_seen(k, at.seen, site), v = only_seen(v, at.seen, site);
        if (situ_error_code) return -situ_error_code;
        y = attend(m, l, q, k, v, &at);
        y = situ_reshape(situ_permute(y, AXES(0, 2, 1, 3)), SHAPE(x->dim[0], x->dim[1], l->width));
    }
    out[0] = situ_error_code ? y : (situ_module_call)(m->child[0], y, NULL, site);
    return situ_error_code ? -situ_error_code : in[K] ? 3 : 1;
}

static const situ_module_kind attention_kind = {.name = "multihead_attention",
    .forward_n = forward_attention,
    .release = situ_free,
    .inputs = "query, key?, value?, mask?, lengths?, k?, v?, at?",
    .results = "y; k, v"};

situ_module *(
    situ_multihead_attention_layer)(int64_t width, int64_t heads, const situ_multihead_attention_options *options, situ_site site)
{
    SITU_SPEAK("situ_multihead_attention_layer", site);
    attention l = {.width = width, .heads = heads, .o = {SITU_DEFAULTS(SITU_MULTIHEAD_ATTENTION_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, "situ_multihead_attention_layer", site)) return NULL;
    bool fits = width > 0 && heads > 0 && width <= INT32_MAX && width % heads == 0 && l.o.kv_heads >= 0 && l.o.in >= 0;
    if (!fits || (l.o.kv_heads && heads % l.o.kv_heads) || !(l.o.dropout >= 0 && l.o.dropout < 1) ||
        !(l.o.rotary >= 0 && l.o.rotary < INFINITY) || (l.o.rotary > 0 && width / heads % 2)) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_multihead_attention_layer: a width of %lld in %lld heads, %lld of keys and values, dropout %g, rotary %g; heads "
            "divide "
            "the width, those of keys divide heads, dropout is less than 1, and rotary positions need heads of an even width",
            (long long)width, (long long)heads, (long long)l.o.kv_heads, l.o.dropout, l.o.rotary);
        return NULL;
    }
    situ_module *m = situ_with_parameters(situ_layer(&attention_kind, &l, sizeof l, site),
        (const char *[]){"in_proj_weight", l.o.bias ? "in_proj_bias" : NULL, NULL});
    if (m && situ_module_adopt(m, "out_proj", situ_linear_layer(width, .bias = l.o.bias, .in = width)) < 0)
        return situ_expected(m, 1);
    int64_t rows = width + 2 * groups(&l) * head_width(&l);
    if (!m || !l.o.in) {
        situ_module_sizes(m, 0, SHAPE(rows, 0));
        situ_module_sizes(m, 1, SHAPE(rows));
        return m;
    }
    return situ_expected(m,
        situ_module_expect(m, 0, SHAPE(rows, l.o.in), &(const situ_module_use_options){.bound = bound(&l, l.o.in)}) ||
            (l.o.bias && situ_module_expect(m, 1, SHAPE(rows), &(const situ_module_use_options){.value = 0})));
}

/* ---- feed-forward blocks --------------------------------------------------------------------------------------------------- */

/* SwiGLU: three linear layers. The last has as many outputs as x has features, known at the first call. */
static situ_tensor *forward_swiglu(situ_module *m, situ_tensor *x, void *self)
{
    situ_site site = situ_frame_now->site;
    (void)self;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    if (!x->ndim) return situ_refuse_input(m, x, "rows");
    situ_linear_outputs(m->child[2], x->dim[x->ndim - 1]);
    situ_tensor *gate = (situ_module_call)(m->child[0], x, NULL, site), *up = (situ_module_call)(m->child[1], x, NULL, site);
    return (situ_module_call)(m->child[2], situ_mul(situ_silu(gate), up), NULL, site);
}

static const situ_module_kind swiglu_kind = {.name = "swiglu", .forward = forward_swiglu};

situ_module *situ_swiglu_layer(int64_t hidden)
{
    SITU_SPEAK_AT("situ_swiglu_layer");
    situ_site site = NULL;
    situ_module *m = situ_layer(&swiglu_kind, NULL, 0, NULL);
    if (!m) return NULL;
    if (situ_module_adopt(m, "gate", situ_linear_layer(hidden, .bias = false)) >= 0 &&
        situ_module_adopt(m, "up", situ_linear_layer(hidden, .bias = false)) >= 0 &&
        situ_module_adopt(m, "down", situ_linear_later()) >= 0)
        return m;
    return situ_expected(m, 1);
}

/* ---- Transformer blocks ---------------------------------------------------------------------------------------------------- */

typedef struct block {
    situ_transformer_options o;
    bool decodes;
} block;

/* indices of the child modules: */
enum { SELF, LINEAR1, DROP, LINEAR2, NORM1, NORM2, DROP1, DROP2, OTHER, NORM3, DROP3 };

static situ_tensor *through(situ_module *m, int part, situ_tensor *x)
{
    return situ_error_code ? situ_poisoned() : (situ_module_call)(m->child[part], x, NULL, situ_frame_now->site);
}

static situ_tensor *feed(situ_module *m, const block *l, situ_tensor *x)
{
    situ_site site = situ_frame_now->site;
    x = through(m, LINEAR1, x);
    if (l->o.feed == SITU_FEED_SWIGLU) return x;
    x = l->o.feed == SITU_FEED_GELU ? situ_gelu(x, .exact = true) : situ_relu(x);
    return through(m, LINEAR2, through(m, DROP, x));
}

/* x + dropout(f(x)), with the norm before or after. f is attention with these inputs, or (part < 0) the feed-forward
 * block. Further results of f go to `more`. */
static situ_tensor *added(
    situ_module *m, const block *l, situ_tensor *x, int part, situ_tensor **in, int count, int norm, int drop, situ_tensor **more)
{
    situ_site site = situ_frame_now->site;
    situ_tensor *out[SITU_MODULE_MOST] = {NULL};
    in[0] = l->o.norm_first ? through(m, norm, x) : x;
    if (part < 0) out[0] = feed(m, l, in[0]);
    else (situ_module_call_n)(m->child[part], (situ_list){in, count}, out, SITU_MODULE_MOST, NULL, site);
    if (situ_error_code) return situ_poisoned();
    for (int i = 0; more && i < 2; i++) more[i] = out[1 + i];
    x = situ_add(x, through(m, drop, out[0]));
    return l->o.norm_first ? x : through(m, norm, x);
}

static int forward_block(situ_module *m, situ_list given, situ_tensor **out, void *self)
{
    const block *l = self;
    situ_tensor *in[INPUTS] = {NULL};
    for (int i = 0; i < given.count; i++) in[i] = given.tensor[i];
    if (l->decodes) { /* x, memory, mask, memory_mask, memory_lengths */
        situ_tensor *mine[] = {NULL, NULL, NULL, in[2]}, *other[] = {NULL, in[1], in[1], in[3], in[4]}, *x = in[0];
        x = added(m, l, x, SELF, mine, 4, NORM1, DROP1, NULL);
        x = added(m, l, x, OTHER, other, 5, NORM2, DROP2, NULL);
        out[0] = added(m, l, x, -1, mine, 1, NORM3, DROP3, NULL);
        return 1;
    }
    situ_tensor *mine[INPUTS] = {NULL, NULL, NULL, in[1], in[2], in[3], in[4], in[5]};
    /* Padding is set to 0, since it is added to the results of the blocks. */
    if (in[2] && !in[3]) in[0] = within_lengths(in[0], in[2], situ_frame_now->site);
    situ_tensor *x = added(m, l, in[0], SELF, mine, INPUTS, NORM1, DROP1, out + 1);
    out[0] = added(m, l, x, -1, mine, 1, NORM2, DROP2, NULL);
    return in[3] ? 3 : 1;
}

static const situ_module_kind encoder_kind = {.name = "transformer_encoder",
    .forward_n = forward_block,
    .release = situ_free,
    .inputs = "x, mask?, lengths?, k?, v?, at?",
    .results = "y; k, v"};
static const situ_module_kind decoder_kind = {.name = "transformer_decoder",
    .forward_n = forward_block,
    .release = situ_free,
    .inputs = "x, memory, mask?, memory_mask?, memory_lengths?"};

static situ_module *norm_of(const block *l, int64_t width, situ_site site)
{
    return l->o.rms ? situ_rms_norm_layer(.eps = l->o.eps, .in = width) : situ_layer_norm_layer(.eps = l->o.eps, .in = width);
}

static situ_module *part_of(const block *l, int i, int64_t width, int64_t heads, situ_site site)
{
    int64_t hidden = l->o.hidden ? l->o.hidden : 4 * width;
    bool swiglu = l->o.feed == SITU_FEED_SWIGLU;
    switch (i) {
    case SELF:
    case OTHER:
        return situ_multihead_attention_layer(width, heads, .kv_heads = l->o.kv_heads, .bias = l->o.bias,
            .causal = i == SELF && l->o.causal, .dropout = l->o.dropout, .rotary = i == SELF ? l->o.rotary : 0, .in = width);
    case LINEAR1: return swiglu ? situ_swiglu_layer(hidden) : situ_linear_layer(hidden, .bias = l->o.bias, .in = width);
    case LINEAR2:
        return swiglu ? situ_module_list((situ_parts){NULL, 0}) : situ_linear_layer(width, .bias = l->o.bias, .in = hidden);
    case NORM1:
    case NORM2:
    case NORM3: return norm_of(l, width, site);
    default: return situ_dropout_layer(l->o.dropout);
    }
}

static situ_module *block_of(const situ_module_kind *kind, block *l, int64_t width, int64_t heads, situ_site site)
{
    static const char *const names[] = {"self_attn", "linear1", "dropout", "linear2", "norm1", "norm2", "dropout1", "dropout2",
        "multihead_attn", "norm3", "dropout3"};
    situ_module *m = situ_layer(kind, l, sizeof *l, site);
    if (m && l->o.hidden < 0)
        situ_fail(SITU_BAD_OPTION, site, "%s: %lld hidden units; there is at least 1", kind->name, (long long)l->o.hidden);
    for (int i = 0; m && i < (l->decodes ? 11 : 8) && !situ_error_code; i++) {
        situ_module *part = part_of(l, i, width, heads, site);
        situ_module_adopt(m, names[i], part);
    }
    return m && situ_error_code ? situ_expected(m, 1) : m;
}

situ_module *(situ_transformer_encoder_layer)(int64_t width, int64_t heads, const situ_transformer_options *options, situ_site site)
{
    SITU_SPEAK("situ_transformer_encoder_layer", site);
    block l = {.o = {SITU_DEFAULTS(SITU_TRANSFORMER_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, "situ_transformer_encoder_layer", site)) return NULL;
    return block_of(&encoder_kind, &l, width, heads, site);
}

situ_module *(situ_transformer_decoder_layer)(int64_t width, int64_t heads, const situ_transformer_options *options, situ_site site)
{
    SITU_SPEAK("situ_transformer_decoder_layer", site);
    block l = {.o = {SITU_DEFAULTS(SITU_TRANSFORMER_DECODER_LAYER_DEFAULTS)}, .decodes = true};
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, "situ_transformer_decoder_layer", site)) return NULL;
    return block_of(&decoder_kind, &l, width, heads, site);
}
