/* The functions of a file: their plans, their weights, their memory, their steps. */
#include "emit/emit.h"

#include <math.h>
#include <situ.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "os/plain.h"
#include "plan/build.h"
#include "device/thread.h"
#include "run/enqueue.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

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
    for (int i = 0; i < e->f->inputs; i++)
        if (e->f->node[i] == node) return i;
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

static bool all_zero(const situ_emit_array *a)
{
    const char *p = a->address, *end = p + (size_t)a->count * situ_dtype_size(a->dtype);
    while (p < end && !*p) p++;
    return p == end;
}

void situ_emit_values(situ_source *t, situ_dtype d, int64_t count, const char *from)
{
    situ_source_add(t, "[%lld] = {", (long long)(count + !count));
    for (int64_t i = 0; i < count; i++) {
        situ_source_append(t, i % 8 ? ", " : i ? ",\n    " : "\n    ");
        write_number(t, d, from + (size_t)i * situ_dtype_size(d));
    }
    situ_source_append(t, count ? "\n};\n" : "0};\n");
}

static void write_array(situ_emitted *e, situ_emit_array *a, uint32_t number, const char *name)
{
    if ((a->zeros = a->state >= 0 && all_zero(a))) return;
    situ_source_add(&e->weights, "/* %s */\nstatic const %s %s_w%u", name, situ_emit_type(a->dtype), e->name, number);
    situ_emit_values(&e->weights, a->dtype, a->count, a->address);
    e->weight_bytes += a->count * (int64_t)situ_dtype_size(a->dtype);
}

int32_t situ_emit_array_number(situ_emitted *e, const char *address, situ_dtype dtype, int64_t count, bool state, const char *name)
{
    uint32_t k = 0;
    while (k < e->arrays && (e->array[k].address != address || e->array[k].dtype != dtype || e->array[k].count != count)) k++;
    if (k < e->arrays) return (int32_t)k;
    if (k == e->array_room) {
        uint32_t more = k ? 2 * k : 32;
        situ_emit_array *grown = situ_realloc(e->array, more * sizeof *grown);
        if (!grown) return fail_memory(e), -1;
        e->array = grown;
        e->array_room = more;
    }
    e->array[k] = (situ_emit_array){address, dtype, count, state ? e->state_bytes : -1, false};
    if (state) e->state_bytes += (count * (int64_t)situ_dtype_size(dtype) + 15) / 16 * 16;
    write_array(e, &e->array[k], k, name);
    e->arrays++;
    return (int32_t)k;
}

static int fail_weight(const situ_emitted *e, const char *name, const char *why)
{
    return situ_fail(SITU_UNSUPPORTED, e->site, "situ_emit: a weight (%s) is %s", name, why);
}

/* Gives each variable that is assigned its place in the context. */
static int find_state(situ_emitted *e)
{
    for (uint32_t i = 0; i < e->walk->assignments; i++) {
        const situ_slot *s = e->walk->assignment[i].slot;
        const situ_tensor *v = s->heap->node;
        const char *name = situ_node_aside(v)->name;
        if (!name || strstr(name, "*/")) name = "a variable";
        if (!s->buffer || s->buffer->dev->device.kind != SITU_CPU) return fail_weight(e, name, "not on the CPU");
        if (situ_dtype_is_complex((situ_dtype)v->dtype)) return fail_weight(e, name, "complex, which C99 for small machines lacks");
        if (situ_await(s->buffer, e->site)) return -situ_error_code;
        if (situ_emit_array_number(e, s->buffer->address, (situ_dtype)v->dtype, situ_node_count(v), true, name) < 0)
            return -situ_error_code;
    }
    return 0;
}

