/* LU with partial pivoting, recursive. Within a group, columns are eliminated block by block: as soon as the next
 * block's columns are updated, one thread factors them while the others update the columns behind. Larger groups are
 * divided into halves. */
#include "backend/cpu/linalg/linalg.h"

#include "backend/cpu/scratch.h"

enum { BLOCK = 64, GROUP = 512 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct lu {
    const situ_factoring *f;
    int64_t n;
    char *a;
    int64_t *pivot; /* row indices count from the first row of the block, then of the group, finally of the matrix */
    void *p;
} lu;

static char *at(const lu *u, int64_t i, int64_t j) { return situ_element(u->f, u->a, u->n, i, j); }

/* Updates m <= SITU_LANE_COLUMNS columns from `column` on after `count` pivots from row `first` on: exchanges rows,
 * solves for the rows of U, and subtracts their product from the rows below. */
static void update(const lu *u, int64_t first, int64_t count, int64_t column, int64_t m)
{
    const situ_factoring *f = u->f;
    int64_t n = u->n, width = f->products->columns[f->type], strips = (m + width - 1) / width, apart = count * width * f->size;
    char *top = at(u, first, column), *x = situ_scratch((size_t)(strips * apart));
    if (!x) {
        situ_fault_set(f->host->fault, SITU_NO_MEMORY, strips * apart, 0);
        return;
    }
    situ_triangle t = {.at = at(u, first, first), .row = n, .column = 1, .unit = true};
    f->small->swap[f->type](count, u->pivot + first, m, top, n);
    f->small->lay[f->type](count, m, top, n, NULL, x);
    situ_solve_strips(f, count, &t, strips, x, apart);
    f->small->give[f->type](count, m, x, true, top, n);
    situ_gemm g = {.m = n - first - count, .n = m, .k = count, .a_row = n, .a_column = 1, .b = x, .c_row = n};
    g.a = at(u, first + count, first);
    g.c = at(u, first + count, column);
    f->products->strips[f->type](&g, 6 * n, true, NULL, NULL);
}

/* Factors one block. Returns the number of zero pivots. */
static int64_t eliminate_block(const lu *u, int64_t first, int64_t width)
{
    const situ_factoring *f = u->f;
    int64_t n = u->n, *pivot = u->pivot + first;
    if (width <= SITU_PANEL) return f->small->panel[f->type](n - first, width, at(u, first, first), n, pivot, u->p);
    int64_t h = (width / 2 + SITU_PANEL - 1) / SITU_PANEL * SITU_PANEL, rest = width - h, zeros = eliminate_block(u, first, h);
    update(u, first, h, first + h, rest);
    zeros += eliminate_block(u, first + h, rest);
    f->small->swap[f->type](rest, pivot + h, h, at(u, first + h, first), n);
    for (int64_t k = h; k < width; k++) pivot[k] += h;
    return zeros;
}

/* ---- groups -------- */

/* State after the block of `count` columns from `first` on was factored: the `next` columns behind it, and those up to
 * `end`, are not yet updated. */
typedef struct step {
    const lu *u;
    int64_t first, count, next, end, zeros;
} step;

static void step_task(void *context, int64_t task)
{
    step *s = context;
    int64_t behind = s->first + s->count, column = behind + (task ? s->next + (task - 1) * SITU_LANE_COLUMNS : 0);
    update(s->u, s->first, s->count, column, task ? least(SITU_LANE_COLUMNS, s->end - column) : s->next);
    if (!task) s->zeros += eliminate_block(s->u, behind, s->next);
}

/* Exchanges rows of an earlier block as later blocks did. */
static void swap_task(void *context, int64_t task)
{
    const step *s = context;
    const situ_factoring *f = s->u->f;
    int64_t column = s->first + task * BLOCK;
    for (int64_t k = column + BLOCK; k < s->end; k += BLOCK)
        f->small->swap[f->type](least(BLOCK, s->end - k), s->u->pivot + k, BLOCK, at(s->u, k, column), s->u->n);
}

static int64_t eliminate_group(const lu *u, int64_t first, int64_t width)
{
    const situ_host *h = u->f->host;
    step s = {.u = u, .first = first, .count = least(BLOCK, width), .end = first + width};
    s.zeros = eliminate_block(u, first, s.count);
    for (; s.first + s.count < s.end; s.first += s.count, s.count = s.next) {
        int64_t left = s.end - s.first - s.count;
        s.next = least(BLOCK, left);
        situ_host_for(h, step_task, &s, 1 + (left - s.next + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS);
    }
    s.first = first;
    situ_host_for(h, swap_task, &s, (width - 1) / BLOCK);
    for (int64_t k = BLOCK; k < width; k++) u->pivot[first + k] += k / BLOCK * BLOCK;
    return s.zeros;
}

/* Factors `width` columns from `first` on, on and below the diagonal. */
static int64_t eliminate(const lu *u, int64_t first, int64_t width)
{
    if (width <= GROUP) return eliminate_group(u, first, width);
    const situ_factoring *f = u->f;
    int64_t n = u->n, *pivot = u->pivot + first, h = (width / 2 + BLOCK - 1) / BLOCK * BLOCK, rest = width - h;
    int64_t zeros = eliminate(u, first, h);
    f->small->swap[f->type](h, pivot, rest, at(u, first, first + h), n);
    situ_triangle t = {.at = at(u, first, first), .row = n, .column = 1, .unit = true};
    situ_solve_left(f, h, &t, rest, at(u, first, first + h), n);
    situ_gemm g = {.m = n - first - h, .n = rest, .k = h, .a_row = n, .a_column = 1, .b_row = n, .b_column = 1, .c_row = n};
    g.a = at(u, first + h, first);
    g.b = at(u, first, first + h);
    g.c = at(u, first + h, first + h);
    situ_subtract(f, &g, false);
    zeros += eliminate(u, first + h, rest);
    f->small->swap[f->type](rest, pivot + h, h, at(u, first + h, first), n);
    for (int64_t k = h; k < width; k++) pivot[k] += h;
    return zeros;
}

int64_t situ_factor_lu(const situ_factoring *f, int64_t n, void *a, int64_t *pivot, void *p)
{
    lu u = {f, n, a, pivot, p};
    return n ? eliminate(&u, 0, n) : 0;
}
