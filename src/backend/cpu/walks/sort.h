/* For impls.c: calls of sort. */
#ifndef SITU_CPU_SORT_H
#define SITU_CPU_SORT_H

#include "op/order.h"

bool situ_sort_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_sort_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* n keys in order: they lie there or in `room`, which has place for n + 8, whichever is returned. */
uint64_t *situ_sort_few(uint64_t *key, uint64_t *room, int64_t n);

/* Keys in order; room: for n keys. False: `deep` cuts were not enough, they are in no order. */
typedef bool situ_sort_narrow(uint32_t *key, int64_t n, uint32_t *room, int deep);
typedef bool situ_sort_wide(uint64_t *key, int64_t n, uint64_t *room, int deep);
situ_sort_narrow situ_sort_avx2_narrow, situ_sort_avx512_narrow;
situ_sort_wide situ_sort_avx2_wide, situ_sort_avx512_wide;
/* A pivot for n keys; those above one to the end of `to`, the others to its beginning; how many others. */
typedef uint32_t situ_pivot_narrow(const uint32_t *key, int64_t n);
typedef uint64_t situ_pivot_wide(const uint64_t *key, int64_t n);
situ_pivot_narrow situ_pivot_avx2_narrow, situ_pivot_avx512_narrow;
situ_pivot_wide situ_pivot_avx2_wide, situ_pivot_avx512_wide;
typedef int64_t situ_cut_narrow(const uint32_t *from, int64_t n, uint32_t *to, uint32_t pivot);
typedef int64_t situ_cut_wide(const uint64_t *from, int64_t n, uint64_t *to, uint64_t pivot);
situ_cut_narrow situ_cut_avx2_narrow, situ_cut_avx512_narrow;
situ_cut_wide situ_cut_avx2_wide, situ_cut_avx512_wide;

/* Four bits for each of eight places: the lane that goes there, those of a mask first. */
extern const uint32_t situ_sort_order[256];
/* Keys of n elements and back, as load_alike and store_alike of sort.inc; may values share a key? */
typedef bool situ_load_narrow(uint32_t *to, const uint32_t *x, int64_t n, bool real, uint32_t flip);
typedef bool situ_load_wide(uint64_t *to, const uint64_t *x, int64_t n, bool real, uint64_t flip);
situ_load_narrow situ_load_avx512_narrow;
situ_load_wide situ_load_avx512_wide;
typedef void situ_store_narrow(uint32_t *out, const uint32_t *key, int64_t n, bool real, uint32_t flip);
typedef void situ_store_wide(uint64_t *out, const uint64_t *key, int64_t n, bool real, uint64_t flip);
situ_store_narrow situ_store_avx512_narrow;
situ_store_wide situ_store_avx512_wide;

#endif
