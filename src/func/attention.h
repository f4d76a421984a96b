/* For the library's own use: attention behind keys and values that are kept. */
#ifndef SITU_FUNC_ATTENTION_H
#define SITU_FUNC_ATTENTION_H

#include <situ/network.h>

/* softmax(q k^T / sqrt(width)) v, causal, for q [batch, positions, heads width] behind `at` (i32[1]) places of past_k and past_v
 * [batch, most, kv_heads width], which are followed by k and v [batch, positions, kv_heads width]. As q; without gradients. */
situ_tensor *situ_cached_attention(situ_tensor *q, situ_tensor *k, situ_tensor *v, situ_tensor *past_k, situ_tensor *past_v,
    situ_tensor *at, int64_t heads, int64_t kv_heads, situ_site site);

#endif
