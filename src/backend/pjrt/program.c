/* Programs of PJRT devices: StableHLO texts, compiled once, and their execution. */
#include "backend/pjrt/pjrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "device/device.h"
#include "device/streams.h"
#include "os/env.h"
#include "os/file.h"
#include "os/machine.h"

/* ---- compile options: a protocol-buffers message ---- */

typedef struct message {
    unsigned char at[512];
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

/* Adds an entry of env_option_overrides; `text` is encoded already. */
static void add_wish(message *out, const char *name, const char *text)
{
    message value = {.n = 0}, wish = {.n = 0};
    if (text) add_bytes(&value, 1, text, strlen(text));
    else add_field(&value, 2, 0);
    add_bytes(&wish, 1, name, strlen(name));
    add_bytes(&wish, 2, value.at, value.n);
    add_bytes(out, 7, wish.at, wish.n);
}

/* Options for XLA on CPUs, as JAX sets them: min and max propagate NaN; sums and products use XLA's own kernels. An
 * old compiler may not know one or both of them. */
enum { WISHES = 2 };
static const char *const wish_name[WISHES] = {"xla_cpu_enable_fast_min_max", "xla_cpu_experimental_ynn_fusion_type"};
static const char *const wish_text[WISHES] = {NULL, "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_REDUCE"};

/* True if it is XLA for CPUs and the user has not set this option. */
static bool may_ask(const situ_pjrt *s, const char *option)
{
    const char *flags = situ_env("XLA_FLAGS");
    return !strcmp(s->plugin->platform, "cpu") && !(flags && strstr(flags, option));
}

/* CompileOptionsProto: one replica and one partition on this device; results are rounded to their dtype where the
 * program says so. */
static void make_options(const situ_pjrt *s, message *out)
{
    message id = {.n = 0}, row = {.n = 0}, place = {.n = 0}, build = {.n = 0};
    add_number(&id, (uint64_t)s->id);
    add_bytes(&row, 1, id.at, id.n);
    add_field(&place, 1, 1);
    add_field(&place, 2, 1);
    add_bytes(&place, 3, row.at, row.n);
    add_field(&build, 4, 1);
    add_field(&build, 5, 1);
    add_bytes(&build, 9, place.at, place.n);
    out->n = 0;
    add_bytes(out, 3, build.at, build.n);
    add_wish(out, "xla_allow_excess_precision", NULL);
    for (int i = 0; i < WISHES - s->refused; i++)
        if (may_ask(s, wish_name[i])) add_wish(out, wish_name[i], wish_text[i]);
}

/* ---- compiling ---- */

static pjrt_error compile_once(situ_pjrt *s, const char *text, pjrt_program *program)
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
    situ_pjrt_fit(s->plugin, PJRT_SOURCE, &source);
    pjrt_error error = situ_pjrt_call(s->plugin, PJRT_CLIENT_COMPILE, &a);
    *program = a.program;
    return error;
}

/* Compiles; if the plugin does not know an option, tries again without it. */
static pjrt_error compile(situ_pjrt *s, const char *text, pjrt_program *program)
{
    int known = s->refused;
    pjrt_error error = compile_once(s, text, program);
    while (error && !s->agreed && s->refused < WISHES) {
        s->refused++;
        if (!may_ask(s, wish_name[WISHES - s->refused])) continue;
        situ_pjrt_code(s->plugin, error, NULL, 0);
        error = compile_once(s, text, program);
    }
    if (error) s->refused = known; /* the options were not the cause */
    else s->agreed = true;
    return error;
}

/* ---- cache on disk, if the plugin can serialise programs ---- */

/* Programs for a CPU depend on its instruction set. */
static void hash_processor(situ_hash *h)
{
    char text[8192];
    situ_hash_bytes(h, text, situ_cpu_features(text, sizeof text));
}

