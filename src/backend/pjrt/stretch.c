/* A stretch is a sequence of launches that are only recorded, with their operands and the addresses of their results.
 * When the host waits, another device reads, or memory is not in the state that a step needs, the whole sequence
 * becomes one program. Its arguments are the values from before the stretch, and its results the values that are still
 * at some address: those that were overwritten or freed meanwhile are never materialised. A value that is completely
 * overwritten donates its memory to the new one, if nothing else refers to it. */
#include <string.h>

#include "backend/pjrt/pjrt.h"
#include "base/memory.h"
#include "tensor/dtype.h"

/* Limits of one stretch. XLA copies elementwise work into each kernel that reads it: a chain of such groups, each of
 * which also reads a sum, takes time quadratic in its length to compile. And it puts all error words into one kernel. */
enum { MOST_STEPS = 2048, MOST_FAILING = 128, MOST_DEPTH = 64, BUCKETS = 256 };

typedef struct step {
    const situ_pjrt_kernel *kernel;
    int64_t launch;
    size_t from, word, made; /* where its operands, words and results begin in the lists */
    bool guarded;
    bool zeros; /* it reads nothing, and its words are 0 */
} step;

typedef struct input {
    situ_pjrt_value *value;
    uintptr_t base; /* A value at two addresses is two arguments, so that the program does not depend on which addresses happen to
                     * share a value */
    int32_t before; /* index of the previous argument with the same value; -1: none */
} input;

/* A compiled program for a stretch. Steps with the same text get their words as separate arguments: only if they are
 * taken from the same place does the compiler see that the code for these steps is identical, and emit it once. */
typedef struct known {
    struct known *next;
    situ_hash exact, loose;
    situ_pjrt_program *program;
    size_t owns;
    uint32_t own[]; /* those steps */
} known;

typedef struct situ_pjrt_stretch {
    step *step;
    situ_stable_from *from;
    situ_pjrt_value **made;
    input *argument;
    uint64_t *word;
    size_t steps, froms, mades, arguments, words;
    size_t step_room, from_room, made_room, argument_room, word_room;
    int failing;
    int32_t depth; /* depth of its deepest value */
    known *known[BUCKETS];
} situ_pjrt_stretch;

situ_pjrt_stretch *situ_pjrt_stretch_new(void) { return situ_calloc(1, sizeof(situ_pjrt_stretch)); }

static void drop_arguments(situ_pjrt_stretch *q)
{
    for (size_t i = 0; i < q->arguments; i++) situ_pjrt_drop_value(q->argument[i].value);
    q->steps = q->froms = q->mades = q->arguments = q->words = 0;
    q->failing = q->depth = 0;
}

void situ_pjrt_stretch_free(situ_pjrt_stretch *q)
{
    if (!q) return;
    for (size_t i = 0; i < q->mades; i++) situ_pjrt_drop_value(q->made[i]);
    drop_arguments(q);
    for (int i = 0; i < BUCKETS; i++)
        while (q->known[i]) {
            known *k = q->known[i];
            q->known[i] = k->next;
            situ_free(k);
        }
    situ_free(q->step);
    situ_free(q->from);
    situ_free(q->made);
    situ_free(q->argument);
    situ_free(q->word);
    situ_free(q);
}

void situ_pjrt_stretch_forget(situ_pjrt_stretch *q, const situ_pjrt_program *p)
{
    for (int i = 0; i < BUCKETS && q; i++)
        for (known **at = &q->known[i], *k; (k = *at);) {
            if (k->program != p) {
                at = &k->next;
                continue;
            }
            *at = k->next;
            situ_free(k);
        }
}

bool situ_pjrt_pending(const situ_pjrt *s) { return s->stretch->steps > 0; }

/* ---- recording ---- */

static bool grow(void **at, size_t *space, size_t need, size_t size)
{
    if (need <= *space) return true;
    void *grown = situ_realloc(*at, 2 * need * size);
    if (!grown) return false;
    *at = grown;
    *space = 2 * need;
    return true;
}

