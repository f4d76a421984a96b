/* The words of the environment's variables: each reader of one says what it means, or that it is none. */
#include "backend/cpu/gemm/gemm.h"
#include "base/debug.h"
#include "base/isa.h"
#include "base/pool.h"
#include "device/device.h"
#include "fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere, *real;
    if (!nowhere) nowhere = fopen("/dev/null", "w"), real = stderr;
    char *text = malloc(size + 1);
    if (!text || !nowhere) abort();
    if (size) memcpy(text, data, size);
    text[size] = 0;
    int64_t bytes = -1;
    if (situ_bytes_parse(text, &bytes) != (bytes >= 0)) abort();
    int threads = situ_threads_of(text), isa = situ_isa_of(text), blas = situ_blas_of(text);
    if (threads < -1 || threads > 1024 || isa < -1 || isa > SITU_ISA_AMX || blas < -1 || blas >= SITU_BLASES) abort();
    stderr = nowhere;
    unsigned words = situ_debug_parse(text);
    stderr = real;
    if (words & SITU_DEBUG_READ) abort();
    free(text);
    return 0;
}
