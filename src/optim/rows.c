/* Sparse gradients. The gradient of a table that is only looked up is recorded as zeros to which rows are added
 * (op/index.c). If a step needs only the rows, the full gradient is never computed. */
#include "optim/rows.h"

#include "base/memory.h"
#include "op/attr.h"
#include "op/generate.h"
#include "op/index.h"
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { LEAST_SHARE = 4 /* worth it only if the table has this many times the rows that are looked up */ };

static const situ_axis_attr along_first;

static bool is_zero(const situ_tensor *t)
{
    while (t->op == &situ_op_cast) t = situ_node_in(t)[0];
    return t->op == &situ_op_fill && !situ_node_word(t)[0];
}

/* Number of lookups that a gradient consists of, 0: it contains something else. Their indices and values go to `part`
 * unless it is NULL, in the order of their addition. */
typedef struct lookup {
    situ_tensor *index, *value;
    situ_site site;
} lookup;
static int lookups(const situ_tensor *g, lookup *part)
{
    int n = 0;
    while (g->op == &situ_op_cast) g = situ_node_in(g)[0];
    for (const situ_tensor *x = g; x->op == &situ_op_index_add && !((const situ_axis_attr *)situ_node_attr(x))->axis;) {
        n++;
        x = situ_node_in(x)[0];
        if (!is_zero(x)) continue;
        for (int i = n; part && i-- > 0; g = situ_node_in(g)[0])
            part[i] = (lookup){situ_node_in(g)[1], situ_node_in(g)[2], g->site};
        return n;
    }
    return 0;
}

/* For each index the number of its group of equal indices, from 0. */
static situ_tensor *groups(situ_tensor *index, int64_t rows, situ_site site)
{
    int64_t n = index->dim[0];
    situ_tensor *zeros = situ_zeros(SHAPE(n), .dtype = SITU_I64, .device = index->device);
    if (n < 2) return zeros;
    index = situ_where(situ_less(index, 0), situ_add(index, rows), index);
    situ_tensor *order = situ_argsort(index), *sorted = situ_take(index, order);
    situ_tensor *before = situ_slice(sorted, .stop = SHAPE(n - 1)), *after = situ_slice(sorted, .start = SHAPE(1));
    situ_tensor *first = situ_zeros(SHAPE(1), .dtype = SITU_I64, .device = index->device);
    situ_tensor *starts = situ_concat(TENSORS(first, situ_cast(situ_not_equal(before, after), SITU_I64)));
    return situ_scatter(zeros, order, situ_cumsum(starts, .axis = 0));
}

/* These rows of g, computed by the same additions as the full g, so the bits are the same. */
static situ_tensor *summed(const situ_tensor *g, situ_tensor *index, situ_tensor *value, situ_site site)
{
    if (g->op == &situ_op_cast) return situ_cast(summed(situ_node_in(g)[0], index, value, site), (situ_dtype)g->dtype);
    situ_tensor *group = groups(index, g->dim[0], site), *in[] = {situ_full_like(value, 0), group, value};
    return situ_take(situ_apply(&situ_op_index_add, in, 3, &along_first, sizeof along_first, NULL, 0, site), group);
}

/* All indices, or with `values` all values, concatenated. */
static situ_tensor *joined(const lookup *part, int n, bool values, const situ_tensor *like, situ_site site)
{
    situ_tensor **one = situ_malloc((size_t)n * sizeof *one);
    situ_shape shape = {.ndim = values ? like->ndim : 1};
    shape.dim[0] = -1;
    for (int i = 1; i < shape.ndim; i++) shape.dim[i] = like->dim[i];
    for (int i = 0; i < n && one; i++) {
        situ_tensor *t = values ? part[i].value : situ_to(situ_cast(part[i].index, SITU_I64), like->device);
        shape.dim[0] = situ_node_count(part[i].index);
        one[i] = situ_reshape(t, shape);
    }
    situ_tensor *all = one ? n > 1 ? situ_concat(TENSORS_OF(one, n)) : one[0] : NULL;
    situ_free(one);
    if (!all) situ_fail(SITU_NO_MEMORY, site, "situ_optimizer_step: out of host memory");
    return all ? all : situ_poisoned();
}

bool situ_rows_find(
    situ_tensor *const *grad, int n, int stride, situ_tensor *sum, situ_rows kind, situ_looked_up *out, situ_site site)
{
    int count = 0;
    int64_t looked_up = 0;
    bool whole = n != 1 || sum != grad[0];
    if (kind == SITU_ROWS_CHANGE || (kind == SITU_ROWS_STAY && whole) || !sum->ndim || situ_error_code) return false;
    for (int i = 0; i < n; i++) {
        int more = lookups(grad[i * stride], NULL);
        if (!more && !is_zero(grad[i * stride])) return false;
        count += more;
    }
    out->site = site;
    if (!count) { /* no rows were looked up */
        out->index = situ_zeros(SHAPE(0), .dtype = SITU_I64, .device = sum->device);
        out->g = situ_take(sum, out->index);
        return true;
    }
    lookup *part = situ_malloc((size_t)count * sizeof *part);
    if (!part) return situ_fail(SITU_NO_MEMORY, site, "situ_optimizer_step: out of host memory"), true;
    for (int i = 0, at = 0; i < n; i++) at += lookups(grad[i * stride], part + at);
    for (int i = 0; i < count; i++) looked_up += situ_node_count(part[i].index);
    bool worth = kind == SITU_ROWS_LAZY || looked_up * LEAST_SHARE <= sum->dim[0];
    if (worth) {
        out->site = part[0].site;
        out->index = joined(part, count, false, sum, site);
        out->g = whole ? situ_take(sum, out->index) : summed(sum, out->index, joined(part, count, true, sum, site), site);
    }
    situ_free(part);
    return worth;
}
