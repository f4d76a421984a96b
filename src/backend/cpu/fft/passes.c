/* Tables of Fourier transforms: the twiddle factors of each pass. */
#include "backend/cpu/fft/fft.h"

#include <string.h>

#include "base/memory.h"
#include "numeric/dft.h"

enum { LARGEST_PRIME = 31 };

/* Chooses the radices: as many eights as possible, then one or two fours or a two, then the odd primes. False: a larger
 * prime factor is left. */
static bool find_radices(situ_passes_of *p, int64_t n)
{
    int twos = 0;
    for (; n % 2 == 0; n /= 2) twos++;
    int fours = twos % 3 == 2 ? 1 : twos % 3 == 1 && twos > 1 ? 2 : 0;
    for (int i = 0; i < (twos - 2 * fours) / 3; i++) p->radix[p->count++] = 8;
    for (int i = 0; i < fours; i++) p->radix[p->count++] = 4;
    if (twos == 1) p->radix[p->count++] = 2;
    for (int64_t q = 3; q <= LARGEST_PRIME; q += 2)
        for (; n % q == 0 && p->count < SITU_FFT_PASSES; n /= q) p->radix[p->count++] = q;
    return n == 1;
}

static void put(char *to, int64_t size, const double *root)
{
    float f[2] = {(float)root[0], (float)root[1]};
    memcpy(to, size == 4 ? (const void *)f : root, 2 * (size_t)size);
}

bool situ_passes_make(situ_passes_of *p, int64_t n, int64_t size)
{
    *p = (situ_passes_of){.n = n};
    if (!find_radices(p, n)) return false;
    int64_t numbers = 0, m = n;
    for (int i = 0; i < p->count; i++) {
        numbers += p->radix[i] + m;
        m /= p->radix[i];
    }
    double *all = situ_malloc((size_t)n * 16);
    char *to = p->memory = situ_malloc((size_t)(numbers * 2 * size));
    if (all && to) situ_dft_roots(n, all);
    m = n;
    for (int i = 0; i < p->count && all && to; i++) {
        int64_t r = p->radix[i], step = n / m;
        p->root[i] = to;
        for (int64_t k = 0; k < r; k++, to += 2 * size) put(to, size, all + 2 * (k * (n / r)));
        p->factor[i] = to;
        for (int64_t q = 0; q < m / r; q++)
            for (int64_t k = 1; k < r; k++, to += 2 * size) put(to, size, all + 2 * (q * k * step));
        m /= r;
    }
    situ_free(all);
    if (all && to) return true;
    situ_free(p->memory);
    p->memory = NULL; /* the caller would free it again */
    return false;
}

bool situ_fft_rows_make(situ_fft_rows *r, int64_t n, double scale)
{
    int64_t rows = n / SITU_FFT_COLUMNS;
    r->n = n;
    double *all = situ_malloc((size_t)n * 16);
    float *to = r->twiddles = situ_malloc((size_t)n * 8);
    bool made = situ_passes_make(&r->of_column, rows, 4);
    made = situ_passes_make(&r->of_row, SITU_FFT_COLUMNS, 4) && made && all && to;
    if (made) situ_dft_roots(n, all);
    for (int64_t k = 0; k < rows && made; k++)
        for (int part = 0; part < 2; part++)
            for (int64_t i = 0; i < SITU_FFT_COLUMNS; i++) *to++ = (float)(all[2 * (k * i) + part] * scale);
    situ_free(all);
    return made;
}

void situ_fft_rows_free(situ_fft_rows *r)
{
    situ_free(r->twiddles);
    situ_free(r->of_column.memory);
    situ_free(r->of_row.memory);
}
