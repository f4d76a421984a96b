/* The calls of cli/samples.def: a program each, of operands and the call. The interpreter does not know its value,
 * which has to be the same one in all ways. */
#include "../../cli/samples.h"
#include "generate.h"
#include "interpret.h"
#include "leaf_styles.h"
#include "record.h"

static int add_operand(maker *g, const sample_operand *o)
{
    sample_type t = o->kind.type;
    bool real = t <= REAL_INCREASING, key = t == RANDOM_KEY;
    situ_dtype d = real ? SITU_F32 : t == REAL_COMPLEX ? SITU_C64 : t == TRUTH_MASK ? SITU_BOOL : key ? SITU_U32 : t == INTEGER_U8 ? SITU_U8 : SITU_I64;
    int style = key ? LEAF_ANY : t == REAL_SIGN ? LEAF_SIGNS : real && o->kind.lo > 0 ? LEAF_SHARES : real || t == REAL_COMPLEX ? LEAF_SMALL : LEAF_RANGE;
    static const int64_t two = 2;
    return add_leaf(g, d, key ? 1 : (int)o->shape.ndim, key ? &two : o->shape.dim, 0, style, (int64_t)o->kind.lo, (int64_t)o->kind.hi);
}

bool make_sample(maker *g, statement *s)
{
    const sample *of = &samples[s->attr[0]];
    for (s->nin = 0; s->nin < SAMPLE_OPERANDS && of->operand[s->nin].name; s->nin++) s->in[s->nin] = (int16_t)add_operand(g, &of->operand[s->nin]);
    return of->operand[0].kind.type != INTEGER_U8; /* blocks of few bits are the CPU's alone */
}

void interpret_sample(call *c) { leave_open(c); }

RECORD(sample)
{
    (void)site;
    return samples[s->attr[0]].call(in, slot_device[s->device]);
}
