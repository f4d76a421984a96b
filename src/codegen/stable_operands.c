/* Operands and results of a kernel in StableHLO: which elements it reads of whose memory, and what it gives to whose. */
#include "codegen/stable_kernel.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

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
        k->operand[k->operands++] = (situ_stable_operand){(uint8_t)dtype, address, low, extent};
    }
    return situ_stable_view(&m->t, situ_stable_argument(i, held, extent), -low, ndim, dim, stride);
}

void situ_stable_give(situ_stable_maker *m, int address, int dtype, situ_wire value)
{
    int64_t n = situ_shape_count(value.ndim, value.dim);
    if (!n) return;
    m->result[m->k->results] = situ_stable_flat(&m->t, value);
    m->k->result[m->k->results++] = (situ_stable_result){(uint8_t)dtype, address, n};
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
