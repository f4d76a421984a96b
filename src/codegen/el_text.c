#include "codegen/el_text.h"

#define TEXT(name, file) \
    __asm__(".pushsection .rodata\n.globl situ_text_" #name "\n.hidden situ_text_" #name "\nsitu_text_" #name \
            ":\n.incbin \"op/" file "\"\n.byte 0\n.popsection\n");
TEXT(words_opencl, "words_opencl.inc")
TEXT(words_cuda, "words_cuda.inc")
TEXT(words_scalar, "words_scalar.inc")
TEXT(vocabulary, "vocabulary.inc")
TEXT(math_wide, "math_wide.inc")
TEXT(math_f32, "math_f32.inc")
TEXT(math_f64, "math_f64.inc")
TEXT(complex_words, "complex_words.inc")
