/* Recurrent layers, built from the operation of func/recurrent.h. */
#include "func/recurrent.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <situ/sequence.h>

#include "base/memory.h"
#include "nn/module.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct recurrent {
    int64_t width;
    situ_rnn_layer_options o;
    situ_cell cell;
} recurrent;

/* What all layers of one call share. */
typedef struct run {
    situ_module *m;
    const recurrent *l;
    situ_tensor *kept;  /* [time, batch, 1] 1 within a sequence, 0 after its end; or NULL */
    situ_tensor *start; /* [layers * directions, batch, states * width] initial states, or NULL */
    situ_site site;
} run;

static int directions(const recurrent *l) { return 1 + l->o.bidirectional; }
static int per_layer(const recurrent *l) { return l->o.bias ? 4 : 2; }

/* Runs x [time, batch, width] through one layer in one direction: states and gates of all steps, [parts, time, batch,
 * width]. */
static situ_tensor *one_way(const run *r, situ_tensor *x, int layer, int back)
{
    const recurrent *l = r->l;
    situ_site site = r->site;
    int64_t n = l->width, gates = situ_cell_gates(l->cell) * n, states = situ_cell_states(l->cell) * n, batch = x->dim[1];
    int at = (layer * directions(l) + back) * per_layer(l);
    double bound = 1 / sqrt((double)n);
    situ_tensor *w = situ_module_use(r->m, at, x, SHAPE(gates, x->dim[2]), .bound = bound);
    situ_tensor *v = situ_module_use(r->m, at + 1, x, SHAPE(gates, n), .bound = bound);
    situ_tensor *wx = situ_matmul(x, situ_transpose(w)),
                *b = situ_zeros(SHAPE(1), .dtype = (situ_dtype)x->dtype, .device = x->device);
    if (l->o.bias) {
        situ_tensor *in = situ_module_use(r->m, at + 2, x, SHAPE(gates), .bound = bound);
        situ_tensor *own = situ_module_use(r->m, at + 3, x, SHAPE(gates), .bound = bound);
        wx = situ_add(wx, in);
        if (l->cell == SITU_CELL_GRU) {
            b = situ_slice(own, .start = SHAPE(2 * n));
            own = situ_concat(TENSORS(situ_slice(own, .stop = SHAPE(2 * n)), situ_zeros(SHAPE(n), .device = x->device)), .axis = 0);
        }
        wx = situ_add(wx, own);
    }
    if (situ_error_code) return situ_poisoned();
    situ_tensor *start = r->start ? situ_select(r->start, 0, layer * directions(l) + back) :
                                    situ_zeros(SHAPE(batch, states), .dtype = (situ_dtype)wx->dtype, .device = x->device);
    return situ_recurrent(wx, v, b, start, r->kept, l->cell, back, site);
}

/* Columns first ... first + width - 1. */
static situ_tensor *columns(situ_tensor *x, int64_t first, int64_t width, situ_site site)
{
    return situ_slice(x, .start = SHAPE(SITU_FULL, SITU_FULL, first), .stop = SHAPE(SITU_FULL, SITU_FULL, first + width));
}

static situ_tensor *swapped(situ_tensor *x, situ_site site) { return situ_permute(x, AXES(1, 0, 2)); }

/* Dropout between two layers; the rows of the batch are those of the input. */
static situ_tensor *between(const run *r, situ_tensor *x, int layer)
{
    double rate = r->l->o.dropout;
    if (rate == 0 || !r->m->training) return x;
    if (r->l->o.time_first) return situ_dropped(r->m, x, rate, false, layer);
    return swapped(situ_dropped(r->m, swapped(x, r->site), rate, false, layer), r->site);
}

/* Runs all layers. Their last states go to `last`, [batch, states * width] each. */
static situ_tensor *all_layers(const run *r, situ_tensor *x, situ_tensor **last)
{
    const recurrent *l = r->l;
    situ_site site = r->site;
    int64_t time = x->dim[0];
    for (int layer = 0; layer < l->o.layers && !situ_error_code; layer++) {
        situ_tensor *y[2] = {NULL, NULL};
        if (layer) x = between(r, x, layer);
        for (int back = 0; back < directions(l); back++) {
            situ_tensor *all = one_way(r, x, layer, back);
            if (situ_error_code) return situ_poisoned();
            situ_tensor *state[2];
            int states = situ_cell_states(l->cell);
            for (int k = 0; k < states; k++) state[k] = situ_select(situ_select(all, 0, k), 0, back ? 0 : time - 1);
            *last++ = states == 1 ? state[0] : situ_concat(((situ_list){state, states}), .axis = 1);
            y[back] = situ_select(all, 0, 0);
            if (r->kept) y[back] = situ_where(situ_not_equal(r->kept, 0), y[back], 0);
        }
        x = y[1] ? situ_concat(((situ_list){y, 2}), .axis = 2) : y[0];
    }
    return x;
}

