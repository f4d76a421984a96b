#include "run/nan.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "tensor/dtype.h"

/* True if all exponent bits are set, and a bit of the fraction. */
static bool is_nan(situ_dtype dtype, const unsigned char *at)
{
    uint64_t u = 0;
    uint16_t half;
    uint32_t single;
    switch (dtype) {
    case SITU_F16: memcpy(&half, at, 2); return (half & 0x7fff) > 0x7c00;
    case SITU_BF16: memcpy(&half, at, 2); return (half & 0x7fff) > 0x7f80;
    case SITU_F32:
    case SITU_C64: memcpy(&single, at, 4); return (single & 0x7fffffff) > 0x7f800000;
    case SITU_F64:
    case SITU_C128: memcpy(&u, at, 8); return (u & INT64_MAX) > 0x7ff0000000000000;
    default: return false;
    }
}

int64_t situ_nan_find(situ_dtype dtype, const void *data, size_t bytes)
{
    bool parts = situ_dtype_is_complex(dtype);
    if (!situ_dtype_is_float(dtype) && !parts) return -1;
    size_t size = situ_dtype_size(dtype) / (parts ? 2 : 1), i = 0;
    while (i < bytes / size && !is_nan(dtype, (const unsigned char *)data + i * size)) i++;
    return i == bytes / size ? -1 : (int64_t)(i / (parts ? 2 : 1));
}

void situ_nan_look(situ_dtype dtype, const void *data, size_t bytes, const char *name, const char *part, bool host,
    situ_device device, situ_site site)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    int64_t at = situ_nan_find(dtype, data, bytes);
    if (at < 0 || atomic_flag_test_and_set(&told)) return;
    char text[32];
    fprintf(stderr, "situ: the first NaN %s %s%s%s (element %lld of its %s, on %s), called at %s\n",
        host ? "came in with the data of" : "was made by", part ? part : "", part ? " of " : "", name, (long long)at,
        situ_dtype_name(dtype), situ_device_name(device, text), site ? site : "an unknown line");
}
