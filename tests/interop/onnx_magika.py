#!/usr/bin/env python3
"""magika (Apache-2.0), which tells the type of a file from its bytes, read from its file of ONNX and run from C
(tests/interop/onnx_head.c): on 256 files of this machine every label as in f64 and as of onnxruntime, probabilities within 1e-4 of f64,
and its head trains on for an epoch, towards labels of our own.

The package is fetched from PyPI without what it depends on; where that, numpy, onnx or onnxruntime cannot be had, it says SKIP."""
import os
import pathlib
import subprocess
import sys
import tempfile

from onnx_silero import BUILD, ROOT, fetch

EDGE, PADDING, BLOCK, FILES = 1024, 256, 4096, 256
KINDS = ".c .h .py .pyc .sh .md .so .html .json .gz .pl .png .xml .pm .cmake program".split()
NET = "jax2tf_get_logits_/pjit_get_logits_/MagikaV2/"


def features(data):
    """The first and the last 1024 bytes, without white space at the ends, as the package does it."""
    first, last = data[:BLOCK].lstrip()[:EDGE], data[-BLOCK:].rstrip()[-EDGE:]
    return list(first) + [PADDING] * (EDGE - len(first)) + [PADDING] * (EDGE - len(last)) + list(last)


def files_here():
    """Sources, programs, texts, pictures: (kind by ending, bytes), as many of each."""
    found = {kind: [] for kind in KINDS}
    for top in (ROOT, "/usr/lib/python3", "/usr/lib/python3.11", "/usr/lib/x86_64-linux-gnu", "/usr/bin", "/usr/share", "/usr/lib", "/usr/include"):
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "build", "ccache")))
            for name in sorted(names):
                kind, path = pathlib.PurePath(name).suffix or "program", pathlib.Path(folder, name)
                if kind in found and len(found[kind]) < 64 and path.is_file() and not path.is_symlink() and 512 <= path.stat().st_size < 1 << 20 and os.access(path, os.R_OK):
                    found[kind].append(path.read_bytes())
    rows = [(kind, found[kind][i]) for i in range(64) for kind in KINDS if i < len(found[kind])]
    return rows[:FILES]


def in_f64(np, weights, x):
    """The network by its formulas, in f64: [rows, 2048] to [rows, 214]."""
    w = {name: a.astype(np.float64) for name, a in weights.items()}

    def gelu(t):
        return 0.5 * t * (1 + np.tanh(np.sqrt(2 / np.pi) * (t + 0.044715 * t ** 3)))

    def norm(t, layer):
        mean, square = t.mean(1, keepdims=True), (t * t).mean(1, keepdims=True)
        scale = w[NET + layer + "/Reshape_2:0"]
        return (t - mean) / np.sqrt(np.maximum(square - mean * mean, 0) + 1e-6) * scale + w[NET + layer + "/Reshape_3:0"]

    t = gelu(w["jax2tf_get_logits_/Const:0"][x] + w[NET + "Dense_0/Reshape:0"].ravel())
    t = norm(t.reshape(len(x), 512, 256), "LayerNorm_0")
    kernel = w[NET + "Conv_0/transpose_3:0"]
    t = sum(t[:, k:k + 508] @ kernel[:, :, k, 0].T for k in range(5)) + w["const_fold_opt__209"].ravel()
    t = norm(gelu(t).max(1), "LayerNorm_1")
    t = t @ w["jax2tf_get_logits_/Const_24:0"] + w[NET + "Dense_1/Reshape:0"].ravel()
    t = np.exp(t - t.max(1, keepdims=True))
    return t / t.sum(1, keepdims=True)


def main():
    try:
        import numpy as np
        import onnx
        import onnx.numpy_helper
        import onnxruntime
    except ImportError as e:
        return print(f"SKIP magika: no {e.name}")
    rows = files_here()
    if len(rows) < FILES:
        return print(f"SKIP magika: {len(rows)} files of this machine can be read")
    with tempfile.TemporaryDirectory() as folder:
        model = fetch("magika", "models/standard_v3_3/model.onnx", folder)
        if not model:
            return print("SKIP magika: the package magika cannot be fetched")
        program = f"{folder}/head"
        subprocess.run(["cc", "-std=gnu11", "-O2", f"-I{ROOT}/include", f"{ROOT}/tests/interop/onnx_head.c", "-o", program, f"-L{BUILD}",
                        "-lsitu", f"-Wl,-rpath,{BUILD}"], check=True)
        x = np.array([features(data) for _, data in rows], np.int32)
        kinds = sorted({kind for kind, _ in rows})
        labels = np.array([kinds.index(kind) % 214 for kind, _ in rows], np.int32)
        x.tofile(f"{folder}/features")
        labels.tofile(f"{folder}/labels")
        weights = {i.name: onnx.numpy_helper.to_array(i) for i in onnx.load(model).graph.initializer}
        want = np.concatenate([in_f64(np, weights, x[i:i + 16]) for i in range(0, FILES, 16)])
        peer = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        theirs = np.concatenate([peer.run(None, {"bytes": x[i:i + 16]})[0] for i in range(0, FILES, 16)])
        ours = subprocess.run([program, model, f"{folder}/features", f"{folder}/labels", str(FILES), f"{folder}/ours", "*Const_24*", "*Dense_1/*"],
                              capture_output=True, text=True)
        if ours.returncode:
            return print(f"FAIL magika: {ours.stderr or ours.stdout}") or 1
        got = np.fromfile(f"{folder}/ours", np.float32).reshape(want.shape)
        before, after, seconds, *changed = ours.stdout.split()
    off, off_theirs = np.abs(got - want).max(), np.abs(theirs - want).max()
    labels_equal = int((got.argmax(1) == want.argmax(1)).sum()), int((got.argmax(1) == theirs.argmax(1)).sum())
    heads = {"jax2tf_get_logits_/Const_24:0", NET + "Dense_1/Reshape:0"}
    failed = off > 1e-4 or labels_equal != (FILES, FILES) or not float(after) < 0.5 * float(before) or set(changed) != heads
    print(f"{'FAIL' if failed else 'PASS'} magika: {FILES} files of {len(kinds)} kinds and {len(set(want.argmax(1)))} labels: off by {off:.2g} from f64 "
          f"(onnxruntime {off_theirs:.2g}), labels equal {labels_equal[0]} and {labels_equal[1]}; an epoch of its head: loss {before} to {after}, "
          f"{float(seconds):.3f} s a step; changed {len(changed)} parameters")
    return failed


if __name__ == "__main__":
    sys.exit(main())
