/* A program as text: its plan, its weights, its memory, its steps. */
#include "emit/emit.h"

#include <math.h>
#include <situ.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "codegen/cast_text.h"
#include "codegen/el_text.h"
#include "codegen/random_text.h"
#include "os/embed.h"
#include "os/plain.h"
#include "plan/build.h"
#include "run/enqueue.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

SITU_EMBED(situ_text_words_c99, "emit/words.inc")
SITU_EMBED(situ_text_norm_c99, "emit/norm.inc")

const situ_dialect situ_dialect_c99 = {
    .name = "C",
    .words = situ_text_words_c99,
    .global = "",
    .unroll = "",
    .vector = 4, /* a work-item alone */
    .type = {[SITU_BOOL] = "unsigned char",
        [SITU_U8] = "uint8_t",
        [SITU_U16] = "uint16_t",
        [SITU_U32] = "uint32_t",
        [SITU_U64] = "uint64_t",
        [SITU_I8] = "int8_t",
        [SITU_I16] = "int16_t",
        [SITU_I32] = "int32_t",
        [SITU_I64] = "int64_t",
        [SITU_F16] = "uint16_t",
        [SITU_BF16] = "uint16_t",
        [SITU_F32] = "float",
        [SITU_F64] = "double",
        [SITU_C64] = "c64_F",
        [SITU_C128] = "c128_F"},
};

void situ_emit_refuse(situ_emitted *e, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (!*e->refusal) situ_plain_list(e->refusal, sizeof e->refusal, format, values);
    va_end(values);
}

static int fail_memory(const situ_emitted *e) { return situ_fail(SITU_NO_MEMORY, e->site, "situ_emit: out of host memory"); }

/* ---- weights ----------------------------------------------------------------------------------------------------------- */

static int input_of(const situ_emitted *e, const situ_tensor *node)
{
    for (int i = 0; i < e->inputs; i++)
        if (e->input[i] == node) return i;
    return -1;
}

/* Number of elements from its first to its last one in memory; -1: its strides go backwards. */
static int64_t span_of(const situ_tensor *t)
{
    const int64_t *stride = situ_node_aside(t)->stride;
    int64_t last = 0;
    if (!stride || !situ_node_count(t)) return situ_node_count(t);
    for (int i = 0; i < t->ndim; i++) {
        if (stride[i] < 0) return -1;
        last += (t->dim[i] - 1) * stride[i];
    }
    return last + 1;
}

static const char *name_of(const situ_tensor *t)
{
    const situ_aside *aside = situ_node_aside(t);
    const situ_tensor *variable = aside->slot && aside->slot->heap ? aside->slot->heap->node : NULL;
    const char *name = variable ? situ_node_aside(variable)->name : aside->name;
    return name && !strstr(name, "*/") ? name : "a constant";
}

