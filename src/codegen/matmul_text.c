#include "codegen/matmul_text.h"

#include "tensor/dtype.h"

/* DEPTH: how much of k is copied at a time. */
enum { DEPTH = 256, STEP = 16, STRIP = 6, HIGH = 48, BROAD = 256, NARROW = 128, ENOUGH = 64 };

static long long parts(long long n, long long size) { return (n + size - 1) / size; }

bool situ_matmul_is_vector(const situ_dialect *d, situ_dtype dtype)
{
    situ_dtype compute = situ_dtype_compute(dtype);
    return d->vector && (compute == SITU_F32 || compute == SITU_F64);
}

static int lanes_of(const situ_dialect *d, situ_dtype dtype) { return d->vector / (int)situ_dtype_size(situ_dtype_compute(dtype)); }

/* ---------------------------------------------------------------- sizes of blocks */

typedef struct block {
    int rows, columns;
} block;

/* The shape of a work-item's results: with few rows there are registers for more columns. */
static block rectangle_of(const situ_matmul_text *p)
{
    if (p->rows > 32) return (block){4, 4};
    return (block){p->rows > 16 ? 2 : 1, p->columns > 64 ? 8 : 4};
}

static block block_of(const situ_matmul_text *p, bool vector)
{
    if (!vector) {
        block b = rectangle_of(p);
        return (block){16 * b.rows, 16 * b.columns};
    }
    long long tiles = p->parts * parts(p->rows, HIGH) * parts(p->columns, BROAD);
    long long high = p->rows < HIGH ? parts(p->rows, STRIP) * STRIP : HIGH;
    return (block){(int)high, tiles < ENOUGH ? NARROW : BROAD};
}

void situ_matmul_pass(const situ_matmul_text *p, const situ_dialect *d, situ_dtype dtype, situ_pass *pass)
{
    bool vector = situ_matmul_is_vector(d, dtype);
    block b = block_of(p, vector);
    *pass = (situ_pass){vector ? 1 : SITU_CALL_THREADS, p->parts * parts(p->rows, b.rows) * parts(p->columns, b.columns)};
}

void situ_matmul_types(situ_source *t, const situ_matmul_text *p, const situ_dialect *d, situ_dtype dtype)
{
    situ_source_add(t,
        "typedef %s at_F;\n"
        "typedef struct part_F { i64_F a, b, to, columns; at_F depth, y, x, i0, j0, ni, nj; } part_F;\n"
        "typedef struct spot_F { i64_F from, to; at_F top, left; } spot_F;\n",
        p->wide ? "i64_F" : "int");
    if (!situ_matmul_is_vector(d, dtype)) return;
    bool doubles = situ_dtype_compute(dtype) == SITU_F64;
    situ_source_add(t, "typedef %s%d V;\n#define VECTOR_ADD(f, x, s) FMA%s(f, x, s)\n", doubles ? "double" : "float",
        lanes_of(d, dtype), doubles ? "" : "f");
}

/* Writes which block this is: part, i, j. */
static void write_block(situ_source *t, const situ_matmul_text *p, block b)
{
    long long columns = parts(p->columns, b.columns), groups = columns * parts(p->rows, b.rows);
    situ_source_add(t,
        "    u64_F group = BLOCK %% %lldu;\n"
        "    part_F p = part_of(BLOCK / %lldu);\n"
        "    i64_F i = (i64_F)(group / %lldu) * %d, j = (i64_F)(group %% %lldu) * %d;\n"
        "    if (j >= p.columns) return;\n",
        groups, groups, columns, b.rows, columns, b.columns);
}

/* ---------------------------------------------------------------- squares */

static void write_tiles(situ_source *t, const situ_matmul_text *p, block b)
{
    situ_source_add(t,
        "#pragma unroll\n"
        "        for (int e = THREAD; e < %d; e += %d) {\n"
        "            int q = e %% %d, r = e / %d;\n"
        "            tile_a[q][r] = i + r < %lld && k + q < p.depth ? a_at(IN%d, p, i + r, k + q) : ZERO;\n"
        "        }\n"
        "#pragma unroll\n"
        "        for (int q = THREAD / %d; q < %d; q += %d)\n"
        "            tile_b[q][own] = mine && k + q < p.depth ? b_at(IN%d, p, spot, k + q) : ZERO;\n"
        "        BARRIER();\n",
        b.rows * STEP, SITU_CALL_THREADS, STEP, STEP, p->rows, p->left, b.columns, STEP, SITU_CALL_THREADS / b.columns, p->right);
}

