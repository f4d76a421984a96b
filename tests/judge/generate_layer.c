/* Layers: small ones, with rows of several lengths, ignored indices and labels, copies, and gradients. */
#include <string.h>

#include "generate.h"
#include "layer_kinds.h"
#include "leaf_styles.h"

static int floats(maker *g, int ndim, int64_t a, int64_t b, int64_t c, int style)
{
    return add_leaf(g, SITU_F32, ndim, (int64_t[]){a, b, c}, 0, style, 0, 0);
}

static int integers(maker *g, int ndim, int64_t a, int64_t b, int64_t low, int64_t high)
{
    static const situ_dtype dtypes[] = {SITU_I64, SITU_I64, SITU_I32, SITU_I16, SITU_I8};
    return add_leaf(g, dtypes[rng_below(&g->r, 5)], ndim, (int64_t[]){a, b}, 0, LEAF_RANGE, low, high);
}

/* Operands x, parameters, integers, and another one. */
typedef struct parts {
    int x, p, k, q;
} parts;

static void make_recurrent(maker *g, int64_t *a, parts *o)
{
    int64_t gates = a[A_KIND] == Y_LSTM ? 4 : a[A_KIND] == Y_GRU ? 3 : 1;
    int64_t rows = rng_between(&g->r, 1, 3), time = rng_between(&g->r, 2, 5), in = rng_between(&g->r, 1, 3),
            n = rng_between(&g->r, 1, 3);
    a[A_WIDTH] = n, a[A_OPTION] = rng_chance(&g->r, 35);
    o->x = floats(g, 3, rows, time, in, LEAF_SMALL);
    o->p = floats(g, 1, (1 + a[A_OPTION]) * gates * n * (in + n + 2), 0, 0, LEAF_WEIGHTS);
    o->k = integers(g, 1, rows, 0, 1, time);
}

static void make_bag(maker *g, int64_t *a, parts *o)
{
    int64_t rows = rng_between(&g->r, 1, 3), n = rng_between(&g->r, 1, 4);
    a[A_WIDTH] = rng_between(&g->r, 1, 3), a[A_OPTION] = rng_chance(&g->r, 60) ? 1 : 2 * rng_below(&g->r, 2),
    a[A_MORE] = rng_between(&g->r, 1, 5);
    o->x = floats(g, 2, rows, n, 0, LEAF_SMALL);
    o->p = floats(g, 1, a[A_MORE] * a[A_WIDTH], 0, 0, LEAF_SMALL);
    o->k = integers(g, 2, rows, n, -1, a[A_MORE] - 1);
}

static void make_attention_layer(maker *g, int64_t *a, parts *o)
{
    int64_t rows = rng_between(&g->r, 1, 2), keys = rng_between(&g->r, 2, 4), heads = rng_between(&g->r, 1, 2),
            width = heads * rng_between(&g->r, 1, 2);
    a[A_WIDTH] = width, a[A_OPTION] = heads, a[A_MORE] = rng_below(&g->r, 4);
    o->x = floats(g, 3, rows, keys, width, LEAF_SMALL);
    o->p = floats(g, 1, 4 * width * width + 4 * width, 0, 0, LEAF_WEIGHTS);
    o->k = integers(g, 1, rows, 0, 1, keys);
    o->q = floats(g, 3, rows, rng_between(&g->r, 1, 3), width, LEAF_SMALL);
}

static void make_rows(maker *g, int64_t *a, parts *o)
{
    bool norm = a[A_KIND] == Y_RMS; /* with one number the slope consists of rounding errors */
    int64_t rows = rng_between(&g->r, 1, 4), in = rng_between(&g->r, 1 + norm, 5), width = rng_between(&g->r, 1, 4), count = in;
    a[A_WIDTH] = a[A_KIND] == Y_TIED ? in : width;
    a[A_OPTION] = (norm || a[A_KIND] == Y_LINEAR) && rng_chance(&g->r, 40);
    if (a[A_KIND] == Y_BATCH || a[A_KIND] == Y_LINEAR) a[A_EVALUATES] = rng_chance(&g->r, 50);
    if (a[A_KIND] == Y_BATCH) rows += 3, count = 2 * in; /* also with two */
    if (a[A_KIND] == Y_SWIGLU) count = 3 * width * in;
    if (a[A_KIND] == Y_LINEAR) count = width * in + width;
    if (a[A_KIND] == Y_TIED) count = in * in;
    o->x = floats(g, 2, rows, in, 0, norm && rng_chance(&g->r, 60) ? LEAF_SCALED : LEAF_SMALL);
    o->p = floats(g, 1, count, 0, 0, LEAF_WEIGHTS);
}

