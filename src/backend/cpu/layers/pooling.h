/* Mean pooling with windows of 2 x 2 that do not overlap, the most common case; maxima of all windows. */
#ifndef SITU_CPU_POOLING_H
#define SITU_CPU_POOLING_H

#include "base/isa.h"
#include "graph/op.h"

/* Listed in implementations.c: calls of avg_pool2d and avg_spread. */
bool situ_pooling_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_pooling_mean(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_pooling_spread(const situ_call_desc *call, char *const *address, const situ_host *h);
/* The same of max_take. */
bool situ_max_pooling_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_max_pooling_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Windows along a row; `before`: elements of the first window that lie before the row. stride: 1 or 2. */
typedef struct situ_max_row {
    int64_t width, windows, size, stride, before;
} situ_max_row;
enum { SITU_MAX_ROW_SLACK = 32 }; /* elements that vectors may write beyond the end */
static inline int64_t situ_max_row_scratch(const situ_max_row *m)
{
    int64_t length = m->windows * m->stride + m->size + m->width + 2 * SITU_MAX_ROW_SLACK;
    return 2 * length;
}

typedef struct situ_pooling_kernels {
    /* The maximum of each window, the first one of equal elements; writes up to SITU_MAX_ROW_SLACK elements more. False if the
     * row contains a NaN. */
    bool (*row)(const situ_max_row *m, const float *row, float *scratch, float *to);
    /* The maximum of `count` rows of n elements, the first one of equal elements; without NaN. */
    void (*rows)(const float *from, int64_t count, int64_t n, float *to);
} situ_pooling_kernels;
#define SITU_POOLING_TABLE(name) extern const situ_pooling_kernels name;
SITU_EACH_SET(SITU_POOLING_TABLE, situ_pooling)

#endif
