#include "codegen/el_text.h"

#include "os/embed.h"

SITU_EMBED(situ_text_words_opencl, "op/words_opencl.inc")
SITU_EMBED(situ_text_words_cuda, "op/words_cuda.inc")
SITU_EMBED(situ_text_words_scalar, "op/words_scalar.inc")
SITU_EMBED(situ_text_vocabulary, "op/vocabulary.inc")
SITU_EMBED(situ_text_math_wide, "op/math_wide.inc")
SITU_EMBED(situ_text_math_f32, "op/math_f32.inc")
SITU_EMBED(situ_text_math_f64, "op/math_f64.inc")
SITU_EMBED(situ_text_complex_words, "op/complex_words.inc")
