/* The texts of elementwise operations, embedded from src/op unchanged: the tile kernels include the same files.
 * situ_text_op writes the functions that call them. */
#ifndef SITU_CODEGEN_EL_TEXT_H
#define SITU_CODEGEN_EL_TEXT_H

/* The texts: what each language defines first; the words of every dtype; their list; functions of f32 (math_wide: the
 * doubles inside some of them, with the prefix d_) and of f64; complex numbers of doubles. Functions begin with FN at
 * the start of a line and end on that line or with the next line that is a brace. */
extern const char situ_text_words_opencl[], situ_text_words_cuda[], situ_text_words_scalar[], situ_text_vocabulary[],
    situ_text_math_wide[], situ_text_math_f32[], situ_text_math_f64[], situ_text_complex_words[], situ_text_complex_functions[];

#endif
