#!/usr/bin/env python3
"""Files of GGUF that the package gguf writes, read by the library: every type's values (gguf.quants.dequantize, equal bits), shapes and
metadata. With a file as argument: that file.

    tests/release/gguf_values.py [FILE.gguf]"""
import ctypes
import os
import pathlib
import sys
import tempfile

try:
    import gguf
    import numpy as np
except ImportError as e:
    print(f"SKIP gguf_values: {e}")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
lib = ctypes.CDLL(os.path.join(os.environ.get("SITU_BUILD_DIR", ROOT / "build"), "libsitu.so"))
OWN = "F32 F16 BF16 F64 I8 I16 I32 I64".split()
BLOCKS = "Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ4_NL".split()


class Shape(ctypes.Structure):
    _fields_ = [("dim", ctypes.c_int64 * 8), ("ndim", ctypes.c_int64)]


for name, result in dict(situ_archive_open=ctypes.c_void_p, situ_archive_get=ctypes.c_void_p, situ_archive_name=ctypes.c_char_p,
                         situ_archive_shape=Shape, situ_archive_count=ctypes.c_int64, situ_archive_metadata=ctypes.c_char_p,
                         situ_error_message=ctypes.c_char_p, situ_scope_open=ctypes.c_void_p).items():
    getattr(lib, name).restype = result


def ptr(x):
    return ctypes.c_void_p(x)


def tensor(archive, name, size):
    scope = lib.situ_scope_open(None)
    t = lib.situ_archive_get(ptr(archive), name.encode(), None, b"here")
    out = np.zeros(size, np.uint8)
    if lib.situ_read(ptr(t), out.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(size), b"here"):
        sys.exit(f"FAIL {name}: {lib.situ_error_message().decode()}")
    lib.situ_scope_close(ptr(scope), b"here")
    return out


def compare(path):
    """Every tensor of the file, as the package reads it."""
    archive = lib.situ_archive_open(os.fsencode(path), None, b"here")
    if not archive:
        sys.exit(f"FAIL: {lib.situ_error_message().decode()}")
    reader = gguf.GGUFReader(path)
    assert lib.situ_archive_count(ptr(archive)) == len(reader.tensors)
    kinds = {}
    for i, t in enumerate(reader.tensors):
        name = t.tensor_type.name
        want = t.data if name in OWN and name != "BF16" else t.data.view(np.uint16) if name == "BF16" else gguf.quants.dequantize(t.data, t.tensor_type)
        got = tensor(archive, t.name, want.nbytes)
        shape = lib.situ_archive_shape(ptr(archive), ctypes.c_int64(i))
        assert list(shape.dim[:shape.ndim]) == [int(n) for n in reversed(t.shape)], t.name
        if not np.array_equal(got, np.ascontiguousarray(want).view(np.uint8).reshape(-1)):
            sys.exit(f"FAIL {t.name} ({name}): {got.view(np.float32)[:8]} instead of {np.ravel(want)[:8]}")
        kinds[name] = kinds.get(name, 0) + want.size
    return archive, reader, kinds


def made(path, rng, version_of_everything=True):
    """A file with every type and kind of metadata; scales are finite, all other bits are random."""
    w = gguf.GGUFWriter(path, "test")
    for kind, value in dict(uint8=200, int8=-100, uint16=60000, int16=-30000, uint32=4000000000, int32=-2000000000, uint64=2 ** 63, int64=-2 ** 62,
                            float32=0.1, float64=0.1, bool=True, string="é\n\"x\"").items():
        getattr(w, f"add_{kind}")(f"one.{kind}", value)
    w.add_array("list.text", ["a", "", "b,c", "é"])
    w.add_array("list.int", [1, -2, 3])
    w.add_array("list.float", [0.5, 0.25])
    for kind in BLOCKS:
        q = gguf.GGMLQuantizationType[kind]
        values, size = gguf.GGML_QUANT_SIZES[q]
        data = rng.integers(0, 256, (3, 5, 2 * size), dtype=np.uint8)
        for at in {"Q4_1": (0, 2), "Q5_1": (0, 2), "Q2_K": (80, 82), "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)}.get(kind, (0,)):
            for block in range(2):
                scale = rng.normal(0, 1, (3, 5, 1)).astype(np.float16) * np.float16(10.0 ** rng.integers(-6, 3))
                data[..., block * size + at:block * size + at + 2] = scale.view(np.uint8)
        w.add_tensor(kind, data, raw_dtype=q)
    for kind, dtype in dict(F32=np.float32, F16=np.float16, F64=np.float64, I8=np.int8, I16=np.int16, I32=np.int32, I64=np.int64).items():
        w.add_tensor(kind, rng.integers(-100, 100, (2, 3, 4, 5)).astype(dtype))
    w.add_tensor("BF16", rng.integers(0, 2 ** 15, (7, 2), dtype=np.uint16).view(np.uint8), raw_dtype=gguf.GGMLQuantizationType.BF16)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main():
    if len(sys.argv) > 1:
        print("PASS gguf_values:", compare(sys.argv[1])[2])
        return
    for seed in range(40):
        path = os.path.join(tempfile.gettempdir(), f"situ_{os.getpid()}.gguf")
        made(path, np.random.default_rng(seed))
        try:
            archive, _, kinds = compare(path)
            assert set(kinds) == set(OWN + BLOCKS)
            says = lambda key: (lib.situ_archive_metadata(ptr(archive), key.encode()) or b"").decode()
            for key, value in dict(uint8="200", int8="-100", uint16="60000", int16="-30000", uint32="4000000000", int32="-2000000000", uint64=str(2 ** 63),
                                   int64=str(-2 ** 62), float64="0.10000000000000001", float32="0.100000001", bool="true", string="é\n\"x\"").items():
                assert says(f"one.{key}") == value, (key, says(f"one.{key}"))
            assert says("list.text") == "[string x 4]" and says("list.int") == "[i32 x 3]" and says("list.float") == "[f32 x 2]"
            lib.situ_archive_close(ptr(archive), b"here")
        finally:
            os.unlink(path)
    print(f"PASS gguf_values: 40 files, {len(kinds)} types, equal bits")


main()
