/* RNN, GRU and LSTM, computed step by step. */
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "op/support.h"
#include "os/plain.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Activation functions, with default values of their parameters. */
static const struct {
    const char *name;
    int numbers;
    double alpha, beta;
} functions[] = {{"Sigmoid", 0, 0, 0}, {"Tanh", 0, 0, 0}, {"Relu", 0, 0, 0}, {"Softplus", 0, 0, 0}, {"Softsign", 0, 0, 0},
    {"LeakyRelu", 1, 0.01, 0}, {"Elu", 1, 1, 0}, {"ThresholdedRelu", 1, 1, 0}, {"HardSigmoid", 2, 0.2, 0.5},
    {"ScaledTanh", 2, 1, 1}, {"Affine", 2, 1, 0}};
enum { SIGMOID, TANH, RELU, SOFTPLUS, SOFTSIGN, LEAKY, ELU, THRESHOLDED, HARD, SCALED, AFFINE, FUNCTIONS, MOST_CELLS = 6 };

typedef struct activation {
    int function;
    double alpha, beta;
} activation;

typedef struct cell {
    situ_tensor *x, *w, *r, *wb, *rb, *p; /* data of one direction: x [steps, batch, in], w [gates * width, in], ... */
    situ_tensor *h, *s;                   /* states [batch, width] */
    const activation *f;
    double clip;
    int64_t width;
    bool coupled, after; /* coupled: input and forget gate; after: a GRU's reset gate is applied after the product */
} cell;

static situ_tensor *activated(const cell *k, int i, situ_tensor *x, situ_site site)
{
    const activation *f = &k->f[i];
    if (k->clip > 0) x = situ_clip(x, -k->clip, k->clip);
    switch (f->function) {
    case SIGMOID: return situ_sigmoid(x);
    case TANH: return situ_tanh(x);
    case RELU: return situ_relu(x);
    case SOFTPLUS: return situ_softplus(x);
    case SOFTSIGN: return situ_div(x, situ_add(situ_abs(x), 1.0));
    case LEAKY: return situ_leaky_relu(x, f->alpha);
    case ELU: return situ_elu(x, f->alpha);
    case THRESHOLDED: return situ_where(situ_greater(x, f->alpha), x, situ_zeros_like(x));
    case HARD: return situ_clip(situ_add(situ_mul(x, f->alpha), f->beta), 0.0, 1.0);
    case SCALED: return situ_mul(situ_tanh(situ_mul(x, f->beta)), f->alpha);
    default: return situ_add(situ_mul(x, f->alpha), f->beta);
    }
}

/* Assigns parameters to the functions that have any, in order; false with an error if there are too many or too few. */
static bool take_numbers(situ_onnx_call *c, const char *name, int kind, activation *f, int count)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, name);
    int wanted = 0, n = a && a->floats ? a->count : 0;
    for (int i = 0; i < count; i++) {
        if (functions[f[i].function].numbers < kind) continue;
        if (!n && f[i].function >= SCALED)
            return situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has no number for %s", name, functions[f[i].function].name), false;
        if (wanted < n) *(kind == 1 ? &f[i].alpha : &f[i].beta) = a->floats[wanted];
        wanted++;
    }
    if (!n || n == wanted) return true;
    return situ_onnx_refuse(c, SITU_UNSUPPORTED, "\"%s\" has %d numbers; its activations take %d", name, n, wanted), false;
}

/* Reads the functions of all directions; false with an error. */
static bool functions_of(situ_onnx_call *c, activation *f, int directions, int gates)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "activations");
    int each = gates == 1 ? 1 : gates == 3 ? 2 : 3, count = directions * each;
    if (a && a->strings && a->count != count)
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has %d activations and takes %d", a->count, count), false;
    for (int i = 0; i < count; i++) {
        const char *name = a && a->strings ? a->strings[i] : functions[gates == 1 || i % each ? TANH : SIGMOID].name;
        int k = 0;
        while (k < FUNCTIONS && situ_differ_without_case(name, functions[k].name)) k++;
        if (k == FUNCTIONS) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "the activation \"%.40s\"", name), false;
        f[i] = (activation){k, functions[k].alpha, functions[k].beta};
    }
    return take_numbers(c, "activation_alpha", 1, f, count) && take_numbers(c, "activation_beta", 2, f, count);
}

