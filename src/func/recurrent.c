/* Recurrent steps. All steps are one operation, so the gradient of a weight is one product over all steps, and no
 * slice of a long tensor is padded to full length for each step. Gates are in PyTorch's order: reset, update, new;
 * input, forget, cell, output. A large batch is cut into one strand of rows for each thread. Strands do not depend on
 * each other: the planner runs them side by side, and threads do not wait for each other in each product. */
#include "func/recurrent.h"

#include "base/memory.h"
#include "base/pool.h"
#include "op/attr.h"
#include "op/support.h"
#include "op/table.h"
#include "os/env.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum {
    MOST_PARTS = 6,
    MOST_STRANDS = 64,
    LEAST_ROWS = 16, /* least number of rows in a strand */
    LEAST_STEPS = 4,
    /* What a backward step passes to the step before it, after the gradients by states: gradient by h that does not go
     * through the product, and the other product's operand. */
    THROUGH = 4,
    SUMS,
    HANDED
};

int situ_cell_gates(situ_cell cell) { return cell == SITU_CELL_LSTM ? 4 : cell == SITU_CELL_GRU ? 3 : 1; }
int situ_cell_states(situ_cell cell) { return cell == SITU_CELL_LSTM ? 2 : 1; }
int situ_cell_parts(situ_cell cell) { return cell == SITU_CELL_LSTM ? 6 : cell == SITU_CELL_GRU ? 5 : 1; }
/* Number of gradient parts of a step. A GRU's new gate has two: after its reset (third, as in the weights) and before
 * it. */
static int slopes(situ_cell cell) { return cell == SITU_CELL_GRU ? 4 : situ_cell_gates(cell); }

/* ---- slices ------------------------------------------------------------------------------------------------------------- */

/* Parts first ... first + count - 1 of x [..., parts * width]. */
static situ_tensor *part(situ_tensor *x, int first, int count, int64_t width, situ_site site)
{
    situ_shape start = {.ndim = x->ndim}, stop = {.ndim = x->ndim};
    for (int i = 0; i < x->ndim - 1; i++) start.dim[i] = stop.dim[i] = SITU_FULL;
    start.dim[x->ndim - 1] = first * width;
    stop.dim[x->ndim - 1] = (first + count) * width;
    return situ_slice(x, .start = start, .stop = stop);
}

/* Part k of all steps, [time, batch, width]; and of step t, [batch, width]. */
static situ_tensor *all_of(situ_tensor *y, int k, situ_site site) { return situ_select(y, 0, k); }
static situ_tensor *one_of(situ_tensor *y, int k, int64_t t, situ_site site) { return situ_select(all_of(y, k, site), 0, t); }

static situ_tensor *beside(situ_tensor **t, int count, situ_site site)
{
    return count == 1 ? t[0] : situ_concat(((situ_list){t, count}), .axis = -1);
}

/* 1 - x. */
static situ_tensor *rest(situ_tensor *x, situ_site site) { return situ_sub(1, x); }

/* `next` where the sequence has an input, `before` after its end. */
static situ_tensor *chosen(situ_tensor *kept, situ_tensor *next, situ_tensor *before, situ_site site)
{
    return kept ? situ_where(situ_not_equal(kept, 0), next, before) : next;
}

typedef struct steps {
    situ_cell cell;
    bool reverse;
    int64_t time, batch, width;
    int strands;
    situ_tensor *w, *b, *kept; /* w: the weight of a step, transposed in one direction */
    situ_site site;
} steps;

static steps steps_of(
    const situ_recurrent_attr *a, const situ_tensor *x, int64_t time, int64_t batch, situ_tensor *kept, situ_site site)
{
    steps s = {.cell = (situ_cell)a->cell, .reverse = a->reverse, .time = time, .batch = batch, .strands = 1, .site = site};
    s.kept = a->masked ? kept : NULL;
    bool compared = situ_env("SITU_DIGEST") != NULL; /* `situ diff` compares step by step with a device that has no strands */
    int threads = x->device.kind == SITU_CPU && !compared ? situ_pool_width() : 1;
    if (time >= LEAST_STEPS && threads <= MOST_STRANDS && batch >= (int64_t)threads * LEAST_ROWS) s.strands = threads;
    return s;
}

