/* Eigenvalues of general matrices: reduction to Hessenberg form by reflections, then the QR iteration with single
 * shifts (Golub and Van Loan, 7.4 and 7.5), all in complex numbers. */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/complex.h"
#include "math/complex_number.h"
#include "numeric/matrix.h"

typedef situ_complex_f64 number;

static number times(number a, number b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}
static double size_of(number a) { return fabs(creal(a)) + fabs(cimag(a)); }
static double length_of(number a) { return situ_hypot_f64(creal(a), cimag(a)); }

/* The complex square root, by the same operations on every processor. */
static number root_of(number a)
{
    double x = creal(a), y = cimag(a), size = length_of(a);
    if (size == 0) return a;
    if (x > 0) {
        double re = sqrt(0.5 * (size + x));
        return CMPLX(re, 0.5 * (y / re));
    }
    double im = sqrt(0.5 * (size - x));
    return CMPLX(fabs(0.5 * (y / im)), copysign(im, y));
}

/* z <- z H for a reflection H = 1 - t v v^H with v in x[first ... n-1]. */
static void reflect_right(int64_t rows, int64_t n, number *z, int64_t first, const number *x, number t)
{
    for (int64_t i = 0; i < rows; i++) {
        number s = 0, *row = z + i * n;
        for (int64_t j = first; j < n; j++) s += times(row[j], x[j]);
        s = times(s, t);
        for (int64_t j = first; j < n; j++) row[j] -= times(s, conj(x[j]));
    }
}

static void reflect_left(int64_t n, number *a, int64_t first, const number *x, number t)
{
    for (int64_t j = 0; j < n; j++) {
        number s = 0;
        for (int64_t i = first; i < n; i++) s += times(conj(x[i]), a[i * n + j]);
        s = times(s, t);
        for (int64_t i = first; i < n; i++) a[i * n + j] -= times(s, x[i]);
    }
}

/* a <- Q^H a Q, with zeros below the first subdiagonal; z <- z Q. x: scratch, n numbers. */
static void to_hessenberg(int64_t n, number *a, number *z, number *x)
{
    for (int64_t k = 0; k + 2 < n; k++) {
        double norm = 0;
        for (int64_t i = k + 1; i < n; i++) {
            x[i] = a[i * n + k];
            norm = situ_hypot_f64(norm, length_of(x[i]));
        }
        double rest = 0;
        for (int64_t i = k + 2; i < n; i++) rest = fmax(rest, size_of(x[i]));
        if (rest == 0) continue;
        number first = x[k + 1], phase = first == 0 ? 1 : first / length_of(first);
        x[k + 1] += phase * norm;
        double length = 0;
        for (int64_t i = k + 1; i < n; i++) length = situ_hypot_f64(length, length_of(x[i]));
        for (int64_t i = k + 1; i < n; i++) x[i] = x[i] / length;
        reflect_left(n, a, k + 1, x, 2);
        reflect_right(n, n, a, k + 1, x, 2);
        if (z) reflect_right(n, n, z, k + 1, x, 2);
        for (int64_t i = k + 2; i < n; i++) a[i * n + k] = 0;
    }
}

/* The shift: the eigenvalue of the last 2 by 2 block that is nearer to its last element. */
static number shift_of(int64_t n, const number *a, int64_t end)
{
    number p = a[(end - 1) * n + end - 1], q = a[(end - 1) * n + end], r = a[end * n + end - 1], s = a[end * n + end];
    number half = (p - s) / 2, product = times(q, r), root = root_of(times(half, half) + product);
    if (creal(times(half, conj(root))) < 0) root = -root;
    number below = half + root;
    return below == 0 ? s - root : s - situ_divide(product, below);
}

