#include "codegen/conv_weight.h"

#include "codegen/matmul_text.h"
#include "op/conv.h"
#include "tensor/dtype.h"

/* EACH: side of a work-item's square; SPAN: positions copied at a time. Vectors: 4 outputs by 3 taps in registers. */
enum { EACH = 4, SPAN = 32, HIGH = 16, BROAD = 24, STRIP = 4, TAPS = 3, LONG = 512 };

typedef long long number;
static number parts(number n, number size) { return (n + size - 1) / size; }

typedef struct weight {
    situ_conv p;
    situ_conv_order order;
    number taps, results; /* taps of a group's output; results of all */
    int lanes, rows, columns;
    bool vector;
} weight;

static weight weight_of(const situ_call_desc *c, const situ_dialect *d)
{
    situ_dtype dtype = (situ_dtype)c->out.dtype;
    bool doubles = situ_dtype_compute(dtype) == SITU_F64;
    weight w = {.p = situ_conv_of(c)};
    w.order = situ_conv_order_of(&w.p, doubles);
    w.taps = (number)(w.p.group_in * w.p.kernel[0] * w.p.kernel[1]);
    w.results = (number)w.p.out_channels * w.taps;
    w.lanes = (int)w.order.lanes;
    w.vector = w.lanes > 1 && situ_matmul_is_vector(d, dtype);
    w.rows = w.vector ? HIGH : 32 / w.lanes * EACH;
    w.columns = w.vector ? BROAD : 8 * EACH;
    return w;
}

bool situ_conv_weight_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes)
{
    weight w = weight_of(c, d);
    number blocks = (number)(w.order.chunks * w.p.groups) * parts((number)w.p.group_out, w.rows) * parts(w.taps, w.columns);
    passes->pass[0] = (situ_pass){w.vector ? 1 : SITU_CALL_THREADS, blocks};
    if (w.order.chunks == 1) return true;
    passes->count = 2;
    passes->pass[1] = situ_pass_for(w.results);
    passes->workspace = (size_t)(w.order.chunks * w.results) * situ_dtype_size(situ_dtype_compute((situ_dtype)c->out.dtype));
    return true;
}

/* Writes y_at and x_at: the element at position u of an output's plane, and the input element that tap (top, left)
 * multiplies it by; and functions that load runs of either for vectors. */
void situ_conv_weight_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    situ_conv p = situ_conv_of(c);
    situ_conv_order order = situ_conv_order_of(&p, situ_dtype_compute((situ_dtype)c->out.dtype) == SITU_F64);
    situ_source_add(t,
        "enum { PITCH = %lld };\n"
        "FN C y_at(GLOBAL const E *y, at_F u)\n{\n"
        "    at_F h = u / PITCH, v = u %% PITCH;\n"
        "    return h < OH && v < OW ? LOAD(y[h * OW + v]) : ZERO;\n}\n"
        "FN C x_at(GLOBAL const E *x, at_F top, at_F left, at_F u)\n{\n"
        "    at_F h = u / PITCH, v = u %% PITCH, i = top + h * SH, j = left + v * SW;\n"
        "    return h < OH && v < OW && i >= 0 && i < IH && j >= 0 && j < IW ? LOAD(x[i * IW + j]) : ZERO;\n}\n",
        (number)order.pitch);
    if (order.lanes > 1 && situ_matmul_is_vector(d, (situ_dtype)c->out.dtype))
        situ_source_append(t, order.lanes == 8 ? "typedef float8 W;\n" : "typedef double4 W;\n");
}

/* Writes which block this is: its group, chunk, first row and column. */
static void write_block(situ_source *t, const weight *w)
{
    number columns = parts(w->taps, w->columns), rows = parts((number)w->p.group_out, w->rows);
    situ_source_add(t,
        "    u64_F rest = BLOCK / %lldu;\n"
        "    i64_F j = (i64_F)(BLOCK %% %lldu) * %d, i = (i64_F)(rest %% %lldu) * %d, g = (i64_F)(rest / %lldu %% %lldu), chunk = "
        "(i64_F)(rest / %lldu);\n"
        "    i64_F begin = chunk * %lld, last = %lld - begin < %lld ? %lld : begin + %lld;\n",
        columns, columns, w->columns, rows, w->rows, rows, (number)w->p.groups, rows * (number)w->p.groups, (number)w->order.chunk,
        (number)w->p.n, (number)w->order.chunk, (number)w->p.n, (number)w->order.chunk);
}

