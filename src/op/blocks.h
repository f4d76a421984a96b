/* Weights whose rows are halves, or quantised in blocks of 32 numbers. */
#ifndef SITU_OP_BLOCKS_H
#define SITU_OP_BLOCKS_H

#include <situ/network.h>

#include "graph/op.h"
#include "graph/record.h"
#include "tensor/half.h"

enum { SITU_BLOCK = 32, SITU_ROW_SCALE = 4 /* bytes before the numbers in a row of SITU_Q8_ROWS */ };
#define SITU_BLOCK_TYPES 3 /* without SITU_Q8_ROWS */

static inline int64_t situ_block_bytes(situ_block_type type) { return type == SITU_Q8_0 ? 34 : type == SITU_Q4_0 ? 18 : 20; }

/* Unpacks consecutive blocks: n numbers, a multiple of 32. */
static inline void situ_unpack_blocks(situ_block_type type, const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= SITU_BLOCK, from += situ_block_bytes(type), to += SITU_BLOCK) {
        float scale = situ_half_to_f32((uint16_t)(from[0] | from[1] << 8));
        float least = type == SITU_Q4_1 ? situ_half_to_f32((uint16_t)(from[2] | from[3] << 8)) : -8 * scale;
        const uint8_t *q = from + (type == SITU_Q4_1 ? 4 : 2);
        for (int i = 0; i < SITU_BLOCK; i++) {
            int four = i < 16 ? q[i] & 15 : q[i - 16] >> 4;
            to[i] = type == SITU_Q8_0 ? scale * (float)(int8_t)q[i] : scale * (float)four + least;
        }
    }
}

/* Bytes of a row of `in` numbers; and numbers in a row of `bytes` bytes. */
static inline int64_t situ_row_bytes(situ_block_type type, int64_t in)
{
    return type == SITU_Q8_ROWS ? in + SITU_ROW_SCALE : in / SITU_BLOCK * situ_block_bytes(type);
}
static inline int64_t situ_row_numbers(situ_block_type type, int64_t bytes)
{
    return type == SITU_Q8_ROWS ? bytes - SITU_ROW_SCALE : bytes / situ_block_bytes(type) * SITU_BLOCK;
}

/* An error unless the blocks are u8, whole blocks of this type, and on the CPU. */
bool situ_check_blocks(const situ_tensor *blocks, situ_block_type type, const char *operation, situ_site site);

typedef struct situ_blocks_attr {
    int64_t type;
} situ_blocks_attr;
static inline situ_block_type situ_block_type_of(const situ_call_desc *c)
{
    return (situ_block_type)((const situ_blocks_attr *)c->attr)->type;
}

/* x w^T for x f32 [..., in] with few rows on the CPU; w is f16 or bf16 [rows, in], or blocks u8 [rows, bytes]. */
situ_tensor *situ_rows_product(situ_tensor *x, situ_tensor *w, situ_block_type type, situ_site site);
/* The same for rows of SITU_Q8_ROWS and any number of rows of x, which are quantised, too. */
situ_tensor *situ_rounded_product(situ_tensor *x, situ_tensor *w, situ_site site);
/* Whether batch-invariant products with this k and n by a matrix, or by the transpose of one, are summed in lanes, as those of
 * rows_product are. */
static inline bool situ_sums_in_lanes(int64_t k, int64_t n, bool transposed)
{
    enum { LEAST = 128 /* with fewer elements, adding up the lanes takes too much of the time */ };
    return n == 1 || (transposed && k >= LEAST);
}

/* so few rows that the product is limited by memory: then reading w directly is faster */
enum { SITU_FEW_ROWS = 8 };
/* Whether rows_product should multiply x by the transpose of a matrix of `rows` rows. */
static inline bool situ_has_few_rows(const situ_tensor *x, int64_t rows)
{
    int64_t n = 1, k = x->dim[x->ndim - 1];
    for (int i = 0; i < x->ndim - 1; i++) n *= x->dim[i];
    return n <= SITU_FEW_ROWS && (!situ_thread_state.invariant || situ_sums_in_lanes(k, rows, true));
}

#endif
