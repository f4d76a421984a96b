/* Steps that make values: a single element or a run-time word at all positions, and coordinates. */
#include "backend/cpu/interpreter/group.h"

#include "tensor/dtype.h"

#include <string.h>

#define FILL(T) \
    { \
        T value, *to = (T *)(void *)out; \
        memcpy(&value, element, sizeof value); \
        for (int i = 0; i < n; i++) to[i] = value; \
        break; \
    }

static void fill(char *out, const void *element, size_t size, int n)
{
    switch (size) {
    case 1: memset(out, *(const unsigned char *)element, (size_t)n); break;
    case 2: FILL(uint16_t)
    case 4: FILL(uint32_t)
    case 8: FILL(uint64_t)
    default:
        for (int i = 0; i < n; i++) memcpy(out + (size_t)i * size, element, size);
    }
}

void situ_tile_step_fill(const situ_tile_step *s, char *out, const char *element, int n)
{
    situ_c128 value;
    if (n <= 0) return;
    situ_convert(s->from, s->dtype)(&value, element, 1);
    fill(out, &value, situ_dtype_size(s->dtype), n);
}

/* The common case: an f64 word as f32. */
void situ_tile_step_argument(const situ_tile_step *s, char *out, uint64_t word, int n)
{
    double real;
    int64_t integer = (int64_t)word;
    memcpy(&real, &word, sizeof real);
    if (s->dtype == SITU_F32) {
        float value = s->b ? (float)real : (float)integer, *to = (float *)(void *)out;
        for (int i = 0; i < n; i++) to[i] = value;
        return;
    }
    situ_c128 stored, value;
    situ_dtype compute = s->from;
    if (s->b) situ_element_set_f64(s->dtype, &stored, real);
    else situ_element_set_i64(s->dtype, &stored, integer);
    situ_convert(s->dtype, compute)(&value, &stored, 1);
    fill(out, &value, situ_dtype_size(compute), n);
}

/* (position / p) % q: runs of equal values or, if p is 1, of consecutive values. `left`: the rest of the first run. */
#define COORDINATES(T, U) \
    { \
        T *to = (T *)(void *)out; \
        for (int64_t i = 0, end; i<n; value = p> 1 && value + 1 < q ? value + 1 : 0, left = p > 1 ? p : q) \
            for (end = left < n - i ? i + left : n; i < end; value += p == 1) to[i++] = (T)(U)value; \
        break; \
    }

void situ_tile_step_iota(const situ_tile_step *s, char *out, int64_t first, int n)
{
    int64_t p = s->p > 1 ? s->p : 1, q = s->q > 0 ? s->q : INT64_MAX;
    int64_t value = first / p % q, left = p > 1 ? p - first % p : q - value;
    switch (s->dtype) {
    case SITU_U8: COORDINATES(uint32_t, uint8_t)
    case SITU_U16: COORDINATES(uint32_t, uint16_t)
    case SITU_U32: COORDINATES(uint32_t, uint32_t)
    case SITU_U64: COORDINATES(uint64_t, uint64_t)
    case SITU_I8: COORDINATES(int32_t, int8_t)
    case SITU_I16: COORDINATES(int32_t, int16_t)
    case SITU_I32: COORDINATES(int32_t, int32_t)
    case SITU_I64: COORDINATES(int64_t, int64_t)
    case SITU_F32: COORDINATES(float, int64_t)
    case SITU_F64: COORDINATES(double, int64_t)
    default: break;
    }
}
