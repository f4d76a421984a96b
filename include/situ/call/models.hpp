// situ/models.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/models.h: change that.
#ifndef SITU_CALL_MODELS_HPP
#define SITU_CALL_MODELS_HPP

namespace situ {

struct llama_options : options<situ_llama_options> {
    llama_options &layers(int64_t v) { return situ_llama_options::layers = v, *this; }
    llama_options &width(int64_t v) { return situ_llama_options::width = v, *this; }
    llama_options &heads(int64_t v) { return situ_llama_options::heads = v, *this; }
    llama_options &kv_heads(int64_t v) { return situ_llama_options::kv_heads = v, *this; }
    llama_options &hidden(int64_t v) { return situ_llama_options::hidden = v, *this; }
    llama_options &vocabulary(int64_t v) { return situ_llama_options::vocabulary = v, *this; }
    llama_options &rope_base(double v) { return situ_llama_options::rope_base = v, *this; }
    llama_options &epsilon(double v) { return situ_llama_options::epsilon = v, *this; }
    llama_options &tied(bool v = true) { return situ_llama_options::tied = v, *this; }
    llama_options &bias(bool v = true) { return situ_llama_options::bias = v, *this; }
    llama_options &rope_factors(bool v = true) { return situ_llama_options::rope_factors = v, *this; }
};
struct llama_open_options : options<situ_llama_open_options> {
    llama_open_options &keep(bool v = true) { return situ_llama_open_options::keep = v, *this; }
    llama_open_options &device(situ_device v) { return situ_llama_open_options::device = v, *this; }
};
struct llama_save_options : options<situ_llama_save_options> {
    llama_save_options &shard_bytes(int64_t v) { return situ_llama_save_options::shard_bytes = v, *this; }
};
struct llama_adapt_options : options<situ_llama_adapt_options> {
    llama_adapt_options &alpha(double v) { return situ_llama_adapt_options::alpha = v, *this; }
};
struct llama_begin_options : options<situ_llama_begin_options> {
    llama_begin_options &context(int64_t v) { return situ_llama_begin_options::context = v, *this; }
    llama_begin_options &batch(int64_t v) { return situ_llama_begin_options::batch = v, *this; }
};
struct sample_options : options<situ_sample_options> {
    sample_options &temperature(double v) { return situ_sample_options::temperature = v, *this; }
    sample_options &top_k(int64_t v) { return situ_sample_options::top_k = v, *this; }
    sample_options &top_p(double v) { return situ_sample_options::top_p = v, *this; }
};
struct bert_open_options : options<situ_bert_open_options> {
    bert_open_options &heads(int64_t v) { return situ_bert_open_options::heads = v, *this; }
    bert_open_options &epsilon(double v) { return situ_bert_open_options::epsilon = v, *this; }
    bert_open_options &padding(int64_t v) { return situ_bert_open_options::padding = v, *this; }
    bert_open_options &pool(bool v = true) { return situ_bert_open_options::pool = v, *this; }
    bert_open_options &device(situ_device v) { return situ_bert_open_options::device = v, *this; }
};
inline situ_module *llama(const llama_options &o = {}, site at = {}) { return checked(situ_llama(&o, at)); }
inline situ_module *llama_open(const char *path, const llama_open_options &o = {}, site at = {})
{
    return checked(situ_llama_open(path, &o, at));
}
inline int llama_save(situ_module *model, const char *path, const llama_save_options &o = {}, site at = {})
{
    return checked(situ_llama_save(model, path, &o, at));
}
inline int llama_adapt(situ_module *model, int64_t rank, const llama_adapt_options &o = {}, site at = {})
{
    return checked(situ_llama_adapt(model, rank, &o, at));
}
inline int llama_begin(situ_module *model, const llama_begin_options &o = {}, site at = {})
{
    return checked(situ_llama_begin(model, &o, at));
}
inline tensor llama_step(situ_module *model, operand tokens) { return situ_llama_step(model, tokens.t, tokens.at); }
inline int64_t llama_position(const situ_module *model) { return checked(situ_llama_position(model)); }
inline tensor sample(operand logits, operand key, const sample_options &o = {})
{
    return situ_sample(logits.t, key.t, &o, logits.at);
}
inline situ_module *bert_open(const char *path, const bert_open_options &o = {}, site at = {})
{
    return checked(situ_bert_open(path, &o, at));
}

} // namespace situ
#endif
