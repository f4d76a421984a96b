/* Listed in implementations.c: elements by indices, by a mask, and the first positions of an order (topk). */
#ifndef SITU_CPU_CHOOSE_H
#define SITU_CPU_CHOOSE_H

#include "base/isa.h"
#include "graph/op.h"

bool situ_take_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_take_run(const situ_call_desc *call, char *const *address, const situ_host *h);
bool situ_compress_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_compress_run(const situ_call_desc *call, char *const *address, const situ_host *h);
bool situ_topk_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_topk_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* Kernels of one instruction set. NULL: it has none, the portable code is used. */
typedef struct situ_choose_kernels {
    /* Copies elements of 4 or 8 bytes where the mask is true, by vectors, as long as whole cache lines fit. Returns how
     * many of the n were examined; *found: how many were written (at most `most`). */
    int64_t (*compress)(char *out, int64_t most, const char *x, const char *mask, int64_t n, int64_t size, int64_t *found);
    /* Takes elements of 4 or 8 bytes by indices of 4 or 8 bytes below n; negative ones count from the end. Returns how
     * many of `count` are done: whole cache lines of the result, up to an index out of range. stream: bypasses the
     * caches; out is then at the start of a cache line. */
    int64_t (*take)(
        char *out, const char *x, int64_t size, const char *index, int64_t index_size, int64_t count, int64_t n, bool stream);
} situ_choose_kernels;
#define SITU_CHOOSE_KERNELS(name) extern const situ_choose_kernels name;
SITU_EACH_SET(SITU_CHOOSE_KERNELS, situ_choose)

#endif
