/* Listed in implementations.c: searchsorted of many values. */
#ifndef SITU_CPU_SEARCH_H
#define SITU_CPU_SEARCH_H

#include <stdatomic.h>

#include "base/isa.h"
#include "graph/op.h"

bool situ_search_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_search_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* The tree. A value is compared with a whole cache line at once: levels[0] has the key of the last element of each line
 * of the order, levels[1] that of each line of levels[0], and so on up to one line. Keys are as in op/host.h, as wide
 * as the elements. The last key of a level, and the padding of its last line, is the largest key, so that no search
 * goes beyond it. */
enum { SITU_SEARCH_LEVELS = 20 };
typedef struct situ_search {
    const char *sorted, *values;
    int64_t *out, n;
    bool real, right;
    _Atomic bool falls;      /* the line is not sorted: only binary search then gives the same positions on every machine */
    uint64_t sign, infinity; /* sign: the sign bit of keys; 0 for unsigned integers */
    int depth;
    char *level[SITU_SEARCH_LEVELS];
    int64_t lines[SITU_SEARCH_LEVELS];
    char rest[64]; /* the order's last cache line, filled up */
} situ_search;

/* For elements of 4 and of 8 bytes. NULL: this instruction set has no kernels. */
typedef struct situ_search_kernels {
    void (*base)(void *search, int64_t first, int64_t end); /* makes these lines of levels[0] */
    void (*above)(situ_search *search);                     /* makes all other levels */
    void (*run)(void *search, int64_t first, int64_t end);  /* searches these values */
} situ_search_kernels;
#define SITU_SEARCH_KERNELS(name) extern const situ_search_kernels name[2];
SITU_EACH_SET(SITU_SEARCH_KERNELS, situ_search)

#endif
