/* Divide and conquer for tridiagonal and bidiagonal matrices. In the basis of the two halves' vectors, the whole is a
 * diagonal matrix plus one vector z. Its values are roots of the secular equation (secular.c), and its vectors are
 * products of the halves' vectors (J. J. M. Cuppen, 1981; M. Gu and S. C. Eisenstat, A divide-and-conquer algorithm for
 * the bidiagonal SVD, 1995, and for the symmetric tridiagonal eigenproblem, 1995). Components that change values by no
 * more than rounding are removed first ("deflation"). */
#include "backend/cpu/linalg/divide_conquer.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/pool.h"
#include "math/complex_number.h"

/* Rows and columns from `at` on; it has `more` columns than rows (0 or 1). */
typedef struct part {
    int64_t at, n, more;
} part;

/* Where a vector is not 0: in the left half's columns, everywhere, in the right half's columns. */
enum { LEFT, BOTH, RIGHT, KINDS };

typedef struct merge {
    const situ_halves *h;
    situ_factoring f;
    part p;
    int64_t left;             /* number of columns of the left half */
    bool wide;                /* use all threads */
    int64_t *order, *dropped; /* rows: kept ones ordered by d; deflated ones */
    int64_t kept, drops;
    int64_t group[KINDS + 1]; /* start of the kept rows of each kind, once they are ordered by kind */
    double *d, *z;            /* one element for each row */
    int64_t *kind;
    situ_secular s;
} merge;

static char *vector_at(const merge *m, int side, int64_t row, int64_t column)
{
    return m->h->z[side] + (row * m->h->row + column) * m->f.size;
}

static int64_t columns_of(const merge *m, int side) { return m->p.n + (side ? 0 : m->p.more); }

/* ---- what is between the halves -------- */

/* Fills the columns that a vector of the left or right kind does not have with 0. */
static void widen(const merge *m, int64_t row)
{
    int64_t kind = m->kind[row], end = m->p.at + m->left, size = m->f.size;
    for (int side = 0; side < m->h->sides && kind != BOTH; side++)
        if (kind == LEFT) memset(vector_at(m, side, row, end), 0, (size_t)((columns_of(m, side) - m->left) * size));
        else memset(vector_at(m, side, row, m->p.at), 0, (size_t)(m->left * size));
    m->kind[row] = BOTH;
}

/* Rotates two vectors: x becomes c x - s y, y becomes c y + s x. */
static void rotate_vectors(const merge *m, int side, int64_t x, int64_t y, double c, double s)
{
    situ_rotation r = {0, c, s};
    m->f.small->rotate[m->f.type](1, &r, columns_of(m, side), vector_at(m, side, x, m->p.at), (y - x) * m->h->row);
}

static double first_of(const merge *m, int64_t row, int64_t column)
{
    return situ_element_get(&m->f, vector_at(m, 0, row, column), 0);
}

static void meet_tridiagonal(const merge *m)
{
    int64_t at = m->p.at, end = at + m->left;
    double e = m->h->e[end - 1], root = sqrt(fabs(e));
    for (int64_t r = at; r < at + m->p.n; r++) {
        m->kind[r] = r < end ? LEFT : RIGHT;
        m->z[r] = r < end ? root * first_of(m, r, end - 1) : copysign(root, e) * first_of(m, r, end);
    }
}

/* Bidiagonal case: makes z from the row between the halves, which becomes number `middle` of the left vectors. The
 * right vector with this number is the one that the left half leaves free; if the right half leaves one free, too, they
 * are rotated so that z has no component of the other. */
