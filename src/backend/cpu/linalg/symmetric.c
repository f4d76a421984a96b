/* Eigenvalues of symmetric matrices: to tridiagonal form by reflections in blocks, what they do to the rest of the matrix by
 * products (J. J. Dongarra, D. C. Sorensen and S. J. Hammarling, 1989), then QL steps with implicit shifts, whose rotations turn
 * rows of vectors. */
#include "backend/cpu/linalg/linalg.h"

#include <math.h>
#include <string.h>

enum { BLOCK = SITU_REFLECTORS, MOST_STEPS = 60, TASK_ROWS = 64 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- to tridiagonal form -------- */

typedef struct reducing {
    const situ_factoring *f;
    int64_t n;
    char *a;         /* both triangles */
    char *v, *t;     /* all reflections, by rows; of each block */
    char *block, *y; /* V, W, V of a block, by rows; a v */
    double *d, *e;   /* the diagonal, what is beside it */
    int64_t from;    /* rows and columns that are multiplied */
    const char *x;
} reducing;

static char *row_at(const reducing *r, char *rows, int64_t i, int64_t at) { return rows + (i * r->n + at) * r->f->size; }

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

/* Column c, from row c on, of the matrix without what the block's `have` reflections take from it, as a row. */
static void take_column(reducing *r, int64_t c, int64_t have, char *to)
{
    const situ_factoring *f = r->f;
    int64_t m = r->n - c;
    memcpy(to + c * f->size, situ_element(f, r->a, r->n, c, c), (size_t)(m * f->size));
    for (int64_t k = 0; k < have; k++) {
        char *v = row_at(r, r->block, k, c), *w = row_at(r, r->block, BLOCK + k, c);
        f->small->less[f->type](m, to + c * f->size, situ_element_get(f, w, 0), v);
        f->small->less[f->type](m, to + c * f->size, situ_element_get(f, v, 0), w);
    }
}

/* Reflection number `have` of a block takes what is below column c's diagonal to its first element. */
static void reflect_column(reducing *r, int64_t c, int64_t have)
{
    const situ_factoring *f = r->f;
    int64_t n = r->n, m = n - c - 1, size = f->size;
    char *v = row_at(r, r->v, c, 0), *w = row_at(r, r->block, BLOCK + have, 0), *y = r->y + (c + 1) * size, *x = v + (c + 1) * size;
    memset(v, 0, (size_t)(n * size));
    memset(w, 0, (size_t)(n * size));
    take_column(r, c, have, v);
    r->d[c] = situ_element_get(f, v, c);
    situ_element_put(f, v, c, 0);
    double t = f->small->reflection[f->type](m, x);
    r->e[c] = situ_element_get(f, x, 0);
    situ_element_put(f, x, 0, 1);
    situ_element_put(f, r->t, c, t);
    r->from = c + 1;
    r->x = v;
    situ_host_for(f->host, multiply_rows, r, (m + TASK_ROWS - 1) / TASK_ROWS);
    for (int64_t k = 0; k < have; k++) {
        char *vk = row_at(r, r->block, k, c + 1), *wk = row_at(r, r->block, BLOCK + k, c + 1);
        double by_w = f->small->dot[f->type](m, wk, x), by_v = f->small->dot[f->type](m, vk, x);
        f->small->less[f->type](m, y, by_w, vk);
        f->small->less[f->type](m, y, by_v, wk);
    }
    double half = t * f->small->dot[f->type](m, y, x) / 2;
    f->small->less[f->type](m, y, half, x);
    f->small->less[f->type](m, w + (c + 1) * size, -t, y);
    memcpy(row_at(r, r->block, have, 0), v, (size_t)(n * size));
}

static void to_tridiagonal(reducing *r)
{
    const situ_factoring *f = r->f;
    int64_t n = r->n, size = f->size, c = 0;
    while (c + 2 < n) {
        int64_t have = 0;
        for (; have < BLOCK && c + 2 < n; have++, c++) reflect_column(r, c, have);
        if (c + 2 >= n && have < BLOCK) { /* what is left of the matrix is taken column by column */
            for (int64_t i = c; i < n; i++) {
                char *row = situ_element(f, r->a, n, i, 0);
                for (int64_t k = 0; k < have; k++) {
                    char *v = row_at(r, r->block, k, 0), *w = row_at(r, r->block, BLOCK + k, 0);
                    f->small->less[f->type](n - c, row + c * size, situ_element_get(f, w, i), v + c * size);
                    f->small->less[f->type](n - c, row + c * size, situ_element_get(f, v, i), w + c * size);
                }
            }
            break;
        }
        memcpy(row_at(r, r->block, 2 * BLOCK, 0), r->block, (size_t)(BLOCK * n * size));
        situ_gemm g = {.m = n - c, .n = n - c, .k = 2 * BLOCK, .a_row = 1, .a_column = n, .b_row = n, .b_column = 1, .c_row = n};
        g.a = row_at(r, r->block, 0, c);
        g.b = row_at(r, r->block, BLOCK, c);
        g.c = situ_element(f, r->a, n, c, c);
        situ_subtract(f, &g, false);
    }
    for (; c < n; c++) {
        r->d[c] = situ_element_get(f, r->a, c * n + c);
        if (c + 1 < n) r->e[c] = situ_element_get(f, r->a, (c + 1) * n + c);
    }
}

/* ---- QL steps (H. Bowdler, R. S. Martin, C. Reinsch and J. H. Wilkinson, 1968) -------- */

/* From row m up to row l. */
static void step(situ_turning *t, double *d, double *e, int64_t l, int64_t m)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1), s = 1, c = 1, p = 0;
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

