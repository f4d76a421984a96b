"""Language models of the Llama family: RMS norms, rotary positions, grouped heads, SwiGLU.

    model, words = situ.models.llama("model.gguf", keep=True), situ.Tokenizer("model.gguf")
    logits = model.step([words.encode("Once upon a time")])       # [batch, count] integers: what the next token may be
    for i in range(100):
        token = situ.models.sample(logits, situ.random.fold_in(key, i), temperature=0.8, top_p=0.95)
        print(words.decode(token), end="")
        logits = model.step([token])"""
import os as _os

from . import _situ, nn


def _tokens(tokens):
    """Integers [batch, count]; a list of rows, of numbers or tensors, too."""
    if isinstance(tokens, (list, tuple)) and tokens and all(isinstance(row, _situ.Tensor) for row in tokens):
        return _situ.stack([_situ.reshape(row, (-1,)) for row in tokens], axis=0)
    return _situ.asarray(tokens)


class Llama(nn._Layer):
    """A model with random weights, normal with deviation 0.02. A network as any other: called with tokens [batch, count] it gives logits
    [batch, count, vocabulary], with gradients. Parameters have Hugging Face's names, "model.layers.0.self_attn.q_proj.weight".

    layers: blocks of attention and SwiGLU; width: of a token's vector; heads: of queries, they divide width into an even number;
    kv_heads: of keys and values, a divisor of heads (None: as many); hidden: width inside of SwiGLU (None: four times width);
    vocabulary: how many tokens there are; rope_base: of rotary positions; eps (or epsilon): of the norms; tied: logits are products with the
    table of the tokens' vectors, instead of a matrix of their own"""

    def __init__(self, *, layers=2, width=64, heads=4, kv_heads=None, hidden=None, vocabulary=256, rope_base=10000.0, eps=1e-5,
                 tied=False, epsilon=None):
        eps = eps if epsilon is None else epsilon
        super().__init__(_make=("llama", layers, width, heads, kv_heads, hidden, vocabulary, rope_base, eps, tied, None, None))

    def begin(self, *, context=2048, batch=1):
        """Forgets what came before: the next step is the first one. context: tokens that it remembers at most; batch: texts side by side."""
        _situ.llama_begin(self._handle, context, batch)
        return self

    def step(self, tokens):
        """Goes on by tokens [batch, count], or a list of a row of tokens for each text: logits [batch, vocabulary] of the token behind
        them, without gradients. The first step begins."""
        return _situ.llama_step(self._handle, _tokens(tokens))

    @property
    def position(self):
        """How many tokens it remembers."""
        return _situ.llama_position(self._handle)

    def adapt(self, rank, *, alpha=16.0):
        """Freezes the model, and adds to queries and values of each layer a trainable product of two matrices of low rank, "lora_A" and
        "lora_B" below the matrix's name (Hu et al. 2021), multiplied by alpha / rank. lora_B begins with 0."""
        _situ.llama_adapt(self._handle, rank, alpha)
        self._node.make = self._node.make[:-2] + (rank, alpha)  # copies have it, too
        return self

    def save(self, path, *, shard_bytes=0):
        """Writes the parameters to a file of safetensors, with the sizes that llama() reads; what a low-rank adapter has learnt is added to
        its matrix. Kept halves and blocks are written as float32. shard_bytes: as in situ.save."""
        _situ.llama_save(self._handle, path, shard_bytes)
        return self


def llama(path, *, keep=False, device=None):
    """The model of a GGUF file, or of safetensors: what Llama.save wrote, or Hugging Face's with config.json beside it. float32 weights
    on the CPU share the file's pages.

    keep: matrices stay as they are in the file (f16, bf16, Q8_0, Q4_0, Q4_1) where they are multiplied by such, for inference alone;
    False: float32, trained as any other; device: where the weights are; blocks are kept on the CPU alone"""
    model = Llama.__new__(Llama)
    nn._Layer.__init__(model, _make=("llama_open", _os.fspath(path), keep, device, None, None))
    return model


def sample(logits, key, *, temperature=1.0, top_k=None, top_p=1.0):
    """A token, int64, for each row of logits [..., vocabulary], drawn by key from their softmax.

    temperature: logits are divided by it, 0: the largest one is taken; top_k: of the so many largest (None: of all);
    top_p: of the fewest whose probabilities sum up to it (Holtzman et al. 2020)"""
    return _situ.sample(logits, key, temperature, top_k, top_p)


__all__ = ["Llama", "llama", "sample"]
