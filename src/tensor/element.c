#include "tensor/cast.h"
#include "tensor/dtype.h"

/* One element of any dtype as its storage type. */
typedef union element {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    situ_c64 c64;
    situ_c128 c128;
} element;

static element load(situ_dtype d, const void *p)
{
    element e = {0};
    memcpy(&e, p, situ_dtype_size(d));
    return e;
}

double situ_element_get_f64(situ_dtype d, const void *p)
{
    element e = load(d, p);
    switch (d) {
    case SITU_BOOL: return e.u8 != 0;
    case SITU_U8: return e.u8;
    case SITU_U16: return e.u16;
    case SITU_U32: return e.u32;
    case SITU_U64: return (double)e.u64;
    case SITU_I8: return e.i8;
    case SITU_I16: return e.i16;
    case SITU_I32: return e.i32;
    case SITU_I64: return (double)e.i64;
    case SITU_F16: return situ_half_to_f32(e.u16);
    case SITU_BF16: return situ_brain_to_f32(e.u16);
    case SITU_F32: return e.f32;
    case SITU_F64: return e.f64;
    case SITU_C64: return e.c64.re;
    case SITU_C128: return e.c128.re;
    default: return 0;
    }
}

int64_t situ_element_get_i64(situ_dtype d, const void *p)
{
    element e = load(d, p);
    switch (d) {
    case SITU_BOOL: return e.u8 != 0;
    case SITU_U8: return e.u8;
    case SITU_U16: return e.u16;
    case SITU_U32: return e.u32;
    case SITU_I8: return e.i8;
    case SITU_I16: return e.i16;
    case SITU_I32: return e.i32;
    case SITU_U64:
    case SITU_I64: return e.i64;
    default: return situ_f64_to_i64(situ_element_get_f64(d, p));
    }
}

situ_c128 situ_element_get_c128(situ_dtype d, const void *p)
{
    element e = load(d, p);
    if (d == SITU_C64) return (situ_c128){e.c64.re, e.c64.im};
    if (d == SITU_C128) return e.c128;
    return (situ_c128){situ_element_get_f64(d, p), 0};
}

void situ_element_set_f64(situ_dtype d, void *p, double x)
{
    element e = {0};
    switch (d) {
    case SITU_BOOL: e.u8 = x != 0; break;
    case SITU_U8: e.u8 = situ_f64_to_u8(x); break;
    case SITU_U16: e.u16 = situ_f64_to_u16(x); break;
    case SITU_U32: e.u32 = situ_f64_to_u32(x); break;
    case SITU_U64: e.u64 = situ_f64_to_u64(x); break;
    case SITU_I8: e.i8 = situ_f64_to_i8(x); break;
    case SITU_I16: e.i16 = situ_f64_to_i16(x); break;
    case SITU_I32: e.i32 = situ_f64_to_i32(x); break;
    case SITU_I64: e.i64 = situ_f64_to_i64(x); break;
    case SITU_F16: e.u16 = situ_half_from_f64(x); break;
    case SITU_BF16: e.u16 = situ_brain_from_f64(x); break;
    case SITU_F32: e.f32 = (float)x; break;
    case SITU_F64: e.f64 = x; break;
    case SITU_C64: e.c64 = (situ_c64){(float)x, 0}; break;
    case SITU_C128: e.c128 = (situ_c128){x, 0}; break;
    default: return;
    }
    memcpy(p, &e, situ_dtype_size(d));
}

void situ_element_set_i64(situ_dtype d, void *p, int64_t x)
{
    element e = {0};
    switch (d) {
    case SITU_BOOL: e.u8 = x != 0; break;
    case SITU_U8:
    case SITU_I8: e.u8 = (uint8_t)x; break;
    case SITU_U16:
    case SITU_I16: e.u16 = (uint16_t)x; break;
    case SITU_U32:
    case SITU_I32: e.u32 = (uint32_t)x; break;
    case SITU_U64:
    case SITU_I64: e.i64 = x; break;
    case SITU_F16: e.u16 = situ_half_from_f64(situ_f64_sticky_i64(x)); break;
    case SITU_BF16: e.u16 = situ_brain_from_f64(situ_f64_sticky_i64(x)); break;
    case SITU_F32: e.f32 = (float)x; break;
    case SITU_F64: e.f64 = (double)x; break;
    case SITU_C64: e.c64 = (situ_c64){(float)x, 0}; break;
    case SITU_C128: e.c128 = (situ_c128){(double)x, 0}; break;
    default: return;
    }
    memcpy(p, &e, situ_dtype_size(d));
}

void situ_element_set_c128(situ_dtype d, void *p, situ_c128 x)
{
    situ_c64 narrow = {(float)x.re, (float)x.im};
    if (d == SITU_C64) memcpy(p, &narrow, sizeof narrow);
    else if (d == SITU_C128) memcpy(p, &x, sizeof x);
    else if (d == SITU_BOOL) situ_element_set_f64(d, p, x.re != 0 || x.im != 0);
    else situ_element_set_f64(d, p, x.re);
}
