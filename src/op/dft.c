/* Mixed radix by decimation in time (J. W. Cooley and J. W. Tukey, 1965); lengths with a large prime factor as a convolution
 * of a length that is a power of 2 (L. I. Bluestein, 1970). O(n log n) for every n. */
#include "op/dft.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

typedef double _Complex number;
enum { LARGEST_PRIME = 31, MOST_FACTORS = 64 };

struct situ_dft {
    int64_t n, factor[MOST_FACTORS];
    int factors;
    situ_dft *inner;  /* Bluestein: a power of 2 of at least 2 n - 1            */
    number *filter;   /* Bluestein: its transform of the conjugated chirp, / its length */
    number root[];    /* e^(-2 pi i k / n); Bluestein: the chirp e^(-pi i k^2 / n) */
};

static number times(number a, number b) { return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b)); }

/* e^(-2 pi i k / n), 0 <= k < n, by an angle of at most pi / 4: rounded as well as sin and cos are. */
static number root_of(int64_t k, int64_t n)
{
    int64_t eighth = 8 * k / n, rest = 8 * k - eighth * n; /* k / n = (eighth + rest / n) / 8 */
    if (eighth & 1) rest = n - rest;
    double angle = 0.78539816339744830962 * ((double)rest / (double)n), c = cos(angle), s = sin(angle);
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

/* Fours, twos, then the odd primes; what is left at the end is 1 or has none up to LARGEST_PRIME. */
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

situ_dft *situ_dft_new(int64_t n)
{
    situ_dft *d = situ_calloc(1, sizeof *d + (size_t)n * sizeof(number));
    if (!d) return NULL;
    d->n = n;
    if (find_factors(d) > 1) {
        if (make_chirp(d)) return d;
        situ_dft_free(d);
        return NULL;
    }
    for (int64_t k = 0; k < n; k++) d->root[k] = root_of(k, n);
    return d;
}

void situ_dft_free(situ_dft *d)
{
    if (!d) return;
    if (d->inner) situ_dft_free(d->inner);
    situ_free(d->filter);
    situ_free(d);
}

int64_t situ_dft_room(const situ_dft *d) { return d->inner ? 2 * d->inner->n : 0; }

static number root(const situ_dft *d, bool inverse, int64_t k) { return inverse ? conj(d->root[k]) : d->root[k]; }

static number quarter(bool inverse, number x) { return inverse ? CMPLX(-cimag(x), creal(x)) : CMPLX(cimag(x), -creal(x)); }

/* p transforms of length m, one behind the other in out, become one of length p m; steps of `step` in the roots. */
static void combine(const situ_dft *d, bool inverse, number *out, int64_t p, int64_t m, int64_t step)
{
    number x[LARGEST_PRIME + 1];
    for (int64_t k = 0; k < m; k++) {
        for (int64_t q = 0; q < p; q++) x[q] = q && k ? times(out[q * m + k], root(d, inverse, q * k * step)) : out[q * m + k];
        if (p == 2) {
            out[k] = x[0] + x[1];
            out[k + m] = x[0] - x[1];
        } else if (p == 4) {
            number a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], e = quarter(inverse, x[1] - x[3]);
            out[k] = a + c;
            out[k + m] = b + e;
            out[k + 2 * m] = a - c;
            out[k + 3 * m] = b - e;
        } else {
            for (int64_t r = 0; r < p; r++) {
                number s = x[0];
                for (int64_t q = 1; q < p; q++) s += times(x[q], root(d, inverse, q * r % p * m * step));
                out[k + r * m] = s;
            }
        }
    }
}

/* Goes down once for each factor: at most 64 deep. */
static void transform(const situ_dft *d, bool inverse, const number *in, int64_t stride, number *out, int64_t n, int level)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int64_t p = d->factor[level], m = n / p;
    for (int64_t q = 0; q < p; q++) transform(d, inverse, in + q * stride, stride * p, out + q * m, m, level + 1);
    combine(d, inverse, out, p, m, stride);
}

/* X_k = w_k sum of (x_j w_j) conj(w_(k-j)), w_k = e^(-pi i k^2 / n). The inverse is that of the conjugate, conjugated. */
static void convolve(const situ_dft *d, bool inverse, const number *in, number *out, number *room)
{
    int64_t length = d->inner->n;
    number *a = room, *b = room + length;
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

void situ_dft_run(const situ_dft *d, bool inverse, const number *in, number *out, number *room)
{
    if (d->inner) convolve(d, inverse, in, out, room);
    else transform(d, inverse, in, 1, out, d->n, 0);
}
