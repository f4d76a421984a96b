/* Models of known families; their public classes are in situ/models.py and situ.nn.Bert. */
#include "binding.h"

#include <situ/models.h>

/* bert_open(path, heads, epsilon, padding, pool, device) */
METHOD(py_bert_open)
{
    BEGIN(6, "Bert");
    const char *path = arg_text(c, 0, "path");
    situ_bert_open_options o = {
        .size = sizeof o, .unnamed = SITU_NAMED, .heads = arg_int(c, 1, 12), .epsilon = arg_double(c, 2, 1e-12)};
    o.padding = arg_int(c, 3, 0);
    o.pool = arg_bool(c, 4, true);
    o.device = arg_device(c, 5);
    return end_handle(c, c->failed ? NULL : (situ_bert_open)(path, &o, c->site), MODULE, module_end);
}

/* Arguments i and i + 1: rank and alpha of the adapter of a copy, or None. */
static situ_module *adapted(call *c, situ_module *m, int i)
{
    if (!m || c->arg[i] == Py_None) return m;
    situ_llama_adapt_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .alpha = arg_double(c, i + 1, 16)};
    if (!c->failed && (situ_llama_adapt)(m, arg_int(c, i, 0), &o, c->site) >= 0) return m;
    situ_module_free(m);
    return NULL;
}

/* llama(layers, width, heads, kv_heads, hidden, vocabulary, rope_base, epsilon, tied, bias, rope_factors, rank, alpha) */
METHOD(py_llama)
{
    BEGIN(13, "Llama");
    situ_llama_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .layers = arg_int(c, 0, 2), .width = arg_int(c, 1, 64)};
    o.heads = arg_int(c, 2, 4);
    o.kv_heads = arg_count(c, 3, "kv_heads");
    o.hidden = arg_count(c, 4, "hidden");
    o.vocabulary = arg_int(c, 5, 256);
    o.rope_base = arg_double(c, 6, 10000);
    o.epsilon = arg_double(c, 7, 1e-5);
    o.tied = arg_bool(c, 8, false);
    o.bias = arg_bool(c, 9, false);
    o.rope_factors = arg_bool(c, 10, false);
    return end_handle(c, c->failed ? NULL : adapted(c, (situ_llama)(&o, c->site), 11), MODULE, module_end);
}

/* llama_open(path, keep, device, rank, alpha) */
METHOD(py_llama_open)
{
    BEGIN(5, "llama");
    const char *path = arg_text(c, 0, "path");
    situ_llama_open_options o = {
        .size = sizeof o, .unnamed = SITU_NAMED, .keep = arg_bool(c, 1, false), .device = arg_device(c, 2)};
    return end_handle(c, c->failed ? NULL : adapted(c, (situ_llama_open)(path, &o, c->site), 3), MODULE, module_end);
}

/* llama_save(net, path, shard_bytes) */
METHOD(py_llama_save)
{
    BEGIN(3, "save");
    situ_module *m = arg_module(c, 0);
    const char *path = arg_text(c, 1, "path");
    situ_llama_save_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .shard_bytes = arg_int(c, 2, 0)};
    return call_end_code(c, c->failed ? -1 : (situ_llama_save)(m, path, &o, c->site));
}

/* llama_adapt(net, rank, alpha) */
METHOD(py_llama_adapt)
{
    BEGIN(3, "adapt");
    situ_module *m = arg_module(c, 0);
    int64_t rank = arg_int(c, 1, 0);
    situ_llama_adapt_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .alpha = arg_double(c, 2, 16)};
    int rc = c->failed ? -1 : (situ_llama_adapt)(m, rank, &o, c->site);
    return call_end_code(c, rc < 0 ? rc : 0);
}

/* llama_begin(net, context, batch) */
METHOD(py_llama_begin)
{
    BEGIN(3, "begin");
    situ_module *m = arg_module(c, 0);
    situ_llama_begin_options o = {
        .size = sizeof o, .unnamed = SITU_NAMED, .context = arg_int(c, 1, 2048), .batch = arg_int(c, 2, 1)};
    return call_end_code(c, c->failed ? -1 : (situ_llama_begin)(m, &o, c->site));
}

METHOD(py_llama_step)
{
    BEGIN(2, "step");
    ARGUMENTS("model", "tokens");
    situ_module *m = arg_module(c, 0);
    situ_tensor *tokens = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_llama_step)(m, tokens, c->site));
}

METHOD(py_llama_position)
{
    BEGIN(1, "position");
    const situ_module *m = arg_module(c, 0);
    int64_t position = m ? situ_llama_position(m) : 0;
    return call_leave(c) ? PyLong_FromLongLong(position) : NULL;
}

/* sample(logits, key, temperature, top_k, top_p) */
METHOD(py_sample)
{
    BEGIN(5, "sample");
    ARGUMENTS("logits", "key", "temperature", "top_k", "top_p");
    situ_tensor *logits = arg_tensor(c, 0), *key = arg_tensor(c, 1);
    situ_sample_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .temperature = arg_double(c, 2, 1)};
    o.top_k = arg_count(c, 3, "top_k");
    o.top_p = arg_double(c, 4, 1);
    return call_end(c, c->failed ? NULL : (situ_sample)(logits, key, &o, c->site));
}

PyMethodDef model_methods[] = {FAST(bert_open), FAST(llama), FAST(llama_open), FAST(llama_save), FAST(llama_adapt),
    FAST(llama_begin), FAST(llama_step), FAST(llama_position), FAST(sample), {NULL, NULL, 0, NULL}};
