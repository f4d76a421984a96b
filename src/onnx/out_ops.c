/* Structured operations, written with ONNX's operators. */
#include <string.h>

#include "func/recurrent.h"
#include "onnx/out.h"
#include "op/attr.h"
#include "op/conv.h"
#include "op/elementwise.h"
#include "op/generate.h"
#include "op/pool.h"
#include "op/reduce_kind.h"
#include "op/support.h"
#include "op/table.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define WRITER(name) static const char *name(situ_out *o, const situ_out_value *v)
#define ATTR(T) const T *a = situ_node_attr(v->t[0])
static situ_dtype dtype_of(const situ_out_value *v) { return (situ_dtype)v->t[0]->dtype; }
/* Casts y from the dtype of computation to that of the result. */
static const char *narrow(situ_out *o, const situ_out_value *v, const char *y)
{
    return situ_out_cast(o, y, situ_out_compute(dtype_of(v)), dtype_of(v));
}
/* The dtype for operators that only move elements: they support every dtype except bf16. */
static situ_dtype moving(const situ_out_value *v) { return dtype_of(v) == SITU_BF16 ? SITU_F32 : dtype_of(v); }
static const char *moved(situ_out *o, const situ_out_value *v, const char *y)
{
    return situ_out_cast(o, y, moving(v), dtype_of(v));
}
/* Run-time word i as a size. */
static situ_out_size word_of(situ_out *o, const situ_out_value *v, int i)
{
    int64_t value[SITU_OUT_RECORDS];
    situ_out_size size;
    for (int k = 0; k < o->records; k++) value[k] = (int64_t)situ_node_word(v->t[k])[i];
    situ_out_size_of(o, value, &size, v->t[0]);
    return size;
}

/* ---- fills and identity ---------------------------------------------------------------------------------------------------- */

WRITER(same) { return situ_out_in(o, v, 0); }
WRITER(cast) { return situ_out_in_as(o, v, 0, dtype_of(v)); }
WRITER(random) { return situ_out_refuse(o, v->t[0], "a file gives the same numbers in each run"); }

/* The fill value (word 0), also of padding. */
static const char *filling(situ_out *o, const situ_out_value *v, bool floating, situ_dtype dtype)
{
    double value;
    memcpy(&value, situ_node_word(v->t[0]), sizeof value);
    if (floating) {
        for (int k = 1; k < o->records; k++)
            if (*situ_node_word(v->t[k]) != *situ_node_word(v->t[0]))
                return situ_out_refuse_batch(o, v->t[0], "a number in the source that follows from it");
        return situ_out_number(o, dtype, value);
    }
    situ_out_size size = word_of(o, v, 0);
    if (!size.each) return situ_out_whole(o, dtype, size.rest);
    return situ_out_cast(o, NODE("Reshape", situ_out_sizes(o, &size, 1), situ_out_list(o, NULL, 0)), SITU_I64, dtype);
}

WRITER(fill)
{
    ATTR(situ_fill_attr);
    const char *number = filling(o, v, a->floating, moving(v));
    return moved(o, v, v->t[0]->ndim ? NODE("Expand", number, situ_out_shape(o, v)) : number);
}

WRITER(iota)
{
    ATTR(situ_iota_attr);
    situ_out_size n = situ_out_axis(o, v, -1, a->axis);
    const char *end = situ_out_whole(o, SITU_I64, n.rest);
    if (n.each) end = NODE("Reshape", situ_out_sizes(o, &n, 1), situ_out_list(o, NULL, 0));
    const char *y = NODE("Range", situ_out_whole(o, SITU_I64, 0), end, situ_out_whole(o, SITU_I64, 1));
    y = situ_out_cast(o, y, SITU_I64, moving(v));
    int64_t dim[SITU_MAX_DIMS];
    for (int i = 0; i < v->t[0]->ndim; i++) dim[i] = i == a->axis ? -1 : 1;
    if (v->t[0]->ndim == 1) return moved(o, v, y);
    return moved(o, v, NODE("Expand", NODE("Reshape", y, situ_out_list(o, dim, v->t[0]->ndim)), situ_out_shape(o, v)));
}

/* ---- shapes ------------------------------------------------------------------------------------------------------------ */

WRITER(reshape) { return situ_out_reshaped(o, v, situ_out_in(o, v, 0)); }
WRITER(broadcast) { return moved(o, v, NODE("Expand", situ_out_in_as(o, v, 0, moving(v)), situ_out_shape(o, v))); }

