// situ/sequence.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/sequence.h: change that.
#ifndef SITU_CALL_SEQUENCE_HPP
#define SITU_CALL_SEQUENCE_HPP

namespace situ {

struct rnn_layer_options : options<situ_rnn_layer_options> {
    rnn_layer_options &layers(int64_t v) { return situ_rnn_layer_options::layers = v, *this; }
    rnn_layer_options &bidirectional(bool v = true) { return situ_rnn_layer_options::bidirectional = v, *this; }
    rnn_layer_options &bias(bool v = true) { return situ_rnn_layer_options::bias = v, *this; }
    rnn_layer_options &dropout(double v) { return situ_rnn_layer_options::dropout = v, *this; }
    rnn_layer_options &time_first(bool v = true) { return situ_rnn_layer_options::time_first = v, *this; }
    rnn_layer_options &in(int64_t v) { return situ_rnn_layer_options::in = v, *this; }
    rnn_layer_options &relu(bool v = true) { return situ_rnn_layer_options::relu = v, *this; }
};
struct recurrent_layer_options : options<situ_recurrent_layer_options> {
    recurrent_layer_options &layers(int64_t v) { return situ_recurrent_layer_options::layers = v, *this; }
    recurrent_layer_options &bidirectional(bool v = true) { return situ_recurrent_layer_options::bidirectional = v, *this; }
    recurrent_layer_options &bias(bool v = true) { return situ_recurrent_layer_options::bias = v, *this; }
    recurrent_layer_options &dropout(double v) { return situ_recurrent_layer_options::dropout = v, *this; }
    recurrent_layer_options &time_first(bool v = true) { return situ_recurrent_layer_options::time_first = v, *this; }
    recurrent_layer_options &in(int64_t v) { return situ_recurrent_layer_options::in = v, *this; }
};
struct multihead_attention_options : options<situ_multihead_attention_options> {
    multihead_attention_options &kv_heads(int64_t v) { return situ_multihead_attention_options::kv_heads = v, *this; }
    multihead_attention_options &bias(bool v = true) { return situ_multihead_attention_options::bias = v, *this; }
    multihead_attention_options &causal(bool v = true) { return situ_multihead_attention_options::causal = v, *this; }
    multihead_attention_options &dropout(double v) { return situ_multihead_attention_options::dropout = v, *this; }
    multihead_attention_options &rotary(double v) { return situ_multihead_attention_options::rotary = v, *this; }
    multihead_attention_options &in(int64_t v) { return situ_multihead_attention_options::in = v, *this; }
};
struct transformer_options : options<situ_transformer_options> {
    transformer_options &hidden(int64_t v) { return situ_transformer_options::hidden = v, *this; }
    transformer_options &dropout(double v) { return situ_transformer_options::dropout = v, *this; }
    transformer_options &norm_first(bool v = true) { return situ_transformer_options::norm_first = v, *this; }
    transformer_options &feed(situ_feed v) { return situ_transformer_options::feed = v, *this; }
    transformer_options &rms(bool v = true) { return situ_transformer_options::rms = v, *this; }
    transformer_options &bias(bool v = true) { return situ_transformer_options::bias = v, *this; }
    transformer_options &eps(double v) { return situ_transformer_options::eps = v, *this; }
    transformer_options &kv_heads(int64_t v) { return situ_transformer_options::kv_heads = v, *this; }
    transformer_options &causal(bool v = true) { return situ_transformer_options::causal = v, *this; }
    transformer_options &rotary(double v) { return situ_transformer_options::rotary = v, *this; }
};
inline situ_module *rnn_layer(int64_t width, const rnn_layer_options &o = {}, site at = {})
{
    return checked(situ_rnn_layer(width, &o, at));
}
inline situ_module *gru_layer(int64_t width, const recurrent_layer_options &o = {}, site at = {})
{
    return checked(situ_gru_layer(width, &o, at));
}
inline situ_module *lstm_layer(int64_t width, const recurrent_layer_options &o = {}, site at = {})
{
    return checked(situ_lstm_layer(width, &o, at));
}
inline situ_module *multihead_attention_layer(int64_t width, int64_t heads, const multihead_attention_options &o = {}, site at = {})
{
    return checked(situ_multihead_attention_layer(width, heads, &o, at));
}
inline situ_module *swiglu_layer(int64_t hidden, site at = {})
{
    situ_called_at(at); return checked(situ_swiglu_layer(hidden));
}
inline situ_module *transformer_encoder_layer(int64_t width, int64_t heads, const transformer_options &o = {}, site at = {})
{
    return checked(situ_transformer_encoder_layer(width, heads, &o, at));
}
struct transformer_decoder_layer_options : options<situ_transformer_options> {
    transformer_decoder_layer_options() { situ_transformer_options::causal = true; }
    transformer_decoder_layer_options &hidden(int64_t v) { return situ_transformer_options::hidden = v, *this; }
    transformer_decoder_layer_options &dropout(double v) { return situ_transformer_options::dropout = v, *this; }
    transformer_decoder_layer_options &norm_first(bool v = true) { return situ_transformer_options::norm_first = v, *this; }
    transformer_decoder_layer_options &feed(situ_feed v) { return situ_transformer_options::feed = v, *this; }
    transformer_decoder_layer_options &rms(bool v = true) { return situ_transformer_options::rms = v, *this; }
    transformer_decoder_layer_options &bias(bool v = true) { return situ_transformer_options::bias = v, *this; }
    transformer_decoder_layer_options &eps(double v) { return situ_transformer_options::eps = v, *this; }
    transformer_decoder_layer_options &kv_heads(int64_t v) { return situ_transformer_options::kv_heads = v, *this; }
    transformer_decoder_layer_options &causal(bool v = true) { return situ_transformer_options::causal = v, *this; }
    transformer_decoder_layer_options &rotary(double v) { return situ_transformer_options::rotary = v, *this; }
};
inline situ_module *transformer_decoder_layer(int64_t width, int64_t heads, const transformer_decoder_layer_options &o = {}, site at = {})
{
    return checked(situ_transformer_decoder_layer(width, heads, &o, at));
}

} // namespace situ
#endif