/* d becomes the eigenvalues. False: it does not converge. */
static bool diagonalise(situ_turning *t, double *d, double *e)
{
    int64_t n = t->n;
    double norm = 0, small = situ_turning_error(t->f);
    e[n - 1] = 0;
    for (int64_t i = 0; i < n; i++) norm = fmax(norm, fabs(d[i]) + fabs(e[i]));
    for (int64_t l = 0; l < n; l++)
        for (int tries = 0;; tries++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > small * (fabs(d[m]) + fabs(d[m + 1])) && fabs(e[m]) > small / 2 * norm) m++;
            if (m == l) break;
            if (tries == MOST_STEPS) return false;
            if (t->count >= SITU_ROTATIONS) situ_turn_rows(t);
            step(t, d, e, l, m);
        }
    situ_turn_rows(t);
    return true;
}

/* ---- the whole -------- */

size_t situ_symmetric_room(int64_t n, int64_t size)
{
    int64_t rotations = situ_turning_room(n);
    return (size_t)(situ_room_up(n * (n + situ_turned_row(n)) * size) + situ_room_up(3 * BLOCK * n * size) +
               situ_room_up(2 * n * size) + situ_room_up(24 * n) + situ_room_up(rotations)) +
        4096 + situ_reflected_room(n, 1, size) + (size_t)(BLOCK * BLOCK * size);
}

static void order(int64_t n, const double *d, int64_t *place)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && d[place[k - 1]] > d[i]; k--) place[k] = place[k - 1];
        place[k] = i;
    }
}

/* The rows of z, in order, as columns, then turned back. */
static void vectors(const reducing *r, const char *z, const int64_t *place, void *out, char *room)
{
    const situ_factoring *f = r->f;
    int64_t n = r->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            situ_element_put(f, out, i * (n + 1) + k, situ_element_get(f, z, place[k] * situ_turned_row(n) + i));
    situ_reflect_back(f, n, 1, n - 2, r->v, r->t, out, n, n + 1, room);
}

void situ_factor_symmetric(const situ_factoring *f, int64_t n, void *a, double *w, void *out, char *room)
{
    int64_t size = f->size;
    reducing r = {.f = f, .n = n, .a = a, .v = room};
    char *z = r.v + n * n * size;
    r.block = room + situ_room_up(n * (n + situ_turned_row(n)) * size);
    r.y = r.block + situ_room_up(3 * BLOCK * n * size);
    r.t = r.y + n * size;
    r.d = (double *)(void *)(r.y + situ_room_up(2 * n * size));
    r.e = r.d + n;
    int64_t *place = (int64_t *)(void *)(r.e + n);
    char *rotations = (char *)r.d + situ_room_up(24 * n), *rest = rotations + situ_room_up(situ_turning_room(n));
    situ_turning t = situ_turning_of(f, n, out ? z : NULL, rotations);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++) situ_element_copy(f, a, k * n + i, a, i * n + k);
    double by = situ_factor_scale(f, n * n, a);
    bool good = !isnan(by);
    if (good) {
        to_tridiagonal(&r);
        for (int64_t i = 0; i < n && t.z; i++) situ_element_put(f, z, i * t.row + i, 1);
        good = diagonalise(&t, r.d, r.e);
        order(n, r.d, place);
    }
    for (int64_t i = 0; i < n; i++) w[i] = good ? r.d[place[i]] * by : NAN;
    if (out && good) vectors(&r, z, place, out, rest);
    for (int64_t i = 0; out && i < n; i++) {
        for (int64_t k = 0; !good && k < n; k++) situ_element_put(f, out, i * (n + 1) + k, NAN);
        situ_element_put(f, out, i * (n + 1) + n, w[i]);
    }
}
