/* Generates text token by token: the cache of keys and values, and drawing the next token. */
#include <math.h>

#include "base/memory.h"
#include "model/llama.h"
#include "op/support.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Creates the cache: variables of zeros. */
static int make_memory(situ_llama_memory *m, const situ_llama_options *o, situ_device device, situ_site site)
{
    situ_shape shape = SHAPE(m->batch, m->context, o->width / o->heads * o->kv_heads);
    for (int64_t i = 0; i < 2 * o->layers; i++) {
        m->keys[i] = situ_variable(situ_zeros(shape, .device = device), .trainable = false);
        if (situ_error_code || situ_store_first_values(m->keys[i], site)) return -situ_error_code;
    }
    return 0;
}

/* Did the last step fail after its call, because it was dropped or because of an error while it ran? */
static bool lost(const situ_llama_memory *m)
{
    const situ_slot *s = situ_slot_of(m->keys[0]);
    if (!m->at) return false;
    situ_slot_lock();
    bool missed = s->buffer && atomic_load(&s->buffer->missed);
    situ_slot_unlock();
    return missed || (!atomic_load(&s->owner) && situ_slot_version(s) < m->version);
}

static int begin(situ_llama_model *l, int64_t batch, int64_t context, situ_device device, situ_site site)
{
    situ_llama_memory *m = l->memory;
    if (m && !lost(m) && m->batch == batch && m->context == context && situ_device_equal(situ_device_of(m->keys[0]), device)) {
        m->at = 0;
        return 0;
    }
    situ_llama_forget(l);
    l->memory = m = situ_malloc(sizeof *m);
    if (m)
        *m = (situ_llama_memory){.batch = batch, .context = context, .keys = situ_calloc(2 * (size_t)l->o.layers, sizeof *m->keys)};
    if (m && m->keys) {
        m->values = m->keys + l->o.layers;
        if (!make_memory(m, &l->o, device, site)) return 0;
    } else situ_fail(SITU_NO_MEMORY, site, "situ_llama_begin: out of host memory");
    situ_free(m && !m->keys ? m : NULL);
    if (m && !m->keys) l->memory = NULL;
    situ_error error;
    situ_error_take(&error);
    situ_llama_forget(l);
    return situ_fail_again(error.code, error.message);
}

int(situ_llama_begin)(situ_module *model, const situ_llama_begin_options *options, situ_site site)
{
    SITU_SPEAK("situ_llama_begin", site);
    situ_llama_begin_options o = {SITU_DEFAULTS(SITU_LLAMA_BEGIN_DEFAULTS)};
    situ_llama_model *l = situ_llama_of(model, "situ_llama_begin", site);
    if (!l || !SITU_TAKE_OPTIONS(o, options, "situ_llama_begin", site)) return -situ_error_code;
    if (o.context < 1 || o.context > INT32_MAX || o.batch < 1 || o.batch > INT32_MAX)
        return situ_fail(SITU_BAD_OPTION, site, "situ_llama_begin: %lld texts of %lld tokens; both are at least 1",
            (long long)o.batch, (long long)o.context);
    situ_tensor *table = situ_module_find(model, "model.embed_tokens.weight"); /* created now if it does not exist yet */
    return situ_error_code ? -situ_error_code : begin(l, o.batch, o.context, situ_device_of(table), site);
}

int64_t situ_llama_position(const situ_module *model)
{
    const situ_llama_model *l = situ_is_usable(model, "situ_llama_position", "model") ? situ_llama_self(model) : NULL;
    return l && l->memory ? l->memory->at : 0;
}

static situ_tensor *step(situ_module *model, situ_llama_memory *memory, situ_tensor *tokens, situ_site site)
{
    situ_frame frame;
    const situ_module_call_options o = {SITU_DEFAULTS(SITU_MODULE_CALL_DEFAULTS)};
    if (situ_enqueue_parts(site)) return situ_poisoned();
    if (lost(memory))
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "situ_llama_step: a step before this one failed, and the positions that it would have added are missing; begin "
            "again, and give all tokens");
    if (situ_forward_open(&frame, model, tokens, &o, site)) return situ_poisoned();
    situ_policies before = situ_policies_begin(model);
    situ_tensor *y = situ_llama_run(model, tokens, memory, site);
    situ_policies_end(before);
    situ_forward_close(&frame);
    if (situ_error_code) return situ_poisoned();
    memory->at += tokens->dim[1];
    memory->version = situ_slot_version(situ_slot_of(memory->keys[0]));
    return situ_forward_result(y);
}

