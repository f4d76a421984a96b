/* Layers in double, written out: recurrent layers, embedding bags, attention, norms, and losses with ignored parts.
 * Gradients are finite differences. Padding, masked and ignored elements are never read.
 *
 * Operands: the input x in f32, the parameters concatenated in f32, integers (lengths, indices, labels), and what else
 * there is. */
#include <math.h>
#include <string.h>

#include "interpret.h"
#include "layer_kinds.h"

enum { WIDEST = 16, MOST_STATES = 64 };

typedef struct layer {
    const int64_t *attr;
    const value *in;
    const double *x, *p, *q; /* the numbers of operands 0, 1 and 3 */
    double *y;
    int ndim;
    int64_t dim[3], count;
} layer;

static int64_t whole(const value *v, int64_t i) { return (int64_t)get_u(v, i); }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double product(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- recurrent layers: A_WIDTH units, A_OPTION: in both directions; integers: the lengths ---- */

static int gates_of(int64_t kind) { return kind == Y_LSTM ? 4 : kind == Y_GRU ? 3 : 1; }

/* Unit j of a recurrent layer, from the contributions of input (u) and state (r) to each gate. */
static double unit_step(int64_t kind, int64_t n, int64_t j, const double *u, const double *r, double h, double *cell)
{
    if (kind == Y_RNN) return tanh(u[j] + r[j]);
    double first = sigmoid(u[j] + r[j]), second = sigmoid(u[n + j] + r[n + j]);
    if (kind == Y_GRU) return (1 - second) * tanh(u[2 * n + j] + first * r[2 * n + j]) + second * h;
    *cell = second * *cell + first * tanh(u[2 * n + j] + r[2 * n + j]);
    return sigmoid(u[3 * n + j] + r[3 * n + j]) * tanh(*cell);
}

static void one_direction(const layer *l, int64_t row, int back)
{
    int64_t time = l->in[0].dim[1], in = l->in[0].dim[2], n = l->attr[A_WIDTH], gates = n * gates_of(l->attr[A_KIND]);
    int64_t length = whole(&l->in[2], row), directions = 1 + l->attr[A_OPTION];
    const double *w = l->p + back * gates * (in + n + 2), *v = w + gates * in, *b = v + gates * n, *c = b + gates;
    double h[WIDEST] = {0}, cell[WIDEST] = {0}, u[4 * WIDEST], r[4 * WIDEST];
    if (length > time) length = time;
    for (int64_t s = 0; s < length; s++) {
        int64_t t = back ? length - 1 - s : s;
        for (int64_t g = 0; g < gates; g++) {
            u[g] = b[g] + product(w + g * in, l->x + (row * time + t) * in, in);
            r[g] = c[g] + product(v + g * n, h, n);
        }
        for (int64_t j = 0; j < n; j++) h[j] = unit_step(l->attr[A_KIND], n, j, u, r, h[j], &cell[j]);
        memcpy(l->y + ((row * time + t) * directions + back) * n, h, sizeof *h * (size_t)n);
    }
}

static void recurrent(const layer *l)
{
    for (int64_t row = 0; row < l->in[0].dim[0]; row++)
        for (int back = 0; back <= l->attr[A_OPTION]; back++) one_direction(l, row, back);
}

/* ---- bags: A_OPTION mean, sum, largest; A_MORE rows of A_WIDTH; integers: indices, -1 is none; x: weights of a sum ---- */

static void bag(const layer *l)
{
    int64_t n = l->in[2].dim[1], width = l->attr[A_WIDTH], how = l->attr[A_OPTION];
    for (int64_t i = 0; i < l->count; i++) {
        double sum = 0, most = -INFINITY;
        int64_t many = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t index = whole(&l->in[2], i / width * n + k);
            if (index < 0) continue;
            double e = l->p[index * width + i % width];
            sum += how == 1 ? e * l->x[i / width * n + k] : e;
            most = fmax(most, e), many++;
        }
        l->y[i] = !many ? 0 : how == 2 ? most : how == 1 ? sum : sum / (double)many;
    }
}

/* ---- attention: A_WIDTH in A_OPTION heads; integers: the keys of each row that there are; operand 3: the queries; A_MORE: how the
 * keys are told: by lengths, truths, what is added, or by the place of the query (causal) ---- */

static void project(const double *x, const double *w, const double *b, int64_t width, double *y)
{
    for (int64_t i = 0; i < width; i++) y[i] = b[i] + product(w + i * width, x, width);
}

