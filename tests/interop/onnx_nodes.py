#!/usr/bin/env python3
"""The tests of the onnx package (onnx.backend.test) through situ_onnx_load, nodes and models: how many agree; what is not known, by name.

    tests/interop/onnx_nodes.py [FILTER] [--least 1600] [--models KIND...]

--models: of these folders of the package alone, such as pytorch-converted; none: nodes alone.

Fails where a result is wrong, or fewer than --least agree. A test is skipped only where the library says SITU_UNSUPPORTED, or where
the test's own data has no counterpart (strings, sequences, dtypes of 8 bits and less)."""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import re
import sys
import types

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
from onnx.backend.test.case.node import collect_testcases

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
UNSUPPORTED = 301
MOST = 16
# The machine epsilon of the short floats: one unit in the last place of a result. What is made of several operations rounds at
# other places here than in the reference, so that results may be neighbours, and no more than that. In attention five roundings
# follow one another (queries, keys, scores, weights, result): two units.
UNIT = {"bfloat16": 2 ** -7, "float16": 2 ** -10}
# The error of a Fourier transform in f32 is relative to the largest value, not to each one: an expected 0 of the package is 1.5e-6.
NORMWISE = re.compile("test_(dft|stft)")
RANDOM = re.compile("bernoulli|training_dropout|_random_(normal|uniform)")  # their values are their maker's own


# Where the package's values are not those of the runtimes, and ours are the runtimes'.
OTHERS = {f"test_resize_downsample_scales_{mode}_align_corners": "PyTorch and onnxruntime divide by the whole length of the result less 1; "
          "the package by the length times the scale, which is no whole number" for mode in ("linear", "cubic")}


class Shape(ctypes.Structure):
    _fields_ = [("dim", ctypes.c_int64 * 8), ("ndim", ctypes.c_int64)]


class List(ctypes.Structure):
    _fields_ = [("tensor", ctypes.POINTER(ctypes.c_void_p)), ("count", ctypes.c_int)]


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int16), ("index", ctypes.c_int16)]


class FromHost(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("unnamed", ctypes.c_uint32), ("dtype", ctypes.c_int), ("device", Device), ("borrow", ctypes.c_bool),
                ("release", ctypes.c_void_p), ("self", ctypes.c_void_p), ("pointed", ctypes.c_int32), ("room", ctypes.c_size_t)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 4096)]


class Failed(Exception):
    pass


class Situ:
    """The few functions that a test needs."""

    def __init__(self):
        self.lib = lib = ctypes.CDLL(str(pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build")) / "libsitu.so"))
        for name in "onnx_load_bytes module_call from_host scope_open".split():
            getattr(lib, "situ_" + name).restype = ctypes.c_void_p
        lib.situ_shape_of.restype = Shape
        lib.situ_from_host.argtypes = [ctypes.c_void_p, Shape, ctypes.c_void_p, ctypes.c_char_p]
        lib.situ_read.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
        lib.situ_onnx_load_bytes.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p]
        lib.situ_module_call_n.argtypes = [ctypes.c_void_p, List, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p]
        for name in "shape_of dtype_of scope_close module_free module_set_training".split():
            getattr(lib, "situ_" + name).argtypes = [ctypes.c_void_p] + [ctypes.c_bool] * (name == "module_set_training")

    def check(self):
        if self.lib.situ_failed():
            error = Error()
            self.lib.situ_error_take(ctypes.byref(error))
            raise Failed(error.code, error.message.decode(errors="replace"))

    def tensor(self, array):
        array = np.asarray(array, order="C")
        if str(array.dtype) not in DTYPES:
            raise Failed(UNSUPPORTED, f"values of {array.dtype}")
        o = FromHost(size=ctypes.sizeof(FromHost), unnamed=0x5174755f, dtype=DTYPES.index(str(array.dtype)), device=Device(0, -32768))
        t = self.lib.situ_from_host(array.ctypes.data, Shape((ctypes.c_int64 * 8)(*array.shape), array.ndim), ctypes.byref(o), b"")
        self.check()
        return t

    def numpy(self, t):
        shape, dtype = self.lib.situ_shape_of(t), DTYPES[self.lib.situ_dtype_of(t)]
        if dtype == "bfloat16":
            import ml_dtypes
            dtype = ml_dtypes.bfloat16
        out = np.empty(tuple(shape.dim[:shape.ndim]), dtype)
        self.lib.situ_read(t, out.ctypes.data, out.nbytes, b"")
        self.check()
        return out

    def load(self, model):
        net = self.lib.situ_onnx_load_bytes(model, len(model), None, b"")
        self.check()
        self.lib.situ_module_set_training(net, False)
        return net

    def call(self, net, arrays):
        scope = self.lib.situ_scope_open()
        try:
            given = [None if a is None else self.tensor(a) for a in arrays]
            array = (ctypes.c_void_p * len(given))(*given)
            out = (ctypes.c_void_p * MOST)()
            n = self.lib.situ_module_call_n(net, List(ctypes.cast(array, ctypes.POINTER(ctypes.c_void_p)), len(given)), out, MOST, None, b"")
            self.check()
            return [self.numpy(out[i]) for i in range(n)]
        finally:
            self.lib.situ_scope_close(scope)
            self.lib.situ_error_take(None)


def values(given):
    """The arrays of a test, in order; an input that is left out is None."""
    for value in given:
        if isinstance(value, onnx.TensorProto):
            if onnx.helper.tensor_dtype_to_np_dtype(value.data_type) == object:
                raise Failed(UNSUPPORTED, "values of string")
            value = onnx.numpy_helper.to_array(value)
        if value is not None and not isinstance(value, (np.ndarray, np.generic)):
            raise Failed(UNSUPPORTED, f"values of {type(value).__name__}")
        value = None if value is None else np.asarray(value)
        if value is not None and value.dtype.kind in "OUS":
            raise Failed(UNSUPPORTED, "values of string")
        yield value


KINDS = "simple real pytorch-converted pytorch-operator".split()
DATA = pathlib.Path(onnx.__file__).parent / "backend/test/data"


def stored(path, of):
    """A value of a test in a file; of: what the model says of it."""
    if of.type.WhichOneof("value") != "tensor_type":
        return of.type.WhichOneof("value")
    return onnx.load_tensor(path)


def model_case(folder, name):
    """A test in a folder: a model, and sets of inputs and results beside it; or the name of a model whose weights are constants, with a
    result beside that, of an input that the tests make by a rule."""
    about = json.loads((folder / "data.json").read_text()) if (folder / "data.json").exists() else {}
    case = types.SimpleNamespace(name=name, rtol=about.get("rtol", 1e-3), atol=about.get("atol", 1e-7), data_sets=[])
    if about.get("url"):
        path = DATA / "light" / about["url"].rsplit("/", 1)[1]
        case.model = onnx.load(path)
        shape = [d.dim_value for d in asked(case.model)[0].type.tensor_type.shape.dim]
        x = (np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)).astype(np.float32)
        case.data_sets = [([x], [onnx.load_tensor(path.with_name(path.stem + "_output_0.pb"))])]
        return case
    case.model = onnx.load(folder / "model.onnx")
    for at in sorted(folder.glob("test_data_set_*")):
        case.data_sets.append([[stored(at / f"{kind}_{i}.pb", of) for i, of in enumerate(given) if (at / f"{kind}_{i}.pb").exists()]
                               for kind, given in (("input", asked(case.model)), ("output", case.model.graph.output))])
    return case


