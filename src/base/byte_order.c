#include "base/byte_order.h"

void situ_reverse_numbers(void *to, const void *from, size_t bytes, size_t width)
{
    const uint8_t *source = from;
    uint8_t *target = to;
    for (size_t i = 0; i < bytes; i += width)
        for (size_t k = 0; k < width; k++) target[i + k] = source[i + width - 1 - k];
}
