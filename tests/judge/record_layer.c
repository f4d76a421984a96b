/* A layer as calls of the library: a module is made, gets the parameters that the program has, is copied or not,
 * called, and freed before anything is computed. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "layer_kinds.h"
#include "record.h"

static situ_module *tied(int64_t width)
{
    situ_module *m =
        situ_sequential(situ_linear_layer(width, .bias = false, .in = width), situ_linear_layer(width, .bias = false, .in = width));
    if (m) situ_module_share(situ_module_child(m, 1), situ_module_child(m, 0));
    return m;
}

static situ_module *make(const int64_t *a)
{
    switch (a[A_KIND]) {
    case Y_RNN: return situ_rnn_layer(a[A_WIDTH], .bidirectional = a[A_OPTION]);
    case Y_GRU: return situ_gru_layer(a[A_WIDTH], .bidirectional = a[A_OPTION]);
    case Y_LSTM: return situ_lstm_layer(a[A_WIDTH], .bidirectional = a[A_OPTION]);
    case Y_BAG: return situ_embedding_bag_layer(a[A_MORE], a[A_WIDTH], .mode = (situ_bag)a[A_OPTION]);
    case Y_ATTENTION: return situ_multihead_attention_layer(a[A_WIDTH], a[A_OPTION], .causal = a[A_MORE] == BY_PLACE);
    case Y_RMS: return situ_rms_norm_layer(.eps = a[A_OPTION] ? 0 : 1e-6);
    case Y_BATCH: return situ_batch_norm_layer();
    case Y_SWIGLU: return situ_swiglu_layer(a[A_WIDTH]);
    case Y_TIED: return tied(a[A_WIDTH]);
    default:
        return a[A_EVALUATES] ? situ_sequential(situ_linear_layer(a[A_WIDTH]), situ_dropout_layer(0.5)) :
                                situ_linear_layer(a[A_WIDTH]);
    }
}

/* What a file does not have. */
static situ_module *set_up(const int64_t *a)
{
    situ_module *m = make(a);
    if (m && a[A_KIND] == Y_LINEAR && a[A_OPTION]) situ_module_set_precision(m, SITU_BF16);
    if (m && a[A_FROZEN]) situ_module_freeze(m, true);
    return m;
}

/* ---- inputs ---- */

/* Positions 0, 1, ... below n, [1, n], that are before the end of each row, [rows, n]. */
static situ_tensor *before(int64_t n, situ_tensor *ends)
{
    situ_tensor *at = situ_arange(0, n, 1, .device = situ_device_of(ends));
    return situ_less(situ_expand_dims(at, 0), situ_expand_dims(ends, 1));
}

/* x, with the filler where nothing counts. */
static situ_tensor *filled(const statement *s, situ_tensor **in)
{
    static const double fillers[] = {NAN, INFINITY, -INFINITY, 1e30, NAN, 7};
    int64_t kind = s->attr[A_KIND];
    double filler = fillers[s->attr[A_FILLER] % 6];
    situ_tensor *x = in[0];
    if (kind == Y_BAG) return situ_where(situ_equal(in[2], -1), filler, x);
    if (kind == Y_IGNORED) return situ_where(situ_expand_dims(situ_equal(in[2], IGNORED_LABEL), 1), filler, x);
    if (kind > Y_ATTENTION && kind != Y_CTC) return x;
    situ_tensor *ends = kind == Y_CTC ? situ_select(in[3], 0, 0) : in[2];
    if (kind == Y_ATTENTION && s->attr[A_MORE] == BY_PLACE) ends = situ_full_like(ends, situ_dim(in[3], 1));
    return situ_where(situ_expand_dims(before(situ_dim(x, 1), ends), 2), x, filler);
}

