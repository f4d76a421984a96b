/* The mathematical functions that a kernel needs, out of the texts of src/op: a function and all that it calls, with
 * the words of the vocabulary under their full names ("exp" in the f32 text is f32_exp).
 *
 *     situ_math m;
 *     situ_math_open(&m);
 *     situ_math_need(&m, SITU_F32, "tanh(A) * B");
 *     situ_math_write(&m, &text);
 */
#ifndef SITU_CODEGEN_MATH_TEXT_H
#define SITU_CODEGEN_MATH_TEXT_H

#include <situ/dtype.h>

#include "base/text.h"

enum { SITU_MATH_FUNCTIONS = 96 };

typedef struct situ_math_function {
    const char *name, *start, *end;
    int length; /* of the name */
    bool needed;
} situ_math_function;

typedef struct situ_math_section {
    const char *prefix;
    int count;
    situ_math_function function[SITU_MATH_FUNCTIONS];
} situ_math_section;

typedef struct situ_math {
    situ_math_section wide, f32, f64, complex; /* wide: doubles inside f32 functions; complex: numbers of doubles, after
                                                * complex_words.inc */
} situ_math;

void situ_math_open(situ_math *m);
/* Adds the functions that the value text of an operation calls for operands of compute dtype d: f32, f64 or c128. */
void situ_math_need(situ_math *m, situ_dtype d, const char *value);
/* Adds the functions that `more` needs. Both are open. */
void situ_math_join(situ_math *m, const situ_math *more);
void situ_math_write(situ_math *m, situ_source *t);
/* The three steps at once. */
void situ_math_append(situ_source *t, situ_dtype d, const char *value);

#endif
