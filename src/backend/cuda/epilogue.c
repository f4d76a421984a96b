/* Post-ops of products for which cuBLASLt has epilogues: adding a bias row, relu, or both in this order. */
#include "backend/cuda/matmul.h"
#include "os/env.h"

#include <stdlib.h>
#include <string.h>

/* True for a load whose rows are contiguous and all the same. */
static bool is_bias(const situ_fused *g, const situ_load *l)
{
    int last = g->ndim - 1;
    for (int i = 0; i < last; i++)
        if (l->stride[i] && g->dim[i] > 1) return false;
    return l->dtype == g->load[0].dtype && (l->stride[last] == 1 || g->dim[last] == 1);
}

typedef struct reader {
    const situ_fused *group;
    situ_cuda_epilogue found;
    int now, bias;
} reader; /* registers: the value so far, the bias row */

static bool read_element(reader *r, const situ_instruction *i, int self)
{
    bool first = i->a == r->now, second = i->b == r->now;
    if (i->el == SITU_EL_add && !r->found.bias && !r->found.relu && r->bias >= 0 &&
        ((first && i->b == r->bias) || (second && i->a == r->bias))) {
        r->found.bias = true;
    } else if (i->el == SITU_EL_relu && !r->found.relu && first) {
        r->found.relu = true;
    } else {
        return false;
    }
    r->now = self;
    return true;
}

static bool read_instruction(reader *r, const situ_instruction *i, int self)
{
    uint8_t dtype = r->group->load[0].dtype;
    if (i->dtype != dtype) return false;
    switch (i->kind) {
    case SITU_DO_LOAD:
        if (!i->a) r->now = self;
        else if (r->bias < 0 && is_bias(r->group, &r->group->load[i->a])) r->bias = self;
        else return false;
        return true;
    case SITU_DO_ELEMENT: return read_element(r, i, self);
    case SITU_DO_CAST: /* f16 and bf16: rounding, which the library does once at the end */
        if (i->from != dtype || i->a != r->now) return false;
        r->now = self;
        return true;
    default: return false;
    }
}

bool situ_cuda_epilogue_of(const situ_fused *post_op, situ_cuda_epilogue *out)
{
    reader r = {.group = post_op, .now = -1, .bias = -1};
    if (post_op->nstore != 1 || post_op->reduction >= 0 || post_op->nword || post_op->ndim < 2 ||
        post_op->store[0].dtype != post_op->load[0].dtype)
        return false;
    for (int i = 0; i < post_op->ninstruction; i++)
        if (!read_instruction(&r, &post_op->instruction[i], i)) return false;
    *out = r.found;
    return post_op->store[0].from_register == r.now && post_op->nload == 1 + r.found.bias && (r.found.bias || r.found.relu);
}

bool situ_cuda_epilogue_wanted(situ_cuda_epilogue e)
{
    const char *text = situ_env("SITU_CUDA_EPILOGUE");
    if (text && !strcmp(text, "0")) return false;
    return !e.relu || (text && !strcmp(text, "relu"));
}