static void meet_bidiagonal(const merge *m)
{
    int64_t at = m->p.at, end = at + m->p.n, middle = at + m->left - 1, size = m->f.size;
    double alpha = m->d[middle], beta = m->h->e[middle];
    size_t others = (size_t)((columns_of(m, 0) - m->left) * size);
    for (int64_t r = at; r < end + m->p.more; r++) {
        m->kind[r] = r <= middle ? LEFT : RIGHT;
        m->z[r] = r <= middle ? alpha * first_of(m, r, middle) : beta * first_of(m, r, middle + 1);
        if (r < middle) situ_element_put(&m->f, vector_at(m, 1, r, middle), 0, 0);
    }
    m->d[middle] = 0;
    m->kind[middle] = BOTH;
    memset(vector_at(m, 1, middle, at), 0, (size_t)(m->p.n * size));
    situ_element_put(&m->f, vector_at(m, 1, middle, middle), 0, 1);
    memset(vector_at(m, 0, middle, middle + 1), 0, others);
    if (!m->p.more) return;
    double r = situ_hypot_f64(m->z[middle], m->z[end]);
    memset(vector_at(m, 0, end, at), 0, (size_t)(m->left * size));
    if (r > 0) rotate_vectors(m, 0, end, middle, m->z[middle] / r, m->z[end] / r);
    m->z[middle] = r;
}

static void sort(const merge *m)
{
    const double *d = m->d;
    int64_t n = 0, at = m->p.at, first = m->h->sides - 1; /* the row between the halves stays first */
    if (first) m->order[n++] = at + m->left - 1;
    for (int64_t i = at; i < at + m->p.n; i++) {
        int64_t k = n;
        if (first && i == m->order[0]) continue;
        for (; k > first && d[m->order[k - 1]] > d[i]; k--) m->order[k] = m->order[k - 1];
        m->order[k] = i;
        n++;
    }
}

static void keep(merge *m, int64_t row) { m->order[m->kept++] = row; }
static void drop(merge *m, int64_t row)
{
    widen(m, row);
    m->dropped[m->drops++] = row;
}

/* Rotates two rows with nearly equal values so that one of them has no component in z; it is then deflated. False if
 * the values are not close enough. */
static bool join(const merge *m, int64_t x, int64_t y, double error)
{
    double *d = m->d, size = situ_hypot_f64(m->z[x], m->z[y]), c = m->z[y] / size, s = m->z[x] / size;
    double dx = d[x], dy = d[y];
    if (fabs((dy - dx) * c * s) > error) return false;
    if (m->kind[x] != m->kind[y]) widen(m, x), widen(m, y);
    for (int side = 0; side < m->h->sides; side++) rotate_vectors(m, side, x, y, c, s);
    d[x] = dx * c * c + dy * s * s;
    d[y] = dx * s * s + dy * c * c;
    m->z[y] = size;
    m->z[x] = 0;
    return true;
}

static void leave_out(merge *m)
{
    double *d = m->d, most = 0, norm = 0;
    int64_t n = m->p.n, last = -1, first = m->h->sides - 1;
    for (int64_t r = m->p.at; r < m->p.at + n; r++) {
        most = fmax(most, fabs(d[r]));
        norm = situ_hypot_f64(norm, m->z[r]);
    }
    double error = fmax(m->h->least, (m->f.size == 4 ? 0x1p-26 : 0x1p-50) * fmax(most, first ? norm : norm * norm)),
           least = first ? error : error / norm;
    if (first && error > 0) {
        if (fabs(m->z[m->order[0]]) < error) m->z[m->order[0]] = error;
        keep(m, m->order[0]);
    } else {
        first = 0; /* all of z is 0 */
    }
    for (int64_t i = first; i < n; i++) {
        int64_t r = m->order[i];
        if (!(fabs(m->z[r]) > least)) {
            drop(m, r);
            continue;
        }
        if (last >= 0 && join(m, last, r, error)) drop(m, last);
        else if (last >= 0) keep(m, last);
        last = r;
    }
    if (last >= 0) keep(m, last);
    if (first && m->kept > 1) d[m->order[1]] = fmax(d[m->order[1]], error / 2);
}

/* ---- vectors -------- */

