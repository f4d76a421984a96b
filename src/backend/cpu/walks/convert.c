#include "backend/cpu/walks/convert.h"

#include "base/isa.h"
#include "tensor/dtype.h"

#if !defined(__x86_64__)
#define situ_convert_avx2 situ_convert_baseline
#define situ_round_avx2 situ_round_baseline
#endif

situ_convert_fn situ_convert(situ_dtype from, situ_dtype to)
{
    if (!situ_dtype_valid(from) || !situ_dtype_valid(to)) return NULL;
    return situ_isa_get() >= SITU_ISA_AVX2 ? situ_convert_avx2[from][to] : situ_convert_baseline[from][to];
}

situ_convert_fn situ_rounding(situ_dtype half)
{
    return (situ_isa_get() >= SITU_ISA_AVX2 ? situ_round_avx2 : situ_round_baseline)[half == SITU_BF16];
}
