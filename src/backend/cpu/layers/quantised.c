#include "backend/cpu/layers/quantised.h"

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "op/host.h"

enum {
    ROWS = 4,    /* rows of the weight at a time: as many as the dot-product kernel takes */
    TASK = 32768 /* elements of the weight */
};

typedef struct product {
    const situ_gemm_kernels *gemm;
    void (*unpack)(const uint8_t *from, int64_t n, float *to);
    void (*dots)(const situ_gemm *g);
    const float *x;
    const uint8_t *w;
    float *out;
    int64_t m, n, k, bytes; /* bytes of a row of the weight */
    situ_fault *fault;
} product;

/* `rows` rows of the weight from row j on, stored at a, times all of x, as a product for the kernels. */
static situ_gemm sums_of(const product *p, int64_t j, int64_t rows, const void *a, int64_t a_row)
{
    return (situ_gemm){.m = rows,
        .n = p->m,
        .k = p->k,
        .a = a,
        .b = p->x,
        .c = p->out + j,
        .a_row = a_row,
        .a_column = 1,
        .b_row = 1,
        .b_column = p->k,
        .c_row = 1,
        .c_column = p->n};
}

/* Multiplies strips first ... end - 1 of the weight, ROWS rows each. */
static void piece(void *context, int64_t first, int64_t end)
{
    const product *p = context;
    first *= ROWS;
    end = end * ROWS < p->n ? end * ROWS : p->n;
    if (p->m == 1 && p->dots) {
        situ_gemm g = sums_of(p, first, end - first, p->w + first * p->bytes, p->bytes);
        p->dots(&g);
        return;
    }
    size_t size = (size_t)(ROWS * p->k + 16) * sizeof(float);
    float *row = situ_scratch(size);
    if (!row) {
        situ_fault_set(p->fault, SITU_NO_MEMORY, (int64_t)size, 0);
        return;
    }
    for (int64_t j = first; j < end; j += ROWS) {
        int64_t n = end - j < ROWS ? end - j : ROWS;
        const uint8_t *from = p->w + j * p->bytes;
        p->unpack(from, n * p->k, row);
        situ_gemm g = sums_of(p, j, n, row, p->k);
        p->gemm->dots[SITU_GEMM_F32](&g);
    }
}

bool situ_rows_product_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)call, (void)reason, (void)size;
    return true;
}

void situ_rows_product_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    const situ_layout *x = &call->in[0], *w = &call->in[1];
    situ_dtype dtype = (situ_dtype)w->dtype;
    int64_t k = x->dim[x->ndim - 1];
    const situ_block_kernels *kernels = SITU_FOR_ISA(&situ_blocks);
    int kind = dtype == SITU_BF16 ? SITU_UNPACK_BF16 : dtype == SITU_F16 ? SITU_UNPACK_F16 : (int)situ_block_type_of(call);
    product p = {.gemm = SITU_FOR_ISA(&situ_gemm),
        .unpack = kernels->unpack[kind],
        .dots = kernels->dots[kind],
        .x = (const float *)(void *)address[1],
        .w = (const uint8_t *)address[2],
        .out = (float *)(void *)address[0],
        .m = k ? situ_layout_count(x) / k : 0,
        .n = w->dim[0],
        .k = k,
        .bytes = w->dim[1] * (dtype == SITU_U8 ? 1 : 2),
        .fault = h->fault};
    if (!k) {
        memset(address[0], 0, (size_t)situ_layout_count(&call->out) * sizeof(float));
        return;
    }
    int64_t strips = (p.n + ROWS - 1) / ROWS, pieces = strips * ROWS * k / TASK;
    situ_host_pieces(h, piece, &p, strips, strips / (pieces / 2 * 2 + 2)); /* an even number of pieces, so that two
                                                                            * threads get equally many */
}

/* ---- all numbers of blocks ------------------------------------------------------------------------------------------------ */

typedef struct unpacking {
    void (*unpack)(const uint8_t *from, int64_t n, float *to);
    const uint8_t *from;
    float *to;
    int64_t bytes, numbers; /* of a block */
} unpacking;

static void unpack_piece(void *context, int64_t first, int64_t end)
{
    const unpacking *u = context;
    u->unpack(u->from + first * u->bytes, (end - first) * u->numbers, u->to + first * u->numbers);
}

bool situ_dequantise_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size;
    return situ_block_type_of(call) != SITU_Q8_ROWS;
}

void situ_dequantise_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    int64_t type = *(const int64_t *)call->attr;
    unpacking u = {SITU_FOR_ISA(&situ_blocks)->unpack[type], (const uint8_t *)address[1], (float *)(void *)address[0],
        situ_block_bytes((situ_block_type)type), situ_block_numbers((situ_block_type)type)};
    situ_host_pieces(h, unpack_piece, &u, situ_layout_count(&call->out) / u.numbers, SITU_HOST_LEAST / u.numbers);
}
