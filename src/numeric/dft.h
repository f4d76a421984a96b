/* Discrete Fourier transforms of any length, in double precision. */
#ifndef SITU_NUMERIC_DFT_H
#define SITU_NUMERIC_DFT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct situ_dft situ_dft;

/* Tables for a length: roots of unity, factors, and for large primes a transform of another length. NULL: no memory.
 * Any number of threads may share it. */
situ_dft *situ_dft_new(int64_t n);
void situ_dft_free(situ_dft *d);
/* Number of scratch elements that a transform needs. */
int64_t situ_dft_scratch(const situ_dft *d);
/* out[k] = sum over j of in[j] e^(-2 pi i j k / n), with + if inverse; not in place. */
void situ_dft_run(const situ_dft *d, bool inverse, const double _Complex *in, double _Complex *out, double _Complex *space);

/* e^(-2 pi i k / n), 0 <= k < n, real and imaginary part; and all n of them. */
void situ_dft_root(int64_t k, int64_t n, double *to);
void situ_dft_roots(int64_t n, double *to);

#endif
