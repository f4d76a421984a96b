/* Products of x, with rows rounded to 8 bits, and weights of 8 bits. Sums are integers, exact in any order, so all
 * instruction sets give the same bits. 16 rows of x are interleaved (a strip): the k-th numbers of all 16, then the
 * next ones. 16 rows of the weight, not rearranged, are multiplied with up to four strips at a time. */
#ifndef SITU_CPU_INT8_H
#define SITU_CPU_INT8_H

#include "base/isa.h"
#include "graph/op.h"

/* Listed in implementations.c. */
bool situ_int8_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_int8_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside --------------------------------------------------------------------------------------------------------- */

enum {
    SITU_INT8_FEW = 4,
    SITU_INT8_SIDE = 16,
    SITU_INT8_STRIPS = 4,
    SITU_INT8_DEPTH = 64 /* DEPTH: k is padded with zeros to a multiple of this */
};

typedef struct situ_int8_block {
    int64_t k;
    const void *w, *x;    /* w: 16 rows of the weight; x: strips; k numbers in each row */
    int64_t w_row, strip; /* bytes from one row (strip) to the next */
    const int32_t *start; /* initial values of the sums, 16 for each strip, for kernels with an offset */
    int strips;
    int32_t (*c)[SITU_INT8_STRIPS * SITU_INT8_SIDE];
} situ_int8_block;

/* A kernel that multiplies strips by rows of the weight, and the layout that it needs. */
typedef struct situ_int8_product {
    int bytes;                         /* bytes of a number of w and x; a step reads four bytes of each row */
    int offset;                        /* added to w by the kernel; so `start` is -offset times the sum of the row of x */
    void (*begin)(void), (*end)(void); /* called by a thread before and after it multiplies; or NULL */
    void (*multiply)(const situ_int8_block *b);
} situ_int8_product;
extern const situ_int8_product situ_int8_vnni, situ_int8_amx; /* backend/cpu/overrides.h */

typedef struct situ_int8_kernels {
    situ_int8_product product;
    /* Rounds up to 16 rows of k numbers and makes a strip of them; a row's largest magnitude becomes 127, and 1 is
     * `scale`. bytes == 0: makes rows of i8 instead. */
    void (*round)(int64_t rows, int64_t k, const float *x, int64_t depth, int bytes, void *to, float *scale, int32_t *sum);
    /* out (rows x columns) = the sums of a strip, times the scales of row and column. */
    void (*finish)(const int32_t (*c)[SITU_INT8_STRIPS * SITU_INT8_SIDE], int64_t rows, int64_t columns, float *out,
        int64_t out_row, const float *row_scale, const float *column_scale);
    /* Products of up to SITU_INT8_FEW rows of i8, `depth` apart, with one row of the weight. */
    void (*dots)(int64_t rows, int64_t k, const void *w, const void *x, int64_t depth, int32_t *sum);
    void (*widen)(int64_t k, const void *from, void *to); /* converts i8 to i16 */
} situ_int8_kernels;
#define SITU_INT8_TABLE(name) extern const situ_int8_kernels name;
SITU_EACH_SET(SITU_INT8_TABLE, situ_int8)

#endif
