/* Triangular factors: each half is factored by itself, and the second one after the product of what is beside it. */
#include "backend/cpu/linalg/linalg.h"

#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/pool.h"

enum { STRIP_ROWS = SITU_GEMM_KC, STEP_ROWS = 30 /* whole strips of 6, at most SITU_SMALL */ };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
/* About half of n, in whole units. */
static int64_t half_of(int64_t n, int64_t unit) { return (n / 2 + unit - 1) / unit * unit; }

static situ_triangle triangle_at(const situ_factoring *f, const situ_triangle *t, int64_t i)
{
    situ_triangle part = *t;
    part.at = (const char *)t->at + i * (t->row + t->column) * f->size;
    return part;
}

/* As many columns as products take at once, in memory of their own: what is solved of them is left negated, and rows of the
 * triangle by it are added to what is not. */
static void solve_strip(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, char *b, int64_t row, char *x)
{
    int64_t width = f->products->columns[f->type], bytes = width * f->size;
    if (m < width) memset(x, 0, (size_t)(n * bytes));
    for (int64_t i = 0; i < n; i++) memcpy(x + i * bytes, b + i * row * f->size, (size_t)(m * f->size));
    for (int64_t done = 0; done < n; done += STEP_ROWS) {
        int64_t some = least(STEP_ROWS, n - done), at = t->upper ? n - done - some : done, from = t->upper ? at + some : 0;
        situ_triangle part = triangle_at(f, t, at);
        situ_gemm g = {.m = some, .n = width, .k = done, .a_row = t->row, .a_column = t->column, .c_row = width};
        g.a = (const char *)t->at + (at * t->row + from * t->column) * f->size;
        g.b = x + from * bytes;
        g.c = x + at * bytes;
        if (done) f->products->strips[f->type](&g, 6 * t->row, true, NULL, NULL);
        f->small->strip[f->type](some, &part, g.c);
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(b + i * row * f->size, x + i * bytes, (size_t)(m * f->size));
        f->small->negate[f->type](m, b + i * row * f->size);
    }
}

static void solve_strips(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, char *b, int64_t row)
{
    int64_t width = f->products->columns[f->type];
    char *x = situ_scratch(SITU_GEMM_SCRATCH);
    if (!x) situ_fault_set(f->host->fault, SITU_NO_MEMORY, (int64_t)SITU_GEMM_SCRATCH, 0);
    for (int64_t j = 0; j < m && x; j += width) solve_strip(f, n, t, least(width, m - j), b + j * f->size, row, x);
}

static void solve_left_here(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, void *b, int64_t row)
{
    if (n <= STRIP_ROWS) {
        solve_strips(f, n, t, m, b, row);
        return;
    }
    int64_t h = half_of(n, SITU_SMALL);
    situ_triangle second = triangle_at(f, t, h);
    char *low = situ_element(f, b, row, h, 0);
    situ_gemm g = {.n = m, .a_row = t->row, .a_column = t->column, .b_row = row, .b_column = 1, .c_row = row};
    if (t->upper) solve_left_here(f, n - h, &second, m, low, row);
    else solve_left_here(f, h, t, m, b, row);
    g.m = t->upper ? h : n - h;
    g.k = n - g.m;
    g.a = (const char *)t->at + h * (t->upper ? t->column : t->row) * f->size;
    g.b = t->upper ? low : b;
    g.c = t->upper ? b : low;
    situ_subtract_here(f, &g);
    if (t->upper) solve_left_here(f, h, t, m, b, row);
    else solve_left_here(f, n - h, &second, m, low, row);
}

/* X L^T = B */
static void solve_right_here(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, void *b, int64_t row)
{
    if (n <= SITU_SMALL) {
        f->small->right[f->type](n, t, m, b, row);
        return;
    }
    int64_t h = half_of(n, SITU_SMALL);
    situ_triangle second = triangle_at(f, t, h);
    char *next = situ_element(f, b, row, 0, h);
    solve_right_here(f, h, t, m, b, row);
    situ_gemm g = {.m = m,
        .n = n - h,
        .k = h,
        .a = b,
        .a_row = row,
        .a_column = 1,
        .b = situ_element(f, t->at, t->row, h, 0),
        .b_row = 1,
        .b_column = t->row,
        .c = next,
        .c_row = row};
    situ_subtract_here(f, &g);
    solve_right_here(f, n - h, &second, m, next, row);
}

/* Columns, or rows, of the right side are apart from each other. */
typedef struct solving {
    const situ_factoring *f;
    int64_t n, m, row, tasks;
    const situ_triangle *t;
    void *b;
    const char *from; /* what b is before, its row i there order[i] or i; NULL: b has it */
    const int64_t *order;
    bool right, identity; /* b is an identity: nothing is above its diagonal, if t is a lower triangle */
} solving;