/* Checks the initial states, and joins them to [layers * directions, batch, states * width]. */
static situ_tensor *start_of(const run *r, const situ_tensor *x, situ_list in)
{
    const recurrent *l = r->l;
    situ_site site = r->site;
    int states = situ_cell_states(l->cell), given = 0;
    situ_tensor *start[2];
    for (int k = 0; k < states; k++) {
        situ_tensor *s = k + 1 < in.count ? in.tensor[k + 1] : NULL;
        situ_shape shape = SHAPE(l->o.layers * directions(l), x->dim[1], l->width);
        char has[SITU_BRIEF_TEXT], wants[SITU_SHAPE_TEXT], text[128];
        given += s != NULL;
        start[k] = s ? situ_cast(s, (situ_dtype)x->dtype) : situ_zeros(shape, .dtype = (situ_dtype)x->dtype, .device = x->device);
        if (!s || situ_shape_equal(s->ndim, s->dim, (int)shape.ndim, shape.dim)) continue;
        situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: the states for %s are %s; they must be %s: layers%s, batch, width",
            situ_module_text(r->m, text, sizeof text), situ_brief(s, has),
            situ_shape_text((int)shape.ndim, shape.dim, wants, sizeof wants), l->o.bidirectional ? " times 2" : "");
        return NULL;
    }
    return !given ? NULL : states == 1 ? start[0] : situ_concat(((situ_list){start, 2}), .axis = 2);
}

/* The mask [time, batch, 1]: 1 within a sequence, 0 after its end. */
static situ_tensor *kept_of(const run *r, const situ_tensor *x, situ_tensor *lengths)
{
    situ_site site = r->site;
    char has[SITU_BRIEF_TEXT], text[128];
    if (lengths->ndim != 1 || lengths->dim[0] != x->dim[1] || !situ_dtype_is_integer((situ_dtype)lengths->dtype)) {
        situ_fail(SITU_BAD_SHAPE, site,
            "situ_module_call: the lengths for %s are %s; they must be integers of [%lld], one for each row",
            situ_module_text(r->m, text, sizeof text), situ_brief(lengths, has), (long long)x->dim[1]);
        return NULL;
    }
    situ_tensor *time = situ_arange(0, (double)x->dim[0], 1, .dtype = SITU_I64, .device = x->device);
    situ_tensor *kept = situ_less(situ_expand_dims(time, 1), situ_expand_dims(situ_cast(lengths, SITU_I64), 0));
    return situ_expand_dims(situ_cast(kept, (situ_dtype)x->dtype), 2);
}

