/* Quantised weights. */
#include "op/blocks.h"

#include <float.h>
#include <math.h>

#include "base/byte_order.h"
#include "op/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static const char no_gradient[] =
    "the numbers of blocks, and of halves that are multiplied by f32, have none; cast or dequantise them";

/* ---- dequantise ------------------------------------------------------------------------------------------------------- */

static int infer_dequantise(situ_infer *c)
{
    situ_infer_same(c);
    c->dtype = SITU_F32;
    c->dim[c->ndim - 1] = situ_row_numbers((situ_block_type)((const situ_blocks_attr *)c->attr)->type, c->dim[c->ndim - 1]);
    return 0;
}

typedef struct unpacking {
    const situ_call_desc *call;
    const char *from;
    float *to;
} unpacking;

static void unpack_piece(void *context, int64_t first, int64_t end)
{
    const unpacking *u = context;
    situ_block_type type = situ_block_type_of(u->call);
    int64_t n = situ_block_numbers(type);
    situ_unpack_blocks(type, (const uint8_t *)u->from + first * situ_block_bytes(type), (end - first) * n, u->to + first * n);
}

static void unpack_rows(void *context, int64_t first, int64_t end)
{
    const unpacking *u = context;
    int64_t in = u->call->out.dim[u->call->out.ndim - 1];
    for (; first < end; first++) {
        const char *row = u->from + first * (in + SITU_ROW_SCALE);
        float scale;
        situ_little_numbers(&scale, row, sizeof scale, sizeof scale);
        for (int64_t i = 0; i < in; i++) u->to[first * in + i] = scale * (float)(int8_t)row[SITU_ROW_SCALE + i];
    }
}

static void host_dequantise(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    unpacking u = {c, address[1], (float *)(void *)address[0]};
    int64_t in = c->out.dim[c->out.ndim - 1];
    if (situ_block_type_of(c) == SITU_Q8_ROWS && in)
        situ_host_pieces(h, unpack_rows, &u, situ_layout_count(&c->out) / in, SITU_HOST_LEAST / in + 1);
    else if (in) {
        int64_t n = situ_block_numbers(situ_block_type_of(c));
        situ_host_pieces(h, unpack_piece, &u, situ_layout_count(&c->out) / n, SITU_HOST_LEAST / n);
    }
}

const situ_op situ_op_dequantise = {.name = "dequantise",
    .family = SITU_CALL,
    .operands = "blocks",
    .infer = infer_dequantise,
    .no_gradient = no_gradient,
    .host = host_dequantise};

/* ---- quantise ------------------------------------------------------------------------------------------------------- */

static int infer_quantise(situ_infer *c)
{
    situ_infer_same(c);
    c->dtype = SITU_U8;
    c->dim[c->ndim - 1] = situ_row_bytes((situ_block_type)((const situ_blocks_attr *)c->attr)->type, c->dim[c->ndim - 1]);
    return 0;
}

/* The addition of the constant rounds to the nearest integer, ties to even. */
static int nearest(float x)
{
    volatile float whole = x + 0x1.8p23f;
    return (int)(whole - 0x1.8p23f);
}

/* The scale of a row of 8-bit numbers: its largest magnitude / 127. NaN if an element is not finite. */
static float row_scale(int64_t n, const float *x)
{
    float most = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return NAN;
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    }
    float scale = most / 127;
    return scale > 0 && scale < FLT_MIN ? FLT_MIN : scale;
}

static void round_row(int64_t n, const float *x, float scale, int8_t *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = (int8_t)(scale > 0 ? nearest(x[i] / scale) : 0);
}

static void put_half(uint8_t *to, float x)
{
    uint16_t half = situ_f32_to_f16(x);
    to[0] = (uint8_t)half;
    to[1] = (uint8_t)(half >> 8);
}

/* Rounds halves away from zero, as llama.cpp does. */
static int whole(float x) { return (int)(x < 0 ? ceilf(x - 0.5f) : floorf(x + 0.5f)); }

enum { BLOCK = 32 }; /* numbers of a block of the types that situ_quantise makes */