static void attend_one(const layer *l, int64_t row, double *y)
{
    int64_t width = l->attr[A_WIDTH], heads = l->attr[A_OPTION], n = width / heads, keys = l->in[0].dim[1], batch = row / l->dim[1];
    int64_t there = l->attr[A_MORE] == BY_PLACE ? row % l->dim[1] + 1 : whole(&l->in[2], batch);
    const double *b = l->p + 3 * width * width, *out = b + 3 * width;
    double q[WIDEST], joined[WIDEST] = {0}, key[WIDEST * WIDEST], v[WIDEST * WIDEST], score[WIDEST];
    if (there > keys) there = keys;
    project(l->q + row * width, l->p, b, width, q);
    for (int64_t k = 0; k < there; k++) {
        const double *x = l->x + (batch * keys + k) * width;
        project(x, l->p + width * width, b + width, width, key + k * width);
        project(x, l->p + 2 * width * width, b + 2 * width, width, v + k * width);
    }
    for (int64_t h = 0; h < heads; h++) {
        double most = -INFINITY, total = 0;
        for (int64_t k = 0; k < there; k++) {
            score[k] = product(q + h * n, key + k * width + h * n, n) / sqrt((double)n);
            most = fmax(most, score[k]);
        }
        for (int64_t k = 0; k < there; k++) total += score[k] = exp(score[k] - most);
        for (int64_t k = 0; k < there; k++)
            for (int64_t j = h * n; j < (h + 1) * n; j++) joined[j] += score[k] / total * v[k * width + j];
    }
    project(joined, out, out + width * width, width, y);
}

static void attention(const layer *l)
{
    int64_t width = l->attr[A_WIDTH];
    for (int64_t i = 0; i < l->count / width; i++) attend_one(l, i, l->y + i * width);
}

/* ---- norms: A_OPTION of rms: without eps ---- */

static void rms(const layer *l)
{
    int64_t n = l->dim[1];
    for (int64_t i = 0; i < l->count; i++)
        l->y[i] = l->x[i] * l->p[i % n] /
            sqrt(product(l->x + i / n * n, l->x + i / n * n, n) / (double)n + (l->attr[A_OPTION] ? 0 : 1e-6));
}

/* A call in training and a second one; in inference mode, the second one uses the moments of the first. */
static void batch(const layer *l)
{
    int64_t rows = l->dim[0], n = l->dim[1];
    for (int64_t k = 0; k < n; k++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < rows; i++) mean += l->x[i * n + k] / (double)rows;
        for (int64_t i = 0; i < rows; i++) variance += pow(l->x[i * n + k] - mean, 2) / (double)rows;
        if (l->attr[A_EVALUATES]) {
            variance = rows > 1 ? 0.9 + 0.1 * variance * (double)rows / (double)(rows - 1) : 1;
            mean *= 0.1;
        }
        for (int64_t i = 0; i < rows; i++)
            l->y[i * n + k] = (l->x[i * n + k] - mean) / sqrt(variance + 1e-5) * l->p[k] + l->p[n + k];
    }
}

/* ---- layers of products: A_WIDTH hidden or outputs; A_OPTION of linear: operands in bf16 ---- */

static double in_bf16(double x)
{
    unsigned char bits[2];
    value v = {.dtype = SITU_BF16, .bits = bits};
    set_f(&v, 0, x);
    return get_f(&v, 0);
}

static void linear(const layer *l)
{
    int64_t in = l->in[0].dim[1], out = l->attr[A_WIDTH];
    for (int64_t i = 0; i < l->count; i++) {
        const double *x = l->x + i / out * in, *w = l->p + i % out * in;
        l->y[i] = l->p[out * in + i % out];
        for (int64_t k = 0; k < in; k++) l->y[i] += l->attr[A_OPTION] ? in_bf16(x[k]) * in_bf16(w[k]) : x[k] * w[k];
    }
}

static void swiglu(const layer *l)
{
    int64_t in = l->in[0].dim[1], hidden = l->attr[A_WIDTH];
    for (int64_t row = 0; row < l->dim[0]; row++) {
        double h[WIDEST];
        for (int64_t k = 0; k < hidden; k++) {
            double gate = product(l->p + k * in, l->x + row * in, in), up = product(l->p + (hidden + k) * in, l->x + row * in, in);
            h[k] = gate * sigmoid(gate) * up;
        }
        for (int64_t i = 0; i < in; i++) l->y[row * in + i] = product(l->p + 2 * hidden * in + i * hidden, h, hidden);
    }
}