situ_hash situ_pjrt_identity(const situ_pjrt *s)
{
    situ_file_about file = {0};
    situ_hash h = situ_hash_start(6);
    situ_file_inspect(s->plugin->file, &file);
    situ_hash_word(&h, (uint64_t)file.size);
    situ_hash_word(&h, (uint64_t)file.changed);
    situ_hash_bytes(&h, s->plugin->file, strlen(s->plugin->file));
    situ_hash_bytes(&h, s->plugin->version, strlen(s->plugin->version));
    situ_hash_bytes(&h, s->kind, strlen(s->kind));
    situ_hash_word(&h, (uint64_t)s->id);
    for (int i = 0; i < 2; i++) { /* environment variables that change what its compiler does */
        const char *options = situ_env(i ? "LIBTPU_INIT_ARGS" : "XLA_FLAGS");
        situ_hash_bytes(&h, options ? options : "", options ? strlen(options) + 1 : 0);
    }
    hash_processor(&h);
    message options;
    make_options(s, &options);
    situ_hash_bytes(&h, options.at, options.n);
    return situ_hash_end(&h);
}

static situ_hash file_key(const situ_pjrt *s, situ_hash text)
{
    situ_hash h = situ_hash_start(7);
    situ_hash_word(&h, s->identity.a);
    situ_hash_word(&h, s->identity.b);
    situ_hash_word(&h, text.a);
    situ_hash_word(&h, text.b);
    return situ_hash_end(&h);
}

static pjrt_program from_cache(situ_pjrt *s, situ_hash text)
{
    size_t bytes;
    const situ_pjrt_plugin *p = s->plugin;
    bool loads = p->api->function[PJRT_PROGRAM_LOAD] && p->forks == situ_forks;
    unsigned char *data = loads ? situ_cache_read("pjrt", file_key(s, text), &bytes) : NULL;
    if (!data) return NULL;
    pjrt_load a = {.size = sizeof a, .client = p->client, .bytes = (const char *)data, .length = bytes};
    int code = situ_pjrt_code(p, situ_pjrt_call(p, PJRT_PROGRAM_LOAD, &a), NULL, 0);
    situ_free(data);
    if (code) situ_cache_remove("pjrt", file_key(s, text)); /* the plugin no longer accepts the cached file */
    return code ? NULL : a.program;
}

static void to_cache(situ_pjrt *s, situ_hash text, pjrt_program program)
{
    const situ_pjrt_plugin *p = s->plugin;
    pjrt_function *const *f = p->api->function;
    if (!f[PJRT_EXECUTABLE_SERIALIZE] || !f[PJRT_PROGRAM_EXECUTABLE] || !f[PJRT_EXECUTABLE_DESTROY] || !f[PJRT_PROGRAM_LOAD])
        return;
    if (!situ_cache_takes("pjrt")) return; /* serialising a program takes a thirtieth of the time of compiling it */
    pjrt_of_one inner = {.size = sizeof inner, .object = program};
    if (situ_pjrt_code(p, situ_pjrt_call(p, PJRT_PROGRAM_EXECUTABLE, &inner), NULL, 0) || !inner.out) return;
    pjrt_serialize a = {.size = sizeof a, .executable = inner.out};
    if (!situ_pjrt_code(p, situ_pjrt_call(p, PJRT_EXECUTABLE_SERIALIZE, &a), NULL, 0) && a.bytes) {
        situ_cache_write("pjrt", file_key(s, text), (const unsigned char *)a.bytes, a.length);
        if (a.drop) a.drop(a.holder);
    }
    pjrt_one destroy = {.size = sizeof destroy, .object = inner.out};
    situ_pjrt_code(p, situ_pjrt_call(p, PJRT_EXECUTABLE_DESTROY, &destroy), NULL, 0);
}

static _Atomic int64_t programs;
int64_t situ_test_pjrt_programs(void) { return programs; }

/* Waits for the devices at exit. A plugin's static objects are destroyed in reverse order of their creation, while a
 * device may still be using them. So this handler is registered last, after everything that the plugin has created,
 * and runs first. */
