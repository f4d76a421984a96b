/* Matrix products: [..., m, k] times [..., k, n]; leading axes broadcast. */
#include "op/blocks.h"
#include "op/host.h"
#include "op/precision.h"
#include "op/support.h"
#include "op/table.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int infer_matmul(situ_infer *c)
{
    const situ_tensor *a = c->in[0], *b = c->in[1];
    c->dtype = (situ_dtype)a->dtype; /* both have it: the public function casts */
    if (a->dim[a->ndim - 1] != b->dim[b->ndim - 2]) {
        char x[SITU_BRIEF_TEXT], y[SITU_BRIEF_TEXT];
        int64_t k = a->dim[a->ndim - 1];
        const char *mend = b->dim[b->ndim - 1] == k ?
            "; its rows fit: write " SITU_SAY("situ_matrix_transpose(b)", "b.mT") " if that is meant" :
            a->dim[a->ndim - 2] == b->dim[b->ndim - 2] ?
            "; a's columns fit: write " SITU_SAY("situ_matrix_transpose(a)", "a.mT") " if that is meant" :
            "; give a[..., m, k] and b[..., k, n]";
        return situ_fail(SITU_BAD_SHAPE, c->site,
            "matmul: the last axis of a (%s) is not as long as the last but one of b (%s): %lld and %lld%s", situ_brief(a, x),
            situ_brief(b, y), (long long)k, (long long)b->dim[b->ndim - 2], mend);
    }
    c->ndim = situ_shape_broadcast(c->site, "matmul", a->ndim - 2, a->dim, b->ndim - 2, b->dim, c->dim);
    if (c->ndim < 0) return c->ndim;
    if (c->ndim + 2 > SITU_MAX_DIMS)
        return situ_fail(SITU_BAD_SHAPE, c->site, "matmul: a result of more than %d dimensions", SITU_MAX_DIMS);
    c->dim[c->ndim++] = a->dim[a->ndim - 2];
    c->dim[c->ndim++] = b->dim[b->ndim - 1];
    return 0;
}

/* Strides of the last two axes of each operand. */
typedef struct matmul {
    const situ_call_desc *call;
    int64_t m, n, k, batches, a_row, a_column, b_row, b_column;
    int batch_dims;
    int64_t a_stride[8], b_stride[8];
    char *const *address;
} matmul;

/* Row by row: each result adds up its products in the order of k. */
#define MATMUL_ROWS(name, type, add) \
    static void name(const matmul *p, const type *a, const type *b, type *out) \
    { \
        for (int64_t i = 0; i < p->m; i++) { \
            type *row = out + i * p->n; \
            for (int64_t j = 0; j < p->n; j++) row[j] = (type){0}; \
            for (int64_t k = 0; k < p->k; k++) { \
                type x = a[i * p->a_row + k * p->a_column]; \
                const type *y = b + k * p->b_row; \
                if (p->b_column == 1) \
                    for (int64_t j = 0; j < p->n; j++) row[j] = (type)add(row[j], x, y[j]); \
                else \
                    for (int64_t j = 0; j < p->n; j++) row[j] = (type)add(row[j], x, y[j * p->b_column]); \
            } \
        } \
    }
#define ADD_FLOAT(s, x, y) ((s) + (x) * (y))
#define ADD_SIGNED32(s, x, y) ((int32_t)((uint32_t)(s) + (uint32_t)(x) * (uint32_t)(y)))
#define ADD_SIGNED64(s, x, y) ((int64_t)((uint64_t)(s) + (uint64_t)(x) * (uint64_t)(y)))
#define ADD_SIGNED8(s, x, y) ((int8_t)((s) + (x) * (y)))
#define ADD_SIGNED16(s, x, y) ((int16_t)(uint32_t)((uint32_t)(s) + (uint32_t)(x) * (uint32_t)(y)))
#define ADD_UNSIGNED8(s, x, y) ((uint8_t)((s) + (x) * (y)))
#define ADD_UNSIGNED16(s, x, y) ((uint16_t)((uint32_t)(s) + (uint32_t)(x) * (uint32_t)(y)))
#define ADD_COMPLEX(s, x, y) \
    { \
        (s).re + ((x).re * (y).re - (x).im * (y).im), (s).im + ((x).re * (y).im + (x).im * (y).re) \
    }