static void write_steps(situ_source *t, block each)
{
    static const char *const loop[2] = {"        if (p.depth - k >= %d)\n#pragma unroll\n        for (int q = 0; q < %d; q++) {\n",
        "        else\n#pragma unroll 1\n        for (int q = 0; q < (int)(p.depth - k); q++) {\n"};
    for (int i = 0; i < 2; i++) {
        situ_source_add(t, loop[i], STEP, STEP);
        situ_source_add(t,
            "            for (int r = 0; r < %d; r++) x[r] = tile_a[q][row + 16 * r];\n"
            "            for (int r = 0; r < %d; r++) y[r] = tile_b[q][column + 16 * r];\n"
            "            for (int r = 0; r < %d; r++)\n"
            "                for (int s = 0; s < %d; s++) c[r][s] = PRODUCT_ADD(c[r][s], x[r], y[s]);\n"
            "        }\n",
            each.rows, each.columns, each.rows, each.columns);
    }
}

/* The results of a work-item are 16 apart, so that the work-items of a row read neighbouring elements of a tile. Not
 * for chains. */
static void square_body(situ_source *t, const situ_matmul_text *p)
{
    block each = rectangle_of(p), b = block_of(p, false);
    situ_source_add(t, "    LOCAL C tile_a[%d][%d], tile_b[%d][%d];\n", STEP, b.rows + 1, STEP, b.columns + 1);
    write_block(t, p, b);
    situ_source_add(t,
        "    int row = THREAD / 16, column = THREAD %% 16, own = THREAD %% %d, mine = j + own < p.columns;\n"
        "    spot_F spot = spot_of(p, mine ? j + own : j);\n"
        "    C c[%d][%d], x[%d], y[%d];\n"
        "    for (int r = 0; r < %d; r++)\n"
        "        for (int s = 0; s < %d; s++) c[r][s] = ZERO;\n"
        "#pragma unroll 1\n"
        "    for (at_F k = 0; k < p.depth; k += %d) {\n",
        b.columns, each.rows, each.columns, each.rows, each.columns, each.rows, each.columns, STEP);
    write_tiles(t, p, b);
    write_steps(t, each);
    situ_source_add(t,
        "        BARRIER();\n    }\n"
        "#pragma unroll\n"
        "    for (int s = 0; s < %d; s++) {\n"
        "        i64_F to = j + column + 16 * s;\n"
        "        if (to >= p.columns) break;\n"
        "        spot = spot_of(p, to);\n"
        "#pragma unroll\n"
        "        for (int r = 0; r < %d; r++) {\n"
        "            i64_F at = i + row + 16 * r;\n"
        "            if (at < %lld) OUT[spot.to + at * %lld] = STORE(c[r][s]);\n"
        "        }\n    }\n",
        each.columns, each.rows, p->rows, p->plane);
}

/* ---------------------------------------------------------------- vectors */

/* Copies columns one by one, or in runs that are contiguous in the operand, too: `first` of each run, of which [low,
 * end) are inside. */
static void write_columns(situ_source *t, const situ_matmul_text *p, int wide)
{
    situ_source_add(t,
        "            spot_F spot[%d];\n"
        "            int runs = 0, first[%d], valid = columns - s < %d ? columns - s : %d;\n"
        "            for (int r = 0; r < valid; r++) {\n"
        "                spot[r] = spot_of(p, j + s + r);\n"
        "                if (r == 0 || spot[r].from != spot[r - 1].from || spot[r].top != spot[r - 1].top || spot[r].left != "
        "spot[r - 1].left + %d) first[runs++] = r;\n"
        "            }\n"
        "            first[runs] = valid;\n"
        "            for (int q = 0; q < depth; q++) {\n"
        "                C *to = (C *)panel + q * %d;\n",
        wide, wide + 1, wide, wide, p->step, wide);
    situ_source_add(t,
        "                at_F v;\n"
        "                i64_F line = line_at(p, spot[0], k + q, &v);\n"
        "                if (runs == 1 && line >= 0 && v >= 0 && v + %lld < %lld && valid == %d) {\n"
        "                    for (int r = 0; r < %d; r++) to[r] = LOAD(IN%d[line + v + r * %d]);\n"
        "                    continue;\n"
        "                }\n"
        "                panel[2 * q] = panel[2 * q + 1] = (V)(ZERO);\n"
        "                for (int e = 0; e < runs; e++) {\n"
        "                    line = line_at(p, spot[first[e]], k + q, &v);\n"
        "                    if (line < 0) continue;\n"
        "                    for (int r = first[e]; r < first[e + 1]; r++, v += %d)\n"
        "                        if (v >= 0 && v < %lld) to[r] = LOAD(IN%d[line + v]);\n"
        "                }\n            }\n",
        (long long)(wide - 1) * p->step, p->across, wide, wide, p->right, p->step, p->step, p->across, p->right);
}

/* Copies strips of 6 rows, element by element of the depth, and columns of two vectors; in reading order, with 0
 * outside. */
static void write_panels(situ_source *t, const situ_matmul_text *p, int wide, bool rows)
{
    if (rows)
        situ_source_add(t,
            "        for (int r = 0; r < high; r++)\n"
            "            for (int q = 0; q < depth; q++)\n"
            "                strips[r / %d * %d + q * %d + r %% %d] = r < rows ? a_at(IN%d, p, i + r, k + q) : ZERO;\n",
            STRIP, STRIP * DEPTH, STRIP, STRIP, p->left);
    else if (p->fill) situ_source_append(t, p->fill);
    else write_columns(t, p, wide);
}