static void tied(const layer *l)
{
    int64_t n = l->dim[1];
    for (int64_t row = 0; row < l->dim[0]; row++) {
        double h[WIDEST];
        for (int64_t i = 0; i < n; i++) h[i] = product(l->p + i * n, l->x + row * n, n);
        for (int64_t i = 0; i < n; i++) l->y[row * n + i] = product(l->p + i * n, h, n);
    }
}

/* ---- losses: A_OPTION: mean, sum, none ---- */

static double log_add(double a, double b)
{
    double most = fmax(a, b);
    return most == -INFINITY ? most : most + log(exp(a - most) + exp(b - most));
}

/* A row of x[steps, classes] beside its labels; blank is class 0. */
static double ctc_row(const layer *l, int64_t row)
{
    int64_t rows = l->in[0].dim[0], steps = l->in[0].dim[1], classes = l->in[0].dim[2], most = l->in[2].dim[1];
    int64_t time = whole(&l->in[3], row), count = whole(&l->in[3], rows + row), states = 2 * count + 1, state[MOST_STATES];
    double way[MOST_STATES], next[MOST_STATES];
    for (int64_t i = 0; i < states; i++) state[i] = i % 2 ? whole(&l->in[2], row * most + i / 2) : 0, way[i] = i ? -INFINITY : 0;
    for (int64_t t = 0; t < time; t++) {
        for (int64_t i = 0; i < states; i++) {
            bool jump = i > 1 && state[i] && state[i] != state[i - 2], first = !t && i < 2;
            next[i] = first ? 0 : log_add(way[i], i ? way[i - 1] : -INFINITY);
            if (!first && jump) next[i] = log_add(next[i], way[i - 2]);
            if (!t && !first) next[i] = -INFINITY;
            next[i] += l->x[(row * steps + t) * classes + state[i]];
        }
        memcpy(way, next, sizeof *way * (size_t)states);
    }
    return -log_add(way[states - 1], states > 1 ? way[states - 2] : -INFINITY);
}

static void ctc(const layer *l)
{
    int64_t rows = l->in[0].dim[0], how = l->attr[A_OPTION];
    double sum = 0;
    for (int64_t row = 0; row < rows; row++) {
        double loss = ctc_row(l, row);
        if (how == 2) l->y[row] = loss;
        sum += loss / (how ? 1 : fmax(1, (double)whole(&l->in[3], rows + row)));
    }
    if (how != 2) l->y[0] = how ? sum : sum / (double)rows;
}

/* A_MORE: 1 of logarithms of probabilities, 2 with weights of the classes, which are the parameters. */
static void labelled(const layer *l)
{
    int64_t n = l->in[0].dim[1], how = l->attr[A_OPTION];
    double sum = 0, weights = 0;
    for (int64_t row = 0; row < l->in[0].dim[0]; row++) {
        int64_t label = whole(&l->in[2], row);
        const double *x = l->x + row * n;
        if (how == 2) l->y[row] = 0;
        if (label == IGNORED_LABEL) continue;
        double total = -INFINITY, w = l->attr[A_MORE] & 2 ? l->p[label] : 1;
        for (int64_t k = 0; k < n; k++) total = log_add(total, x[k]);
        double loss = w * (l->attr[A_MORE] & 1 ? -x[label] : total - x[label]);
        if (how == 2) l->y[row] = loss;
        sum += loss, weights += w;
    }
    if (how != 2) l->y[0] = how ? sum : sum / weights;
}

/* ---- all of them ---- */

static void forward(const layer *l)
{
    static void (*const functions[])(const layer *) = {[Y_RNN] = recurrent,
        [Y_GRU] = recurrent,
        [Y_LSTM] = recurrent,
        [Y_BAG] = bag,
        [Y_ATTENTION] = attention,
        [Y_RMS] = rms,
        [Y_BATCH] = batch,
        [Y_SWIGLU] = swiglu,
        [Y_LINEAR] = linear,
        [Y_TIED] = tied,
        [Y_CTC] = ctc,
        [Y_IGNORED] = labelled};
    memset(l->y, 0, sizeof *l->y * (size_t)l->count);
    functions[l->attr[A_KIND]](l);
}

static void shape_of_result(layer *l)
{
    const value *x = &l->in[0];
    int64_t kind = l->attr[A_KIND], width = l->attr[A_WIDTH];
    l->ndim = x->ndim;
    memcpy(l->dim, x->dim, sizeof l->dim);
    if (kind <= Y_LSTM) l->dim[2] = width * (1 + l->attr[A_OPTION]);
    if (kind == Y_BAG) l->dim[0] = l->in[2].dim[0];
    if (kind == Y_BAG || kind == Y_LINEAR) l->dim[1] = width;
    if (kind == Y_ATTENTION) memcpy(l->dim, l->in[3].dim, sizeof l->dim);
    if (kind >= Y_CTC) l->ndim = l->attr[A_OPTION] == 2;
    l->count = count_of(l->ndim, l->dim);
}