static bool make_room(situ_pjrt_stretch *q, const situ_stable_kernel *k)
{
    size_t reads = (size_t)(k->operands + k->results), words = (size_t)k->words + q->froms + 2 * reads;
    return grow((void **)&q->step, &q->step_room, q->steps + 1, sizeof *q->step) &&
        grow((void **)&q->from, &q->from_room, q->froms + reads, sizeof *q->from) &&
        grow((void **)&q->made, &q->made_room, q->mades + (size_t)k->results, sizeof(void *)) &&
        grow((void **)&q->argument, &q->argument_room, q->arguments + reads, sizeof *q->argument) &&
        grow((void **)&q->word, &q->word_room, q->words + words, sizeof *q->word);
}

/* Index of the argument for this value at this address; -1: none. *newest: the value's newest argument, -1 if it has
 * none. */
static int32_t find_argument(const situ_pjrt_stretch *q, const situ_pjrt_value *v, uintptr_t base, int32_t *newest)
{
    bool has = v->argument < q->arguments && q->argument[v->argument].value == v;
    int32_t i = *newest = has ? (int32_t)v->argument : -1;
    while (i >= 0 && q->argument[i].base != base) i = q->argument[i].before;
    return i;
}

static int32_t argument_of(situ_pjrt_stretch *q, situ_pjrt_value *v, uintptr_t base)
{
    int32_t newest, i = find_argument(q, v, base, &newest);
    if (i >= 0) {
        situ_pjrt_drop_value(v);
        return i;
    }
    v->argument = (uint32_t)q->arguments;
    q->argument[q->arguments++] = (input){v, base, newest};
    return (int32_t)v->argument;
}

/* Records an operand. 0, a code, or 1: the stretch was started and a new one begins. */
static int read_from(situ_dev *d, uintptr_t address, int dtype, int64_t extent, int64_t row)
{
    situ_pjrt_stretch *q = ((situ_pjrt *)d->state)->stretch;
    situ_pjrt_value *v;
    int64_t first, count;
    uintptr_t base;
    size_t bytes = (size_t)extent * situ_dtype_size((situ_dtype)dtype);
    int code = situ_pjrt_take(d, address, bytes, dtype, row, &v, &first, &count, &base);
    if (code) return code;
    situ_stable_from f = {.step = v->step, .of = v->of, .count = count, .first = first, .word = -1};
    if (v->step >= 0) {
        situ_pjrt_drop_value(v);
    } else {
        f.of = argument_of(q, v, base);
        f.first = 0;
        if (first || count != extent) {
            f.word = (int32_t)q->words;
            q->word[q->words++] = (uint64_t)first;
        }
    }
    q->from[q->froms++] = f;
    return 0;
}

static uintptr_t operand_at(const situ_stable_operand *o, char *const *address)
{
    return (uintptr_t)address[o->address] + (uintptr_t)(o->low * (int64_t)situ_dtype_size((situ_dtype)o->dtype));
}

static int read_all(situ_dev *d, const situ_stable_kernel *k, char *const *address, bool guarded)
{
    int code = 0;
    for (int i = 0; i < k->operands && !code; i++)
        code = read_from(d, operand_at(&k->operand[i], address), k->operand[i].dtype, k->operand[i].extent, k->operand[i].row);
    for (int i = 0; i < k->results && guarded && !code; i++)
        code = read_from(d, (uintptr_t)address[k->result[i].address], k->result[i].dtype, k->result[i].count, k->result[i].row);
    return code;
}

static size_t bytes_of(const situ_stable_result *r) { return (size_t)r->count * situ_dtype_size((situ_dtype)r->dtype); }

/* The depth of what the step computes elementwise. */
static int32_t depth_of(const situ_pjrt_stretch *q, size_t from)
{
    int32_t most = 0;
    for (; from < q->froms; from++) {
        const situ_stable_from *f = &q->from[from];
        int32_t depth = f->step < 0 ? 0 : q->made[q->step[f->step].made + (size_t)f->of]->depth;
        if (depth > most) most = depth;
    }
    return most + 1;
}

