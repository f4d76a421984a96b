/* Calls of situ/sequence.h. Made by scripts/generate.py from include/situ/sequence.h: change that. */
#ifndef SITU_CALL_SEQUENCE_H
#define SITU_CALL_SEQUENCE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_RNN_LAYER_DEFAULTS (.layers = 1, .bias = true,)
#define SITU_RECURRENT_LAYER_DEFAULTS (.layers = 1, .bias = true,)
#define SITU_MULTIHEAD_ATTENTION_DEFAULTS (.bias = true,)
#define SITU_TRANSFORMER_DEFAULTS (.dropout = 0.1, .bias = true, .eps = 1e-5,)
#define SITU_TRANSFORMER_DECODER_LAYER_DEFAULTS (.dropout = 0.1, .bias = true, .eps = 1e-5, .causal = true,)

#ifndef __cplusplus
#define situ_rnn_layer(...) situ_rnn_layer_(__VA_ARGS__, )
#define situ_rnn_layer_(width, ...) \
    SITU_OPTIONS_(situ_rnn_layer_options, SITU_RNN_LAYER_DEFAULTS, situ_rnn_layer, (SITU_INTEGER(width),), \
    "situ_rnn_layer(width, .layers = ..., .bidirectional = ..., .bias = ..., ...)", __VA_ARGS__)
#define situ_gru_layer(...) situ_gru_layer_(__VA_ARGS__, )
#define situ_gru_layer_(width, ...) \
    SITU_OPTIONS_(situ_recurrent_layer_options, SITU_RECURRENT_LAYER_DEFAULTS, situ_gru_layer, (SITU_INTEGER(width),), \
    "situ_gru_layer(width, .layers = ..., .bidirectional = ..., .bias = ..., ...)", __VA_ARGS__)
#define situ_lstm_layer(...) situ_lstm_layer_(__VA_ARGS__, )
#define situ_lstm_layer_(width, ...) \
    SITU_OPTIONS_(situ_recurrent_layer_options, SITU_RECURRENT_LAYER_DEFAULTS, situ_lstm_layer, \
    (SITU_INTEGER(width),), "situ_lstm_layer(width, .layers = ..., .bidirectional = ..., .bias = ..., ...)", \
    __VA_ARGS__)
#define situ_multihead_attention_layer(...) situ_multihead_attention_layer_(__VA_ARGS__, )
#define situ_multihead_attention_layer_(width, heads, ...) \
    SITU_OPTIONS_(situ_multihead_attention_options, SITU_MULTIHEAD_ATTENTION_DEFAULTS, situ_multihead_attention_layer, \
    (SITU_INTEGER(width), SITU_INTEGER(heads),), \
    "situ_multihead_attention_layer(width, heads, .kv_heads = ..., .bias = ..., .causal = ..., ...)", __VA_ARGS__)
#define situ_transformer_encoder_layer(...) situ_transformer_encoder_layer_(__VA_ARGS__, )
#define situ_transformer_encoder_layer_(width, heads, ...) \
    SITU_OPTIONS_(situ_transformer_options, SITU_TRANSFORMER_DEFAULTS, situ_transformer_encoder_layer, \
    (SITU_INTEGER(width), SITU_INTEGER(heads),), \
    "situ_transformer_encoder_layer(width, heads, .hidden = ..., .dropout = ..., .norm_first = ..., ...)", \
    __VA_ARGS__)
#define situ_transformer_decoder_layer(...) situ_transformer_decoder_layer_(__VA_ARGS__, )
#define situ_transformer_decoder_layer_(width, heads, ...) \
    SITU_OPTIONS_(situ_transformer_options, SITU_TRANSFORMER_DECODER_LAYER_DEFAULTS, situ_transformer_decoder_layer, \
    (SITU_INTEGER(width), SITU_INTEGER(heads),), \
    "situ_transformer_decoder_layer(width, heads, .hidden = ..., .dropout = ..., .norm_first = ..., ...)", \
    __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_swiglu_layer(hidden) SITU_AT_(situ_swiglu_layer, SITU_INTEGER(hidden))
#endif

#endif
