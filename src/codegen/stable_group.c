/* Fused groups in StableHLO. */
#include <string.h>

#include "codegen/group_text.h"
#include "codegen/stable_kernel.h"
#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

typedef struct group {
    situ_stable_maker *m;
    const situ_fused *g;
    situ_wire domain; /* has the domain's shape */
    situ_wire held[SITU_FUSED_INSTRUCTIONS];
} group;

static int first_load(const situ_fused *g) { return g->nstore + (g->reduction >= 0); }

static situ_wire positions(group *s, int type)
{
    int64_t n = situ_shape_count(s->g->ndim, s->g->dim);
    return situ_stable_reshape(&s->m->t, situ_stable_iota(&s->m->t, type, 1, &n, 0), s->g->ndim, s->g->dim);
}

static situ_wire iota_of(group *s, const situ_instruction *in)
{
    situ_stable *t = &s->m->t;
    situ_wire p = positions(s, SITU_I64);
    int64_t by = in->p > 0 ? in->p : 1, size = in->q > 0 ? in->q : 1;
    p = by == 1 ? p : situ_stable_2(t, "divide", p, situ_stable_integer(t, SITU_I64, by, &p));
    p = situ_stable_2(t, "remainder", p, situ_stable_integer(t, SITU_I64, size, &p));
    return situ_stable_cast(t, p, (situ_dtype)in->dtype);
}

static situ_wire random_of(group *s, const situ_instruction *in)
{
    const situ_fused *g = s->g;
    int64_t most = in->dtype == SITU_U64 ? 0x7fffffff : 0xffffffff, two = 2, step = 1;
    if (!in->p && in->q >= most) s->m->refused = "so many random numbers of one key in JAX's original layout";
    situ_wire key = situ_stable_operand_of(s->m, first_load(g) + in->a, SITU_U32, 1, &two, &step);
    return situ_stable_random(&s->m->t, key, positions(s, SITU_U64), in->q, in->dtype, in->p != 0);
}

static situ_wire argument_of(group *s, const situ_instruction *in)
{
    situ_stable *t = &s->m->t;
    situ_wire word = situ_stable_word(t, in->a, in->b ? SITU_F64 : SITU_I64);
    if (situ_dtype_compute((situ_dtype)in->dtype) != (situ_dtype)word.type) word = situ_stable_cast(t, word, (situ_dtype)in->dtype);
    return situ_stable_broadcast(t, word, s->domain.ndim, s->domain.dim, NULL);
}

static situ_wire instruction(group *s, int i)
{
    const situ_instruction *in = &s->g->instruction[i];
    situ_stable *t = &s->m->t;
    if (in->kind == SITU_DO_LOAD) {
        const situ_load *load = &s->g->load[in->a];
        situ_wire x = situ_stable_operand_of(s->m, first_load(s->g) + in->a, load->dtype, s->g->ndim, s->g->dim, load->stride);
        return situ_stable_loaded(t, x, (situ_dtype)load->dtype);
    }
    if (in->kind == SITU_DO_ARGUMENT) return argument_of(s, in);
    if (in->kind == SITU_DO_IOTA) return iota_of(s, in);
    if (in->kind == SITU_DO_RANDOM) return random_of(s, in);
    if (in->kind == SITU_DO_CAST) return situ_stable_cast(t, s->held[in->a], (situ_dtype)in->dtype);
    const situ_wire operand[3] = {s->held[in->a], s->held[in->b], s->held[in->c]};
    return situ_stable_element(t, in->el, (situ_dtype)in->from, operand);
}

/* Without axes of one element: compilers have kernels only for plain sums over rows and columns. */
static situ_wire reduced(situ_stable *t, const situ_fused *g, situ_wire x)
{
    situ_wire (*kernel)(situ_stable *, situ_wire, int, unsigned) =
        g->may_lose_nan ? situ_stable_reduce_plainly : situ_stable_reduce;
    if (g->C == 1) return kernel(t, situ_stable_reshape(t, x, 2, (int64_t[]){g->A, g->R}), g->reduction, 2);
    if (g->A == 1) return kernel(t, situ_stable_reshape(t, x, 2, (int64_t[]){g->R, g->C}), g->reduction, 1);
    return kernel(t, situ_stable_reshape(t, x, 3, (int64_t[]){g->A, g->R, g->C}), g->reduction, 2);
}

static void reduction(group *s)
{
    const situ_fused *g = s->g;
    situ_stable *t = &s->m->t;
    situ_dtype compute = situ_dtype_compute((situ_dtype)g->reduce_dtype);
    situ_wire x = s->held[g->reduce_register];
    if (x.type != compute) x = situ_stable_cast(t, x, compute);
    x = reduced(t, g, x);
    situ_stable_give(s->m, g->nstore, g->reduce_out, situ_stable_stored(t, x, compute, (situ_dtype)g->reduce_out));
}

void situ_stable_group(situ_stable_maker *m, const situ_fused *g)
{
    group *s = &(group){.m = m, .g = g};
    s->domain.ndim = (uint8_t)g->ndim;
    memcpy(s->domain.dim, g->dim, sizeof g->dim);
    for (int i = 0; i < g->ninstruction; i++) s->held[i] = instruction(s, i);
    for (int i = 0; i < g->nstore; i++) {
        int r = g->store[i].from_register;
        situ_wire x = situ_stable_stored(&m->t, s->held[r], situ_fused_register(g, r), (situ_dtype)g->store[i].dtype);
        situ_stable_give(m, i, g->store[i].dtype, x);
    }
    if (g->reduction >= 0) reduction(s);
}
