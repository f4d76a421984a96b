/* Layers for sequences: recurrent ones, attention, blocks of Transformers.
 *
 *     situ_module *net = situ_sequential(situ_embedding_layer(65, 64), situ_gru_layer(256, .layers = 2), situ_linear_layer(65));
 *     situ_tensor *logits = situ_module_call(net, letters);     // [batch, time] integers give f32[batch, time, 65]
 *
 * Sequences are [batch, time, width] (.time_first: [time, batch, width]). Weights have PyTorch's names, shapes and order of
 * gates, so
 * that they carry over.
 */
#ifndef SITU_SEQUENCE_H
#define SITU_SEQUENCE_H

#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- recurrent layers: NULL on an error --------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_rnn_layer_options {
    SITU_OPTION_HEAD;
    int64_t layers;     /* = 1 in [1, inf): number of stacked layers */
    bool bidirectional; /* = false: adds layers with other weights that read from the end; results and states of both are
                         * concatenated */
    bool bias;          /* = true: adds two bias vectors for each layer */
    double dropout;     /* = 0 in [0, 1): dropout rate for the results of each layer but the last, while training */
    bool time_first;    /* = false: sequences are [time, batch, width] */
    int64_t in;         /* = 0 in [0, inf): width of the input; 0: that of the first input */
    bool relu;          /* = false: max(x, 0) instead of tanh x */
} situ_rnn_layer_options;
typedef struct SITU_BY_NAME situ_recurrent_layer_options {
    SITU_OPTION_HEAD;
    int64_t layers;     /* = 1 in [1, inf): number of stacked layers */
    bool bidirectional; /* = false: adds layers with other weights that read from the end; results and states of both are
                         * concatenated */
    bool bias;          /* = true: adds two bias vectors for each layer */
    double dropout;     /* = 0 in [0, 1): dropout rate for the results of each layer but the last, while training */
    bool time_first;    /* = false: sequences are [time, batch, width] */
    int64_t in;         /* = 0 in [0, inf): width of the input; 0: that of the first input */
} situ_recurrent_layer_options;
/* h' = tanh(W x + b + V h + c). Inputs x [batch, time, width], h (states to begin with, [layers (times 2), batch, width]; 0 if
 * left out) and lengths (integers [batch]: how much of each row there is, all if left out or larger than time, nothing below 1).
 * Results y [batch, time, width (times 2)], 0 after the end of a row, and h, the states at the ends of the rows. Parameters for
 * layer k: weight_ih_lk (W), weight_hh_lk (V), bias_ih_lk, bias_hh_lk, those from the end with _reverse; they start uniform in
 * +-1/sqrt(width). */
SITU_API situ_module *situ_rnn_layer(int64_t width, const situ_rnn_layer_options *options, situ_site site);
/* Gates r, z = sigmoid(W x + b + V h + c), n = tanh(W x + b + r (V h + c)); h' = (1 - z) n + z h (Cho et al. 2014). As
 * situ_rnn_layer. */
SITU_API situ_module *situ_gru_layer(int64_t width, const situ_recurrent_layer_options *options, situ_site site);
/* Gates i, f, o = sigmoid(...), g = tanh(...); c' = f c + i g, h' = o tanh c' (Hochreiter and Schmidhuber 1997). As
 * situ_rnn_layer, with inputs x, h, c, lengths and results y, h, c. */
SITU_API situ_module *situ_lstm_layer(int64_t width, const situ_recurrent_layer_options *options, situ_site site);

/* ---- attention ----------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_multihead_attention_options {
    SITU_OPTION_HEAD;
    int64_t kv_heads; /* = 0 in [0, inf): heads of keys and values, a divisor of heads, each shared by a group of heads; 0: as many
                       */
    bool bias;        /* = true: adds biases to queries, keys, values, and the result */
    bool causal;      /* = false: query i attends only to keys up to i */
    double dropout;   /* = 0 in [0, 1): dropout rate for attention weights, while training */
    double rotary;    /* = 0 in [0, inf): base of the rotary embedding (10000 is usual); 0: none */
    int64_t in;       /* = 0 in [0, inf): width of the inputs; 0: that of the first inputs */
} situ_multihead_attention_options;
/* heads times softmax(q k^T / sqrt(width / heads)) v, side by side, through a last linear layer (Vaswani et al. 2017). Inputs
 * are query [batch, queries, width], key and value [batch, keys, width] (left out: query itself; key), all of one width; mask,
 * which spreads to [batch, heads, queries, keys]: true where a query may look, or floats that are added to the scores; lengths,
 * integers [batch]: how many keys of each row there are; and for generating one after the other: k and v [batch, kv_heads, most,
 * width / heads], what was computed before, and at, an integer: the position of the first query. Results y [batch, queries,
 * width], and with k and v: both with the new ones put in at their places. Positions are turned by pairs of halves (Su et al.
 * 2021). Parameters as PyTorch's: in_proj_weight [width + 2 kv_heads width / heads, width], uniform in +-sqrt(6 / (rows +
 * columns)), in_proj_bias (0), out_proj.weight, out_proj.bias. */
SITU_API situ_module *situ_multihead_attention_layer(
    int64_t width, int64_t heads, const situ_multihead_attention_options *options, situ_site site);

/* down(silu(gate x) * up x), three linear layers without bias; the last has as many outputs as x (Shazeer 2020). */
SITU_API SITU_TOLD situ_module *situ_swiglu_layer(int64_t hidden);

typedef enum situ_feed { SITU_FEED_RELU = 0, SITU_FEED_GELU = 1, SITU_FEED_SWIGLU = 2 } situ_feed;
typedef struct SITU_BY_NAME situ_transformer_options {
    SITU_OPTION_HEAD;
    int64_t hidden;   /* = 0 in [0, inf): width of the feed-forward block; 0: four times width */
    double dropout;   /* = 0.1 in [0, 1): dropout rate while training: for attention weights, the hidden layer, and what is added to
                       * x */
    bool norm_first;  /* = false: x + f(norm(x)) instead of norm(x + f(x)) */
    situ_feed feed;   /* = SITU_FEED_RELU: activation between the two linear layers; swiglu has three layers */
    bool rms;         /* = false: RMS norms instead of layer norms */
    bool bias;        /* = true: linear layers have a bias */
    double eps;       /* = 1e-5 in [0, inf): epsilon of the norms */
    int64_t kv_heads; /* = 0 in [0, inf): as in situ_multihead_attention_layer */
    bool causal;      /* = false: position i attends only to positions up to i */
    double rotary;    /* = 0 in [0, inf): as in situ_multihead_attention_layer */
} situ_transformer_options;
/* Self-attention and a feed-forward part, each added to its input; inputs x, mask, lengths, and k, v, at, with results y, k, v,
 * as in situ_multihead_attention_layer. Parts as PyTorch's: self_attn, linear1, linear2, norm1, norm2. */
SITU_API situ_module *situ_transformer_encoder_layer(
    int64_t width, int64_t heads, const situ_transformer_options *options, situ_site site);
/* The same with attention to memory [batch, keys, width] between; inputs x, memory, mask, memory_mask, memory_lengths. More parts:
 * multihead_attn, norm3. Here .causal = true. */
SITU_API situ_module *situ_transformer_decoder_layer(
    int64_t width, int64_t heads, const situ_transformer_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/sequence.h>

#endif