static void group(merge *m)
{
    int64_t next[KINDS];
    memset(m->group, 0, sizeof m->group);
    for (int64_t i = 0; i < m->kept; i++) m->group[m->kind[m->order[i]] + 1]++;
    for (int k = 0; k < KINDS; k++) {
        m->group[k + 1] += m->group[k];
        next[k] = m->group[k];
    }
    for (int64_t i = 0; i < m->kept; i++) m->h->position[m->p.at + i] = next[m->kind[m->order[i]]]++;
}

static void multiply(const merge *m, situ_gemm *g, int kind, int64_t end)
{
    g->k = m->group[end] - m->group[kind];
    if (m->wide) situ_subtract(&m->f, g, false);
    else situ_subtract_here(&m->f, g);
}

/* Updates the vectors of one side: kept ones are multiplied by the factors, deflated ones follow unchanged. */
static void multiply_vectors(const merge *m, int side)
{
    int64_t at = m->p.at, row = m->h->row, columns = columns_of(m, side), size = m->f.size;
    char *w = m->h->w + (at * row + at) * size, *z = vector_at(m, side, at, at), *factors = m->s.factors;
    size_t bytes = (size_t)(columns * size);
    for (int64_t i = 0; i < m->kept; i++) {
        int64_t kind = m->kind[m->order[i]], from = kind == RIGHT ? m->left : 0, end = kind == LEFT ? m->left : columns;
        memcpy(w + (m->h->position[m->p.at + i] * row + from) * size, vector_at(m, side, m->order[i], at + from),
            (size_t)((end - from) * size));
    }
    for (int64_t i = 0; i < m->drops; i++) memcpy(w + (m->kept + i) * row * size, vector_at(m, side, m->dropped[i], at), bytes);
    for (int64_t i = 0; i < m->kept; i++) memset(z + i * row * size, 0, bytes);
    situ_gemm g = {.m = m->kept, .n = m->left, .a = factors, .a_row = m->kept, .a_column = 1, .b = w, .b_row = row, .b_column = 1};
    g.c = z;
    g.c_row = row;
    if (m->kept) multiply(m, &g, LEFT, RIGHT);
    g.n = columns - m->left;
    g.a = factors + m->group[BOTH] * size;
    g.b = w + (m->group[BOTH] * row + m->left) * size;
    g.c = z + m->left * size;
    if (m->kept) multiply(m, &g, BOTH, KINDS);
    for (int64_t i = m->kept; i < m->kept + m->drops; i++) memcpy(z + i * row * size, w + i * row * size, bytes);
}

static void merge_halves(const situ_halves *h, part p, bool wide)
{
    int64_t at = p.at;
    situ_host alone = *h->f->host;
    merge m = {.h = h, .f = *h->f, .p = p, .left = p.n / 2 + h->sides - 1, .wide = wide, .d = h->d, .z = h->part, .kind = h->kind};
    m.order = h->order + at;
    m.dropped = h->dropped + at;
    alone.parallel &= wide;
    m.f.host = &alone;
    if (h->sides == 1) meet_tridiagonal(&m);
    else meet_bidiagonal(&m);
    sort(&m);
    leave_out(&m);
    group(&m);
    m.s = (situ_secular){
        .f = &m.f, .n = m.kept, .squares = h->sides == 2, .position = h->position + at, .d = h->kept + at, .z = h->by + at};
    m.s.weight = h->weight + at;
    m.s.value = h->value + at;
    m.s.apart = h->apart + at * h->n;
    m.s.factors = h->factors + at * h->n * h->f->size;
    for (int64_t i = 0; i < m.kept; i++) {
        m.s.d[i] = m.d[m.order[i]];
        m.s.z[i] = m.z[m.order[i]];
    }
    for (int64_t i = 0; i < m.drops; i++) m.z[at + i] = m.d[m.dropped[i]];
    situ_secular_solve(&m.s);
    for (int side = 0; side < h->sides; side++) {
        situ_secular_vectors(&m.s, side);
        multiply_vectors(&m, side);
    }
    memcpy(m.d + at, m.s.value, (size_t)m.kept * sizeof *m.d);
    memcpy(m.d + at + m.kept, m.z + at, (size_t)m.drops * sizeof *m.d);
}

