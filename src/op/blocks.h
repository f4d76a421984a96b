/* Weights whose rows are halves, or quantised in blocks. */
#ifndef SITU_OP_BLOCKS_H
#define SITU_OP_BLOCKS_H

#include <situ/network.h>

#include "graph/op.h"
#include "graph/record.h"
#include "tensor/half.h"

enum { SITU_ROW_SCALE = 4 /* bytes before the numbers in a row of SITU_Q8_ROWS */ };

/* The one list of formats of blocks: name, numbers and bytes of a block, numbers with one scale. op/blocks.inc reads each. */
#define SITU_BLOCK_FORMATS(X) \
    X(Q8_0, q8_0, 32, 34, 32) \
    X(Q4_0, q4_0, 32, 18, 32) X(Q4_1, q4_1, 32, 20, 32) X(Q5_0, q5_0, 32, 22, 32) X(Q5_1, q5_1, 32, 24, 32) \
        X(Q2_K, q2_k, 256, 84, 16) X(Q3_K, q3_k, 256, 110, 16) X(Q4_K, q4_k, 256, 144, 32) X(Q5_K, q5_k, 256, 176, 32) \
            X(Q6_K, q6_k, 256, 210, 16) X(IQ4_NL, iq4_nl, 32, 18, 32)
enum { SITU_BLOCK_TYPES = SITU_IQ4_NL + 1, SITU_MOST_BLOCK = 256 /* numbers */ };

typedef struct situ_block_format {
    const char *name;                                    /* in files; NULL for SITU_Q8_ROWS, which has no blocks */
    int64_t numbers, bytes;                              /* of a block */
    void (*unpack)(const uint8_t *block, float *number); /* one block */
} situ_block_format;
extern const situ_block_format situ_block_formats[SITU_BLOCK_TYPES]; /* by situ_block_type */
#define SITU_DECLARE_UNPACK(NAME, name, n, size, group) void situ_unpack_##name(const uint8_t *block, float *number);
SITU_BLOCK_FORMATS(SITU_DECLARE_UNPACK)

static inline int64_t situ_block_bytes(situ_block_type type) { return situ_block_formats[type].bytes; }
static inline int64_t situ_block_numbers(situ_block_type type) { return situ_block_formats[type].numbers; }

/* Unpacks consecutive blocks: n numbers, a multiple of a block's. */
static inline void situ_unpack_blocks(situ_block_type type, const uint8_t *from, int64_t n, float *to)
{
    const situ_block_format *f = &situ_block_formats[type];
    for (; n > 0; n -= f->numbers, from += f->bytes, to += f->numbers) f->unpack(from, to);
}

/* Bytes of a row of `in` numbers; and numbers in a row of `bytes` bytes. */
static inline int64_t situ_row_bytes(situ_block_type type, int64_t in)
{
    return type == SITU_Q8_ROWS ? in + SITU_ROW_SCALE : in / situ_block_numbers(type) * situ_block_bytes(type);
}
static inline int64_t situ_row_numbers(situ_block_type type, int64_t bytes)
{
    return type == SITU_Q8_ROWS ? bytes - SITU_ROW_SCALE : bytes / situ_block_bytes(type) * situ_block_numbers(type);
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
