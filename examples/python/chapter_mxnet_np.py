"""The chapter's second MXNet edition (arrays as NumPy's), with situ."""
import numpy

import chapter
import situ
from chapter import holds, refused, show
from situ import nn, random


def row_B1():
    """Any number of the CPU is the same device."""
    show("cpu(), cpu(1), cpu(7)", (situ.cpu(), situ.cpu(1), situ.cpu(7)))
    holds({situ.cpu(), situ.cpu(1), situ.cpu(7)} == {situ.cpu()}, "one device")


def row_B2():
    """cpu(), gpu(), gpu(1) are names; a name of what is not there is an error when it is used."""
    show("cpu(), gpu(), gpu(1)", (situ.cpu(), situ.gpu(), situ.gpu(1)))
    show("there are gpu(1), gpu(99)", (situ.gpu(1).exists(), situ.gpu(99).exists()))
    holds(not situ.gpu(99).exists() and situ.gpu(1).exists(), "exists() says which are there")
    holds(refused(situ.Error, lambda: situ.wait(situ.zeros((1,), device=situ.gpu(99))), "gpu(99)"), "used: an error")


def row_B4():
    """try_gpu(i) and try_all_gpus()."""
    show("try_gpu(), try_gpu(10), try_all_gpus()", (situ.try_gpu(), situ.try_gpu(10), situ.try_all_gpus()))
    holds(situ.try_gpu() == situ.gpu(0) and situ.try_gpu(10) == situ.cpu(), "the GPU, or the CPU")
    holds(len(situ.try_all_gpus()) == max(situ.num_gpus(), 1), "all of them, or [cpu()]")


def row_C1():
    """x.ctx: the CPU, unless a default device says otherwise; that nests and belongs to its thread."""
    x = situ.asarray([1, 2, 3])
    show("x.ctx", x.device)
    holds(x.device == situ.cpu(), "the CPU")
    with situ.gpu(0):
        y = situ.ones((3,))
        with situ.gpu(1):
            z = situ.ones((3,))
            elsewhere = chapter.in_another_thread(situ.default_device)
        holds(situ.default_device() == situ.gpu(0), "back to gpu(0)")
    show("inside, further inside, in another thread", (y.device, z.device, elsewhere))
    holds((y.device, z.device, elsewhere) == (situ.gpu(0), situ.gpu(1), situ.cpu()), "nested, and of this thread only")


def row_C2():
    """Printing shows @cpu(0), and large arrays in summary."""
    print(situ.linspace(0, 1, 10_000))
    holds("@cpu(0)" in str(situ.zeros((1,))) and "..." in str(situ.zeros((10_000,))), "the device, and dots")


def row_D1():
    """ones on the first GPU, uniform numbers on the second; the same key gives the same bits anywhere."""
    x = situ.ones((2, 3), device=situ.try_gpu())
    y = random.uniform(random.key(0), (2, 3), device=situ.try_gpu(1))
    print(x, y, sep="\n")
    holds(y.tolist() == random.uniform(random.key(0), (2, 3)).tolist(), "the same bits on gpu(1) and the CPU")


def row_E1():
    """X + Y on two devices is refused; a copy mends it."""
    x, y = situ.ones((2, 3), device=situ.gpu(0)), situ.ones((2, 3), device=situ.gpu(1))
    holds(refused(ValueError, lambda: x + y, "gpu(0)", "gpu(1)", "chapter_mxnet_np.py:"), "an error at the call")
    z = x.to_device(situ.gpu(1))
    print(y + z)
    holds((y + z).tolist() == [[2, 2, 2], [2, 2, 2]], "Y + Z")


def row_E2():
    """copyto: new memory also where it lives."""
    x = situ.ones((2, 3), device=situ.gpu(0))
    z = situ.asarray(x, copy=True)
    print(x, z, sep="\n")
    show("z is x", z is x)
    holds(z is not x and z.tolist() == x.tolist(), "another tensor of the same values")


def row_E3():
    """as_in_ctx: the same object where it lives there."""
    z = situ.ones((2, 3), device=situ.gpu(1))
    before = situ.gpu(1).memory()["allocations"]
    show("z.as_in_ctx(gpu(1)) is z", z.to_device("gpu:1") is z)
    holds(z.to_device("gpu:1") is z and situ.gpu(1).memory()["allocations"] == before, "no copy, no memory")


def row_F1():
    """Y + Z stays on gpu(1)."""
    y, z = (random.normal(random.key(i), (2, 3), device=situ.gpu(1)) for i in (0, 1))
    print(y + z)
    holds((y + z).device == situ.gpu(1), "on gpu(1)")


def row_F2():
    """Becoming an array of NumPy is a copy out of the device, and a barrier."""
    x = situ.ones((2, 3), device=situ.gpu(1)) * 3
    with situ.ledger() as log:
        a = numpy.asarray(x)
    show("a", a)
    show("bytes", log.totals["download_bytes"])
    holds(a.sum() == 18 and log.totals["download_bytes"] == 24, "24 bytes, once")
    with situ.guard(to_host=0):
        holds(refused(situ.BudgetError, lambda: numpy.asarray(x), "chapter_mxnet_np.py:"), "a guard makes it an error")


def row_G1():
    """A network on a device whose layers find their input size."""
    net = nn.Sequential(nn.Linear(1)).to(situ.try_gpu())
    print(net(situ.ones((2, 3), device=situ.try_gpu())))
    holds([p.shape for p in net.parameters().values()] == [(1, 3), (1,)], "weight and bias")


def row_G2():
    """Where the parameters are."""
    net = nn.Sequential(nn.Linear(1)).to(situ.try_gpu())
    net(situ.ones((2, 3), device=situ.try_gpu()))
    print(*(f"  {name} @{p.device}" for name, p in net.parameters().items()), sep="\n")
    holds(net.parameters()["0.weight"].device == situ.try_gpu(), "weight is there")
    holds(refused(ValueError, lambda: net(situ.ones((2, 3))), "cpu(0)", "gpu(0)"), "an input elsewhere is not moved")


if __name__ == "__main__":
    chapter.run(globals())
