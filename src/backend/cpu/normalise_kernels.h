/* Included by normalise_base.c and normalise_avx2.c: the kernels of both types under one name, KERNELS. */
#include "backend/cpu/normalise.h"

#include <string.h>

typedef float f32_vector __attribute__((vector_size(32)));
typedef double f64_vector __attribute__((vector_size(32)));
typedef int f32_mask __attribute__((vector_size(32)));
typedef long f64_mask __attribute__((vector_size(32)));

#define T float
#define V f32_vector
#define I f32_mask
#define LANES 8
#define NAME(x) f32_##x
#include "backend/cpu/normalise.inc"

#define T double
#define V f64_vector
#define I f64_mask
#define LANES 4
#define NAME(x) f64_##x
#include "backend/cpu/normalise.inc"

#define BOTH(name) {f32_##name, f64_##name}
const situ_normalise_kernels KERNELS = {BOTH(sum), BOTH(squares), BOTH(products), BOTH(input), BOTH(plane), BOTH(row), BOTH(row_products),
                                        BOTH(row_input), BOTH(row_sums), BOTH(largest), BOTH(shifted), BOTH(times), BOTH(weighted)};
