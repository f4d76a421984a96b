/* For impls.c: places of many values in an order. */
#ifndef SITU_CPU_SEARCH_H
#define SITU_CPU_SEARCH_H

#include <stdatomic.h>

#include "base/isa.h"
#include "graph/op.h"

bool situ_search_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_search_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* A line of the cache is compared with a value at once: levels[0] has the key of the last element of each line of the order,
 * levels[1] of each line of levels[0], ... up to one line. Keys as in op/host.h, of the elements' own width; the last one of a
 * level and what fills its line up are the largest key, so that nobody goes beyond it. */
enum { SITU_SEARCH_LEVELS = 20 };
typedef struct situ_search {
    const char *sorted, *values;
    int64_t *out, n;
    bool real, right;
    _Atomic bool falls;      /* it is no order: only halves find the same places as everywhere */
    uint64_t sign, infinity; /* sign: 0 of unsigned integers */
    int depth;
    char *level[SITU_SEARCH_LEVELS];
    int64_t lines[SITU_SEARCH_LEVELS];
    char rest[64]; /* the order's last line, filled up */
} situ_search;

/* Of elements of 4 and of 8 bytes; NULL: this instruction set has none of its own. */
typedef struct situ_search_kernels {
    void (*base)(void *search, int64_t first, int64_t end); /* these lines of levels[0] */
    void (*above)(situ_search *search);                     /* all other levels */
    void (*run)(void *search, int64_t first, int64_t end);  /* these values */
} situ_search_kernels;
#define SITU_SEARCH_KERNELS(name) extern const situ_search_kernels name[2];
SITU_EACH_SET(SITU_SEARCH_KERNELS, situ_search)

#endif
