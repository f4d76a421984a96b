/* Matrix products. On an OpenCL CPU with vectors (matmul_text.h). Else a work-group computes 8 by 64 results, a column
 * of 8 for each work-item; or on devices with many registers 64 by 64 or 128 by 128, a square of 4 or 8 for each
 * work-item. Blocks of 16 along k of both operands are in local memory. Products are added in chains of multiply-adds
 * over 256 of k, and the chains in order, as in the CPU's own kernels. */
#include "codegen/matmul_text.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <string.h>

enum { DEPTH = 256, ROWS = 8, COLUMNS = 64, STEP = 16, SQUARE_SIDE = 16 };

typedef struct product {
    long long m, n, k, batches, rows, columns;
} product;

static product product_of(const situ_call_desc *c)
{
    const situ_layout *a = &c->in[0], *b = &c->in[1];
    product p = {.m = (long long)a->dim[a->ndim - 2],
        .k = (long long)a->dim[a->ndim - 1],
        .n = (long long)b->dim[b->ndim - 1],
        .batches = 1};
    for (int i = 0; i < c->out.ndim - 2; i++) p.batches *= (long long)c->out.dim[i];
    p.rows = (p.m + ROWS - 1) / ROWS;
    p.columns = (p.n + COLUMNS - 1) / COLUMNS;
    return p;
}

/* Side of a work-item's square of results, on devices with many registers; 0: a column of 8. */
static int square_of(const situ_call_desc *c, const situ_dialect *d)
{
    product p = product_of(c);
    if (!d->packs || p.m <= 16 || p.n <= 16) return 0;
    return p.m >= 128 && p.n >= 128 && situ_dtype_size(situ_dtype_compute((situ_dtype)c->out.dtype)) <= 4 ? 8 : 4;
}

static situ_matmul_text vectors_of(const situ_call_desc *c)
{
    product p = product_of(c);
    return (situ_matmul_text){
        .rows = p.m, .columns = p.n, .parts = p.batches, .plane = p.n, .right = 1, .chains = true, .wide = p.k > INT32_MAX / 4};
}

static bool matmul_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes)
{
    product p = product_of(c);
    long long side = (long long)SQUARE_SIDE * square_of(c, d);
    if (situ_matmul_is_vector(d, (situ_dtype)c->out.dtype)) {
        situ_matmul_text vectors = vectors_of(c);
        situ_matmul_pass(&vectors, d, (situ_dtype)c->out.dtype, &passes->pass[0]);
        return true;
    }
    if (side) {
        passes->pass[0] = (situ_pass){SITU_CALL_THREADS, p.batches * ((p.m + side - 1) / side) * ((p.n + side - 1) / side)};
        return true;
    }
    passes->pass[0] = (situ_pass){COLUMNS, p.batches * p.rows * p.columns};
    return true;
}

/* Writes where batch `batch` of an operand begins. */
static void write_batch(situ_source *t, const char *name, const situ_call_desc *c, const situ_layout *x)
{
    int64_t stride[8] = {0};
    int dims = c->out.ndim - 2;
    situ_stride_broadcast(x->ndim - 2, x->dim, x->stride, dims, c->out.dim, stride);
    situ_layout l = {.ndim = (uint8_t)dims};
    memcpy(l.dim, c->out.dim, sizeof l.dim);
    memcpy(l.stride, stride, sizeof l.stride);
    situ_call_strided(t, name, &l);
}

/* Writes what a work-item adds for 16 of k; as a loop if fewer are left. */
static void write_steps(situ_source *t)
{
    situ_source_add(t, "            if (end - k >= %d) {\n", STEP);
    for (int q = 0; q < STEP; q++) {
        situ_source_add(t, "                y = tile_b[%d][THREAD];\n               ", q);
        for (int r = 0; r < ROWS; r++) situ_source_add(t, " c%d = PRODUCT_ADD(c%d, tile_a[%d][%d], y);", r, r, r, q);
        situ_source_append(t, "\n");
    }
    situ_source_append(t,
        "            } else for (int q = 0; q < (int)(end - k); q++) {\n                y = tile_b[q][THREAD];\n               ");
    for (int r = 0; r < ROWS; r++) situ_source_add(t, " c%d = PRODUCT_ADD(c%d, tile_a[%d][q], y);", r, r, r);
    situ_source_append(t, "\n            }\n");
}

