/* Eigenvalues of symmetric matrices. The matrix is reduced to tridiagonal form by reflections in blocks, and the rest
 * of it is updated by products (J. J. Dongarra, D. C. Sorensen and S. J. Hammarling, 1989). Then divide and conquer
 * down to small parts; or for values alone, QL steps with implicit shifts. */
#include "backend/cpu/linalg/divide_conquer.h"

#include <math.h>
#include <string.h>

#include "math/complex_number.h"
#include "os/fp.h"

enum { BLOCK = SITU_REFLECTORS, MOST_STEPS = 60, TASK_ROWS = 64 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- to tridiagonal form -------- */

typedef struct reducing {
    const situ_factoring *f;
    int64_t n;
    char *a;               /* both triangles */
    char *v, *t;           /* all reflections, as rows; t of each block */
    char *block, *swapped; /* rows of a block: v, w, v, w, ... and w, v, w, v, ...; their product is subtracted from a */
    char *y, *by, *sum;    /* a v; factors of rows, and their sum */
    double *d, *e;         /* the diagonal and the off-diagonal */
    int64_t from;          /* rows and columns to multiply start here */
    const char *x;
} reducing;

static char *row_at(const reducing *r, const char *rows, int64_t i, int64_t at)
{
    return (char *)(uintptr_t)rows + (i * r->n + at) * r->f->size;
}

/* Copies the lower triangle to the upper one, by tiles. */
static void mirror(void *context, int64_t task)
{
    enum { TILE = 16 };
    const reducing *r = context;
    int64_t n = r->n, first = task * TASK_ROWS, end = least(n, first + TASK_ROWS);
    for (int64_t tile = first; tile < n; tile += TILE)
        for (int64_t i = first; i < end; i++)
            for (int64_t k = tile > i ? tile : i + 1; k < least(n, tile + TILE); k++)
                situ_element_copy(r->f, r->a, i * n + k, r->a, k * n + i);
}

static void multiply_rows(void *context, int64_t task)
{
    const reducing *r = context;
    const situ_factoring *f = r->f;
    int64_t first = r->from + task * TASK_ROWS;
    situ_gemm g = {.m = least(TASK_ROWS, r->n - first), .n = 1, .k = r->n - r->from, .a_row = r->n, .a_column = 1, .b_row = 1};
    g.b_column = g.c_row = g.c_column = 1;
    g.a = situ_element(f, r->a, r->n, first, r->from);
    g.b = r->x + r->from * f->size;
    g.c = r->y + first * f->size;
    f->products->dots[f->type](&g);
}

/* Subtracts from y the sum of the block's rows, each multiplied by its factor, from element `at` on. */
static void lessen(const reducing *r, char *y, int64_t at, int64_t have)
{
    const situ_factoring *f = r->f;
    situ_gemm g = {.m = 1, .n = r->n - at, .k = 2 * have, .a = r->by, .a_row = 1, .a_column = 1, .b_row = r->n, .b_column = 1};
    if (!have) return;
    g.b = row_at(r, r->block, 0, at);
    g.c = r->sum;
    g.c_row = r->n;
    f->products->rows[f->type](&g);
    f->small->less[f->type](r->n - at, y + at * f->size, 1, r->sum);
}

/* Row i from column `at` on, less what the block's `have` reflections subtract from it. */
static void lessen_row(const reducing *r, char *row, int64_t i, int64_t at, int64_t have)
{
    for (int64_t k = 0; k < 2 * have; k++) situ_element_copy(r->f, r->by, k, r->swapped, k * r->n + i);
    lessen(r, row, at, have);
}

/* y = (a - what the block subtracts from it) x */
static void multiply(reducing *r, const char *x, int64_t from, int64_t have)
{
    const situ_factoring *f = r->f;
    int64_t m = r->n - from;
    r->from = from;
    r->x = x;
    situ_host_for(f->host, multiply_rows, r, (m + TASK_ROWS - 1) / TASK_ROWS);
    if (!have) return;
    situ_gemm g = {.m = 2 * have, .n = 1, .k = m, .a = row_at(r, r->swapped, 0, from), .a_row = r->n, .a_column = 1, .b_row = 1};
    g.b_column = g.c_row = g.c_column = 1;
    g.b = x + from * f->size;
    g.c = r->by;
    f->products->dots[f->type](&g);
    lessen(r, r->y, from, have);
}

/* Reflection number `have` of a block: maps column c below the diagonal to its first element. */
static void reflect_column(reducing *r, int64_t c, int64_t have)
{
    const situ_factoring *f = r->f;
    int64_t n = r->n, m = n - c - 1, size = f->size;
    char *v = row_at(r, r->v, c, 0), *w = row_at(r, r->block, 2 * have + 1, 0), *y = r->y + (c + 1) * size, *x = v + (c + 1) * size;
    memset(v, 0, (size_t)(n * size));
    memset(w, 0, (size_t)(n * size));
    memcpy(v + c * size, situ_element(f, r->a, n, c, c), (size_t)((m + 1) * size));
    lessen_row(r, v, c, c, have);
    r->d[c] = situ_element_get(f, v, c);
    situ_element_put(f, v, c, 0);
    double t = f->small->reflection[f->type](m, x);
    r->e[c] = situ_element_get(f, x, 0);
    situ_element_put(f, x, 0, 1);
    situ_element_put(f, r->t, c, t);
    multiply(r, v, c + 1, have);
    double half = t * f->small->dot[f->type](m, y, x) / 2;
    f->small->less[f->type](m, y, half, x);
    f->small->less[f->type](m, w + (c + 1) * size, -t, y);
    memcpy(row_at(r, r->block, 2 * have, 0), v, (size_t)(n * size));
    memcpy(row_at(r, r->swapped, 2 * have, 0), w, (size_t)(n * size));
    memcpy(row_at(r, r->swapped, 2 * have + 1, 0), v, (size_t)(n * size));
}

static void to_tridiagonal(reducing *r)
{
    const situ_factoring *f = r->f;
    int64_t n = r->n, c = 0;
    while (c + 2 < n) {
        int64_t have = 0;
        for (; have < BLOCK && c + 2 < n; have++, c++) reflect_column(r, c, have);
        if (c + 2 >= n && have < BLOCK) { /* the rest of the matrix is reduced row by row */
            for (int64_t i = c; i < n; i++) lessen_row(r, situ_element(f, r->a, n, i, 0), i, c, have);
            break;
        }
        situ_gemm g = {.m = n - c, .n = n - c, .k = 2 * BLOCK, .a_row = 1, .a_column = n, .b_row = n, .b_column = 1, .c_row = n};
        g.a = row_at(r, r->block, 0, c);
        g.b = row_at(r, r->swapped, 0, c);
        g.c = situ_element(f, r->a, n, c, c);
        situ_subtract(f, &g, false);
    }
    for (; c < n; c++) {
        r->d[c] = situ_element_get(f, r->a, c * n + c);
        if (c + 1 < n) r->e[c] = situ_element_get(f, r->a, (c + 1) * n + c);
    }
}

/* ---- QL steps (H. Bowdler, R. S. Martin, C. Reinsch and J. H. Wilkinson, 1968) -------- */

typedef struct steps {
    const situ_factoring *f;
    double *d, *e;
    int64_t n, row, count;
    char *z; /* vectors as rows, or NULL */
    situ_rotation rotation[SITU_PART];
} steps;

static void apply_rotations(steps *s)
{
    if (s->count) s->f->small->rotate[s->f->type](s->count, s->rotation, s->n, s->z, s->row);
    s->count = 0;
}

/* A QL step from row m up to row l. */
static void step(steps *t, int64_t l, int64_t m)
{
    double *d = t->d, *e = t->e;
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = situ_hypot_f64(g, 1), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + copysign(r, g));
    for (int64_t i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        e[i + 1] = r = sqrt(f * f + g * g);
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (t->z) t->rotation[t->count++] = (situ_rotation){i, c, s};
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* d becomes the eigenvalues. False if the iteration does not converge. */
static bool diagonalise(steps *s)
{
    int64_t n = s->n;
    double norm = 0, small = situ_rotation_error(s->f), *d = s->d, *e = s->e;
    e[n - 1] = 0;
    for (int64_t i = 0; i < n; i++) norm = fmax(norm, fabs(d[i]) + fabs(e[i]));
    for (int64_t l = 0; l < n; l++)
        for (int tries = 0;; tries++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > small * (fabs(d[m]) + fabs(d[m + 1])) && fabs(e[m]) > small / 2 * norm) m++;
            if (m == l) break;
            if (tries == MOST_STEPS) return false;
            step(s, l, m);
            apply_rotations(s);
        }
    return true;
}

static bool solve_leaf(const situ_halves *h, int64_t at, int64_t n, int64_t more)
{
    double e[SITU_PART];
    int64_t size = h->f->size;
    uint64_t word = situ_fp_save();
    (void)more;
    steps s = {.f = h->f, .d = h->d + at, .e = e, .n = n, .row = h->row, .z = h->z[0] + (at * h->row + at) * size};
    memcpy(e, h->e + at, (size_t)n * sizeof *e);
    for (int64_t i = 0; i < n; i++) {
        memset(s.z + i * h->row * size, 0, (size_t)(n * size));
        situ_element_put(h->f, s.z, i * h->row + i, 1);
    }
    situ_fp_flush(); /* vectors that begin as an identity contain many numbers that decrease to subnormal ones, which are slow */
    bool good = diagonalise(&s);
    situ_fp_restore(word);
    return good;
}

/* ---- the whole -------- */

size_t situ_symmetric_bytes(int64_t n, int64_t size)
{
    return (size_t)(situ_round_to_lines(n * (n + situ_padded_row(n)) * size) + situ_round_to_lines(4 * BLOCK * n * size) +
               situ_round_to_lines((3 * n + 2 * BLOCK) * size) + situ_round_to_lines(24 * n)) +
        4096 + situ_halves_bytes(n, size) + situ_reflected_bytes(n, 1, size) + (size_t)(BLOCK * BLOCK * size);
}

static void order(int64_t n, const double *d, int64_t *position)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && d[position[k - 1]] > d[i]; k--) position[k] = position[k - 1];
        position[k] = i;
    }
}

