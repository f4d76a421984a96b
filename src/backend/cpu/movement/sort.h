/* Listed in implementations.c: calls of sort. */
#ifndef SITU_CPU_SORT_H
#define SITU_CPU_SORT_H

#include "base/isa.h"
#include "op/order.h"

bool situ_sort_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_sort_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* Sorts n keys and returns where they are: in `key` or in `space`, which has space for n + 8. */
uint64_t *situ_sort_few(uint64_t *key, uint64_t *space, int64_t n);

/* Kernels for keys of 32 and 64 bits, in vectors. NULL: this instruction set has none. */
typedef struct situ_sort_kernels {
    /* Sorts keys; space: n keys. False: `deep` partitions were not enough; the keys are then unsorted. */
    bool (*sort_narrow)(uint32_t *key, int64_t n, uint32_t *space, int deep);
    bool (*sort_wide)(uint64_t *key, int64_t n, uint64_t *space, int deep);
    /* pivot: a pivot for n keys. part: moves keys above a pivot to the end of `to`, the others to its beginning;
     * returns the number of the others. */
    uint32_t (*pivot_narrow)(const uint32_t *key, int64_t n);
    uint64_t (*pivot_wide)(const uint64_t *key, int64_t n);
    int64_t (*cut_narrow)(const uint32_t *from, int64_t n, uint32_t *to, uint32_t pivot);
    int64_t (*cut_wide)(const uint64_t *from, int64_t n, uint64_t *to, uint64_t pivot);
    /* Converts n elements to keys and back, like load_alike and store_alike of sort.inc. Returns whether values may
     * share a key. */
    bool (*load_narrow)(uint32_t *to, const uint32_t *x, int64_t n, bool real, uint32_t flip);
    bool (*load_wide)(uint64_t *to, const uint64_t *x, int64_t n, bool real, uint64_t flip);
    void (*store_narrow)(uint32_t *out, const uint32_t *key, int64_t n, bool real, uint32_t flip);
    void (*store_wide)(uint64_t *out, const uint64_t *key, int64_t n, bool real, uint64_t flip);
} situ_sort_kernels;
#define SITU_SORT_KERNELS(name) extern const situ_sort_kernels name;
SITU_EACH_SET(SITU_SORT_KERNELS, situ_sort)

#endif
