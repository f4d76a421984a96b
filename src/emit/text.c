/* The two files: what each holds, in its order. */
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "codegen/cast_text.h"
#include "codegen/el_text.h"
#include "codegen/random_text.h"
#include "emit/emit.h"
#include "os/embed.h"
#include "tensor/shape.h"

SITU_EMBED(situ_text_compiler_c99, "emit/compiler.inc")
SITU_EMBED(situ_text_fma_c99, "simd/fma.inc")
SITU_EMBED(situ_text_words_c99, "emit/words.inc")
SITU_EMBED(situ_text_norm_c99, "emit/norm.inc")
SITU_EMBED(situ_text_state_c99, "emit/state.inc")
SITU_EMBED(situ_text_rates, "optim/rates.inc")

void situ_emit_input_name(situ_source *t, const situ_emit_function *f, int i)
{
    int count = f->inputs - f->trains;
    if (f->trains && i == count) situ_source_append(t, "target");
    else situ_source_add(t, count > 1 ? "input_%d" : "input", i);
}

void situ_emit_result_name(situ_source *t, const situ_emit_function *f, int i)
{
    if (f->trains) situ_source_append(t, "loss");
    else situ_source_add(t, f->results > 1 ? "output_%d" : "output", i);
}

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

static void write_signature(const situ_emitted *e, const situ_emit_function *f, situ_source *t)
{
    situ_source_add(t, "int %s_%s(%s_context *context", e->name, f->trains ? "train" : "run", e->name);
    for (int i = 0; i < f->inputs + f->results; i++) {
        situ_source_add(t, ", %s%s *", i < f->inputs ? "const " : "", situ_emit_type(f->shape[i].dtype));
        if (i < f->inputs) situ_emit_input_name(t, f, i);
        else situ_emit_result_name(t, f, i - f->inputs);
    }
    situ_source_append(t, ")");
}

static void write_shape(const situ_emitted *e, const situ_emit_function *f, situ_source *t, int i)
{
    const situ_layout *x = &f->shape[i];
    situ_source name = {0};
    if (i < f->inputs) situ_emit_input_name(&name, f, i);
    else situ_emit_result_name(&name, f, i - f->inputs);
    for (char *p = name.text; p && *p; p++) *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    const char *what = name.text ? name.text : "";
    situ_source_add(t, "#define %s_%s_COUNT %lld /* %s [", e->upper, what, (long long)situ_shape_count(x->ndim, x->dim),
        situ_dtype_name((situ_dtype)x->dtype));
    for (int k = 0; k < x->ndim; k++) situ_source_add(t, k ? ", %lld" : "%lld", (long long)x->dim[k]);
    situ_source_append(t, "] */\n");
    if (x->ndim) situ_source_add(t, "#define %s_%s_SHAPE {", e->upper, what);
    for (int k = 0; k < x->ndim; k++) situ_source_add(t, k ? ", %lld" : "%lld", (long long)x->dim[k]);
    if (x->ndim) situ_source_append(t, "}\n");
    t->failed |= name.failed;
    situ_source_drop(&name);
}

/* Inputs are the same for all functions. */
static void write_shapes(const situ_emitted *e, situ_source *t)
{
    for (int k = 0; k < e->functions; k++) {
        const situ_emit_function *f = &e->function[k];
        for (int i = k ? f->inputs : 0; i < f->inputs + f->results; i++)
            if (!f->trains || i < f->inputs) write_shape(e, f, t, i);
    }
}

static void write_context(const situ_emitted *e, situ_source *t)
{
    static const char memory[] = "    union {\n        unsigned char bytes[%s_%s_BYTES];\n        double number;\n"
                                 "        int64_t integer;\n    } %s;\n";
    situ_source_add(t,
        e->state_bytes ?
            "\n/* What the functions need besides inputs and results. The caller places it; %s_init gives it a state. */"
            "\n"
            "typedef struct %s_context {\n" :
            "\n/* What a call needs besides its inputs and results. The caller places it; it needs no initial value, and "
            "nothing is kept in it\n * from call to call. */\ntypedef struct %s_context {\n",
        e->name, e->name);
    situ_source_add(t, memory, e->upper, "ARENA", "arena");
    if (e->state_bytes) {
        situ_source_add(t, memory, e->upper, "STATE", "state");
        situ_source_append(t, "    int64_t step; /* steps of training so far */\n");
    }
    situ_source_add(t, "} %s_context;\n\n", e->name);
}

static void write_saving(const situ_emitted *e, situ_source *t)
{
    const char *n = e->name, *u = e->upper;
    situ_source_add(t,
        "/* The loss is no finite number: nothing was changed. */\n#define %s_NOT_FINITE 2\n"
        "/* What is to be loaded was not saved by this program: nothing was changed. */\n#define %s_BAD_STATE 3\n\n"
        "/* Gives the context the parameters, moments and steps that the network had when this file was made. */\n"
        "void %s_init(%s_context *context);\n",
        u, u, n, n);
    situ_source_add(t,
        "/* Writes the state, which is at most %s_SAVED_BYTES, and returns how many bytes it has. They are a checkpoint of situ: a "
        "file "
        "of\n * safetensors for situ_checkpoint_load, which also this function can load if situ_checkpoint_save wrote it. */\n"
        "size_t %s_save(const %s_context *context, unsigned char *to);\n"
        "int %s_load(%s_context *context, const unsigned char *from, size_t bytes);\n",
        u, n, n, n, n);
}