/* The rows of x [batch, ...] that belong to strand i. */
static situ_tensor *strand(const steps *s, situ_tensor *x, int i)
{
    situ_site site = s->site;
    if (s->strands == 1) return x;
    int64_t first = s->batch * i / s->strands, end = s->batch * (i + 1) / s->strands;
    return situ_slice(x, .start = SHAPE(first), .stop = SHAPE(end));
}

/* Returns x, but the planner orders it after y (NULL: nothing). So strands are computed step by step, not one after
 * the other. */
static const situ_op after = {
    .name = "after", .family = SITU_VIEW, .operands = "x, y", .infer = situ_infer_same, .view = situ_view_same};
static situ_tensor *behind(situ_tensor *x, situ_tensor *y, situ_site site)
{
    return y && y != x ? situ_apply(&after, (situ_tensor *[]){x, y}, 2, NULL, 0, NULL, 0, site) : x;
}

static int64_t rows_of(const steps *s, int i) { return s->batch * (i + 1) / s->strands - s->batch * i / s->strands; }

/* The time index of computing step i. */
static int64_t place(const steps *s, int64_t i) { return s->reverse ? s->time - 1 - i : i; }

/* ---- forward -------------------------------------------------------------------------------------------------------------- */

/* One step: from wx and the previous states to the step's results; out[0] is h, out[1] an LSTM's c. */
static void step(const steps *s, situ_tensor *wx, situ_tensor *const *before, situ_tensor **out)
{
    situ_site site = s->site;
    int64_t n = s->width;
    situ_tensor *wh = situ_matmul(before[0], s->w);
    if (s->cell == SITU_CELL_TANH || s->cell == SITU_CELL_RELU) {
        situ_tensor *sum = situ_add(wx, wh);
        out[0] = s->cell == SITU_CELL_TANH ? situ_tanh(sum) : situ_relu(sum);
    } else if (s->cell == SITU_CELL_GRU) {
        situ_tensor *r = situ_sigmoid(situ_add(part(wx, 0, 1, n, site), part(wh, 0, 1, n, site))),
                    *z = situ_sigmoid(situ_add(part(wx, 1, 1, n, site), part(wh, 1, 1, n, site))),
                    *q = situ_add(part(wh, 2, 1, n, site), s->b);
        situ_tensor *made = situ_tanh(situ_add(part(wx, 2, 1, n, site), situ_mul(r, q)));
        out[0] = situ_add(situ_mul(rest(z, site), made), situ_mul(z, before[0]));
        out[1] = r;
        out[2] = z;
        out[3] = made;
        out[4] = q;
    } else {
        situ_tensor *sum[4];
        for (int k = 0; k < 4; k++) sum[k] = situ_add(part(wx, k, 1, n, site), part(wh, k, 1, n, site));
        situ_tensor *i = situ_sigmoid(sum[0]), *f = situ_sigmoid(sum[1]), *g = situ_tanh(sum[2]), *o = situ_sigmoid(sum[3]);
        out[1] = situ_add(situ_mul(f, before[1]), situ_mul(i, g));
        out[0] = situ_mul(o, situ_tanh(out[1]));
        out[2] = i;
        out[3] = f;
        out[4] = g;
        out[5] = o;
    }
}

/* Concatenates; the planner computes the parts in place if it can. Frees the list. */
static situ_tensor *joined(situ_tensor **t, int64_t count, situ_site site)
{
    enum { AT_ONCE = 64 };
    while (count > 1 && !situ_error_code) {
        int64_t made = 0;
        for (int64_t i = 0; i < count; i += AT_ONCE)
            t[made++] = situ_concat(((situ_list){t + i, (int)(count - i < AT_ONCE ? count - i : AT_ONCE)}), .axis = 0);
        count = made;
    }
    situ_tensor *y = situ_error_code ? situ_poisoned() : t[0];
    situ_free(t);
    return y;
}

static situ_tensor **list(int64_t count, situ_site site)
{
    situ_tensor **t = situ_calloc((size_t)count + 1, sizeof *t);
    if (!t) situ_fail(SITU_NO_MEMORY, site, "recurrent: out of host memory");
    return t;
}