/* Writes "OUT[...] = STORE(value);", or a store to this chunk's part of the workspace. */
static void write_result(situ_source *t, const weight *w, const char *row, const char *column, const char *value)
{
    bool alone = w->order.chunks == 1;
    situ_source_append(t, alone ? "OUT[" : "((GLOBAL C *)WORKSPACE)[");
    if (!alone) situ_source_add(t, "chunk * %lld + ", w->results);
    situ_source_add(t, "(g * GROUP_OUT + %s) * %lld + %s] = ", row, w->taps, column);
    situ_source_add(t, alone ? "STORE(%s);\n" : "%s;\n", value);
}

/* ---------------------------------------------------------------- squares */

/* Tiles of both operands: each work-item copies one of 32 positions, or with lanes all of a lane. */
static void square_tiles(situ_source *t, const weight *w)
{
    number area = (number)(w->p.image[0] * w->p.image[1]), places = (number)(w->p.out[0] * w->p.out[1]);
    situ_source_add(t,
        "                for (int r = THREAD / %d; r < %d; r += %d)\n"
        "                    tile_a[r][q] = i + r < GROUP_OUT ? y_at(IN1 + ((n * %lld + g * GROUP_OUT + i + r) * %lld), u + q) : "
        "ZERO;\n"
        "                for (int r = THREAD / %d; r < %d; r += %d) {\n"
        "                    at_F k = (at_F)j + r;\n"
        "                    tile_b[r][q] = k < %lld ? x_at(IN0 + ((n * %lld + g * GROUP_IN + k / (KH * KW)) * %lld), k / KW %% KH "
        "* DH - BH, k %% KW * DW - BW, u + q) : ZERO;\n"
        "                }\n"
        "                BARRIER();\n",
        SPAN, w->rows, SITU_CALL_THREADS / SPAN, (number)w->p.out_channels, places, SPAN, w->columns, SITU_CALL_THREADS / SPAN,
        w->taps, (number)w->p.channels, area);
}

/* The lanes of each result belong to neighbouring work-items and are reduced by halves, four results of a square at a
 * time. */
static void square_reduce(situ_source *t, const weight *w)
{
    if (w->lanes == 1) {
        situ_source_add(t,
            "        for (int r = 0; r < %d; r++)\n"
            "            for (int s = 0; s < %d; s++) total[r][s] = first == begin ? c[r][s] : ADD(total[r][s], c[r][s]);\n",
            EACH, EACH);
        return;
    }
    int squares = SITU_CALL_THREADS / w->lanes, results = squares * EACH;
    situ_source_add(t,
        "#pragma unroll\n"
        "        for (int r = 0; r < %d; r++) {\n"
        "            for (int s = 0; s < %d; s++) lanes[s][THREAD] = c[r][s];\n"
        "            BARRIER();\n"
        "            if (THREAD < %d) {\n"
        "                TO_LOCAL C *v = &lanes[THREAD / %d][THREAD %% %d * %d];\n",
        EACH, EACH, results, squares, squares, w->lanes);
    if (w->lanes == 8)
        situ_source_append(
            t, "                C sum = ADD(ADD(ADD(v[0], v[4]), ADD(v[2], v[6])), ADD(ADD(v[1], v[5]), ADD(v[3], v[7])));\n");
    else situ_source_append(t, "                C sum = ADD(ADD(v[0], v[2]), ADD(v[1], v[3]));\n");
    situ_source_append(t,
        "                total[r] = first == begin ? sum : ADD(total[r], sum);\n"
        "            }\n"
        "            BARRIER();\n        }\n");
}

/* Each work-item stores the results of its square, if it has all their lanes. */
static void write_squares(situ_source *t, const weight *w)
{
    situ_source_add(t,
        "    }\n"
        "    for (int r = 0; r < %d; r++)\n"
        "        for (int s = 0; s < %d; s++) {\n"
        "            i64_F at = i + row + %d * r, to = j + column + 8 * s;\n"
        "            if (at < GROUP_OUT && to < %lld) ",
        EACH, EACH, w->rows / EACH, w->taps);
    write_result(t, w, "at", "to", "total[r][s]");
    situ_source_append(t, "        }\n");
}

