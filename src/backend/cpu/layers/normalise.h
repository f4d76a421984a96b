/* Batch norm and layer norm with little memory traffic: each plane or row is read once or twice while it is in the
 * cache.
 *
 * A sum along contiguous elements has 32 lanes that start at +0 (element i goes to lane i mod 32), reduced by halves;
 * sums of a channel's planes are added in double, image by image. Every instruction set and number of threads gives the
 * same bits. */
#ifndef SITU_CPU_NORMALISE_H
#define SITU_CPU_NORMALISE_H

#include "base/isa.h"
#include "graph/op.h"

/* Listed in implementations.c. */
bool situ_normalise_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_channel_moments_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_batch_norm_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_batch_norm_sums_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_batch_norm_input_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_layer_norm_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_layer_norm_input_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_layer_norm_sums_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside: f32 and f64 ------------------------------------------------------------------------------------------ */

typedef struct situ_normalise_kernels {
    double (*sum[2])(const void *x, int64_t n);
    double (*squares[2])(const void *x, double mean, int64_t n);                            /* sum of (x - mean)^2 */
    void (*products[2])(const void *g, const void *x, double mean, int64_t n, double *out); /* sums of g and of g (x - mean) */
    /* out = (g - by_shift - (x - mean) by_scale) factor */
    void (*input[2])(
        const void *g, const void *x, double mean, double by_shift, double by_scale, double factor, int64_t n, void *out);
    /* out = (x - mean) factor + shift */
    void (*plane[2])(const void *x, double mean, double factor, double shift, int64_t n, void *out);
    /* out = (x - mean) factor scale + shift */
    void (*row[2])(const void *x, const void *scale, const void *shift, double mean, double factor, int64_t n, void *out);
    /* sums of g scale and of g scale (x - mean) */
    void (*row_products[2])(const void *g, const void *x, const void *scale, double mean, int64_t n, double *out);
    /* out = (g scale - a - (x - mean) b) factor */
    void (*row_input[2])(
        const void *g, const void *x, const void *scale, double mean, double a, double b, double factor, int64_t n, void *out);
    /* sums[i] += g (x - mean) factor, sums[n + i] += g */
    void (*row_sums[2])(const void *g, const void *x, double mean, double factor, int64_t n, void *sums);
    /* For attention. largest: the maximum. shifted: x = x scale - by, followed by zeros up to `end`; rows are whole
     * vectors. times: x = x factor. weighted: out = p (out + by) scale. */
    double (*largest[2])(const void *x, int64_t n);
    void (*shifted[2])(void *x, double scale, double by, int64_t n, int64_t end);
    void (*times[2])(void *x, double factor, int64_t n);
    void (*weighted[2])(const void *p, double by, double scale, int64_t n, void *out);
} situ_normalise_kernels;
#define SITU_NORMALISE_TABLE(name) extern const situ_normalise_kernels name;
SITU_EACH_SET(SITU_NORMALISE_TABLE, situ_normalise)

#endif
