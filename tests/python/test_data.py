"""Folders of images and byte-pair encoding beside plain NumPy and Python: the pixels of PNGs of all kinds, of JPEGs beside
libturbojpeg itself, sizes beside a matrix of weights (and beside PyTorch where it is), merges beside a program that counts anew each
time, and what is wrong. data.py [seed [cases]]"""
import collections
import ctypes
import os
import random
import re
import shutil
import struct
import sys
import tempfile
import zlib

import numpy as np

import situ

FOLDER = tempfile.mkdtemp()
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 60


def same(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(kind, words, function, *args, **options):
    try:
        function(*args, **options)
    except kind as error:
        for word in [words] if isinstance(words, str) else words:
            same(word in str(error), f"{word!r} is not in {str(error)!r}")
        same("situ_" not in str(error), str(error))
    else:
        raise AssertionError(f"nothing was refused where {words!r} was expected")


# ---- images

def png(pixels, kind="rgb"):
    """A PNG of u8 or u16 [h, w, channels]: grey 1, grey and alpha 2, rgb 3, rgb and alpha 4; or indices into 256 colours."""
    h, w = pixels.shape[:2]
    colour = 3 if kind == "palette" else {1: 0, 2: 4, 3: 2, 4: 6}[pixels.shape[2]]
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(h, -1).view(np.uint8)
    raw = b"".join(b"\0" + r.tobytes() for r in rows)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", w, h, 8 * pixels.dtype.itemsize, colour, 0, 0, 0)
    table = chunk(b"PLTE", PALETTE.tobytes()) if kind == "palette" else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + table + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


PALETTE = np.random.default_rng(0).integers(0, 256, (256, 3), dtype=np.uint8)


def turbo():
    """libturbojpeg, or None."""
    try:
        t = ctypes.CDLL("libturbojpeg.so.0")
    except OSError:
        return None
    for name in ("tjInitCompress", "tjInitDecompress"):
        getattr(t, name).restype = ctypes.c_void_p
    return t


def jpeg(t, pixels, kind=0):
    """A JPEG of u8 [h, w, 3]; of four channels: CMYK."""
    h, w, channels = pixels.shape
    out, size, pixels = ctypes.c_void_p(), ctypes.c_ulong(), np.ascontiguousarray(pixels)
    handle = ctypes.c_void_p(t.tjInitCompress())
    same(t.tjCompress2(handle, pixels.ctypes.data_as(ctypes.c_void_p), w, 0, h, 11 if channels == 4 else 0, ctypes.byref(out), ctypes.byref(size), kind, 90, 0) == 0, "compressing")
    return ctypes.string_at(out, size.value)


def unjpeg(t, data, shape):
    h, w, channels = shape
    out, handle = np.zeros(shape, np.uint8), ctypes.c_void_p(t.tjInitDecompress())
    same(t.tjDecompress2(handle, data, ctypes.c_ulong(len(data)), out.ctypes.data_as(ctypes.c_void_p), w, 0, h, 11 if channels == 4 else 0, 0) == 0, "decompressing")
    return out


def folder_of(files):
    """A folder with these files, {"class/name": bytes}."""
    path = tempfile.mkdtemp(dir=FOLDER)
    for name, data in files.items():
        os.makedirs(os.path.join(path, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(path, name), "wb") as f:
            f.write(data)
    return path


def pixels_of(data):
    return np.asarray(data.features), np.asarray(data.labels).tolist()


def weights(n, m):
    """[m, n]: what each of m pixels takes of n."""
    scale = n / m
    reach = max(scale, 1)
    away = np.abs((np.arange(n) + 0.5)[None] - ((np.arange(m) + 0.5) * scale)[:, None]) / reach
    w = np.maximum(0, 1 - away)
    return w / w.sum(1, keepdims=True)


def all_kinds_of_png():
    rng, count = np.random.default_rng(1), 0
    for case in range(CASES):
        h, w = rng.integers(1, 20, 2)
        rgb = rng.integers(0, 256, (h, w, 3), dtype=np.uint8)
        grey = rng.integers(0, 256, (h, w, 1), dtype=np.uint8)
        index = rng.integers(0, 256, (h, w, 1), dtype=np.uint8)
        opaque = np.concatenate([rgb, np.full((h, w, 1), 255, np.uint8)], 2)
        clear = np.concatenate([rgb, np.zeros((h, w, 1), np.uint8)], 2)
        wide = rgb.astype(np.uint16) * 257
        files = {"a/1.png": png(rgb), "a/2.PNG": png(grey), "b/deep/3.png": png(index, "palette"), "b/4.png": png(opaque), "c/5.png": png(clear), "c/6.jpg": png(wide), "c/.hidden.png": b"", "c/note.txt": b"x"}
        data = situ.data.image_folder(folder_of(files))
        x, y = pixels_of(data)
        want = [rgb, np.repeat(grey, 3, 2), rgb, PALETTE[index[..., 0]], np.zeros_like(rgb), rgb]  # b/4.png is before b/deep
        same(y == [0, 0, 1, 1, 2, 2] and data.tokens == ("a", "b", "c") and data.classes == 3, (y, data.tokens))
        for got, image in zip(x, want):
            same(np.array_equal(np.asarray(got), image.transpose(2, 0, 1)), f"case {case}")
            count += 1
        part = data.split(0, share=0.5)[0]
        same(part.tokens == ("a", "b", "c"), part.tokens)
    return count


def jpegs():
    t, rng, count = turbo(), np.random.default_rng(2), 0
    if not t:
        return "libturbojpeg is not here"
    for case in range(CASES):
        h, w = rng.integers(1, 40, 2)
        pixels = rng.integers(0, 256, (h, w, int(rng.choice([3, 4]))), dtype=np.uint8)
        data = jpeg(t, pixels, int(rng.choice([0, 1, 2])))
        plain = unjpeg(t, data, pixels.shape)
        if pixels.shape[2] == 4:
            plain = ((plain[..., :3].astype(int) * plain[..., 3:] + 127) // 255).astype(np.uint8)
        extra = data[:-2] + b"\0\0\0" + data[-2:] if case % 2 else data  # bytes before the end, as some programs leave
        x, _ = pixels_of(situ.data.image_folder(folder_of({"a/x.JPEG": extra})))
        same(np.array_equal(x[0], plain.transpose(2, 0, 1)), f"case {case}")
        count += 1
    return count


def sizes():
    try:
        import torch
    except ImportError:
        torch = None
    rng, count, beside = np.random.default_rng(3), 0, 0
    for case in range(CASES):
        h, w, height, width = (int(v) for v in rng.integers(1, 48, 4))
        rgb = rng.integers(0, 256, (h, w, 3), dtype=np.uint8)
        path = folder_of({"a/x.png": png(rgb), "b/y.png": png(rgb[::-1])})
        x, _ = pixels_of(situ.data.image_folder(path, height=height, width=width))
        want = np.einsum("ah,hwc,bw->cab", weights(h, height), rgb.astype(float), weights(w, width))
        same(np.abs(x[0] - want).max() <= 0.502, f"case {case}: off by {np.abs(x[0] - want).max()}")
        count += 1
        if torch and width > 1:  # PyTorch 2.13 is off by whole levels where one column is left
            other = torch.nn.functional.interpolate(torch.tensor(np.ascontiguousarray(rgb.transpose(2, 0, 1)[None], np.float32)), (height, width), mode="bilinear", antialias=True).numpy()[0]
            same(np.abs(x[0] - other).max() <= 0.51, f"case {case}: PyTorch is off by {np.abs(x[0] - other).max()}")
            beside += 1
        ch, cw = (h, min(w, max(1, (h * width + height // 2) // height))) if w * height > h * width else (min(h, max(1, (w * height + width // 2) // width)), w)
        cut = rgb[(h - ch) // 2:(h - ch) // 2 + ch, (w - cw) // 2:(w - cw) // 2 + cw].astype(float)
        x, _ = pixels_of(situ.data.image_folder(path, height=height, width=width, crop=True, grey=True))
        cut = np.clip(np.floor(np.einsum("ah,hwc,bw->abc", weights(ch, height), cut, weights(cw, width)) + 0.5), 0, 255)
        grey = cut @ [0.299, 0.587, 0.114]
        same(np.abs(x[0, 0] - grey).max() <= 1.6, f"case {case}: cropped, grey, off by {np.abs(x[0, 0] - grey).max()}")
        count += 1
    return f"{count}, of them {beside} beside PyTorch"


def batches():
    rgb = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    data = situ.data.image_folder(folder_of({"a/x.png": png(rgb), "b/y.png": png(rgb)}))
    for x, y in situ.data.Loader(data, batch=2):
        same(np.array_equal(np.asarray(x)[1], (rgb.transpose(2, 0, 1).astype(np.float32) / np.float32(255))), "a batch")
    return 1


def wrong_images():
    rgb = np.random.default_rng(4).integers(0, 256, (30, 30, 3), dtype=np.uint8)
    good, read, count = png(rgb), situ.data.image_folder, 0
    cases = [
        ({"a/x.png": good[:len(good) // 2]}, ["a/x.png", "damaged"], {}), ({"a/x.png": good[:20]}, ["a/x.png", "damaged"], {}),
        ({"a/x.png": b"hello, I am no image"}, ["a/x.png", "neither a PNG nor a JPEG"], {}), ({"a/x.jpg": b""}, ["a/x.jpg", "it is empty"], {}),
        ({"a/x.png": good, "b/y.png": png(rgb[:20])}, ["a/x.png has 30 by 30", "b/y.png has 30 by 20", "height="], {}),
        ({"a/x.png": good, "b/y.txt": b""}, ["/b has no PNG or JPEG"], {}), ({"x.png": good}, ["has no folders"], {}),
        ({"a/x.png": good, "a/y.webp": good}, ["a/y.webp", "convert it to PNG or JPEG"], {}),
        ({"a/x.png": good}, ["both from 1 to 65536"], {"height": 5}), ({"a/x.png": good}, ["height is at least 1"], {"height": -5, "width": 3}),
        ({"a/x.png": good}, ["there has to be a size"], {"crop": True}), ({"a/x.png": good}, ["both from 1 to 65536"], {"height": 70000, "width": 70000}), ({"a/x.png": good}, ["width is at least 1"], {"height": 3, "width": -3}),
        ({"a/x.png": good.replace(struct.pack(">II", 30, 30), struct.pack(">II", 30000, 30000))}, ["a/x.png", "damaged"], {}),
    ]
    if turbo():
        j = jpeg(turbo(), rgb)
        cases += [({"a/x.jpg": j[:len(j) // 2]}, ["a/x.jpg", "damaged", "remature end"], {}), ({"a/x.jpg": j[:30]}, ["a/x.jpg", "damaged"], {})]
    for files, words, options in cases:
        refused(Exception, words, read, folder_of(files), **options)
        count += 1
    path = folder_of({"a/x.png": good})
    os.symlink(os.path.join(path, "a"), os.path.join(path, "a", "again"))
    refused(Exception, "does a link lead back", read, path)
    refused(Exception, "No such file", read, os.path.join(FOLDER, "nowhere"))
    refused(Exception, "no folder is named", read, None)
    return count + 3


# ---- pairs of bytes

def stretches(text):
    """The same rule as a regular expression over bytes."""
    word, mark, space = rb"[0-9A-Za-z'\x80-\xff]", rb"[^0-9A-Za-z'\x80-\xff\s]", rb"\s"
    out, i = [], 0
    pattern = re.compile(rb" ?%s+| ?%s+|\s+(?= \S)|\s+" % (word, mark), re.S)
    while i < len(text):
        m = pattern.match(text, i)
        piece = m.group()
        if len(piece) > 64:
            end = 64
            while end < 67 and i + end < len(text) and text[i + end] & 0xc0 == 0x80:
                end += 1
            piece = text[i:i + end]
        out.append(piece)
        i += len(piece)
    return out


def learned(text, most):
    """[(a, b)], by counting all pairs anew for each."""
    words, pairs = collections.Counter(stretches(text)), []
    words = {w: (list(w), n) for w, n in words.items()}
    while len(pairs) < most:
        tally = collections.Counter()
        for tokens, n in words.values():
            for pair in zip(tokens, tokens[1:]):
                tally[pair] += n
        if not tally or max(tally.values()) < 2:
            break
        best = min(tally, key=lambda p: (-tally[p], p))
        pairs.append(best)
        words = {w: (joined(tokens, best, 255 + len(pairs)), n) for w, (tokens, n) in words.items()}
    return pairs


def joined(tokens, pair, token):
    out = []
    for t in tokens:
        if out and (out[-1], t) == pair:
            out[-1] = token
        else:
            out.append(t)
    return out


def encoded(text, pairs):
    out = []
    for piece in stretches(text):
        tokens = list(piece)
        for k, pair in enumerate(pairs):
            tokens = joined(tokens, pair, 256 + k)
        out += tokens
    return out


def some_text(rng):
    words = ["the", "then", "cat", "cats", "don't", "été", "日本語のテキスト", "aaaa", "aaaaaaa", "12", "1234", "--", "...", "\n", "\t\t", "    ", "x" * 100, "é" * 80, "🙂🙂", "\r\n"]
    return "".join(rng.choice(words) + rng.choice([" ", " ", "", "  ", "\n", ", "]) for _ in range(rng.randint(20, 400)))


def pairs_of_bytes():
    rng, count = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0), 0
    for case in range(CASES):
        text = some_text(rng).encode() if case % 3 else bytes(rng.randrange(rng.choice([3, 128, 256])) for _ in range(600))
        most = rng.choice([257, 260, 300, 400, 2000])
        path = os.path.join(FOLDER, "text")
        with open(path, "wb") as f:
            f.write(text)
        length = rng.randint(1, 5)
        data = situ.data.text_dataset(path, length, pairs=True, most=most, stride=1)
        pairs = learned(text, most - 256)
        want = encoded(text, pairs)
        same(data.classes == 256 + len(pairs), f"case {case}: {data.classes} tokens, not {256 + len(pairs)}")
        x, y = (np.concatenate([np.asarray(b[k]) for b in situ.data.Loader(data, batch=1000)]) for k in (0, 1))
        got = x[:, 0].tolist() + x[-1, 1:].tolist() + [int(y[-1, -1])]
        same(got == want, f"case {case}: other tokens")
        same(data.decode(want, errors=None) == text, f"case {case}: the text comes back")
        other = some_text(rng)
        ids = data.encode(other)
        same(ids == encoded(other.encode(), pairs) and data.decode(ids) == other, f"case {case}: another text")
        count += 3
    return count


def other_tokens():
    path = os.path.join(FOLDER, "plain")
    with open(path, "w") as f:
        f.write("one two, three\nfour ünf " * 5)
    letters, words = situ.data.text_dataset(path, 4), situ.data.text_dataset(path, 4, words=True)
    same(letters.decode(letters.encode("tünf\n")) == "tünf\n", "characters")
    same(words.decode(words.encode("two\n\nthree ,ünf")) == "two three , ünf", "words")
    return 2


def vocabularies():
    path, file, count = os.path.join(FOLDER, "plain"), os.path.join(FOLDER, "vocabulary"), 0
    for options in {}, {"words": True}, {"words": True, "most": 4}, {"pairs": True, "most": 270}, {"most": 8}:
        with open(path, "w") as f:
            f.write("one two, three\nfour \\ünf\t\u2028 " * 5)
        data = situ.data.text_dataset(path, 4, **options)
        data.save_vocabulary(file)
        back = situ.data.vocabulary_dataset(file)
        same(len(back) == 0 and back.tokens == data.tokens and back.classes == data.classes, f"{options}: the tokens")
        for text in "one two, three\n", "other words" if "most" in options else "four, one":
            same(back.encode(text) == data.encode(text), f"{options}: {text!r}")
        with open(path, "w") as f:
            f.write("three two one zero" if "most" in options else "three two one")
        later = situ.data.text_dataset(path, 2, vocabulary=file, stride=1)
        x, y = next(iter(situ.data.Loader(later, batch=1000)))
        same(np.asarray(x)[:, 0].tolist() + np.asarray(y)[-1].tolist() == data.encode(open(path).read()), f"{options}: another text")
        count += 4
    refused(Exception, "no vocabulary", situ.data.digits().save_vocabulary, file)
    refused(Exception, "is no vocabulary of situ", situ.data.vocabulary_dataset, path)
    refused(Exception, "is not one of pairs", lambda: situ.data.text_dataset(path, 2, vocabulary=file, pairs=True))
    return count + 3


def wrong_texts():
    path, empty = os.path.join(FOLDER, "plain"), os.path.join(FOLDER, "empty")
    open(empty, "w").close()
    read = situ.data.text_dataset
    for options, words in [({"words": True}, "not both"), ({"most": 256}, "257 to 65536"), ({"most": 70000}, "257 to 65536"), ({"most": -1}, "at least 1")]:
        refused(Exception, words, lambda: read(path, 4, pairs=True, **options))
    refused(Exception, "one more than a window", read, empty, 4, pairs=True)
    refused(Exception, "one more than a window", read, path, 10**6, pairs=True)
    data = read(path, 4, pairs=True)
    refused(Exception, ["token 1 is 100000", "has "], data.decode, [3, 100000])
    for wrong in [1.5], [True], situ.asarray([1.0]), np.array([2.0]), "ab":
        refused(TypeError, "", data.decode, wrong)
    for wrong in np.array([3, 2**32 + 1]), situ.asarray(np.array([3, 2**32 + 1])), [3, 2**40], np.array([3, -2**40]), situ.asarray([3, -1]):
        refused(IndexError, "token 1 is ", data.decode, wrong)
    assert data.decode([]) == data.decode(np.array([])) == "" and data.decode(np.array([[97], [98]], np.uint8)) == "ab"
    refused(ValueError, "null character", data.encode, "a\0b")
    refused(TypeError, "text must be a str, not <class 'bytes'>", data.encode, b"a")
    refused(Exception, "token 0 is -1", data.decode, [-1])
    refused(TypeError, "", data.encode, 5)
    refused(Exception, "no vocabulary", situ.data.digits().decode, [1])
    images = situ.data.image_folder(folder_of({"a/x.png": png(np.zeros((1, 1, 3), np.uint8))}))
    refused(Exception, "no vocabulary", images.encode, "a")
    refused(Exception, "no vocabulary", images.decode, [0])
    same(data.decode([]) == "" and data.encode("") == [], "nothing")
    return 13


for test in (all_kinds_of_png, jpegs, sizes, batches, wrong_images, pairs_of_bytes, other_tokens, vocabularies, wrong_texts):
    name = test.__name__.replace("_", " ")
    try:
        print(f"PASS data: {name}: {test()} cases agree")
    except Exception as error:
        print(f"FAIL data: {name}: {type(error).__name__}: {error}")
shutil.rmtree(FOLDER)
