/* Discrete Fourier transforms of any length in doubles. */
#ifndef SITU_OP_DFT_H
#define SITU_OP_DFT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct situ_dft situ_dft;

/* What a length needs: roots of 1, factors, and for large primes a transform of another length. NULL: no memory. Any
 * number of threads may use one. */
situ_dft *situ_dft_new(int64_t n);
void situ_dft_free(situ_dft *d);
/* Numbers of room that a transform needs. */
int64_t situ_dft_room(const situ_dft *d);
/* out[k] = sum over j of in[j] e^(-2 pi i j k / n), with + if inverse; not in place. */
void situ_dft_run(const situ_dft *d, bool inverse, const double _Complex *in, double _Complex *out, double _Complex *room);

/* e^(-2 pi i k / n), 0 <= k < n, real and imaginary part; all n of them. */
void situ_dft_root(int64_t k, int64_t n, double *to);
void situ_dft_roots(int64_t n, double *to);

#endif