/* Gives each leaf that a step reads its number among the arrays; those that share memory share an array. */
static int find_arrays(situ_emitted *e)
{
    const situ_walk *w = e->walk;
    if (!(e->array_of = situ_calloc(w->count + 1u, sizeof *e->array_of))) return fail_memory(e);
    for (uint32_t i = 0; i < e->plan->nplace; i++) {
        const situ_place *p = &e->plan->place[i];
        if (p->kind != SITU_PLACE_LEAF || input_of(e, w->node[p->of]) >= 0) continue;
        const situ_tensor *leaf = w->node[p->of];
        int64_t count = span_of(leaf);
        if (!leaf->buffer || leaf->buffer->dev->device.kind != SITU_CPU)
            return fail_weight(e, name_of(leaf), "not on the CPU; move the network there first");
        if (count < 0) return fail_weight(e, name_of(leaf), "a view that goes backwards; copy it first");
        if (situ_dtype_is_complex((situ_dtype)leaf->dtype))
            return fail_weight(e, name_of(leaf), "complex, which C99 for small machines lacks");
        if (situ_await(leaf->buffer, e->site)) return -situ_error_code;
        int32_t k = situ_emit_array_number(e, situ_node_address(leaf), (situ_dtype)leaf->dtype, count, false, name_of(leaf));
        if (k < 0) return -situ_error_code;
        e->array_of[p->of] = k;
    }
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* Finds out which result lies in which of the plan's buffers; what is stored besides lies behind the arena. 1: a result is a view,
 * which needs a copy. */
static int find_rooms(situ_emitted *e)
{
    const situ_plan *p = e->plan;
    if (!(e->room = situ_calloc(p->npersistent + 1u, sizeof *e->room))) return fail_memory(e);
    e->f->arena_bytes = (p->arena_bytes[0] + 63) / 64 * 64;
    for (uint32_t i = 0; i < p->npersistent; i++) e->room[i] = INT64_MAX;
    for (int k = 0; k < e->f->results; k++) {
        const situ_output *o = NULL;
        for (uint32_t i = 0; i < p->noutput && !o; i++)
            if (e->walk->node[p->output[i].node] == situ_emit_results(e->f)[k]) o = &p->output[i];
        const situ_place *place = o && o->place >= 0 ? &p->place[o->place] : NULL;
        if (!place || place->kind != SITU_PLACE_OUTPUT || o->strided || o->offset || place->offset || o->dynamic >= 0 ||
            e->room[place->of] != INT64_MAX)
            return 1;
        e->room[place->of] = -1 - k;
    }
    for (uint32_t i = 0; i < p->npersistent; i++) {
        if (e->room[i] != INT64_MAX) continue;
        e->room[i] = e->f->arena_bytes;
        e->f->arena_bytes += (p->persistent[i].bytes + 63) / 64 * 64;
    }
    if (e->f->arena_bytes > e->arena_bytes) e->arena_bytes = e->f->arena_bytes;
    return 0;
}

static int64_t dynamic_of(situ_emitted *e, int32_t index)
{
    if (index < 0) return 0;
    const situ_dynamic *d = &e->plan->dynamic[index];
    int64_t offset = dynamic_of(e, d->base);
    for (int k = 0; k < d->count; k++) offset += (int64_t)situ_emit_word_at(e, d->node, (uint32_t)k) * d->coefficient[k];
    return offset;
}

static int64_t state_of(situ_emitted *e, uint32_t assignment)
{
    const situ_slot *s = e->walk->assignment[assignment].slot;
    const situ_tensor *v = s->heap->node;
    int32_t k = situ_emit_array_number(e, s->buffer->address, (situ_dtype)v->dtype, situ_node_count(v), true, "");
    return k < 0 ? 0 : e->array[k].state;
}

/* Writes an address as an argument of a step's function. */
static void write_address(situ_emitted *e, const situ_address *a, const char *type, bool written)
{
    const situ_place *p = &e->plan->place[a->place];
    situ_source *t = &e->f->calls;
    int64_t offset = a->offset + p->offset + dynamic_of(e, a->dynamic);
    const char *constant = written ? "" : "const ";
    situ_source_add(t, "(%s%s *)(%svoid *)(", constant, type, constant);
    if (p->kind == SITU_PLACE_LEAF) {
        int input = input_of(e, e->walk->node[p->of]);
        const situ_emit_array *array = input < 0 ? &e->array[e->array_of[p->of]] : NULL;
        if (array && array->state >= 0) {
            situ_source_append(t, "state");
            offset += array->state;
        } else {
            situ_source_append(t, "(const unsigned char *)");
            if (input >= 0) situ_emit_input_name(t, e->f, input);
            else situ_source_add(t, "%s_w%d", e->name, e->array_of[p->of]);
        }
    } else if (p->kind == SITU_PLACE_OUTPUT && e->room[p->of] < 0) {
        situ_source_append(t, "(unsigned char *)");
        situ_emit_result_name(t, e->f, (int)(-1 - e->room[p->of]));
        e->f->loss_written |= written;
    } else if (p->kind == SITU_PLACE_SLOT) {
        situ_source_append(t, "state");
        offset += state_of(e, p->of);
    } else {
        situ_source_append(t, "arena");
        if (p->kind == SITU_PLACE_OUTPUT) offset += e->room[p->of];
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

/* The number in the file of an earlier step with the same kernel and the same words, or this step's. */
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
        if (same && !situ_emit_varies(e)) return e->first + i;
    }
    return e->first + e->number;
}

static const char *line_of(const situ_emitted *e)
{
    const situ_tensor *t = e->step->node >= 0 ? e->walk->node[e->step->node] : NULL;
    return t && t->site && !strstr(t->site, "*/") ? t->site : "?";
}

/* Before the first change: whether the step may change anything. */
static void write_check(situ_emitted *e)
{
    situ_source *t = &e->f->calls;
    e->f->checked = true;
    if (!e->f->loss_written) situ_emit_refuse(e, "it changes a variable before the loss is known");
    if (e->f->can_fail) situ_source_add(t, "    if (fault.code) return %s_BAD_INDEX;\n", e->upper);
    situ_source_add(t, "    if (!(*loss - *loss == 0)) return %s_NOT_FINITE;\n", e->upper);
}

static void write_call(situ_emitted *e, const situ_emit_kernel *k, uint32_t function)
{
    const situ_plan_step *s = e->step;
    situ_source *t = &e->f->calls;
    bool varies = situ_emit_varies(e), fails = k->is_call && k->call.op->can_fail;
    situ_source_add(t, "    /* %s: %s */\n    ", s->name, line_of(e));
    if (varies) situ_emit_arguments(e, t, false);
    situ_source_add(t, "%s_step_%u(", e->name, function);
    for (uint32_t i = 0; i < s->naddress && !*e->refusal; i++) {
        bool written;
        const char *type = address_type(k, i, &written);
        if (i) situ_source_append(t, ",\n        ");
        write_address(e, &e->plan->address[s->address + i], type, written);
    }
    e->f->can_fail |= fails;
    situ_source_add(t, "%s%s);%s\n", fails ? ", &fault.code" : "", varies ? ", argument" : "", varies ? " }" : "");
}

static int write_step(situ_emitted *e)
{
    const situ_plan_step *s = e->step;
    const situ_emit_kernel *k = s->kernel;
    uint32_t function = same_before(e);
    if (s->update && !e->f->checked) write_check(e);
    if (s->kind != SITU_PLAN_KERNEL) situ_emit_refuse(e, "it copies between devices");
    else if (function == e->first + e->number) {
        situ_source_add(&e->steps, "/* %s: %s */\n", s->name, line_of(e));
        (k->is_call ? situ_emit_call_step : situ_emit_group_step)(e, k);
    }
    if (!*e->refusal) write_call(e, k, function);
    if (*e->refusal)
        return situ_fail(SITU_UNSUPPORTED, e->site,
            "situ_emit: %s at %s cannot be written as C: %s; docs/emit.md lists what can; nothing was written", s->name, line_of(e),
            e->refusal);
    return -situ_error_code;
}

/* Variables whose next value was not computed in their place get it at the end. */
static void write_updates(situ_emitted *e)
{
    situ_source *t = &e->f->calls;
    if (!e->f->checked) write_check(e);
    for (uint32_t i = 0; i < e->plan->nupdate; i++) {
        const situ_update *u = &e->plan->update[i];
        if (u->persistent < 0) continue;
        int64_t room = e->room[u->persistent];
        situ_source_add(t, "    net_copy(state + %lld, ", (long long)state_of(e, u->assignment));
        if (room < 0) situ_source_append(t, "(const unsigned char *)loss");
        else situ_source_add(t, "arena + %lld", (long long)room);
        situ_source_add(t, ", %lld);\n", (long long)u->bytes);
    }
    situ_source_append(t, "    context->step++;\n");
}

static int write_function(situ_emitted *e)
{
    int rc = find_rooms(e);
    if (!rc && e->f->trains) rc = find_state(e);
    if (!rc) rc = find_arrays(e);
    for (e->number = 0; e->number < e->plan->nstep && !rc; e->number++) {
        e->step = &e->plan->step[e->number];
        rc = write_step(e);
    }
    if (!rc && e->f->trains) write_updates(e);
    if (!rc) e->first += e->plan->nstep;
    situ_free(e->room);
    situ_free(e->array_of);
    e->room = NULL;
    e->array_of = NULL;
    return rc ? rc : -situ_error_code;
}

int situ_emit_begin(situ_emitted *e, const char *name, const char *header_name, char upper[64], situ_site site)
{
    memset(e, 0, sizeof *e);
    snprintf(upper, 64, "%s", name);
    for (char *p = upper; *p; p++) *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    e->name = name;
    e->upper = upper;
    e->header = header_name;
    e->site = site;
    situ_math_open(&e->math);
    return 0;
}

int situ_emit_write(situ_emitted *e)
{
    static situ_dev device = {.backend = &situ_backend_emit, .device = {SITU_CPU, 0}};
    situ_walk w = {0};
    situ_plan *plan = NULL;
    situ_emit_function *f = e->f = &e->function[e->functions];
    situ_thread *th = situ_thread_get();
    uint32_t results = (uint32_t)f->results, slots = f->trains ? th->dirty_count : 0;
    for (int i = 0; i < f->inputs + f->results; i++) {
        f->shape[i] = (situ_layout){.dtype = f->node[i]->dtype, .ndim = f->node[i]->ndim};
        memcpy(f->shape[i].dim, f->node[i]->dim, (size_t)f->node[i]->ndim * sizeof *f->node[i]->dim);
    }
    situ_mutex_lock(&situ_planner);
    int rc = situ_walk_collect(&w, situ_emit_results(f), results, th->dirty, slots, e->site);
    if (!rc) rc = situ_walk_decide(&w, situ_emit_results(f), results);
    if (!rc && f->trains) rc = situ_emit_hear(e, 0, &w);
    if (!rc && !(plan = situ_plan_make_for(&w, &device, SITU_PLAN_FUSES, e->site))) rc = -situ_error_code;
    e->walk = &w;
    e->plan = plan;
    if (!rc) rc = write_function(e);
    situ_plan_free(plan);
    situ_walk_free(&w);
    situ_mutex_unlock(&situ_planner);
    if (!rc) e->functions++;
    return rc;
}

void situ_emit_close(situ_emitted *e)
{
    for (int i = 0; i < 2; i++) situ_source_drop(&e->function[i].calls);
    for (int i = 0; i < SITU_EMIT_RECORDED; i++) {
        situ_free(e->words[i].word);
        situ_free(e->words[i].first);
        situ_free(e->words[i].rates.rate);
    }
    situ_source_drop(&e->helpers);
    situ_source_drop(&e->weights);
    situ_source_drop(&e->steps);
    situ_source_drop(&e->state);
    situ_source_drop(&e->test);
    situ_free(e->rate_used);
    situ_free(e->array);
}