static void solve_task(void *context, int64_t task)
{
    const solving *s = context;
    int64_t units = (s->m + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS;
    int64_t first = units * task / s->tasks * SITU_LANE_COLUMNS,
            end = least(units * (task + 1) / s->tasks * SITU_LANE_COLUMNS, s->m);
    int64_t above = s->identity ? first : 0;
    situ_triangle t = triangle_at(s->f, s->t, above);
    char *b = s->right ? situ_element(s->f, s->b, s->row, first, 0) : situ_element(s->f, s->b, s->row, above, first);
    for (int64_t i = 0; i < s->n && s->from; i++)
        memcpy(b + i * s->row * s->f->size, situ_element(s->f, s->from, s->row, s->order ? s->order[i] : i, first),
            (size_t)((end - first) * s->f->size));
    (s->right ? solve_right_here : solve_left_here)(s->f, s->n - above, &t, end - first, b, s->row);
}

static void solve(solving s)
{
    int64_t units = (s.m + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS;
    s.tasks = s.identity ?
        units :
        least(units, situ_pool_width() * (s.right ? 1 : 2)); /* each packs the triangle anew if that is to the right */
    if (s.m && s.n) situ_host_for(s.f->host, solve_task, &s, s.tasks);
}

void situ_solve_left(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, void *b, int64_t row)
{
    solve((solving){.f = f, .n = n, .m = m, .row = row, .t = t, .b = b});
}

void situ_solve_from(
    const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, void *b, const void *from, const int64_t *order)
{
    solve((solving){.f = f, .n = n, .m = m, .row = m, .t = t, .b = b, .from = from, .order = order});
}

void situ_invert_lower(const situ_factoring *f, int64_t n, const situ_triangle *t, void *b)
{
    solve((solving){.f = f, .n = n, .m = n, .row = n, .t = t, .b = b, .identity = true});
}

/* ---- Cholesky ------------------------------------------------------------------------------------------------------------ */

static bool factor_lower(const situ_factoring *f, int64_t n, void *a, int64_t row)
{
    if (n <= SITU_SMALL) return f->small->cholesky[f->type](n, a, row);
    int64_t h = half_of(n, SITU_SMALL);
    char *below = situ_element(f, a, row, h, 0), *second = situ_element(f, a, row, h, h);
    if (!factor_lower(f, h, a, row)) return false;
    situ_triangle t = {.at = a, .row = row, .column = 1};
    solve((solving){.f = f, .n = h, .m = n - h, .row = row, .t = &t, .b = below, .right = true});
    situ_gemm g = {.m = n - h,
        .n = n - h,
        .k = h,
        .a = below,
        .a_row = row,
        .a_column = 1,
        .b = below,
        .b_row = 1,
        .b_column = row,
        .c = second,
        .c_row = row};
    situ_subtract(f, &g, true);
    return factor_lower(f, n - h, second, row);
}

bool situ_factor_lower(const situ_factoring *f, int64_t n, void *a) { return factor_lower(f, n, a, n); }

/* ---- LU ------------------------------------------------------------------------------------------------------------------ */

typedef struct lu {
    const situ_factoring *f;
    int64_t n;
    char *a;
    int64_t *pivot;
    void *p;
} lu;

/* `width` columns from `first` on, below and on the diagonal; pivots count from row `first`. */
static int64_t eliminate(const lu *u, int64_t first, int64_t width)
{
    const situ_factoring *f = u->f;
    int64_t n = u->n, *pivot = u->pivot + first;
    char *a = situ_element(f, u->a, n, first, first);
    if (width <= SITU_PANEL) return f->small->panel[f->type](n - first, width, a, n, pivot, u->p);
    int64_t h = half_of(width, SITU_PANEL), rest = width - h;
    char *right = situ_element(f, a, n, 0, h), *below = situ_element(f, a, n, h, 0), *second = situ_element(f, a, n, h, h);
    int64_t zeros = eliminate(u, first, h);
    f->small->swap[f->type](h, pivot, rest, right, n);
    situ_triangle t = {.at = a, .row = n, .column = 1, .unit = true};
    situ_solve_left(f, h, &t, rest, right, n);
    situ_gemm g = {.m = n - first - h,
        .n = rest,
        .k = h,
        .a = below,
        .a_row = n,
        .a_column = 1,
        .b = right,
        .b_row = n,
        .b_column = 1,
        .c = second,
        .c_row = n};
    situ_subtract(f, &g, false);
    zeros += eliminate(u, first + h, rest);
    f->small->swap[f->type](rest, pivot + h, h, below, n);
    for (int64_t k = h; k < width; k++) pivot[k] += h;
    return zeros;
}

int64_t situ_factor_lu(const situ_factoring *f, int64_t n, void *a, int64_t *pivot, void *p)
{
    lu u = {f, n, a, pivot, p};
    return n ? eliminate(&u, 0, n) : 0;
}