void situ_factor_symmetric(const situ_factoring *f, int64_t n, void *a, double *w, void *out, char *space)
{
    int64_t size = f->size;
    reducing r = {.f = f, .n = n, .a = a, .v = space};
    char *z = r.v + n * n * size;
    r.block = space + situ_round_to_lines(n * (n + situ_padded_row(n)) * size);
    r.swapped = r.block + 2 * BLOCK * n * size;
    r.y = r.block + situ_round_to_lines(4 * BLOCK * n * size);
    r.t = r.y + n * size;
    r.sum = r.t + n * size;
    r.by = r.sum + n * size;
    r.d = (double *)(void *)(r.y + situ_round_to_lines((3 * n + 2 * BLOCK) * size));
    r.e = r.d + n;
    int64_t *position = (int64_t *)(void *)(r.e + n);
    char *rest = (char *)r.d + situ_round_to_lines(24 * n);
    steps s = {.f = f, .d = r.d, .e = r.e, .n = n};
    situ_halves h = {.f = f, .sides = 1, .n = n, .row = situ_padded_row(n), .d = r.d, .e = r.e, .z = {z}, .leaf = solve_leaf};
    if (out) situ_halves_place(&h, rest);
    situ_host_for(f->host, mirror, &r, (n + TASK_ROWS - 1) / TASK_ROWS);
    double by = situ_factor_scale(f, n * n, a);
    bool good = !isnan(by);
    if (good) {
        to_tridiagonal(&r);
        good = out ? situ_halves_solve(&h) : diagonalise(&s);
        order(n, r.d, position);
    }
    for (int64_t i = 0; i < n; i++) w[i] = good ? r.d[position[i]] * by : NAN;
    if (out && good) {
        situ_rows_to_columns(f, n, z, position, out, n + 1);
        situ_reflect_back(f, n, 1, n - 2, r.v, r.t, out, n, n + 1, rest);
    }
    for (int64_t i = 0; out && i < n; i++) {
        for (int64_t k = 0; !good && k < n; k++) situ_element_put(f, out, i * (n + 1) + k, NAN);
        situ_element_put(f, out, i * (n + 1) + n, w[i]);
    }
}