static int write_all(situ_pjrt *s, const situ_pjrt_kernel *it, size_t from, char *const *address)
{
    situ_pjrt_stretch *q = s->stretch;
    const situ_stable_kernel *k = &it->k;
    int32_t depth = depth_of(q, from);
    int made = 0, code = 0;
    for (; made < k->results; made++) {
        const situ_stable_result *r = &k->result[made];
        situ_pjrt_value *v = situ_pjrt_promise(s, (int)q->steps, made, r->dtype, bytes_of(r));
        if (!v) break;
        v->depth = made < it->stores ? depth : 0;
        q->made[q->mades + (size_t)made] = v;
    }
    if (made < k->results) {
        while (made--) situ_pjrt_drop_value(q->made[q->mades + (size_t)made]);
        return -SITU_NO_MEMORY;
    }
    for (int i = 0; i < made; i++) {
        int one = situ_pjrt_put(s, address[k->result[i].address], q->made[q->mades + (size_t)i]);
        if (!code) code = one;
    }
    q->mades += (size_t)made;
    if (it->stores && depth > q->depth) q->depth = depth;
    q->failing += k->can_fail;
    return code;
}

/* Records a launch. 0, a code, or 1: to be repeated, in a new stretch. */
static int write_down(
    situ_dev *d, const situ_pjrt_kernel *it, char *const *address, const uint64_t *word, int64_t launch, bool guarded)
{
    situ_pjrt *s = d->state;
    situ_pjrt_stretch *q = s->stretch;
    const situ_stable_kernel *k = &it->k;
    step one = {it, launch, q->froms, 0, q->mades, guarded, false};
    if (!make_room(q, k)) return -SITU_NO_MEMORY;
    int code = read_all(d, k, address, guarded);
    if (code == 1) return 1;
    if (code) {
        q->froms = one.from;
        return code;
    }
    one.word = q->words;
    one.zeros = k->words && !k->operands;
    for (int i = 0; i < k->words; i++) {
        q->word[q->words++] = word[i];
        one.zeros = one.zeros && !word[i];
    }
    q->step[q->steps] = one;
    code = write_all(s, it, one.from, address);
    q->steps += code == 0 || q->mades > one.made || !k->results;
    return code;
}

/* Is there a value at each result's address? */
static bool all_lie(situ_pjrt *s, const situ_stable_kernel *k, char *const *address)
{
    for (int i = 0; i < k->results; i++)
        if (!situ_pjrt_lies(s, (uintptr_t)address[k->result[i].address], bytes_of(&k->result[i]), k->result[i].dtype)) return false;
    return true;
}

/* Prepares a step that overwrites variables if earlier steps may have failed: those of this stretch are checked on the
 * device, those started before here. 1: the step must not run. */
static int guard(situ_pjrt *s, const situ_pjrt_kernel *k, char *const *address, bool *guarded)
{
    if (s->stretch->failing && !all_lie(s, &k->k, address)) situ_pjrt_start(s);
    int code = situ_pjrt_ask(s);
    *guarded = s->stretch->failing > 0;
    return code ? code : s->found.code || s->late;
}

/* True if compiling a longer program would take too long. */
static bool is_long(const situ_pjrt_stretch *q)
{
    return q->steps == MOST_STEPS || q->failing >= MOST_FAILING || q->depth >= MOST_DEPTH;
}

int situ_pjrt_launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    situ_pjrt *s = d->state;
    const situ_pjrt_kernel *k = it;
    int64_t launch = s->launches++;
    bool guarded = false;
    int code = 0;
    (void)fault;
    if ((!k->k.results && !k->k.can_fail) || s->late) return 0;
    if (is_long(s->stretch)) situ_pjrt_start(s);
    if (k->guarded && (code = guard(s, k, address, &guarded))) return code > 0 ? 0 : code;
    while ((code = write_down(d, k, address, argument, launch, guarded)) == 1) {
        guarded = false;
        if (k->guarded && (code = guard(s, k, address, &guarded))) return code > 0 ? 0 : code;
        if (s->late) return 0;
    }
    return code;
}

/* ---- starting ---- */

/* How a stretch becomes a program: which values are results, and which arguments are donated to them. */
typedef struct plan {
    struct situ_stable_given *result;
    struct situ_stable_argument *argument;
    situ_pjrt_value **value; /* [result] value */
    int results;
} plan;

static bool plan_new(const situ_pjrt_stretch *q, plan *p)
{
    p->result = situ_malloc((q->mades + 1) * sizeof *p->result);
    p->argument = situ_malloc((q->arguments + 1) * sizeof *p->argument);
    p->value = situ_malloc((q->mades + 1) * sizeof(void *));
    return p->result && p->argument && p->value;
}

