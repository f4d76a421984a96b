/* Sessions: networks bound to memory of their own (run/bound.h), with the scratch memory of their kernels and the state that goes
 * from run to run. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <situ/grad.h>
#include <situ/session.h>

#include "backend/cpu/scratch.h"
#include "base/memory.h"
#include "base/pool.h"
#include "nn/module.h"
#include "os/fp.h"
#include "run/bound.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST = 64 };

typedef struct place {
    char *address;
    situ_buffer *buffer; /* of an input */
    situ_shape shape;
    situ_dtype dtype;
    size_t bytes;
} place;

/* An input that gets a result after each run. */
typedef struct carried {
    const place *input, *result;
    char *first; /* its value at the beginning */
} carried;

struct situ_session {
    situ_handle handle;
    situ_bound *bound;
    situ_scratch_space scratch;
    _Atomic bool busy;
    int inputs, results, states;
    place input[SITU_MODULE_MOST], result[MOST];
    carried state[SITU_MODULE_MOST];
};

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static void session_free(situ_session *s)
{
    situ_bound_free(s->bound);
    for (int i = 0; i < s->inputs; i++) situ_buffer_unref(s->input[i].buffer);
    for (int i = 0; i < s->states; i++) situ_free(s->state[i].first);
    situ_scratch_free(&s->scratch);
    situ_retire(s);
}

static place place_of(const situ_tensor *t)
{
    place p = {.shape = situ_shape_of(t), .dtype = (situ_dtype)t->dtype};
    p.bytes = (size_t)situ_count(t) * situ_dtype_size(p.dtype);
    return p;
}

/* Each input gets memory of its own, also if one tensor is given twice. */
static int take_inputs(situ_session *s, situ_list given, situ_tensor **in, situ_site site)
{
    if (given.count < 1 || given.count > SITU_MODULE_MOST || !given.tensor)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_session_open: a network is called with 1 to %d inputs", SITU_MODULE_MOST);
    for (int i = 0; i < given.count; i++) {
        if (!situ_usable(given.tensor + i, 1, "situ_session_open", site)) return -situ_error_code;
        if (situ_is_number(given.tensor[i]))
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_session_open: input %d is a number, no tensor", i);
        if (situ_device_of(given.tensor[i]).kind != SITU_CPU)
            return situ_fail(
                SITU_UNSUPPORTED, site, "situ_session_open: input %d is on another device; sessions are for the CPU", i);
        in[i] = situ_copy_to(given.tensor[i], situ_cpu());
        if ((situ_wait)(in[i], site)) return -situ_error_code;
        s->input[i] = place_of(in[i]);
        s->input[i].buffer = situ_buffer_ref(in[i]->buffer);
        s->input[i].address = situ_node_address(in[i]);
        s->inputs++;
    }
    return 0;
}

/* What is no value of a step of its own is copied: a view, something stored, what is a result already. */
static situ_tensor *own_result(situ_tensor *const *out, int i, situ_site site)
{
    situ_tensor *y = out[i];
    bool own =
        !situ_is_number(y) && !y->buffer && y->op->family != SITU_VIEW && y->op->family != SITU_LEAF && !situ_node_aside(y)->slot;
    for (int k = 0; k < i && own; k++) own = out[k] != y;
    if (situ_is_number(y)) return situ_full(SHAPE(), y);
    return own ? y : situ_copy_to(y, situ_cpu());
}

/* The first call makes the parameters and their values; the second one records the computation alone. */
static int bind(situ_session *s, situ_module *net, situ_tensor **in, situ_site site)
{
    situ_tensor *out[MOST];
    int room = situ_module_room(net), results = 0;
    if (room > MOST) return situ_fail(SITU_UNSUPPORTED, site, "situ_session_open: a session has at most %d results", MOST);
    for (int times = 0; times < 2; times++) {
        results = (situ_module_call_n)(net, (situ_list){in, s->inputs}, out, room, NULL, site);
        if (results < 0) return results;
        if (!times && (situ_eval)((situ_list){out, results}, site)) return -situ_error_code;
    }
    for (int i = 0; i < results; i++) out[i] = own_result(out, i, site);
    if (situ_error_code || !(s->bound = situ_bound_new(out, results, "situ_session_open", site))) return -situ_error_code;
    for (int i = 0; i < results; i++) {
        s->result[i] = place_of(out[i]);
        s->result[i].address = situ_bound_result(s->bound, i);
    }
    s->results = results;
    return 0;
}

static int fail_state(const char *text, const char *why, situ_site site)
{
    return situ_fail(SITU_BAD_OPTION, site, "situ_session_open: .state = \"%.80s\": %s", text, why);
}

/* Pairs "input=result". */
static int take_states(situ_session *s, const char *text, situ_site site)
{
    for (const char *at = text; at && *at;) {
        char *end, *last;
        long input = strtol(at, &end, 10), result = *end == '=' ? strtol(end + 1, &last, 10) : -1;
        if (end == at || *end != '=' || last == end + 1 || (*last && *last != ','))
            return fail_state(text, "it has pairs input=result, such as \"1=1,2=2\"", site);
        if (input < 0 || input >= s->inputs || result < 0 || result >= s->results)
            return fail_state(text, "there is no such input or result", site);
        carried c = {&s->input[input], &s->result[result], NULL};
        for (int i = 0; i < s->states; i++)
            if (s->state[i].input == c.input) return fail_state(text, "an input is there twice", site);
        if (c.input->dtype != c.result->dtype || c.input->shape.ndim != c.result->shape.ndim ||
            memcmp(c.input->shape.dim, c.result->shape.dim, sizeof(int64_t) * (size_t)c.input->shape.ndim))
            return fail_state(text, "an input and its result have one shape and dtype", site);
        if (!(c.first = situ_malloc(c.input->bytes + 1)))
            return situ_fail(SITU_NO_MEMORY, site, "situ_session_open: out of host memory");
        memcpy(c.first, c.input->address, c.input->bytes);
        s->state[s->states++] = c;
        at = *last ? last + 1 : last;
    }
    return 0;
}

