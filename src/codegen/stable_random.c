/* Random bits in StableHLO: the same Threefry as everywhere, on whole tensors of counters. */
#include "codegen/stable.h"

typedef struct block {
    situ_wire x0, x1;
} block;

static situ_wire two(situ_stable *t, const char *operation, situ_wire a, situ_wire b) { return situ_stable_2(t, operation, a, b); }
static situ_wire word(situ_stable *t, uint32_t value, situ_wire like) { return situ_stable_integer(t, SITU_U32, value, &like); }

static situ_wire rotated(situ_stable *t, situ_wire a, int by)
{
    return two(t, "or", two(t, "shift_left", a, word(t, (uint32_t)by, a)),
        two(t, "shift_right_logical", a, word(t, 32 - (uint32_t)by, a)));
}

/* 20 rounds with a key of two words, on tensors of one shape. */
static block threefry(situ_stable *t, situ_wire k0, situ_wire k1, situ_wire x0, situ_wire x1)
{
    static const uint8_t turn[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    situ_wire key[3] = {k0, k1, two(t, "xor", two(t, "xor", k0, k1), word(t, 0x1BD11BDAu, k0))};
    x0 = two(t, "add", x0, k0);
    x1 = two(t, "add", x1, k1);
    for (int group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x0 = two(t, "add", x0, x1);
            x1 = two(t, "xor", rotated(t, x1, turn[group & 1][i]), x0);
        }
        x0 = two(t, "add", x0, key[(group + 1) % 3]);
        x1 = two(t, "add", x1, two(t, "add", key[(group + 2) % 3], word(t, (uint32_t)group + 1, x1)));
    }
    return (block){x0, x1};
}

static situ_wire low_half(situ_stable *t, situ_wire a) { return situ_stable_convert(t, a, SITU_U32); }
static situ_wire joined(situ_stable *t, situ_wire high, situ_wire low)
{
    situ_wire h = situ_stable_convert(t, high, SITU_U64), shift = situ_stable_integer(t, SITU_U64, 32, &h);
    return two(t, "or", two(t, "shift_left", h, shift), situ_stable_convert(t, low, SITU_U64));
}

/* Position p of n in JAX's original layout, for n below 2^32 - 1. */
static situ_wire original_32(situ_stable *t, situ_wire k0, situ_wire k1, situ_wire p, int64_t n)
{
    int64_t half = n / 2 + (n & 1);
    situ_wire h = situ_stable_integer(t, SITU_U64, half, &p), count = situ_stable_integer(t, SITU_U64, n, &p);
    situ_wire first = situ_stable_compare(t, "LT", p, h), low = situ_stable_select(t, first, p, two(t, "subtract", p, h));
    situ_wire high = two(t, "add", low, h), none = situ_stable_integer(t, SITU_U64, 0, &p);
    high = situ_stable_select(t, situ_stable_compare(t, "LT", high, count), high, none);
    block b = threefry(t, k0, k1, low_half(t, low), low_half(t, high));
    return situ_stable_select(t, first, b.x0, b.x1);
}

situ_wire situ_stable_random(situ_stable *t, situ_wire key, situ_wire p, int64_t n, int dtype, bool partitionable)
{
    situ_wire k[2];
    for (int i = 0; i < 2; i++)
        k[i] =
            situ_stable_broadcast(t, situ_stable_reshape(t, situ_stable_part(t, key, 0, i, i + 1), 0, NULL), p.ndim, p.dim, NULL);
    if (!partitionable && dtype == SITU_U32) return original_32(t, k[0], k[1], p, n);
    situ_wire shift = situ_stable_integer(t, SITU_U64, 32, &p), count = situ_stable_integer(t, SITU_U64, n, &p);
    situ_wire x0 = partitionable ? two(t, "shift_right_logical", p, shift) : p, x1 = partitionable ? p : two(t, "add", p, count);
    block b = threefry(t, k[0], k[1], low_half(t, x0), low_half(t, x1));
    return dtype == SITU_U64 ? joined(t, b.x0, b.x1) : two(t, "xor", b.x0, b.x1);
}
