"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._device import Device
from .._dtypes import DType
from .._group import Group
from ..nn import Module, _Layer


class RNN(_Layer):
    """h' = tanh(W x + b + V h + c). Inputs x [batch, time, width], h (states to begin with, [layers (times 2), batch, width]; 0 if
    left out) and lengths (integers [batch]: how much of each row there is, all if left out or larger than time, nothing below 1).
    Results y [batch, time, width (times 2)], 0 after the end of a row, and h, the states at the ends of the rows. Parameters for
    layer k: weight_ih_lk (W), weight_hh_lk (V), bias_ih_lk, bias_hh_lk, those from the end with _reverse; they start uniform in
    +-1/sqrt(width).

        y, h = rnn(x)                       # y [batch, time, width], h [layers, batch, width]
        y, h = rnn(x, h, lengths=n)         # goes on from h

    layers: number of stacked layers
    bidirectional: adds layers with other weights that read from the end; results and states of both are concatenated
    bias: adds two bias vectors for each layer
    dropout: dropout rate for the results of each layer but the last, while training
    time_first: sequences are [time, batch, width]
    inputs: width of the input; None: that of the first input
    relu: max(x, 0) instead of tanh x"""

    _shown = 1

    def __init__(self, width: int, *, layers: int = 1, bidirectional: bool = False, bias: bool = True, dropout: float
                 = 0.0, time_first: bool = False, inputs: int | None = None, relu: bool = False) -> None:
        Module.__init__(self, _make=("rnn_layer", width, layers, bidirectional, bias, dropout, time_first, inputs,
            relu,))


class GRU(_Layer):
    """Gates r, z = sigmoid(W x + b + V h + c), n = tanh(W x + b + r (V h + c)); h' = (1 - z) n + z h (Cho et al. 2014). As
    RNN.

        y, h = gru(x)                       # y [batch, time, width], h [layers, batch, width]
        y, h = gru(x, h, lengths=n)         # goes on from h

    layers: number of stacked layers
    bidirectional: adds layers with other weights that read from the end; results and states of both are concatenated
    bias: adds two bias vectors for each layer
    dropout: dropout rate for the results of each layer but the last, while training
    time_first: sequences are [time, batch, width]
    inputs: width of the input; None: that of the first input"""

    _shown = 1

    def __init__(self, width: int, *, layers: int = 1, bidirectional: bool = False, bias: bool = True, dropout: float
                 = 0.0, time_first: bool = False, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("gru_layer", width, layers, bidirectional, bias, dropout, time_first, inputs,))


class LSTM(_Layer):
    """Gates i, f, o = sigmoid(...), g = tanh(...); c' = f c + i g, h' = o tanh c' (Hochreiter and Schmidhuber 1997). As
    RNN, with inputs x, h, c, lengths and results y, h, c.

        y, (h, c) = lstm(x)                 # y [batch, time, width], h and c [layers, batch, width]
        y, (h, c) = lstm(x, (h, c), lengths=n)

    layers: number of stacked layers
    bidirectional: adds layers with other weights that read from the end; results and states of both are concatenated
    bias: adds two bias vectors for each layer
    dropout: dropout rate for the results of each layer but the last, while training
    time_first: sequences are [time, batch, width]
    inputs: width of the input; None: that of the first input"""

    _shown = 1

    def __init__(self, width: int, *, layers: int = 1, bidirectional: bool = False, bias: bool = True, dropout: float
                 = 0.0, time_first: bool = False, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("lstm_layer", width, layers, bidirectional, bias, dropout, time_first, inputs,))


