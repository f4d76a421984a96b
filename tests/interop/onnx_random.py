#!/usr/bin/env python3
"""Random nodes through situ_onnx_load and through onnxruntime: selections, clips, losses, integers, boxes, recurrent functions, fused
operators, in all dtypes that onnxruntime has.

    tests/interop/onnx_random.py [KIND...] [--seed 0]

What onnxruntime refuses is not compared; what it takes and situ refuses is a failure."""
import argparse
import collections
import sys

import numpy as np
import onnx
import onnx.helper as helper
import onnxruntime

from onnx_nodes import Failed, Situ

DTYPES = "float32 float64 float16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()
FUSED = "com.microsoft"
NUMBERS = dict(Relu=0, Tanh=0, Sigmoid=0, Softplus=0, Softsign=0, LeakyRelu=1, Elu=1, HardSigmoid=2, ScaledTanh=2, Affine=2, ThresholdedRelu=1)


class Checker:
    def __init__(self, seed):
        self.rng, self.situ, self.count = np.random.default_rng(seed), Situ(), collections.Counter()

    def array(self, dtype, shape, low=-9, high=9):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.rng.integers(0, 2, shape).astype(bool)
        if dtype.kind in "iu":
            return self.rng.integers(max(low, 0) if dtype.kind == "u" else low, high, shape).astype(dtype)
        return (self.rng.random(shape) * (high - low) + low).astype(dtype)

    def __call__(self, kind, operator, inputs, results=1, opset=18, constant=(), domain="", **attributes):
        given = [(f"in{k}", x) for k, x in enumerate(inputs) if x is not None]
        names = ["" if x is None else f"in{k}" for k, x in enumerate(inputs)]
        node = helper.make_node(operator, names, [f"out{k}" for k in range(results)], domain=domain, **attributes)
        fixed = {f"in{k}" for k in constant}
        of = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in given if n not in fixed]
        graph = helper.make_graph([node], "g", of, [helper.make_empty_tensor_value_info(f"out{k}") for k in range(results)],
                                  [onnx.numpy_helper.from_array(x, n) for n, x in given if n in fixed])
        opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1)] * bool(domain)
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
        given = [(n, x) for n, x in given if n not in fixed]
        try:
            session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            want = session.run(None, dict(given))
        except Exception:  # each kind of refusal has a class of its own
            self.count["refused by onnxruntime"] += 1
            return
        what = f"{kind}: {operator} {attributes} of {[None if x is None else f'{x.dtype}{list(x.shape)}' for x in inputs]}"
        try:
            net = self.situ.load(model)
            got = self.situ.call(net, [x for _, x in given])
            self.situ.lib.situ_module_free(net)
        except Failed as e:
            self.wrong(what, e.args[1])
            return
        for k, (a, b) in enumerate(zip(got, map(np.asarray, want))):
            off = 4e-3 if b.dtype == np.float16 else 1e-4 if b.dtype.kind == "f" else 0
            finite = np.isfinite(b) if b.dtype.kind == "f" else True  # of what overflows in one order of operations
            if a.shape != b.shape or a.dtype != b.dtype or not np.allclose(np.where(finite, a, 0), np.where(finite, b, 0), rtol=off, atol=off / 10):
                self.wrong(what, f"result {k} is {a.dtype}{list(a.shape)} {a.ravel()[:6]} instead of {b.dtype}{list(b.shape)} {b.ravel()[:6]}")
                return
        self.count["agree"] += 1

    def wrong(self, what, why):
        self.count["wrong"] += 1
        print(f"WRONG {what}\n    {why}")


def selections(check):
    array = check.array
    for d in DTYPES:
        for axis in (None, 0, 1, 2, -1, -2, -3):
            x, o = array(d, (3, 4, 2)), {} if axis is None else {"axis": axis}
            n = x.size if axis is None else x.shape[axis]
            for length in (n, n - 1):
                check("compress", "Compress", [x, array(bool, (length,))], **o)
            check("compress", "Compress", [x, np.zeros(n, bool)], constant=(1,), **o)
        for axis in (None, 0, 1, -1):
            for ordered in (0, 1):
                check("unique", "Unique", [array(d, (4, 3), 0, 3)], 4, sorted=ordered, **({} if axis is None else {"axis": axis}))