WRITER(permute)
{
    ATTR(situ_permute_attr);
    int64_t axis[SITU_MAX_DIMS];
    for (int i = 0; i < v->t[0]->ndim; i++) axis[i] = a->axis[i];
    const char *x = situ_out_in_as(o, v, 0, moving(v));
    situ_out_ints(o, "perm", axis, v->t[0]->ndim);
    return moved(o, v, NODE("Transpose", x));
}

typedef struct cut {
    situ_out_size first[SITU_MAX_DIMS], end[SITU_MAX_DIMS];
    int64_t axis[SITU_MAX_DIMS], step[SITU_MAX_DIMS];
    int count;
} cut;

static const char *cut_out(situ_out *o, const char *x, const cut *c)
{
    if (!c->count) return x;
    const char *first = situ_out_sizes(o, c->first, c->count);
    bool below = false; /* would it differ for a smaller batch: do the last three of two begin before the first? */
    for (int i = 0; i < c->count; i++) below |= c->first[i].each > 0 && c->first[i].rest < 0 && c->step[i] > 0;
    if (below) first = NODE("Max", first, situ_out_list(o, (int64_t[]){0}, 1));
    return NODE("Slice", x, first, situ_out_sizes(o, c->end, c->count), situ_out_list(o, c->axis, c->count),
        situ_out_list(o, c->step, c->count));
}

/* Takes `count` elements first, first + step, ... along an axis. */
static void cut_axis(cut *c, int axis, situ_out_size first, situ_out_size count, int64_t step)
{
    bool none = !count.each && !count.rest;
    situ_out_size end = {first.each + count.each * step, first.rest + (count.rest - 1) * step + (step > 0 ? 1 : -1)};
    if (none) first = end = (situ_out_size){0, 0};
    if (!end.each && end.rest == -1) end.rest = INT64_MIN; /* an end of -1 would mean the last element */
    c->first[c->count] = first;
    c->end[c->count] = end;
    c->step[c->count] = none ? 1 : step;
    c->axis[c->count++] = axis;
}

WRITER(slice)
{
    ATTR(situ_slice_attr);
    cut c = {.count = 0};
    int64_t dropped[SITU_MAX_DIMS], size[SITU_OUT_RECORDS];
    int drops = 0;
    for (int i = 0; i < situ_out_of(v, 0)->ndim; i++) {
        for (int k = 0; k < o->records; k++) {
            const situ_slice_attr *b = situ_node_attr(v->t[k]);
            size[k] = b->axis[i].size;
            if (b->axis[i].step != a->axis[i].step || b->dropped != a->dropped)
                return situ_out_refuse_batch(o, v->t[0], "the step of a slice");
        }
        situ_out_size count, first = word_of(o, v, i), all = situ_out_axis(o, v, 0, i);
        if (!situ_out_size_of(o, size, &count, v->t[0])) return NULL;
        if (a->dropped >> i & 1) dropped[drops++] = i;
        bool whole = !first.each && !first.rest && a->axis[i].step == 1 && count.each == all.each && count.rest == all.rest;
        if (!whole) cut_axis(&c, i, first, count, a->axis[i].step);
    }
    const char *y = moved(o, v, cut_out(o, situ_out_in_as(o, v, 0, moving(v)), &c));
    return drops ? NODE("Squeeze", y, situ_out_list(o, dropped, drops)) : y;
}

WRITER(flip)
{
    const uint8_t *mark = situ_node_attr(v->t[0]);
    cut c = {.count = 0};
    for (int i = 0; i < v->t[0]->ndim; i++) {
        situ_out_size n = situ_out_axis(o, v, 0, i);
        if (mark[i]) cut_axis(&c, i, situ_out_plus(n, (situ_out_size){0, -1}), n, -1);
    }
    return moved(o, v, cut_out(o, situ_out_in_as(o, v, 0, moving(v)), &c));
}

