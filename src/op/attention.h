/* What the composite self_attention and its implementations share. */
#ifndef SITU_OP_ATTENTION_H
#define SITU_OP_ATTENTION_H

#include <stdint.h>

typedef struct situ_attention_attr {
    double scale;
    int64_t heads, causal;
} situ_attention_attr;

typedef struct situ_cached_attr {
    double scale;
    int64_t heads, kv_heads;
} situ_cached_attr;

/* with few queries, cached positions are cut into this many parts */
enum { SITU_CACHED_POSITIONS = 16, SITU_CACHED_SPLIT = 256 };
static inline int64_t situ_cached_parts(int64_t positions, int64_t most)
{
    return positions > SITU_CACHED_POSITIONS || most < 1 ? 1 : (most + SITU_CACHED_SPLIT - 1) / SITU_CACHED_SPLIT;
}

#endif
