/* What the library knows of dtypes beyond the public names: kinds, compute types, single elements. */
#ifndef SITU_TENSOR_DTYPE_H
#define SITU_TENSOR_DTYPE_H

#include <situ/dtype.h>

typedef struct situ_c64 {
    float re, im;
} situ_c64;
typedef struct situ_c128 {
    double re, im;
} situ_c128;

typedef enum situ_kind {
    SITU_KIND_NONE = 0, /* not a dtype */
    SITU_KIND_BOOLEAN,
    SITU_KIND_UNSIGNED,
    SITU_KIND_SIGNED,
    SITU_KIND_FLOAT,
    SITU_KIND_COMPLEX
} situ_kind;

extern const unsigned char situ_dtype_kinds[256];
extern const unsigned char situ_dtype_sizes[256];
extern const unsigned char situ_dtype_computes[256];

static inline situ_kind situ_dtype_kind(situ_dtype d) { return (situ_kind)situ_dtype_kinds[(unsigned)d & 255]; }
static inline bool situ_dtype_valid(situ_dtype d) { return (unsigned)d < SITU_DTYPES; }
/* f16, bf16, f32, f64. */
static inline bool situ_dtype_is_float(situ_dtype d) { return situ_dtype_kind(d) == SITU_KIND_FLOAT; }
/* Signed and unsigned integers; not bool. */
static inline bool situ_dtype_is_integer(situ_dtype d)
{
    return situ_dtype_kind(d) == SITU_KIND_UNSIGNED || situ_dtype_kind(d) == SITU_KIND_SIGNED;
}
/* Has a sign: signed integers, floats and complex. */
static inline bool situ_dtype_is_signed(situ_dtype d) { return situ_dtype_kind(d) >= SITU_KIND_SIGNED; }
static inline bool situ_dtype_is_complex(situ_dtype d) { return situ_dtype_kind(d) == SITU_KIND_COMPLEX; }
/* The type that operations compute in: bool, i32, u32, i64, u64, f32, f64, c64 or c128. */
static inline situ_dtype situ_dtype_compute(situ_dtype d) { return (situ_dtype)situ_dtype_computes[(unsigned)d & 255]; }
/* The parts of a complex dtype (f32, f64); others: themselves. */
situ_dtype situ_dtype_real(situ_dtype d);
/* The complex dtype with parts of at least this dtype's precision. */
situ_dtype situ_dtype_complex(situ_dtype d);
/* The largest and smallest finite values (bool: 0 and 1), as text for messages and as numbers for ranges. */
double situ_dtype_lowest(situ_dtype d);
double situ_dtype_highest(situ_dtype d);

/* Round to nearest even; subnormals and infinities are kept, NaN stays NaN. */
float situ_f16_to_f32(uint16_t h);
uint16_t situ_f32_to_f16(float f);
float situ_bf16_to_f32(uint16_t h);
uint16_t situ_f32_to_bf16(float f);
/* Rounded once, from the double. */
uint16_t situ_f64_to_f16(double f);
uint16_t situ_f64_to_bf16(double f);

/* One element in memory (of any alignment), by the rules of a cast: float to integer saturates and NaN gives 0,
 * integers wrap, to bool is != 0, complex to real takes the real part. */
double situ_element_get_f64(situ_dtype d, const void *element);
int64_t situ_element_get_i64(situ_dtype d, const void *element); /* u64 above the range wraps */
situ_c128 situ_element_get_c128(situ_dtype d, const void *element);
void situ_element_set_f64(situ_dtype d, void *element, double value);
void situ_element_set_i64(situ_dtype d, void *element, int64_t value); /* u64: the same bits */
void situ_element_set_c128(situ_dtype d, void *element, situ_c128 value);
/* bool < integer < float < complex */
static inline int situ_dtype_rank(situ_dtype d)
{
    switch (situ_dtype_kind(d)) {
    case SITU_KIND_BOOLEAN: return 0;
    case SITU_KIND_UNSIGNED:
    case SITU_KIND_SIGNED: return 1;
    case SITU_KIND_FLOAT: return 2;
    default: return 3;
    }
}

#endif
