/* For impls.c: elements by a list of places, by a mask, the first places of an order. */
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

/* NULL: this instruction set has none of its own. */
typedef struct situ_choose_kernels {
    /* Elements of 4 or 8 bytes where the mask is true, by vectors of whole lines while they fit: how many of the n were looked at;
     * *found: how many of `most` were written. */
    int64_t (*compress)(char *out, int64_t most, const char *x, const char *mask, int64_t n, int64_t size, int64_t *found);
    /* Elements of 4 or 8 bytes by indices of 4 or 8 bytes below n; negative ones count from the end. Returns how many of `count`
     * are done, as many as fill lines of the result: an index behind them may be out of range. stream: stores past the caches; out
     * is the beginning of a line then. */
    int64_t (*take)(
        char *out, const char *x, int64_t size, const char *index, int64_t index_size, int64_t count, int64_t n, bool stream);
} situ_choose_kernels;
#define SITU_CHOOSE_KERNELS(name) extern const situ_choose_kernels name;
SITU_EACH_SET(SITU_CHOOSE_KERNELS, situ_choose)

#endif