/* ---- all of it -------- */

typedef struct level {
    const situ_halves *h;
    int depth;
    atomic_int failed;
} level;

/* Part `number` of a depth of the recursion, from the left. Between the halves of a bidiagonal matrix there is one
 * row. */
static part part_of(const situ_halves *h, int depth, int64_t number)
{
    part p = {0, h->n, 0};
    while (depth-- > 0) {
        int64_t left = p.n / 2, between = h->sides - 1;
        if (number >> depth & 1) p = (part){p.at + left + between, p.n - left - between, p.more};
        else p = (part){p.at, left, between};
    }
    return p;
}

static void solve_leaf(void *context, int64_t number)
{
    level *l = context;
    part p = part_of(l->h, l->depth, number);
    if (!l->h->leaf(l->h, p.at, p.n, p.more)) atomic_store(&l->failed, 1);
}

static void merge_parts(void *context, int64_t number)
{
    const level *l = context;
    merge_halves(l->h, part_of(l->h, l->depth, number), false);
}

/* Sets numbers to 0 that are so small beside the largest that their squares, or those of their differences, would
 * underflow. */
static void flatten(situ_halves *h)
{
    double most = 0;
    for (int64_t i = 0; i < h->n; i++) most = fmax(most, fmax(fabs(h->d[i]), i + 1 < h->n ? fabs(h->e[i]) : 0));
    h->least = 0x1p-150 * most;
    for (int64_t i = 0; i + 1 < h->n; i++)
        if (fabs(h->e[i]) < h->least) h->e[i] = 0;
}

bool situ_halves_solve(situ_halves *h)
{
    level l = {.h = h};
    flatten(h);
    while (part_of(h, l.depth, h->sides == 1 ? ((int64_t)1 << l.depth) - 1 : 0).n > SITU_PART) l.depth++; /* the largest part */
    for (int depth = 0; depth < l.depth && h->sides == 1; depth++)
        for (int64_t i = 0; i < (int64_t)1 << depth; i++) { /* subtracts the off-diagonal element from both neighbours
                                                             * on the diagonal, so that the coupling is exactly z z^T */
            part p = part_of(h, depth, i);
            int64_t end = p.at + p.n / 2;
            h->d[end - 1] -= fabs(h->e[end - 1]);
            h->d[end] -= fabs(h->e[end - 1]);
        }
    situ_host_for(h->f->host, solve_leaf, &l, (int64_t)1 << l.depth);
    if (atomic_load(&l.failed)) return false;
    while (l.depth-- > 0) {
        int64_t count = (int64_t)1 << l.depth;
        if (count >= situ_pool_width()) situ_host_for(h->f->host, merge_parts, &l, count);
        else
            for (int64_t i = 0; i < count; i++) merge_halves(h, part_of(h, l.depth, i), true);
    }
    return true;
}

size_t situ_halves_bytes(int64_t n, int64_t size)
{
    return (size_t)(situ_round_to_lines(n * situ_padded_row(n) * size) + situ_round_to_lines(n * n * size) +
        situ_round_to_lines(8 * n * n) + 9 * situ_round_to_lines(8 * n));
}

void situ_halves_place(situ_halves *h, char *space)
{
    int64_t n = h->n, size = h->f->size, step = situ_round_to_lines(8 * n);
    h->w = space;
    h->factors = h->w + situ_round_to_lines(n * h->row * size);
    h->apart = (double *)(void *)(h->factors + situ_round_to_lines(n * n * size));
    char *rest = (char *)h->apart + situ_round_to_lines(8 * n * n);
    int64_t **whole[] = {&h->order, &h->dropped, &h->position, &h->kind};
    double **real[] = {&h->part, &h->kept, &h->by, &h->weight, &h->value};
    for (int i = 0; i < 4; i++, rest += step) *whole[i] = (int64_t *)(void *)rest;
    for (int i = 0; i < 5; i++, rest += step) *real[i] = (double *)(void *)rest;
}
