#include "op/host.h"

#include <math.h>
#include <string.h>

#define COPY(type) \
    for (int64_t i = 0; i < n; i++) ((type *)(void *)to)[i * ts] = ((const type *)(const void *)from)[i * fs]

static void copy_line(char *to, int64_t ts, const char *from, int64_t fs, int64_t n, size_t size)
{
    typedef struct {
        uint64_t a, b;
    } pair;
    if (ts == 1 && fs == 1) memcpy(to, from, (size_t)n * size);
    else if (size == 1) COPY(uint8_t);
    else if (size == 2) COPY(uint16_t);
    else if (size == 4) COPY(uint32_t);
    else if (size == 8) COPY(uint64_t);
    else COPY(pair);
}

void situ_host_copy(
    char *to, const int64_t *to_stride, const char *from, const int64_t *from_stride, int ndim, const int64_t *dim, size_t size)
{
    int64_t shape[SITU_MAX_DIMS], stride[2][SITU_MAX_DIMS], at[SITU_MAX_DIMS] = {0};
    memcpy(shape, dim, 8 * (size_t)ndim);
    memcpy(stride[0], to_stride, 8 * (size_t)ndim);
    memcpy(stride[1], from_stride, 8 * (size_t)ndim);
    ndim = situ_collapse(ndim, shape, 2, stride[0]);
    if (!ndim) {
        memcpy(to, from, size);
        return;
    }
    for (int i = 0; i < ndim; i++)
        if (!shape[i]) return;
    int last = ndim - 1, axis;
    do {
        copy_line(to, stride[0][last], from, stride[1][last], shape[last], size);
        for (axis = last - 1; axis >= 0; axis--) {
            to += stride[0][axis] * (int64_t)size;
            from += stride[1][axis] * (int64_t)size;
            if (++at[axis] < shape[axis]) break;
            to -= stride[0][axis] * shape[axis] * (int64_t)size;
            from -= stride[1][axis] * shape[axis] * (int64_t)size;
            at[axis] = 0;
        }
    } while (axis >= 0);
}

void situ_host_fill(char *to, int64_t n, const void *element, size_t size)
{
    static const char zero[16];
    if (!memcmp(element, zero, size)) memset(to, 0, (size_t)n * size);
    else
        for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * size, element, size);
}

int64_t situ_host_index_any(const situ_host *h, situ_dtype dtype, const char *indices, int64_t i, int64_t n, bool labels)
{
    int64_t given = situ_element_get_i64(dtype, indices + (size_t)i * situ_dtype_size(dtype));
    int64_t at = given < 0 && dtype != SITU_U64 && !labels ? given + n : given;
    if (at >= 0 && at < n) return at;
    situ_fault_set_at(h->fault, SITU_BAD_INDEX, given, n, i + 1);
    return -1;
}

void situ_host_missing(situ_dtype dtype, void *element)
{
    memset(element, 0, situ_dtype_size(dtype));
    if (situ_dtype_is_float(dtype)) situ_element_set_f64(dtype, element, NAN);
    if (situ_dtype_is_complex(dtype)) situ_element_set_c128(dtype, element, (situ_c128){NAN, NAN});
}

/* Maps the bits of a float to an unsigned key with the same order: negative numbers are mirrored below the middle; NaN
 * gets all bits. Without branches. */
static inline uint64_t float_key(uint64_t bits, uint64_t sign, uint64_t infinity)
{
    uint64_t magnitude = bits & (sign - 1), negative = 0 - (bits & sign) / sign, is_nan = 0 - ((infinity - magnitude) >> 63);
    return (sign + ((magnitude ^ negative) - negative)) | is_nan;
}

#define KEYS_BY(type, expression, stride) \
    for (int64_t i = 0; i < n; i++) { \
        type v = ((const type *)(const void *)x)[i * (stride)]; \
        key[i] = (expression); \
    }
#define KEYS(type, expression) \
    if (stride == 1) KEYS_BY(type, expression, 1) \
    else KEYS_BY(type, expression, stride) \
    break

void situ_host_keys(uint64_t *key, situ_dtype dtype, const char *x, int64_t stride, int64_t n)
{
    const uint64_t middle = 1ull << 63;
    switch (dtype) {
    case SITU_BOOL:
    case SITU_U8: KEYS(uint8_t, v);
    case SITU_U16: KEYS(uint16_t, v);
    case SITU_U32: KEYS(uint32_t, v);
    case SITU_U64: KEYS(uint64_t, v);
    case SITU_I8: KEYS(int8_t, (uint64_t)v + middle);
    case SITU_I16: KEYS(int16_t, (uint64_t)v + middle);
    case SITU_I32: KEYS(int32_t, (uint64_t)v + middle);
    case SITU_I64: KEYS(int64_t, (uint64_t)v + middle);
    case SITU_F16: KEYS(uint16_t, float_key(v, 0x8000u, 0x7c00u));
    case SITU_BF16: KEYS(uint16_t, float_key(v, 0x8000u, 0x7f80u));
    case SITU_F32: KEYS(uint32_t, float_key(v, 0x80000000u, 0x7f800000u));
    case SITU_F64: KEYS(uint64_t, float_key(v, middle, 0x7ff0000000000000u));
    default: memset(key, 0, 8 * (size_t)n);
    }
}