/* Keys that a query may look at: by lengths, by truths, by what is added. */
static void mask(const statement *s, situ_tensor *lengths, situ_tensor *x, situ_tensor **by_mask, situ_tensor **by_lengths)
{
    if (s->attr[A_MORE] == BY_LENGTHS) *by_lengths = lengths;
    if (s->attr[A_MORE] == BY_LENGTHS || s->attr[A_MORE] == BY_PLACE) return;
    situ_tensor *there = situ_expand_dims(before(situ_dim(x, 1), lengths), 1);
    *by_mask = s->attr[A_MORE] == BY_TRUTHS ? there : situ_where(there, 0.0, -INFINITY);
}

static situ_tensor *called(situ_module *m, const statement *s, situ_tensor **in, situ_tensor *x)
{
    situ_tensor *out[4] = {NULL}, *list[5] = {x, NULL, NULL, NULL, NULL};
    int64_t kind = s->attr[A_KIND];
    int n = 1;
    if (kind <= Y_LSTM) n = kind == Y_LSTM ? 4 : 3, list[n - 1] = in[2];
    if (kind == Y_BAG) n = s->attr[A_OPTION] == SITU_BAG_SUM ? 2 : 1, list[0] = in[2], list[1] = n > 1 ? x : NULL;
    if (kind == Y_ATTENTION) {
        n = 5, list[0] = in[3], list[1] = list[2] = x;
        mask(s, in[2], x, &list[3], &list[4]);
    }
    return situ_module_call_n(m, ((situ_list){list, n}), out, 4) < 0 ? NULL : out[0];
}

/* ---- parameters ---- */

/* The parameters that the program has, in the order of the module's; how many. */
static int parameters(situ_module *m, const statement *s, situ_tensor **out)
{
    int n = 0, most = s->attr[A_KIND] == Y_TIED ? 1 : 16;
    for (int i = 0; i < situ_module_count(m) && n < most; i++)
        if (situ_module_trainable(m, i)) out[n++] = situ_module_parameter(m, i);
    return n;
}

static void give(situ_module *m, const statement *s, situ_tensor *flat)
{
    situ_tensor *of[16];
    int64_t at = 0;
    for (int i = 0, n = parameters(m, s, of); i < n && !situ_failed(); i++) {
        int64_t count = situ_count(of[i]);
        situ_assign(of[i], situ_reshape(situ_slice(flat, .start = SHAPE(at), .stop = SHAPE(at + count)), situ_shape_of(of[i])));
        at += count;
    }
}

/* What the original becomes must not change its copy. */
static void scribble(situ_module *m, const statement *s)
{
    situ_tensor *of[16];
    for (int i = 0, n = parameters(m, s, of); i < n && !situ_failed(); i++) situ_assign(of[i], situ_full_like(of[i], 9));
}

/* ---- copies ---- */

static situ_module *through_file(situ_module *m, const statement *s, situ_tensor **in, situ_tensor *x)
{
    static _Thread_local int number;
    char path[96];
    snprintf(path, sizeof path, "%s/situ-judge-%d-%d.safetensors", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (int)getpid(),
        number++);
    situ_module *copy = set_up(s->attr);
    if (copy && !s->attr[A_EARLY]) called(copy, s, in, x);
    if (copy && s->attr[A_EARLY]) situ_module_to(copy, situ_device_of(x)); /* a file does not say where */
    if (copy && !situ_failed() && !situ_module_save(m, path)) situ_module_load(copy, path);
    if (copy && s->attr[A_EVALUATES]) situ_module_set_training(copy, false);
    unlink(path);
    return copy;
}

/* The module to ask, with its parameters; *first is the one that it was copied from. */
static situ_module *prepared(const statement *s, situ_tensor **in, situ_tensor *x, situ_module **first)
{
    const int64_t *a = s->attr;
    situ_module *m = *first = set_up(a);
    bool early = a[A_COPY] == COPY_CLONE && a[A_EARLY];
    if (early) m = situ_module_clone(*first);
    if (m) called(m, s, in, x);
    if (!m || situ_failed()) return m;
    if (a[A_EVALUATES]) situ_module_set_training(m, false);
    bool late = a[A_COPY] == COPY_CLONE && a[A_KIND] == Y_TIED; /* the tie is seen when one of both gets a value */
    if (!late && !a[A_FROZEN]) give(m, s, in[1]);
    if (a[A_COPY] == COPY_NONE || early || situ_failed()) return m;
    m = a[A_COPY] == COPY_CLONE ? situ_module_clone(m) : through_file(m, s, in, x);
    if (m && !situ_failed()) scribble(*first, s);
    if (m && late) give(m, s, in[1]);
    return m;
}

