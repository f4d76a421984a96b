/* Kernels of normalisations and of attention's rows: compiles normalise.inc for f32 and f64. */
#include "backend/cpu/layers/normalise.h"

#include "simd/simd.h"

enum { BYTES = VECTOR_BYTES < 32 ? 32 : VECTOR_BYTES };
typedef float norm32_vector __attribute__((vector_size(BYTES)));
typedef double norm64_vector __attribute__((vector_size(BYTES)));
typedef int norm32_mask __attribute__((vector_size(BYTES)));
typedef long norm64_mask __attribute__((vector_size(BYTES)));

#define T float
#define V norm32_vector
#define I norm32_mask
#define LANES (BYTES / 4)
#define NAME(x) norm32_##x
#include "backend/cpu/layers/normalise.inc"

#define T double
#define V norm64_vector
#define I norm64_mask
#define LANES (BYTES / 8)
#define NAME(x) norm64_##x
#include "backend/cpu/layers/normalise.inc"

#define BOTH(name) \
    { \
        norm32_##name, norm64_##name \
    }
const situ_normalise_kernels SITU_OF_SET(situ_normalise) = {BOTH(sum), BOTH(squares), BOTH(products), BOTH(input), BOTH(plane),
    BOTH(row), BOTH(row_products), BOTH(row_input), BOTH(row_sums), BOTH(largest), BOTH(shifted), BOTH(times), BOTH(weighted)};
