/* Fourier transforms: mixed radix by decimation in time (J. W. Cooley and J. W. Tukey, 1965); lengths with a large
 * prime factor by a convolution whose length is a power of 2 (L. I. Bluestein, 1970). O(n log n) for every n. */
#include "numeric/dft.h"

#include <math.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"
#include "math/f64.h"

typedef double _Complex number;
enum { LARGEST_PRIME = 31, MOST_FACTORS = 64 };

struct situ_dft {
    int64_t n, factor[MOST_FACTORS];
    int factors;
    int64_t first[MOST_FACTORS]; /* [level] start of its roots */
    situ_dft *inner;             /* Bluestein: the transform of the convolution, a power of 2 of at least 2 n - 1 */
    number *filter;              /* Bluestein: the transform of the conjugated chirp, divided by its length */
    number root[];               /* roots of unity by level; Bluestein: the chirp e^(-pi i k^2 / n) */
};

static number times(number a, number b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* A point of the unit circle: c and s are cosine and sine of the angle's distance from a multiple of pi / 2; `eighth`
 * says in which eighth of the circle (clockwise) the point lies. */
static number place(int64_t eighth, double c, double s)
{
    switch (eighth) {
    case 0: return CMPLX(c, -s);
    case 1: return CMPLX(s, -c);
    case 2: return CMPLX(-s, -c);
    case 3: return CMPLX(-c, -s);
    case 4: return CMPLX(-c, s);
    case 5: return CMPLX(-s, c);
    case 6: return CMPLX(s, c);
    default: return CMPLX(c, s);
    }
}

/* e^(-2 pi i k / n), 0 <= k < n, from an angle of at most pi / 4, so that it is as precise as sin and cos there. */
static number root_of(int64_t k, int64_t n)
{
    int64_t eighth = 8 * k / n, rest = 8 * k - eighth * n; /* k / n = (eighth + rest / n) / 8 */
    if (eighth & 1) rest = n - rest;
    double angle = 0.78539816339744830962 * ((double)rest / (double)n);
    return place(eighth, situ_f64_cos(angle), situ_f64_sin(angle));
}

void situ_dft_root(int64_t k, int64_t n, double *to)
{
    number root = root_of(k, n);
    to[0] = creal(root);
    to[1] = cimag(root);
}

/* If 8 divides n, an eighth of the circle gives the others. */
void situ_dft_roots(int64_t n, double *all)
{
    number *to = (number *)(void *)all;
    int64_t part = n % 8 ? n : n / 8;
    for (int64_t k = 0; k <= part && k < n; k++) to[k] = root_of(k, n);
    for (int64_t k = part + 1, at = 1, eighth = 1; k < n; k++, at++) {
        if (at == part) at = 0, eighth++;
        number root = to[eighth & 1 ? part - at : at];
        to[k] = place(eighth, creal(root), -cimag(root));
    }
}

/* Finds the factors: fours, twos, then odd primes up to LARGEST_PRIME. What is left is 1, or has larger prime factors. */
static int64_t find_factors(situ_dft *d)
{
    int64_t rest = d->n;
    for (int64_t p = 4; p <= LARGEST_PRIME; p = p == 4 ? 2 : p == 2 ? 3 : p + 2)
        for (; rest % p == 0 && rest > 1; rest /= p) d->factor[d->factors++] = p;
    return rest;
}

static bool make_chirp(situ_dft *d)
{
    int64_t length = 1;
    while (length < 2 * d->n - 1) length *= 2;
    d->inner = situ_dft_new(length);
    d->filter = situ_malloc(2 * (size_t)length * sizeof(number));
    if (!d->inner || !d->filter) return false;
    number *chirp = d->filter + length;
    memset(chirp, 0, (size_t)length * sizeof *chirp);
    for (int64_t k = 0, square = 0; k < d->n; square = (square + 2 * k + 1) % (2 * d->n), k++) {
        d->root[k] = root_of(square, 2 * d->n);
        chirp[k] = conj(d->root[k]);
        if (k) chirp[length - k] = chirp[k];
    }
    situ_dft_run(d->inner, false, chirp, d->filter, NULL);
    for (int64_t k = 0; k < length; k++) d->filter[k] = d->filter[k] / (double)length;
    return true;
}

/* Roots for each level, whose transforms have length n = p m: the p roots of unity, then e^(-2 pi i q k / n) for each
 * k < m, 0 < q < p. */
static bool make_roots(situ_dft *d)
{
    number *to = d->root, *all = situ_malloc((size_t)d->n * sizeof *all);
    int64_t n = d->n, step = 1;
    if (!all) return false;
    situ_dft_roots(n, (double *)(void *)all);
    for (int level = 0; level < d->factors; level++) {
        int64_t p = d->factor[level], m = n / p;
        d->first[level] = to - d->root;
        for (int64_t r = 0; r < p; r++) *to++ = all[r * m * step];
        for (int64_t k = 0; k < m; k++)
            for (int64_t q = 1; q < p; q++) *to++ = all[q * k * step];
        n = m;
        step *= p;
    }
    situ_free(all);
    return true;
}

situ_dft *situ_dft_new(int64_t n)
{
    situ_dft *d = situ_calloc(1, sizeof *d + (2 * (size_t)n + 2 * MOST_FACTORS) * sizeof(number));
    if (!d) return NULL;
    d->n = n;
    if (find_factors(d) > 1 ? make_chirp(d) : make_roots(d)) return d;
    situ_dft_free(d);
    return NULL;
}

void situ_dft_free(situ_dft *d)
{
    if (!d) return;
    if (d->inner) situ_dft_free(d->inner);
    situ_free(d->filter);
    situ_free(d);
}

int64_t situ_dft_scratch(const situ_dft *d) { return d->inner ? 2 * d->inner->n : 0; }

#define INLINE static inline __attribute__((always_inline))

INLINE number rotated(bool inverse, number x, number w) { return times(x, inverse ? conj(w) : w); }
INLINE number quarter(bool inverse, number x) { return inverse ? CMPLX(-cimag(x), creal(x)) : CMPLX(cimag(x), -creal(x)); }

/* Transforms p numbers, m apart; w: the p roots of unity. */
INLINE void butterfly(bool inverse, number *out, int64_t p, int64_t m, const number *x, const number *w)
{
    if (p == 2) {
        out[0] = x[0] + x[1];
        out[m] = x[0] - x[1];
    } else if (p == 4) {
        number a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], e = quarter(inverse, x[1] - x[3]);
        out[0] = a + c;
        out[m] = b + e;
        out[2 * m] = a - c;
        out[3 * m] = b - e;
    } else { /* odd p: x_q and x_(p-q) have equal cosines and opposite sines */
        int64_t half = p / 2;
        number even[LARGEST_PRIME / 2 + 1], odd[LARGEST_PRIME / 2 + 1], all = x[0];
        for (int64_t q = 1; q <= half; q++) {
            even[q] = x[q] + x[p - q];
            odd[q] = x[q] - x[p - q];
            all += even[q];
        }
        out[0] = all;
        for (int64_t r = 1; r <= half; r++) {
            number c = x[0], t = 0;
            for (int64_t q = 1, at = r; q <= half; q++, at = at + r < p ? at + r : at + r - p) {
                c += even[q] * creal(w[at]);
                t -= odd[q] * cimag(w[at]);
            }
            t = quarter(inverse, t);
            out[r * m] = c + t;
            out[(p - r) * m] = c - t;
        }
    }
}