/* Writes a strip: 12 sums in registers over the depth of a block. */
static void write_strip(situ_source *t, const situ_matmul_text *p, int broad, int lanes)
{
    situ_source_add(t,
        "            for (int strip = 0; strip < high; strip += %d) {\n"
        "                const C *a = strips + strip * %d;\n"
        "                C *sum = sums + strip * %d + s;\n"
        "                V x, y",
        STRIP, DEPTH, broad);
    for (int r = 0; r < STRIP; r++) situ_source_add(t, ", c%d = (V)(ZERO), d%d = c%d", r, r, r);
    situ_source_append(t, ";\n");
    if (!p->chains) {
        situ_source_append(t, "                if (k) {\n");
        for (int r = 0; r < STRIP; r++)
            situ_source_add(
                t, "                    c%d = *(V *)(sum + %d), d%d = *(V *)(sum + %d);\n", r, r * broad, r, r * broad + lanes);
        situ_source_append(t, "                }\n");
    }
    situ_source_add(t,
        "                for (int q = 0; q < depth; q++, a += %d) {\n                    x = panel[2 * q], y = panel[2 * q + 1];\n",
        STRIP);
    for (int r = 0; r < STRIP; r++)
        situ_source_add(t, "                    c%d = VECTOR_ADD((V)(a[%d]), x, c%d), d%d = VECTOR_ADD((V)(a[%d]), y, d%d);\n", r,
            r, r, r, r, r);
    situ_source_append(t, "                }\n");
    if (p->chains) {
        situ_source_append(t, "                if (k) {\n");
        for (int r = 0; r < STRIP; r++)
            situ_source_add(t, "                    c%d = *(V *)(sum + %d) + c%d, d%d = *(V *)(sum + %d) + d%d;\n", r, r * broad, r,
                r, r * broad + lanes, r);
        situ_source_append(t, "                }\n");
    }
    for (int r = 0; r < STRIP; r++)
        situ_source_add(t, "                *(V *)(sum + %d) = c%d, *(V *)(sum + %d) = d%d;\n", r * broad, r, r * broad + lanes, r);
    situ_source_append(t, "            }\n");
}

static void vector_body(situ_source *t, const situ_matmul_text *p, int lanes)
{
    block b = block_of(p, true);
    write_block(t, p, b);
    situ_source_add(t, "    enum { WIDE = %d };\n", 2 * lanes);
    situ_source_add(t,
        "    C strips[%d] __attribute__((aligned(64))), sums[%d] __attribute__((aligned(64)));\n"
        "    V panel[%d];\n"
        "    int rows = (int)(%lld - i < %d ? %lld - i : %d), high = (rows + %d) / %d * %d;\n"
        "    int columns = (int)(p.columns - j < %d ? p.columns - j : %d);\n"
        "    if (p.depth == 0) for (int e = 0; e < %d; e++) sums[e] = ZERO;\n"
        "    for (at_F k = 0; k < p.depth; k += %d) {\n"
        "        int depth = (int)(p.depth - k < %d ? p.depth - k : %d);\n",
        b.rows * DEPTH, b.rows * b.columns, 2 * DEPTH, p->rows, b.rows, p->rows, b.rows, STRIP - 1, STRIP, STRIP, b.columns,
        b.columns, b.rows * b.columns, DEPTH, DEPTH, DEPTH);
    write_panels(t, p, 2 * lanes, true);
    situ_source_add(t, "        for (int s = 0; s < columns; s += %d) {\n", 2 * lanes);
    write_panels(t, p, 2 * lanes, false);
    write_strip(t, p, b.columns, lanes);
    situ_source_append(t, "        }\n    }\n");
    if (p->fill)
        situ_source_add(t,
            "    i64_F to = spot_of(p, j).to + i * %lld;\n"
            "    for (int r = 0; r < rows; r++)\n"
            "        for (int s = 0; s < columns; s++) OUT[to + r * (i64_F)%lld + s] = STORE(sums[r * %d + s]);\n",
            p->plane, p->plane, b.columns);
    else
        situ_source_add(t,
            "    for (int s = 0; s < columns; s++) {\n"
            "        i64_F to = spot_of(p, j + s).to + i * %lld;\n"
            "        for (int r = 0; r < rows; r++) OUT[to + r * (i64_F)%lld] = STORE(sums[r * %d + s]);\n"
            "    }\n",
            p->plane, p->plane, b.columns);
}

void situ_matmul_body(situ_source *t, const situ_matmul_text *p, const situ_dialect *d, situ_dtype dtype)
{
    if (situ_matmul_is_vector(d, dtype)) vector_body(t, p, lanes_of(d, dtype));
    else square_body(t, p);
}
