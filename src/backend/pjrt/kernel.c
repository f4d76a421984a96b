/* Kernels of a PJRT device: a function of StableHLO, and the programs around it. Operands lie anywhere in the values that hold
 * them, so a program is made for the sizes of those values; where in them is an argument. */
#include <stdio.h>
#include <string.h>

#include "backend/pjrt/pjrt.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/stable.h"
#include "tensor/dtype.h"

/* For operands that are a whole value each (whole), or a part of one of so many elements. */
typedef struct variant {
    struct variant *next;
    situ_pjrt_program *program;
    int64_t count[];
} variant;

typedef struct kernel {
    char *name;
    pthread_mutex_t lock;
    situ_known_lock known;
    variant *made;
    situ_stable_kernel k;
} kernel;

/* ---- making ---- */

size_t situ_pjrt_workspace(const struct situ_kernel_desc *desc)
{
    (void)desc;
    return 0;
}

void *situ_pjrt_compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    (void)d;
    kernel *k = situ_calloc(1, sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    if (situ_stable_kernel_of(desc, &k->k)) {
        situ_free(k);
        return NULL;
    }
    if (!(k->name = situ_strdup(desc->name))) {
        situ_free(k->k.body);
        situ_free(k);
        return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    }
    pthread_mutex_init(&k->lock, NULL);
    situ_lock_known(&k->known, &k->lock);
    return k;
}

void situ_pjrt_drop(situ_dev *d, void *it)
{
    (void)d;
    kernel *k = it;
    if (!k) return;
    while (k->made) {
        variant *v = k->made;
        k->made = v->next;
        situ_free(v);
    }
    situ_lock_forget(&k->known);
    pthread_mutex_destroy(&k->lock);
    situ_free(k->k.body);
    situ_free(k->name);
    situ_free(k);
}

void situ_pjrt_explain(const void *it, const char **chosen, const char **refusals)
{
    (void)it;
    *chosen = "StableHLO text";
    *refusals = "";
}

/* ---- running ---- */

typedef struct launch {
    situ_pjrt_value *value[SITU_STABLE_OPERANDS];
    int64_t count[SITU_STABLE_OPERANDS];
    pjrt_buffer argument[SITU_STABLE_OPERANDS + 1], result[SITU_STABLE_RESULTS + 1];
    uint64_t *word;
    int words;
} launch;

static int take_operands(situ_dev *d, const situ_stable_kernel *k, char *const *address, launch *l)
{
    int code = 0;
    for (int i = 0; i < k->operands; i++) {
        const situ_stable_operand *o = &k->operand[i];
        size_t size = situ_dtype_size((situ_dtype)o->dtype);
        uintptr_t at = (uintptr_t)address[o->address] + (uintptr_t)(o->low * (int64_t)size);
        int64_t first;
        l->value[i] = situ_pjrt_take(d, at, (size_t)o->extent * size, o->dtype, &first, &l->count[i], &code);
        if (!l->value[i]) return code;
        l->argument[i] = l->value[i]->buffer;
        if (!first && l->count[i] == o->extent) l->count[i] = -1;
        else l->word[l->words++] = (uint64_t)first;
    }
    return 0;
}

static situ_pjrt_program *program_for(situ_pjrt *s, kernel *k, const launch *l, int *code)
{
    size_t bytes = 8 * (size_t)k->k.operands;
    pthread_mutex_lock(&k->lock);
    *code = -SITU_NO_MEMORY;
    variant *v = k->made;
    while (v && bytes && memcmp(v->count, l->count, bytes)) v = v->next;
    if (!v && (v = situ_calloc(1, sizeof *v + bytes))) {
        char *text = situ_stable_program(&k->k, l->count, l->words);
        v->program = text ? situ_pjrt_compile_text(s, text, k->name, code) : NULL;
        if (bytes) memcpy(v->count, l->count, bytes);
        situ_free(text);
        if (v->program) {
            v->next = k->made;
            k->made = v;
        } else {
            situ_free(v);
            v = NULL;
        }
    }
    pthread_mutex_unlock(&k->lock);
    return v ? v->program : NULL;
}

static int keep_results(situ_pjrt *s, const situ_stable_kernel *k, char *const *address, const launch *l)
{
    int code = 0, one;
    for (int i = 0; i < k->results; i++) {
        const situ_stable_result *r = &k->result[i];
        size_t bytes = (size_t)r->count * situ_dtype_size((situ_dtype)r->dtype);
        if ((one = situ_pjrt_put(s, address[r->address], l->result[i], r->dtype, bytes))) code = one;
    }
    return code;
}

static int run(situ_pjrt *s, kernel *k, char *const *address, launch *l, int64_t number)
{
    pjrt_error error = NULL;
    int n = k->k.operands;
    situ_pjrt_run run = {.launch = number};
    int code = 0, kept;
    situ_pjrt_program *p = program_for(s, k, l, &code);
    if (!p) return code;
    if (l->words && !(l->argument[n] = situ_pjrt_send(s, l->word, SITU_U64, l->words, &error))) return situ_pjrt_failed(s, error);
    code = situ_pjrt_execute(s, p, l->argument, n + (l->words > 0), l->result, &run);
    if (l->words) situ_pjrt_destroy(s->plugin, l->argument[n]);
    for (int i = 0; code && i < k->k.results + k->k.can_fail; i++) situ_pjrt_destroy(s->plugin, l->result[i]);
    if (code) return code;
    run.fault = k->k.can_fail ? l->result[k->k.results] : NULL;
    kept = keep_results(s, &k->k, address, l);
    code = situ_pjrt_started(s, run);
    return code ? code : kept;
}

int situ_pjrt_launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    situ_pjrt *s = d->state;
    kernel *k = it;
    uint64_t few[SITU_STABLE_OPERANDS + SITU_FUSED_WORDS];
    int64_t number = s->launches++;
    (void)fault;
    if (!k->k.results && !k->k.can_fail) return 0;
    launch l = {.word = few, .words = k->k.words};
    if (k->k.words > SITU_FUSED_WORDS && !(l.word = situ_malloc(8 * (size_t)(k->k.words + SITU_STABLE_OPERANDS))))
        return -SITU_NO_MEMORY;
    if (k->k.words) memcpy(l.word, argument, 8 * (size_t)k->k.words);
    int code = take_operands(d, &k->k, address, &l);
    if (!code) code = run(s, k, address, &l, number);
    for (int i = 0; i < k->k.operands; i++) situ_pjrt_drop_value(l.value[i]);
    if (l.word != few) situ_free(l.word);
    return code;
}
