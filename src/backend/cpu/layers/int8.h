/* Products of rows that are rounded to 8 bits with weights of 8 bits: integers, exact whatever their order, so that all instruction
 * sets give the same bits. 16 rows of x lie side by side (a strip), the k-th numbers of all of them before the next ones; 16 rows
 * of the weight, as they lie, are multiplied with up to four strips at a time. */
#ifndef SITU_CPU_INT8_H
#define SITU_CPU_INT8_H

#include "base/isa.h"
#include "graph/op.h"

/* For impls.c. */
bool situ_int8_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_int8_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside --------------------------------------------------------------------------------------------------------- */

enum { SITU_INT8_FEW = 4, SITU_INT8_SIDE = 16, SITU_INT8_STRIPS = 4, SITU_INT8_DEPTH = 64 /* k is a multiple of it, by zeros */ };

typedef struct situ_int8_block {
    int64_t k;
    const void *w, *x;    /* 16 rows; strips, each k columns */
    int64_t w_row, strip; /* bytes from one to the next     */
    const int32_t *start; /* of 16 numbers of each strip: what its sums begin with, for kernels with an offset */
    int strips;
    int32_t (*c)[SITU_INT8_STRIPS * SITU_INT8_SIDE];
} situ_int8_block;

/* Strips by rows of the weight, and how the numbers of both have to lie. */
typedef struct situ_int8_product {
    int bytes;                         /* of a number of w and x; a step has four bytes of each row */
    int offset;                        /* is added to w: start is so many times the sum of x, negated */
    void (*begin)(void), (*end)(void); /* around what a thread multiplies; or NULL */
    void (*multiply)(const situ_int8_block *b);
} situ_int8_product;
extern const situ_int8_product situ_int8_vnni, situ_int8_amx; /* backend/cpu/overrides.h */

typedef struct situ_int8_kernels {
    situ_int8_product product;
    /* Up to 16 rows of k numbers become a strip, their largest magnitudes 127 times scale. bytes == 0: they stay rows, of i8. */
    void (*round)(int64_t rows, int64_t k, const float *x, int64_t depth, int bytes, void *to, float *scale, int32_t *sum);
    /* out (rows x columns) = the sums of a strip by both scales. */
    void (*finish)(const int32_t (*c)[SITU_INT8_STRIPS * SITU_INT8_SIDE], int64_t rows, int64_t columns, float *out,
        int64_t out_row, const float *row_scale, const float *column_scale);
    /* Of rows that stay so (at most SITU_INT8_FEW), `depth` apart, with a row of the weight. */
    void (*dots)(int64_t rows, int64_t k, const void *w, const void *x, int64_t depth, int32_t *sum);
    void (*widen)(int64_t k, const void *from, void *to); /* i8 to i16 */
} situ_int8_kernels;
#define SITU_INT8_TABLE(name) extern const situ_int8_kernels name;
SITU_EACH_SET(SITU_INT8_TABLE, situ_int8)

#endif
