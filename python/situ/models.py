"""Language models of the Llama family: RMS norms, rotary positions, grouped heads, SwiGLU.

    model, words = situ.models.llama("model.gguf", keep=True), situ.Tokenizer("model.gguf")
    logits = model.step([words.encode("Once upon a time")])       # [batch, count] integers: what the next token may be
    for i in range(100):
        token = situ.models.sample(logits, situ.random.fold_in(key, i), temperature=0.8, top_p=0.95)
        print(words.decode(token), end="")
        logits = model.step([token])"""

from . import _situ, nn


def _tokens(tokens):
    """Integers [batch, count]; a list of rows, of numbers or tensors, too."""
    if isinstance(tokens, (list, tuple)) and tokens and all(isinstance(row, _situ.Tensor) for row in tokens):
        return _situ.stack([_situ.reshape(row, (-1,)) for row in tokens], axis=0)
    return _situ.asarray(tokens)


class Llama(nn._Layer):
    """A model with random weights, normally distributed with standard deviation 0.02. Like any network, it is called
    with tokens [batch, count] and gives logits [batch, count, vocabulary], with gradients. Parameters have Hugging
    Face's names, "model.layers.0.self_attn.q_proj.weight".

    layers: number of blocks of attention and SwiGLU; width: length of a token's vector; heads: number of query
    heads; width / heads must be even; kv_heads: of key and value heads, a divisor of heads (None: as many); hidden:
    width inside of SwiGLU (None: four times width); vocabulary: number of tokens; rope_base: base of the rotary
    positions; eps (or epsilon): of the norms; tied: logits use the embedding table instead of a matrix of their own;
    bias: queries, keys and values have one; rope_factors: the parameter "model.rotary.factors", initially 1 and not
    trained, divides the rotary frequencies"""

    def __init__(self, *, layers=2, width=64, heads=4, kv_heads=None, hidden=None, vocabulary=256, rope_base=10000.0, eps=1e-5,
                 tied=False, epsilon=None, bias=False, rope_factors=False):
        eps = eps if epsilon is None else epsilon
        super().__init__(_make=("llama", layers, width, heads, kv_heads, hidden, vocabulary, rope_base, eps, tied, bias, rope_factors, None, None))

    def begin(self, *, context=2048, batch=1):
        """Forgets the tokens before: the next step starts a text. context: how many tokens it can remember; batch:
        texts side by side."""
        _situ.llama_begin(self._handle, context, batch)
        return self

    def step(self, tokens):
        """Continues with tokens [batch, count], or with a list of one row of tokens for each text. Returns the logits
        [batch, vocabulary] of the next token, without gradients. The first step starts a text."""
        return _situ.llama_step(self._handle, _tokens(tokens))

    @property
    def position(self):
        """Number of tokens that it remembers."""
        return _situ.llama_position(self._handle)

    def adapt(self, rank, *, alpha=16.0):
        """Freezes the model and adds low-rank adapters (Hu et al. 2021): to queries and values of each layer the
        trainable product of two matrices, "lora_A" and "lora_B" under the matrix's name, times alpha / rank. lora_B
        starts as 0."""
        _situ.llama_adapt(self._handle, rank, alpha)
        self._node.make = self._node.make[:-2] + (rank, alpha)  # so that copies have it, too
        return self

    def save(self, path, *, shard_bytes=0):
        """Writes the parameters to a safetensors file, with the sizes that llama() reads. Low-rank adapters are merged
        into their matrices. Weights kept as f16 or quantised are written as float32. shard_bytes: as in situ.save."""
        _situ.llama_save(self._handle, path, shard_bytes)
        return self


def llama(path, *, keep=False, device=None):
    """The model of a GGUF file, or of safetensors: written by Llama.save, or Hugging Face's with config.json beside it.
    float32 weights on the CPU are mapped from the file.

    keep: matrices stay in the file's format (f16, bf16, Q4_0 to Q8_0, Q2_K to Q6_K, IQ4_NL) and are multiplied in it, for inference
    only; False: converts to float32, which can be trained; device: where the weights are; quantised weights work on
    the CPU only"""
    model = Llama.__new__(Llama)
    nn._Layer.__init__(model, _make=("llama_open", path, keep, device, None, None))
    return model


def sample(logits, key, *, temperature=1.0, top_k=None, top_p=1.0):
    """Draws a token (int64) for each row of logits [..., vocabulary], by key, from their softmax.

    temperature: logits are divided by it; 0: takes the largest; top_k: only the so many largest logits (None: all);
    top_p: only the most probable tokens that together have this probability (Holtzman et al. 2020)"""
    return _situ.sample(logits, key, temperature, top_k, top_p)


__all__ = ["Llama", "llama", "sample"]
