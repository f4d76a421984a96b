/* The secular equation 1 + sum of z^2 / (d - x) = 0: its roots by rational interpolation (R.-C. Li, Solving secular
 * equations stably and efficiently, 1993), each as a distance from the nearer pole; then the z for which these roots
 * are exact, so that vectors are orthogonal however close the roots are (M. Gu and S. C. Eisenstat, 1994). */
#include "backend/cpu/linalg/divide_conquer.h"

#include <math.h>

enum { TASK_ROOTS = 4, TASK_COLUMNS = 64, MOST_STEPS = 100 };

/* Two lanes on every machine: divisions dominate, and are as fast in short vectors. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#define PAIR(p) (*(pair *)(void *)(p))

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static double pole(const situ_secular *s, int64_t j, int64_t i)
{
    double less = s->d[j] - s->d[i];
    return s->squares ? less * (s->d[j] + s->d[i]) : less;
}

static void poles_from(const situ_secular *s, int64_t i, double *to)
{
    int64_t j = 0;
    for (; j + 2 <= s->n; j += 2) {
        pair less = PAIR(s->d + j) - s->d[i];
        if (s->squares) less *= PAIR(s->d + j) + s->d[i];
        PAIR(to + j) = less;
    }
    for (; j < s->n; j++) to[j] = pole(s, j, i);
}

typedef struct sums {
    double value, slope;
} sums;

static sums add_up(int64_t n, const double *poles, const double *weight, double at)
{
    pair value[2] = {{0}}, slope[2] = {{0}};
    double rest = 0, rest_slope = 0;
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int k = 0; k < 2; k++) {
            pair by = 1 / (PAIR(poles + j + 2 * k) - at), part = PAIR(weight + j + 2 * k) * by;
            value[k] += part;
            slope[k] += part * by;
        }
    for (; j < n; j++) {
        double by = 1 / (poles[j] - at), part = weight[j] * by;
        rest += part;
        rest_slope += part * by;
    }
    value[0] += value[1];
    slope[0] += slope[1];
    return (sums){value[0][0] + value[0][1] + rest, slope[0][0] + slope[0][1] + rest_slope};
}

/* The root of c + r / (a - x) + s / (b - x) between a and b; `last`: beyond both. */
static double root_of(double c, double a, double r, double b, double s, bool last)
{
    double sum = c * (a + b) + r + s, product = c * a * b + r * b + s * a, square = sum * sum - 4 * product * c;
    double root = sqrt(square > 0 ? square : 0);
    if (last) return sum >= 0 ? (sum + root) / (2 * c) : 2 * product / (sum - root);
    return sum <= 0 ? (sum - root) / (2 * c) : 2 * product / (sum + root);
}

/* Root i, between poles i and i + 1 or beyond the last one. It is searched as the distance `at` from pole `origin`. */
typedef struct search {
    int64_t split, origin; /* all poles but split and split + 1 are approximated by constants */
    bool last;
    double *row, low, high, at;
} search;

/* Decides in which half of the interval the root is, and makes a first guess. */
static void begin(const situ_secular *s, int64_t i, search *r)
{
    int64_t n = s->n, b = r->split + 1;
    const double *w = s->weight;
    double gap = r->last ? s->sum : pole(s, i + 1, i), half = gap / 2;
    poles_from(s, i, r->row);
    sums left = add_up(b, r->row, w, half), right = add_up(n - b, r->row + b, w + b, half);
    double f = 1 + left.value + right.value, c = f - w[b - 1] / (r->row[b - 1] - half) - w[b] / (r->row[b] - half);
    r->low = f < 0 ? half : 0;
    r->high = f < 0 ? gap : half;
    if (f < 0 && !r->last) {
        r->origin = i + 1;
        poles_from(s, i + 1, r->row);
        r->low = r->row[i] / 2;
        r->high = 0;
    }
    r->at = root_of(c, r->row[b - 1], w[b - 1], r->row[b], w[b], r->last);
    if (!(r->at > r->low && r->at < r->high)) r->at = (r->low + r->high) / 2;
}

