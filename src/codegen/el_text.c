#include "codegen/el_text.h"

#include "os/embed.h"

SITU_EMBED(situ_text_words_opencl, "math/words_opencl.inc")
SITU_EMBED(situ_text_words_cuda, "math/words_cuda.inc")
SITU_EMBED(situ_text_words_scalar, "math/words_scalar.inc")
SITU_EMBED(situ_text_vocabulary, "math/vocabulary.inc")
SITU_EMBED(situ_text_math_wide, "math/math_wide.inc")
SITU_EMBED(situ_text_math_f32, "math/math_f32.inc")
SITU_EMBED(situ_text_math_f64, "math/math_f64.inc")
SITU_EMBED(situ_text_complex_words, "math/complex_words.inc")
SITU_EMBED(situ_text_complex_functions, "math/complex_functions.inc")
