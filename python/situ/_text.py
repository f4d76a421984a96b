"""Tokenizers."""
import array

from . import _situ


def _bytes(text, one=True):
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"Tokenizer.encode: a str, bytes{' or a list of them' if one else ''} is encoded, not {type(text).__name__}")
    return text.encode("utf-8", "surrogatepass")


def _numbers(tokens):
    """Token numbers as the bytes of int32."""
    t = _situ.asarray(tokens)
    if t.size and not t.dtype.kind.endswith("integer"):
        raise TypeError(f"decode: tokens are integers, not {t.dtype}")
    wide = _situ.read_bytes(_situ.asarray(t, dtype="int64"))
    most = 2**31 - 1  # a larger number must not wrap around to a valid token
    return array.array("i", [i if -1 <= i <= most else most for i in memoryview(wide).cast("q")]).tobytes()


class Tokenizer:
    """A tokenizer from the vocabulary of a GGUF file, of a tokenizer.json, or of a vocab.txt with one WordPiece token
    on each line (`lower`: removes accents and lowers upper case, which such a file does not specify). situ/text.h
    lists the supported kinds.

        t = situ.Tokenizer("model.gguf")
        tokens = t.encode("Hello world")          # int32, one axis
        t.decode(tokens)                          # "Hello world"
        t.encode(["one", "two words"])            # two axes; shorter rows end with t.special["pad"]

    `special`: numbers of special tokens by use: "bos", "eos", "unk", "pad", "cls", "sep", "mask", as far as they
    exist."""

    def __init__(self, path, *, lower=True):
        self._handle = _situ.tokenizer(path, lower)
        self._count, self.special = _situ.tokenizer_says(self._handle)

    def __len__(self):
        return self._count

    def __repr__(self):
        return f"Tokenizer of {self._count} tokens"

    def encode(self, text, *, special=False, frame=True, most=None, device=None):
        """The tokens of a text, or of a list of texts. special: names of special tokens in the text become these
        tokens; else they are ordinary text. frame: adds the tokens that the file puts around each text. most: limit
        on the number of tokens, including the frame."""
        most = 0 if most is None else most
        if isinstance(text, (list, tuple)):
            texts = [_bytes(t, False) for t in text]
            if any(b"\0" in t for t in texts):
                raise ValueError("Tokenizer.encode: one of several texts has a zero in it; encode it alone")
            return _situ.tokenizer_batch(self._handle, texts, special, frame, most, device)
        return _situ.tokenizer_encode(self._handle, _bytes(text), special, frame, most, device)

    def decode(self, tokens, errors="replace"):
        """The text of tokens, without special ones. `errors`: how to treat bytes that are not UTF-8."""
        return _situ.tokenizer_decode(self._handle, _numbers(tokens)).decode(errors=errors)

    def find(self, token):
        """The number of the token with this text, or None."""
        number = _situ.tokenizer_find(self._handle, token)
        return None if number < 0 else number