/* A QR step on rows and columns first ... end of the Hessenberg matrix: a - shift = QR, a <- RQ + shift, by rotations. */
static void qr_step(int64_t n, number *a, number *z, int64_t first, int64_t end, number shift)
{
    number x = a[first * n + first] - shift, y = a[(first + 1) * n + first];
    for (int64_t k = first; k < end; k++) {
        double r = situ_hypot_f64(length_of(x), length_of(y));
        number c = r == 0 ? 1 : x / r, s = r == 0 ? 0 : y / r;
        int64_t left = k > first ? k - 1 : k, most = k + 2 < end ? k + 2 : end;
        for (int64_t j = left; j < n; j++) {
            number u = a[k * n + j], v = a[(k + 1) * n + j];
            a[k * n + j] = times(conj(c), u) + times(conj(s), v);
            a[(k + 1) * n + j] = times(c, v) - times(s, u);
        }
        for (int64_t i = 0; i <= most; i++) {
            number u = a[i * n + k], v = a[i * n + k + 1];
            a[i * n + k] = times(c, u) + times(s, v);
            a[i * n + k + 1] = times(conj(c), v) - times(conj(s), u);
        }
        for (int64_t i = 0; z && i < n; i++) {
            number u = z[i * n + k], v = z[i * n + k + 1];
            z[i * n + k] = times(c, u) + times(s, v);
            z[i * n + k + 1] = times(conj(c), v) - times(conj(s), u);
        }
        if (k > first) a[(k + 1) * n + k - 1] = 0;
        if (k + 1 < end) {
            x = a[(k + 1) * n + k];
            y = a[(k + 2) * n + k];
        }
    }
}

/* Computes the Schur form: a becomes upper triangular, with its eigenvalues on the diagonal. */
static bool to_triangle(int64_t n, number *a, number *z)
{
    int64_t end = n - 1;
    for (int tries = 0; end > 0; tries++) {
        int64_t first = end;
        for (; first > 0; first--) {
            double near = size_of(a[first * n + first]) + size_of(a[(first - 1) * n + first - 1]);
            if (size_of(a[first * n + first - 1]) > DBL_EPSILON * near && size_of(a[first * n + first - 1]) > DBL_MIN) continue;
            a[first * n + first - 1] = 0;
            break;
        }
        if (first == end) {
            end--;
            tries = 0;
            continue;
        }
        if (tries > 300) return false;
        bool stuck = tries % 10 == 9;
        number shift = stuck ? a[end * n + end] + size_of(a[end * n + end - 1]) : shift_of(n, a, end);
        qr_step(n, a, z, first, end, shift);
    }
    return true;
}

/* Eigenvector k of the triangular matrix, then of the original one: v <- z x, normalised. */
static void vector_of(int64_t n, const number *a, const number *z, int64_t k, double least, number *x, number *v)
{
    for (int64_t i = 0; i < n; i++) x[i] = i == k;
    for (int64_t i = k; i-- > 0;) {
        number s = 0, gap = a[k * n + k] - a[i * n + i];
        for (int64_t j = i + 1; j <= k; j++) s += times(a[i * n + j], x[j]);
        if (size_of(gap) < least) gap = least;
        x[i] = situ_divide(s, gap);
        double size = size_of(x[i]);
        if (size < 1e100) continue;
        for (int64_t j = i; j <= k; j++) x[j] = x[j] / size;
    }
    double length = 0;
    for (int64_t i = 0; i < n; i++) {
        number s = 0;
        for (int64_t j = 0; j <= k; j++) s += times(z[i * n + j], x[j]);
        v[i * n + k] = s;
        length = situ_hypot_f64(length, length_of(s));
    }
    for (int64_t i = 0; i < n && length > 0; i++) v[i * n + k] = v[i * n + k] / length;
}

bool situ_eig_complex(int64_t n, number *a, number *w, number *v, number *work)
{
    number *z = v ? work : NULL;
    double most = 0, unit = situ_scale_complex(n * n, a); /* so that a shift's square does not overflow */
    if (unit != unit) return false;
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = a[i] / unit;
        most = fmax(most, size_of(a[i]));
    }
    for (int64_t i = 0; z && i < n * n; i++) z[i] = i % (n + 1) == 0;
    to_hessenberg(n, a, z, w);
    if (!to_triangle(n, a, z)) return false;
    double least = fmax(DBL_EPSILON * most, DBL_MIN);
    for (int64_t k = 0; v && k < n; k++) vector_of(n, a, z, k, least, w, v);
    for (int64_t i = 0; i < n; i++) w[i] = a[i * n + i] * unit;
    return true;
}
