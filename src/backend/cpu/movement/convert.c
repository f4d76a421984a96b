#include "backend/cpu/movement/convert.h"

#include "base/isa.h"
#include "tensor/dtype.h"

situ_convert_fn situ_convert(situ_dtype from, situ_dtype to)
{
    if (!situ_dtype_valid(from) || !situ_dtype_valid(to)) return NULL;
    return SITU_FOR_ISA(situ_convert)[from][to];
}

situ_convert_fn situ_rounding(situ_dtype half) { return SITU_FOR_ISA(situ_round)[half == SITU_BF16]; }