static void plan_drop(plan *p)
{
    situ_free(p->result);
    situ_free(p->argument);
    situ_free(p->value);
}

static void find_results(situ_pjrt_stretch *q, plan *p)
{
    for (size_t i = 0; i < q->mades; i++) {
        situ_pjrt_value *v = q->made[i];
        if (atomic_load(&v->uses) == 1) { /* nobody else reads it */
            situ_pjrt_drop_value(v->was);
            v->was = NULL;
            continue;
        }
        p->value[p->results] = v;
        v->row = q->step[v->step].kernel->k.result[v->of].row;
        p->result[p->results++] = (struct situ_stable_given){v->step, v->of, v->row};
    }
    for (size_t i = 0; i < q->arguments; i++) {
        const situ_pjrt_value *v = q->argument[i].value;
        int64_t count = (int64_t)(v->bytes / situ_dtype_size((situ_dtype)v->dtype));
        p->argument[i] = (struct situ_stable_argument){count, v->row, v->dtype, -1};
    }
    for (int r = p->results; r--;) {
        const situ_pjrt_value *v = p->value[r], *was = v->was;
        int32_t newest, i = was && was->dtype == v->dtype ? find_argument(q, was, v->address, &newest) : -1;
        if (i < 0) continue;
        p->argument[i].over = r;
        p->result[r].row = p->value[r]->row = was->row;
    }
}

/* Hash of a stretch; exact: includes the positions of parts of results. */
static situ_hash hash_of(const situ_pjrt_stretch *q, const plan *p, bool exact)
{
    situ_hash h = situ_hash_start(exact);
    for (size_t i = 0; i < q->steps; i++) {
        const step *t = &q->step[i];
        situ_hash_word(&h, t->kernel->text.a);
        situ_hash_word(&h, t->kernel->text.b);
        situ_hash_word(&h, (uint64_t)t->word << 2 | (uint64_t)t->zeros << 1 | t->guarded);
    }
    for (size_t i = 0; i < q->froms; i++) {
        situ_stable_from f = q->from[i];
        if (!exact) f.first = 0;
        situ_hash_bytes(&h, &f, sizeof f);
    }
    situ_hash_bytes(&h, p->argument, q->arguments * sizeof *p->argument);
    situ_hash_bytes(&h, p->result, (size_t)p->results * sizeof *p->result);
    return situ_hash_end(&h);
}

/* Turns positions of parts of results into run-time words. */
static void make_loose(situ_pjrt_stretch *q)
{
    for (size_t i = 0, k = 0; i < q->froms; i++) {
        while (k + 1 < q->steps && q->step[k + 1].from <= i) k++;
        situ_stable_from *f = &q->from[i];
        size_t own = i - q->step[k].from, operands = (size_t)q->step[k].kernel->k.operands;
        int64_t extent =
            own < operands ? q->step[k].kernel->k.operand[own].extent : q->step[k].kernel->k.result[own - operands].count;
        if (f->step < 0 || (!f->first && f->count == extent)) continue;
        f->word = (int32_t)q->words;
        q->word[q->words++] = (uint64_t)f->first;
        f->first = 0;
    }
}

/* Describes step i, after those before it. */
static void describe_step(const situ_pjrt_stretch *q, size_t i, situ_stable_step *out)
{
    const step *t = &q->step[i];
    int32_t same = 0;
    while (!situ_hash_equal(q->step[same].kernel->text, t->kernel->text)) same++;
    out[i] = (situ_stable_step){&t->kernel->k, same, (int32_t)t->word, q->from + t->from, t->guarded, false, t->zeros};
    if ((size_t)same < i && t->kernel->k.words) {
        out[i].own = !t->zeros;
        out[same].own = !out[same].zeros;
    }
}

static known *known_new(const situ_stable_step *steps, size_t n)
{
    size_t owns = 0;
    for (size_t i = 0; i < n; i++) owns += steps[i].own;
    known *k = situ_malloc(sizeof *k + owns * sizeof *k->own);
    if (!k) return NULL;
    k->owns = 0;
    for (size_t i = 0; i < n; i++)
        if (steps[i].own) k->own[k->owns++] = (uint32_t)i;
    return k;
}