situ_tensor *(situ_llama_step)(situ_module *model, situ_tensor *tokens, situ_site site)
{
    SITU_SPEAK("situ_llama_step", site);
    char text[SITU_BRIEF_TEXT];
    situ_llama_model *l = situ_llama_of(model, "situ_llama_step", site);
    if (!l || !situ_usable(&tokens, 1, "situ_llama_step", site) || !(tokens = situ_value_of(tokens, site))) return situ_poisoned();
    if (!l->memory && situ_llama_begin(model)) return situ_poisoned();
    situ_llama_memory *memory = l->memory;
    if (situ_is_number(tokens) || tokens->ndim != 2 || !situ_dtype_is_integer((situ_dtype)tokens->dtype) || !tokens->dim[1] ||
        tokens->dim[0] != memory->batch)
        return situ_refused(SITU_BAD_SHAPE, site, "situ_llama_step: tokens are %s; they must be integers of [%lld, at least 1]",
            situ_brief(tokens, text), (long long)memory->batch);
    if (tokens->dim[1] > memory->context - memory->at)
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "situ_llama_step: %lld tokens after %lld are more than the context of %lld; begin again with a larger one",
            (long long)tokens->dim[1], (long long)memory->at, (long long)memory->context);
    return step(model, memory, tokens, site);
}

/* ---- drawing the next token ------------------------------------------------------------------------------------------------- */

/* Replaces a token by an index out of range in rows whose largest score is NaN or -inf, so that the next gather raises
 * an error. */
static situ_tensor *known(situ_tensor *tokens, situ_tensor *logits, situ_site site)
{
    situ_tensor *most = situ_max(logits, .axes = AXES(-1)),
                *none = situ_zeros(SHAPE(1), .dtype = SITU_I64, .device = logits->device);
    if (situ_error_code) return situ_poisoned();
    tokens = situ_where(situ_greater(most, -INFINITY), tokens, logits->dim[logits->ndim - 1]);
    situ_tensor *table = situ_broadcast_to(none, situ_shape_like(logits));
    return situ_add(tokens, situ_squeeze(situ_gather(table, situ_expand_dims(tokens, -1)), .axes = AXES(-1)));
}

situ_tensor *(situ_sample)(situ_tensor *logits, situ_tensor *key, const situ_sample_options *options, situ_site site)
{
    SITU_SPEAK("sample", site);
    situ_sample_options o = {SITU_DEFAULTS(SITU_SAMPLE_DEFAULTS)};
    char text[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){logits, key}, 2, "sample", "logits, key", site) ||
        !SITU_TAKE_OPTIONS(o, options, "sample", site))
        return situ_poisoned();
    if (situ_is_number(logits) || !logits->ndim || !situ_dtype_is_float((situ_dtype)logits->dtype) ||
        !logits->dim[logits->ndim - 1])
        return situ_refused(
            SITU_BAD_SHAPE, site, "sample: the logits are %s; they must be floats of [..., vocabulary]", situ_brief(logits, text));
    if (!(o.temperature >= 0 && o.temperature < INFINITY) || o.top_k < 0 || !(o.top_p > 0 && o.top_p <= 1))
        return situ_refused(SITU_BAD_OPTION, site,
            "sample: temperature %g, top_k %lld, top_p %g; the first two are at least 0, the last is above 0 and at most 1",
            o.temperature, (long long)o.top_k, o.top_p);
    logits = situ_stop_gradient(logits);
    if (o.temperature == 0) return known(situ_argmax(logits, .axis = -1), logits, site);
    int64_t n = logits->dim[logits->ndim - 1], k = o.top_k && o.top_k < n ? o.top_k : n;
    /* subtracting the largest score changes no probability and keeps exp from overflowing */
    situ_tensor *x = logits->dtype == SITU_F64 ? logits : situ_cast(logits, SITU_F32), *which = NULL;
    situ_tensor *top = situ_max(x, .axes = AXES(-1), .keepdims = true);
    situ_tensor *scaled = situ_div(situ_sub(x, top), o.temperature > 1e-30 ? o.temperature : 1e-30);
    if (k == n && o.top_p == 1) return known(situ_categorical(key, scaled), logits, site);
    situ_tensor *largest = situ_topk(scaled, k, .indices = &which);
    if (o.top_p < 1) { /* top-p: keeps a token if the tokens before it have together less than p */
        situ_tensor *p = situ_softmax(largest);
        situ_tensor *before = situ_sub(situ_cumsum(p, .axis = -1), p);
        largest = situ_where(situ_less(before, o.top_p), largest, -INFINITY);
    }
    situ_tensor *at = situ_expand_dims(situ_categorical(key, largest), -1);
    return known(situ_squeeze(situ_gather(which, at, .axis = -1), .axes = AXES(-1)), logits, site);
}
