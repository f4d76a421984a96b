/* The tuning file: which code multiplies matrices of which size. Lines of text:
 *
 *     situ tuning 1
 *     machine avx2 AMD EPYC 7543 32-Core Processor
 *     f32    256    784    256  onednn   # own 84.1 onednn 89.0 blis 80.3
 *     end 1
 *
 * A product uses the nearest line of its dtype, if no side differs by more than a factor of 2. If the file is from
 * another machine, has a line that cannot be read, or lacks its end, it is not used at all, and situ_tuning() says
 * why. */
#ifndef SITU_CPU_TUNING_H
#define SITU_CPU_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SITU_TUNING_TEXT = 1400 };

/* The implementation (SITU_BLAS_...) for a product of this type; -1: the file says nothing. Reads the file at the first
 * call. */
int situ_tuning_find(int type, int64_t m, int64_t k, int64_t n);
/* The file's path: SITU_TUNING, else situ/tuning in the user's configuration folder; false: there is none. */
bool situ_tuning_path(char *path, size_t size);
/* This machine, as written in the file's second line after "machine ". */
void situ_tuning_machine(char *text, size_t size);
/* For tests: uses this file from now on; NULL: the usual one, read again. No product may be running. */
void situ_tuning_use(const char *path);

#endif
