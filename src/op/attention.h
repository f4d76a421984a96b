/* What the composite self_attention and its implementations share. */
#ifndef SITU_OP_ATTENTION_H
#define SITU_OP_ATTENTION_H

#include <stdint.h>

typedef struct situ_attention_attr {
    double scale;
    int64_t heads, causal;
} situ_attention_attr;

#endif