#define ADD_BOOL(s, x, y) ((uint8_t)((s) | ((x) & (y))))
MATMUL_ROWS(rows_f32, float, ADD_FLOAT)
MATMUL_ROWS(rows_f64, double, ADD_FLOAT)
MATMUL_ROWS(rows_i8, int8_t, ADD_SIGNED8)
MATMUL_ROWS(rows_i16, int16_t, ADD_SIGNED16)
MATMUL_ROWS(rows_i32, int32_t, ADD_SIGNED32)
MATMUL_ROWS(rows_i64, int64_t, ADD_SIGNED64)
MATMUL_ROWS(rows_u8, uint8_t, ADD_UNSIGNED8)
MATMUL_ROWS(rows_u16, uint16_t, ADD_UNSIGNED16)
MATMUL_ROWS(rows_u32, uint32_t, ADD_FLOAT)
MATMUL_ROWS(rows_u64, uint64_t, ADD_FLOAT)
MATMUL_ROWS(rows_bool, uint8_t, ADD_BOOL)
MATMUL_ROWS(rows_c64, situ_c64, ADD_COMPLEX)
MATMUL_ROWS(rows_c128, situ_c128, ADD_COMPLEX)

/* f16 and bf16: each result is summed in f32 and rounded once. */
static void rows_half(const matmul *p, situ_dtype dtype, const uint16_t *a, const uint16_t *b, uint16_t *out)
{
    float (*get)(uint16_t) = dtype == SITU_F16 ? situ_f16_to_f32 : situ_bf16_to_f32;
    uint16_t (*put)(float) = dtype == SITU_F16 ? situ_f32_to_f16 : situ_f32_to_bf16;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            float sum = 0;
            for (int64_t k = 0; k < p->k; k++)
                sum += get(a[i * p->a_row + k * p->a_column]) * get(b[k * p->b_row + j * p->b_column]);
            out[i * p->n + j] = put(sum);
        }
}

static void multiply(const matmul *p, situ_dtype dtype, const void *a, const void *b, void *out)
{
    switch (dtype) {
    case SITU_F32: rows_f32(p, a, b, out); break;
    case SITU_F64: rows_f64(p, a, b, out); break;
    case SITU_C64: rows_c64(p, a, b, out); break;
    case SITU_C128: rows_c128(p, a, b, out); break;
    case SITU_F16:
    case SITU_BF16: rows_half(p, dtype, a, b, out); break;
    case SITU_I8: rows_i8(p, a, b, out); break;
    case SITU_I16: rows_i16(p, a, b, out); break;
    case SITU_I32: rows_i32(p, a, b, out); break;
    case SITU_I64: rows_i64(p, a, b, out); break;
    case SITU_U8: rows_u8(p, a, b, out); break;
    case SITU_U16: rows_u16(p, a, b, out); break;
    case SITU_U32: rows_u32(p, a, b, out); break;
    case SITU_U64: rows_u64(p, a, b, out); break;
    default: rows_bool(p, a, b, out); break;
    }
}

/* rows of a task: batches are cut into panels of rows, by shape alone */
enum { PANEL = 32 };

static void task(void *context, int64_t index)
{
    const matmul *whole = context;
    matmul p = *whole;
    situ_dtype dtype = (situ_dtype)p.call->out.dtype;
    int64_t size = (int64_t)situ_dtype_size(dtype), panels = (p.m + PANEL - 1) / PANEL;
    int64_t batch = index / panels, first = index % panels * PANEL, a = 0, b = 0, rest = batch;
    for (int i = p.batch_dims - 1; i >= 0; i--) {
        int64_t at = rest % p.call->out.dim[i];
        rest /= p.call->out.dim[i];
        a += at * p.a_stride[i];
        b += at * p.b_stride[i];
    }
    a += first * p.a_row;
    int64_t out = (batch * p.m + first) * p.n;
    p.m = p.m - first < PANEL ? p.m - first : PANEL;
    multiply(&p, dtype, p.address[1] + a * size, p.address[2] + b * size, p.address[0] + out * size);
}