static void make_labelled(maker *g, int64_t *a, parts *o)
{
    int64_t rows = rng_between(&g->r, 1, 5), n = rng_between(&g->r, 2, 5);
    a[A_OPTION] = rng_below(&g->r, 3), a[A_MORE] = rng_below(&g->r, 4);
    o->x = floats(g, 2, rows, n, 0, LEAF_SMALL);
    o->p = floats(g, 1, n, 0, 0, LEAF_SHARES);
    o->k = add_leaf(g, rng_chance(&g->r, 50) ? SITU_I64 : SITU_I32, 1, &rows, 0, LEAF_LABELS, IGNORED_LABEL, n - 1);
}

static void make_ctc(maker *g, int64_t *a, parts *o)
{
    int64_t rows = rng_between(&g->r, 1, 3), time = rng_between(&g->r, 1, 6), classes = rng_between(&g->r, 2, 5),
            most = rng_between(&g->r, 1, 2);
    int64_t one = 1;
    a[A_OPTION] = rng_below(&g->r, 3);
    o->x = floats(g, 3, rows, time, classes, LEAF_SMALL);
    o->p = add_leaf(g, SITU_F32, 1, &one, 0, LEAF_SMALL, 0, 0); /* none */
    o->k = integers(g, 2, rows, most, 1, classes - 1);
    o->q = integers(g, 2, 2, rows, 1, most < time ? most : time);
}

MAKE(layer)
{
    static const unsigned char kinds[] = {Y_RNN, Y_GRU, Y_GRU, Y_LSTM, Y_LSTM, Y_BAG, Y_BAG, Y_BAG, Y_ATTENTION, Y_ATTENTION,
        Y_ATTENTION, Y_RMS, Y_RMS, Y_BATCH, Y_BATCH, Y_SWIGLU, Y_SWIGLU, Y_LINEAR, Y_LINEAR, Y_LINEAR, Y_TIED, Y_CTC, Y_CTC,
        Y_IGNORED, Y_IGNORED, Y_IGNORED};
    static void (*const makers[])(maker *, int64_t *, parts *) = {[Y_RNN] = make_recurrent,
        [Y_GRU] = make_recurrent,
        [Y_LSTM] = make_recurrent,
        [Y_BAG] = make_bag,
        [Y_ATTENTION] = make_attention_layer,
        [Y_RMS] = make_rows,
        [Y_BATCH] = make_rows,
        [Y_SWIGLU] = make_rows,
        [Y_LINEAR] = make_rows,
        [Y_TIED] = make_rows,
        [Y_CTC] = make_ctc,
        [Y_IGNORED] = make_labelled};
    int64_t *a = s->attr, kind = a[A_KIND] = kinds[rng_below(&g->r, sizeof kinds)];
    parts o = {-1, -1, -1, -1};
    if (g->p->count + 8 >= MOST_STATEMENTS) return false;
    makers[kind](g, a, &o);
    bool module = kind < Y_CTC, by_weights = module || (kind == Y_IGNORED && a[A_MORE] & 2);
    if (module && rng_chance(&g->r, 60)) a[A_COPY] = rng_chance(&g->r, 70) ? COPY_CLONE : COPY_FILE;
    a[A_EARLY] = rng_chance(&g->r, 40) && !(kind == Y_TIED && a[A_COPY] == COPY_CLONE);
    a[A_FILLER] = rng_below(&g->r, 6);
    int what = rng_below(&g->r, 100);
    a[A_WHAT] = what < 40       ? WHAT_VALUE :
        what < 62               ? WHAT_BY_INPUT :
        what < 88 && by_weights ? WHAT_BY_PARAMETERS :
        module                  ? WHAT_FACTS :
                                  WHAT_BY_INPUT;
    bool rounded = kind == Y_LINEAR && a[A_OPTION], unread = kind == Y_BAG && a[A_OPTION] != 1;
    unread = unread || (kind == Y_BATCH && a[A_EVALUATES]); /* the moments of the first call are read as numbers */
    if (a[A_WHAT] != WHAT_FACTS && (rounded || (unread && a[A_WHAT] == WHAT_BY_INPUT))) a[A_WHAT] = WHAT_VALUE;
    a[A_FROZEN] = a[A_WHAT] == WHAT_FACTS && rng_chance(&g->r, 50);
    s->in[0] = (int16_t)o.x, s->in[1] = (int16_t)o.p, s->in[2] = (int16_t)(o.k < 0 ? o.p : o.k), s->in[3] = (int16_t)o.q;
    s->nin = o.q < 0 ? 3 : 4;
    return o.x >= 0 && o.p >= 0;
}