def clips(check):
    for d in DTYPES:
        for low, high in ((2, 5), (2, None), (None, 5), (6, 3)):
            limits = [None if v is None else np.array(v, d) for v in (low, high)]
            for constant in ((), (1, 2)):
                check("clip", "Clip", [check.array(d, (3, 5))] + (limits if high else limits[:1]), constant=constant)
    check("clip", "Clip", [check.array("float32", (3, 5))], opset=7, min=-1.0, max=2.0)


def losses(check):
    array = check.array
    for operator in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        for reduction in ("none", "sum", "mean"):
            for ignored in (None, -1, -100, 2):
                for shape in ((4, 5), (2, 5, 3)):
                    for labels in ("int64", "int32"):
                        at = array(labels, shape[:1] + shape[2:], 0, 5)
                        if ignored is not None:
                            at.flat[0] = ignored
                        for d in ("float32", "float64", "float16"):
                            for weight in ([], [array(d, (5,), 0.1, 1)]):
                                o = {} if ignored is None else {"ignore_index": ignored}
                                check("loss", operator, [array(d, shape), at] + weight, reduction=reduction, **o)


def integers(check):
    array = check.array
    for a in DTYPES:
        for b in DTYPES:
            check("pow", "Pow", [array(a, (3, 4), 1, 6), array(b, (3, 4), 0, 4)], opset=15)
            check("pow", "Pow", [array(a, (3, 4), -6, 6), np.array(3, b)], constant=(1,), opset=15)
    for d in DTYPES[:-1]:
        y = array(d, (3, 4))
        y[y == 0] = 3
        rest = {"fmod": 1} if d[0] == "f" else {}
        info = np.finfo(d) if rest else np.iinfo(d)
        far = np.array([info.max, info.min, 1, 0], d)
        for operator in ("Div", "Add", "Sub", "Mul", "Min", "Max", "Mod", "Less", "GreaterOrEqual", "Equal"):
            o = rest if operator == "Mod" else {}
            check("two", operator, [array(d, (3, 4)), y], **o)
            check("two", operator, [array(d, (4,)), np.array(3, d)], constant=(1,), **o)
            if operator not in ("Add", "Sub", "Mul"):
                check("two", operator, [far, np.array([2], d)], **o)
        check("two", "Mod", [array(d, (3, 4)), y], fmod=1)
        for operator in ("Sum", "Max", "Min", "Mean"):
            if d[0] == "f" or operator != "Mean":
                check("many", operator, [array(d, (3, 4)), array(d, (3, 4)), array(d, (4,))])
        check("product", "MatMul", [array(d, (3, 4), -3, 3), array(d, (4, 2), -3, 3)])
        check("sum", "CumSum", [array(d, (3, 4), -3, 3), np.array(1)], exclusive=1, reverse=1)
        check("order", "TopK", [array(d, (3, 4), 0, 3), np.array([2])], 2)
        check("put", "ScatterElements", [array(d, (3, 4)), np.array([[0, 1, 2, 0]]), array(d, (1, 4))], reduction="max")


def boxes(check):
    rng = check.rng
    for k in range(200):
        size, images, count = rng.integers(3, 14, 2), int(rng.integers(1, 4)), int(rng.integers(1, 5))
        box = rng.random((count, 4)).astype("f4") * 12 - 1
        if k % 3:
            box = np.concatenate([np.minimum(box[:, :2], box[:, 2:]), np.maximum(box[:, :2], box[:, 2:])], 1)
        if k % 5 == 0:
            box = np.round(box)
        if k % 7 == 0:
            box[:, 2:] = box[:, :2]
        old = {} if k % 4 == 0 else {"coordinate_transformation_mode": ["half_pixel", "output_half_pixel"][k % 2]}
        check("box", "RoiAlign", [check.array("float32", (images, 2, *size), -1, 1), box, rng.integers(0, images, count)],
              opset=16 if old else 10, mode="max" if k % 3 == 1 else "avg", output_height=int(rng.integers(1, 5)), output_width=int(rng.integers(1, 5)),
              sampling_ratio=0 if k % 8 else 2, spatial_scale=float(rng.choice([1, 0.5, 0.25, 0.3])), **old)


