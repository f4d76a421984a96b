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

/* Elements of 4 or 8 bytes at places of 4 or 8 bytes among n, negative ones from the end: how many of `count` are done, as many as
 * fill lines of the result; what follows may name no place. stream: past the caches; out begins a line then. */
typedef int64_t situ_take_fn(
    char *out, const char *x, int64_t size, const char *index, int64_t index_size, int64_t count, int64_t n, bool stream);
situ_take_fn situ_take_avx2, situ_take_avx512;

#endif
