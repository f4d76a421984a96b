#!/usr/bin/env python3
"""The works of bench/run on a PJRT device beside jax.jit, taking turns: time of a run, of compiling it, and of what comes before.

usage: bench/peers/pjrt.py [gelu softmax matmul1024 mlp lenet gpt] [--rounds N] [--seconds S] [--own] [--processor]

SITU_PJRT_PLUGIN names the plugin. JAX runs its programs by the same plugin where it can load it (else by its own XLA, or with --own);
the first line says which. This Python has jax and optax. Each turn is a process of its own; a figure is the median of a turn, and a
ratio the median over the rounds of our time by JAX's. Both read what a step ends in: the loss, or the result's readiness. Compiling is
what the first run takes more than a later one; before it, data and first parameters are made, which is the third figure. Nothing is
kept on disk. With --processor times are the processor's, of all threads, which other programs on the machine disturb less."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKS = ["gelu", "softmax", "matmul1024", "mlp", "lenet", "gpt"]


# ---- in JAX ----

def dense(jax, key, rows, columns):
    bound = rows ** -0.5
    return {"w": jax.random.uniform(key, (rows, columns), minval=-bound, maxval=bound), "b": jax.numpy.zeros(columns)}


def linear(p, x):
    return x @ p["w"] + p["b"]


def mlp(jax, key):
    params = [dense(jax, key, 784, 256), dense(jax, key, 256, 10)]
    return params, lambda p, x: linear(p[1], jax.nn.relu(linear(p[0], x)))


def lenet(jax, key):
    jnp, lax = jax.numpy, jax.lax
    params = {"c1": jax.random.normal(key, (6, 1, 5, 5)) * 0.2, "b1": jnp.zeros(6), "c2": jax.random.normal(key, (16, 6, 5, 5)) * 0.1,
              "b2": jnp.zeros(16), "d": [dense(jax, key, 400, 120), dense(jax, key, 120, 84), dense(jax, key, 84, 10)]}

    def conv(x, w, b, pad):
        y = lax.conv_general_dilated(x, w, (1, 1), [(pad, pad)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"), precision="highest")
        return y + b[:, None, None]

    def pool(x):
        return lax.reduce_window(x, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4

    def forward(p, x):
        x = pool(jax.nn.sigmoid(conv(x, p["c1"], p["b1"], 2)))
        x = pool(jax.nn.sigmoid(conv(x, p["c2"], p["b2"], 0))).reshape(len(x), -1)
        x = jax.nn.sigmoid(linear(p["d"][1], jax.nn.sigmoid(linear(p["d"][0], x))))
        return linear(p["d"][2], x)
    return params, forward


def gpt(jax, key, width=128, heads=4, letters=65, places=64, blocks=4):
    jnp = jax.numpy

    def norm():
        return {"g": jnp.ones(width), "b": jnp.zeros(width)}
    params = {"table": jax.random.normal(key, (letters, width)), "place": jax.random.normal(key, (places, width)), "norm": norm(),
              "head": dense(jax, key, width, letters),
              "block": [{"l1": norm(), "l2": norm(), "qkv": dense(jax, key, width, 3 * width), "o": dense(jax, key, width, width),
                         "f1": dense(jax, key, width, 4 * width), "f2": dense(jax, key, 4 * width, width)} for _ in range(blocks)]}

    def layer_norm(p, x):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]

    def attention(p, x):
        n, t, _ = x.shape
        q, k, v = (y.reshape(n, t, heads, -1).transpose(0, 2, 1, 3) for y in jnp.split(linear(p["qkv"], x), 3, -1))
        score = (q @ k.transpose(0, 1, 3, 2)) * (width // heads) ** -0.5
        score = jnp.where(jnp.tril(jnp.ones((t, t), bool)), score, -jnp.inf)
        return linear(p["o"], (jax.nn.softmax(score) @ v).transpose(0, 2, 1, 3).reshape(n, t, width))

    def forward(p, tokens):
        x = p["table"][tokens] + p["place"]
        for block in p["block"]:
            x = x + attention(block, layer_norm(block["l1"], x))
            x = x + linear(block["f2"], jax.nn.gelu(linear(block["f1"], layer_norm(block["l2"], x)), approximate=False))
        return linear(p["head"], layer_norm(p["norm"], x)).reshape(-1, letters)
    return params, forward


def training(jax, work):
    import optax
    key = jax.random.key(1)
    params, forward = {"mlp": mlp, "lenet": lenet, "gpt": gpt}[work](jax, key)
    shape = {"mlp": (256, 784), "lenet": (256, 1, 28, 28)}.get(work)
    x = jax.random.normal(key, shape) if shape else jax.random.randint(key, (32, 64), 0, 65)
    y = jax.random.randint(key, (256,) if shape else (32 * 64,), 0, 10 if shape else 65)
    optimizer = optax.sgd(0.1) if shape else optax.adamw(1e-3)

    def step(params, state, x, y):
        loss, gradient = jax.value_and_grad(
            lambda p: optax.softmax_cross_entropy_with_integer_labels(forward(p, x), y).mean())(params)
        change, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, change), state, loss
    step = jax.jit(step, donate_argnums=(0, 1))
    state = optimizer.init(params)

    def run(_):
        nonlocal params, state
        params, state, loss = step(params, state, x, y)
        return float(loss)
    return run


def numbers(jax, work):
    jnp, key = jax.numpy, jax.random.key(0)
    shape = {"gelu": (4000000,), "softmax": (4096, 1024), "matmul1024": (1024, 1024)}[work]
    x, other = jax.random.normal(key, shape), jax.random.normal(jax.random.key(1), shape)
    f = {"gelu": lambda a, b: jax.nn.gelu(a, approximate=False), "softmax": lambda a, b: jax.nn.softmax(a),
         "matmul1024": lambda a, b: jnp.matmul(a, b, precision="highest")}[work]
    f = jax.jit(f)
    jax.block_until_ready((x, other))
    return lambda r: jax.block_until_ready(f(other if r % 2 else x, other))


def jax_turn(work, seconds):
    if os.environ.get("SITU_PJRT_PLUGIN"):
        from jax._src import xla_bridge
        xla_bridge.register_plugin("plugin", library_path=os.environ["SITU_PJRT_PLUGIN"], priority=500)
    import jax
    jax.devices()
    clock = time.process_time if os.environ.get("SITU_BENCH_CLOCK") else time.perf_counter
    begin = clock()
    run = (numbers if work in WORKS[:3] else training)(jax, work)
    prepared = clock() - begin
    begin = clock()
    run(0)
    first = clock() - begin
    times = []
    for r in range(1, 3):
        run(r)
    end = clock() + seconds
    while clock() < end or len(times) < 3:
        begin = clock()
        run(len(times))
        times.append(clock() - begin)
    print(f"jax {work} median {statistics.median(times)} first {first} prepared {prepared} "
          f"platform {jax.devices()[0].client.platform_version!r}")


# ---- turns ----

def turn(command, environment):
    """(median, compiling, prepared) in seconds, or None."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment, cwd="/")
    words = done.stdout.split()
    if done.returncode or "median" not in words:
        return None, (done.stderr or done.stdout)[-1500:]
    median, first, prepared = (float(words[words.index(w) + 1]) for w in ("median", "first", "prepared"))
    return (median, first - median, prepared), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    if options.turn:
        return jax_turn(options.turn, options.seconds)
    works = options.works or WORKS
    plugin = os.environ.get("SITU_PJRT_PLUGIN", "")
    if set(works) - set(WORKS) or not plugin:
        sys.exit(f"pjrt.py: the works are {' '.join(WORKS)}, and SITU_PJRT_PLUGIN names a plugin")
    if options.processor:
        os.environ["SITU_BENCH_CLOCK"] = "cpu"
    ours = os.environ | {"SITU_DEVICE": "pjrt:0", "XDG_CACHE_HOME": "/dev/null"}
    theirs = dict(os.environ)
    command = [sys.executable, __file__, "--seconds", "0", "--turn", "gelu"]
    own = options.own or not turn(command, theirs)[0]
    if own:
        theirs.pop("SITU_PJRT_PLUGIN")
        theirs["JAX_PLATFORMS"] = "cpu"
    print("JAX compiles and runs by", "its own XLA" if own else plugin)
    for work in works:
        found = []
        for number in range(options.rounds):
            pair = [lambda: turn([ROOT / "build/bench/run", work, options.seconds], ours),
                    lambda: turn([sys.executable, __file__, "--seconds", options.seconds, "--turn", work], theirs)]
            order = (0, 1) if number % 2 else (1, 0)
            result = {i: pair[i]() for i in order}
            if not all(result[i][0] for i in order):
                sys.exit(f"pjrt.py: {work}: {result[0][1]}{result[1][1]}")
            found.append((result[0][0], result[1][0]))
        mine, jax = ([statistics.median(f[i][k] for f in found) for k in range(3)] for i in (0, 1))
        ratio = [statistics.median(f[0][k] / f[1][k] for f in found) for k in range(3)]
        print(f"{work:11s} {1e3 * mine[0]:8.3f} ms, JAX {1e3 * jax[0]:8.3f} ms: {ratio[0]:.2f} of its time (at most 1.15); "
              f"compiled in {mine[1]:.3f} s, JAX {jax[1]:.3f} s: {ratio[1]:.2f} (at most 1); "
              f"before it {mine[2]:.3f} s, JAX {jax[2]:.3f} s: {ratio[2]:.2f}", flush=True)


main()
