/* Convolution kernels: compiles convolve.inc for f32 and f64 with the vector operations of one instruction set. */
#include "backend/cpu/convolution/convolve.h"
#include "simd/simd.h"
#include "simd/typed.h"

#define T float
#define LANES F32_LANES
#define NAME(x) f32_##x
#ifdef SITU_TRANSPOSES
#define TRANSPOSE transpose_8x8
#endif
#include "backend/cpu/convolution/convolve.inc"

#define T double
#define LANES F64_LANES
#define NAME(x) f64_##x
#include "backend/cpu/convolution/convolve.inc"

const situ_convolve_kernels SITU_OF_SET(situ_convolve) = {{f32_pack, f64_pack}, {f32_sum, f64_sum}, {f32_gradient, f64_gradient},
    {f32_wide, f64_wide}, {f32_transpose, f64_transpose}, {f32_wide_width, f64_wide_width}, f32_wide_rows};