static void find(const situ_secular *s, int64_t i)
{
    int64_t n = s->n;
    search r = {.split = i + 1 < n ? i : n - 2, .origin = i, .last = i + 1 == n, .row = s->apart + i * n};
    double error = s->f->size == 4 ? 0x1p-34 : 0x1p-53;
    if (n == 1) r.row[0] = 0, r.at = s->sum;
    else begin(s, i, &r);
    for (int step = 0; step < MOST_STEPS && n > 1; step++) {
        int64_t b = r.split + 1;
        sums left = add_up(b, r.row, s->weight, r.at), right = add_up(n - b, r.row + b, s->weight + b, r.at);
        double f = 1 + left.value + right.value, slope = left.slope + right.slope;
        if (fabs(f) <= error * (8 * (1 + fabs(left.value) + fabs(right.value)) + fabs(r.at) * slope)) break;
        *(f < 0 ? &r.low : &r.high) = r.at;
        double x = r.row[b - 1] - r.at, y = r.row[b] - r.at;
        double next = r.at + root_of(f - x * left.slope - y * right.slope, x, x * x * left.slope, y, y * y * right.slope, r.last);
        if (!(next > r.low && next < r.high)) next = r.low + (r.high - r.low) / 2;
        if (!(next > r.low && next < r.high)) break;
        r.at = next;
    }
    int64_t j = 0;
    for (; j + 2 <= n; j += 2) PAIR(r.row + j) -= r.at;
    if (j < n) r.row[j] -= r.at;
    double d = s->d[r.origin];
    s->value[i] = s->squares ? sqrt(d * d + r.at) : d + r.at;
}

static void find_some(void *context, int64_t task)
{
    const situ_secular *s = context;
    for (int64_t i = task * TASK_ROOTS; i < least(s->n, (task + 1) * TASK_ROOTS); i++) find(s, i);
}

/* product *= row / poles */
static void divide(const situ_secular *s, int64_t first, int64_t end, const double *row, double from, double *product)
{
    const double *d = s->d;
    int64_t j = first;
    for (; j + 2 <= end; j += 2) {
        pair x = PAIR(d + j), by = x - from;
        if (s->squares) by *= x + from;
        PAIR(product + j) *= PAIR(row + j) / by;
    }
    for (; j < end; j++) product[j] *= row[j] / (s->squares ? (d[j] - from) * (d[j] + from) : d[j] - from);
}

/* weight = product of (d - value) / product of differences of d; z^2 is its magnitude. */
static void exact_columns(void *context, int64_t task)
{
    const situ_secular *s = context;
    int64_t n = s->n, first = task * TASK_COLUMNS, end = least(n, first + TASK_COLUMNS);
    for (int64_t j = first; j < end; j++) s->weight[j] = 1;
    for (int64_t i = 0; i < n; i++) {
        const double *row = s->apart + i * n;
        bool inside = i >= first && i < end;
        divide(s, first, inside ? i : end, row, s->d[i], s->weight);
        if (inside) s->weight[i] *= -row[i];
        if (inside) divide(s, i + 1, end, row, s->d[i], s->weight);
    }
    for (int64_t j = first; j < end; j++) s->z[j] = copysign(sqrt(fabs(s->weight[j])), s->z[j]);
}

void situ_secular_solve(situ_secular *s)
{
    s->sum = 0;
    for (int64_t j = 0; j < s->n; j++) s->sum += s->weight[j] = s->z[j] * s->z[j];
    situ_host_for(s->f->host, find_some, s, (s->n + TASK_ROOTS - 1) / TASK_ROOTS);
    situ_host_for(s->f->host, exact_columns, s, (s->n + TASK_COLUMNS - 1) / TASK_COLUMNS);
}

typedef struct vectors {
    const situ_secular *s;
    int side;
} vectors;

static void make_vectors(void *context, int64_t task)
{
    const vectors *v = context;
    const situ_secular *s = v->s;
    int64_t n = s->n;
    for (int64_t i = task * TASK_ROOTS; i < least(n, (task + 1) * TASK_ROOTS); i++) {
        double *row = s->apart + i * n;
        const double *other = v->side ? s->d : s->z;
        pair sum[2] = {{0}};
        int64_t j = 0;
        for (; j < n && j < n % 4; j++) row[j] = v->side ? other[j] * row[j] : other[j] / row[j];
        for (; j < n; j += 2) PAIR(row + j) = v->side ? PAIR(other + j) * PAIR(row + j) : PAIR(other + j) / PAIR(row + j);
        if (v->side) row[0] = -1;
        double rest = 0;
        for (j = 0; j < n % 4; j++) rest += row[j] * row[j];
        for (; j < n; j += 4)
            for (int k = 0; k < 2; k++) sum[k] += PAIR(row + j + 2 * k) * PAIR(row + j + 2 * k);
        sum[0] += sum[1];
        double by = 1 / sqrt(sum[0][0] + sum[0][1] + rest);
        if (s->f->size == 4)
            for (j = 0; j < n; j++) ((float *)(void *)s->factors)[i * n + s->position[j]] = (float)(row[j] * by);
        else
            for (j = 0; j < n; j++) ((double *)(void *)s->factors)[i * n + s->position[j]] = row[j] * by;
    }
}

void situ_secular_vectors(situ_secular *s, int side)
{
    vectors v = {s, side};
    situ_host_for(s->f->host, make_vectors, &v, (s->n + TASK_ROOTS - 1) / TASK_ROOTS);
}
