#define CONVERT_TABLE situ_convert_baseline
#include "backend/cpu/walks/convert.inc"

#include "base/isa.h"

#if !defined(__x86_64__)
#define situ_convert_avx2 situ_convert_baseline
#endif

situ_convert_fn situ_convert(situ_dtype from, situ_dtype to)
{
    if (!situ_dtype_valid(from) || !situ_dtype_valid(to)) return NULL;
    return situ_isa_get() >= SITU_ISA_AVX2 ? situ_convert_avx2[from][to] : situ_convert_baseline[from][to];
}
