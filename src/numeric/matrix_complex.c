#include <math.h>
#include <stddef.h>

#include "base/complex.h"
#include "math/complex_number.h"
#include "numeric/matrix.h"

#define T situ_complex_f64
#define MUL(a, b) times(a, b)
#define OVER(a, b) situ_divide(a, b)
#define CONJ(a) conj(a)
#define RE(a) creal(a)
#define IM(a) cimag(a)
#define SIZE(a) size_of(a)
#define SQUARE(a) square(a)
#define NAME(f) f##_complex

static T times(T a, T b) { return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b)); }
static double square(T a) { return creal(a) * creal(a) + cimag(a) * cimag(a); }
static double size_of(T a) { return fabs(creal(a)) + fabs(cimag(a)); }

#include "numeric/matrix.inc"
#include "numeric/matrix_jacobi.inc"
