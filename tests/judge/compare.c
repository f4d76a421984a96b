/* When two values count as equal, and when a value is close enough to the interpreter's. */
#include <math.h>
#include <string.h>

#include "judge.h"

static bool same_part(situ_dtype d, const unsigned char *a, const unsigned char *b)
{
    if (!memcmp(a, b, size_of(d))) return true;
    value x = {.dtype = d, .bits = (unsigned char *)a}, y = {.dtype = d, .bits = (unsigned char *)b};
    return isnan(get_f(&x, 0)) && isnan(get_f(&y, 0)); /* the payload of a NaN is unspecified */
}

bool same_bits(const value *a, const value *b, int64_t *at)
{
    *at = -1;
    if (a->dtype != b->dtype || a->ndim != b->ndim || a->count != b->count) return false;
    size_t n = size_of(a->dtype);
    if (!a->count || !memcmp(a->bits, b->bits, (size_t)a->count * n)) return true;
    if (rank_of(a->dtype) < 2) n = n + 0;
    for (int64_t i = 0; i < a->count; i++) {
        const unsigned char *x = a->bits + (size_t)i * n, *y = b->bits + (size_t)i * n;
        if (!memcmp(x, y, n)) continue;
        situ_dtype d = part_of(a->dtype);
        bool same = rank_of(a->dtype) >= 2 && same_part(d, x, y) && (d == a->dtype || same_part(d, x + n / 2, y + n / 2));
        if (same) continue;
        *at = i;
        return false;
    }
    return true;
}

/* For cards, whose last bits are specified for few operations only (docs/gpu.md): integers must be equal, other
 * elements close relative to the largest one. Sums that overflow in another order may be infinite or NaN. */
bool near_bits(const value *a, const value *b, int64_t *at)
{
    if (same_bits(a, b, at)) return true;
    if (*at < 0 || rank_of(a->dtype) < 2) return false;
    situ_dtype d = part_of(a->dtype);
    double largest = 0, part = d == SITU_F64 ? 1e-9 : d == SITU_F32 ? 1e-4 : d == SITU_F16 ? 1e-2 : 5e-2;
    for (int64_t i = 0; i < a->count; i++) {
        double z[2];
        get_c(a, i, z);
        for (int k = 0; k < 2; k++)
            if (isfinite(z[k])) largest = fmax(largest, fabs(z[k]));
    }
    for (int64_t i = 0; i < a->count; i++) {
        double z[2], w[2];
        get_c(a, i, z), get_c(b, i, w);
        bool odd = false, same = true;
        for (int k = 0; k < 2; k++) {
            odd |= !isfinite(z[k]) || !isfinite(w[k]);
            same = same && (fabs(z[k] - w[k]) <= part * largest || (!isfinite(z[k]) && !isfinite(w[k])));
        }
        if (same || (odd && is_complex(a->dtype))) continue;
        *at = i;
        return false;
    }
    return true;
}

void describe(const value *v, int64_t i, char *text, size_t size)
{
    double z[2];
    if (rank_of(v->dtype) < 2) {
        if (is_signed(v->dtype)) snprintf(text, size, "%lld", (long long)get_u(v, i));
        else snprintf(text, size, "%llu", (unsigned long long)get_u(v, i));
    } else if (is_complex(v->dtype)) {
        get_c(v, i, z);
        snprintf(text, size, "%.17g%+.17gi", z[0], z[1]);
    } else {
        snprintf(text, size, "%.17g", get_f(v, i));
    }
}

static bool near(const value *want, const value *got, int64_t i)
{
    double slack = want->slack ? want->slack[i] : 0;
    if (is_complex(want->dtype)) { /* conventions for complex infinities and NaN differ */
        double z[2], w[2];
        get_c(want, i, z), get_c(got, i, w);
        if (!want->slack) return false;
        if (!isfinite(z[0]) || !isfinite(z[1]) || !isfinite(w[0]) || !isfinite(w[1])) return !(fabs(z[0]) + fabs(z[1]) < 1e30);
        return fabs(z[0] - w[0]) <= slack && fabs(z[1] - w[1]) <= slack;
    }
    if (rank_of(want->dtype) < 2) return false;
    double a = get_f(want, i), b = get_f(got, i);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (a == b) return slack > 0;
    if (isinf(a) || isinf(b)) { /* the largest number may round to infinity */
        double finite = isinf(a) ? b : a, infinite = isinf(a) ? a : b;
        double most = want->dtype == SITU_F16 ? 65504 : want->dtype == SITU_F64 ? 1.797e308 : 3.38e38;
        return slack > 0 && isfinite(finite) && (infinite > 0 ? finite : -finite) + slack >= most;
    }
    return fabs(a - b) <= slack;
}

static void shape_text(const value *v, char *text, size_t size)
{
    int n = snprintf(text, size, "%s[", situ_dtype_name(v->dtype));
    for (int i = 0; i < v->ndim; i++) n += snprintf(text + n, size - (size_t)n, "%s%lld", i ? "," : "", (long long)v->dim[i]);
    snprintf(text + n, size - (size_t)n, "]");
}

bool within(const value *want, const value *got, char *what, size_t size)
{
    char a[160], b[160];
    if (want->dtype != got->dtype || want->ndim != got->ndim || memcmp(want->dim, got->dim, sizeof *want->dim * (size_t)want->ndim)) {
        shape_text(want, a, sizeof a);
        shape_text(got, b, sizeof b);
        snprintf(what, size, "is %s, the interpreter has %s", b, a);
        return false;
    }
    if (want->unknown) return true;
    size_t n = size_of(want->dtype);
    if (want->count && !memcmp(want->bits, got->bits, (size_t)want->count * n)) return true;
    for (int64_t i = 0; i < want->count; i++) {
        situ_dtype d = part_of(want->dtype);
        const unsigned char *x = want->bits + (size_t)i * n, *y = got->bits + (size_t)i * n;
        if (!memcmp(x, y, n)) continue;
        if (rank_of(want->dtype) >= 2 && same_part(d, x, y) && (d == want->dtype || same_part(d, x + n / 2, y + n / 2))) continue;
        if (near(want, got, i)) continue;
        describe(want, i, a, sizeof a);
        describe(got, i, b, sizeof b);
        snprintf(what, size, "element %lld is %s, the interpreter has %s (slack %.3g)", (long long)i, b, a, want->slack ? want->slack[i] : 0.0);
        return false;
    }
    return true;
}

uint64_t digest_value(uint64_t h, const value *v)
{
    size_t n = (size_t)v->count * size_of(v->dtype), part = size_of(part_of(v->dtype));
    for (size_t i = 0; i + part <= n; i += part) {
        uint64_t x = 0;
        memcpy(&x, v->bits + i, part);
        value one = {.dtype = part_of(v->dtype), .bits = v->bits + i};
        if (rank_of(v->dtype) >= 2 && isnan(get_f(&one, 0))) x = 0x7ff8;
        h = (h ^ x) * 0x9fb21c651e98df25u;
        h ^= h >> 29;
    }
    return (h ^ v->dtype) * 0x9fb21c651e98df25u;
}