static char *header_text(situ_emitted *e)
{
    situ_source t = {0};
    long long bytes = (long long)(e->arena_bytes ? e->arena_bytes : 8);
    situ_source_add(&t,
        "/* Made by situ %s: a network as C99. The results have the bits that situ computes on the CPU for inputs of these shapes. "
        "*/\n"
        "#ifndef %s_H\n#define %s_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        SITU_VERSION, e->upper, e->upper);
    situ_source_add(
        &t, "#define %s_ARENA_BYTES %lld\n#define %s_WEIGHTS_BYTES %lld\n", e->upper, bytes, e->upper, (long long)e->weight_bytes);
    if (e->state_bytes) situ_source_add(&t, "#define %s_STATE_BYTES %lld\n", e->upper, (long long)e->state_bytes);
    if (e->state_bytes) situ_source_add(&t, "#define %s_SAVED_BYTES %lld\n", e->upper, (long long)e->saved_bytes);
    write_shapes(e, &t);
    write_context(e, &t);
    situ_source_add(&t, "/* An index was out of range, and the results are undefined%s. */\n#define %s_BAD_INDEX 1\n",
        e->state_bytes ? "; the state was not changed" : "", e->upper);
    if (e->state_bytes) write_saving(e, &t);
    for (int k = 0; k < e->functions; k++) {
        const situ_emit_function *f = &e->function[k];
        if (f->trains)
            situ_source_add(&t,
                "/* A step of training with a batch of %lld rows, in the order of the ordinary step: the loss, before the step. 0, "
                "or one "
                "of the\n * codes above: then nothing was changed. */\n",
                (long long)e->rows);
        else if (e->state_bytes)
            situ_source_append(
                &t, "/* What the network computes at inference, with the parameters of the context. 0 or BAD_INDEX. */\n");
        else situ_source_add(&t, "/* 0 or %s_BAD_INDEX. */\n", e->upper);
        write_signature(e, f, &t);
        situ_source_append(&t, ";\n");
    }
    situ_source_append(&t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return situ_source_take(&t);
}

static void write_functions(situ_emitted *e, situ_source *t)
{
    situ_source seen = {0}, math = {0};
    situ_source_append(t, situ_text_compiler_c99);
    situ_source_append(t, situ_text_fma_c99);
    situ_source_append(t, situ_text_words_c99);
    append_once(t, situ_text_words_scalar, &seen);
    append_once(t, situ_text_halves, &seen);
    if (e->rated) situ_math_need(&e->math, SITU_F64, "pow(A, B)");
    if (e->random) append_once(t, situ_text_random, &seen);
    if (e->norms) write_norms(t);
    situ_math_write(&e->math, &math);
    if (math.text) append_once(t, math.text, &seen);
    if (e->helpers.text) append_once(t, e->helpers.text, &seen);
    if (e->rated) situ_source_append(t, situ_text_rates);
    if (e->state_bytes) situ_source_append(t, situ_text_state_c99);
    t->failed |= seen.failed | math.failed;
    situ_source_drop(&seen);
    situ_source_drop(&math);
}

static void write_function(const situ_emitted *e, const situ_emit_function *f, situ_source *t)
{
    situ_source_append(t, "\n");
    write_signature(e, f, t);
    situ_source_append(t, "\n{\n    unsigned char *const arena = context->arena.bytes;\n");
    if (e->state_bytes) situ_source_append(t, "    unsigned char *const state = context->state.bytes;\n");
    if (f->can_fail) situ_source_append(t, "    union {\n        int code;\n        int64_t value[4];\n    } fault = {0};\n");
    if (f->trains) situ_emit_rates(e, t);
    situ_source_append(t, e->state_bytes ? "    (void)arena, (void)state;\n" : "    (void)arena;\n");
    if (f->calls.text) situ_source_append(t, f->calls.text);
    if (f->can_fail && !f->trains) situ_source_add(t, "    return fault.code ? %s_BAD_INDEX : 0;\n}\n", e->upper);
    else situ_source_append(t, "    return 0;\n}\n");
    t->failed |= f->calls.failed;
}

static void write_init(const situ_emitted *e, situ_source *t)
{
    situ_source_add(
        t, "\nvoid %s_init(%s_context *context)\n{\n    unsigned char *const state = context->state.bytes;\n", e->name, e->name);
    for (uint32_t i = 0; i < e->arrays; i++) {
        const situ_emit_array *a = &e->array[i];
        long long bytes = (long long)(a->count * (int64_t)situ_dtype_size(a->dtype));
        if (a->state < 0) continue;
        if (a->zeros) situ_source_add(t, "    net_clear(state + %lld, %lld);\n", (long long)a->state, bytes);
        else
            situ_source_add(
                t, "    net_copy(state + %lld, (const unsigned char *)%s_w%u, %lld);\n", (long long)a->state, e->name, i, bytes);
    }
    situ_source_add(t, "    context->step = %lld;\n}\n", (long long)e->words[0].step);
}

static char *source_text(situ_emitted *e)
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
    if (e->weights.text) situ_source_append(&t, e->weights.text);
    situ_source_append(&t, "\n/* ---- steps ---- */\n\n");
    if (e->steps.text) situ_source_append(&t, e->steps.text);
    for (int k = 0; k < e->functions; k++) write_function(e, &e->function[k], &t);
    if (e->state_bytes) write_init(e, &t);
    if (e->state.text) situ_source_append(&t, e->state.text);
    situ_emit_test(e, &t);
    t.failed |= e->test.failed | e->weights.failed | e->steps.failed | e->helpers.failed | e->state.failed;
    return situ_source_take(&t);
}

int situ_emit_texts(situ_emitted *e, char **source, char **header)
{
    *header = header_text(e);
    *source = *header ? source_text(e) : NULL;
    return -situ_error_code;
}
