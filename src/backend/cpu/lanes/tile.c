#include "backend/cpu/lanes/tile.h"

#include <string.h>

#include "base/isa.h"

const situ_tiles *situ_tiles_best(void) { return SITU_FOR_ISA(&situ_tiles); }

const situ_tiles *situ_tiles_named(const char *name)
{
    if (!name) return NULL;
    if (!strcmp(name, "base")) return &situ_tiles_baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return NULL;
    if (!strcmp(name, "avx2")) return &situ_tiles_avx2;
    if (!strcmp(name, "avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return &situ_tiles_avx512;
#endif
    return NULL;
}
