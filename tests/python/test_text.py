"""Tokenizers from Python: the numbers of the package tokenizers (tests/reference), round trips, and what cannot be done."""
import os
import pathlib
import tempfile

import numpy as np

import situ
from support import raises, run

REFERENCE = pathlib.Path(__file__).resolve().parents[1] / "reference"


def test_numbers_are_those_of_the_package():
    for kind in "pairs", "words":
        t = situ.Tokenizer(REFERENCE / f"tokenizer_{kind}.json")
        for line in (REFERENCE / f"tokenizer_{kind}.txt").read_text().splitlines():
            text, ids = line.split(":")
            text = bytes.fromhex(text).decode()
            tokens = t.encode(text, special=True)
            assert np.asarray(tokens).tolist() == [int(i) for i in ids.split()], text
            assert kind == "words" or "<|im_" in text or t.decode(tokens) == text


def test_a_vocabulary_of_lines():
    path = os.path.join(tempfile.mkdtemp(), "vocab.txt")
    with open(path, "w") as f:
        f.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nworld\n")
    t = situ.Tokenizer(path)
    assert len(t) == 6 and t.special == {"unk": 1, "pad": 0, "cls": 2, "sep": 3} and t.find("hello") == 4 and t.find("x") is None
    assert np.asarray(t.encode(["Hello", "hello there world"])).tolist() == [[2, 4, 3, 0, 0], [2, 4, 1, 5, 3]]
    assert np.asarray(t.encode("hello world", frame=False, device=situ.gpu(0)).to_device(situ.cpu())).tolist() == [4, 5]
    assert np.asarray(t.encode("hello world", most=3)).tolist() == [2, 4, 3]
    assert np.asarray(situ.Tokenizer(path, lower=False).encode("Hello", frame=False)).tolist() == [1]
    assert t.decode([2, 4, 5, 3]) == "hello world" and t.decode([]) == ""
    raises(TypeError, lambda: t.encode(3), "not int")
    raises(ValueError, lambda: t.encode(["a\0"]), "has a zero in it")
    raises(Exception, lambda: t.decode([6]), "the vocabulary has 6")
    raises(Exception, lambda: situ.Tokenizer("/nowhere"), "No such file")
    raises(Exception, lambda: t.encode([]), "there is no text")


if __name__ == "__main__":
    run(globals())