static void host_matmul(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const situ_layout *a = &c->in[0], *b = &c->in[1];
    matmul p = {.call = c,
        .m = a->dim[a->ndim - 2],
        .k = a->dim[a->ndim - 1],
        .n = b->dim[b->ndim - 1],
        .batches = 1,
        .a_row = a->stride[a->ndim - 2],
        .a_column = a->stride[a->ndim - 1],
        .b_row = b->stride[b->ndim - 2],
        .b_column = b->stride[b->ndim - 1],
        .batch_dims = c->out.ndim - 2,
        .address = address};
    situ_stride_broadcast(a->ndim - 2, a->dim, a->stride, p.batch_dims, c->out.dim, p.a_stride);
    situ_stride_broadcast(b->ndim - 2, b->dim, b->stride, p.batch_dims, c->out.dim, p.b_stride);
    for (int i = 0; i < p.batch_dims; i++) p.batches *= c->out.dim[i];
    situ_host_for(h, task, &p, p.batches * ((p.m + PANEL - 1) / PANEL));
}

static double flops_matmul(const situ_call_desc *c)
{
    return 2.0 * (double)situ_layout_count(&c->out) * (double)c->in[0].dim[c->in[0].ndim - 1];
}

/* The dtype to which the operands of product y were rounded; 0: none. */
static uint8_t precision_of(const situ_tensor *y) { return (uint8_t) * (const int32_t *)situ_node_attr(y); }

/* The product of matrices rounded to `precision`, if that is not 0. */
static situ_tensor *multiplied(situ_tensor *a, situ_tensor *b, uint8_t precision, situ_site site)
{
    int32_t attr = precision;
    if (!precision) return situ_matmul(a, b);
    return situ_apply(&situ_op_matmul, (situ_tensor *[]){a, b}, 2, &attr, sizeof attr, NULL, 0, site);
}

/* a^T g, in the memory order of the second operand's base. If b is a transposed matrix, as in a layer that stores its
 * weights by outputs, the gradient is computed transposed and so has the layout of the weights. Each element is the
 * same chain of multiply-adds either way. */
static situ_tensor *by_second(const situ_tensor *b, situ_tensor *a, situ_tensor *g, uint8_t precision, situ_site site)
{
    bool transposed = b->op == &situ_op_permute && b->ndim == 2 && g->ndim == 2;
    return transposed ? situ_transpose(multiplied(situ_transpose(g), a, precision, site)) :
                        multiplied(situ_transpose(a), g, precision, site);
}

/* One matrix for all batches: the products are added up along one long axis instead of batch by batch. */
static situ_tensor *by_shared_matrix(const situ_tensor *b, situ_tensor *a, situ_tensor *g, uint8_t precision, situ_site site)
{
    int64_t rows = 1;
    for (int i = 0; i < a->ndim - 1; i++) rows *= a->dim[i];
    a = situ_reshape(a, SHAPE(rows, a->dim[a->ndim - 1]));
    g = situ_reshape(g, SHAPE(rows, g->dim[g->ndim - 1]));
    return by_second(b, a, g, precision, site);
}

static void vjp_matmul(situ_vjp *c)
{
    situ_site site = c->site;
    uint8_t low = precision_of(c->y);
    situ_tensor *g = low ? situ_rounded(c->g, low, site) : c->g;
    if (c->need[0]) c->out[0] = multiplied(g, situ_transpose(c->in[1]), low, site);
    if (!c->need[1]) return;
    bool shared = c->in[1]->ndim == 2 && c->in[0]->ndim > 2;
    c->out[1] = (shared ? by_shared_matrix : by_second)(c->in[1], c->in[0], g, low, site);
}

/* Halves: the operands and the result in f32 (backend/cpu/gemm/gemm_half.c). */
static size_t workspace_matmul(const situ_call_desc *c)
{
    if (c->out.dtype != SITU_F16 && c->out.dtype != SITU_BF16) return 0;
    int64_t bytes = 0;
    for (int i = 0; i < 3; i++) bytes += situ_layout_wide_bytes(i < 2 ? &c->in[i] : &c->out);
    return (size_t)bytes;
}

