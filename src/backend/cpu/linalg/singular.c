/* Singular values. A square matrix is reduced to bidiagonal form by reflections from both sides in blocks, and the rest
 * of it is updated by products (J. J. Dongarra, D. C. Sorensen and S. J. Hammarling, 1989). Then divide and conquer
 * down to small parts; or for values alone, QR steps with implicit shifts (G. H. Golub and C. Reinsch, 1970), without a
 * shift if a value is 0 (J. Demmel and W. Kahan, 1990). */
#include "backend/cpu/linalg/divide_conquer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/complex_number.h"
#include "os/fp.h"

enum { BLOCK = 24, MOST_STEPS = 60, PATIENCE = 8, TASK_ROWS = 64, TASK_COLUMNS = 128 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- to bidiagonal form -------- */

/* While a block is reduced, the matrix is a - V Y^T - X W^T. */
typedef struct reducing {
    const situ_factoring *f;
    int64_t n;
    char *a;
    char *v[2], *t[2];     /* reflections of columns and of rows, as rows; their factors t */
    char *V, *X, *Y, *W;   /* of a block, as rows; X follows V, W follows Y in memory */
    char *by, *sum, *next; /* factors of rows, their sum, a vector */
    double *d, *e;         /* the diagonal and the superdiagonal */
    int64_t from;          /* columns (rows) to multiply start here; elements of x start at `first` */
    int64_t first;
    const char *x;
} reducing;

static char *row_at(const reducing *r, const char *rows, int64_t i, int64_t at)
{
    return (char *)(uintptr_t)rows + (i * r->n + at) * r->f->size;
}

/* next = a^T x */
static void multiply_columns(void *context, int64_t task)
{
    const reducing *r = context;
    const situ_factoring *f = r->f;
    int64_t at = r->from + task * TASK_COLUMNS;
    situ_gemm g = {.m = 1, .n = least(TASK_COLUMNS, r->n - at), .k = r->n - r->first, .a_row = 1, .a_column = 1};
    g.a = r->x + r->first * f->size;
    g.b = row_at(r, r->a, r->first, at);
    g.b_row = g.c_row = r->n;
    g.b_column = g.c_column = 1;
    g.c = r->next + at * f->size;
    f->products->rows[f->type](&g);
}

/* next = a x */
static void multiply_rows(void *context, int64_t task)
{
    const reducing *r = context;
    const situ_factoring *f = r->f;
    int64_t at = r->from + task * TASK_ROWS;
    situ_gemm g = {.m = least(TASK_ROWS, r->n - at), .n = 1, .k = r->n - r->first, .a_row = r->n, .a_column = 1, .b_row = 1};
    g.b_column = g.c_row = g.c_column = 1;
    g.a = row_at(r, r->a, at, r->first);
    g.b = r->x + r->first * f->size;
    g.c = r->next + at * f->size;
    f->products->dots[f->type](&g);
}

/* Subtracts from y the sum of `have` rows, each multiplied by its factor, from element `at` on. */
static void lessen(const reducing *r, char *y, int64_t at, int64_t have, const char *rows)
{
    const situ_factoring *f = r->f;
    if (!have || at == r->n) return;
    situ_gemm g = {.m = 1, .n = r->n - at, .k = have, .a = r->by, .a_row = 1, .a_column = 1, .b_row = r->n, .b_column = 1};
    g.b = row_at(r, rows, 0, at);
    g.c = r->sum;
    g.c_row = r->n;
    g.c_column = 1;
    f->products->rows[f->type](&g);
    f->small->less[f->type](r->n - at, y + at * f->size, 1, r->sum);
}

/* y -= rows^T (others x), for elements of y from `to` on and of x from `at` on. */
static void lessen_by(const reducing *r, char *y, int64_t to, int64_t have, const char *rows, const char *others, int64_t at)
{
    const situ_factoring *f = r->f;
    if (!have) return;
    situ_gemm g = {.m = have, .n = 1, .k = r->n - at, .a = row_at(r, others, 0, at), .a_row = r->n, .a_column = 1, .b_row = 1};
    g.b_column = g.c_row = g.c_column = 1;
    g.b = r->x + at * f->size;
    g.c = r->by;
    f->products->dots[f->type](&g);
    lessen(r, y, to, have, rows);
}

static void lessen_at(const reducing *r, char *y, int64_t at, int64_t have, const char *rows, const char *others, int64_t c)
{
    for (int64_t k = 0; k < have; k++) situ_element_copy(r->f, r->by, k, others, k * r->n + c);
    lessen(r, y, at, have, rows);
}

/* Turns the elements of x from `at` on into reflection number c of its side, stored also at `copy`. Returns the element
 * that remains of x. */
static double reflect(reducing *r, int side, int64_t c, int64_t at, char *x, char *copy)
{
    const situ_factoring *f = r->f;
    double t = f->small->reflection[f->type](r->n - at, x + at * f->size), left = situ_element_get(f, x, at);
    situ_element_put(f, x, at, 1);
    situ_element_put(f, r->t[side], c, t);
    memcpy(copy, x, (size_t)(r->n * f->size));
    r->x = x;
    r->first = at;
    r->from = c + 1;
    return left;
}

/* to = t next, with zeros up to column c. */
static void finish(const reducing *r, int side, int64_t c, char *to)
{
    const situ_factoring *f = r->f;
    int64_t at = (c + 1) * f->size;
    memset(to, 0, (size_t)(r->n * f->size));
    f->small->less[f->type](r->n - c - 1, to + at, -situ_element_get(f, r->t[side], c), r->next + at);
}

static void reflect_column(reducing *r, int64_t c, int64_t have)
{
    int64_t n = r->n, behind = n - c - 1;
    char *x = row_at(r, r->v[0], c, 0);
    memset(x, 0, (size_t)(n * r->f->size));
    for (int64_t i = c; i < n; i++) situ_element_copy(r->f, x, i, r->a, i * n + c);
    lessen_at(r, x, c, have, r->V, r->Y, c);
    lessen_at(r, x, c, have, r->X, r->W, c);
    r->d[c] = reflect(r, 0, c, c, x, row_at(r, r->V, have, 0));
    situ_host_for(r->f->host, multiply_columns, r, (behind + TASK_COLUMNS - 1) / TASK_COLUMNS);
    lessen_by(r, r->next, c + 1, have, r->Y, r->V, c);
    lessen_by(r, r->next, c + 1, have, r->W, r->X, c);
    finish(r, 0, c, row_at(r, r->Y, have, 0));
}

static void reflect_row(reducing *r, int64_t c, int64_t have)
{
    int64_t n = r->n, behind = n - c - 1, size = r->f->size;
    char *x = row_at(r, r->v[1], c, 0);
    memset(x, 0, (size_t)((c + 1) * size));
    memcpy(x + (c + 1) * size, row_at(r, r->a, c, c + 1), (size_t)(behind * size));
    lessen_at(r, x, c + 1, have + 1, r->Y, r->V, c);
    lessen_at(r, x, c + 1, have, r->W, r->X, c);
    r->e[c] = reflect(r, 1, c, c + 1, x, row_at(r, r->W, have, 0));
    situ_host_for(r->f->host, multiply_rows, r, (behind + TASK_ROWS - 1) / TASK_ROWS);
    lessen_by(r, r->next, c + 1, have + 1, r->V, r->Y, c + 1);
    lessen_by(r, r->next, c + 1, have, r->X, r->W, c + 1);
    finish(r, 1, c, row_at(r, r->X, have, 0));
}

static void to_bidiagonal(reducing *r)
{
    int64_t n = r->n, c = 0;
    while (c < n) {
        for (int64_t have = 0; have < BLOCK && c < n; have++, c++) {
            reflect_column(r, c, have);
            if (c + 1 < n) reflect_row(r, c, have);
        }
        if (c == n) break;
        situ_gemm g = {.m = n - c, .n = n - c, .k = 2 * BLOCK, .a_row = 1, .a_column = n, .b_row = n, .b_column = 1, .c_row = n};
        g.a = row_at(r, r->V, 0, c);
        g.b = row_at(r, r->Y, 0, c);
        g.c = row_at(r, r->a, c, c);
        situ_subtract(r->f, &g, false);
    }
}

/* ---- QR steps -------- */

/* QR steps on the diagonal d and superdiagonal, rows l to m. Vectors have their rows in reverse order, as `rotate`
 * needs. */
typedef struct steps {
    const situ_factoring *f;
    double *d, *e, small;
    int64_t n, row, columns[2], count; /* count: rotations collected for each side */
    char *z[2];                        /* vectors as rows: right ones, left ones; or NULL */
    situ_rotation rotation[2][SITU_PART];
} steps;

typedef struct angle {
    double c, s, r;
} angle;

/* The rotation with c x + s y = r and c y - s x = 0. */
static angle of(double x, double y)
{
    double square = x * x + y * y, r = square > 0x1p-900 && square < 0x1p900 ? sqrt(square) : situ_hypot_f64(x, y);
    return r == 0 ? (angle){1, 0, 0} : (angle){x / r, y / r, r};
}

static void note(steps *s, int64_t i, angle right, angle left)
{
    if (!s->z[0]) return;
    s->rotation[0][s->count] = (situ_rotation){s->n - 2 - i, right.c, right.s};
    s->rotation[1][s->count++] = (situ_rotation){s->n - 2 - i, left.c, left.s};
}

static void apply_rotations(steps *s)
{
    for (int side = 0; side < 2 && s->count; side++)
        s->f->small->rotate[s->f->type](s->count, s->rotation[side], s->columns[side], s->z[side], s->row);
    s->count = 0;
}

static void step(steps *s, int64_t l, int64_t m, double shift)
{
    double *d = s->d, *e = s->e, f = (fabs(d[l]) - shift) * (copysign(1, d[l]) + shift / d[l]), g = e[l];
    for (int64_t i = l; i < m; i++) {
        angle right = of(f, g);
        if (i > l) e[i - 1] = right.r;
        f = right.c * d[i] + right.s * e[i];
        e[i] = right.c * e[i] - right.s * d[i];
        g = right.s * d[i + 1];
        d[i + 1] *= right.c;
        angle left = of(f, g);
        d[i] = left.r;
        f = left.c * e[i] + left.s * d[i + 1];
        d[i + 1] = left.c * d[i + 1] - left.s * e[i];
        if (i + 1 < m) {
            g = left.s * e[i + 1];
            e[i + 1] *= left.c;
        }
        note(s, i, right, left);
    }
    e[m - 1] = f;
}

static void step_without_shift(steps *s, int64_t l, int64_t m)
{
    double *d = s->d, *e = s->e;
    angle right = {1, 0, 0}, left = right;
    for (int64_t i = l; i < m; i++) {
        right = of(d[i] * right.c, e[i]);
        if (i > l) e[i - 1] = left.s * right.r;
        left = of(left.c * right.r, d[i + 1] * right.s);
        d[i] = left.r;
        note(s, i, right, left);
    }
    double last = d[m] * right.c;
    d[m] = last * left.c;
    e[m - 1] = last * left.s;
}

/* The smaller singular value of [x, y; 0, z]: the two have the product x z, and their sum and difference are square
 * roots. */
static double smaller(double x, double y, double z)
{
    double more = fabs(x) + fabs(z), less = fabs(x) - fabs(z), sum = sqrt(more * more + y * y) + sqrt(less * less + y * y);
    return sum == 0 ? 0 : 2 * fabs(x) * (fabs(z) / sum);
}

/* Returns false if the iteration does not converge. */
static bool diagonalise(steps *s)
{
    double *d = s->d, *e = s->e;
    int tries = 0;
    for (int64_t m = s->n - 1, l; m > 0;) {
        double small = tries > PATIENCE ? tries * s->small : s->small; /* after many steps accept more: the differences
                                                                        * of equal values may be only rounding errors */
        for (l = m; l > 0 && fabs(e[l - 1]) > small; l--) {}
        if (l == m) {
            m--;
            tries = 0;
            continue;
        }
        if (tries++ == MOST_STEPS) return false;
        bool zero = false;
        for (int64_t i = l; i <= m; i++)
            if (fabs(d[i]) <= s->small) d[i] = 0, zero = true;
        double shift = zero ? 0 : smaller(d[m - 1], e[m - 1], d[m]), part = zero ? 0 : shift / d[l];
        if (part * part < DBL_EPSILON) step_without_shift(s, l, m);
        else step(s, l, m, shift);
        apply_rotations(s);
    }
    return true;
}

static bool diagonalise_all(steps *s)
{
    s->small = 0;
    for (int64_t i = 0; i < s->n; i++) s->small = fmax(s->small, fmax(fabs(s->d[i]), i + 1 < s->n ? fabs(s->e[i]) : 0));
    /* d and e contain rounding errors themselves */
    s->small *= s->f->size == 4 ? situ_rotation_error(s->f) : 8 * situ_rotation_error(s->f);
    return diagonalise(s);
}

/* Rotates the extra column into the columns before it, from the last row up. */
static void rotate_away(steps *s)
{
    double over = s->e[s->n - 1];
    for (int64_t i = s->n - 1; i >= 0; i--) {
        angle a = of(s->d[i], over);
        situ_rotation r = {0, a.c, a.s};
        s->f->small->rotate[s->f->type](1, &r, s->n + 1, s->z[0] + s->n * s->row * s->f->size, (-1 - i) * s->row);
        s->d[i] = a.r;
        if (!i) return;
        over = -a.s * s->e[i - 1];
        s->e[i - 1] *= a.c;
    }
}

static bool solve_leaf(const situ_halves *h, int64_t at, int64_t n, int64_t more)
{
    double e[SITU_PART];
    int64_t size = h->f->size;
    uint64_t word = situ_fp_save();
    steps s = {.f = h->f, .d = h->d + at, .e = e, .n = n, .row = h->row, .columns = {n + more, n}};
    memcpy(e, h->e + at, (size_t)n * sizeof *e);
    for (int side = 0; side < 2; side++) {
        s.z[side] = h->z[side] + (at * h->row + at) * size;
        for (int64_t i = 0; i < s.columns[side]; i++) {
            memset(s.z[side] + i * h->row * size, 0, (size_t)(s.columns[side] * size));
            situ_element_put(h->f, s.z[side], i * h->row + (i < n ? n - 1 - i : n), 1);
        }
    }
    situ_fp_flush(); /* vectors that begin as an identity contain many numbers that decrease to subnormal ones, which are slow */
    if (more) rotate_away(&s);
    bool good = diagonalise_all(&s);
    situ_fp_restore(word);
    for (int64_t i = 0; i < n; i++) e[n - 1 - i] = s.d[i];
    for (int64_t i = 0; i < n; i++) {
        s.d[i] = fabs(e[i]);
        if (e[i] < 0) h->f->small->negate[h->f->type](n + more, s.z[0] + i * h->row * size);
    }
    return good;
}

/* ---- the whole -------- */

size_t situ_singular_bytes(int64_t n, int64_t size)
{
    return (size_t)(situ_round_to_lines(2 * n * (n + situ_padded_row(n)) * size) + situ_round_to_lines(4 * BLOCK * n * size) +
               situ_round_to_lines((4 * n + BLOCK) * size) + situ_round_to_lines(24 * n)) +
        4096 + situ_halves_bytes(n, size) + situ_reflected_bytes(n, 1, size) + (size_t)(SITU_REFLECTORS * SITU_REFLECTORS * size);
}

static void order(int64_t n, const double *d, int64_t *position)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && fabs(d[position[k - 1]]) < fabs(d[i]); k--) position[k] = position[k - 1];
        position[k] = i;
    }
}

