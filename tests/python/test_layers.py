"""Layers against PyTorch's: results, gradients by inputs and parameters, gradients of gradients, moments, on every device that is
there. The cases are those that `tests/interop/torch_layers.py --write` has stored in tests/reference/layers.json; tests/release/torch.sh
makes new ones."""
import json
import pathlib

import numpy as np

import situ
from support import run
from test_losses import devices
from situ import nn

STORED = pathlib.Path(__file__).parent.parent / "reference" / "layers.json"
WHAT = "value", "gradient", "second gradient"


def close(got, want, tolerance):
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    return got.shape == want.shape and bool(np.allclose(got, want, rtol=0, atol=tolerance * (1 + np.abs(want).max(initial=0)), equal_nan=True))


def flat(results):
    return [t for r in results for t in flat(r)] if isinstance(results, (tuple, list)) else [results]


def layer_of(case):
    name, args, how = case["layer"]
    tuples = lambda v: tuple(v) if isinstance(v, list) else v
    return getattr(nn, name)(*map(tuples, args), **{k: tuples(v) for k, v in how.items()})


def unlike(case, device, dtype):
    """What differs, or None. A case has the layer, the values of its parameters, inputs (of which some have gradients), weights of the
    results' sum and of the gradients' sum, and what PyTorch gives for all."""
    on = lambda a: situ.asarray(a.astype(dtype) if a.dtype.kind == "f" else a, device=device)
    layer, inputs = layer_of(case), [on(np.asarray(a)) for a in case["inputs"]]
    options = {k: on(np.asarray(a)) for k, a in case["options"].items()}
    with device:
        layer(*inputs, **options)  # makes the parameters
        own = layer.state()
        if set(case["parameters"]) - set(own):
            return f"its parameters are {sorted(own)}, not {sorted(case['parameters'])}"
        layer.load_state({**own, **{k: np.asarray(v, np.float32) for k, v in case["parameters"].items()}})
        for _ in range(case["calls"]):
            layer(*inputs, **options)
        if case["eval"]:
            layer.eval()
        results, moments = flat(layer(*inputs, **options)), layer.state()
        for name, want in case["moments"].items():
            if not close(moments[name], want, 1e-5):
                return f"{name} is {moments[name]}, not {want}"
        got = [results]
        if case["wrt"]:
            by = [inputs[i] if isinstance(i, int) else layer.parameters()[i] for i in case["wrt"]]
            loss = sum(situ.sum(r * on(np.asarray(w))) for r, w in zip(results, case["pull"][0])) ** 2
            got.append(situ.gradients(loss, by))
            if len(case["pull"]) > 1:
                total = sum(situ.sum(s * on(np.asarray(w).reshape(s.shape))) for s, w in zip(got[1], case["pull"][1]))
                got.append(situ.gradients(total, by))
    for what, ours, theirs in zip(WHAT[:len(got)], got, case["want"], strict=True):
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            # parameters and moments are f32, and so are gradients by them
            exact = dtype == np.float64 and not case["moments"] and any(np.asarray(a).dtype.kind == "f" for a in case["inputs"]) and (what == "value" or what == WHAT[1] and isinstance(case["wrt"][i], int) or not case["parameters"])
            tolerance = (1e-8 if exact else 1e-5 if dtype == np.float64 else 2e-4 * case["loose"]) * (10 if what == WHAT[2] else 1)
            if not close(np.asarray(a), np.asarray(b).reshape(a.shape) if np.size(b) == np.prod(a.shape) else b, tolerance):
                return f"{what} {'' if what == 'value' else case['wrt'][i]} is {np.asarray(a).ravel()[:3]}, not {np.ravel(b)[:3]}"
    return None


def test_layers_are_those_that_pytorch_stored():
    wrong, count = [], 0
    for case in json.loads(STORED.read_text())["cases"]:
        for device in devices():
            for dtype in (np.float64, np.float32):
                count += 1
                difference = unlike(case, device, dtype)
                wrong += [f"{case['layer']} on {device} in {dtype.__name__}: {difference}"] if difference else []
    print(f"     {count - len(wrong)} of {count} agree on {', '.join(map(str, devices()))}")
    assert not wrong, f"{len(wrong)} of {count}: " + " | ".join(wrong[:6])


if __name__ == "__main__":
    run(globals())
