/* Formats of quantised blocks. */
#include "op/blocks.h"

#include <string.h>

#include "op/blocks.inc"

#define FUNCTION(NAME, name, n, size, group) \
    void situ_unpack_##name(const uint8_t *block, float *number) \
    { \
        int8_t q[n]; \
        float scale[n / group], least[n / group]; \
        name(block, q, scale, least); \
        for (int i = 0; i < n; i++) number[i] = scale[i / group] * (float)q[i] - least[i / group]; \
    }
SITU_BLOCK_FORMATS(FUNCTION)

#define ROW(NAME, name, n, size, group) [SITU_##NAME] = {#NAME, n, size, situ_unpack_##name},
const situ_block_format situ_block_formats[SITU_BLOCK_TYPES] = {SITU_BLOCK_FORMATS(ROW)};