bool situ_factor_singular(const situ_factoring *f, int64_t n, void *a, double *w, void *u, int64_t u_row, void *v, char *space)
{
    int64_t size = f->size, all = n * n * size;
    reducing r = {.f = f, .n = n, .a = a, .v = {space, space + all}};
    int64_t row = situ_padded_row(n), turned = n * row * size;
    r.V = space + situ_round_to_lines(2 * (all + turned));
    r.X = r.V + BLOCK * n * size;
    r.Y = r.X + BLOCK * n * size;
    r.W = r.Y + BLOCK * n * size;
    r.t[0] = r.V + situ_round_to_lines(4 * BLOCK * n * size);
    r.t[1] = r.t[0] + n * size;
    r.sum = r.t[1] + n * size;
    r.next = r.sum + n * size;
    r.by = r.next + n * size;
    r.d = (double *)(void *)(r.t[0] + situ_round_to_lines((4 * n + BLOCK) * size));
    r.e = r.d + n;
    int64_t *position = (int64_t *)(void *)(r.e + n);
    char *rest = (char *)r.d + situ_round_to_lines(24 * n);
    to_bidiagonal(&r);
    steps s = {.f = f, .d = r.d, .e = r.e, .n = n};
    situ_halves h = {.f = f, .sides = 2, .n = n, .row = row, .d = r.d, .e = r.e, .leaf = solve_leaf};
    for (int side = 0; side < 2; side++) h.z[side] = space + 2 * all + side * turned;
    if (u) situ_halves_place(&h, rest);
    if (!(u ? situ_halves_solve(&h) : diagonalise_all(&s))) return false;
    order(n, r.d, position);
    for (int64_t i = 0; i < n; i++) w[i] = fabs(r.d[position[i]]);
    if (!u) return true;
    situ_rows_to_columns(f, n, h.z[1], position, u, u_row);
    situ_rows_to_columns(f, n, h.z[0], position, v, n);
    situ_reflect_back(f, n, 0, n, r.v[0], r.t[0], u, n, u_row, rest);
    situ_reflect_back(f, n, 1, n - 1, r.v[1], r.t[1], v, n, n, rest);
    return true;
}