/* Step t of one strand, ordered after another strand's work; replaces its states by the new ones. */
static void strand_step(
    const steps *s, situ_tensor *wx, situ_tensor *other, int64_t t, int i, situ_tensor **before, situ_tensor **out)
{
    situ_site site = s->site;
    step(s, behind(strand(s, situ_select(wx, 0, t), i), other, site), before, out);
    situ_tensor *kept = s->kept ? strand(s, situ_select(s->kept, 0, t), i) : NULL;
    for (int k = 0; k < situ_cell_states(s->cell); k++) before[k] = out[k] = chosen(kept, out[k], before[k], site);
}

/* Operands: wx, w, b, start, and kept if there is one. */
static situ_tensor *expand_forward(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    steps s = steps_of(attr, in[0], in[0]->dim[0], in[0]->dim[1], in[nin - 1], site);
    s.width = in[1]->dim[1];
    s.w = situ_transpose(in[1]);
    s.b = in[2];
    int states = situ_cell_states(s.cell), parts = situ_cell_parts(s.cell);
    situ_tensor *before[MOST_STRANDS][2], *last[MOST_STRANDS] = {NULL}, **y = list(parts * s.time * s.strands, site);
    for (int i = 0; i < s.strands; i++)
        for (int k = 0; k < states; k++) before[i][k] = part(strand(&s, in[3], i), k, 1, s.width, site);
    for (int64_t n = 0; n < s.time && y && !situ_error_code; n++) {
        int64_t t = place(&s, n);
        for (int i = 0; i < s.strands; i++) {
            situ_tensor *out[MOST_PARTS];
            strand_step(&s, in[0], s.strands > 1 ? last[(i + 1) % s.strands] : NULL, t, i, before[i], out);
            for (int k = 0; k < parts; k++) y[(k * s.time + t) * s.strands + i] = out[k];
        }
        for (int i = 0; i < s.strands; i++) last[i] = before[i][0];
    }
    if (!y) return situ_poisoned();
    return situ_reshape(joined(y, parts * s.time * s.strands, site), SHAPE(parts, s.time, s.batch, s.width));
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

/* x + y; NULL counts as 0. */
static situ_tensor *sum(situ_tensor *x, situ_tensor *y, situ_site site) { return y ? situ_add(x, y) : x; }

/* One backward step. g: gradient by the step's results (NULL: 0), y: its results, before: the previous states; d:
 * gradient by the states after it, replaced by that before it. Returns the gradient by the gates' sums, [rows, slopes
 * * width]. */
static situ_tensor *step_back(
    const steps *s, situ_tensor *const *g, situ_tensor *const *y, situ_tensor *kept, situ_tensor *const *before, situ_tensor **d)
{
    situ_site site = s->site;
    situ_tensor *out[4], *h, *c = NULL, *none = situ_scalar_int(0), *dh = sum(sum(d[0], d[THROUGH], site), g[0], site);
    situ_tensor *through = NULL;
    h = chosen(kept, dh, none, site);
    if (s->cell == SITU_CELL_GRU) {
        situ_tensor *r = y[1], *z = y[2], *made = y[3], *q = y[4];
        situ_tensor *dn = situ_mul(sum(situ_mul(h, rest(z, site)), g[3], site), rest(situ_square(made), site));
        situ_tensor *dz = sum(situ_mul(h, situ_sub(before[0], made)), g[2], site);
        situ_tensor *dr = sum(situ_mul(dn, q), g[1], site);
        out[0] = situ_mul(dr, situ_mul(r, rest(r, site)));
        out[1] = situ_mul(dz, situ_mul(z, rest(z, site)));
        out[2] = sum(situ_mul(dn, r), g[4], site);
        out[3] = dn;
        through = situ_mul(h, z);
    } else if (s->cell == SITU_CELL_LSTM) {
        situ_tensor *i = y[2], *f = y[3], *made = y[4], *o = y[5], *tanh = situ_tanh(y[1]), *dc = sum(d[1], g[1], site);
        c = situ_add(chosen(kept, dc, none, site), situ_mul(situ_mul(h, o), rest(situ_square(tanh), site)));
        out[0] = situ_mul(sum(situ_mul(c, made), g[2], site), situ_mul(i, rest(i, site)));
        out[1] = situ_mul(sum(situ_mul(c, before[1]), g[3], site), situ_mul(f, rest(f, site)));
        out[2] = situ_mul(sum(situ_mul(c, i), g[4], site), rest(situ_square(made), site));
        out[3] = situ_mul(sum(situ_mul(h, tanh), g[5], site), situ_mul(o, rest(o, site)));
        c = situ_mul(c, f);
        d[1] = kept ? situ_add(c, chosen(kept, none, dc, site)) : c;
    } else {
        out[0] = s->cell == SITU_CELL_TANH ? situ_mul(h, rest(situ_square(y[0]), site)) : situ_where(situ_greater(y[0], 0), h, 0);
    }
    situ_tensor *all = behind(beside(out, slopes(s->cell), site), s->strands > 1 && c ? d[1] : NULL, site);
    d[SUMS] = part(all, 0, situ_cell_gates(s->cell), s->width, site);
    d[THROUGH] = kept ? sum(chosen(kept, none, dh, site), through, site) : through;
    return all;
}

/* Backward step n of strand i, in the order of computing; previous: what was computed last, of any strand, or NULL.
 * in: as in expand_back. */
static situ_tensor *strand_back(
    const steps *s, situ_tensor *const *in, bool lone, situ_tensor *previous, int64_t n, int i, situ_tensor **d)
{
    situ_site site = s->site;
    int64_t t = place(s, n);
    situ_tensor *g[MOST_PARTS] = {NULL}, *y[MOST_PARTS], *before[2];
    for (int k = 0; k < situ_cell_parts(s->cell); k++) {
        y[k] = strand(s, one_of(in[1], k, t, site), i);
        if (!lone) g[k] = strand(s, one_of(in[0], k, t, site), i);
        else if (!k) g[0] = strand(s, situ_select(in[0], 0, t), i);
    }
    if (d[SUMS]) d[0] = situ_matmul(behind(d[SUMS], previous, site), s->w);
    d[1] = behind(d[1], previous, site);
    for (int k = 0; k < situ_cell_states(s->cell); k++)
        before[k] = strand(s, n ? one_of(in[1], k, place(s, n - 1), site) : part(in[3], k, 1, s->width, site), i);
    return step_back(s, g, y, s->kept ? strand(s, situ_select(s->kept, 0, t), i) : NULL, before, d);
}

/* Operands: g, y, w, start, and kept if there is one. Returns [time + 1, batch, slopes * width]: gradients of each
 * step, then those of the initial states. */
static situ_tensor *expand_back(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    const situ_recurrent_attr *a = attr;
    steps s = steps_of(a, in[1], in[1]->dim[1], in[1]->dim[2], in[nin - 1], site);
    s.w = in[2];
    s.width = in[2]->dim[1];
    int wide = slopes(s.cell);
    situ_tensor *d[MOST_STRANDS][HANDED], *previous = NULL, **out = list((s.time + 1) * s.strands, site);
    for (int i = 0; i < s.strands; i++) {
        for (int k = 0; k < 4; k++)
            d[i][k] = situ_zeros(SHAPE(rows_of(&s, i), s.width), .dtype = (situ_dtype)in[1]->dtype, .device = in[1]->device);
        d[i][THROUGH] = d[i][SUMS] = NULL;
    }
    for (int64_t n = s.time - 1; n >= 0 && out && !situ_error_code; n--)
        for (int i = 0; i < s.strands; i++) {
            situ_tensor *all = strand_back(&s, in, a->lone, previous, n, i, d[i]);
            out[place(&s, n) * s.strands + i] = all;
            if (s.strands > 1) previous = all;
        }
    if (!out) return situ_poisoned();
    for (int i = 0; i < s.strands && !situ_error_code; i++) {
        d[i][0] = sum(situ_matmul(d[i][SUMS], s.w), d[i][THROUGH], site);
        out[s.time * s.strands + i] = beside(d[i], wide, site);
    }
    return situ_reshape(joined(out, (s.time + 1) * s.strands, site), SHAPE(s.time + 1, s.batch, wide * s.width));
}

/* ---- the operations ------------------------------------------------------------------------------------------------------- */

static int infer_forward(situ_infer *c)
{
    const situ_recurrent_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    situ_infer_dims(c, 4, (int64_t[]){situ_cell_parts((situ_cell)a->cell), c->in[0]->dim[0], c->in[0]->dim[1], c->in[1]->dim[1]});
    return 0;
}

static int infer_back(situ_infer *c)
{
    const situ_recurrent_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[1]->dtype;
    const int64_t *y = c->in[1]->dim;
    situ_infer_dims(c, 3, (int64_t[]){y[1] + 1, y[2], y[3] * slopes((situ_cell)a->cell)});
    return 0;
}

/* The states before each step, [time, batch, width]: h of y, shifted by one step. */
static situ_tensor *states_before(situ_tensor *y, situ_tensor *start, int64_t width, bool reverse, situ_site site)
{
    int64_t time = y->dim[1];
    situ_tensor *first = situ_expand_dims(part(start, 0, 1, width, site), 0);
    if (time == 1) return first;
    situ_tensor *h = situ_slice(all_of(y, 0, site), .start = SHAPE(reverse), .stop = SHAPE(time - !reverse));
    return reverse ? situ_concat(TENSORS(h, first), .axis = 0) : situ_concat(TENSORS(first, h), .axis = 0);
}

/* If only h was used, the gradient is 0 in all other parts: returns that of h, else NULL. */
static situ_tensor *by_h_alone(const situ_tensor *g, situ_site site)
{
    if (g->op != &situ_op_place) return NULL;
    situ_tensor *x = situ_node_in(g)[0];
    const situ_place_attr *a = situ_node_attr(g);
    const uint64_t *word = situ_node_word(g); /* first the fill value, then the start position */
    bool whole = x->dim[0] == 1 && x->ndim == 4 && !word[0] && !word[1];
    for (int i = 1; i < 4; i++) whole = whole && x->dim[i] == g->dim[i] && a->step[i] == 1;
    return whole ? situ_select(x, 0, 0) : NULL;
}

static void vjp_forward(situ_vjp *c)
{
    situ_site site = c->site;
    situ_recurrent_attr a = *(const situ_recurrent_attr *)situ_node_attr(c->y);
    situ_tensor *wx = c->in[0], *w = c->in[1], *start = c->in[3], *alone = by_h_alone(c->g, site);
    situ_tensor *in[] = {alone ? alone : c->g, c->y, w, start, a.masked ? c->in[4] : NULL};
    int64_t n = w->dim[1], time = wx->dim[0], batch = wx->dim[1];
    int gates = situ_cell_gates((situ_cell)a.cell), states = situ_cell_states((situ_cell)a.cell);
    a.lone = alone != NULL;
    situ_tensor *all = situ_apply(&situ_op_recurrent_back, in, 4 + (int)a.masked, &a, sizeof a, NULL, 0, site);
    situ_tensor *by = situ_slice(all, .stop = SHAPE(time)), *by_sums = part(by, 0, gates, n, site);
    c->out[0] = by_sums;
    c->out[3] = part(situ_select(all, 0, time), 0, states, n, site);
    if (a.cell == SITU_CELL_GRU) {
        c->out[0] = beside((situ_tensor *[]){part(by, 0, 2, n, site), part(by, 3, 1, n, site)}, 2, site);
        c->out[2] = situ_sum(part(by, 2, 1, n, site), .axes = AXES(0, 1));
    }
    situ_tensor *h = states_before(c->y, start, n, a.reverse, site);
    situ_tensor *rows = situ_reshape(by_sums, SHAPE(time * batch, gates * n)), *columns = situ_reshape(h, SHAPE(time * batch, n));
    c->out[1] = situ_matmul(situ_transpose(rows), columns);
}

const situ_op situ_op_recurrent = {.name = "recurrent",
    .family = SITU_COMPOSITE,
    .operands = "wx, w, b, start, kept",
    .infer = infer_forward,
    .vjp = vjp_forward,
    .reads = {SITU_READS_B | SITU_READS_RESULT, SITU_READS_B | SITU_READS_RESULT, SITU_READS_B | SITU_READS_RESULT},
    .expand = expand_forward};
const situ_op situ_op_recurrent_back = {.name = "recurrent_back",
    .family = SITU_COMPOSITE,
    .operands = "gradient, result, w, start, kept",
    .infer = infer_back,
    .expand = expand_back};

situ_tensor *situ_recurrent(situ_tensor *wx, situ_tensor *w, situ_tensor *b, situ_tensor *start, situ_tensor *kept, situ_cell cell,
    bool reverse, situ_site site)
{
    situ_recurrent_attr a = {cell, reverse, kept != NULL, 0};
    situ_tensor *in[] = {wx, w, b, start, kept};
    return situ_apply(&situ_op_recurrent, in, 4 + (kept != NULL), &a, sizeof a, NULL, 0, site);
}