/* Inserts step - 1 copies of a number after each element along the axis, by way of a new axis. */
static const char *spread(situ_out *o, const situ_out_value *v, const char *x, int axis, const char *number)
{
    int n = v->t[0]->ndim;
    int64_t place = axis + 1, pads[2 * SITU_MAX_DIMS + 2] = {0};
    situ_out_size dim[SITU_MAX_DIMS];
    if (n == SITU_MAX_DIMS) return situ_out_refuse(o, v->t[0], "of eight axes none is left for it");
    ATTR(situ_place_attr);
    pads[n + 1 + place] = a->step[axis] - 1;
    for (int i = 0; i < n; i++) dim[i] = situ_out_axis(o, v, 0, i);
    for (int i = 0; i <= axis; i++) dim[i].each *= a->step[i], dim[i].rest *= a->step[i];
    x = NODE("Unsqueeze", x, situ_out_list(o, &place, 1));
    x = NODE("Pad", x, situ_out_list(o, pads, 2 * n + 2), number);
    return NODE("Reshape", x, situ_out_sizes(o, dim, n));
}

WRITER(place)
{
    ATTR(situ_place_attr);
    int n = v->t[0]->ndim;
    situ_dtype dtype = situ_out_compute(dtype_of(v));
    situ_out_size pads[2 * SITU_MAX_DIMS];
    const char *x = situ_out_wide(o, v, 0), *number = filling(o, v, a->floating, dtype);
    for (int i = 0; i < n; i++) {
        situ_out_size have = situ_out_axis(o, v, 0, i), all = situ_out_axis(o, v, -1, i), first = word_of(o, v, 1 + i);
        for (int k = 1; k < o->records; k++)
            if (((const situ_place_attr *)situ_node_attr(v->t[k]))->step[i] != a->step[i])
                return situ_out_refuse_batch(o, v->t[0], "the step between elements");
        if (a->step[i] > 1) x = spread(o, v, x, i, number);
        pads[i] = first;
        pads[n + i] =
            (situ_out_size){all.each - first.each - have.each * a->step[i], all.rest - first.rest - have.rest * a->step[i]};
    }
    return narrow(o, v, NODE("Pad", x, situ_out_sizes(o, pads, 2 * n), number));
}

WRITER(concat)
{
    const char *in[64];
    int n = v->t[0]->nin;
    if (n > 64) return situ_out_refuse(o, v->t[0], "more than 64 tensors at once");
    for (int i = 0; i < n; i++) in[i] = situ_out_in_as(o, v, i, moving(v));
    situ_out_int(o, "axis", *(const int32_t *)situ_node_attr(v->t[0]));
    return moved(o, v, situ_out_node(o, "Concat", in, n, 1));
}

/* ---- reductions, scans, sorting -------------------------------------------------------------------------------------------- */

