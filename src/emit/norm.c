/* Norms, which the CPU computes in an order of its own (backend/cpu/layers/normalise.h): calls of the functions in norm.inc. */
#include <string.h>

#include "emit/emit.h"
#include "tensor/dtype.h"

typedef long long number;

/* An operation's function, and which operand has the shape of x. Of channels: images, channels, plane; else rows, length. */
static const struct {
    const char *op, *function;
    int x;
    bool channels;
} norms[] = {
    {"channel_moments", "moments", 0, true},
    {"batch_norm", "batch", 0, true},
    {"batch_norm_sums", "batch_sums", 1, true},
    {"batch_norm_input", "batch_input", 1, true},
    {"layer_norm", "layer", 0, false},
    {"layer_norm_input", "layer_input", 1, false},
    {"layer_norm_sums", "layer_sums", 1, false},
};

/* Rows of a chunk, whose sums are added first: see layer_norm_sums in backend/cpu/layers/normalise.c. */
static number chunk_of(number rows)
{
    number chunk = (rows + 15) / 16;
    return chunk < 16 ? 16 : chunk > 1024 ? 1024 : chunk;
}

static bool is_sums(const situ_call_desc *c) { return !strcmp(c->op->name, "layer_norm_sums"); }

size_t situ_emit_norm_room(const situ_call_desc *c)
{
    const situ_layout *x = &c->in[1];
    return is_sums(c) ? 2 * (size_t)x->dim[x->ndim - 1] * situ_dtype_size((situ_dtype)x->dtype) : 0;
}

static void write_call(situ_emitted *e, const situ_call_desc *c, int which)
{
    const situ_layout *x = &c->in[norms[which].x];
    situ_source *t = &e->steps;
    int last = norms[which].channels ? x->ndim : x->ndim - 1;
    number before = 1, after = 1;
    for (int i = norms[which].channels ? 2 : 0; i < last; i++) before *= (number)x->dim[i];
    if (!norms[which].channels) after = (number)x->dim[x->ndim - 1];
    e->norms = true;
    situ_emit_open(e, c, is_sums(c));
    situ_source_add(t, "    %s_norm_%s(b0", c->out.dtype == SITU_F32 ? "f32" : "f64", norms[which].function);
    for (int i = 0; i < c->nin; i++) situ_source_add(t, ", b%d", i + 1);
    if (norms[which].channels) situ_source_add(t, ", %lld, %lld, %lld", (number)x->dim[0], (number)x->dim[1], before);
    else if (is_sums(c))
        situ_source_add(t, ", (%s *)(void *)b3, %lld, %lld, %lld", situ_emit_type(c->out.dtype), before, chunk_of(before), after);
    else situ_source_add(t, ", %lld, %lld", before, after);
    double eps = 0;
    if (strcmp(c->op->name, "channel_moments")) {
        memcpy(&eps, c->attr, sizeof eps);
        union {
            double number;
            uint64_t bits;
        } both = {eps};
        situ_source_add(t, ", f64_from_bits(0x%llxu)", (unsigned long long)both.bits);
    }
    situ_source_append(t, ");\n}\n\n");
}

bool situ_emit_norm(situ_emitted *e, const situ_call_desc *c)
{
    for (int i = 0; i < (int)(sizeof norms / sizeof *norms); i++) {
        if (strcmp(norms[i].op, c->op->name)) continue;
        if (c->out.dtype != SITU_F32 && c->out.dtype != SITU_F64) situ_emit_refuse(e, "norms of halves");
        else write_call(e, c, i);
        return true;
    }
    return false;
}