const situ_op situ_op_matmul = {.name = "matmul",
    .family = SITU_CALL,
    .strided = true,
    .operands = "a, b",
    .infer = infer_matmul,
    .vjp = vjp_matmul,
    .reads = {SITU_READS_B, SITU_READS_A},
    .host = host_matmul,
    .workspace = workspace_matmul,
    .flops = flops_matmul};

/* Checks two operands of a product and casts them to their common dtype. */
static bool take_pair(situ_tensor **a, situ_tensor **b, int least, const char *operation, situ_site site)
{
    situ_tensor *pair[] = {*a, *b};
    if (!situ_together(pair, 2, operation, "a, b", site)) return false;
    for (int i = 0; i < 2; i++)
        if (situ_is_number(pair[i]) || pair[i]->ndim < least) {
            char text[SITU_BRIEF_TEXT];
            situ_fail(SITU_BAD_SHAPE, site,
                "%s: %c must be a tensor of at least %d dimension, not %s; " SITU_SAY("situ_mul", "*") " multiplies by numbers",
                operation, "ab"[i], least, situ_brief(pair[i], text));
            return false;
        }
    situ_dtype dtype = situ_dtype_promote((situ_dtype)pair[0]->dtype, (situ_dtype)pair[1]->dtype);
    *a = situ_cast(pair[0], dtype);
    *b = situ_cast(pair[1], dtype);
    return !situ_error_code;
}

/* For f32 times the transpose of an f16 or bf16 matrix on the CPU: returns that matrix; else NULL. */
static situ_tensor *halves_of(situ_tensor *a, situ_tensor *b, situ_site site)
{
    situ_tensor *pair[] = {a, b};
    if (!a || !b || !situ_usable(pair, 2, "matmul", site) || situ_is_number(a) || situ_is_number(b)) return NULL;
    bool halves = b->dtype == SITU_BF16 || b->dtype == SITU_F16;
    if (!halves || a->dtype != SITU_F32 || a->ndim < 1 || b->ndim != 2 || b->op != &situ_op_permute || b->buffer) return NULL;
    situ_tensor *w = situ_node_in(b)[0];
    bool fits = w->dim[0] == b->dim[1] && w->dim[1] == b->dim[0] && a->dim[a->ndim - 1] == w->dim[1];
    return fits && a->device.kind == SITU_CPU && situ_device_equal(a->device, b->device) ? w : NULL;
}

situ_tensor *(situ_matmul)(situ_tensor *a, situ_tensor *b, situ_site site)
{
    SITU_SPEAK("matmul", site);
    situ_tensor *halves = halves_of(a, b, site);
    if (halves && situ_has_few_rows(a, halves->dim[0])) return situ_rows_product(a, halves, 0, site);
    if (halves && situ_thread_state.invariant) b = situ_transpose(situ_cast(halves, SITU_F32)); /* in the layout of few rows */
    if (!take_pair(&a, &b, 1, "matmul", site)) return situ_poisoned();
    bool row = a->ndim == 1, column = b->ndim == 1;
    if (row) a = situ_expand_dims(a, 0);
    if (column) b = situ_expand_dims(b, 1);
    int32_t low = situ_precision_of(a);
    if (low) {
        a = situ_rounded(a, (uint8_t)low, site);
        b = situ_rounded(b, (uint8_t)low, site);
    }
    situ_tensor *y = situ_apply(&situ_op_matmul, (situ_tensor *[]){a, b}, 2, &low, sizeof low, NULL, 0, site);
    if (!row && !column) return y;
    if (!situ_usable(&y, 1, "matmul", site)) return situ_poisoned();
    situ_shape shape = {.ndim = 0};
    for (int i = 0; i < y->ndim; i++)
        if (!(row && i == y->ndim - 2) && !(column && i == y->ndim - 1)) shape.dim[shape.ndim++] = y->dim[i];
    return situ_reshape(y, shape);
}

