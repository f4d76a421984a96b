/* Structured operations. Most have one body for all devices (op/kernel.h, codegen/call_*.c), written for a work-item: here a loop
 * goes over the work-items. What needs work-items side by side is refused, unless it has a text of its own. */
#include <string.h>

#include "base/memory.h"
#include "codegen/call_text.h"
#include "emit/emit.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static void parameters(situ_source *t, const situ_call_desc *c, bool workspace)
{
    situ_source_add(t, "%s *b0", situ_emit_type(c->out.dtype));
    for (int i = 0; i < c->nin; i++) situ_source_add(t, ", const %s *b%d", situ_emit_type(c->in[i].dtype), i + 1);
    if (workspace) situ_source_add(t, ", unsigned char *b%d", c->nin + 1);
    if (c->op->can_fail) situ_source_append(t, ", int *fault");
}

void situ_emit_open(situ_emitted *e, const situ_call_desc *c, bool workspace)
{
    situ_source_add(&e->steps, "static void %s_step_%u(", e->name, e->first + e->number);
    parameters(&e->steps, c, workspace);
    situ_source_append(&e->steps, ")\n{\n");
}

/* Calls found(name) for each name that is defined in the text by a line "#define NAME" or "FN type NAME(". */
static void each_name(
    const char *text, const char *start, void (*found)(situ_emitted *e, const char *name, int length), situ_emitted *e)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, start, strlen(start))) continue;
        const char *name = line + strlen(start), *end;
        if (*start == 'F') {
            const char *open = strchr(name, '(');
            if (!open) return;
            for (name = open; name[-1] != ' ' && name[-1] != '*'; name--) {}
        }
        end = name + strcspn(name, " (\n");
        found(e, name, (int)(end - name));
    }
}
static void define_own(situ_emitted *e, const char *name, int length)
{
    situ_source_add(&e->steps, "#define %.*s %s_step_%u_%.*s\n", length, name, e->name, e->first + e->number, length, name);
}
static void undefine(situ_emitted *e, const char *name, int length) { situ_source_add(&e->steps, "#undef %.*s\n", length, name); }

/* A function for one work-item of a pass, and one that goes over all. */
static void write_pass(situ_emitted *e, const situ_emit_kernel *k, const situ_passes *p, int pass, const char *body)
{
    const situ_call_desc *c = &k->call;
    situ_source *t = &e->steps;
    int threads = p->pass[pass].threads;
    bool workspace = p->workspace > 0;
    situ_source_add(
        t, "#undef BLOCK\n#undef THREAD\n#define BLOCK (item / %uu)\n#define THREAD ((u32_F)(item %% %uu))\n", threads, threads);
    situ_source_add(t, "FN void %s_step_%u_%d(", e->name, e->first + e->number, pass);
    parameters(t, c, workspace);
    situ_source_append(t, ", const u64_F *argument, u64_F item)\n{\n    (void)b0, (void)argument, (void)item;\n");
    for (int i = 1; i <= c->nin + workspace; i++) situ_source_add(t, "    (void)b%d;\n", i);
    if (c->op->can_fail) situ_source_append(t, "    (void)fault;\n");
    situ_source_append(t, body);
    situ_source_append(t, "}\n");
}

static void write_loops(situ_emitted *e, const situ_emit_kernel *k, const situ_passes *p)
{
    const situ_call_desc *c = &k->call;
    situ_source *t = &e->steps;
    situ_source_add(t, "static void %s_step_%u(", e->name, e->first + e->number);
    parameters(t, c, p->workspace > 0);
    situ_source_append(t, situ_emit_varies(e) ? ", const u64_F *argument)\n{\n" : ")\n{\n");
    if (e->step->nword) situ_emit_arguments(e, t, true);
    else situ_source_append(t, "    static const u64_F argument[] = {0};\n");
    situ_source_append(t, "    u64_F item;\n");
    for (int pass = 0; pass < p->count; pass++) {
        long long items = (long long)p->pass[pass].threads * (long long)p->pass[pass].blocks;
        situ_source_add(t, "    for (item = 0; item < %lldu; item++) %s_step_%u_%d(b0", items, e->name, e->first + e->number, pass);
        for (int i = 1; i <= c->nin + (p->workspace > 0); i++) situ_source_add(t, ", b%d", i);
        situ_source_append(t, c->op->can_fail ? ", fault, argument, item);\n" : ", argument, item);\n");
    }
    situ_source_append(t, "}\n\n");
}

static bool is_serial(const char *text)
{
    return text && !strstr(text, "BARRIER") && !strstr(text, "LOCAL ") && !strstr(text, "SHUFFLE");
}

static void write_shared(situ_emitted *e, const situ_emit_kernel *k)
{
    const situ_call_desc *c = &k->call;
    situ_passes p = {0};
    if (!situ_call_passes(c, &situ_dialect_c99, &p)) {
        situ_emit_refuse(e, "it has no text of C yet");
        return;
    }
    situ_source front = {0}, body[SITU_PASSES] = {{0}};
    situ_call_front(&front, c, &situ_dialect_c99);
    bool fits = is_serial(front.text);
    for (int i = 0; i < p.count; i++) {
        situ_call_pass(&body[i], c, &situ_dialect_c99, i);
        fits = fits && is_serial(body[i].text);
    }
    if (!fits) {
        situ_emit_refuse(e, "it has no text of C yet");
    } else {
        e->halves = true;
        each_name(front.text, "FN ", define_own, e);
        situ_source_append(&e->steps, front.text);
        for (int i = 0; i < p.count; i++) write_pass(e, k, &p, i, body[i].text);
        write_loops(e, k, &p);
        each_name(front.text, "FN ", undefine, e);
        each_name(front.text, "#define ", undefine, e);
        for (int i = 0; i < p.count; i++) each_name(body[i].text, "#define ", undefine, e);
    }
    e->steps.failed |= front.failed;
    situ_source_drop(&front);
    for (int i = 0; i < p.count; i++) situ_source_drop(&body[i]);
}

void situ_emit_call_step(situ_emitted *e, const situ_emit_kernel *k)
{
    const situ_call_desc *c = &k->call;
    for (int i = -1; i < c->nin; i++) {
        const situ_layout *l = i < 0 ? &c->out : &c->in[i];
        if (situ_dtype_is_complex((situ_dtype)l->dtype)) {
            situ_emit_refuse(e, "complex numbers");
            return;
        }
        if (situ_shape_count(l->ndim, l->dim) > INT32_MAX) {
            situ_emit_refuse(e, "2^31 elements or more");
            return;
        }
    }
    if (!situ_emit_product(e, c) && !situ_emit_norm(e, c) && !situ_emit_attention(e, c)) write_shared(e, k);
}
