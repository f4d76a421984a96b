#include "codegen/group_text.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

situ_dtype situ_fused_register(const situ_fused *g, int i)
{
    const situ_instruction *in = &g->instruction[i];
    return (situ_dtype)(in->kind == SITU_DO_LOAD ? g->load[in->a].dtype : in->dtype);
}

static const char *instruction_fault(const situ_fused *g, int i)
{
    const situ_instruction *in = &g->instruction[i];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    int operands = in->kind == SITU_DO_CAST ? 1 : 0;
    if (in->kind > SITU_DO_CAST || !situ_dtype_valid((situ_dtype)in->dtype)) return "an unknown instruction or dtype";
    if ((in->kind == SITU_DO_LOAD || in->kind == SITU_DO_RANDOM) && in->a >= g->nload) return "no such load";
    if (in->kind == SITU_DO_ARGUMENT && in->a >= g->nword) return "no such argument";
    if (in->kind == SITU_DO_RANDOM && in->dtype != SITU_U32 && in->dtype != SITU_U64) return "random bits of a wrong dtype";
    if (in->kind >= SITU_DO_ELEMENT && !situ_dtype_valid((situ_dtype)in->from)) return "an unknown dtype";
    if (in->kind == SITU_DO_ELEMENT) {
        if (in->el >= SITU_EL_COUNT) return "an unknown operation";
        if (!situ_el_takes((situ_el)in->el, (situ_dtype)in->from)) return "an operation that has no rule for its dtype";
        operands = situ_el_rows[in->el].arity;
    }
    for (int k = 0; k < operands; k++)
        if (operand[k] >= i) return "an instruction that reads a later register";
    return NULL;
}

const char *situ_fused_fault(const situ_fused *g)
{
    if (g->ndim < 0 || g->ndim > 8 || g->ninstruction < 1 || g->ninstruction > SITU_FUSED_INSTRUCTIONS || g->nload < 0 ||
        g->nload > SITU_FUSED_LOADS || g->nstore < 0 || g->nstore > SITU_FUSED_STORES)
        return "too many dimensions, instructions, loads or stores";
    for (int i = 0; i < g->nload; i++)
        if (!situ_dtype_valid((situ_dtype)g->load[i].dtype)) return "a load of an unknown dtype";
    for (int i = 0; i < g->ninstruction; i++) {
        const char *fault = instruction_fault(g, i);
        if (fault) return fault;
    }
    for (int i = 0; i < g->nstore; i++)
        if (g->store[i].from_register >= g->ninstruction || !situ_dtype_valid((situ_dtype)g->store[i].dtype))
            return "a store of an unknown register or dtype";
    int64_t count = situ_shape_count(g->ndim, g->dim);
    if (count < 0) return "its shape";
    if (g->reduction < 0) return NULL;
    const int64_t arc[3] = {g->A, g->R, g->C};
    if (g->reduce_register >= g->ninstruction || !situ_dtype_valid((situ_dtype)g->reduce_dtype) ||
        !situ_dtype_valid((situ_dtype)g->reduce_out) || situ_shape_count(3, arc) != count)
        return "its reduction";
    return NULL;
}