static int forward_recurrent(situ_module *m, situ_list in, situ_tensor **out, void *self)
{
    run r = {.m = m, .l = self, .site = situ_frame_now->site};
    situ_site site = r.site;
    int states = situ_cell_states(r.l->cell), many = (int)r.l->o.layers * directions(r.l);
    situ_tensor *x = situ_value_of(in.tensor[0], r.site), *lengths = in.count > states + 1 ? in.tensor[states + 1] : NULL;
    if (!x) return -situ_error_code;
    if (x->ndim != 3 || !x->dim[0] || !x->dim[1] || !x->dim[2] || !situ_dtype_is_float((situ_dtype)x->dtype)) {
        bool empty = x->ndim == 3 && situ_dtype_is_float((situ_dtype)x->dtype);
        const char *axes = r.l->o.time_first ? "floats of [time, batch, width]" : "floats of [batch, time, width]";
        situ_refuse_input(m, x, empty ? "no axis of 0" : axes);
        return -situ_error_code;
    }
    situ_dtype dtype = (situ_dtype)x->dtype;
    if (dtype < SITU_F32) x = situ_cast(x, SITU_F32);
    if (!r.l->o.time_first) x = swapped(x, site);
    r.start = start_of(&r, x, in);
    /* Padding may be NaN, and 0 * NaN is NaN. */
    if (lengths && (r.kept = kept_of(&r, x, lengths))) x = situ_where(situ_not_equal(r.kept, 0), x, 0);
    situ_tensor **last = situ_error_code ? NULL : situ_calloc((size_t)many, sizeof *last);
    if (!last) return situ_error_code ? -situ_error_code : situ_fail(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    situ_tensor *y = all_layers(&r, x, last), *ends = situ_error_code ? NULL : situ_stack(((situ_list){last, many}), .axis = 0);
    situ_free(last);
    if (situ_error_code) return -situ_error_code;
    out[0] = situ_cast(r.l->o.time_first ? y : swapped(y, site), dtype);
    for (int k = 0; k < states; k++)
        out[1 + k] = situ_cast(states > 1 ? columns(ends, k * r.l->width, r.l->width, site) : ends, dtype);
    return 1 + states;
}

static const situ_module_kind rnn_kind = {
    .name = "rnn", .forward_n = forward_recurrent, .release = situ_free, .inputs = "x, h?, lengths?", .results = "y; h"};
static const situ_module_kind gru_kind = {
    .name = "gru", .forward_n = forward_recurrent, .release = situ_free, .inputs = "x, h?, lengths?", .results = "y; h"};
static const situ_module_kind lstm_kind = {
    .name = "lstm", .forward_n = forward_recurrent, .release = situ_free, .inputs = "x, h?, c?, lengths?", .results = "y; h, c"};

static int declare(situ_module *m, const recurrent *l)
{
    static const char *const names[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    const situ_module_use_options u = {.bound = 1 / sqrt((double)l->width)};
    int64_t gates = situ_cell_gates(l->cell) * l->width;
    for (int layer = 0; layer < l->o.layers; layer++)
        for (int back = 0; back < directions(l); back++)
            for (int k = 0; k < per_layer(l); k++) {
                char name[64];
                int64_t in = layer ? l->width * directions(l) : l->o.in;
                snprintf(name, sizeof name, "%s_l%d%s", names[k], layer, back ? "_reverse" : "");
                int i = situ_module_declare(m, name), rc = i < 0 ? i : 0;
                if (!rc && k != 0) rc = situ_module_expect(m, i, k == 1 ? SHAPE(gates, l->width) : SHAPE(gates), &u);
                else if (!rc && in) rc = situ_module_expect(m, i, SHAPE(gates, in), &u);
                else if (!rc) situ_module_sizes(m, i, SHAPE(gates, 0));
                if (rc) return rc;
            }
    return 0;
}

static situ_module *made(
    const situ_module_kind *kind, situ_cell cell, int64_t width, const void *options, const char *name, situ_site site)
{
    enum { MOST_LAYERS = 1000 };
    recurrent l = {.width = width, .o = {SITU_DEFAULTS(SITU_RNN_LAYER_DEFAULTS)}, .cell = cell};
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, name, site)) return NULL;
    if (width < 1 || width > INT32_MAX || l.o.layers < 1 || l.o.layers > MOST_LAYERS || l.o.in < 0 ||
        !(l.o.dropout >= 0 && l.o.dropout < 1)) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: a width of %lld, " SITU_SAY(".layers", "layers") " = %lld, " SITU_SAY(
                ".dropout", "dropout") " = %g, %lld inputs; there is "
                                       "at least one unit, 1 to %d layers, and a share from 0 to less than 1 is dropped",
            name, (long long)width, (long long)l.o.layers, l.o.dropout, (long long)l.o.in, MOST_LAYERS);
        return NULL;
    }
    if (cell == SITU_CELL_TANH && l.o.relu) l.cell = SITU_CELL_RELU;
    situ_module *m = situ_layer(kind, &l, sizeof l, site);
    return m ? situ_expected(m, declare(m, &l)) : NULL;
}

situ_module *(situ_rnn_layer)(int64_t width, const situ_rnn_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_rnn_layer", site);
    return made(&rnn_kind, SITU_CELL_TANH, width, options, "situ_rnn_layer", site);
}

situ_module *(situ_gru_layer)(int64_t width, const situ_recurrent_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_gru_layer", site);
    return made(&gru_kind, SITU_CELL_GRU, width, options, "situ_gru_layer", site);
}

situ_module *(situ_lstm_layer)(int64_t width, const situ_recurrent_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_lstm_layer", site);
    return made(&lstm_kind, SITU_CELL_LSTM, width, options, "situ_lstm_layer", site);
}
