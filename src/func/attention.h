/* For internal use: attention with cached keys and values. */
#ifndef SITU_FUNC_ATTENTION_H
#define SITU_FUNC_ATTENTION_H

#include <situ/network.h>

/* softmax(q k^T / sqrt(width)) v, causal. q is [batch, positions, heads * width]; its keys and values are the first
 * `at` (i32[1]) positions of past_k and past_v [batch, most, kv_heads * width], followed by k and v [batch, positions,
 * kv_heads * width]. The result has q's shape; no gradients. */
situ_tensor *situ_cached_attention(situ_tensor *q, situ_tensor *k, situ_tensor *v, situ_tensor *past_k, situ_tensor *past_v,
    situ_tensor *at, int64_t heads, int64_t kv_heads, situ_site site);

#endif
