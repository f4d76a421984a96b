/* Recurrent steps. They are one operation, so that the gradient of a weight is one product over all steps, and no slice of a long
 * tensor is padded to its length again for each step. Gates are in PyTorch's order: reset, update, new; input, forget, cell,
 * output. */
#include "func/recurrent.h"

#include "base/memory.h"
#include "op/support.h"
#include "op/table.h"
/* last */
#include "op/here.h"

enum { MOST_PARTS = 6 };

int situ_cell_gates(situ_cell cell) { return cell == SITU_CELL_LSTM ? 4 : cell == SITU_CELL_GRU ? 3 : 1; }
int situ_cell_states(situ_cell cell) { return cell == SITU_CELL_LSTM ? 2 : 1; }
int situ_cell_parts(situ_cell cell) { return cell == SITU_CELL_LSTM ? 6 : cell == SITU_CELL_GRU ? 5 : 1; }
/* A GRU's new gate has a gradient before and one behind its reset. */
static int slopes(situ_cell cell) { return cell == SITU_CELL_GRU ? 4 : situ_cell_gates(cell); }

/* ---- pieces ------------------------------------------------------------------------------------------------------------- */

/* Columns of parts first ... first + count - 1 of x [..., width parts]. */
static situ_tensor *part(situ_tensor *x, int first, int count, int64_t width, situ_site site)
{
    situ_shape start = {.ndim = x->ndim}, stop = {.ndim = x->ndim};
    for (int i = 0; i < x->ndim - 1; i++) start.dim[i] = stop.dim[i] = SITU_FULL;
    start.dim[x->ndim - 1] = first * width;
    stop.dim[x->ndim - 1] = (first + count) * width;
    return situ_slice(x, .start = start, .stop = stop);
}

static situ_tensor *beside(situ_tensor **t, int count, situ_site site)
{
    return count == 1 ? t[0] : situ_concat(((situ_list){t, count}), .axis = -1);
}

/* 1 - x. */
static situ_tensor *rest(situ_tensor *x, situ_site site) { return situ_sub(1, x); }

/* What follows where there is an input, what was before elsewhere. */
static situ_tensor *chosen(situ_tensor *kept, situ_tensor *next, situ_tensor *before, situ_site site)
{
    return kept ? situ_where(situ_not_equal(kept, 0), next, before) : next;
}

typedef struct steps {
    situ_cell cell;
    bool reverse;
    int64_t time, width;
    situ_tensor *w, *b, *kept; /* w: of a step, transposed or not */
    situ_site site;
} steps;

static steps steps_of(const situ_recurrent_attr *a, const situ_tensor *wx, situ_tensor *kept, situ_site site)
{
    steps s = {
        .cell = (situ_cell)a->cell, .reverse = a->reverse, .time = wx->dim[0], .kept = a->masked ? kept : NULL, .site = site};
    return s;
}

/* The i-th step in the order of computing. */
static int64_t place(const steps *s, int64_t i) { return s->reverse ? s->time - 1 - i : i; }

/* ---- forward -------------------------------------------------------------------------------------------------------------- */

/* From wx and the states before it to what a step leaves; out[0] is h, out[1] an LSTM's c. */
static void step(const steps *s, situ_tensor *wx, situ_tensor *const *before, situ_tensor **out)
{
    situ_site site = s->site;
    int64_t n = s->width;
    situ_tensor *wh = situ_matmul(before[0], s->w);
    if (s->cell == SITU_CELL_TANH || s->cell == SITU_CELL_RELU) {
        situ_tensor *sum = situ_add(wx, wh);
        out[0] = s->cell == SITU_CELL_TANH ? situ_tanh(sum) : situ_relu(sum);
    } else if (s->cell == SITU_CELL_GRU) {
        situ_tensor *gates = situ_sigmoid(situ_add(part(wx, 0, 2, n, site), part(wh, 0, 2, n, site)));
        situ_tensor *r = part(gates, 0, 1, n, site), *z = part(gates, 1, 1, n, site), *q = situ_add(part(wh, 2, 1, n, site), s->b);
        situ_tensor *made = situ_tanh(situ_add(part(wx, 2, 1, n, site), situ_mul(r, q)));
        out[0] = situ_add(situ_mul(rest(z, site), made), situ_mul(z, before[0]));
        out[1] = r;
        out[2] = z;
        out[3] = made;
        out[4] = q;
    } else {
        situ_tensor *sum = situ_add(wx, wh), *i = situ_sigmoid(part(sum, 0, 1, n, site)),
                    *f = situ_sigmoid(part(sum, 1, 1, n, site)), *g = situ_tanh(part(sum, 2, 1, n, site)),
                    *o = situ_sigmoid(part(sum, 3, 1, n, site));
        out[1] = situ_add(situ_mul(f, before[1]), situ_mul(i, g));
        out[0] = situ_mul(o, situ_tanh(out[1]));
        out[2] = i;
        out[3] = f;
        out[4] = g;
        out[5] = o;
    }
}

