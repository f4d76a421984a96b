#include "backend/cpu/overrides.h"

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/layers/int8.h"
#include "base/isa.h"

const situ_overrides *situ_overrides_here(void)
{
    static const situ_overrides none;
#if defined(SITU_X86_64) && !defined(SITU_ONLY_AVX2)
    static const situ_overrides vnni = {.int8 = &situ_int8_vnni}, amx = {.int8 = &situ_int8_amx, .gemm = situ_gemm_amx};
    if (situ_isa_tiles()) return &amx;
    if (situ_isa_get() == SITU_ISA_AVX512 && __builtin_cpu_supports("avx512vnni")) return &vnni;
#endif
    return &none;
}