class MultiheadAttention(_Layer):
    """heads times softmax(q k^T / sqrt(width / heads)) v, side by side, through a last linear layer (Vaswani et al. 2017). Inputs
    are query [batch, queries, width], key and value [batch, keys, width] (left out: query itself; key), all of one width; mask,
    which spreads to [batch, heads, queries, keys]: true where a query may look, or floats that are added to the scores; lengths,
    integers [batch]: how many keys of each row there are; and for generating one after the other: k and v [batch, kv_heads, most,
    width / heads], what was computed before, and at, an integer: the position of the first query. Results y [batch, queries,
    width], and with k and v: both with the new ones put in at their places. Positions are turned by pairs of halves (Su et al.
    2021). Parameters as PyTorch's: in_proj_weight [width + 2 kv_heads width / heads, width], uniform in +-sqrt(6 / (rows +
    columns)), in_proj_bias (0), out_proj.weight, out_proj.bias.

        y = attention(x)                    # of x to itself: [batch, queries, width]
        y = attention(query, key, value, mask=m)
        y, (k, v) = attention(x, k=k, v=v, at=i)

    kv_heads: heads of keys and values, a divisor of heads, each shared by a group of heads; None: as many
    bias: adds biases to queries, keys, values, and the result
    causal: query i attends only to keys up to i
    dropout: dropout rate for attention weights, while training
    rotary: base of the rotary embedding (10000 is usual); 0: none
    inputs: width of the inputs; None: that of the first inputs"""

    _shown = 2

    def __init__(self, width: int, heads: int, *, kv_heads: int | None = None, bias: bool = True, causal: bool =
                 False, dropout: float = 0.0, rotary: float = 0.0, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("multihead_attention_layer", width, heads, kv_heads, bias, causal, dropout,
            rotary, inputs,))


class SwiGLU(_Layer):
    """down(silu(gate x) * up x), three linear layers without bias; the last has as many outputs as x (Shazeer 2020)."""

    _shown = 1

    def __init__(self, hidden: int) -> None:
        Module.__init__(self, _make=("swiglu_layer", hidden,))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward part, each added to its input; inputs x, mask, lengths, and k, v, at, with results y, k, v,
    as in MultiheadAttention. Parts as PyTorch's: self_attn, linear1, linear2, norm1, norm2.

        y = encoder(x)                      # [batch, queries, width]
        y = encoder(x, mask=m, lengths=n)
        y, (k, v) = encoder(x, k=k, v=v, at=i)

    hidden: width of the feed-forward block; None: four times width
    dropout: dropout rate while training: for attention weights, the hidden layer, and what is added to x
    norm_first: x + f(norm(x)) instead of norm(x + f(x))
    feed: activation between the two linear layers; swiglu has three layers
    rms: RMS norms instead of layer norms
    bias: linear layers have a bias
    eps: epsilon of the norms
    kv_heads: as in MultiheadAttention
    causal: position i attends only to positions up to i
    rotary: as in MultiheadAttention"""

    _shown = 2

    def __init__(self, width: int, heads: int, *, hidden: int | None = None, dropout: float = 0.1, norm_first: bool =
                 False, feed: Literal['relu', 'gelu', 'swiglu'] = 'relu', rms: bool = False, bias: bool = True, eps:
                 float = 1e-05, kv_heads: int = 0, causal: bool = False, rotary: float = 0.0) -> None:
        Module.__init__(self, _make=("transformer_encoder_layer", width, heads, hidden, dropout, norm_first, feed,
            rms, bias, eps, kv_heads, causal, rotary,))


class TransformerDecoderLayer(_Layer):
    """The same with attention to memory [batch, keys, width] between; inputs x, memory, mask, memory_mask, memory_lengths. More parts:
    multihead_attn, norm3. Here causal = true.

        y = decoder(x, memory)              # [batch, queries, width]

    hidden: width of the feed-forward block; None: four times width
    dropout: dropout rate while training: for attention weights, the hidden layer, and what is added to x
    norm_first: x + f(norm(x)) instead of norm(x + f(x))
    feed: activation between the two linear layers; swiglu has three layers
    rms: RMS norms instead of layer norms
    bias: linear layers have a bias
    eps: epsilon of the norms
    kv_heads: as in MultiheadAttention
    causal: position i attends only to positions up to i
    rotary: as in MultiheadAttention"""

    _shown = 2

    def __init__(self, width: int, heads: int, *, hidden: int | None = None, dropout: float = 0.1, norm_first: bool =
                 False, feed: Literal['relu', 'gelu', 'swiglu'] = 'relu', rms: bool = False, bias: bool = True, eps:
                 float = 1e-05, kv_heads: int = 0, causal: bool = True, rotary: float = 0.0) -> None:
        Module.__init__(self, _make=("transformer_decoder_layer", width, heads, hidden, dropout, norm_first, feed,
            rms, bias, eps, kv_heads, causal, rotary,))


__all__ = ["RNN", "GRU", "LSTM", "MultiheadAttention", "SwiGLU", "TransformerEncoderLayer", "TransformerDecoderLayer"]
