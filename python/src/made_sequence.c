/* situ/sequence.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_feed[] = {{"relu", SITU_FEED_RELU}, {"gelu", SITU_FEED_GELU}, {"swiglu", SITU_FEED_SWIGLU}, {NULL, 0}};

MADE(rnn_layer)
{
    TAKE("RNN", 8, 1, 8, {"width", "layers", "bidirectional", "bias", "dropout", "time_first", "inputs", "relu"}, {NULL});
    int64_t width_ = arg_int(c, 0, 0);
    situ_rnn_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.layers = arg_int(c, 1, 1);
    o.bidirectional = arg_bool(c, 2, false);
    o.bias = arg_bool(c, 3, true);
    o.dropout = arg_double(c, 4, 0);
    o.time_first = arg_bool(c, 5, false);
    o.in = arg_count(c, 6, "inputs");
    o.relu = arg_bool(c, 7, false);
    return end_handle(c, c->failed ? NULL : (situ_rnn_layer)(width_, &o, c->site), MODULE, module_end);
}

MADE(gru_layer)
{
    TAKE("GRU", 7, 1, 7, {"width", "layers", "bidirectional", "bias", "dropout", "time_first", "inputs"}, {NULL});
    int64_t width_ = arg_int(c, 0, 0);
    situ_recurrent_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.layers = arg_int(c, 1, 1);
    o.bidirectional = arg_bool(c, 2, false);
    o.bias = arg_bool(c, 3, true);
    o.dropout = arg_double(c, 4, 0);
    o.time_first = arg_bool(c, 5, false);
    o.in = arg_count(c, 6, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_gru_layer)(width_, &o, c->site), MODULE, module_end);
}

MADE(lstm_layer)
{
    TAKE("LSTM", 7, 1, 7, {"width", "layers", "bidirectional", "bias", "dropout", "time_first", "inputs"}, {NULL});
    int64_t width_ = arg_int(c, 0, 0);
    situ_recurrent_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.layers = arg_int(c, 1, 1);
    o.bidirectional = arg_bool(c, 2, false);
    o.bias = arg_bool(c, 3, true);
    o.dropout = arg_double(c, 4, 0);
    o.time_first = arg_bool(c, 5, false);
    o.in = arg_count(c, 6, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_lstm_layer)(width_, &o, c->site), MODULE, module_end);
}

MADE(multihead_attention_layer)
{
    TAKE("MultiheadAttention", 8, 2, 8, {"width", "heads", "kv_heads", "bias", "causal", "dropout", "rotary", "inputs"}, {NULL});
    int64_t width_ = arg_int(c, 0, 0);
    int64_t heads_ = arg_int(c, 1, 0);
    situ_multihead_attention_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.kv_heads = arg_count(c, 2, "kv_heads");
    o.bias = arg_bool(c, 3, true);
    o.causal = arg_bool(c, 4, false);
    o.dropout = arg_double(c, 5, 0);
    o.rotary = arg_double(c, 6, 0);
    o.in = arg_count(c, 7, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_multihead_attention_layer)(width_, heads_, &o, c->site), MODULE, module_end);
}

MADE(swiglu_layer)
{
    TAKE("SwiGLU", 1, 1, 1, {"hidden"}, {NULL});
    int64_t hidden_ = arg_int(c, 0, 0);
    return end_handle(c, c->failed ? NULL : (situ_swiglu_layer)(hidden_), MODULE, module_end);
}

MADE(transformer_encoder_layer)
{
    TAKE("TransformerEncoderLayer", 12, 2, 12, {"width", "heads", "hidden", "dropout", "norm_first", "feed", "rms", "bias", "eps", "kv_heads", "causal", "rotary"}, {NULL});
    int64_t width_ = arg_int(c, 0, 0);
    int64_t heads_ = arg_int(c, 1, 0);
    situ_transformer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.hidden = arg_count(c, 2, "hidden");
    o.dropout = arg_double(c, 3, 0.1);
    o.norm_first = arg_bool(c, 4, false);
    o.feed = (situ_feed)arg_word(c, 5, words_feed, 0, "feed");
    o.rms = arg_bool(c, 6, false);
    o.bias = arg_bool(c, 7, true);
    o.eps = arg_double(c, 8, 1e-5);
    o.kv_heads = arg_int(c, 9, 0);
    o.causal = arg_bool(c, 10, false);
    o.rotary = arg_double(c, 11, 0);
    return end_handle(c, c->failed ? NULL : (situ_transformer_encoder_layer)(width_, heads_, &o, c->site), MODULE, module_end);
}

MADE(transformer_decoder_layer)
{
    TAKE("TransformerDecoderLayer", 12, 2, 12, {"width", "heads", "hidden", "dropout", "norm_first", "feed", "rms", "bias", "eps", "kv_heads", "causal", "rotary"}, {NULL});
    int64_t width_ = arg_int(c, 0, 0);
    int64_t heads_ = arg_int(c, 1, 0);
    situ_transformer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.hidden = arg_count(c, 2, "hidden");
    o.dropout = arg_double(c, 3, 0.1);
    o.norm_first = arg_bool(c, 4, false);
    o.feed = (situ_feed)arg_word(c, 5, words_feed, 0, "feed");
    o.rms = arg_bool(c, 6, false);
    o.bias = arg_bool(c, 7, true);
    o.eps = arg_double(c, 8, 1e-5);
    o.kv_heads = arg_int(c, 9, 0);
    o.causal = arg_bool(c, 10, true);
    o.rotary = arg_double(c, 11, 0);
    return end_handle(c, c->failed ? NULL : (situ_transformer_decoder_layer)(width_, heads_, &o, c->site), MODULE, module_end);
}

PyMethodDef made_sequence_methods[] = {
    MADE_ROW(rnn_layer, rnn_layer,
        "rnn_layer(width, *, layers=1, bidirectional=False, bias=True, dropout=0.0, time_first=False, inputs=None, "
        "relu=False)\n--\n\nh' = tanh(W x + b + V h + c). Inputs x [batch, time, width], h (states to begin with, "
        "[layers (times 2), batch, width]; 0 if\nleft out) and lengths (integers [batch]: how much of each row "
        "there is, all if left out or larger than time, nothing below 1).\nResults y [batch, time, width (times "
        "2)], 0 after the end of a row, and h, the states at the ends of the rows. Parameters for\nlayer k: "
        "weight_ih_lk (W), weight_hh_lk (V), bias_ih_lk, bias_hh_lk, those from the end with _reverse; they start "
        "uniform in\n+-1/sqrt(width).\n\n    y, h = rnn(x)                       # y [batch, time, width], h "
        "[layers, batch, width]\n    y, h = rnn(x, h, lengths=n)         # goes on from h\n\nlayers: number of "
        "stacked layers\nbidirectional: adds layers with other weights that read from the end; results and states "
        "of both are concatenated\nbias: adds two bias vectors for each layer\ndropout: dropout rate for the "
        "results of each layer but the last, while training\ntime_first: sequences are [time, batch, width]\n"
        "inputs: width of the input; None: that of the first input\nrelu: max(x, 0) instead of tanh x"),
    MADE_ROW(gru_layer, gru_layer,
        "gru_layer(width, *, layers=1, bidirectional=False, bias=True, dropout=0.0, time_first=False, inputs=None)\n"
        "--\n\nGates r, z = sigmoid(W x + b + V h + c), n = tanh(W x + b + r (V h + c)); h' = (1 - z) n + z h (Cho "
        "et al. 2014). As\nRNN.\n\n    y, h = gru(x)                       # y [batch, time, width], h [layers, "
        "batch, width]\n    y, h = gru(x, h, lengths=n)         # goes on from h\n\nlayers: number of stacked "
        "layers\nbidirectional: adds layers with other weights that read from the end; results and states of both "
        "are concatenated\nbias: adds two bias vectors for each layer\ndropout: dropout rate for the results of "
        "each layer but the last, while training\ntime_first: sequences are [time, batch, width]\ninputs: width of "
        "the input; None: that of the first input"),
    MADE_ROW(lstm_layer, lstm_layer,
        "lstm_layer(width, *, layers=1, bidirectional=False, bias=True, dropout=0.0, time_first=False, "
        "inputs=None)\n--\n\nGates i, f, o = sigmoid(...), g = tanh(...); c' = f c + i g, h' = o tanh c' "
        "(Hochreiter and Schmidhuber 1997). As\nRNN, with inputs x, h, c, lengths and results y, h, c.\n\n    y, "
        "(h, c) = lstm(x)                 # y [batch, time, width], h and c [layers, batch, width]\n    y, (h, c) = "
        "lstm(x, (h, c), lengths=n)\n\nlayers: number of stacked layers\nbidirectional: adds layers with other "
        "weights that read from the end; results and states of both are concatenated\nbias: adds two bias vectors "
        "for each layer\ndropout: dropout rate for the results of each layer but the last, while training\n"
        "time_first: sequences are [time, batch, width]\ninputs: width of the input; None: that of the first "
        "input"),
    MADE_ROW(multihead_attention_layer, multihead_attention_layer,
        "multihead_attention_layer(width, heads, *, kv_heads=None, bias=True, causal=False, dropout=0.0, "
        "rotary=0.0, inputs=None)\n--\n\nheads times softmax(q k^T / sqrt(width / heads)) v, side by side, through "
        "a last linear layer (Vaswani et al. 2017). Inputs\nare query [batch, queries, width], key and value "
        "[batch, keys, width] (left out: query itself; key), all of one width; mask,\nwhich spreads to [batch, "
        "heads, queries, keys]: true where a query may look, or floats that are added to the scores; lengths,\n"
        "integers [batch]: how many keys of each row there are; and for generating one after the other: k and v "
        "[batch, kv_heads, most,\nwidth / heads], what was computed before, and at, an integer: the position of the "
        "first query. Results y [batch, queries,\nwidth], and with k and v: both with the new ones put in at their "
        "places. Positions are turned by pairs of halves (Su et al.\n2021). Parameters as PyTorch's: in_proj_weight "
        "[width + 2 kv_heads width / heads, width], uniform in +-sqrt(6 / (rows +\ncolumns)), in_proj_bias (0), "
        "out_proj.weight, out_proj.bias.\n\n    y = attention(x)                    # of x to itself: [batch, "
        "queries, width]\n    y = attention(query, key, value, mask=m)\n    y, (k, v) = attention(x, k=k, v=v, "
        "at=i)\n\nkv_heads: heads of keys and values, a divisor of heads, each shared by a group of heads; None: as "
        "many\nbias: adds biases to queries, keys, values, and the result\ncausal: query i attends only to keys up "
        "to i\ndropout: dropout rate for attention weights, while training\nrotary: base of the rotary embedding "
        "(10000 is usual); 0: none\ninputs: width of the inputs; None: that of the first inputs"),
    MADE_ROW(swiglu_layer, swiglu_layer,
        "swiglu_layer(hidden)\n--\n\ndown(silu(gate x) * up x), three linear layers without bias; the last has as "
        "many outputs as x (Shazeer 2020)."),
    MADE_ROW(transformer_encoder_layer, transformer_encoder_layer,
        "transformer_encoder_layer(width, heads, *, hidden=None, dropout=0.1, norm_first=False, feed='relu', "
        "rms=False, bias=True, eps=1e-05, kv_heads=0, causal=False, rotary=0.0)\n--\n\nSelf-attention and a "
        "feed-forward part, each added to its input; inputs x, mask, lengths, and k, v, at, with results y, k, v,\n"
        "as in MultiheadAttention. Parts as PyTorch's: self_attn, linear1, linear2, norm1, norm2.\n\n    y = "
        "encoder(x)                      # [batch, queries, width]\n    y = encoder(x, mask=m, lengths=n)\n    y, "
        "(k, v) = encoder(x, k=k, v=v, at=i)\n\nhidden: width of the feed-forward block; None: four times width\n"
        "dropout: dropout rate while training: for attention weights, the hidden layer, and what is added to x\n"
        "norm_first: x + f(norm(x)) instead of norm(x + f(x))\nfeed: activation between the two linear layers; "
        "swiglu has three layers\nrms: RMS norms instead of layer norms\nbias: linear layers have a bias\neps: "
        "epsilon of the norms\nkv_heads: as in MultiheadAttention\ncausal: position i attends only to positions up "
        "to i\nrotary: as in MultiheadAttention"),
    MADE_ROW(transformer_decoder_layer, transformer_decoder_layer,
        "transformer_decoder_layer(width, heads, *, hidden=None, dropout=0.1, norm_first=False, feed='relu', "
        "rms=False, bias=True, eps=1e-05, kv_heads=0, causal=True, rotary=0.0)\n--\n\nThe same with attention to "
        "memory [batch, keys, width] between; inputs x, memory, mask, memory_mask, memory_lengths. More parts:\n"
        "multihead_attn, norm3. Here causal = true.\n\n    y = decoder(x, memory)              # [batch, queries, "
        "width]\n\nhidden: width of the feed-forward block; None: four times width\ndropout: dropout rate while "
        "training: for attention weights, the hidden layer, and what is added to x\nnorm_first: x + f(norm(x)) "
        "instead of norm(x + f(x))\nfeed: activation between the two linear layers; swiglu has three layers\nrms: "
        "RMS norms instead of layer norms\nbias: linear layers have a bias\neps: epsilon of the norms\nkv_heads: as "
        "in MultiheadAttention\ncausal: position i attends only to positions up to i\nrotary: as in "
        "MultiheadAttention"),
    {NULL, NULL, 0, NULL}};
