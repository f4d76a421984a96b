#include "numeric/extreme.h"

#include "base/isa.h"

int64_t situ_extreme(situ_dtype dtype, const char *x, int64_t n, bool largest)
{
    return SITU_FOR_ISA(situ_extreme)(dtype, x, n, largest);
}
