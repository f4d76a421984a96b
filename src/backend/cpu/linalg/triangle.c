/* Triangular systems: right-hand sides are solved in packed strips of as many columns as products use at once. Cholesky
 * is recursive. */
#include "backend/cpu/linalg/linalg.h"

#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/pool.h"

enum {
    LEAF_ROWS = 1024, /* rows of a strip that is solved as a whole */
    BLOCK_ROWS = 96   /* rows that are solved by tiles after the product with the rows solved before was subtracted */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
/* About half of n, in multiples of `unit`. */
static int64_t half_of(int64_t n, int64_t unit) { return (n / 2 + unit - 1) / unit * unit; }

static situ_triangle triangle_at(const situ_factoring *f, const situ_triangle *t, int64_t i)
{
    situ_triangle part = *t;
    part.at = (const char *)t->at + i * (t->row + t->column) * f->size;
    return part;
}

/* ---- strips -------------------------------------------------------------------------------------------------------------- */

/* Adds the product of the triangle with k solved (hence negated) rows from `from` on to `some` rows of a strip from
 * `at` on. */
static void add_solved(
    const situ_factoring *f, const situ_triangle *t, int64_t at, int64_t some, int64_t from, int64_t k, char *strip)
{
    int64_t width = f->products->columns[f->type], bytes = width * f->size;
    situ_gemm g = {.m = some, .n = width, .a_row = t->row, .a_column = t->column, .c = strip + at * bytes, .c_row = width};
    for (int64_t p = 0; p < k; p += SITU_GEMM_KC) {
        g.k = least(SITU_GEMM_KC, k - p);
        g.a = (const char *)t->at + (at * t->row + (from + p) * t->column) * f->size;
        g.b = strip + (from + p) * bytes;
        f->products->strips[f->type](&g, 6 * t->row, true, NULL, NULL);
    }
}

void situ_solve_strips(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t strips, char *x, int64_t apart)
{
    int64_t bytes = f->products->columns[f->type] * f->size;
    for (int64_t done = 0; done < n; done += BLOCK_ROWS) {
        int64_t some = least(BLOCK_ROWS, n - done), at = t->upper ? n - done - some : done;
        for (int64_t s = 0; s < strips && done; s++) add_solved(f, t, at, some, t->upper ? at + some : 0, done, x + s * apart);
        for (int64_t inner = 0; inner < some; inner += SITU_TILE_ROWS) {
            int64_t few = least(SITU_TILE_ROWS, some - inner), row = t->upper ? at + some - inner - few : at + inner;
            situ_triangle part = triangle_at(f, t, row);
            for (int64_t s = 0; s < strips; s++) { /* while the divisions of one strip take their time, the next one is
                                                    * multiplied */
                if (inner) add_solved(f, t, row, few, t->upper ? row + few : at, inner, x + s * apart);
                f->small->tile[f->type](few, &part, x + s * apart + row * bytes);
            }
        }
    }
}

/* ---- right sides --------------------------------------------------------------------------------------------------------- */

/* T[0] T[1] ... X = B for m columns; n rows each. */
typedef struct solving {
    const situ_factoring *f;
    int64_t n, m, first; /* first: number of the first column among all columns */
    const situ_triangle *t;
    int triangles;
    char *to; /* distance of rows of X, and of B */
    const char *from;
    int64_t to_row, from_row;
    const int64_t *order; /* row i of B is row order[i] of `from`; NULL: row i */
    int64_t tasks;
} solving;

/* Number of rows at the top that are 0, both in the identity and in its solution by a lower triangle. */
static int64_t zeros_above(const solving *s) { return s->from || s->t->upper ? 0 : s->first; }

static void set_identity(const solving *s, int64_t strips, char *x)
{
    int64_t width = s->f->products->columns[s->f->type];
    memset(x, 0, (size_t)(strips * s->n * width * s->f->size));
    for (int64_t j = 0; j < s->m; j++) situ_element_put(s->f, x, (j / width * s->n + s->first + j) * width + j % width, 1);
}

/* Solves at most SITU_LANE_COLUMNS columns and LEAF_ROWS rows. */
static void solve_leaf(const solving *s)
{
    const situ_factoring *f = s->f;
    int64_t width = f->products->columns[f->type], strips = (s->m + width - 1) / width, bytes = width * f->size;
    char *x = situ_scratch((size_t)(strips * s->n * bytes));
    if (!x) {
        situ_fault_set(f->host->fault, SITU_NO_MEMORY, strips * s->n * bytes, 0);
        return;
    }
    if (s->from) f->small->lay[f->type](s->n, s->m, s->from, s->from_row, s->order, x);
    else set_identity(s, strips, x);
    for (int k = 0; k < s->triangles; k++) {
        int64_t above = k ? 0 : zeros_above(s);
        situ_triangle t = triangle_at(f, s->t + k, above);
        situ_solve_strips(f, s->n - above, &t, strips, x + above * bytes, s->n * bytes);
    }
    f->small->give[f->type](s->n, s->m, x, s->triangles % 2, s->to, s->to_row);
}

/* For more rows: in place, by halves. */
static void solve_halves(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, char *b, int64_t row)
{
    for (int64_t j = 0; j < m && n <= LEAF_ROWS; j += SITU_LANE_COLUMNS) {
        char *at = b + j * f->size;
        solve_leaf(&(solving){.f = f,
            .n = n,
            .m = least(SITU_LANE_COLUMNS, m - j),
            .t = t,
            .triangles = 1,
            .to = at,
            .from = at,
            .to_row = row,
            .from_row = row});
    }
    if (n <= LEAF_ROWS) return;
    int64_t h = half_of(n, SITU_SMALL);
    situ_triangle second = triangle_at(f, t, h);
    char *low = situ_element(f, b, row, h, 0);
    situ_gemm g = {.n = m, .a_row = t->row, .a_column = t->column, .b_row = row, .b_column = 1, .c_row = row};
    if (t->upper) solve_halves(f, n - h, &second, m, low, row);
    else solve_halves(f, h, t, m, b, row);
    g.m = t->upper ? h : n - h;
    g.k = n - g.m;
    g.a = (const char *)t->at + h * (t->upper ? t->column : t->row) * f->size;
    g.b = t->upper ? low : b;
    g.c = t->upper ? b : low;
    situ_subtract_here(f, &g);
    if (t->upper) solve_halves(f, h, t, m, b, row);
    else solve_halves(f, n - h, &second, m, low, row);
}

static void solve_many_rows(const solving *s)
{
    const situ_factoring *f = s->f;
    for (int64_t i = 0; i < s->n; i++) {
        char *to = situ_element(f, s->to, s->to_row, i, 0);
        if (s->from) memmove(to, situ_element(f, s->from, s->from_row, s->order ? s->order[i] : i, 0), (size_t)(s->m * f->size));
        else memset(to, 0, (size_t)(s->m * f->size));
    }
    for (int64_t j = 0; j < s->m && !s->from; j++) situ_element_put(f, s->to, (s->first + j) * s->to_row + j, 1);
    for (int k = 0; k < s->triangles; k++) {
        int64_t above = k ? 0 : zeros_above(s);
        situ_triangle t = triangle_at(f, s->t + k, above);
        solve_halves(f, s->n - above, &t, s->m, situ_element(f, s->to, s->to_row, above, 0), s->to_row);
    }
}

static void solve_task(void *context, int64_t task)
{
    const solving *s = context;
    int64_t units = (s->m + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS, size = s->f->size;
    solving part = *s;
    part.first = units * task / s->tasks * SITU_LANE_COLUMNS;
    part.m = least(units * (task + 1) / s->tasks * SITU_LANE_COLUMNS, s->m) - part.first;
    part.to += part.first * size;
    if (part.from) part.from += part.first * size;
    (s->n <= LEAF_ROWS ? solve_leaf : solve_many_rows)(&part);
}

static void solve(solving s)
{
    int64_t units = (s.m + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS;
    s.tasks = s.n <= LEAF_ROWS || !s.from ? units : least(units, 2 * situ_pool_width()); /* each task packs the solved rows
                                                                                    * for products */
    if (s.m && s.n) situ_host_for(s.f->host, solve_task, &s, s.tasks);
}

void situ_solve_left(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, void *b, int64_t row)
{
    solve((solving){.f = f, .n = n, .m = m, .t = t, .triangles = 1, .to = b, .from = b, .to_row = row, .from_row = row});
}

void situ_solve_from(const situ_factoring *f, int64_t n, const situ_triangle *t, int triangles, int64_t m, void *x,
    const void *from, const int64_t *order)
{
    solve((solving){
        .f = f, .n = n, .m = m, .t = t, .triangles = triangles, .to = x, .from = from, .to_row = m, .from_row = m, .order = order});
}

/* ---- Cholesky ------------------------------------------------------------------------------------------------------------ */

/* Solves X L^T = B. */
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

/* Solves X L^T = B for many rows: they are independent of each other. */
typedef struct rows_right {
    const situ_factoring *f;
    int64_t n, m, row, tasks;
    const situ_triangle *t;
    char *b;
} rows_right;

static void right_task(void *context, int64_t task)
{
    const rows_right *s = context;
    int64_t units = (s->m + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS, first = units * task / s->tasks * SITU_LANE_COLUMNS;
    int64_t end = least(units * (task + 1) / s->tasks * SITU_LANE_COLUMNS, s->m);
    solve_right_here(s->f, s->n, s->t, end - first, situ_element(s->f, s->b, s->row, first, 0), s->row);
}

static bool factor_lower(const situ_factoring *f, int64_t n, void *a, int64_t row)
{
    if (n <= SITU_SMALL) return f->small->cholesky[f->type](n, a, row);
    int64_t h = half_of(n, SITU_SMALL);
    char *below = situ_element(f, a, row, h, 0), *second = situ_element(f, a, row, h, h);
    if (!factor_lower(f, h, a, row)) return false;
    situ_triangle t = {.at = a, .row = row, .column = 1};
    rows_right s = {.f = f, .n = h, .m = n - h, .row = row, .t = &t, .b = below};
    /* each task packs the triangle again */
    s.tasks = least((s.m + SITU_LANE_COLUMNS - 1) / SITU_LANE_COLUMNS, situ_pool_width());
    situ_host_for(f->host, right_task, &s, s.tasks);
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