static void square_body(situ_source *t, const weight *w)
{
    int down = w->rows / EACH, squares = SITU_CALL_THREADS / w->lanes, results = squares * EACH;
    bool one = w->lanes == 1;
    situ_source_add(t, "    LOCAL C tile_a[%d][%d], tile_b[%d][%d]", w->rows, SPAN + 1, w->columns, SPAN + 1);
    if (one) situ_source_append(t, ";\n");
    else situ_source_add(t, ", lanes[%d][%d];\n", EACH, SITU_CALL_THREADS);
    write_block(t, w);
    situ_source_add(t,
        "    int lane = THREAD %% %d, row = THREAD / %d / 8, column = THREAD / %d %% 8, q = THREAD %% %d;\n"
        "    C c[%d][%d], total%s, x[%d], y[%d];\n"
        "%s"
        "    for (i64_F first = begin; first < last; first += %lld) {\n"
        "        for (int r = 0; r < %d; r++)\n"
        "            for (int s = 0; s < %d; s++) c[r][s] = ZERO;\n"
        "        for (i64_F n = first; n < last && n < first + %lld; n++)\n"
        "            for (at_F u = 0; u < %lld; u += %d) {\n",
        w->lanes, w->lanes, w->lanes, SPAN, EACH, EACH, one ? "[4][4]" : "[4]", EACH, EACH,
        one ? "" : "    for (int r = 0; r < 4; r++) total[r] = ZERO;\n", (number)w->order.batch, EACH, EACH, (number)w->order.batch,
        (number)w->order.vectors * w->lanes, SPAN);
    square_tiles(t, w);
    situ_source_add(t,
        "                for (int e = lane; e < %d && u + e < %lld; e += %d) {\n"
        "                    for (int r = 0; r < %d; r++) x[r] = tile_a[row + %d * r][e], y[r] = tile_b[column + 8 * r][e];\n"
        "                    for (int r = 0; r < %d; r++)\n"
        "                        for (int s = 0; s < %d; s++) c[r][s] = PRODUCT_ADD(c[r][s], x[r], y[s]);\n"
        "                }\n"
        "                BARRIER();\n            }\n",
        SPAN, (number)w->order.vectors * w->lanes, w->lanes, EACH, down, EACH, EACH);
    square_reduce(t, w);
    if (one) {
        write_squares(t, w);
        return;
    }
    situ_source_add(t,
        "    }\n"
        "    if (THREAD >= %d) return;\n"
        "    int square = THREAD %% %d, s = THREAD / %d;\n"
        "    i64_F to = j + square %% 8 + 8 * s;\n"
        "    for (int r = 0; r < %d; r++) {\n"
        "        i64_F at = i + square / 8 + %d * r;\n"
        "        if (at < GROUP_OUT && to < %lld) ",
        results, squares, squares, EACH, down, w->taps);
    write_result(t, w, "at", "to", "total[r]");
    situ_source_append(t, "    }\n");
}

/* ---------------------------------------------------------------- vectors */

/* Loads a run of positions of a row, u to u + run, with 0 outside: positions [low, end) are read, `step` apart. */
static void write_runs(situ_source *t, const weight *w)
{
    number area = (number)(w->p.image[0] * w->p.image[1]), places = (number)(w->p.out[0] * w->p.out[1]);
    const char *const copy = "                        for (at_F e = 0; e < low; e++) to[e] = ZERO;\n"
                             "                        for (at_F e = low; e < end; e++) to[e] = LOAD(line[e * %s]);\n"
                             "                        for (at_F e = end; e < run; e++) to[e] = ZERO;\n                    }\n";
    situ_source_add(t,
        "                for (at_F from = 0, run; from < span; from += run) {\n"
        "                    at_F h = (u + from) / PITCH, v = (u + from) %% PITCH, most = h < OH ? OW - v : 0;\n"
        "                    run = PITCH - v < span - from ? PITCH - v : span - from;\n"
        "                    if (most > run) most = run;\n"
        "                    if (most < 0) most = 0;\n"
        "                    for (int r = 0; r < (high + %d) / %d * %d; r++) {\n"
        "                        C *to = (C *)ys + r * %d + from;\n"
        "                        at_F low = 0, end = i + r < GROUP_OUT ? most : 0;\n"
        "                        GLOBAL const E *line = IN1 + ((n * %lld + g * GROUP_OUT + i + r) * %lld + h * OW + v);\n",
        STRIP - 1, STRIP, STRIP, LONG, (number)w->p.out_channels, places);
    situ_source_add(t, copy, "1");
    situ_source_add(t,
        "                    for (int r = 0; r < (wide + %d) / %d * %d; r++) {\n"
        "                        C *to = (C *)xs + r * %d + from;\n"
        "                        at_F k = (at_F)j + r, y = k / KW %% KH * DH - BH + h * SH, x = k %% KW * DW - BW + v * SW;\n"
        "                        at_F low = x < 0 ? (-x + SW - 1) / SW : 0, end = x < IW ? (IW - 1 - x) / SW + 1 : 0;\n"
        "                        if (end > most) end = most;\n"
        "                        if (y < 0 || y >= IH || k >= %lld) end = 0;\n"
        "                        if (low > end) low = end;\n"
        "                        GLOBAL const E *line = IN0 + ((n * %lld + g * GROUP_IN + k / (KH * KW)) * %lld + (y * IW + x));\n",
        TAPS - 1, TAPS, TAPS, LONG, w->taps, (number)w->p.channels, area);
    situ_source_add(t, copy, "SW");
    situ_source_append(t, "                }\n");
}

