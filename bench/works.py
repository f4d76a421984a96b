"""What the rows of the comparison are: their targets and the least that any program must do for them.

moves: what has to pass through memory at least, as the lab's arguments (kind and MiB); work: operations at least, of
which the machine's peak does two in each multiply-add. An elementwise function counts the multiply-adds and other vector
instructions of its text, each as one of the peak's multiply-adds."""
import pathlib
import re
import subprocess

LN = 14          # instructions of a logarithm, of an exponential, of a random number (one of two of a block) and so on
EXP, ERF_LIKE, THREEFRY, DIVIDE, ROOT = 11, 21, 27, 5, 6
M = 1e6


RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def results_of(program):
    """The folder for what is measured here: a machine for each instruction set (`bench/run isa`) and maker of processors."""
    words = subprocess.run([str(program), "isa"], capture_output=True, text=True).stdout.split()
    cpus = pathlib.Path("/proc/cpuinfo")
    vendor = re.search(r"vendor_id\s*: (?:Authentic|Genuine)?(\w+)", cpus.read_text()) if cpus.exists() else None
    folder = RESULTS / "-".join([words[1] if len(words) > 1 else "baseline"] + ([vendor[1].lower()] if vendor else []))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Work:
    def __init__(self, target=None, moves=None, work=0, lanes=0, what="", held="", held512="", xeon=""):
        self.target, self.moves, self.what, self.held = target, moves, what, {"avx2-amd": held, "avx512-amd": held512, "avx512-intel": xeon}
        self.work = work + 2 * lanes   # operations of the peak