/* Whole tiles are read without a test for each element, so that a CPU may read vectors. */
static void write_tiles(situ_source *t, const situ_call_desc *c, const product *p)
{
    const situ_layout *a = &c->in[0], *b = &c->in[1];
    long long row = (long long)b->stride[b->ndim - 2], column = (long long)b->stride[b->ndim - 1];
    situ_source_add(t, "            if (j - THREAD + %d <= %lld && end - k >= %d) {\n", COLUMNS, p->n, STEP);
    for (int r = 0; r < STEP; r++)
        situ_source_add(
            t, "                tile_b[%d][THREAD] = LOAD(IN1[first_b + (k + %d) * %lld + j * %lld]);\n", r, r, row, column);
    situ_source_add(t,
        "            } else for (int r = 0; r < %d; r++)\n"
        "                tile_b[r][THREAD] = k + r < end && j < %lld ? LOAD(IN1[first_b + (k + r) * %lld + j * %lld]) : ZERO;\n"
        "            for (int e = THREAD; e < %d; e += %d) {\n"
        "                int r = e / %d, q = e %% %d;\n"
        "                tile_a[r][q] = i + r < %lld && k + q < end ? LOAD(IN0[first_a + (i + r) * %lld + (k + q) * %lld]) : "
        "ZERO;\n"
        "            }\n",
        STEP, p->n, row, column, ROWS * STEP, COLUMNS, STEP, STEP, p->m, (long long)a->stride[a->ndim - 2],
        (long long)a->stride[a->ndim - 1]);
}

/* Adjacent work-items read adjacent elements: along k if those are neighbours in memory, else across. */
static void square_tile(situ_source *t, const situ_layout *x, bool left, const product *p, int side)
{
    long long across = (long long)x->stride[x->ndim - (left ? 2 : 1)], along = (long long)x->stride[x->ndim - (left ? 1 : 2)];
    bool k_first = along == 1 || across != 1;
    situ_source_add(t,
        "#pragma unroll\n            for (int e = THREAD; e < %d; e += %d) {\n                int q = e %s %d, r = e %s %d;\n",
        side * STEP, SITU_CALL_THREADS, k_first ? "%" : "/", k_first ? STEP : side, k_first ? "/" : "%", k_first ? STEP : side);
    situ_source_add(t,
        "                tile_%c[q][r] = %c + r < %lld && k + q < end ? LOAD(IN%d[first_%c + (%c + r) * %lld + (k + q) * %lld]) : "
        "ZERO;\n            }\n",
        left ? 'a' : 'b', left ? 'i' : 'j', left ? p->m : p->n, !left, left ? 'a' : 'b', left ? 'i' : 'j', across, along);
}

static void square_steps(situ_source *t, int n)
{
    const char *const step = "                for (int r = 0; r < %d; r++) x[r] = tile_a[q][row + 16 * r];\n"
                             "                for (int r = 0; r < %d; r++) y[r] = tile_b[q][column + 16 * r];\n"
                             "                for (int r = 0; r < %d; r++)\n"
                             "                    for (int s = 0; s < %d; s++) c[r][s] = PRODUCT_ADD(c[r][s], x[r], y[s]);\n"
                             "            }\n";
    situ_source_add(t, "            if (end - k >= %d)\n#pragma unroll\n            for (int q = 0; q < %d; q++) {\n", STEP, STEP);
    situ_source_add(t, step, n, n, n, n);
    situ_source_append(t, "            else\n#pragma unroll 1\n            for (int q = 0; q < (int)(end - k); q++) {\n");
    situ_source_add(t, step, n, n, n, n);
}