static double *numbers(call *c, int k)
{
    const value *v = &c->in[k < c->s->nin ? k : 0];
    double *x = take(c->m->memory, sizeof *x * (size_t)(v->count + 1));
    for (int64_t i = 0; i < v->count; i++) x[i] = get_f(v, i);
    return x;
}

static double largest(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static double weighed(const layer *l)
{
    double sum = 0;
    forward(l);
    for (int64_t i = 0; i < l->count; i++) sum += share_of(i) * l->y[i];
    return sum;
}

/* The gradient by the elements of operand k, which the layer reads at `x`. */
static void slopes(call *c, const layer *l, int k, double *x)
{
    value of = c->in[k];
    shape_out(c, SITU_F32, of.ndim, of.dim);
    with_slack(c);
    double *g = take(c->m->memory, sizeof *g * (size_t)(of.count + 1)), far = largest(x, of.count), size = 0;
    forward(l);
    for (int64_t i = 0; i < l->count; i++) size += fabs(share_of(i) * l->y[i]);
    for (int64_t i = 0; i < of.count; i++) {
        double at = x[i], step = 1e-4 * fmax(fabs(at), 0.05 * far), up;
        x[i] = at + step, up = weighed(l);
        x[i] = at - step, g[i] = (up - weighed(l)) / (2 * step);
        x[i] = at;
    }
    double off = 1e-3 * largest(g, of.count) + 2e-6 * size / far + 1e-300;
    bool weights = c->s->attr[A_KIND] == Y_IGNORED && k == 1; /* class weights, by whose sum the loss is divided */
    for (int64_t i = 0; i < of.count; i++) {
        set_f(c->out, i, g[i]);
        c->out->slack[i] = off + (weights ? 1e-6 * size / (fabs(x[i]) + 1e-30) : 0);
        if (!isfinite(g[i])) c->out->unknown = true;
    }
}

/* Parameters, those that steps change, whether it trains, elements of all, whether names are those of the one that was
 * copied. */
static void facts(call *c)
{
    const int64_t *a = c->s->attr, count = FACTS, kind = a[A_KIND];
    static const int64_t some[] = {[Y_RNN] = 4,
        [Y_GRU] = 4,
        [Y_LSTM] = 4,
        [Y_BAG] = 1,
        [Y_ATTENTION] = 4,
        [Y_RMS] = 1,
        [Y_BATCH] = 2,
        [Y_SWIGLU] = 3,
        [Y_LINEAR] = 2,
        [Y_TIED] = 1};
    int64_t parameters = some[kind] * (kind <= Y_LSTM ? 1 + a[A_OPTION] : 1), fixed = kind == Y_BATCH ? 2 : 0;
    const int64_t is[FACTS] = {parameters + fixed, a[A_FROZEN] ? 0 : parameters, !a[A_EVALUATES],
        c->in[1].count + (kind == Y_BATCH ? c->in[1].count : 0), 1};
    shape_out(c, SITU_I64, 1, &count);
    for (int i = 0; i < FACTS; i++) set_u(c->out, i, (uint64_t)is[i]);
}

void interpret_layer(call *c)
{
    layer l = {.attr = c->s->attr, .in = c->in};
    double *x = numbers(c, 0), *p = numbers(c, 1);
    l.x = x, l.p = p, l.q = numbers(c, 3);
    if (l.attr[A_WHAT] == WHAT_FACTS) return facts(c);
    shape_of_result(&l);
    l.y = take(c->m->memory, sizeof *l.y * (size_t)(l.count + 1));
    if (l.attr[A_WHAT] == WHAT_BY_INPUT) return slopes(c, &l, 0, x);
    if (l.attr[A_WHAT] == WHAT_BY_PARAMETERS) return slopes(c, &l, 1, p);
    shape_out(c, SITU_F32, l.ndim, l.dim);
    with_slack(c);
    forward(&l);
    bool norm = l.attr[A_KIND] == Y_RMS || l.attr[A_KIND] == Y_BATCH;
    double off =
        2e-5 * largest(l.y, l.count) + (norm ? 0 : 1e-6 * largest(x, c->in[0].count) * largest(p, c->in[1].count)) + 1e-300;
    for (int64_t i = 0; i < l.count; i++) set_f(c->out, i, l.y[i]), c->out->slack[i] = off;
}
