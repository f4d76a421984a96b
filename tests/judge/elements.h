#ifndef JUDGE_ELEMENTS_H
#define JUDGE_ELEMENTS_H

#include "judge.h"

enum element {
#define ELEMENT(name, kind, arity, ulp) EL_##name,
#include "elements.def"
#undef ELEMENT
    EL_COUNT
};

/* One element of integers, promoted to d. */
uint64_t integer_element(int el, situ_dtype d, const uint64_t x[3]);
/* One element of floats of d (f16 and bf16 compute in f32), rounded to f32 or f64. */
double float_element(int el, situ_dtype d, const double x[3]);
/* The exact value, for functions with an error bound. */
long double exact_element(int el, const double x[3]);
void interpret_element(call *c);
void interpret_complex(call *c, int el, int arity, situ_dtype d, int ndim, const int64_t *dim);

#endif