WORKS = {
    "seedA": Work(0.30, ("write", 38.15), lanes=10 * M * (3 + LN + ROOT), what="10M linspace, root, log",
        held="a logarithm of 1 ULP takes 0.81 ns an element on one core, twice what moving the element takes (`bench/run kernels`).",
        xeon="a logarithm takes .3 ns an element on two cores, as long as moving the element."),
    "seedB": Work(0.25, ("write", 381.5), lanes=100 * M * (THREEFRY + 8), what="100M random numbers, square, cube"),
    "gelu": Work(1.1, ("copy", 15.26), lanes=4 * M * (EXP + DIVIDE + 6), what="4M elements",
        held="on one core an exponential takes 0.54 ns an element and a division 0.58, each with its own way through memory.",
        xeon="an exponential and a division, each with its own way through memory."),
    "softmax": Work(0.85, ("copy", 16), lanes=4096 * 1024 * (EXP + 4), what="4096 rows of 1024",
        held="exponentials take nearly half of the time; on one core it takes no longer than where all rows lie in the cache (`group_pipeline.c`).",
        held512="its stages walk a few rows one after the other, and reading those waits for memory; side by side they wait less in some processes and more in others (bench/NOTES.md); in another comparison the ratio was 0.91.",
        xeon="its stages work side by side (`group_pipeline.c`); one after the other 1.25 of the time."),
    "sum": Work(1.05, ("read", 64), lanes=4096 * 4096, what="4096 x 4096, read",
        held="reading: PyTorch's loop, a bare loop of the folds that the written order asks for and ours are within 5 % of each other; the best of four peers whose memory lies in different places is up to 10 % faster than any one of them.",
        held512="reading: one core alone takes 1.55 ms for the 64 MB, both 0.9 to 1.4.",
        xeon="reading, as its peers."),
    "transpose": Work(0.40, ("copy", 64), what="4096 x 4096 to new memory",
        held="strides of 16 KiB on one side: tiles go through a buffer.",
        held512="strides of 16 KiB on one side: tiles go through a buffer.",
        xeon="lines of rows of the result lie 16 KiB apart; stored past the caches."),
    "ex3log": Work(0.60, work=2e9, what="1000 products 100 x 100, their norms read at the end",
        xeon="a product takes 13.6 µs on one core where all is near, of 11.2 at its peak; operands come from an L3 cache that others share."),
    "ex3each": Work(0.50, work=2e9, what="the same, each norm read",
        held="a product takes 20 µs on one core and 13 on two, of 9.7 at their peak; the rest takes 4 to 5: recording, planning, handing over, operands from memory, a norm whose operand half lies in the other core's cache.",
        held512="a single product takes 6 µs on two cores with all that is around it, of 4.3 at their peak; here its operands come from memory, and a norm follows.",
        xeon="of 12.8 µs a product 5.6 are its arithmetic on two cores at their peak, 2 to 3 waiting for operands and results that no near cache has, 1 handing work over and back, 2.8 recording, planning and the norm, half of whose operand lies in the other core's cache. In another comparison the ratio was 0.67."),
    "add1": Work(0.12, what="1,000 additions of one number, then read",
        held="recording takes 16 ns an operation and planning from the cache 23 (`bench/lines nodes`), most of it numbering and hashing the nodes.",
        held512="recording takes 9 ns an operation and planning from the cache 14 (`bench/lines nodes`); NumPy's additions take 200 ns here, half of what they take on the other machine; in another comparison the ratio was 0.126.",
        xeon="recording takes 13 ns an operation, planning from the cache 20."),
    "mlp": Work(0.85, work=2.08e8, what="a training step of 784-256-10, batch 256",
        held="two products take 87 % of the step, at 80 to 85 % of the peak on one core; the second core makes them 1.6 to 1.8 times as fast.",
        held512="two products take 84 % of the step, at 85 % of the peak; one thread waits for the other in a tenth of it; in another comparison the ratio was 0.89.",
        xeon="two products take most of the step, at 79 % of the peak; by its rate packing takes up to a sixth of them. In the comparison of all rows the ratio was 0.88 (0.80 by minima)."),
    "lenet": Work(0.70, work=5.8e8, what="a training step of LeNet, batch 256",
        held="convolutions of one and of six channels leave vectors half empty.",
        held512="convolutions of one and of six channels leave vectors half empty.",
        xeon="convolutions of one and of six channels leave vectors half empty."),
    "resnet": Work(0.85, work=1.556e10, what="a training step of ResNet-20, batch 64",
        held="forward convolutions reach 79 to 84 % of the peak on one core; packing images takes a tenth of the step, batch norms and sums the like.",
        held512="sums of convolutions reach 92 % of the peak, but packing an image takes a fifth of the time, two thirds of that waiting for memory; batch norms and what else waits for memory takes a fifth of the step. PyTorch compiled varies from one comparison to the next: 216 and 292 ms in two, 63 and 66 in two others, of which ours took 0.96 by the shortest runs (0.81 and 0.92 by medians).",
        xeon="sums of convolutions reach 94 % of the peak, of images of 8 x 8 82 % (joining two rows in a vector takes a unit of arithmetic), gradients by the kernel 83 %; packing images takes 11 % of the time, norms and what else waits for memory a quarter."),
    "gpt": Work(0.75, work=1.064e10, what="a training step of a GPT of 4 blocks, 32 x 64 letters",
        held="products take 70 % of the step, at 80 % of the peak on one core (packing where the sum goes over 2,048 rows: 66 %), attention 13 %; the second core gains 1.7 times: for a tenth of the time one thread waits for the other.",
        held512="products reach 70 to 100 % of the peak on one core (least where A lies by columns).",
        xeon="products take two thirds of the step: 82 to 91 % of the peak on two cores forward and for inputs, 55 to 72 % for weights (2,048 rows are packed for 128 columns), attention an eighth. In the comparison of all rows the ratio was 0.88."),
    "matmul100": Work(0.95, work=2e6, what="a product 100 x 100"),
    "matmul1024": Work(1.05, work=2 * 1024.0 ** 3, what="a product 1024 x 1024",
        held="on one core and undisturbed own kernels took 22.8 ms and PyTorch's library 23.4; packing takes 9 % of the time on two, and packing and multiplying each end when the slower thread does.",
        held512="packing takes 7 % of the time, and packing and multiplying each end when the slower thread does; in two other comparisons the ratio was 0.88 and 1.31.",
        xeon="alone in one process, variants in turn, 313 GFLOP/s beside 326 of the peers' library; others slow it down more than them, of which the cause is not known: in this comparison and that of all rows (1.19) the median times lie further from the shortest ones than the peers'."),
    "matmul2048": Work(1.05, work=2 * 2048.0 ** 3, what="a product 2048 x 2048",
        held="as at 1024: the three matrices and their packed copies are 80 MB, beyond the L3 cache (bench/NOTES.md).",
        held512="as at 1024: the three matrices and their packed copies are 80 MB, beyond the L3 cache.",
        xeon="as at 1024: 313 beside 329 GFLOP/s when nobody disturbs; in the comparison of all rows 1.17."),
    "silu": Work(None, ("copy", 15.26), lanes=4 * M * (EXP + DIVIDE + 2), what="4M elements"),
    "mish": Work(None, ("copy", 15.26), lanes=4 * M * (EXP + DIVIDE + 6), what="4M elements"),
    "chain9": Work(None, ("copy", 15.26), lanes=4 * M * (EXP + ROOT + 7), what="9 elementwise operations on 4M elements"),
    "softmax50k": Work(None, ("copy", 12.27), lanes=64 * 50257 * (EXP + 4), what="64 rows of 50,257"),
    "colsum": Work(None, ("read", 64), lanes=4096 * 4096, what="columns of 4096 x 4096"),
    "add1each": Work(0.5, what="1,000 additions of one number, each read; beside NumPy"),
}