static int compute(situ_session *s)
{
    uint64_t word = situ_fp_save();
    situ_fp_reset();
    bool serial = situ_pool_serial(true);
    situ_scratch_swap(&s->scratch);
    int rc = situ_bound_run(s->bound);
    situ_scratch_swap(&s->scratch);
    situ_pool_serial(serial);
    situ_fp_restore(word);
    return rc;
}

/* The first run gets the scratch memory that all need. */
static int open(situ_session *s, situ_module *net, situ_list inputs, const char *state, situ_site site)
{
    situ_tensor *in[SITU_MODULE_MOST];
    int rc = take_inputs(s, inputs, in, site);
    if (!rc) rc = bind(s, net, in, site);
    if (!rc) rc = take_states(s, state, site);
    if (!rc && (rc = compute(s)))
        situ_fail(-rc, site, "situ_session_open: the network cannot compute these inputs: an index, or memory");
    return rc;
}

situ_session *(situ_session_open)(situ_module *net, situ_list inputs, const situ_session_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_session_open", site);
    situ_session_open_options o = {SITU_DEFAULTS(SITU_SESSION_OPEN_DEFAULTS)};
    if (situ_error_code || situ_ended(net, "situ_session_open", "network", site) ||
        !SITU_TAKE_OPTIONS(o, options, "situ_session_open", site))
        return NULL;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_session_open: the network is NULL"), NULL;
    situ_session *s = situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, site, "situ_session_open: out of host memory"), NULL;
    s->handle = (situ_handle)SITU_HANDLE_NEW(SESSION);
    bool without = situ_no_grad(true);
    situ_scope *scope = situ_scope_open();
    situ_module_act(net, true);
    int rc = open(s, net, inputs, o.state, site);
    situ_module_act(net, false);
    situ_scope_close(scope);
    situ_no_grad(without);
    if (!rc && !situ_error_code) return s;
    session_free(s);
    return NULL;
}

void situ_session_close(situ_session *s)
{
    situ_site site = situ_passed_site();
    SITU_SPEAK_AT("situ_session_close");
    if (!s || situ_ended(s, "situ_session_close", "session", site)) return;
    if (situ_handle_end(s, site)) session_free(s);
}

/* ---- what it has -------------------------------------------------------------------------------------------------------- */

static const place none = {.dtype = SITU_F32};

static const place *place_at(const situ_session *s, int i, bool input, const char *function)
{
    if (situ_ended(s, function, "session", NULL)) return &none;
    int count = !s ? 0 : input ? s->inputs : s->results;
    if (i >= 0 && i < count) return input ? &s->input[i] : &s->result[i];
    situ_fail(s ? SITU_BAD_INDEX : SITU_BAD_ARGUMENT, NULL,
        s ? "%s: there is no %s %d; the session has %d" : "%s: the session is NULL", function, input ? "input" : "result", i,
        count);
    return &none;
}

void *situ_session_input(situ_session *s, int i)
{
    SITU_SPEAK_AT("situ_session_input");
    return place_at(s, i, true, "situ_session_input")->address;
}

const void *situ_session_result(const situ_session *s, int i)
{
    SITU_SPEAK_AT("situ_session_result");
    return place_at(s, i, false, "situ_session_result")->address;
}

int situ_session_inputs(const situ_session *s)
{
    SITU_SPEAK_AT("situ_session_inputs");
    return situ_is_usable(s, "situ_session_inputs", "session") ? s->inputs : 0;
}

int situ_session_results(const situ_session *s)
{
    SITU_SPEAK_AT("situ_session_results");
    return situ_is_usable(s, "situ_session_results", "session") ? s->results : 0;
}

situ_shape situ_session_input_shape(const situ_session *s, int i)
{
    SITU_SPEAK_AT("situ_session_input_shape");
    return place_at(s, i, true, "situ_session_input_shape")->shape;
}

situ_shape situ_session_result_shape(const situ_session *s, int i)
{
    SITU_SPEAK_AT("situ_session_result_shape");
    return place_at(s, i, false, "situ_session_result_shape")->shape;
}

situ_dtype situ_session_input_dtype(const situ_session *s, int i)
{
    SITU_SPEAK_AT("situ_session_input_dtype");
    return place_at(s, i, true, "situ_session_input_dtype")->dtype;
}

situ_dtype situ_session_result_dtype(const situ_session *s, int i)
{
    SITU_SPEAK_AT("situ_session_result_dtype");
    return place_at(s, i, false, "situ_session_result_dtype")->dtype;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

/* False if another thread is in a run of it, or it was closed. */
static bool enter(situ_session *s) { return s && situ_alive(s) && !atomic_exchange_explicit(&s->busy, true, memory_order_acquire); }

int situ_session_run(situ_session *s)
{
    if (!enter(s)) return -SITU_BAD_ARGUMENT;
    int rc = compute(s);
    for (int i = 0; i < s->states && !rc; i++)
        memcpy(s->state[i].input->address, s->state[i].result->address, s->state[i].input->bytes);
    atomic_store_explicit(&s->busy, false, memory_order_release);
    return rc;
}

int situ_session_reset(situ_session *s)
{
    if (!enter(s)) return -SITU_BAD_ARGUMENT;
    for (int i = 0; i < s->states; i++) memcpy(s->state[i].input->address, s->state[i].first, s->state[i].input->bytes);
    atomic_store_explicit(&s->busy, false, memory_order_release);
    return 0;
}
