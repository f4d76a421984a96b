/* Programs of a PJRT device: texts of StableHLO, compiled once, and their execution. */
#include "backend/pjrt/pjrt.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- options: a message of protocol buffers, field by field ---- */

typedef struct message {
    unsigned char at[192];
    size_t n;
} message;

static void add_number(message *m, uint64_t v)
{
    for (; v > 127; v >>= 7) m->at[m->n++] = (unsigned char)(v | 128);
    m->at[m->n++] = (unsigned char)v;
}

static void add_field(message *m, int field, uint64_t v)
{
    add_number(m, (uint64_t)field << 3);
    add_number(m, v);
}

static void add_bytes(message *m, int field, const void *bytes, size_t n)
{
    add_number(m, (uint64_t)field << 3 | 2);
    add_number(m, n);
    memcpy(m->at + m->n, bytes, n);
    m->n += n;
}

/* CompileOptionsProto: one replica and one partition on this device; results are rounded to their dtype where it says so. */
static void make_options(const situ_pjrt *s, message *out)
{
    static const char excess[] = "xla_allow_excess_precision";
    message id = {.n = 0}, row = {.n = 0}, place = {.n = 0}, build = {.n = 0}, value = {.n = 0}, wish = {.n = 0};
    add_number(&id, (uint64_t)s->id);
    add_bytes(&row, 1, id.at, id.n);
    add_field(&place, 1, 1);
    add_field(&place, 2, 1);
    add_bytes(&place, 3, row.at, row.n);
    add_field(&build, 4, 1);
    add_field(&build, 5, 1);
    add_bytes(&build, 9, place.at, place.n);
    add_field(&value, 2, 0);
    add_bytes(&wish, 1, excess, sizeof excess - 1);
    add_bytes(&wish, 2, value.at, value.n);
    out->n = 0;
    add_bytes(out, 3, build.at, build.n);
    add_bytes(out, 7, wish.at, wish.n);
}

/* ---- compiling ---- */

static pjrt_error compile(situ_pjrt *s, const char *text, pjrt_program *program)
{
    static const char format[] = "mlir";
    message options;
    make_options(s, &options);
    pjrt_source source = {.size = sizeof source,
        .code = (char *)(uintptr_t)text,
        .length = strlen(text),
        .format = format,
        .format_length = sizeof format - 1};
    pjrt_compile a = {.size = sizeof a,
        .client = s->plugin->client,
        .source = &source,
        .options = (const char *)options.at,
        .options_length = options.n};
    pjrt_error error = situ_pjrt_call(s->plugin, PJRT_CLIENT_COMPILE, &a);
    *program = a.program;
    return error;
}

static situ_pjrt_program *known(situ_pjrt *s, situ_hash h)
{
    situ_pjrt_program *p = s->program;
    while (p && (p->text.a != h.a || p->text.b != h.b)) p = p->next;
    return p;
}

situ_pjrt_program *situ_pjrt_compile_text(situ_pjrt *s, const char *text, const char *name)
{
    situ_hash h = situ_hash_start(5);
    situ_hash_bytes(&h, text, strlen(text));
    h = situ_hash_end(&h);
    pthread_mutex_lock(&s->compiling);
    situ_pjrt_program *p = known(s, h);
    char why[sizeof s->why] = "no memory for a program";
    if (!p && (p = situ_calloc(1, sizeof *p))) {
        pjrt_error error = compile(s, text, &p->program);
        if (situ_pjrt_code(s->plugin, error, why, sizeof why)) {
            situ_free(p);
            p = NULL;
        } else {
            p->text = h;
            p->next = s->program;
            s->program = p;
            s->programs++;
        }
    }
    pthread_mutex_unlock(&s->compiling);
    if (!p) {
        char told[sizeof s->why];
        snprintf(told, sizeof told, "the plugin's compiler refuses %.60s: %.200s", name, why);
        situ_pjrt_fail(s, told);
    }
    return p;
}

/* ---- running ---- */

int situ_pjrt_execute(situ_pjrt *s, const situ_pjrt_program *p, pjrt_buffer const *argument, int arguments, pjrt_buffer *result)
{
    pjrt_execute_options options = {.size = sizeof options};
    pjrt_event complete = NULL;
    pjrt_execute a = {.size = sizeof a,
        .program = p->program,
        .options = &options,
        .argument = &argument,
        .devices = 1,
        .arguments = (size_t)arguments,
        .result = &result,
        .complete = &complete};
    pjrt_error error = situ_pjrt_call(s->plugin, PJRT_PROGRAM_EXECUTE, &a);
    return situ_pjrt_failed(s, error ? error : situ_pjrt_await(s->plugin, complete));
}