/* Combines p transforms of length m, consecutive in out, into one of length p m. */
INLINE void combine(bool inverse, number *out, int64_t p, int64_t m, const number *w)
{
    const number *twiddle = w + p;
    number x[LARGEST_PRIME + 1];
    for (int64_t k = 0; k < m; k++, twiddle += p - 1) {
        x[0] = out[k];
        for (int64_t q = 1; q < p; q++) x[q] = rotated(inverse, out[q * m + k], twiddle[q - 1]);
        butterfly(inverse, out + k, p, m, x, w);
    }
}

INLINE void combine_by(bool inverse, number *out, int64_t p, int64_t m, const number *w)
{
    switch (p) {
    case 2: combine(inverse, out, 2, m, w); break;
    case 3: combine(inverse, out, 3, m, w); break;
    case 4: combine(inverse, out, 4, m, w); break;
    case 5: combine(inverse, out, 5, m, w); break;
    case 7: combine(inverse, out, 7, m, w); break;
    default: combine(inverse, out, p, m, w); break;
    }
}

/* Recursive, once for each factor: at most 64 deep. */
static void transform(const situ_dft *d, bool inverse, const number *in, int64_t stride, number *out, int64_t n, int level)
{
    int64_t p = d->factor[level], m = n / p;
    const number *w = d->root + d->first[level];
    for (int64_t q = 0; q < p; q++) {
        if (m > 1) transform(d, inverse, in + q * stride, stride * p, out + q * m, m, level + 1);
        else out[q] = in[q * stride];
    }
    if (inverse) combine_by(true, out, p, m, w);
    else combine_by(false, out, p, m, w);
}

/* Bluestein: X_k = w_k sum of (x_j w_j) conj(w_(k-j)), w_k = e^(-pi i k^2 / n). The inverse is the conjugate of the
 * transform of the conjugate. */
static void convolve(const situ_dft *d, bool inverse, const number *in, number *out, number *space)
{
    int64_t length = d->inner->n;
    number *a = space, *b = space + length;
    memset(a, 0, (size_t)length * sizeof *a);
    for (int64_t k = 0; k < d->n; k++) a[k] = times(inverse ? conj(in[k]) : in[k], d->root[k]);
    situ_dft_run(d->inner, false, a, b, NULL);
    for (int64_t k = 0; k < length; k++) b[k] = times(b[k], d->filter[k]);
    situ_dft_run(d->inner, true, b, a, NULL);
    for (int64_t k = 0; k < d->n; k++) {
        number y = times(a[k], d->root[k]);
        out[k] = inverse ? conj(y) : y;
    }
}

void situ_dft_run(const situ_dft *d, bool inverse, const number *in, number *out, number *space)
{
    if (d->inner) convolve(d, inverse, in, out, space);
    else if (d->n == 1) out[0] = in[0];
    else transform(d, inverse, in, 1, out, d->n, 0);
}