/* Columns of gate i. */
static situ_tensor *gate(const cell *k, situ_tensor *t, int64_t i, situ_site site)
{
    return situ_slice(t, .start = SHAPE(0, i * k->width), .stop = SHAPE(SITU_FULL, (i + 1) * k->width));
}

static void rnn_step(cell *k, situ_tensor *xw, situ_site site)
{
    k->h = activated(k, 0, situ_add(xw, situ_matmul(k->h, situ_transpose(k->r))), site);
}

static void gru_step(cell *k, situ_tensor *xw, situ_site site)
{
    situ_tensor *rt = situ_transpose(k->r), *two = situ_matmul(k->h, gate(k, rt, 0, site));
    situ_tensor *z = activated(k, 0, situ_add(gate(k, xw, 0, site), two), site);
    situ_tensor *r = activated(k, 0, situ_add(gate(k, xw, 1, site), situ_matmul(k->h, gate(k, rt, 1, site))), site);
    situ_tensor *rh = gate(k, rt, 2, site), *bias = k->rb ? situ_slice(k->rb, .start = SHAPE(2 * k->width)) : NULL, *n;
    if (k->after) {
        n = situ_matmul(k->h, rh);
        n = situ_mul(r, bias ? situ_add(n, bias) : n);
    } else {
        n = situ_matmul(situ_mul(r, k->h), rh);
        if (bias) n = situ_add(n, bias);
    }
    n = activated(k, 1, situ_add(gate(k, xw, 2, site), n), site);
    k->h = situ_add(situ_mul(situ_sub(1, z), n), situ_mul(z, k->h));
}

static situ_tensor *peep(const cell *k, int64_t i, situ_tensor *s, situ_tensor *sum, situ_site site)
{
    if (!k->p) return sum;
    return situ_add(sum, situ_mul(situ_slice(k->p, .start = SHAPE(i * k->width), .stop = SHAPE((i + 1) * k->width)), s));
}

static void lstm_step(cell *k, situ_tensor *xw, situ_site site)
{
    situ_tensor *sum = situ_add(xw, situ_matmul(k->h, situ_transpose(k->r)));
    situ_tensor *i = activated(k, 0, peep(k, 0, k->s, gate(k, sum, 0, site), site), site);
    situ_tensor *f = k->coupled ? situ_sub(1, i) : activated(k, 0, peep(k, 2, k->s, gate(k, sum, 2, site), site), site);
    situ_tensor *g = activated(k, 1, gate(k, sum, 3, site), site);
    k->s = situ_add(situ_mul(f, k->s), situ_mul(i, g));
    situ_tensor *o = activated(k, 0, peep(k, 1, k->s, gate(k, sum, 1, site), site), site);
    double clip = k->clip;
    k->clip = 0;
    k->h = situ_mul(o, activated(k, 2, k->s, site));
    k->clip = clip;
}

/* Runs one direction: returns its results [steps, batch, width] and leaves the states in k. */
static situ_tensor *run(situ_onnx_call *c, cell *k, int gates, bool reverse, situ_site site)
{
    int64_t steps = situ_dim(k->x, 0), batch = situ_dim(k->x, 1);
    situ_tensor *lengths = HAS(4) ? situ_cast(situ_reshape(IN(4), SHAPE(batch, 1)), SITU_I64) : NULL;
    situ_tensor **y = situ_arena_alloc(&c->run->arena, sizeof *y * (size_t)(steps + 1));
    if (!y) return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    situ_tensor *xw = situ_matmul(k->x, situ_transpose(k->w));
    if (k->wb) xw = situ_add(xw, k->wb);
    if (k->rb && gates != 3) xw = situ_add(xw, k->rb);
    if (k->rb && gates == 3) /* the bias of the last gate is added in the step */
        xw = situ_add(xw,
            situ_concat(TENSORS(situ_slice(k->rb, .stop = SHAPE(2 * k->width)),
                situ_zeros(SHAPE(k->width), .dtype = situ_dtype_of(k->x), .device = situ_device_of(k->x)))));
    for (int64_t i = 0; i < steps && !situ_error_code; i++) {
        int64_t t = reverse ? steps - 1 - i : i;
        situ_tensor *h = k->h, *s = k->s, *now = situ_select(xw, 0, t);
        if (gates == 1) rnn_step(k, now, site);
        else if (gates == 3) gru_step(k, now, site);
        else lstm_step(k, now, site);
        y[t] = k->h;
        if (!lengths) continue;
        situ_tensor *in = situ_greater(lengths, t);
        y[t] = situ_where(in, k->h, situ_zeros_like(k->h));
        k->h = situ_where(in, k->h, h);
        if (gates == 4) k->s = situ_where(in, k->s, s);
    }
    return situ_error_code ? situ_poisoned() :
        steps              ? situ_stack(TENSORS_OF(y, (int)steps)) :
                             situ_zeros(SHAPE(0, batch, k->width), .dtype = situ_dtype_of(k->x), .device = situ_device_of(k->x));
}

