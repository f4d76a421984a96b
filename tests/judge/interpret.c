/* The interpreter: computes each statement of a program in plain C. */
#include <math.h>
#include <string.h>

#include "interpret.h"

int64_t count_of(int ndim, const int64_t *dim)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++) n *= dim[i];
    return n;
}

void refuse(call *c) { c->out->status = REFUSED; }
void leave_open(call *c) { c->out->status = OPEN; }

void shape_out(call *c, situ_dtype d, int ndim, const int64_t *dim)
{
    value *v = c->out;
    v->dtype = d;
    v->ndim = ndim;
    memmove(v->dim, dim, sizeof *dim * (size_t)ndim);
    v->count = count_of(ndim, dim);
    if (v->count > MOST_ELEMENTS) longjmp(c->m->too_large, 1);
    size_t bytes = (size_t)v->count * size_of(d);
    v->bits = take(c->m->memory, bytes + 16);
    memset(v->bits, 0, bytes + 16);
    v->slack = NULL;
}

void with_slack(call *c)
{
    size_t bytes = sizeof(double) * (size_t)(c->out->count + 1);
    c->out->slack = take(c->m->memory, bytes);
    memset(c->out->slack, 0, bytes);
}

value cast_value(call *c, const value *v, situ_dtype d)
{
    if (v->dtype == d) return *v;
    value out = *v;
    out.dtype = d;
    out.slack = NULL;
    out.bits = take(c->m->memory, (size_t)v->count * size_of(d) + 16);
    for (int64_t i = 0; i < v->count; i++) cast_element(&out, i, v, i);
    return out;
}

int axis_of(int64_t axis, int ndim) { return axis < -ndim || axis >= ndim ? -1 : (int)(axis < 0 ? axis + ndim : axis); }

void strides_of(const value *v, int64_t *stride)
{
    int64_t step = 1;
    for (int i = v->ndim - 1; i >= 0; i--) stride[i] = step, step *= v->dim[i];
}

static value number_value(machine *m, const number *n)
{
    value v = {.dtype = n->kind == 0 ? SITU_BOOL : n->kind == 1 ? SITU_I64 : SITU_F64, .count = 1};
    v.bits = take(m->memory, 16);
    if (n->kind == 2) set_f(&v, 0, n->f);
    else set_u(&v, 0, (uint64_t)n->i);
    return v;
}

void interpret_start(machine *m, arena *memory)
{
    m->memory = memory;
    m->has_late = m->gave_up = false;
    m->known = NULL;
    memset(m->same, 0, sizeof m->same);
}

/* Whether a statement with the same bits as operands was interpreted already. */
static bool is_known(const machine *m, const statement *s, int i)
{
    if (!m->known || s->off || rows[s->row].group == G_STATE || m->known->value[i].status != FINE || m->known->value[i].unknown) return false;
    for (int k = 0; k < s->nin; k++)
        if (s->in[k] >= 0 && !m->same[s->in[k]]) return false;
    return true;
}

void interpret(machine *m, const program *p, int i)
{
    const statement *s = &p->s[i];
    if (is_known(m, s, i)) {
        m->value[i] = m->known->value[i];
        return;
    }
    call c = {.m = m, .s = s, .out = &m->value[i]};
    memset(c.out, 0, sizeof *c.out);
    if (s->off) {
        c.out->status = REFUSED;
        return;
    }
    for (int k = 0; k < s->nin; k++) {
        c.is_number[k] = s->in[k] < 0;
        c.in[k] = s->in[k] < 0 ? number_value(m, &s->number[-1 - s->in[k]]) : m->value[s->in[k]];
        if (s->in[k] < 0 || c.in[k].status == FINE || c.out->status != FINE) continue;
        /* these read no element; neither does the gradient by something on which y does not depend */
        bool shape_alone = (rows[s->row].group == G_LEAF || rows[s->row].group == G_GRADIENT || !strcmp(rows[s->row].name, "imag")) && c.in[k].status == LATE;
        c.out->status = shape_alone ? OPEN : c.in[k].status;
    }
    if (setjmp(m->too_large)) {
        m->gave_up = true;
        m->value[i] = (value){.status = REFUSED};
        return;
    }
    if (c.out->status == FINE) rows[s->row].interpret(&c);
    if (c.out->status == LATE) m->has_late = true;
}