def recurrent(check):
    rng = check.rng
    for k in range(240):
        operator, gates, each = [("RNN", 1, 1), ("GRU", 3, 2), ("LSTM", 4, 3)][k % 3]
        way = ["forward", "reverse", "bidirectional"][k // 3 % 3]
        directions, width = 2 if way == "bidirectional" else 1, 5
        functions = [str(rng.choice(list(NUMBERS))) for _ in range(each * directions)]
        o = {"activation_" + name: [float(rng.random() * 0.6 + 0.2) for f in functions if NUMBERS[f] > i] for i, name in enumerate(("alpha", "beta"))}
        o = {name: numbers for name, numbers in o.items() if numbers}
        if k % 5 == 0:
            o["clip"] = 1.5
        if operator == "GRU" and k % 2:
            o["linear_before_reset"] = 1
        check("recurrent", operator, [check.array("float32", s, -1, 1) for s in ((4, 2, 3), (directions, gates * width, 3), (directions, gates * width, width),
              (directions, 2 * gates * width))], 3 if operator == "LSTM" else 2, opset=14, hidden_size=width, direction=way, activations=functions, **o)


def fused(check):
    rng, array = check.rng, check.array
    for k in range(20):
        d = "float16" if k % 4 == 1 else "float32"
        x, y, v, u = array(d, (2, 3, 8), -2, 2), array(d, (2, 3, 8), -2, 2), array(d, (8,), -1, 1), array(d, (8,), -1, 1)
        for operator, inputs, o in (("Gelu", [x], {}), ("BiasGelu", [x, v], {}), ("FastGelu", [x], {}), ("FastGelu", [x, v], {}), ("QuickGelu", [x], {}),
                                    ("QuickGelu", [x], {"alpha": 1.3}), ("SkipLayerNormalization", [x, y, v, u], {"epsilon": 1e-5}),
                                    ("SkipLayerNormalization", [x, y, v, u, v], {}), ("SkipLayerNormalization", [x, y, v], {}),
                                    ("SkipSimplifiedLayerNormalization", [x, y, v], {"epsilon": 1e-5}), ("SkipSimplifiedLayerNormalization", [x, y, v, u], {})):
            check("fused", operator, inputs, domain=FUSED, **o)
        check("fused", "SimplifiedLayerNormalization", [x, v], axis=-1, epsilon=1e-5)
        a, b = (int(n) for n in rng.integers(0, 2, 2))
        check("fused", "FusedMatMul", [array(d, (2, 4, 3) if a else (2, 3, 4), -1, 1), array(d, (2, 5, 4) if b else (2, 4, 5), -1, 1)], domain=FUSED,
              transA=a, transB=b, alpha=0.5)
        for bits in (4, 8):
            n, k_, block = 6, int(rng.choice([32, 48, 64, 40])), int(rng.choice([16, 32]))
            blocks = -(-k_ // block)
            w, zero = (rng.integers(0, 256, s).astype("u1") for s in ((n, blocks, block * bits // 8), (n * ((blocks + 1) // 2 if bits == 4 else blocks),)))
            rest, o = [array(d, (n * blocks,), 0.01, 0.1)], {"K": k_, "N": n, "bits": bits, "block_size": block}
            for more in ([], [zero], [None, None, array(d, (n,), -1, 1)]):
                check("fused", "MatMulNBits", [array(d, (2, 3, k_), -1, 1), w] + rest + more, domain=FUSED, constant=(1, 2, 3, 5), **o)


def main():
    kinds = [selections, clips, losses, integers, boxes, recurrent, fused]
    options = argparse.ArgumentParser()
    options.add_argument("kind", nargs="*", default=[f.__name__ for f in kinds])
    options.add_argument("--seed", type=int, default=0)
    options = options.parse_args()
    onnxruntime.set_default_logger_severity(4)
    check = Checker(options.seed)
    for f in kinds:
        if f.__name__ in options.kind:
            f(check)
    count = check.count
    print(f"{'FAIL' if count['wrong'] or not count['agree'] else 'PASS'} onnx random: {count['agree']} of {sum(count.values())} nodes agree with "
          f"onnxruntime, which refuses {count['refused by onnxruntime']}, {count['wrong']} are wrong")
    return count["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