/* The results of a work-item are 16 apart, so that the work-items of a row read neighbouring elements of a tile. */
static void square_body(situ_source *t, const situ_call_desc *c, int n)
{
    product p = product_of(c);
    int side = SQUARE_SIDE * n;
    long long columns = (p.n + side - 1) / side, groups = columns * ((p.m + side - 1) / side);
    bool chains = p.k > DEPTH;
    situ_source_add(t,
        "    LOCAL C tile_a[%d][%d], tile_b[%d][%d];\n"
        "    u64_F batch = BLOCK / %lldu, group = BLOCK %% %lldu;\n"
        "    i64_F i = (i64_F)(group / %lldu) * %d, j = (i64_F)(group %% %lldu) * %d, first_a = BATCH_A(batch), first_b = "
        "BATCH_B(batch);\n"
        "    int row = THREAD / 16, column = THREAD %% 16;\n"
        "    C c[%d][%d], x[%d], y[%d];\n",
        STEP, side + 1, STEP, side + 1, groups, groups, columns, side, columns, side, n, n, n, n);
    const char *const each =
        "#pragma unroll\n    for (int r = 0; r < %d; r++)\n#pragma unroll\n        for (int s = 0; s < %d; s++) ";
    if (chains) situ_source_add(t, "    C sum[%d][%d];\n", n, n);
    situ_source_add(t, each, n, n);
    situ_source_add(t,
        "c[r][s] = ZERO%s;\n    for (i64_F block = 0; block < %lld; block += %d) {\n        i64_F end = %lld - block < %d ? %lld : "
        "block + %d;\n",
        chains ? ", sum[r][s] = ZERO" : "", p.k, DEPTH, p.k, DEPTH, p.k, DEPTH);
    situ_source_add(t, "#pragma unroll 1\n        for (i64_F k = block; k < end; k += %d) {\n", STEP);
    square_tile(t, &c->in[0], true, &p, side);
    square_tile(t, &c->in[1], false, &p, side);
    situ_source_append(t, "            BARRIER();\n");
    square_steps(t, n);
    situ_source_append(t, "            BARRIER();\n        }\n");
    if (chains) {
        situ_source_add(t, each, n, n);
        situ_source_append(
            t, "{\n            sum[r][s] = block ? ADD(sum[r][s], c[r][s]) : c[r][s];\n            c[r][s] = ZERO;\n        }\n");
    }
    situ_source_append(t, "    }\n");
    situ_source_add(t, each, n, n);
    situ_source_add(t,
        "{\n            i64_F at = i + row + 16 * r, to = j + column + 16 * s;\n"
        "            if (at < %lld && to < %lld) OUT[((i64_F)batch * %lld + at) * %lld + to] = STORE(%s[r][s]);\n        }\n",
        p.m, p.n, p.m, p.n, chains ? "sum" : "c");
}

static void matmul_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    const situ_layout *a = &c->in[0], *b = &c->in[1];
    write_batch(t, "BATCH_A", c, a);
    write_batch(t, "BATCH_B", c, b);
    if (!situ_matmul_is_vector(d, (situ_dtype)c->out.dtype)) return;
    product p = product_of(c);
    situ_matmul_text vectors = vectors_of(c);
    situ_matmul_types(t, &vectors, d, (situ_dtype)c->out.dtype);
    situ_source_add(t,
        "FN part_F part_of(u64_F n)\n{\n"
        "    part_F p;\n"
        "    p.a = BATCH_A(n), p.b = BATCH_B(n), p.to = (i64_F)n * %lld, p.columns = %lld, p.depth = %lld;\n"
        "    return p;\n}\n"
        "FN spot_F spot_of(part_F p, i64_F j)\n{\n"
        "    spot_F s;\n"
        "    s.from = p.b + j * %lld, s.to = p.to + j;\n"
        "    return s;\n}\n"
        "FN C a_at(GLOBAL const E *x, part_F p, i64_F i, at_F k) { return LOAD(x[p.a + i * %lld + (i64_F)k * %lld]); }\n",
        p.m * p.n, p.n, p.k, (long long)b->stride[b->ndim - 1], (long long)a->stride[a->ndim - 2],
        (long long)a->stride[a->ndim - 1]);
}

