/* Includes <complex.h> without its macro `complex`, and defines CMPLX where clang with an older C library lacks it. */
#ifndef SITU_BASE_COMPLEX_H
#define SITU_BASE_COMPLEX_H

#include <complex.h>

#undef complex
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
