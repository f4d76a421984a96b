/* Kernels of normalisations and of attention's rows: normalise.inc for both types. */
#include "backend/cpu/layers/normalise.h"

#include <string.h>

#include "base/isa.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#else
#define VECTOR_BYTES 32
#endif

typedef float f32_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef double f64_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef int f32_mask __attribute__((vector_size(VECTOR_BYTES)));
typedef long f64_mask __attribute__((vector_size(VECTOR_BYTES)));

#define T float
#define V f32_vector
#define I f32_mask
#define LANES (VECTOR_BYTES / 4)
#define NAME(x) f32_##x
#include "backend/cpu/layers/normalise.inc"

#define T double
#define V f64_vector
#define I f64_mask
#define LANES (VECTOR_BYTES / 8)
#define NAME(x) f64_##x
#include "backend/cpu/layers/normalise.inc"

#define BOTH(name) \
    { \
        f32_##name, f64_##name \
    }
const situ_normalise_kernels SITU_OF_SET(situ_normalise) = {BOTH(sum), BOTH(squares), BOTH(products), BOTH(input), BOTH(plane),
    BOTH(row), BOTH(row_products), BOTH(row_input), BOTH(row_sums), BOTH(largest), BOTH(shifted), BOTH(times), BOTH(weighted)};