WRITER(reduce)
{
    static const char *const type[] = {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMax", "ReduceMin"};
    ATTR(situ_reduce_attr);
    int64_t axis[SITU_MAX_DIMS];
    bool truth = dtype_of(v) == SITU_BOOL;
    const char *x = truth ? situ_out_in_as(o, v, 0, SITU_I32) : situ_out_wide(o, v, 0);
    for (int i = 0; i < a->count; i++) axis[i] = a->first + i;
    situ_out_int(o, "keepdims", a->keepdims);
    const char *axes = situ_out_list(o, axis, a->count), *y = NODE(type[v->t[0]->op->code], x, axes);
    return truth ? situ_out_cast(o, y, SITU_I32, SITU_BOOL) : narrow(o, v, y);
}

WRITER(cumsum)
{
    ATTR(situ_axis_attr);
    const char *x = situ_out_wide(o, v, 0), *axis = situ_out_whole(o, SITU_I64, a->axis);
    situ_out_int(o, "reverse", a->flag);
    return narrow(o, v, NODE("CumSum", x, axis));
}

/* A composition whose number of steps depends on the length. */
WRITER(in_steps)
{
    ATTR(situ_axis_attr);
    return situ_out_axis(o, v, 0, a->axis).each ? situ_out_refuse_batch(o, v->t[0], "it goes along that axis") : NULL;
}

WRITER(arg)
{
    ATTR(situ_axis_attr);
    situ_dtype d = (situ_dtype)situ_out_of(v, 0)->dtype;
    const char *x = situ_out_in_as(o, v, 0, d == SITU_BOOL ? SITU_I32 : situ_out_compute(d));
    situ_out_int(o, "axis", a->axis);
    situ_out_int(o, "keepdims", 0);
    return NODE(v->t[0]->op == &situ_op_argmax ? "ArgMax" : "ArgMin", x);
}

WRITER(argsort)
{
    ATTR(situ_axis_attr);
    situ_dtype d = (situ_dtype)situ_out_of(v, 0)->dtype;
    situ_out_size n = situ_out_axis(o, v, 0, a->axis);
    const char *x = situ_out_in_as(o, v, 0, d == SITU_BOOL ? SITU_I32 : situ_out_compute(d)), *count = situ_out_sizes(o, &n, 1);
    situ_out_int(o, "axis", a->axis);
    situ_out_int(o, "largest", a->flag);
    return situ_out_node(o, "TopK", SITU_OUT_NAMES(x, count), 2);
}

WRITER(matmul)
{
    situ_dtype d = dtype_of(v), wide = d == SITU_BOOL ? SITU_I32 : situ_out_compute(d);
    return situ_out_cast(o, NODE("MatMul", situ_out_in_as(o, v, 0, wide), situ_out_in_as(o, v, 1, wide)), wide, d);
}

/* ---- indices ----------------------------------------------------------------------------------------------------------- */

static const char *index_of(situ_out *o, const situ_out_value *v)
{
    return situ_out_in_as(o, v, 1, situ_out_of(v, 1)->dtype == SITU_I32 ? SITU_I32 : SITU_I64);
}

WRITER(indexed)
{
    ATTR(situ_axis_attr);
    const char *x = situ_out_in_as(o, v, 0, moving(v)), *index = index_of(o, v);
    situ_out_int(o, "axis", a->axis);
    return moved(o, v, NODE(v->t[0]->op == &situ_op_take ? "Gather" : "GatherElements", x, index));
}

WRITER(scattered)
{
    ATTR(situ_axis_attr);
    bool add = v->t[0]->op == &situ_op_scatter_add;
    situ_dtype d = add ? situ_out_compute(dtype_of(v)) : moving(v);
    const char *x = situ_out_in_as(o, v, 0, d), *index = index_of(o, v), *value = situ_out_in_as(o, v, 2, d);
    situ_out_int(o, "axis", a->axis);
    if (add) situ_out_text(o, "reduction", "add");
    const char *y = NODE("ScatterElements", x, index, value);
    return situ_out_cast(o, y, d, dtype_of(v));
}

/* ---- networks ---------------------------------------------------------------------------------------------------------- */

WRITER(conv)
{
    ATTR(situ_conv_attr);
    const char *x = situ_out_wide(o, v, 0), *w = situ_out_wide(o, v, 1);
    situ_out_int(o, "group", a->groups);
    situ_out_ints(o, "strides", a->stride, 2);
    situ_out_ints(o, "dilations", a->dilation, 2);
    situ_out_ints(o, "pads", (int64_t[]){a->before[0], a->before[1], a->after[0], a->after[1]}, 4);
    return narrow(o, v, NODE("Conv", x, w));
}

WRITER(conv_transposed)
{
    ATTR(situ_conv_attr);
    int64_t pads[4], more[2];
    for (int i = 0; i < 2; i++) {
        int64_t reach = (situ_out_of(v, 1)->dim[2 + i] - 1) * a->dilation[i] + 1;
        int64_t behind = (situ_out_of(v, 0)->dim[2 + i] - 1) * a->stride[i] + reach - a->before[i] - a->size[i];
        pads[i] = a->before[i];
        pads[2 + i] = behind > 0 ? behind : 0;
        more[i] = behind < 0 ? -behind : 0;
    }
    const char *g = situ_out_wide(o, v, 0), *w = situ_out_wide(o, v, 1);
    situ_out_int(o, "group", a->groups);
    situ_out_ints(o, "strides", a->stride, 2);
    situ_out_ints(o, "dilations", a->dilation, 2);
    situ_out_ints(o, "pads", pads, 4);
    situ_out_ints(o, "output_padding", more, 2);
    return narrow(o, v, NODE("ConvTranspose", g, w));
}

/* ONNX pools [n, channels, height, width]. */
WRITER(pool)
{
    ATTR(situ_pool_attr);
    bool mean = v->t[0]->op == &situ_op_avg_pool2d;
    int n = v->t[0]->ndim;
    const char *x = situ_out_wide(o, v, 0);
    if (!mean && situ_out_of(v, 0) != situ_out_of(v, 1)) return situ_out_refuse(o, v->t[0], "values at another tensor's extremes");
    int64_t plane[] = {-1, 1, situ_out_of(v, 0)->dim[n - 2], situ_out_of(v, 0)->dim[n - 1]};
    for (int i = n - 2; i < n; i++)
        if (situ_out_axis(o, v, 0, i).each) return situ_out_refuse_batch(o, v->t[0], "windows over it");
    if (n != 4) x = NODE("Reshape", x, situ_out_list(o, plane, 4));
    situ_out_ints(o, "kernel_shape", a->size, 2);
    situ_out_ints(o, "strides", a->stride, 2);
    situ_out_ints(o, "pads", (int64_t[]){a->before[0], a->before[1], a->before[0], a->before[1]}, 4);
    if (mean) situ_out_int(o, "count_include_pad", a->whole);
    const char *y = NODE(mean ? "AveragePool" : "MaxPool", x);
    return narrow(o, v, n == 4 ? y : situ_out_reshaped(o, v, y));
}

WRITER(softmax)
{
    ATTR(situ_axis_attr);
    const char *x = situ_out_wide(o, v, 0);
    situ_out_int(o, "axis", a->axis);
    return narrow(o, v, NODE(v->t[0]->op == &situ_op_softmax ? "Softmax" : "LogSoftmax", x));
}

WRITER(layer_norm)
{
    ATTR(situ_epsilon_attr);
    situ_dtype d = situ_out_compute(dtype_of(v));
    for (int i = 1; i < 3; i++) /* one number, or one shared by all rows: written as other operations */
        if (situ_is_number(situ_out_of(v, i)) || situ_out_of(v, i)->ndim != 1) return NULL;
    const char *x = situ_out_wide(o, v, 0), *scale = situ_out_in_as(o, v, 1, d), *shift = situ_out_in_as(o, v, 2, d);
    situ_out_int(o, "axis", -1);
    situ_out_float(o, "epsilon", a->eps);
    return narrow(o, v, NODE("LayerNormalization", x, scale, shift));
}

/* True for the result of attention without the log-sums. */
static bool is_attention(const situ_tensor *y)
{
    const situ_tensor *x = situ_node_in(y)[0];
    const situ_slice_attr *a = situ_node_attr(y);
    if (x->op != &situ_op_self_attention || a->dropped) return false;
    bool whole = y->dim[y->ndim - 1] == situ_node_in(x)[0]->dim[x->ndim - 1] / 3;
    for (int i = 0; i < y->ndim; i++)
        whole &= !situ_node_word(y)[i] && a->axis[i].step == 1 && (i == y->ndim - 1 || y->dim[i] == x->dim[i]);
    return whole;
}

/* The body of a Scan: one step, from the previous states and the input's products. */
static const char *body_of(situ_out *o, const situ_out_value *v, situ_message *body)
{
    enum { STATE, PRODUCTS, KEPT };
    ATTR(situ_recurrent_attr);
    situ_tensor *in[3][SITU_OUT_RECORDS], *state[SITU_OUT_RECORDS], *left[SITU_OUT_RECORDS];
    situ_site site = v->t[0]->site;
    int inputs = a->masked ? 3 : 2;
    for (int k = 0; k < o->records; k++) {
        situ_tensor *const *x = situ_node_in(v->t[k]), *of[5] = {NULL, x[1], x[2], NULL, NULL};
        of[3] = in[STATE][k] = situ_apply1(&situ_op_alias, x[3], NULL, 0, site);
        in[PRODUCTS][k] = situ_select(x[0], 0, 0);
        of[0] = situ_expand_dims(in[PRODUCTS][k], 0);
        if (a->masked) of[4] = situ_expand_dims(in[KEPT][k] = situ_select(x[4], 0, 0), 0);
        left[k] = situ_op_recurrent.expand(of, v->t[k]->nin, a, site);
        if (situ_error_code) return NULL;
        left[k] = situ_select(left[k], 1, 0);
        situ_tensor *h = situ_select(left[k], 0, 0);
        state[k] = a->cell == SITU_CELL_LSTM ? situ_concat(TENSORS(h, situ_select(left[k], 0, 1)), .axis = 1) : h;
    }
    situ_message_text(body, SITU_GRAPH_NAME, "step");
    for (int i = 0; i < inputs && !situ_error_code; i++) {
        const char *name = situ_out_number_name(o, i == STATE ? "state" : i == PRODUCTS ? "products" : "kept");
        if (!name || situ_out_input(o, in[i], name)) return NULL;
        situ_out_describe(o, SITU_GRAPH_INPUT, name, in[i]);
    }
    for (int i = 0; i < 2 && !situ_error_code; i++) {
        const char *name = situ_out_number_name(o, i ? "left" : "next"), *y = situ_out_write(o, i ? left : state);
        if (!name || !y) return NULL;
        situ_out_identity(o, y, name);
        situ_out_describe(o, SITU_GRAPH_OUTPUT, name, i ? left : state);
    }
    return situ_error_code ? NULL : "";
}

WRITER(recurrent)
{
    ATTR(situ_recurrent_attr);
    situ_message body = {.bytes = NULL}, *outer = o->nodes;
    const char *in[] = {situ_out_in(o, v, 3), situ_out_in(o, v, 0), a->masked ? situ_out_in(o, v, 4) : NULL}, *y = NULL;
    int64_t back[] = {a->reverse != 0, a->reverse != 0};
    o->nodes = &body;
    const char *made = body_of(o, v, &body);
    o->nodes = outer;
    if (made) {
        situ_out_graph(o, "body", &body);
        situ_out_int(o, "num_scan_inputs", a->masked ? 2 : 1);
        situ_out_ints(o, "scan_input_directions", back, a->masked ? 2 : 1);
        situ_out_ints(o, "scan_output_directions", back, 1);
        situ_out_ints(o, "scan_output_axes", (int64_t[]){1}, 1);
        y = situ_out_node(o, "Scan", in, a->masked ? 3 : 2, 2);
    }
    situ_message_free(&body);
    return y;
}

WRITER(det)
{
    ATTR(situ_factor_attr);
    return a->what == SITU_DET_PRODUCT ? NODE("Det", situ_out_in(o, v, 0)) : situ_out_refuse(o, v->t[0], NULL);
}

/* ---- table of writers -------------------------------------------------------------------------------------------------------- */

#define SAME(id) \
    { \
        .op = &situ_op_##id, .write = same, .sizes = true, .first_only = true \
    }
#define ROW(id, writer) \
    { \
        .op = &situ_op_##id, .write = writer \
    }
#define SIZES(id, writer) \
    { \
        .op = &situ_op_##id, .write = writer, .sizes = true \
    }
#define STEPS(id) \
    { \
        .op = &situ_op_##id, .write = in_steps, .expand = situ_out_##id \
    }
#define MADE_OF(id) \
    { \
        .op = &situ_op_##id, .expand = situ_out_##id, .sizes = true \
    }
static const situ_out_row rows[] = {SAME(alias), SAME(value), SAME(stop_gradient), SAME(custom_vjp), SAME(copy), ROW(cast, cast),
    SIZES(fill, fill), SIZES(iota, iota), SIZES(random_bits, random), SIZES(key, random), SIZES(fold_in, random),
    SIZES(reshape, reshape), SIZES(broadcast_to, broadcast), ROW(permute, permute),
    {.op = &situ_op_slice, .write = slice, .expand = situ_out_slice, .instead = is_attention, .sizes = true},
    SIZES(recurrent, recurrent), ROW(flip, flip), SIZES(place, place), ROW(concat, concat), ROW(sum, reduce), ROW(prod, reduce),
    ROW(max, reduce), ROW(min, reduce), ROW(any, reduce), ROW(all, reduce), ROW(cumsum, cumsum), ROW(argmax, arg), ROW(argmin, arg),
    ROW(argsort, argsort), ROW(matmul, matmul), ROW(take, indexed), ROW(gather, indexed), ROW(scatter, scattered),
    ROW(scatter_add, scattered), ROW(conv2d, conv), ROW(conv2d_input, conv_transposed), ROW(max_take, pool), ROW(avg_pool2d, pool),
    ROW(softmax, softmax), ROW(log_softmax, softmax), ROW(layer_norm, layer_norm), ROW(det, det), MADE_OF(diagonal),
    MADE_OF(update_slice), MADE_OF(index_add), STEPS(cumprod), STEPS(linear_scan), MADE_OF(searchsorted)};

const situ_out_row *situ_out_row_of(const situ_op *op)
{
    static const situ_out_row elementwise = {.write = situ_out_elementwise};
    static const situ_out_row sum = {.write = situ_out_norm, .operands = situ_out_norm_operands};
    if (op->family == SITU_ELEMENTWISE) return op->code == SITU_EL_add ? &sum : &elementwise;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op) return &rows[i];
    return NULL;
}