/* ---- what comes back ---- */

static situ_tensor *told(situ_module *m, situ_module *first)
{
    int64_t is[FACTS] = {situ_module_count(m), 0, situ_module_training(m), 0, 1};
    for (int i = 0; i < is[0]; i++) {
        is[1] += situ_module_trainable(m, i);
        is[3] += situ_count(situ_module_parameter(m, i));
        if (i >= situ_module_count(first) || strcmp(situ_module_name(m, i), situ_module_name(first, i)) != 0) is[4] = 0;
    }
    return situ_failed() ? NULL : situ_from_host(is, SHAPE(FACTS), .dtype = SITU_I64, .device = slot_device[0]);
}

static situ_tensor *weighed(situ_tensor *y)
{
    static _Thread_local float share[4096];
    int64_t n = situ_count(y);
    if (situ_failed() || n > 4096) return y;
    for (int64_t i = 0; i < n; i++) share[i] = (float)share_of(i);
    return situ_sum(situ_mul(y, situ_from_host(share, situ_shape_of(y), .dtype = SITU_F32, .device = situ_device_of(y))));
}

/* The gradient of y by these, as they lie in one vector. */
static situ_tensor *gradient(situ_tensor *y, situ_tensor **by, int n, bool flat)
{
    situ_tensor *g[16];
    if (situ_failed() || situ_grad(weighed(y), ((situ_list){by, n}), g)) return NULL;
    for (int i = 0; flat && i < n; i++) g[i] = situ_reshape(g[i], SHAPE(situ_count(by[i])));
    return flat && n > 1 ? situ_concat(((situ_list){g, n}), .axis = 0) : g[0];
}

static situ_tensor *loss(const statement *s, situ_tensor **in, situ_tensor *x)
{
    situ_reduction how = (situ_reduction)s->attr[A_OPTION];
    if (s->attr[A_KIND] == Y_CTC) {
        situ_tensor *count = situ_select(in[3], 0, 1), *labels = situ_where(before(situ_dim(in[2], 1), count), in[2], 99);
        return situ_ctc_loss(x, labels, .reduction = how, .input_lengths = situ_select(in[3], 0, 0), .target_lengths = count);
    }
    situ_tensor *weights = s->attr[A_MORE] & 2 ? in[1] : NULL, *ignored = situ_scalar_int(IGNORED_LABEL);
    if (s->attr[A_MORE] & 1) return situ_nll_loss(x, in[2], .reduction = how, .weights = weights, .ignored = ignored);
    return situ_cross_entropy(x, in[2], .reduction = how, .weights = weights, .ignored = ignored);
}

RECORD(layer)
{
    const int64_t *a = s->attr;
    situ_tensor *x = filled(s, in), *y = NULL, *by[16] = {in[1]};
    situ_module *first = NULL, *m = NULL;
    int n = 1;
    (void)site;
    if (situ_failed()) return NULL;
    if (a[A_KIND] >= Y_CTC) {
        y = loss(s, in, x);
    } else {
        m = prepared(s, in, x, &first);
        if (m && !situ_failed()) y = a[A_WHAT] == WHAT_FACTS ? told(m, first) : called(m, s, in, x);
        if (y && a[A_WHAT] == WHAT_BY_PARAMETERS) n = parameters(m, s, by);
    }
    if (y && !situ_failed() && a[A_WHAT] == WHAT_BY_INPUT) y = gradient(y, &x, 1, false);
    if (y && !situ_failed() && a[A_WHAT] == WHAT_BY_PARAMETERS) y = gradient(y, by, n, true);
    if (m != first) situ_module_free(m);
    situ_module_free(first);
    return situ_failed() ? NULL : y;
}