def asked(model):
    """The inputs of a model that no initializer gives."""
    constant = {t.name for t in model.graph.initializer}
    return [x for x in model.graph.input if x.name not in constant]


def model_cases(kinds, pattern):
    for kind in kinds:
        for folder in sorted((DATA / kind).iterdir()):
            name = f"{kind}/{folder.name}"
            if folder.is_dir() and re.search(pattern, name):
                yield model_case(folder, name)


def compare(got, want, case):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    wide = np.complex128 if np.iscomplexobj(want) else np.float64
    units = (2 if "attention" in case.name else 1) * UNIT.get(str(want.dtype), 0)
    atol = max(case.atol, np.finfo(want.dtype).eps * np.abs(want).max()) if NORMWISE.match(case.name) else case.atol
    if np.allclose(got.astype(wide), want.astype(wide), rtol=max(case.rtol, units), atol=atol, equal_nan=True):
        return None
    return f"off by {np.abs(got.astype(wide) - want.astype(wide)).max():.3g}" if got.size else "differs"


def run(situ, case):
    """None, or what is wrong; Failed where it is not known."""
    net = situ.load(case.model.SerializeToString())
    try:
        for inputs, want in case.data_sets:
            want = list(values(want))
            got = situ.call(net, list(values(inputs)))
            if len(got) < len(want):
                return f"{len(got)} results instead of {len(want)}"
            for g, w in zip(got, want):
                wrong = compare(g, w, case)
                if wrong:
                    return wrong
    finally:
        situ.lib.situ_module_free(net)
    return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("filter", nargs="?", default="")
    options.add_argument("--least", type=int, default=0)
    options.add_argument("--quiet", action="store_true")
    options.add_argument("--models", nargs="*", choices=KINDS)
    options = options.parse_args()
    situ = Situ()
    cases = [] if options.models else [c for c in collect_testcases(None) if re.search(options.filter, c.name)]
    cases += model_cases(KINDS if options.models is None else options.models, options.filter)
    agree, wrong, skipped = 0, [], collections.defaultdict(list)
    for case in cases:
        if RANDOM.search(case.name):
            skipped["random values"].append(case.name)
            continue
        try:
            fault = run(situ, case)
        except Failed as e:
            if e.args[0] != UNSUPPORTED:
                wrong.append((case.name, e.args[1]))
            else:
                skipped[e.args[1].split("situ_onnx_load: ")[-1].split("situ_module_call: ")[-1]].append(case.name)
            continue
        if fault and case.name in OTHERS:
            skipped[OTHERS[case.name]].append(case.name)
        elif fault or case.name in OTHERS:
            wrong.append((case.name, fault or "agrees, and is in the list of what does not"))
        else:
            agree += 1
    for reason in sorted(skipped, key=lambda r: -len(skipped[r])):
        print(f"skipped {len(skipped[reason])}: {reason}")
        if not options.quiet:
            print("   ", " ".join(skipped[reason]))
    for name, fault in wrong:
        print(f"WRONG {name}: {fault}")
    print(f"{'FAIL' if wrong or agree < options.least else 'PASS'} onnx nodes: {agree} of {len(cases)} agree, {len(wrong)} wrong, {sum(map(len, skipped.values()))} skipped")
    return bool(wrong) or agree < options.least


if __name__ == "__main__":
    sys.exit(main())
