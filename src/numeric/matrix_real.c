#include <math.h>
#include <stddef.h>

#include "math/complex_number.h"
#include "numeric/matrix.h"

#define T double
#define MUL(a, b) ((a) * (b))
#define OVER(a, b) ((a) / (b))
#define CONJ(a) (a)
#define RE(a) (a)
#define IM(a) 0.0
#define SIZE(a) fabs(a)
#define SQUARE(a) square(a)
#define NAME(f) f##_real

static double square(double a) { return a * a; }

#include "numeric/matrix.inc"
#include "numeric/matrix_jacobi.inc"
