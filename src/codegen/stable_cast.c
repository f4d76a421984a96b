/* Casts in StableHLO, and conversions between the form in memory and the compute dtype. */
#include "codegen/stable.h"
#include "tensor/dtype.h"

/* Float to integer: saturates, and NaN gives 0. Returns the compute dtype of `to`. */
static situ_wire to_whole(situ_stable *t, situ_wire a, situ_dtype to)
{
    int bits = 8 * (int)situ_dtype_size(to), held = situ_dtype_compute(to);
    bool is_signed = situ_dtype_is_signed(to);
    int64_t least = is_signed ? -(int64_t)((uint64_t)1 << (bits - 1)) : 0;
    uint64_t most = is_signed ? ((uint64_t)1 << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    double limit = is_signed ? -(double)least : bits == 64 ? 18446744073709551616.0 : (double)most + 1;
    situ_wire above = situ_stable_compare(t, "GE", a, situ_stable_number(t, a.type, limit, &a));
    situ_wire below = situ_stable_compare(t, "LE", a, situ_stable_number(t, a.type, (double)least, &a));
    situ_wire none = situ_stable_compare(t, "NE", a, a), odd = situ_stable_2(t, "or", none, situ_stable_2(t, "or", above, below));
    situ_wire safe = situ_stable_select(t, odd, situ_stable_number(t, a.type, 0, &a), a);
    situ_wire y = situ_stable_convert(t, safe, held);
    y = situ_stable_select(t, above, situ_stable_integer(t, held, (int64_t)most, &y), y);
    return situ_stable_select(t, below, situ_stable_integer(t, held, least, &y), y);
}

situ_wire situ_stable_cast(situ_stable *t, situ_wire a, situ_dtype to)
{
    situ_dtype from = (situ_dtype)a.type, held = situ_dtype_compute(to);
    if (situ_dtype_is_complex(to)) {
        if (situ_dtype_is_complex(from) && from != to) {
            situ_wire re = situ_stable_1(t, "real", a), im = situ_stable_1(t, "imag", a);
            int part = situ_dtype_real(to);
            return situ_stable_2(t, "complex", situ_stable_convert(t, re, part), situ_stable_convert(t, im, part));
        }
        if (from == to) return a;
        situ_wire re = situ_stable_convert(t, a, situ_dtype_real(to));
        return situ_stable_2(t, "complex", re, situ_stable_number(t, re.type, 0, &re));
    }
    if (situ_dtype_is_complex(from)) {
        situ_wire re = situ_stable_1(t, "real", a);
        if (to != SITU_BOOL) return situ_stable_cast(t, re, to);
        situ_wire zero = situ_stable_number(t, re.type, 0, &re), im = situ_stable_1(t, "imag", a);
        return situ_stable_2(t, "or", situ_stable_compare(t, "NE", re, zero), situ_stable_compare(t, "NE", im, zero));
    }
    if (to == SITU_BOOL) return from == SITU_BOOL ? a : situ_stable_compare(t, "NE", a, situ_stable_number(t, from, 0, &a));
    if (to == SITU_F16 || to == SITU_BF16) return situ_stable_convert(t, situ_stable_convert(t, a, to), SITU_F32);
    if (situ_dtype_is_float(from) && situ_dtype_is_integer(to)) return to_whole(t, a, to);
    return situ_stable_convert(t, situ_stable_convert(t, a, to), held);
}

situ_wire situ_stable_loaded(situ_stable *t, situ_wire a, situ_dtype dtype)
{
    if (dtype == SITU_BOOL) return situ_stable_compare(t, "NE", a, situ_stable_integer(t, SITU_U8, 0, &a));
    return situ_stable_convert(t, a, situ_dtype_compute(dtype));
}

situ_wire situ_stable_stored(situ_stable *t, situ_wire a, situ_dtype held, situ_dtype to)
{
    situ_dtype compute = situ_dtype_compute(to);
    if (situ_dtype_compute(held) != compute) a = situ_stable_cast(t, a, to);
    return situ_stable_convert(t, a, to == SITU_BOOL ? SITU_U8 : to);
}
