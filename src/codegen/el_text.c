#include "codegen/el_text.h"

#include <stddef.h>

#define BEGIN(name) ".globl " #name "\n.hidden " #name "\n" #name ":\n"
#define END ".byte 0\n"
__asm__(".pushsection .rodata\n" BEGIN(situ_text_words_c) ".incbin \"op/words_c.inc\"\n" END
        BEGIN(situ_text_words_opencl) ".incbin \"op/words_opencl.inc\"\n" END BEGIN(
            situ_text_words_cuda) ".incbin \"op/words_cuda.inc\"\n" END
            BEGIN(situ_text_words_scalar) ".incbin \"op/words_scalar.inc\"\n" END BEGIN(
                situ_text_vocabulary) ".incbin \"op/vocabulary.inc\"\n" END
                BEGIN(situ_text_math_wide) ".incbin \"op/math_wide.inc\"\n" END BEGIN(
                    situ_text_math_f32) ".incbin \"op/math_f32.inc\"\n" END
                    BEGIN(situ_text_math_f64) ".incbin \"op/math_f64.inc\"\n" END BEGIN(
                        situ_text_complex_words) ".incbin \"op/complex_words.inc\"\n" END ".popsection\n");

const char *const situ_text_c[] = {
    situ_text_words_c,
    situ_text_words_scalar,
    "#define WORD(x) WORD_(PREFIX, x)\n"
    "#define WORD_(p, x) WORD__(p, x)\n"
    "#define WORD__(p, x) p##x\n",
    situ_text_vocabulary,
    "#define PREFIX d_\n",
    situ_text_math_wide,
    "#undef PREFIX\n"
    "#define PREFIX f32_\n",
    situ_text_math_f32,
    "#undef PREFIX\n"
    "#define PREFIX f64_\n",
    situ_text_math_f64,
    "#undef PREFIX\n",
    NULL,
};