static void pack_block(situ_block_type type, const float *x, uint8_t *to)
{
    float low = x[0], high = x[0], most = 0;
    for (int i = 0; i < BLOCK; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        if (fabsf(x[i]) > fabsf(most) || x[i] != x[i]) most = x[i];
    }
    float scale = type == SITU_Q8_0 ? fabsf(most) / 127 :
        type == SITU_Q4_0           ? most / -8 :
        most != most                ? most : /* NaN is kept, which minimum and maximum would drop */
                                      (high - low) / 15,
          by = fabsf(scale) < FLT_MIN ? 0 : 1 / scale; /* the scale may be 0 as a half */
    put_half(to, scale);
    if (type == SITU_Q4_1) put_half(to + 2, low);
    uint8_t *q = to + (type == SITU_Q4_1 ? 4 : 2);
    for (int i = 0; i < BLOCK; i++) {
        float v = type == SITU_Q4_1 ? (x[i] - low) * by + 0.5f : type == SITU_Q4_0 ? x[i] * by + 8.5f : x[i] * by;
        if (type == SITU_Q8_0) q[i] = (uint8_t)(int8_t)(v == v ? whole(v < -127 ? -127 : v > 127 ? 127 : v) : 0);
        else if (i < 16) q[i] = v < 16 ? (uint8_t)v : 15;
        else q[i - 16] = (uint8_t)(q[i - 16] | (v < 16 ? (uint8_t)v : 15) << 4);
    }
}

static void pack_rows(void *context, int64_t first, int64_t end)
{
    const unpacking *u = context;
    situ_block_type type = situ_block_type_of(u->call);
    int64_t in = u->call->in[0].dim[u->call->in[0].ndim - 1], bytes = situ_row_bytes(type, in);
    for (; first < end; first++) {
        const float *x = (const float *)(const void *)u->from + first * in;
        uint8_t *to = (uint8_t *)(void *)u->to + first * bytes;
        float scale = type == SITU_Q8_ROWS ? row_scale(in, x) : 0;
        for (int64_t i = 0; type != SITU_Q8_ROWS && i < in; i += BLOCK)
            pack_block(type, x + i, to + i / BLOCK * situ_block_bytes(type));
        if (type != SITU_Q8_ROWS) continue;
        situ_little_numbers(to, &scale, sizeof scale, sizeof scale);
        round_row(in, x, scale, (int8_t *)to + SITU_ROW_SCALE);
    }
}

static void host_quantise(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    unpacking u = {c, address[1], (float *)(void *)address[0]};
    int64_t in = c->in[0].dim[c->in[0].ndim - 1], count = 1;
    for (int i = 0; i < c->in[0].ndim - 1; i++) count *= c->in[0].dim[i];
    situ_host_pieces(h, pack_rows, &u, count, SITU_HOST_LEAST / (in + 1) + 1);
}

const situ_op situ_op_quantise = {.name = "quantise",
    .family = SITU_CALL,
    .operands = "w",
    .infer = infer_quantise,
    .no_gradient = "numbers in few bits have none; train in f32 and quantise then",
    .host = host_quantise};

/* ---- products of quantised rows ------------------------------------------------------------------------------------ */

static int infer_rounded_product(situ_infer *c)
{
    situ_infer_same(c);
    c->dim[c->ndim - 1] = c->in[1]->dim[0];
    return 0;
}

static void vjp_rounded_product(situ_vjp *c)
{
    situ_site site = c->site;
    if (c->need[0]) c->out[0] = situ_matmul(c->g, situ_dequantise(c->in[1], SITU_Q8_ROWS));
}

static void host_rounded_product(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t k = c->in[0].dim[c->in[0].ndim - 1], n = c->in[1].dim[0], rows = k ? situ_layout_count(&c->in[0]) / k : 0;
    float *out = (float *)(void *)address[0];
    int8_t *q = (int8_t *)h->workspace;
    if (!k) memset(out, 0, (size_t)situ_layout_count(&c->out) * sizeof *out);
    for (int64_t i = 0; i < rows; i++) {
        const float *x = (const float *)(const void *)address[1] + i * k;
        float scale = row_scale(k, x), by;
        round_row(k, x, scale, q);
        for (int64_t j = 0; j < n; j++) {
            const int8_t *w = (const int8_t *)address[2] + j * (k + SITU_ROW_SCALE);
            int32_t sum = 0;
            situ_little_numbers(&by, w, sizeof by, sizeof by);
            for (int64_t p = 0; p < k; p++) sum += q[p] * w[SITU_ROW_SCALE + p];
            out[i * n + j] = (float)sum * (by * scale);
        }
    }
}

static double flops_rounded_product(const situ_call_desc *c)
{
    return 2.0 * (double)situ_layout_count(&c->out) * (double)c->in[0].dim[c->in[0].ndim - 1];
}

