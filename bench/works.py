"""The workloads of the comparison: their targets, and the minimum of work that any program must do for them.

moves: minimum of memory traffic, as arguments of the lab (kind and MiB); work: minimum of operations, where the
machine's peak does two in each multiply-add. An elementwise function counts the multiply-adds and other vector
instructions of its source, each as one multiply-add."""
import pathlib
import re
import subprocess

LN = 14          # instructions of a logarithm, an exponential, a random number (two in a block), and so on
EXP, ERF_LIKE, THREEFRY, DIVIDE, ROOT = 11, 21, 27, 5, 6
M = 1e6


RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def results_of(program):
    """The folder for measurements of this machine: one for each instruction set (`bench/run isa`), processor vendor and
    family."""
    words = subprocess.run([str(program), "isa"], capture_output=True, text=True).stdout.split()
    cpus = pathlib.Path("/proc/cpuinfo")
    made = re.search(r"vendor_id\s*: (?:Authentic|Genuine)?(\w+)\ncpu family\s*: (\d+)", cpus.read_text()) if cpus.exists() else None
    folder = RESULTS / "-".join([words[1] if len(words) > 1 else "baseline"] + ([made[1].lower(), made[2]] if made else []))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Work:
    """peer: the script in this folder that does the same with PyTorch, if there is one."""

    def __init__(self, target=None, moves=None, work=0, lanes=0, what="", peer=None):
        self.target, self.moves, self.what, self.peer = target, moves, what, peer
        self.work = work + 2 * lanes   # in operations of the peak


TRAINING = ("sequences.py", "peers/vision.py", "loader.py")  # peers of the training workloads