situ_tensor *(situ_dot)(situ_tensor *a, situ_tensor *b, situ_site site)
{
    SITU_SPEAK("dot", site);
    if (!take_pair(&a, &b, 1, "dot", site)) return situ_poisoned();
    if (a->dtype == SITU_BOOL) return situ_any(situ_logical_and(a, b), .axes = AXES(-1));
    return situ_sum(situ_mul(a, b), .axes = AXES(-1), .dtype = (situ_dtype)a->dtype);
}

situ_tensor *(situ_outer)(situ_tensor *a, situ_tensor *b, situ_site site)
{
    SITU_SPEAK("outer", site);
    if (!take_pair(&a, &b, 1, "outer", site)) return situ_poisoned();
    a = situ_reshape(a, SHAPE(situ_node_count(a), 1));
    b = situ_reshape(b, SHAPE(1, situ_node_count(b)));
    return a->dtype == SITU_BOOL ? situ_logical_and(a, b) : situ_mul(a, b);
}

situ_tensor *(situ_trace)(situ_tensor *x, situ_site site)
{
    SITU_SPEAK("trace", site);
    return situ_sum(situ_diagonal(x, 0), .axes = AXES(-1));
}

/* ---- few rows times w^T ------------------------------------------------------------------------------------------------ */

static int infer_rows_product(situ_infer *c)
{
    situ_infer_same(c);
    c->dim[c->ndim - 1] = c->in[1]->dim[0];
    return 0;
}

static void vjp_rows_product(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *w = c->in[1];
    const situ_blocks_attr *a = situ_node_attr(c->y);
    if (w->dtype == SITU_U8) w = situ_dequantise(w, (situ_block_type)a->type);
    if (c->need[0]) c->out[0] = situ_matmul(c->g, w);
    if (!c->need[1]) return;
    situ_tensor *x = situ_reshape(c->in[0], SHAPE(-1, c->in[0]->dim[c->in[0]->ndim - 1]));
    c->out[1] = situ_cast(situ_matmul(situ_transpose(situ_reshape(c->g, SHAPE(-1, w->dim[0]))), x), (situ_dtype)w->dtype);
}

/* Sums along k in order. */
static void host_rows_product(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    (void)h;
    int64_t n = c->in[1].dim[0], k = c->in[0].dim[c->in[0].ndim - 1], rows = situ_layout_count(&c->in[0]) / (k ? k : 1);
    const float *x = (const float *)(const void *)address[1];
    float *out = (float *)(void *)address[0];
    situ_dtype dtype = (situ_dtype)c->in[1].dtype;
    const situ_block_format *blocks = dtype == SITU_U8 ? &situ_block_formats[situ_block_type_of(c)] : NULL;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++) {
            float sum = 0, number[SITU_MOST_BLOCK];
            for (int64_t p = 0; p < k; p++) {
                const uint16_t *half = (const uint16_t *)(const void *)address[2] + j * k + p;
                if (blocks && p % blocks->numbers == 0)
                    blocks->unpack((const uint8_t *)address[2] + (j * k + p) / blocks->numbers * blocks->bytes, number);
                float w = blocks      ? number[p % blocks->numbers] :
                    dtype == SITU_F16 ? situ_half_to_f32(*half) :
                                        situ_f32_of_bits((uint32_t)*half << 16);
                sum += x[i * k + p] * w;
            }
            out[i * n + j] = sum;
        }
}

static double flops_rows_product(const situ_call_desc *c)
{
    return 2.0 * (double)situ_layout_count(&c->out) * (double)c->in[0].dim[c->in[0].ndim - 1];
}

const situ_op situ_op_rows_product = {.name = "rows_product",
    .family = SITU_CALL,
    .operands = "x, w",
    .infer = infer_rows_product,
    .vjp = vjp_rows_product,
    .reads = {SITU_READS_B, SITU_READS_A | SITU_READS_B},
    .host = host_rows_product,
    .flops = flops_rows_product};

situ_tensor *situ_rows_product(situ_tensor *x, situ_tensor *w, situ_block_type type, situ_site site)
{
    situ_blocks_attr a = {type};
    return situ_apply(&situ_op_rows_product, (situ_tensor *[]){x, w}, 2, &a, sizeof a, NULL, 0, site);
}
