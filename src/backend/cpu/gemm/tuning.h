/* The tuning file: which code multiplies matrices of which size. Lines of text:
 *
 *     situ tuning 1
 *     machine avx2 AMD EPYC 7543 32-Core Processor
 *     f32    256    784    256  onednn   # own 84.1 onednn 89.0 blis 80.3
 *     end 1
 *
 * A product goes by the line of its dtype that is nearest, if no side differs by more than a factor of 2. A file of another
 * machine, a line that is not understood, a missing end: the whole file is not used, and situ_tuning() says why.
 */
#ifndef SITU_CPU_TUNING_H
#define SITU_CPU_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SITU_TUNING_TEXT = 1400 };

/* SITU_BLAS_... for a product of type SITU_GEMM_...; -1: the file says nothing. Reads the file at the first call. */
int situ_tuning_find(int type, int64_t m, int64_t k, int64_t n);
/* The file's name: SITU_TUNING, or situ/tuning in the user's configuration; false: nowhere. */
bool situ_tuning_path(char *path, size_t size);
/* The machine as a file's second line names it, without "machine ". */
void situ_tuning_machine(char *text, size_t size);
/* For tests: from now on this file; NULL: the usual one, read again. No product may be under way. */
void situ_tuning_use(const char *path);

#endif
