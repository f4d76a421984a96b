/* Casts of one value between the storage types of dtypes, as inline functions: situ_cast_<to>(value) for each kind of
 * source. Float to integer saturates (NaN gives 0), integers wrap, to bool is != 0. */
#ifndef SITU_TENSOR_CAST_H
#define SITU_TENSOR_CAST_H

#include "tensor/half.h"

/* Values below the limit 2^BITS (up to the largest float under it) are converted; larger ones give the largest
 * integer. */
#define SITU_SATURATE_(name, F, I, lowest, below, limit, highest) \
    static inline I name(F x) \
    { \
        F y = x > (F)(lowest) ? x : (F)(lowest); /* NaN gives the lowest value */ \
        y = y < (F)(below) ? y : (F)(below); \
        I i = (I)y; \
        i = x >= (F)(limit) ? (highest) : i; \
        return x == x ? i : 0; \
    }
SITU_SATURATE_(situ_f32_to_u8, float, uint8_t, 0, 255, 256, 255)
SITU_SATURATE_(situ_f32_to_u16, float, uint16_t, 0, 65535, 65536, 65535)
SITU_SATURATE_(situ_f32_to_u32, float, uint32_t, 0, 4294967040.0, 4294967296.0, UINT32_MAX)
SITU_SATURATE_(situ_f32_to_u64, float, uint64_t, 0, 18446742974197923840.0, 18446744073709551616.0, UINT64_MAX)
SITU_SATURATE_(situ_f32_to_i8, float, int8_t, -128, 127, 128, 127)
SITU_SATURATE_(situ_f32_to_i16, float, int16_t, -32768, 32767, 32768, 32767)
SITU_SATURATE_(situ_f32_to_i32, float, int32_t, -2147483648.0, 2147483520.0, 2147483648.0, INT32_MAX)
SITU_SATURATE_(situ_f32_to_i64, float, int64_t, -9223372036854775808.0, 9223371487098961920.0, 9223372036854775808.0, INT64_MAX)
SITU_SATURATE_(situ_f64_to_u8, double, uint8_t, 0, 255, 256, 255)
SITU_SATURATE_(situ_f64_to_u16, double, uint16_t, 0, 65535, 65536, 65535)
SITU_SATURATE_(situ_f64_to_u32, double, uint32_t, 0, 4294967295.0, 4294967296.0, UINT32_MAX)
SITU_SATURATE_(situ_f64_to_u64, double, uint64_t, 0, 18446744073709549568.0, 18446744073709551616.0, UINT64_MAX)
SITU_SATURATE_(situ_f64_to_i8, double, int8_t, -128, 127, 128, 127)
SITU_SATURATE_(situ_f64_to_i16, double, int16_t, -32768, 32767, 32768, 32767)
SITU_SATURATE_(situ_f64_to_i32, double, int32_t, -2147483648.0, 2147483647.0, 2147483648.0, INT32_MAX)
SITU_SATURATE_(situ_f64_to_i64, double, int64_t, -9223372036854775808.0, 9223372036854774784.0, 9223372036854775808.0, INT64_MAX)

#endif