static void wait_at_exit(void)
{
    for (int i = 0; i < SITU_DEVICE_KINDS * SITU_DEVICES_EACH && !situ_forked; i++) {
        situ_dev *d = situ_dev_opened(situ_device_nth((situ_device_kind)(i / SITU_DEVICES_EACH), i % SITU_DEVICES_EACH));
        if (d && d->backend->finish == situ_pjrt_finish) situ_streams_wait(d);
    }
}

static situ_pjrt_program *known(situ_pjrt *s, situ_hash h)
{
    situ_pjrt_program *p = s->program;
    while (p && (p->text.a != h.a || p->text.b != h.b)) p = p->next;
    return p;
}

situ_pjrt_program *situ_pjrt_compile_text(situ_pjrt *s, const char *text, const char *name, int *code)
{
    situ_hash h = situ_hash_start(5);
    situ_hash_bytes(&h, text, strlen(text));
    h = situ_hash_end(&h);
    situ_mutex_lock(&s->compiling);
    situ_pjrt_program *p = known(s, h);
    char why[sizeof s->why];
    *code = -SITU_NO_MEMORY;
    if (!p && (p = situ_calloc(1, sizeof *p))) {
        p->program = from_cache(s, h);
        bool fresh = !p->program;
        pjrt_error error = fresh ? compile(s, text, &p->program) : NULL;
        if (fresh && !error && p->program) to_cache(s, h, p->program);
        snprintf(why, sizeof why, "it gives nothing, and says no reason");
        if (situ_pjrt_code(s->plugin, error, why, sizeof why) || !p->program) {
            *code = error == (pjrt_error)situ_pjrt_forked ? -SITU_DEVICE_LOST : -SITU_UNSUPPORTED;
            situ_free(p);
            p = NULL;
        } else {
            p->text = h;
            p->next = s->program;
            p->used = ++s->tick;
            s->program = p;
            s->programs++;
            atomic_fetch_add(&programs, 1);
            atexit(wait_at_exit);
        }
    }
    situ_mutex_unlock(&s->compiling);
    if (!p && *code == -SITU_DEVICE_LOST) situ_pjrt_fail(s, why);
    if (!p && *code == -SITU_UNSUPPORTED) {
        char told[sizeof s->why];
        snprintf(told, sizeof told, "the plugin's compiler refuses %.60s: %.200s", name, why);
        situ_pjrt_fail(s, told);
    }
    return p;
}

/* ---- removing programs: each has 100 KB or more, and changing shapes create ever new ones ---- */

int situ_pjrt_most_programs = 512;

void situ_pjrt_fewer_programs(situ_pjrt *s, int most)
{
    situ_mutex_lock(&s->compiling);
    while (s->programs > most) {
        situ_pjrt_program **oldest = &s->program;
        for (situ_pjrt_program **p = oldest; *p; p = &(*p)->next)
            if ((*p)->used < (*oldest)->used) oldest = p;
        situ_pjrt_program *gone = *oldest;
        *oldest = gone->next;
        s->programs--;
        situ_pjrt_stretch_forget(s->stretch, gone);
        pjrt_one one = {.size = sizeof one, .object = gone->program};
        situ_pjrt_code(s->plugin, situ_pjrt_call(s->plugin, PJRT_PROGRAM_DESTROY, &one), NULL, 0);
        situ_free(gone);
    }
    situ_mutex_unlock(&s->compiling);
}

/* ---- running ---- */

int situ_pjrt_execute(situ_pjrt *s, const situ_pjrt_program *p, pjrt_buffer const *argument, int arguments, const int64_t *kept,
    int nkept, pjrt_buffer *result, pjrt_event *done)
{
    pjrt_execute_options options = {.size = sizeof options, .kept = kept, .kepts = (size_t)nkept};
    pjrt_execute a = {.size = sizeof a,
        .program = p->program,
        .options = &options,
        .argument = &argument,
        .devices = 1,
        .arguments = (size_t)arguments,
        .result = &result,
        .complete = done};
    situ_pjrt_fit(s->plugin, PJRT_OPTIONS, &options);
    return situ_pjrt_failed(s, situ_pjrt_call(s->plugin, PJRT_PROGRAM_EXECUTE, &a));
}
