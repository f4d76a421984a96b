/* dtypes: what one element of a tensor is. Names follow the array API standard, in short form.
 *
 *     situ_dtype d = situ_dtype_promote(SITU_I32, SITU_F32);    // SITU_F32
 */
#ifndef SITU_DTYPE_H
#define SITU_DTYPE_H

#include <situ/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum situ_dtype {
    SITU_BOOL = 0,
    SITU_U8 = 1,
    SITU_U16 = 2,
    SITU_U32 = 3,
    SITU_U64 = 4,
    SITU_I8 = 5,
    SITU_I16 = 6,
    SITU_I32 = 7,
    SITU_I64 = 8,
    SITU_F16 = 9,
    SITU_BF16 = 10,
    SITU_F32 = 11,
    SITU_F64 = 12,
    SITU_C64 = 13,
    SITU_C128 = 14, /* pairs of f32 and f64: complex64 and complex128 of the standard */
    SITU_DTYPES = 15,
    SITU_DTYPE_DEFAULT = 255 /* in options: what the operation would choose */
} situ_dtype;

/* "f32", "i64", "bool", "c64", ...; "?" for anything else. */
SITU_API const char *situ_dtype_name(situ_dtype d);
/* Reads "f32" and the standard's long names ("float32", "bfloat16", "complex64", ...); -1 and an error if unknown. */
SITU_API SITU_TOLD int situ_dtype_parse(const char *name, situ_dtype *out);
/* Bytes of one element. */
SITU_API size_t situ_dtype_size(situ_dtype d);
/* The dtype that holds both, by the promotion tables of the array API standard; mixed kinds (which the standard
 * leaves open) promote bool < integers < floats < complex, integers with a float give that float; u64 with a
 * signed integer gives f64... as NumPy does. f16 with bf16 gives f32. */
SITU_API situ_dtype situ_dtype_promote(situ_dtype a, situ_dtype b);

#ifdef __cplusplus
}
#endif

#include <situ/call/dtype.h>

#endif
