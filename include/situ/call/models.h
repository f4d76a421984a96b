/* Calls of situ/models.h. Made by scripts/generate.py from include/situ/models.h: change that. */
#ifndef SITU_CALL_MODELS_H
#define SITU_CALL_MODELS_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_LLAMA_DEFAULTS \
    (.layers = 2, .width = 64, .heads = 4, .vocabulary = 256, .rope_base = 10000, .epsilon = 1e-5,)
#define SITU_LLAMA_OPEN_DEFAULTS (.device = SITU_DEVICE_DEFAULT,)
#define SITU_LLAMA_SAVE_DEFAULTS ()
#define SITU_LLAMA_ADAPT_DEFAULTS (.alpha = 16,)
#define SITU_LLAMA_BEGIN_DEFAULTS (.context = 2048, .batch = 1,)
#define SITU_SAMPLE_DEFAULTS (.temperature = 1, .top_p = 1,)
#define SITU_BERT_OPEN_DEFAULTS (.heads = 12, .epsilon = 1e-12, .pool = true, .device = SITU_DEVICE_DEFAULT,)

#ifndef __cplusplus
#define situ_llama(...) \
    SITU_OPTIONS_(situ_llama_options, SITU_LLAMA_DEFAULTS, situ_llama, (), \
    "situ_llama(.layers = ..., .width = ..., .heads = ..., ...)", __VA_ARGS__)
#define situ_llama_open(...) situ_llama_open_(__VA_ARGS__, )
#define situ_llama_open_(path, ...) \
    SITU_OPTIONS_(situ_llama_open_options, SITU_LLAMA_OPEN_DEFAULTS, situ_llama_open, ((path),), \
    "situ_llama_open(path, .keep = ..., .device = ...)", __VA_ARGS__)
#define situ_llama_save(...) situ_llama_save_(__VA_ARGS__, )
#define situ_llama_save_(model, path, ...) \
    SITU_OPTIONS_(situ_llama_save_options, SITU_LLAMA_SAVE_DEFAULTS, situ_llama_save, (SITU_HANDLE(situ_module *, \
    model), (path),), "situ_llama_save(model, path, .shard_bytes = ...)", __VA_ARGS__)
#define situ_llama_adapt(...) situ_llama_adapt_(__VA_ARGS__, )
#define situ_llama_adapt_(model, rank, ...) \
    SITU_OPTIONS_(situ_llama_adapt_options, SITU_LLAMA_ADAPT_DEFAULTS, situ_llama_adapt, (SITU_HANDLE(situ_module *, \
    model), SITU_INTEGER(rank),), "situ_llama_adapt(model, rank, .alpha = ...)", __VA_ARGS__)
#define situ_llama_begin(...) situ_llama_begin_(__VA_ARGS__, )
#define situ_llama_begin_(model, ...) \
    SITU_OPTIONS_(situ_llama_begin_options, SITU_LLAMA_BEGIN_DEFAULTS, situ_llama_begin, (SITU_HANDLE(situ_module *, \
    model),), "situ_llama_begin(model, .context = ..., .batch = ...)", __VA_ARGS__)
#define situ_llama_step(model, tokens) \
    (situ_llama_step)(SITU_HANDLE(situ_module *, model), SITU_OPERAND(tokens), SITU_HERE)
#define situ_sample(...) situ_sample_(__VA_ARGS__, )
#define situ_sample_(logits, key, ...) \
    SITU_OPTIONS_(situ_sample_options, SITU_SAMPLE_DEFAULTS, situ_sample, (SITU_OPERAND(logits), SITU_OPERAND(key),), \
    "situ_sample(logits, key, .temperature = ..., .top_k = ..., .top_p = ...)", __VA_ARGS__)
#define situ_bert_open(...) situ_bert_open_(__VA_ARGS__, )
#define situ_bert_open_(path, ...) \
    SITU_OPTIONS_(situ_bert_open_options, SITU_BERT_OPEN_DEFAULTS, situ_bert_open, ((path),), \
    "situ_bert_open(path, .heads = ..., .epsilon = ..., .padding = ..., ...)", __VA_ARGS__)
#endif

#endif