static known *compile(situ_pjrt *s, const plan *p, const char *name, int *code)
{
    const situ_pjrt_stretch *q = s->stretch;
    situ_stable_step *steps = situ_malloc(q->steps * sizeof *steps);
    *code = -SITU_NO_MEMORY;
    if (!steps) return NULL;
    for (size_t i = 0; i < q->steps; i++) describe_step(q, i, steps);
    known *k = known_new(steps, q->steps);
    char *text = !k ? NULL :
                      situ_stable_program_text(&(situ_stable_program){.step = steps,
                          .steps = (int)q->steps,
                          .argument = p->argument,
                          .arguments = (int)q->arguments,
                          .result = p->result,
                          .results = p->results,
                          .words = (int)q->words});
    situ_free(steps);
    if (text && (k->program = situ_pjrt_compile_text(s, text, name, code))) {
        situ_free(text);
        return k;
    }
    situ_free(text);
    situ_free(k);
    return NULL;
}

/* Does the plugin compile this kernel by itself? */
static bool compiles_alone(situ_pjrt *s, const situ_pjrt_kernel *k)
{
    struct situ_stable_given result[SITU_STABLE_RESULTS];
    struct situ_stable_argument argument[SITU_STABLE_OPERANDS];
    situ_stable_from from[SITU_STABLE_OPERANDS];
    situ_stable_step one = {&k->k, 0, 0, from, false, false, false};
    for (int i = 0; i < k->k.results; i++) result[i] = (struct situ_stable_given){0, i, 0};
    for (int i = 0; i < k->k.operands; i++) {
        const situ_stable_operand *o = &k->k.operand[i];
        argument[i] = (struct situ_stable_argument){o->extent, 0, o->dtype, -1};
        from[i] = (situ_stable_from){.step = -1, .of = i, .count = o->extent, .word = -1};
    }
    char *text =
        situ_stable_program_text(&(situ_stable_program){&one, 1, k->k.operands, k->k.results, k->k.words, argument, result});
    int code;
    bool made = text && situ_pjrt_compile_text(s, text, k->name, &code);
    situ_free(text);
    return made;
}

/* Finds the step that the plugin refuses; finish reports it. */
static void refuse(situ_pjrt *s)
{
    const situ_pjrt_stretch *q = s->stretch;
    size_t i = 0;
    while (i + 1 < q->steps && compiles_alone(s, q->step[i].kernel)) i++;
    s->late = -SITU_UNSUPPORTED;
    s->late_launch = q->step[i].launch;
}

static known *known_as(const situ_pjrt_stretch *q, situ_hash exact)
{
    known *k = q->known[exact.a % BUCKETS];
    while (k && !situ_hash_equal(k->exact, exact)) k = k->next;
    return k;
}

static bool has_loose(const situ_pjrt_stretch *q, situ_hash loose)
{
    for (int i = 0; i < BUCKETS; i++)
        for (const known *k = q->known[i]; k; k = k->next)
            if (situ_hash_equal(k->loose, loose)) return true;
    return false;
}

static const known *program_of(situ_pjrt *s, const plan *p, int *code)
{
    situ_pjrt_stretch *q = s->stretch;
    situ_hash exact = hash_of(q, p, true);
    known *k = known_as(q, exact);
    if (k) return k;
    situ_hash loose = hash_of(q, p, false);
    if (has_loose(q, loose)) { /* only positions differ: a program with positions as words serves all */
        make_loose(q);
        exact = hash_of(q, p, true);
        if ((k = known_as(q, exact))) return k;
    }
    k = compile(s, p, q->step[0].kernel->name, code);
    if (k) {
        known **chain = &q->known[exact.a % BUCKETS];
        k->next = *chain;
        k->exact = exact;
        k->loose = loose;
        *chain = k;
    }
    return k;
}

/* Lists arguments with other references, whose memory must not be reused by a result. */
static int find_kept(const situ_pjrt_stretch *q, const plan *p, int64_t *kept)
{
    int n = 0;
    for (size_t i = 0; i < q->arguments; i++) {
        const situ_pjrt_value *v = q->argument[i].value;
        if (p->argument[i].over >= 0 && (v->lent || atomic_load(&v->uses) > 2)) kept[n++] = (int64_t)i;
    }
    return n;
}

