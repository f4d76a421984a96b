/* Casts between dtypes as text, by the rules of situ_convert: float to integer saturates and NaN gives 0, integers
 * wrap, to bool is != 0, 16-bit floats are rounded once, complex to real takes the real part. */
#ifndef SITU_CODEGEN_CAST_TEXT_H
#define SITU_CODEGEN_CAST_TEXT_H

#include "codegen/dialect.h"

/* The conversions of 16-bit floats and the complex types, which casts, loads and stores use. */
extern const char situ_text_halves[], situ_text_complex[];

/* Writes the function cast_FROM_TO from a compute dtype: its result has to's compute dtype, rounded to `to`. */
void situ_text_cast(situ_source *t, const situ_dialect *d, situ_dtype from, situ_dtype to);

#endif
