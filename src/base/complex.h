/* <complex.h>, where clang lacks CMPLX with an older C library, and without the macro `complex`. */
#ifndef SITU_BASE_COMPLEX_H
#define SITU_BASE_COMPLEX_H

#include <complex.h>

#undef complex
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
