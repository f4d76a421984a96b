/* Prints a group as a listing, for debugging a failed test. */
#ifndef SITU_TESTS_GROUP_PRINT_H
#define SITU_TESTS_GROUP_PRINT_H

#include <stdio.h>

#include "codegen/group_text.h"

#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static const char *reduce_name(int reduction)
{
    static const char *const name[SITU_REDUCE_KINDS] = {"sum", "prod", "max", "min", "any", "all"};
    return reduction < SITU_REDUCE_KINDS ? name[reduction] : "?";
}

static void print_load(FILE *file, const situ_fused *g, int index)
{
    char text[SITU_SHAPE_TEXT];
    const int64_t *stride = g->load[index].stride;
    fprintf(file, "load %d", index);
    if (!situ_is_contiguous(g->ndim, g->dim, stride))
        fprintf(file, " strides %s", situ_shape_text(g->ndim, stride, text, sizeof text));
}

static void print_instruction(FILE *file, const situ_fused *g, int i)
{
    const situ_instruction *in = &g->instruction[i];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    fprintf(file, "  r%-3d %-5s ", i, situ_dtype_name(situ_fused_register(g, i)));
    switch (in->kind) {
    case SITU_DO_LOAD: print_load(file, g, in->a); break;
    case SITU_DO_ARGUMENT: fprintf(file, "argument %d, %s", in->a, in->b ? "f64" : "i64"); break;
    case SITU_DO_IOTA: fprintf(file, "iota / %lld %% %lld", (long long)in->p, (long long)in->q); break;
    case SITU_DO_RANDOM:
        fprintf(file, "random key load %d, of %lld%s", in->a, (long long)in->q, in->p ? ", partitionable" : "");
        break;
    case SITU_DO_ELEMENT:
        fprintf(file, "%s", situ_el_rows[in->el].name);
        for (int k = 0; k < situ_el_rows[in->el].arity; k++) fprintf(file, " r%d", operand[k]);
        break;
    default: fprintf(file, in->from == in->dtype ? "round r%d" : "cast r%d", in->a);
    }
    fputc('\n', file);
}

static void group_print(FILE *file, const situ_fused *g)
{
    char text[SITU_SHAPE_TEXT];
    if (!file || !g) return;
    const char *fault = situ_fused_fault(g);
    if (fault) {
        fprintf(file, "a group that is not well formed: %s\n", fault);
        return;
    }
    fprintf(file, "group over %s\n", situ_shape_text(g->ndim, g->dim, text, sizeof text));
    for (int i = 0; i < g->ninstruction; i++) print_instruction(file, g, i);
    for (int i = 0; i < g->nstore; i++)
        fprintf(file, "  store %d %-5s r%d\n", i, situ_dtype_name((situ_dtype)g->store[i].dtype), g->store[i].from_register);
    if (g->reduction < 0) return;
    const int64_t arc[3] = {g->A, g->R, g->C};
    fprintf(file, "  %s of r%d as %s over the middle of %s, stored as %s\n", reduce_name(g->reduction), g->reduce_register,
        situ_dtype_name((situ_dtype)g->reduce_dtype), situ_shape_text(3, arc, text, sizeof text),
        situ_dtype_name((situ_dtype)g->reduce_out));
}

#endif
