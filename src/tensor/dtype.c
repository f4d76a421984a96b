#include "tensor/dtype.h"

#include "base/error.h"
#include "tensor/cast.h"

#include <float.h>

/* Each row of dtype.def must be a value of the enum. */
#define DTYPE(D, name, long_name, T, C, K) _Static_assert(SITU_##D < SITU_DTYPES && sizeof(T) <= 16, "a row of dtype.def");
#include "tensor/dtype.def"
#undef DTYPE

const unsigned char situ_dtype_kinds[256] = {
#define DTYPE(D, name, long_name, T, C, K) [SITU_##D] = SITU_KIND_##K,
#include "tensor/dtype.def"
#undef DTYPE
};
const unsigned char situ_dtype_sizes[256] = {
#define DTYPE(D, name, long_name, T, C, K) [SITU_##D] = sizeof(T),
#include "tensor/dtype.def"
#undef DTYPE
};
const unsigned char situ_dtype_computes[256] = {
#define DTYPE(D, name, long_name, T, C, K) [SITU_##D] = SITU_##C,
#include "tensor/dtype.def"
#undef DTYPE
};
static const char *const names[SITU_DTYPES][2] = {
#define DTYPE(D, name, long_name, T, C, K) [SITU_##D] = {name, long_name},
#include "tensor/dtype.def"
#undef DTYPE
};

const char *situ_dtype_name(situ_dtype d) { return situ_dtype_valid(d) ? names[d][0] : "?"; }

size_t situ_dtype_size(situ_dtype d) { return situ_dtype_valid(d) ? situ_dtype_sizes[d] : 0; }

int situ_dtype_parse(const char *name, situ_dtype *out)
{
    SITU_SPEAK_AT("situ_dtype_parse");
    if (!name || !out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dtype_parse: name and out must not be NULL"), -1;
    for (int d = 0; d < SITU_DTYPES; d++) {
        if (strcmp(name, names[d][0]) && strcmp(name, names[d][1])) continue;
        *out = (situ_dtype)d;
        return 0;
    }
    situ_fail(SITU_BAD_DTYPE, NULL,
        "no dtype is called \"%s\"; there are bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, c64, c128, and the "
        "long names of them such as float32",
        name);
    return -1;
}

/* ---------------------------------------------------------------- promotion */

static situ_dtype signed_of(size_t size) { return size == 1 ? SITU_I8 : size == 2 ? SITU_I16 : size == 4 ? SITU_I32 : SITU_I64; }

static situ_dtype promote_kind(situ_dtype a, situ_dtype b) /* promotes two dtypes of one kind, a != b */
{
    if ((a == SITU_F16 && b == SITU_BF16) || (a == SITU_BF16 && b == SITU_F16)) return SITU_F32;
    return situ_dtype_sizes[a] > situ_dtype_sizes[b] ? a : b;
}

situ_dtype situ_dtype_promote(situ_dtype a, situ_dtype b)
{
    if (a == b || !situ_dtype_valid(b)) return a;
    if (!situ_dtype_valid(a)) return b;
    situ_kind ka = situ_dtype_kind(a), kb = situ_dtype_kind(b);
    if (ka == kb) return promote_kind(a, b);
    if (ka > kb) { /* from here on a is of the lower kind */
        situ_dtype d = a;
        a = b;
        b = d;
        ka = kb;
    }
    kb = situ_dtype_kind(b);
    size_t size_a = situ_dtype_sizes[a], size_b = situ_dtype_sizes[b];
    if (ka == SITU_KIND_UNSIGNED && kb == SITU_KIND_SIGNED)
        return size_b > size_a ? b : size_a < 8 ? signed_of(2 * size_a) : SITU_F64;
    if (a == SITU_F64 && b == SITU_C64) return SITU_C128;
    return b;
}

situ_dtype situ_dtype_real(situ_dtype d) { return d == SITU_C64 ? SITU_F32 : d == SITU_C128 ? SITU_F64 : d; }

situ_dtype situ_dtype_complex(situ_dtype d) { return d == SITU_F64 || d == SITU_C128 ? SITU_C128 : SITU_C64; }

static const double range[SITU_DTYPES][2] = {
    [SITU_BOOL] = {0, 1},
    [SITU_U8] = {0, UINT8_MAX},
    [SITU_U16] = {0, UINT16_MAX},
    [SITU_U32] = {0, UINT32_MAX},
    [SITU_U64] = {0, 18446744073709551615.0},
    [SITU_I8] = {INT8_MIN, INT8_MAX},
    [SITU_I16] = {INT16_MIN, INT16_MAX},
    [SITU_I32] = {INT32_MIN, INT32_MAX},
    [SITU_I64] = {-9223372036854775808.0, 9223372036854775807.0},
    [SITU_F16] = {-65504, 65504},
    [SITU_BF16] = {-0x1.fep127, 0x1.fep127},
    [SITU_F32] = {-FLT_MAX, FLT_MAX},
    [SITU_F64] = {-DBL_MAX, DBL_MAX},
    [SITU_C64] = {-FLT_MAX, FLT_MAX},
    [SITU_C128] = {-DBL_MAX, DBL_MAX},
};

double situ_dtype_lowest(situ_dtype d) { return situ_dtype_valid(d) ? range[d][0] : 0; }
double situ_dtype_highest(situ_dtype d) { return situ_dtype_valid(d) ? range[d][1] : 0; }

/* ---------------------------------------------------------------- 16-bit floats */

float situ_f16_to_f32(uint16_t h) { return situ_half_to_f32(h); }
uint16_t situ_f32_to_f16(float f) { return situ_half_from_f32(f); }
float situ_bf16_to_f32(uint16_t h) { return situ_brain_to_f32(h); }
uint16_t situ_f32_to_bf16(float f) { return situ_brain_from_f32(f); }
uint16_t situ_f64_to_f16(double f) { return situ_half_from_f64(f); }
uint16_t situ_f64_to_bf16(double f) { return situ_brain_from_f64(f); }