static bool cell_of(situ_onnx_call *c, cell *k, int d, int gates, situ_site site)
{
    k->w = situ_select(IN(1), 0, d);
    k->r = situ_select(IN(2), 0, d);
    if (situ_error_code) return false;
    k->width = situ_dim(k->r, 1);
    if (HAS(3)) {
        situ_tensor *b = situ_select(IN(3), 0, d);
        k->wb = situ_slice(b, .stop = SHAPE(gates * k->width));
        k->rb = situ_slice(b, .start = SHAPE(gates * k->width));
    }
    k->p = gates == 4 && HAS(7) ? situ_select(IN(7), 0, d) : NULL;
    situ_tensor *zero =
        situ_zeros(SHAPE(situ_dim(k->x, 1), k->width), .dtype = situ_dtype_of(k->x), .device = situ_device_of(k->x));
    bool layout = situ_onnx_int(c, "layout", 0) != 0;
    k->h = HAS(5) ? situ_select(IN(5), layout, d) : zero;
    k->s = gates == 4 && HAS(6) ? situ_select(IN(6), layout, d) : zero;
    k->clip = situ_onnx_float(c, "clip", 0);
    k->coupled = situ_onnx_int(c, "input_forget", 0) != 0;
    k->after = situ_onnx_int(c, "linear_before_reset", 0) != 0;
    return !situ_error_code;
}

static situ_tensor *recurrent(situ_onnx_call *c, int gates, situ_site site)
{
    situ_tensor *y[2], *h[2], *s[2], *x = IN(0);
    bool layout = situ_onnx_int(c, "layout", 0) != 0;
    const char *way = situ_onnx_one_of(c, "direction", "forward, reverse, bidirectional");
    activation f[MOST_CELLS];
    int n = strcmp(way, "bidirectional") ? 1 : 2, each = gates == 1 ? 1 : gates == 3 ? 2 : 3;
    if (!functions_of(c, f, n, gates)) return situ_poisoned();
    if (situ_error_code || situ_ndim(x) != 3) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes sequences of 3 axes");
    if (layout) x = situ_swapaxes(x, 0, 1);
    for (int d = 0; d < n; d++) {
        cell k = {.x = x, .f = f + d * each};
        if (!cell_of(c, &k, d, gates, site)) return situ_poisoned();
        y[d] = run(c, &k, gates, d || !strcmp(way, "reverse"), site);
        h[d] = k.h;
        s[d] = k.s;
        if (situ_error_code) return situ_poisoned();
    }
    situ_onnx_give(c, 1, situ_stack(TENSORS_OF(h, n), .axis = layout));
    if (gates == 4) situ_onnx_give(c, 2, situ_stack(TENSORS_OF(s, n), .axis = layout));
    situ_tensor *all = situ_stack(TENSORS_OF(y, n), .axis = 1); /* [steps, directions, batch, width] */
    return layout ? situ_permute(all, AXES(2, 0, 1, 3)) : all;
}
SITU_ONNX_BODY(rnn) { return recurrent(c, 1, site); }
SITU_ONNX_BODY(gru) { return recurrent(c, 3, site); }
SITU_ONNX_BODY(lstm) { return recurrent(c, 4, site); }

const situ_onnx_op situ_onnx_recurrent_ops[] = {
    {.name = "RNN", .body = rnn}, {.name = "GRU", .body = gru}, {.name = "LSTM", .body = lstm}, {0}};