static void write_number(situ_source *t, situ_dtype d, const char *p)
{
    char text[64];
    double x;
    switch (d) {
    case SITU_F32:
    case SITU_F64:
        x = situ_element_get_f64(d, p);
        if (isnan(x)) situ_source_append(t, "NAN");
        else if (isinf(x)) situ_source_append(t, x < 0 ? "-INFINITY" : "INFINITY");
        else {
            situ_plain_format(text, sizeof text, d == SITU_F32 ? "%.9g" : "%.17g", x);
            situ_source_add(t, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", d == SITU_F32 ? "f" : "");
        }
        return;
    case SITU_F16:
    case SITU_BF16: {
        uint16_t code;
        memcpy(&code, p, 2);
        situ_source_add(t, "0x%04x", code);
        return;
    }
    case SITU_U64: situ_source_add(t, "%lluu", (unsigned long long)situ_element_get_i64(d, p)); return;
    default: {
        long long n = (long long)situ_element_get_i64(d, p);
        if (n == INT64_MIN) situ_source_append(t, "-9223372036854775807 - 1");
        else situ_source_add(t, n == INT32_MIN ? "-2147483647 - 1" : d == SITU_U32 ? "%lldu" : "%lld", n);
    }
    }
}

static void write_array(situ_emitted *e, situ_source *t, uint32_t number, const char *name)
{
    const situ_emit_array *a = &e->array[number];
    size_t size = situ_dtype_size(a->dtype);
    situ_source_add(t, "/* %s */\nstatic const %s %s_w%u[%lld] = {", name, situ_emit_type(a->dtype), e->name, number,
        (long long)(a->count + !a->count));
    for (int64_t i = 0; i < a->count; i++) {
        situ_source_append(t, i % 8 ? ", " : i ? ",\n    " : "\n    ");
        write_number(t, a->dtype, a->address + (size_t)i * size);
    }
    situ_source_append(t, a->count ? "\n};\n" : "0};\n");
    e->weight_bytes += a->count * (int64_t)size;
}

/* Gives each leaf that a step reads its number among the arrays; those that share memory share an array. */
static int find_arrays(situ_emitted *e, situ_source *t)
{
    const situ_walk *w = e->walk;
    e->array_of = situ_arena_zeros(&e->arena, w->count + 1u, sizeof *e->array_of);
    e->array = situ_arena_zeros(&e->arena, w->count + 1u, sizeof *e->array);
    if (!e->array_of || !e->array) return fail_memory(e);
    for (uint32_t i = 0; i < e->plan->nplace; i++) {
        const situ_place *p = &e->plan->place[i];
        if (p->kind != SITU_PLACE_LEAF || input_of(e, w->node[p->of]) >= 0) continue;
        const situ_tensor *leaf = w->node[p->of];
        situ_emit_array a = {NULL, (situ_dtype)leaf->dtype, span_of(leaf)};
        if (!leaf->buffer || leaf->buffer->dev->device.kind != SITU_CPU)
            return situ_fail(SITU_UNSUPPORTED, e->site, "situ_emit: a weight (%s) is not on the CPU; move the network there first",
                name_of(leaf));
        if (a.count < 0 || situ_dtype_is_complex(a.dtype))
            return situ_fail(SITU_UNSUPPORTED, e->site, "situ_emit: a weight (%s) is %s", name_of(leaf),
                a.count < 0 ? "a view that goes backwards; copy it first" : "complex, which C99 for small machines lacks");
        if (situ_await(leaf->buffer, e->site)) return -situ_error_code;
        a.address = situ_node_address(leaf);
        uint32_t k = 0;
        while (k < e->arrays && (e->array[k].address != a.address || e->array[k].dtype != a.dtype || e->array[k].count != a.count))
            k++;
        e->array_of[p->of] = (int32_t)k;
        if (k < e->arrays) continue;
        e->array[e->arrays++] = a;
        write_array(e, t, k, name_of(leaf));
    }
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* Finds out which result lies in which of the plan's buffers; what is stored besides lies behind the arena. 1: a result is a view,
 * which needs a copy. */
static int find_rooms(situ_emitted *e)
{
    const situ_plan *p = e->plan;
    e->room = situ_arena_zeros(&e->arena, p->npersistent + 1u, sizeof *e->room);
    if (!e->room) return fail_memory(e);
    e->arena_bytes = (p->arena_bytes[0] + 63) / 64 * 64;
    for (uint32_t i = 0; i < p->npersistent; i++) e->room[i] = INT64_MAX;
    for (int k = 0; k < e->results; k++) {
        const situ_output *o = NULL;
        for (uint32_t i = 0; i < p->noutput && !o; i++)
            if (e->walk->node[p->output[i].node] == e->result[k]) o = &p->output[i];
        const situ_place *place = o && o->place >= 0 ? &p->place[o->place] : NULL;
        if (!place || place->kind != SITU_PLACE_OUTPUT || o->strided || o->offset || place->offset || o->dynamic >= 0 ||
            e->room[place->of] != INT64_MAX)
            return 1;
        e->room[place->of] = -1 - k;
    }
    for (uint32_t i = 0; i < p->npersistent; i++) {
        if (e->room[i] != INT64_MAX) continue;
        e->room[i] = e->arena_bytes;
        e->arena_bytes += (p->persistent[i].bytes + 63) / 64 * 64;
    }
    return 0;
}

static int64_t dynamic_of(const situ_emitted *e, int32_t index)
{
    if (index < 0) return 0;
    const situ_dynamic *d = &e->plan->dynamic[index];
    const uint64_t *word = situ_node_word(e->walk->node[d->node]);
    int64_t offset = dynamic_of(e, d->base);
    for (int k = 0; k < d->count; k++) offset += (int64_t)word[k] * d->coefficient[k];
    return offset;
}

static void write_place_name(situ_source *t, const char *what, int count, int i)
{
    situ_source_add(t, count > 1 ? "%s_%d" : "%s", what, i);
}

/* Writes an address as an argument of a step's function. */
static void write_address(situ_emitted *e, const situ_address *a, const char *type, bool written)
{
    const situ_place *p = &e->plan->place[a->place];
    situ_source *t = &e->calls;
    int64_t offset = a->offset + p->offset + dynamic_of(e, a->dynamic);
    const char *constant = written ? "" : "const ";
    situ_source_add(t, "(%s%s *)(%svoid *)(", constant, type, constant);
    if (p->kind == SITU_PLACE_LEAF) {
        int input = input_of(e, e->walk->node[p->of]);
        situ_source_append(t, "(const unsigned char *)");
        if (input >= 0) write_place_name(t, "input", e->inputs, input);
        else situ_source_add(t, "%s_w%d", e->name, e->array_of[p->of]);
    } else if (p->kind == SITU_PLACE_OUTPUT && e->room[p->of] < 0) {
        situ_source_append(t, "(unsigned char *)");
        write_place_name(t, "output", e->results, (int)(-1 - e->room[p->of]));
    } else {
        situ_source_append(t, "arena");
        if (p->kind == SITU_PLACE_OUTPUT) offset += e->room[p->of];
        if (p->kind == SITU_PLACE_SLOT) situ_emit_refuse(e, "it changes a variable");
    }
    situ_source_add(t, offset ? " + %lld)" : ")", (long long)offset);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

/* The type of address i of a kernel, and whether it is written. */
static const char *address_type(const situ_emit_kernel *k, uint32_t i, bool *written)
{
    const situ_fused *g = &k->group;
    int results = g->nstore + (g->reduction >= 0), n = (int)i;
    if (k->is_call) {
        *written = !n || n > k->call.nin;
        return !n ? situ_emit_type(k->call.out.dtype) : n > k->call.nin ? "unsigned char" : situ_emit_type(k->in[n - 1].dtype);
    }
    *written = n < results;
    return situ_emit_type(n < g->nstore ? g->store[n].dtype : n < results ? g->reduce_out : g->load[n - results].dtype);
}

/* The number of an earlier step with the same kernel and the same words, or this step's. */
static uint32_t same_before(const situ_emitted *e)
{
    const situ_plan *p = e->plan;
    for (uint32_t i = 0; i < e->number; i++) {
        const situ_plan_step *s = &p->step[i];
        bool same = s->kernel == e->step->kernel && s->nword == e->step->nword;
        for (uint32_t k = 0; k < s->nword && same; k++) {
            const situ_word_source *a = &p->word[s->word + k], *b = &p->word[e->step->word + k];
            uint64_t x = a->node < 0 ? a->constant : situ_node_word(e->walk->node[a->node])[a->index];
            uint64_t y = b->node < 0 ? b->constant : situ_node_word(e->walk->node[b->node])[b->index];
            same = x == y;
        }
        if (same) return i;
    }
    return e->number;
}

static const char *line_of(const situ_emitted *e)
{
    const situ_tensor *t = e->step->node >= 0 ? e->walk->node[e->step->node] : NULL;
    return t && t->site && !strstr(t->site, "*/") ? t->site : "?";
}

static int write_step(situ_emitted *e)
{
    const situ_plan_step *s = e->step;
    const situ_emit_kernel *k = s->kernel;
    uint32_t function = same_before(e);
    if (s->kind != SITU_PLAN_KERNEL) situ_emit_refuse(e, "it copies between devices");
    else if (function == e->number) {
        situ_source_add(&e->steps, "/* %s: %s */\n", s->name, line_of(e));
        (k->is_call ? situ_emit_call_step : situ_emit_group_step)(e, k);
    }
    situ_source_add(&e->calls, "    /* %s: %s */\n    %s_step_%u(", s->name, line_of(e), e->name, function);
    for (uint32_t i = 0; i < s->naddress && !*e->refusal; i++) {
        bool written;
        const char *type = address_type(k, i, &written);
        if (i) situ_source_append(&e->calls, ",\n        ");
        write_address(e, &e->plan->address[s->address + i], type, written);
    }
    bool fails = k && k->is_call && k->call.op->can_fail;
    e->can_fail |= fails;
    situ_source_append(&e->calls, fails ? ", &fault.code);\n" : ");\n");
    if (*e->refusal)
        return situ_fail(SITU_UNSUPPORTED, e->site,
            "situ_emit: %s at %s cannot be written as C: %s; docs/emit.md lists what can; nothing was written", s->name, line_of(e),
            e->refusal);
    return -situ_error_code;
}

/* ---- the texts --------------------------------------------------------------------------------------------------------- */

/* Appends a text, in which definitions stand in guards "#ifndef X", "#define X", ..., "#endif", without the guards, and without
 * what was there before; *seen lists the names. */
static void append_once(situ_source *t, const char *text, situ_source *seen)
{
    bool skips = false;
    int guards = 0;
    for (const char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (!strncmp(line, "#ifndef SITU_", 13)) {
            char name[128];
            snprintf(name, sizeof name, "\n%.*s", (int)(next - line - 8), line + 8);
            skips = seen->text && strstr(seen->text, name);
            if (!skips) situ_source_append(seen, name);
            if ((line = strchr(next, '\n'))) next = line + 1; /* the line #define */
            guards++;
        } else if (guards && !strncmp(line, "#endif", 6)) {
            skips = false;
            guards--;
        } else if (!skips) {
            situ_source_add(t, "%.*s", (int)(next - line), line);
        }
    }
}

static void write_norms(situ_source *t)
{
    for (int wide = 0; wide < 2; wide++) {
        situ_source_add(t, "#define T %s\n#define NORM(x) f%d_norm_##x\n#define NORM_LANES %d\n#define NORM_F64 %d\n",
            wide ? "double" : "float", wide ? 64 : 32, wide ? 16 : 32, wide);
        situ_source_append(t, situ_text_norm_c99);
        situ_source_append(t, "#undef T\n#undef NORM\n#undef NORM_LANES\n#undef NORM_F64\n");
    }
}

static void write_signature(situ_emitted *e, situ_source *t)
{
    situ_source_add(t, "int %s_run(%s_context *context", e->name, e->name);
    for (int i = 0; i < e->inputs; i++) {
        situ_source_add(t, ", const %s *", situ_emit_type(e->input[i]->dtype));
        write_place_name(t, "input", e->inputs, i);
    }
    for (int i = 0; i < e->results; i++) {
        situ_source_add(t, ", %s *", situ_emit_type(e->result[i]->dtype));
        write_place_name(t, "output", e->results, i);
    }
    situ_source_append(t, ")");
}

static void write_shape(situ_emitted *e, situ_source *t, const char *what, int count, int i, const situ_tensor *x)
{
    char number[16] = "";
    if (count > 1) snprintf(number, sizeof number, "_%d", i);
    situ_source_add(t, "#define %s_%s%s_COUNT %lld /* %s [", e->upper, what, number, (long long)situ_node_count(x),
        situ_dtype_name((situ_dtype)x->dtype));
    for (int k = 0; k < x->ndim; k++) situ_source_add(t, k ? ", %lld" : "%lld", (long long)x->dim[k]);
    situ_source_append(t, "] */\n");
    if (!x->ndim) return;
    situ_source_add(t, "#define %s_%s%s_SHAPE {", e->upper, what, number);
    for (int k = 0; k < x->ndim; k++) situ_source_add(t, k ? ", %lld" : "%lld", (long long)x->dim[k]);
    situ_source_append(t, "}\n");
}

static char *header_text(situ_emitted *e)
{
    situ_source t = {0};
    long long bytes = (long long)(e->arena_bytes ? e->arena_bytes : 8);
    situ_source_add(&t,
        "/* Made by situ %s: a network as C99. The results have the bits that situ computes on the CPU for inputs of these shapes. "
        "*/\n"
        "#ifndef %s_H\n#define %s_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        SITU_VERSION, e->upper, e->upper);
    situ_source_add(
        &t, "#define %s_ARENA_BYTES %lld\n#define %s_WEIGHTS_BYTES %lld\n", e->upper, bytes, e->upper, (long long)e->weight_bytes);
    for (int i = 0; i < e->inputs; i++) write_shape(e, &t, "INPUT", e->inputs, i, e->input[i]);
    for (int i = 0; i < e->results; i++) write_shape(e, &t, "OUTPUT", e->results, i, e->result[i]);
    situ_source_add(&t,
        "\n/* What a call needs besides its inputs and results. The caller places it; it needs no initial value, and nothing is "
        "kept in it\n"
        " * from call to call. */\n"
        "typedef struct %s_context {\n    union {\n        unsigned char bytes[%s_ARENA_BYTES];\n        double number;\n        "
        "int64_t "
        "integer;\n    } arena;\n} %s_context;\n\n",
        e->name, e->upper, e->name);
    situ_source_add(&t,
        "/* 0, or %s_BAD_INDEX: an index was out of range, and the results are undefined. */\n#define %s_BAD_INDEX 1\n", e->upper,
        e->upper);
    write_signature(e, &t);
    situ_source_append(&t, ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return situ_source_take(&t);
}

static void write_functions(situ_emitted *e, situ_source *t)
{
    situ_source seen = {0}, math = {0};
    situ_source_append(t, situ_text_words_c99);
    append_once(t, situ_text_words_scalar, &seen);
    append_once(t, situ_text_halves, &seen);
    if (e->random) append_once(t, situ_text_random, &seen);
    if (e->norms) write_norms(t);
    situ_math_write(&e->math, &math);
    if (math.text) append_once(t, math.text, &seen);
    if (e->helpers.text) append_once(t, e->helpers.text, &seen);
    t->failed |= seen.failed | math.failed;
    situ_source_drop(&seen);
    situ_source_drop(&math);
}

static char *source_text(situ_emitted *e, const char *weights)
{
    situ_source t = {0};
    situ_source_add(&t,
        "/* Made by situ %s: a network as C99, of the memcpy of <string.h> and <stdint.h> alone. See the header of the same name.\n"
        " * Functions and the order of sums are situ's, so the results have its bits with every compiler that keeps to IEEE 754. "
        "*/\n"
        "#include \"%s\"\n\n#include <math.h> /* INFINITY, NAN */\n#include <stddef.h>\n\n",
        SITU_VERSION, e->header);
    write_functions(e, &t);
    situ_source_append(&t, "\n/* ---- weights ---- */\n\n");
    situ_source_append(&t, weights);
    situ_source_append(&t, "\n/* ---- steps ---- */\n\n");
    if (e->steps.text) situ_source_append(&t, e->steps.text);
    write_signature(e, &t);
    situ_source_append(&t, "\n{\n    unsigned char *const arena = context->arena.bytes;\n");
    if (e->can_fail) situ_source_append(&t, "    union {\n        int code;\n        int64_t value[4];\n    } fault = {0};\n");
    situ_source_append(&t, "    (void)arena;\n");
    if (e->calls.text) situ_source_append(&t, e->calls.text);
    if (e->can_fail) situ_source_add(&t, "    return fault.code ? %s_BAD_INDEX : 0;\n}\n", e->upper);
    else situ_source_append(&t, "    return 0;\n}\n");
    t.failed |= e->steps.failed | e->calls.failed | e->helpers.failed;
    return situ_source_take(&t);
}

/* 0; 1: a result needs a copy; or a negative code. */
static int write_program(situ_emitted *e, char **source, char **header)
{
    situ_source weights = {0};
    int rc = find_rooms(e);
    if (!rc) rc = find_arrays(e, &weights);
    for (e->number = 0; e->number < e->plan->nstep && !rc; e->number++) {
        e->step = &e->plan->step[e->number];
        rc = write_step(e);
    }
    if (!rc) {
        *header = header_text(e);
        *source = *header ? source_text(e, weights.text ? weights.text : "") : NULL;
        rc = -situ_error_code;
    }
    situ_source_drop(&weights);
    return rc;
}

static int plan_and_write(situ_emitted *e, char **source, char **header)
{
    static situ_dev device = {.backend = &situ_backend_emit, .device = {SITU_CPU, 0}};
    situ_walk w = {0};
    situ_plan *plan = NULL;
    situ_mutex_lock(&situ_planner);
    int rc = situ_walk_collect(&w, e->result, (uint32_t)e->results, NULL, 0, e->site);
    if (!rc) rc = situ_walk_decide(&w, e->result, (uint32_t)e->results);
    if (!rc && !(plan = situ_plan_make_for(&w, &device, SITU_PLAN_FUSES, e->site))) rc = -situ_error_code;
    e->walk = &w;
    e->plan = plan;
    if (!rc) rc = write_program(e, source, header);
    situ_plan_free(plan);
    situ_walk_free(&w);
    situ_mutex_unlock(&situ_planner);
    return rc;
}

int situ_emit_program(situ_tensor *const *result, int results, situ_tensor *const *input, int inputs, const char *name,
    const char *header_name, char **source, char **header, situ_site site)
{
    char upper[64];
    situ_tensor *node[128];
    *source = *header = NULL;
    snprintf(upper, sizeof upper, "%s", name);
    for (char *p = upper; *p; p++) *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    situ_emitted *e = situ_calloc(1, sizeof *e);
    if (!e) return situ_fail(SITU_NO_MEMORY, site, "situ_emit: out of host memory");
    *e = (situ_emitted){.name = name,
        .upper = upper,
        .header = header_name,
        .site = site,
        .input = node,
        .inputs = inputs,
        .result = node + inputs,
        .results = results};
    int rc = 0;
    for (int copies = 0; copies < 2 && rc >= 0; copies++) {
        for (int i = 0; i < inputs + results && !rc; i++) {
            situ_tensor *t = i < inputs ? input[i] : result[i - inputs];
            if (copies && i >= inputs) t = situ_copy_to(t, t->device);
            if (!(node[i] = situ_take_operand(situ_thread_get(), t, "situ_emit", site))) rc = -situ_error_code;
        }
        situ_arena_init(&e->arena, NULL);
        situ_math_open(&e->math);
        if (!rc) rc = plan_and_write(e, source, header);
        situ_source_drop(&e->helpers);
        situ_source_drop(&e->steps);
        situ_source_drop(&e->calls);
        situ_arena_free(&e->arena);
        if (rc != 1) break;
        e->arrays = 0;
        rc = 0;
    }
    situ_free(e);
    if (rc > 0) rc = situ_fail(SITU_UNSUPPORTED, site, "situ_emit: two results are the same tensor, or a result is an input");
    return rc;
}