/* Rows of x in strips of 16 (16 bits for some kernels), their scales and sums (backend/cpu/layers/int8.c). */
static size_t workspace_rounded_product(const situ_call_desc *c)
{
    int64_t k = c->in[0].dim[c->in[0].ndim - 1], strips = k ? (situ_layout_count(&c->in[0]) / k + 15) / 16 : 0;
    return (size_t)(strips * 16 * ((k + 63) / 64 * 64 * 2 + 8) + 64);
}

const situ_op situ_op_rounded_product = {.name = "rounded_product",
    .family = SITU_CALL,
    .operands = "x, w",
    .infer = infer_rounded_product,
    .vjp = vjp_rounded_product,
    .reads = {SITU_READS_B, 0},
    .host = host_rounded_product,
    .workspace = workspace_rounded_product,
    .flops = flops_rounded_product};

situ_tensor *situ_rounded_product(situ_tensor *x, situ_tensor *w, situ_site site)
{
    return situ_apply(&situ_op_rounded_product, (situ_tensor *[]){x, w}, 2, NULL, 0, NULL, 0, site);
}

/* ---- calls ---------------------------------------------------------------------------------------------------------------- */

bool situ_check_blocks(const situ_tensor *blocks, situ_block_type type, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT], name[32];
    if ((int)type < 0 || (int)type >= SITU_BLOCK_TYPES)
        situ_fail(SITU_BAD_ARGUMENT, site, "%s: there is no type %d of blocks", operation, (int)type);
    else if (type == SITU_Q8_ROWS &&
        (situ_is_number(blocks) || blocks->dtype != SITU_U8 || blocks->ndim < 1 || blocks->dim[blocks->ndim - 1] < SITU_ROW_SCALE))
        situ_fail(SITU_BAD_SHAPE, site,
            "%s: the rows are %s; they must be u8 [..., 4 + in], as " SITU_SAY("situ_quantise", "quantise") " makes them",
            operation, situ_brief(blocks, text));
    else if (type != SITU_Q8_ROWS &&
        (situ_is_number(blocks) || blocks->dtype != SITU_U8 || blocks->ndim < 1 ||
            blocks->dim[blocks->ndim - 1] % situ_block_bytes(type)))
        situ_fail(SITU_BAD_SHAPE, site, "%s: the blocks are %s; they must be u8 [..., a multiple of %lld]", operation,
            situ_brief(blocks, text), (long long)situ_block_bytes(type));
    else if (blocks->device.kind != SITU_CPU)
        situ_fail(SITU_UNSUPPORTED, site, "%s: blocks are multiplied on the CPU, not on %s; dequantise them before they go there",
            operation, situ_device_name(blocks->device, name));
    return !situ_error_code;
}

situ_tensor *(situ_quantise)(situ_tensor *w, situ_block_type type, situ_site site)
{
    SITU_SPEAK("quantise", site);
    char text[SITU_BRIEF_TEXT], name[32];
    if (!situ_usable(&w, 1, "quantise", site)) return situ_poisoned();
    if ((int)type < 0 || (int)type >= SITU_BLOCK_TYPES)
        return situ_refused(SITU_BAD_ARGUMENT, site, "quantise: there is no type %d of blocks", (int)type);
    if (type > SITU_Q8_ROWS)
        return situ_refused(SITU_UNSUPPORTED, site,
            "quantise: %s is read from files, not made here; use q8_0, q4_0, q4_1 or q8_rows", situ_block_formats[type].name);
    bool floats = !situ_is_number(w) && w->ndim && situ_dtype_is_float((situ_dtype)w->dtype);
    if (!floats || (type != SITU_Q8_ROWS && w->dim[w->ndim - 1] % BLOCK))
        return situ_refused(SITU_BAD_SHAPE, site, "quantise: w is %s; it must be floats [..., %s]", situ_brief(w, text),
            type == SITU_Q8_ROWS ? "in" : "a multiple of 32");
    if (w->device.kind != SITU_CPU)
        return situ_refused(SITU_UNSUPPORTED, site, "quantise: w is on %s; numbers in few bits are on the CPU alone",
            situ_device_name(w->device, name));
    situ_blocks_attr a = {type};
    return situ_apply1(&situ_op_quantise, situ_cast(w, SITU_F32), &a, sizeof a, site);
}

situ_tensor *(situ_dequantise)(situ_tensor *blocks, situ_block_type type, situ_site site)
{
    SITU_SPEAK("dequantise", site);
    if (!situ_usable(&blocks, 1, "dequantise", site) || !situ_check_blocks(blocks, type, "dequantise", site))
        return situ_poisoned();
    situ_blocks_attr a = {type};
    return situ_apply1(&situ_op_dequantise, blocks, &a, sizeof a, site);
}
