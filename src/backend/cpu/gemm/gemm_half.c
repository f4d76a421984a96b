/* Matrix products of f16 and bf16. Operands are converted to f32, which is exact, and multiplied by the f32 kernels;
 * each result is rounded once. The conversion costs little beside a product, and packing needs no variants for it.
 * Products of few rows read a transposed matrix without conversion. */
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/layers/quantised.h"
#include "backend/cpu/movement/convert.h"
#include "op/host.h"

enum { PIECE = 2048 };

/* An operand to be converted to f32. */
typedef struct widening {
    const char *from;
    float *to;
    situ_convert_fn convert;
    bool dense; /* the elements fill their memory without gaps: they are converted in memory order and keep their strides */
    int ndim;
    int64_t count, dim[8], stride[8]; /* axes except those of one element; a repeated axis has one element; strides in bytes */
} widening;

/* Whether the elements fill their memory without gaps, in whatever order of axes. */
static bool is_dense(const widening *w)
{
    int64_t filled = 2;
    for (int done = 0; done < w->ndim; done++) {
        int next = -1;
        for (int i = 0; i < w->ndim && next < 0; i++)
            if (w->stride[i] == filled) next = i;
        if (next < 0) return false;
        filled *= w->dim[next];
    }
    return true;
}

/* Describes the conversion of an operand. `layout` becomes that of the copy. */
static widening begin(situ_layout *layout, const char *from, float *to)
{
    widening w = {.from = from, .to = to, .convert = situ_convert((situ_dtype)layout->dtype, SITU_F32), .count = 1};
    int axis[8];
    for (int i = 0; i < layout->ndim; i++) {
        if (layout->dim[i] == 1 || !layout->stride[i]) continue;
        axis[w.ndim] = i;
        w.dim[w.ndim] = layout->dim[i];
        w.stride[w.ndim++] = layout->stride[i] * 2;
        w.count *= layout->dim[i];
    }
    layout->dtype = SITU_F32;
    if ((w.dense = is_dense(&w))) return w;
    int64_t stride = 1;
    for (int i = w.ndim - 1; i >= 0; i--) {
        layout->stride[axis[i]] = stride;
        stride *= w.dim[i];
    }
    return w;
}

static void widen_piece(void *context, int64_t first, int64_t end)
{
    const widening *w = context;
    uint16_t piece[PIECE];
    for (int64_t n; first < end; first += n) {
        n = end - first < PIECE ? end - first : PIECE;
        if (!w->dense) situ_strided_read(piece, w->from, 2, w->ndim, w->dim, w->stride, first, n);
        w->convert(w->to + first, w->dense ? w->from + 2 * first : (const char *)piece, n);
    }
}

typedef struct rounding {
    situ_convert_fn convert;
    char *to;
    const float *from;
} rounding;

static void round_piece(void *context, int64_t first, int64_t end)
{
    const rounding *r = context;
    r->convert(r->to + 2 * first, r->from + first, end - first);
}

/* Few rows by a transposed matrix: converts elements to f32 in registers. Sums have the order of f32 products. */
static bool by_rows(const situ_call_desc *wide, const situ_layout *b, const void *w, char *const *at, const situ_host *h)
{
    situ_layout in[2] = {wide->in[0], *b};
    if (wide->out.ndim != 2 || b->ndim != 2 || in[0].stride[1] != 1 || b->stride[0] != 1 || b->stride[1] != b->dim[0]) return false;
    if ((in[0].dim[0] > 1 && in[0].stride[0] != in[0].dim[1]) || !situ_gemm_by_dots(wide)) return false;
    in[1].dim[0] = b->dim[1];
    in[1].dim[1] = b->dim[0];
    situ_call_desc rows = *wide;
    char *address[3] = {at[0], at[1], (char *)(uintptr_t)w};
    rows.in = in;
    situ_rows_product_run(&rows, address, h);
    return true;
}

bool situ_gemm_half_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size;
    situ_dtype dtype = (situ_dtype)call->out.dtype;
    return (dtype == SITU_F16 || dtype == SITU_BF16) && call->nin == 2 && call->in[0].dtype == dtype && call->in[1].dtype == dtype;
}

void situ_gemm_half_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    situ_layout in[2] = {call->in[0], call->in[1]};
    situ_call_desc wide = *call;
    char *at[3] = {h->workspace, h->workspace + situ_layout_wide_bytes(&call->out), NULL};
    at[2] = at[1] + situ_layout_wide_bytes(&call->in[0]);
    int64_t count = situ_layout_count(&call->out);
    if (!count || situ_gemm_half_by_tiles(call, address, h)) return;
    widening w[2];
    for (int i = 0; i < 2; i++) w[i] = begin(&in[i], address[1 + i], (float *)(void *)at[1 + i]);
    int32_t precision = (int32_t)call->out.dtype;
    wide.attr = &precision;
    wide.in = in;
    wide.out.dtype = SITU_F32;
    situ_host host = *h;
    host.post_op = NULL;
    situ_host_pieces(h, widen_piece, &w[0], w[0].count, SITU_HOST_LEAST);
    if (!by_rows(&wide, &call->in[1], address[2], at, &host)) {
        situ_host_pieces(h, widen_piece, &w[1], w[1].count, SITU_HOST_LEAST);
        situ_gemm_run(&wide, at, &host);
    }
    rounding r = {situ_convert(SITU_F32, (situ_dtype)call->out.dtype), address[0], (const float *)(const void *)at[0]};
    situ_host_pieces(h, round_piece, &r, count, SITU_HOST_LEAST);
}
