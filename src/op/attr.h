/* Attributes of structured operations that generators of kernel texts read as well. */
#ifndef SITU_OP_ATTR_H
#define SITU_OP_ATTR_H

#include <stdint.h>

/* For take, index_add, argmax, argmin, softmax, log_softmax; gather, scatter, scatter_add (flag: the indices are
 * labels, which are never negative); argsort (flag: descending); scans (flag: reverse). */
typedef struct situ_axis_attr {
    int32_t axis, flag;
} situ_axis_attr;

/* For norms: the epsilon that is added to a variance. */
typedef struct situ_epsilon_attr {
    double eps;
} situ_epsilon_attr;

/* Word 0 is the fill value, an i64 or f64; then come the positions of x's first element along each axis. */
typedef struct situ_place_attr {
    int64_t dim[8], step[8];
    int32_t floating, unused;
} situ_place_attr;

/* For permutation. */
typedef struct situ_permutation_attr {
    int64_t n;
    int32_t dtype, rounds, partitionable, unused;
} situ_permutation_attr;

/* For nonzero: number of positions in the result; word 0 fills unused ones. For compress: number of slices. */
typedef struct situ_find_attr {
    int64_t count;
} situ_find_attr;

/* For topk: the first `count` positions of argsort's result. */
typedef struct situ_topk_attr {
    int64_t count;
    int32_t axis, flag;
} situ_topk_attr;

/* For fft: the length along an axis. */
typedef enum situ_fft_kind { SITU_FFT_FULL, SITU_FFT_FROM_REAL, SITU_FFT_TO_REAL } situ_fft_kind;
typedef struct situ_fft_attr {
    int64_t n;
    int32_t axis, kind, inverse, norm;
} situ_fft_attr;
/* The factor of the results. */
double situ_fft_scale(const situ_fft_attr *a);

/* For factorizations: situ_factor_what; for det: situ_det_what; for solve_triangular: flags of situ_triangle_what. */
typedef enum situ_det_what { SITU_DET_PRODUCT, SITU_DET_PHASE, SITU_DET_LOGARITHM } situ_det_what;
typedef enum situ_triangle_what { SITU_TRIANGLE_UPPER = 1, SITU_TRIANGLE_UNIT = 2 } situ_triangle_what;
typedef struct situ_factor_attr {
    int32_t what, unused;
} situ_factor_attr;

#endif
