/* The order of a number's bytes. Numbers in files are little-endian; those in memory are in the order of this machine. */
#ifndef SITU_BASE_BYTE_ORDER_H
#define SITU_BASE_BYTE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether this machine stores the highest byte of a number first. */
enum { SITU_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* Copies `bytes` bytes of numbers that have `width` bytes each (1, 2, 4 or 8), and reverses the order within each
 * number. `to` is not `from`. */
void situ_reverse_numbers(void *to, const void *from, size_t bytes, size_t width);
/* Copies such numbers from this machine's order to little-endian order, or back. */
static inline void situ_little_numbers(void *to, const void *from, size_t bytes, size_t width)
{
    if (SITU_BIG_ENDIAN) situ_reverse_numbers(to, from, bytes, width);
    else if (bytes) memcpy(to, from, bytes);
}

/* Reads a little-endian number of up to eight bytes. */
static inline uint64_t situ_little(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Stores the lowest bits of `value` as an unsigned number of 1, 2, 4 or 8 bytes, in this machine's order. */
static inline void situ_put_bits(void *to, uint64_t value, size_t width)
{
    memcpy(to, (const char *)&value + (SITU_BIG_ENDIAN ? sizeof value - width : 0), width);
}
/* The reverse: an unsigned number of 1, 2, 4 or 8 bytes. */
static inline uint64_t situ_take_bits(const void *from, size_t width)
{
    uint64_t value = 0;
    memcpy((char *)&value + (SITU_BIG_ENDIAN ? sizeof value - width : 0), from, width);
    return value;
}

#endif
