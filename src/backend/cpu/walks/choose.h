/* For impls.c: elements by a list of places, by a mask, the first places of an order. */
#ifndef SITU_CPU_CHOOSE_H
#define SITU_CPU_CHOOSE_H

#include "graph/op.h"

bool situ_take_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_take_run(const situ_call_desc *call, char *const *address, const situ_host *h);
bool situ_compress_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_compress_run(const situ_call_desc *call, char *const *address, const situ_host *h);
bool situ_topk_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_topk_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* Elements of 4 or 8 bytes where the mask is true, by vectors of whole lines while they fit: how many of the n were looked at;
 * *found: how many of `most` were written. */
int64_t situ_compress_avx512(char *out, int64_t most, const char *x, const char *mask, int64_t n, int64_t size, int64_t *found);

#endif