/* Whole panels of the right operand are read without a test for each element, so that they may be read as vectors. */
static void vectors_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    const situ_layout *b = &c->in[1];
    long long row = (long long)b->stride[b->ndim - 2], column = (long long)b->stride[b->ndim - 1];
    situ_matmul_text vectors = vectors_of(c);
    situ_source fill = {0};
    situ_source_add(&fill,
        "            GLOBAL const E *from = IN1 + (p.b + (i64_F)k * %lld + (j + s) * %lld);\n"
        "            if (columns - s >= WIDE)\n"
        "                for (int q = 0; q < depth; q++)\n"
        "                    for (int r = 0; r < WIDE; r++) ((C *)panel)[q * WIDE + r] = LOAD(from[q * (i64_F)%lld + r * "
        "(i64_F)%lld]);\n"
        "            else\n"
        "                for (int q = 0; q < depth; q++)\n"
        "                    for (int r = 0; r < WIDE; r++) ((C *)panel)[q * WIDE + r] = s + r < columns ? LOAD(from[q * "
        "(i64_F)%lld + r * (i64_F)%lld]) : ZERO;\n",
        row, column, row, column, row, column);
    vectors.fill = fill.text;
    if (fill.failed) t->failed = true;
    else situ_matmul_body(t, &vectors, d, (situ_dtype)c->out.dtype);
    situ_source_drop(&fill);
}

static void matmul_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)pass;
    product p = product_of(c);
    bool chains = p.k > DEPTH;
    if (situ_matmul_is_vector(d, (situ_dtype)c->out.dtype)) {
        vectors_body(t, c, d);
        return;
    }
    if (square_of(c, d)) {
        square_body(t, c, square_of(c, d));
        return;
    }
    situ_source_add(t,
        "    LOCAL C tile_a[%d][%d], tile_b[%d][%d];\n"
        "    u64_F batch = BLOCK / %lldu, group = BLOCK %% %lldu;\n"
        "    i64_F i = (i64_F)(group / %lldu) * %d, j = (i64_F)(group %% %lldu) * %d + THREAD;\n"
        "    i64_F first_a = BATCH_A(batch), first_b = BATCH_B(batch);\n"
        "    C y;\n",
        ROWS, STEP, STEP, COLUMNS, p.rows * p.columns, p.rows * p.columns, p.columns, ROWS, p.columns, COLUMNS);
    for (int r = 0; r < ROWS; r++) situ_source_add(t, chains ? "    C c%d, s%d = ZERO;\n" : "    C c%d = ZERO;\n", r, r);
    situ_source_add(t,
        "    for (i64_F block = 0; block < %lld; block += %d) {\n        i64_F end = %lld - block < %d ? %lld : block + %d;\n", p.k,
        DEPTH, p.k, DEPTH, p.k, DEPTH);
    for (int r = 0; r < ROWS && chains; r++) situ_source_add(t, "        c%d = ZERO;\n", r);
    situ_source_add(t, "        for (i64_F k = block; k < end; k += %d) {\n", STEP);
    write_tiles(t, c, &p);
    situ_source_append(t, "            BARRIER();\n");
    write_steps(t);
    situ_source_append(t, "            BARRIER();\n        }\n");
    for (int r = 0; r < ROWS && chains; r++) situ_source_add(t, "        s%d = block ? ADD(s%d, c%d) : c%d;\n", r, r, r, r);
    situ_source_append(t, "    }\n");
    for (int r = 0; r < ROWS; r++)
        situ_source_add(t, "    if (j < %lld && i + %d < %lld) OUT[(batch * %lldu + i + %d) * %lldu + j] = STORE(%c%d);\n", p.n, r,
            p.m, p.m, r, p.n, chains ? 's' : 'c', r);
}

const situ_call_family situ_call_matmul[] = {{"matmul", matmul_passes, matmul_body, matmul_functions}, {NULL, NULL, NULL, NULL}};
