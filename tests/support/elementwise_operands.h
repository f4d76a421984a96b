/* Operands for tests of elementwise kernels: bit patterns over the whole dtype, values in an operation's range, and
 * special values. */
#ifndef SITU_TEST_ELEMENTWISE_OPERANDS_H
#define SITU_TEST_ELEMENTWISE_OPERANDS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/elementwise.h"

static const situ_dtype compute_dtypes[] = {SITU_BOOL, SITU_I32, SITU_U32, SITU_I64, SITU_U64, SITU_F32, SITU_F64};
enum { COMPUTE_DTYPES = sizeof compute_dtypes / sizeof *compute_dtypes };

/* A small random generator with its own state (xorshift64*). */
static inline uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}
static inline double draw_unit(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

static inline double corner(uint64_t index)
{
    static const double corners[] = {
        0.0,        -0.0,       1.0,     -1.0,     0.5,          -0.5,         2.0,           -2.0,           3.0,
        1.5,        2.5,        -2.5,    0x1p23,   -0x1p23,      0x1p24,       0x1p-24,       0x1p-126,       -0x1p-126,
        0x1p-149,   -0x1p-149,  88.7228, -103.97,  0x1.fffffep-1, 0x1.000002p0, 0x1.fffffep127, -0x1.fffffep127, 127.0,
        INFINITY,   -INFINITY,  NAN,     1e5,      1.5707964,    3.1415927,    100.0,         31.0,           32.0,
    };
    return corners[index % (sizeof corners / sizeof *corners)];
}

/* Draws an operand of compute dtype d for an operation. */
static inline void draw_operand(situ_el op, situ_dtype d, uint64_t *state, void *out)
{
    const situ_el_row *row = &situ_el_rows[op];
    unsigned kind = (unsigned)(draw(state) >> 60);
    uint64_t bits = draw(state);
    double x = kind < 6 ? row->lo + (row->hi - row->lo) * draw_unit(state) : corner(draw(state));
    float f = (float)x;
    if (kind >= 8) memcpy(&f, &bits, 4), memcpy(&x, &bits, 8);
    uint64_t whole = kind >= 10 ? bits : kind >= 8 ? (uint64_t)1 << (bits & 63) : bits % 41 - 20;
    switch (d) {
    case SITU_BOOL: *(uint8_t *)out = bits & 1; break;
    case SITU_F32: memcpy(out, &f, 4); break;
    case SITU_F64: memcpy(out, &x, 8); break;
    case SITU_I32:
    case SITU_U32: memcpy(out, &whole, 4); break;
    default: memcpy(out, &whole, 8); break;
    }
}

/* The dtype of operand i of op for compute dtype d. */
static inline situ_dtype operand_dtype(situ_el op, situ_dtype d, int i)
{
    return situ_el_rows[op].kind == SITU_EL_SELECT && i == 0 ? SITU_BOOL : d;
}

static inline bool same_bits(situ_dtype d, const void *a, const void *b)
{
    if (!memcmp(a, b, situ_dtype_size(d))) return true;
    double x, y;
    float v, w;
    if (d == SITU_F32) return memcpy(&v, a, 4), memcpy(&w, b, 4), v != v && w != w;
    if (d == SITU_F64) return memcpy(&x, a, 8), memcpy(&y, b, 8), x != x && y != y;
    return false;
}

/* An element as a string, for messages. */
static inline const char *element_text(situ_dtype d, const void *p, char *buffer, size_t size)
{
    uint64_t u = 0;
    float f;
    double x;
    memcpy(&u, p, situ_dtype_size(d));
    memcpy(&f, p, d == SITU_F32 ? 4 : 1);
    memcpy(&x, &u, 8);
    if (d == SITU_F32) snprintf(buffer, size, "%.9g (%a)", (double)f, (double)f);
    else if (d == SITU_F64) snprintf(buffer, size, "%.17g (%a)", x, x);
    else snprintf(buffer, size, "%#llx", (unsigned long long)u);
    return buffer;
}

#endif