WORKS = {
    "seedA": Work(0.30, ("write", 38.15), lanes=10 * M * (3 + LN + ROOT), what="10M linspace, root, log"),
    "seedB": Work(0.25, ("write", 381.5), lanes=100 * M * (THREEFRY + 8), what="100M random numbers, square, cube"),
    "gelu": Work(1.1, ("copy", 15.26), lanes=4 * M * (EXP + DIVIDE + 6), what="4M elements"),
    "softmax": Work(0.85, ("copy", 16), lanes=4096 * 1024 * (EXP + 4), what="4096 rows of 1024"),
    "sum": Work(1.05, ("read", 64), lanes=4096 * 4096, what="4096 x 4096, read"),
    "transpose": Work(0.40, ("copy", 64), what="4096 x 4096 to new memory"),
    "ex3log": Work(0.60, work=2e9, what="1000 products 100 x 100, their norms read at the end"),
    "ex3each": Work(0.50, work=2e9, what="the same, each norm read"),
    "add1": Work(0.12, what="1,000 additions of one number, then read"),
    "mlp": Work(0.85, work=2.08e8, what="a training step of 784-256-10, batch 256"),
    "lenet": Work(0.70, work=5.8e8, what="a training step of LeNet, batch 256"),
    "resnet": Work(0.85, work=1.556e10, what="a training step of ResNet-20, batch 64"),
    "gpt": Work(0.75, work=1.064e10, what="a training step of a GPT of 4 blocks, 32 x 64 letters"),
    "lstm": Work(0.70, work=1.129e10, what="a training step of two LSTM layers of 256, 32 x 64 letters", peer="sequences.py"),
    "gru": Work(0.70, work=8.51e9, what="the same of GRU layers", peer="sequences.py"),
    "table": Work(0.8, what="a step of 4,096 of 10^6 rows of 32, Adam for these rows", peer="sequences.py"),
    "tablesgd": Work(0.8, what="the same by SGD", peer="sequences.py"),
    "lstmletter": Work(0.20, what="the LSTM network's answer to one letter of one row, read", peer="sequences.py"),
    "gruletter": Work(0.20, what="the GRU network's", peer="sequences.py"),
    "resnet18": Work(0.90, work=1.07e11, what="a training step of ResNet-18 on 32 x 32, batch 32", peer="peers/vision.py"),
    "vit": Work(0.80, work=3.4e10, what="a training step of a vision transformer, 6 blocks of width 192, batch 32", peer="peers/vision.py"),
    "dqn": Work(0.20, what="a step of CartPole by deep Q learning, batch 128", peer="peers/vision.py"),
    "matmul100": Work(0.95, work=2e6, what="a product 100 x 100"),
    "matmul1024": Work(1.05, work=2 * 1024.0 ** 3, what="a product 1024 x 1024"),
    "matmul2048": Work(1.05, work=2 * 2048.0 ** 3, what="a product 2048 x 2048"),
    "bf16product": Work(1.1, work=2 * 1024.0 ** 3, what="a product 1024 x 1024 of bf16", peer="peers/halves.py"),
    "f16product": Work(1.1, work=2 * 1024.0 ** 3, what="a product 1024 x 1024 of f16", peer="peers/halves.py"),
    "sin64": Work(1.0, ("copy", 30.5), what="the sine of 4M elements of f64", peer="peers/halves.py"),
    "gelu16": Work(1.0, ("copy", 7.63), what="gelu of 4M elements of f16", peer="peers/halves.py"),
    "silu": Work(None, ("copy", 15.26), lanes=4 * M * (EXP + DIVIDE + 2), what="4M elements"),
    "mish": Work(None, ("copy", 15.26), lanes=4 * M * (EXP + DIVIDE + 6), what="4M elements"),
    "chain9": Work(None, ("copy", 15.26), lanes=4 * M * (EXP + ROOT + 7), what="9 elementwise operations on 4M elements"),
    "softmax50k": Work(None, ("copy", 12.27), lanes=64 * 50257 * (EXP + 4), what="64 rows of 50,257"),
    "colsum": Work(None, ("read", 64), lanes=4096 * 4096, what="columns of 4096 x 4096"),
    "cholesky512": Work(1.0, work=512.0 ** 3 / 3, what="Cholesky's factor of 512 x 512", peer="peers/algebra.py"),
    "cholesky64": Work(1.0, work=64 * 128.0 ** 3 / 3, what="the same of 64 matrices of 128 x 128", peer="peers/algebra.py"),
    "solve512": Work(1.0, work=512.0 ** 3 * 8 / 3, what="512 equations with 512 right sides", peer="peers/algebra.py"),
    "inverse512": Work(1.0, work=512.0 ** 3 * 2, what="the inverse of 512 x 512", peer="peers/algebra.py"),
    "triangular512": Work(1.0, work=512.0 ** 3, what="a triangle with 512 right sides", peer="peers/algebra.py"),
    "qr512": Work(1.0, work=512.0 ** 3 * 8 / 3, what="Q and R of 512 x 512", peer="peers/algebra.py"),
    "eigh512": Work(1.3, what="eigenvalues and vectors of a symmetric 512 x 512", peer="peers/algebra.py"),
    "svd512": Work(1.3, what="singular values and vectors of 512 x 512", peer="peers/algebra.py"),
    "fft1M": Work(1.3, work=5 * 20 * 2.0 ** 20, what="a transform of 2^20 c64", peer="peers/algebra.py"),
    "fftrows": Work(1.0, work=5 * 10 * 512 * 1024.0, what="512 of 1024", peer="peers/algebra.py"),
    "rfft1M": Work(1.3, what="of 2^20 f32", peer="peers/algebra.py"),
    "rfftrows": Work(1.0, what="512 of 1024 f32", peer="peers/algebra.py"),
    "sort1M": Work(1.0, what="1M f32 in order", peer="peers/algebra.py"),
    "sortrows": Work(1.0, what="1000 rows of 1000", peer="peers/algebra.py"),
    "argsort1M": Work(1.0, what="the stable order of 1M f32", peer="peers/algebra.py"),
    "argmaxrows": Work(1.0, what="the largest of each of 1000 rows of 1000", peer="peers/algebra.py"),
    "topkrows": Work(1.0, what="the 10 largest of each", peer="peers/algebra.py"),
    "unique1M": Work(1.0, what="the different ones of 1M integers", peer="peers/algebra.py"),
    "take4M": Work(1.0, what="4M elements of 1M", peer="peers/algebra.py"),
    "mask10M": Work(1.0, what="half of 10M by a mask", peer="peers/algebra.py"),
    "search1M": Work(1.0, what="places of 1M values among 1M", peer="peers/algebra.py"),
    "cumsum10M": Work(1.0, ("copy", 38.15), what="running sums of 10M", peer="peers/algebra.py"),
    "add8": Work(1.0, ("copy", 22.9), what="the sum of 16M i8 and as many", peer="peers/algebra.py"),
    "conv14": Work(1.0, work=3 * 2 * 16 * 256 * 256 * 9 * 196.0, what="a convolution of 16 x 256 x 14 x 14 with its gradients", peer="peers/algebra.py"),
    "conv7": Work(1.0, work=3 * 2 * 16 * 512 * 512 * 9 * 49.0, what="of 16 x 512 x 7 x 7", peer="peers/algebra.py"),
    "convstride": Work(1.0, work=3 * 2 * 16 * 128 * 256 * 9 * 196.0, what="of 16 x 128 x 28 x 28, every second place", peer="peers/algebra.py"),
    "conv1x1": Work(1.0, work=3 * 2 * 16 * 256 * 512 * 196.0, what="of 16 x 256 x 14 x 14, kernels 1 x 1", peer="peers/algebra.py"),
    "loader": Work(1.0, what="an image of 32 x 32, cropped, mirrored, normalised, in batches of 128 by two workers", peer="loader.py"),
    "add1each": Work(0.5, what="1,000 additions of one number, each read; beside NumPy"),
}