static void vector_steps(situ_source *t, const weight *w)
{
    situ_source_add(t,
        "                int vectors = (int)span / %d;\n"
        "                for (int r = 0; r < high; r += %d)\n"
        "                    for (int s = 0; s < wide; s += %d) {\n"
        "                        const W *a = ys + r * %d, *b = xs + s * %d;\n"
        "                        W *sum = sums + r * %d + s * %d, y",
        w->lanes, STRIP, TAPS, LONG / w->lanes, LONG / w->lanes, w->columns, STRIP);
    for (int e = 0; e < STRIP * TAPS; e++) situ_source_add(t, ", c%d = sum[%d]", e, e);
    situ_source_append(t, ";\n                        for (int e = 0; e < vectors; e++) {\n                            W ");
    for (int s = 0; s < TAPS; s++) situ_source_add(t, "%sb%d = b[e + %d]", s ? ", " : "", s, s * (LONG / w->lanes));
    situ_source_append(t, ";\n");
    for (int r = 0; r < STRIP; r++) {
        situ_source_add(t, "                            y = a[e + %d];\n", r * (LONG / w->lanes));
        for (int s = 0; s < TAPS; s++)
            situ_source_add(t, "                            c%d = VECTOR_ADD(y, b%d, c%d);\n", r * TAPS + s, s, r * TAPS + s);
    }
    situ_source_append(t, "                        }\n                        ");
    for (int e = 0; e < STRIP * TAPS; e++) situ_source_add(t, "sum[%d] = c%d%s", e, e, e + 1 < STRIP * TAPS ? ", " : ";\n");
    situ_source_append(t, "                    }\n            }\n");
}

/* The sums of a tile of 4 outputs by 3 taps are stored consecutively. */
static void vector_body(situ_source *t, const weight *w)
{
    situ_source_add(t, "    W sums[%d], ys[%d], xs[%d];\n    C total[%d];\n", w->rows * w->columns, w->rows * LONG / w->lanes,
        w->columns * LONG / w->lanes, w->rows * w->columns);
    write_block(t, w);
    situ_source_add(t,
        "    int high = (int)(GROUP_OUT - i < %d ? GROUP_OUT - i : %d), wide = (int)(%lld - j < %d ? %lld - j : %d);\n"
        "    for (int e = 0; e < %d; e++) total[e] = ZERO;\n"
        "    for (i64_F first = begin; first < last; first += %lld) {\n"
        "        for (int e = 0; e < %d; e++) sums[e] = (W)(ZERO);\n"
        "        for (i64_F n = first; n < last && n < first + %lld; n++)\n"
        "            for (at_F u = 0; u < %lld; u += %d) {\n"
        "                at_F span = %lld - u < %d ? %lld - u : %d;\n",
        w->rows, w->rows, w->taps, w->columns, w->taps, w->columns, w->rows * w->columns, (number)w->order.batch,
        w->rows * w->columns, (number)w->order.batch, (number)w->order.vectors * w->lanes, LONG,
        (number)w->order.vectors * w->lanes, LONG, (number)w->order.vectors * w->lanes, LONG);
    write_runs(t, w);
    vector_steps(t, w);
    situ_source_add(t, "        for (int e = 0; e < %d; e++) {\n", w->rows * w->columns);
    if (w->lanes == 8)
        situ_source_append(t,
            "            float8 v = sums[e];\n            float4 half4 = v.lo + v.hi;\n            float2 half2 = half4.lo + "
            "half4.hi;\n");
    else situ_source_append(t, "            double4 v = sums[e];\n            double2 half2 = v.lo + v.hi;\n");
    situ_source_add(t,
        "            C sum = half2.x + half2.y;\n"
        "            total[e] = first == begin ? sum : ADD(total[e], sum);\n"
        "        }\n    }\n"
        "    for (int r = 0; r < high; r++)\n"
        "        for (int s = 0; s < wide; s++) ");
    char value[128];
    snprintf(value, sizeof value, "total[r / %d * %d + s / %d * %d + r %% %d * %d + s %% %d]", STRIP, STRIP * w->columns, TAPS,
        STRIP * TAPS, STRIP, TAPS, TAPS);
    write_result(t, w, "(i + r)", "(j + s)", value);
}

void situ_conv_weight_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    weight w = weight_of(c, d);
    if (pass == 1) {
        situ_call_each(t, w.results);
        situ_source_add(t,
            "    GLOBAL const C *part = (GLOBAL const C *)WORKSPACE + p;\n"
            "    C sum = part[0];\n"
            "    for (int chunk = 1; chunk < %lld; chunk++) sum = ADD(sum, part[chunk * %lldull]);\n"
            "    OUT[p] = STORE(sum);\n",
            (number)w.order.chunks, w.results);
    } else if (w.vector) {
        vector_body(t, &w);
    } else {
        square_body(t, &w);
    }
}