static int64_t *failing_launches(const situ_pjrt_stretch *q)
{
    int64_t *which = situ_malloc(8 * (size_t)q->failing);
    for (size_t i = 0, n = 0; i < q->steps && which; i++)
        if (q->step[i].kernel->k.can_fail) which[n++] = q->step[i].launch;
    return which;
}

/* Sends the words, and those of steps that have separate ones, as arguments after the others. Counts the buffers that
 * it made, even if it fails. */
static int send_words(situ_pjrt *s, const known *program, pjrt_buffer *to, size_t *made)
{
    const situ_pjrt_stretch *q = s->stretch;
    pjrt_error error = NULL;
    for (size_t i = 0; q->words && i <= program->owns; i++) {
        const step *t = i ? &q->step[program->own[i - 1]] : NULL;
        const uint64_t *from = t ? q->word + t->word : q->word;
        to[i] = situ_pjrt_send(s, from, SITU_U64, t ? t->kernel->k.words : (int64_t)q->words, 0, &error);
        if (!to[i]) return situ_pjrt_gave(s, error, NULL);
        ++*made;
    }
    return 0;
}

/* result: array for the results and one more. */
static int execute(situ_pjrt *s, const plan *p, const known *program, pjrt_buffer *result)
{
    situ_pjrt_stretch *q = s->stretch;
    size_t n = q->arguments, words = 0;
    situ_pjrt_run run = {.launch = q->steps == 1 ? q->step[0].launch : -1, .failing = q->failing};
    pjrt_buffer *argument = situ_malloc((n + 1 + program->owns) * sizeof *argument);
    int64_t *kept = situ_malloc(8 * (n + 1));
    int code = argument && kept && (!q->failing || (run.which = failing_launches(q))) ? 0 : -SITU_NO_MEMORY;
    if (!code) code = send_words(s, program, argument + n, &words);
    if (!code) {
        program->program->used = ++s->tick;
        for (size_t i = 0; i < n; i++) argument[i] = q->argument[i].value->buffer;
        code = situ_pjrt_execute(s, program->program, argument, (int)(n + words), kept, find_kept(q, p, kept), result, &run.done);
        for (int i = 0; i < p->results + (q->failing > 0) && !code; i++) code = situ_pjrt_gave(s, NULL, result[i]);
    }
    while (words--) situ_pjrt_destroy(s->plugin, argument[n + words]);
    situ_free(argument);
    situ_free(kept);
    if (code) {
        situ_pjrt_code(s->plugin, situ_pjrt_await(s->plugin, run.done), NULL, 0);
        for (int i = 0; i <= p->results; i++) situ_pjrt_destroy(s->plugin, result[i]);
        memset(result, 0, ((size_t)p->results + 1) * sizeof *result);
        situ_free(run.which);
        return code;
    }
    if (q->failing) run.fault = result[p->results];
    for (size_t i = 0; i < q->steps; i++) s->updating |= q->step[i].kernel->guarded;
    return situ_pjrt_started(s, run);
}

void situ_pjrt_start(situ_pjrt *s)
{
    situ_pjrt_stretch *q = s->stretch;
    plan p = {0};
    if (!q->steps) {
        drop_arguments(q);
        return;
    }
    int code = plan_new(q, &p) ? 0 : -SITU_NO_MEMORY;
    pjrt_buffer *result = code ? NULL : situ_calloc(q->mades + 1, sizeof(void *));
    if (!code && !result) code = -SITU_NO_MEMORY;
    if (!code) {
        find_results(q, &p);
        const known *program = p.results || q->failing ? program_of(s, &p, &code) : NULL;
        if (program) code = execute(s, &p, program, result);
        else if (code == -SITU_UNSUPPORTED) refuse(s);
    }
    if (code && !s->late) {
        s->late = code;
        s->late_launch = q->steps == 1 ? q->step[0].launch : -1;
    }
    for (int i = 0; i < p.results; i++) situ_pjrt_keep(s, p.value[i], result[i]);
    for (size_t i = 0; i < q->mades; i++) {
        q->made[i]->step = -1;
        situ_pjrt_drop_value(q->made[i]);
    }
    situ_free(result);
    plan_drop(&p);
    drop_arguments(q);
}
