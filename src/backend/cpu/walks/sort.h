/* For impls.c: calls of sort. */
#ifndef SITU_CPU_SORT_H
#define SITU_CPU_SORT_H

#include "op/order.h"

bool situ_sort_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_sort_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* n keys in order: they lie there or in `room`, which has place for n + 8, whichever is returned. */
uint64_t *situ_sort_few(uint64_t *key, uint64_t *room, int64_t n);

/* Keys in order by AVX-512; room: for n keys. False: `deep` cuts were not enough, they are in no order. How many are before a pivot
 * once they are cut there. */
bool situ_sort_avx512_narrow(uint32_t *key, int64_t n, uint32_t *room, int deep);
bool situ_sort_avx512_wide(uint64_t *key, int64_t n, uint64_t *room, int deep);
int64_t situ_cut_avx512_narrow(uint32_t *key, int64_t n, uint32_t *room);
int64_t situ_cut_avx512_wide(uint64_t *key, int64_t n, uint64_t *room);
/* A pivot; how many are above it; these to `high`, the others to `low`. */
uint32_t situ_pivot_avx512_narrow(const uint32_t *key, int64_t n);
uint64_t situ_pivot_avx512_wide(const uint64_t *key, int64_t n);
int64_t situ_above_avx512_narrow(const uint32_t *key, int64_t n, uint32_t pivot);
int64_t situ_above_avx512_wide(const uint64_t *key, int64_t n, uint64_t pivot);
void situ_split_avx512_narrow(const uint32_t *key, int64_t n, uint32_t pivot, uint32_t *low, uint32_t *high);
void situ_split_avx512_wide(const uint64_t *key, int64_t n, uint64_t pivot, uint64_t *low, uint64_t *high);

#endif
