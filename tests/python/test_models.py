"""Llama models from Python: values beside NumPy's in float64, one token after the other, files, adapters, sampling."""
import copy
import os
import pickle
import tempfile

import numpy as np

import situ
from support import raises, run

folder = tempfile.mkdtemp()
SIZES = {"layers": 2, "width": 32, "heads": 4, "kv_heads": 2, "hidden": 48, "vocabulary": 40, "rope_base": 100.0, "epsilon": 1e-3}
TOKENS = [(i * 17 + i * i) % 40 for i in range(12)]


def small(**more):
    model = situ.models.Llama(**SIZES, **more)
    model.initialize("weight", "normal", gain=0.3)  # norms as well: each weight matters
    return model.init(situ.random.key(5))


def formula(model, tokens, low_rank=0.0):
    p = {name: np.asarray(v).astype(float) for name, v in model.parameters().items()}

    def matrix(name):
        w = p[f"{name}.weight"]
        return w + low_rank * p[f"{name}.lora_B.weight"] @ p[f"{name}.lora_A.weight"] if f"{name}.lora_A.weight" in p else w

    def norm(name, x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + SIZES["epsilon"]) * p[f"{name}.weight"]

    def turned(x):
        half = x.shape[-1] // 2
        angle = np.arange(len(tokens))[:, None] / SIZES["rope_base"] ** (np.arange(half) / half)
        a, b, c, s = x[..., :half], x[..., half:], np.cos(angle), np.sin(angle)
        return np.concatenate([a * c - b * s, b * c + a * s], -1)

    x, count = p["model.embed_tokens.weight"][tokens], len(tokens)
    for i in range(SIZES["layers"]):
        at = f"model.layers.{i}."
        h = norm(at + "input_layernorm", x)
        q, k, v = ((h @ matrix(f"{at}self_attn.{n}_proj").T).reshape(count, -1, 8).swapaxes(0, 1) for n in "qkv")
        k, v = (np.repeat(turned(t) if t is k else t, 2, 0) for t in (k, v))
        score = turned(q) @ k.swapaxes(1, 2) / np.sqrt(8) + np.triu(np.full((count, count), -np.inf), 1)
        weight = np.exp(score - score.max(-1, keepdims=True))
        weight /= weight.sum(-1, keepdims=True)
        x = x + (weight @ v).swapaxes(0, 1).reshape(count, -1) @ matrix(at + "self_attn.o_proj").T
        h = norm(at + "post_attention_layernorm", x)
        gate = h @ matrix(at + "mlp.gate_proj").T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ matrix(at + "mlp.up_proj").T)) @ matrix(at + "mlp.down_proj").T
    x = norm("model.norm", x)
    return x @ (matrix("lm_head") if "lm_head.weight" in p else p["model.embed_tokens.weight"]).T


def near(a, b):
    a, b = np.asarray(a).astype(float), np.asarray(b).astype(float)
    assert a.shape == b.shape and np.abs(a - b).max() <= 2e-5 * np.abs(b).max(), (a.shape, b.shape, np.abs(a - b).max())


def test_logits_are_those_of_the_formula_at_once_and_token_by_token():
    for tied in (False, True):
        model = small(tied=tied)
        want = formula(model, TOKENS)
        near(model(situ.asarray([TOKENS]))[0], want)
        model.begin(context=20)
        near(model.step([TOKENS[:5]])[0], want[4])
        for i in range(5, len(TOKENS)):
            assert model.position == i
            near(model.step([TOKENS[i:i + 1]])[0], want[i])
        model.begin(batch=2)
        rows = [situ.asarray(TOKENS[:3]), situ.asarray(TOKENS[3:6])]
        near(model.step(rows), [formula(model, TOKENS[:3])[-1], formula(model, TOKENS[3:6])[-1]])


def greedy(model, prompt, count):
    model.begin()
    out, tokens = [], prompt
    for _ in range(count):
        token = situ.models.sample(model.step([tokens]), situ.random.key(0), temperature=0)
        tokens = token.tolist()
        out += tokens
    return out


def test_files_give_the_same_text():
    model, path = small(), os.path.join(folder, "llama.safetensors")
    said = greedy(model, TOKENS[:4], 12)
    want, tokens = [], TOKENS[:4]
    for _ in range(12):
        want.append(int(formula(model, tokens)[-1].argmax()))
        tokens = tokens + want[-1:]
    assert said == want
    model.save(path)
    assert greedy(situ.models.llama(path), TOKENS[:4], 12) == said
    again = situ.models.llama(path, device=situ.gpu(1))
    near(again(situ.asarray([TOKENS], device=situ.gpu(1)))[0].to_device(situ.cpu()), formula(model, TOKENS))
    for other in copy.deepcopy(model), pickle.loads(pickle.dumps(model)), copy.deepcopy(situ.models.llama(path)):
        assert type(other) is situ.models.Llama and greedy(other, TOKENS[:4], 12) == said


