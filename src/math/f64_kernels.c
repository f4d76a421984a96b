/* The functions of f64.h for one instruction set. */
#include "math/f64.h"
#include "os/processor.h"

#if !defined(SITU_COMPILES_AVX512) || defined(SITU_ONLY_AVX512)
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-warning-option"     /* clang before 14 does not know the next one */
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical" /* masks are combined by & and |, of vectors and of scalars */
#endif
#include "simd/fma.h"
/* after fma.h */
#include "math/words_c.inc"
#include "math/words_scalar.inc"

#define WORD(x) WORD_(PREFIX, x)
#define WORD_(p, x) WORD__(p, x)
#define WORD__(p, x) p##x
#include "math/vocabulary.inc"
#define PREFIX d_
#include "math/math_wide.inc"
#undef PREFIX
#define PREFIX f64_
#include "math/math_f64.inc"
#undef PREFIX
#define PREFIX /* from here on the vocabulary's names are themselves */

#define FUNCTION(f) .f = f64_##f,
const situ_f64 SITU_OF_SET(situ_f64) = {SITU_F64_EACH(FUNCTION, FUNCTION).far_turns = f64_far_turns};
#endif
