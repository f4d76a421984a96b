/* Products of f16 and bf16. Their elements are exact in f32, where they are multiplied and added up by the kernels of f32; each
 * result is rounded once. Making them f32 first costs little beside a product, and packing has no variants for it. */
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/walks/convert.h"
#include "op/host.h"

enum { PIECE = 2048 };

/* An operand on its way to f32. */
typedef struct widening {
    const char *from;
    float *to;
    situ_convert_fn convert;
    bool dense; /* its elements fill their memory: they are converted as they lie, and keep their strides */
    int ndim;
    int64_t count, dim[8], stride[8]; /* without axes of one element, and of one that is repeated; strides in bytes */
} widening;

/* Do the elements fill their memory, in whatever order of axes? */
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

/* `layout` becomes that of the copy. */
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
    if (!count) return;
    for (int i = 0; i < 2; i++) {
        widening w = begin(&in[i], address[1 + i], (float *)(void *)at[1 + i]);
        situ_host_pieces(h, widen_piece, &w, w.count, SITU_HOST_LEAST);
    }
    int32_t precision = (int32_t)call->out.dtype;
    wide.attr = &precision;
    wide.in = in;
    wide.out.dtype = SITU_F32;
    situ_host host = *h;
    host.post_op = NULL;
    situ_gemm_run(&wide, at, &host);
    rounding r = {situ_convert(SITU_F32, (situ_dtype)call->out.dtype), address[0], (const float *)(const void *)at[0]};
    situ_host_pieces(h, round_piece, &r, count, SITU_HOST_LEAST);
}
