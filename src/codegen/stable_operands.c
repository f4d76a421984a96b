/* Operands and results of a kernel in StableHLO: which elements it reads, and where its results go. */
#include "codegen/stable_kernel.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Length of the last axis, if rows are contiguous. Short rows are not worth a matrix, which may have to be padded. */
static int64_t row_of(int ndim, const int64_t *dim)
{
    enum { SHORTEST = 8 };
    int64_t n = situ_shape_count(ndim, dim);
    while (ndim && dim[ndim - 1] == 1) ndim--;
    return ndim > 1 && dim[ndim - 1] >= SHORTEST && dim[ndim - 1] < n ? dim[ndim - 1] : 0;
}

static bool is_dense(int ndim, const int64_t *dim, const int64_t *stride)
{
    int64_t step = 1;
    for (int i = ndim; i--; step *= dim[i])
        if (dim[i] > 1 && stride[i] != step) return false;
    return true;
}

situ_wire situ_stable_operand_of(situ_stable_maker *m, int address, int dtype, int ndim, const int64_t *dim, const int64_t *stride)
{
    situ_stable_kernel *k = m->k;
    int64_t low, extent;
    int held = dtype == SITU_BOOL ? SITU_U8 : dtype, i = 0;
    situ_stable_range(ndim, dim, stride, &low, &extent);
    if (!extent) return situ_stable_broadcast(&m->t, situ_stable_number(&m->t, held, 0, NULL), ndim, dim, NULL);
    while (i < k->operands && (k->operand[i].address != address || k->operand[i].low != low || k->operand[i].extent != extent)) i++;
    if (i == SITU_STABLE_OPERANDS) {
        m->refused = "more than 64 operands";
        i = 0;
    } else if (i == k->operands) {
        k->operand[k->operands++] =
            (situ_stable_operand){(uint8_t)dtype, address, low, extent, is_dense(ndim, dim, stride) ? row_of(ndim, dim) : 0};
    }
    return situ_stable_view(&m->t, situ_stable_argument(i, held, extent), -low, ndim, dim, stride);
}

void situ_stable_give(situ_stable_maker *m, int address, int dtype, situ_wire value)
{
    int64_t n = situ_shape_count(value.ndim, value.dim);
    if (!n) return;
    m->result[m->k->results] = situ_stable_flat(&m->t, value);
    m->k->result[m->k->results++] = (situ_stable_result){(uint8_t)dtype, address, n, row_of(value.ndim, value.dim)};
}

situ_wire situ_stable_in(situ_stable_maker *m, int i)
{
    const situ_layout *l = &m->call->in[i];
    return situ_stable_operand_of(m, 1 + i, l->dtype, l->ndim, l->dim, l->stride);
}

situ_wire situ_stable_value(situ_stable_maker *m, int i)
{
    return situ_stable_loaded(&m->t, situ_stable_in(m, i), (situ_dtype)m->call->in[i].dtype);
}

void situ_stable_out(situ_stable_maker *m, situ_wire value)
{
    situ_dtype to = (situ_dtype)m->call->out.dtype;
    situ_stable_give(m, 0, to, situ_stable_stored(&m->t, value, (situ_dtype)value.type, to));
}
