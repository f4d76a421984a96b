/* Attention head by head: a few rows of scores at a time, which never leave the cache. */
#ifndef SITU_CPU_ATTENTION_H
#define SITU_CPU_ATTENTION_H

#include "graph/op.h"

/* Listed in implementations.c: calls of self_attention and self_attention_back. */
bool situ_attention_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_attention_run(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_attention_back_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* Listed in implementations.c: calls of cached_attention, and the workspace that it needs. */
bool situ_cached_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_cached_run(const situ_call_desc *call, char *const *address, const situ_host *h);

#endif
