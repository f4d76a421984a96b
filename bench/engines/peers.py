"""Whole networks at batch 1 in situ, onnxruntime and OpenVINO, taking turns: how long does a call take?

    python bench/engines/peers.py --prepare FOLDER              a virtual environment with the peers, and the networks as ONNX files
    FOLDER/bin/python bench/engines/peers.py FOLDER [--threads 1] [--rounds 7] [--program build/bench/engines] [NETWORK ...]

Weights are random: architectures of torchvision, and small networks that are defined here, exported by PyTorch. Each engine runs in a
process of its own and is asked in turns. Printed are the median time of a call of situ, and the medians of the rounds' quotients by the
peers' medians; the largest difference of the outputs, relative to the largest output; seconds to load and for the first call.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import venv

VISION = ("resnet18 resnet50 mobilenet_v2 mobilenet_v3_small efficientnet_b0 densenet121 squeezenet1_1 convnext_tiny swin_t").split()
SMALL = {"mlp": (1, 32), "cnn": (1, 1, 28, 28), "gru": (1, 1, 64), "lstm": (1, 40, 64), "unet": (1, 3, 128, 128), "wavenet": (1, 1, 4000)}
PACKAGES = ["numpy", "onnx", "onnxruntime", "openvino", "torch", "torchvision"]
SECONDS = 0.25


def small(name):
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self, kind, width):
            super().__init__()
            self.cell = kind(width, width, batch_first=True)

        def forward(self, x):
            return self.cell(x)[0]

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            pair = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU())  # noqa: E731
            self.down = nn.ModuleList([pair(3, 16), pair(16, 32), pair(32, 64)])
            self.up = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)])
            self.join = nn.ModuleList([pair(64, 32), pair(32, 16)])
            self.last, self.pool = nn.Conv2d(16, 2, 1), nn.MaxPool2d(2)

        def forward(self, x):
            import torch

            a = self.down[0](x)
            b = self.down[1](self.pool(a))
            x = self.down[2](self.pool(b))
            x = self.join[0](torch.cat([self.up[0](x), b], 1))
            return self.last(self.join[1](torch.cat([self.up[1](x), a], 1)))

    if name == "mlp":
        return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
    if name == "cnn":
        return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                             nn.Flatten(), nn.Linear(32 * 49, 10))
    if name == "wavenet":
        layers = [layer for k in range(8) for layer in (nn.Conv1d(1 if not k else 32, 32, 2, dilation=2**k, padding=2**k), nn.Tanh())]
        return nn.Sequential(*layers, nn.Conv1d(32, 1, 1))
    return UNet() if name == "unet" else Recurrent(nn.GRU if name == "gru" else nn.LSTM, 64)


def export(folder):
    import torch
    import torchvision

    for name in VISION + list(SMALL):
        torch.manual_seed(1)
        net = (getattr(torchvision.models, name)(weights=None) if name in VISION else small(name)).eval()
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                torch.nn.init.normal_(layer.running_mean, 0, 0.1)
                torch.nn.init.uniform_(layer.running_var, 0.5, 1.5)
        to = folder / f"{name}.onnx"
        if not to.exists():
            torch.onnx.export(net, torch.randn(shape_of(name)), to, dynamo=False, training=torch.onnx.TrainingMode.EVAL)


def shape_of(name):
    return SMALL.get(name, (1, 3, 224, 224))


class Engine:
    """A process that answers each line by the median time of a call in ms."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.start = self.process.stdout.readline().split()

    def ask(self, what="time"):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return [float(x) for x in self.process.stdout.readline().split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def serve(engine, path, shape, threads):
    """The peers' side of Engine."""
    import time

    import numpy as np

    k = np.arange(np.prod(shape), dtype=np.uint64)
    x = ((k * 2654435761 % 1000003).astype(np.float32) / np.float32(500001.5) - 1).reshape(shape)
    start = time.perf_counter()
    if engine == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feed = {session.get_inputs()[0].name: x}
        call = lambda: session.run(None, feed)[0]  # noqa: E731
    else:
        import openvino

        hints = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
        request = openvino.Core().compile_model(path, "CPU", hints).create_infer_request()
        call = lambda: request.infer([x], share_inputs=True)[0]  # noqa: E731
    loaded = time.perf_counter()
    y = call()
    print(f"{loaded - start:.3f} {time.perf_counter() - loaded:.3f}", flush=True)
    for line in sys.stdin:
        if line.startswith("output"):
            print(*np.asarray(y).ravel()[:1000], flush=True)
            continue
        times = []
        end = time.perf_counter() + SECONDS
        while not times or time.perf_counter() < end:
            at = time.perf_counter()
            y = call()
            times.append(time.perf_counter() - at)
        print(statistics.median(times) * 1e3, flush=True)


def compare(name, folder, program, threads, rounds):
    path, shape = str(folder / f"{name}.onnx"), ",".join(map(str, shape_of(name)))
    commands = [[program, path, shape, str(threads), str(SECONDS)]]
    commands += [[sys.executable, __file__, str(folder), "--serve", peer, path, shape, str(threads)] for peer in ("onnxruntime", "openvino")]
    engines = [Engine(c) for c in commands]
    rows = [[e.ask()[0] for e in engines] for _ in range(rounds)]
    outputs = [e.ask("output") for e in engines]
    for e in engines:
        e.end()
    size = max(abs(v) for v in outputs[1])
    apart = max(abs(a - b) for a, b in zip(outputs[0], outputs[1])) / size
    quotients = [statistics.median(r[0] / r[i] for r in rows) for i in (1, 2)]
    print(f"{name:20} {statistics.median(r[0] for r in rows):9.3f} {quotients[0]:9.2f} {quotients[1]:9.2f} {apart:9.1e}   "
          f"{' '.join('/'.join(e.start) for e in engines)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--export", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--program", default="build/bench/engines")
    o = parser.parse_intermixed_args()
    if o.serve:
        return serve(o.serve[0], o.serve[1], [int(n) for n in o.serve[2].split(",")], int(o.serve[3]))
    if o.export:
        return export(o.folder)
    if o.prepare:
        venv.create(o.folder, with_pip=True)
        python = str(o.folder / "bin/python")
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
        return subprocess.run([python, __file__, str(o.folder), "--export"], check=True).returncode
    print(f"{'network':20} {'ms':>9} {'/ort':>9} {'/openvino':>9} {'apart':>9}   load/first call of each, s")
    for name in o.networks or VISION + list(SMALL):
        compare(name, o.folder, o.program, o.threads, o.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