static situ_tensor *stacked(situ_tensor **t, int64_t count, situ_site site)
{
    situ_tensor *y = situ_error_code ? situ_poisoned() : situ_stack(((situ_list){t, (int)count}), .axis = 0);
    situ_free(t);
    return y;
}

static situ_tensor **list(int64_t count, situ_site site)
{
    situ_tensor **t = situ_calloc((size_t)count + 1, sizeof *t);
    if (!t) situ_fail(SITU_NO_MEMORY, site, "recurrent: out of host memory");
    return t;
}

/* Operands: wx, w, b, start[, kept]. */
static situ_tensor *expand_forward(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    steps s = steps_of(attr, in[0], in[nin - 1], site);
    s.width = in[1]->dim[1];
    s.w = situ_transpose(in[1]);
    s.b = in[2];
    int states = situ_cell_states(s.cell), parts = situ_cell_parts(s.cell);
    situ_tensor *before[2], **y = list(s.time, site);
    for (int k = 0; k < states; k++) before[k] = part(in[3], k, 1, s.width, site);
    for (int64_t i = 0; i < s.time && y && !situ_error_code; i++) {
        int64_t t = place(&s, i);
        situ_tensor *out[MOST_PARTS];
        step(&s, situ_select(in[0], 0, t), before, out);
        situ_tensor *kept = s.kept ? situ_select(s.kept, 0, t) : NULL;
        for (int k = 0; k < states; k++) before[k] = out[k] = chosen(kept, out[k], before[k], site);
        y[t] = beside(out, parts, site);
    }
    return y ? stacked(y, s.time, site) : situ_poisoned();
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

/* g: by what a step left, y: that, before: the states before it; d: by the states behind it, replaced by those before. Gives the
 * gradient by
 * the sums in the gates, [batch, slopes width]. */
static situ_tensor *step_back(
    const steps *s, situ_tensor *g, situ_tensor *y, situ_tensor *kept, situ_tensor *const *before, situ_tensor **d)
{
    situ_site site = s->site;
    int64_t n = s->width;
    situ_tensor *p[MOST_PARTS], *by[MOST_PARTS], *out[4], *h, *c = NULL, *none = situ_scalar_int(0);
    for (int k = 0; k < situ_cell_parts(s->cell); k++) {
        p[k] = part(y, k, 1, n, site);
        by[k] = part(g, k, 1, n, site);
    }
    situ_tensor *dh = situ_add(d[0], by[0]), *through = NULL;
    h = chosen(kept, dh, none, site);
    if (s->cell == SITU_CELL_GRU) {
        situ_tensor *r = p[1], *z = p[2], *made = p[3], *q = p[4];
        situ_tensor *dn = situ_mul(situ_add(situ_mul(h, rest(z, site)), by[3]), rest(situ_square(made), site));
        situ_tensor *dz = situ_add(situ_mul(h, situ_sub(before[0], made)), by[2]);
        situ_tensor *dr = situ_add(situ_mul(dn, q), by[1]);
        out[0] = situ_mul(dr, situ_mul(r, rest(r, site)));
        out[1] = situ_mul(dz, situ_mul(z, rest(z, site)));
        out[2] = dn;
        out[3] = situ_add(situ_mul(dn, r), by[4]);
        through = situ_mul(h, z);
    } else if (s->cell == SITU_CELL_LSTM) {
        situ_tensor *i = p[2], *f = p[3], *made = p[4], *o = p[5], *tanh = situ_tanh(p[1]), *dc = situ_add(d[1], by[1]);
        c = situ_add(chosen(kept, dc, none, site), situ_mul(situ_mul(h, o), rest(situ_square(tanh), site)));
        out[0] = situ_mul(situ_add(situ_mul(c, made), by[2]), situ_mul(i, rest(i, site)));
        out[1] = situ_mul(situ_add(situ_mul(c, before[1]), by[3]), situ_mul(f, rest(f, site)));
        out[2] = situ_mul(situ_add(situ_mul(c, i), by[4]), rest(situ_square(made), site));
        out[3] = situ_mul(situ_add(situ_mul(h, tanh), by[5]), situ_mul(o, rest(o, site)));
        c = situ_mul(c, f);
        d[1] = kept ? situ_add(c, chosen(kept, none, dc, site)) : c;
    } else {
        out[0] = s->cell == SITU_CELL_TANH ? situ_mul(h, rest(situ_square(p[0]), site)) : situ_where(situ_greater(p[0], 0), h, 0);
    }
    situ_tensor *all = beside(out, slopes(s->cell), site);
    situ_tensor *sums = s->cell == SITU_CELL_GRU ? beside((situ_tensor *[]){out[0], out[1], out[3]}, 3, site) : all;
    d[0] = situ_matmul(sums, s->w);
    if (through) d[0] = situ_add(d[0], through);
    if (kept) d[0] = situ_add(d[0], chosen(kept, none, dh, site));
    return all;
}

/* Operands: g, y, w, start[, kept]. Gives [time + 1, batch, slopes width]: of each step, then those of the first states. */
static situ_tensor *expand_back(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    steps s = steps_of(attr, in[1], in[nin - 1], site);
    s.w = in[2];
    s.width = in[2]->dim[1];
    int states = situ_cell_states(s.cell), wide = slopes(s.cell);
    situ_shape shape = SHAPE(in[1]->dim[1], s.width);
    situ_dtype dtype = (situ_dtype)in[1]->dtype;
    situ_tensor *d[4], *before[2], **out = list(s.time + 1, site),
                                   *zero = situ_zeros(shape, .dtype = dtype, .device = in[1]->device);
    for (int k = 0; k < 4; k++) d[k] = zero;
    for (int64_t i = s.time - 1; i >= 0 && out && !situ_error_code; i--) {
        int64_t t = place(&s, i);
        situ_tensor *last = i ? situ_select(in[1], 0, place(&s, i - 1)) : in[3];
        for (int k = 0; k < states; k++) before[k] = part(last, k, 1, s.width, site);
        out[t] =
            step_back(&s, situ_select(in[0], 0, t), situ_select(in[1], 0, t), s.kept ? situ_select(s.kept, 0, t) : NULL, before, d);
    }
    if (!out) return situ_poisoned();
    out[s.time] = beside(d, wide, site);
    return stacked(out, s.time + 1, site);
}

/* ---- the operations ------------------------------------------------------------------------------------------------------- */

static int infer_forward(situ_infer *c)
{
    const situ_recurrent_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    situ_infer_dims(c, 3, c->in[0]->dim);
    c->dim[2] = c->in[1]->dim[1] * situ_cell_parts((situ_cell)a->cell);
    return 0;
}

static int infer_back(situ_infer *c)
{
    const situ_recurrent_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[1]->dtype;
    situ_infer_dims(c, 3, c->in[1]->dim);
    c->dim[0]++;
    c->dim[2] = c->in[2]->dim[1] * slopes((situ_cell)a->cell);
    return 0;
}

/* The states before each step, [time, batch, width]: h of y moved by one. */
static situ_tensor *states_before(situ_tensor *y, situ_tensor *start, int64_t width, bool reverse, situ_site site)
{
    int64_t time = y->dim[0];
    situ_tensor *first = situ_expand_dims(part(start, 0, 1, width, site), 0);
    if (time == 1) return first;
    situ_tensor *h = situ_slice(y, .start = SHAPE(reverse, SITU_FULL, SITU_FULL), .stop = SHAPE(time - !reverse, SITU_FULL, width));
    return reverse ? situ_concat(TENSORS(h, first), .axis = 0) : situ_concat(TENSORS(first, h), .axis = 0);
}

static void vjp_forward(situ_vjp *c)
{
    situ_site site = c->site;
    const situ_recurrent_attr *a = situ_node_attr(c->y);
    situ_tensor *wx = c->in[0], *w = c->in[1], *start = c->in[3], *in[] = {c->g, c->y, w, start, a->masked ? c->in[4] : NULL};
    int64_t n = w->dim[1], time = wx->dim[0], batch = wx->dim[1];
    int gates = situ_cell_gates((situ_cell)a->cell), states = situ_cell_states((situ_cell)a->cell);
    situ_tensor *all = situ_apply(&situ_op_recurrent_back, in, 4 + (int)a->masked, a, sizeof *a, NULL, 0, site);
    situ_tensor *by = situ_slice(all, .stop = SHAPE(time)), *by_sums = part(by, 0, gates, n, site);
    c->out[0] = by_sums;
    c->out[3] = part(situ_select(all, 0, time), 0, states, n, site);
    if (a->cell == SITU_CELL_GRU) {
        situ_tensor *q = part(by, 3, 1, n, site);
        by_sums = beside((situ_tensor *[]){part(by, 0, 2, n, site), q}, 2, site);
        c->out[2] = situ_sum(q, .axes = AXES(0, 1));
    }
    situ_tensor *h = states_before(c->y, start, n, a->reverse, site);
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
    situ_recurrent_attr a = {cell, reverse, kept != NULL};
    situ_tensor *in[] = {wx, w, b, start, kept};
    return situ_apply(&situ_op_recurrent, in, 4 + (kept != NULL), &a, sizeof a, NULL, 0, site);
}