def test_shards_are_those_of_the_package():
    try:
        from safetensors.numpy import load_file
    except ImportError:
        load_file = situ.load
    model, path = small(), os.path.join(folder, "shards.safetensors")
    model.save(path, shard_bytes=9000)
    files = sorted(name for name in os.listdir(folder) if name.startswith("shards-0"))
    assert len(files) > 2 and os.path.exists(path + ".index.json") and not os.path.exists(path)
    values = {}
    for name in files:
        values |= load_file(os.path.join(folder, name))
        about = situ.info(os.path.join(folder, name))[1]
        assert about["format"] == "pt" and about["llama.block_count"] == "2"  # transformers reads a file that tells its format
    assert sorted(values) == sorted(model.parameters())
    assert all(np.array_equal(np.asarray(v), np.asarray(model.parameters()[name])) for name, v in values.items())
    assert greedy(situ.models.llama(path), TOKENS[:4], 12) == greedy(model, TOKENS[:4], 12)
    raises(ValueError, lambda: model.save(path, shard_bytes=-1), "shard_bytes is -1")


def test_a_model_is_trained_whole_or_by_an_adapter():
    model = small()
    x = situ.asarray([TOKENS])

    def loss():
        return situ.nn.cross_entropy(model(x[:, :-1])[0], x[0, 1:])

    adam = situ.optim.Adam(model, lr=0.01)
    first = float(loss())
    for _ in range(10):
        adam.step(loss())
    assert float(loss()) < first - 0.5
    before = {name: np.asarray(v).copy() for name, v in model.parameters().items()}
    model.adapt(4, alpha=8.0)
    assert len(model.trainable()) == 8 and all(".lora_" in name for name in model.trainable())
    adam, first = situ.optim.Adam(model, lr=0.01), float(loss())
    for _ in range(10):
        adam.step(loss())
    assert float(loss()) < first
    assert all(np.array_equal(v, np.asarray(model.parameters()[name])) for name, v in before.items())
    want, path = formula(model, TOKENS, 2.0), os.path.join(folder, "adapted.safetensors")
    near(model(x)[0], want)
    other = copy.deepcopy(model)
    near(other(x)[0], want)
    assert len(other.trainable()) == 8
    model.save(path)
    near(situ.models.llama(path)(x)[0], want)


def test_tokens_are_drawn_by_key():
    logits = np.log(np.array([[0.5, 0.3, 0.15, 0.05], [0.05, 0.15, 0.3, 0.5]], "f"))
    many = np.concatenate([np.asarray(situ.models.sample(situ.asarray(logits), situ.random.key(i))) for i in range(400)]).reshape(-1, 2)
    assert many.dtype == np.int64
    counts = np.bincount(many[:, 0], minlength=4) / 400
    assert np.abs(counts - np.exp(logits[0])).max() < 0.1, counts
    draw = {top: {int(situ.models.sample(situ.asarray(logits), situ.random.key(i), **options)[0]) for i in range(100)}
            for top, options in {"k": {"top_k": 2}, "p": {"top_p": 0.75}, "cold": {"temperature": 0.01}}.items()}
    assert draw == {"k": {0, 1}, "p": {0, 1}, "cold": {0}}, draw


def test_what_a_model_is_not_asked_for_says_why():
    model = small()
    raises(ValueError, lambda: situ.models.Llama(width=30, heads=4), "heads divide the width")
    raises(ValueError, lambda: model(situ.zeros((1, 3))), "takes integers of [batch, count]")
    raises(ValueError, lambda: model.step(situ.zeros((2, 3), dtype=situ.int32)), "must be integers of [1, at least 1]")
    raises(ValueError, lambda: model.begin(context=0), "texts of 0 tokens")
    raises(ValueError, lambda: model.adapt(0), "rank 0")
    raises(OSError, lambda: situ.models.llama(os.path.join(folder, "nowhere.gguf")), "No such file")
    raises(ValueError, lambda: model.save(os.path.join(folder, "x.gguf")), "PyTorch reads safetensors")
    raises(ValueError, lambda: situ.models.sample(situ.zeros((2, 3)), situ.random.key(0), top_p=0.0), "top_p")
    raises(TypeError, lambda: situ.models.Llama(2), "by name it has layers, width")


if __name__ == "__main__":
    run(globals())
