"""The chapter's TensorFlow edition, with situ."""
import chapter
import situ
from chapter import holds, refused, show
from situ import nn, random


def row_B2():
    """device('/GPU:1') names a card."""
    show("device('/CPU:0'), device('/GPU:0'), device('/GPU:1')", (situ.device('/CPU:0'), situ.device('/GPU:0'), situ.device('/GPU:1')))
    holds(situ.device("/GPU:1") == situ.gpu(1), "/GPU:1")
    holds(refused(situ.Error, lambda: situ.wait(situ.ones((1,), device="/GPU:9")), "gpu(9)"), "an absent one")


def row_B4():
    """try_gpu(i), try_all_gpus()."""
    show("try_gpu(), try_gpu(10), try_all_gpus()", (situ.try_gpu(), situ.try_gpu(10), situ.try_all_gpus()))
    holds(situ.try_gpu(10) == situ.cpu() and situ.try_all_gpus()[0] == situ.try_gpu(), "the CPU stands in")


def row_B5():
    """TensorFlow's long names are read; one short form is written."""
    for text, name in (("/GPU:0", "gpu(0)"), ("/device:CPU:0", "cpu(0)"), ("/job:localhost/replica:0/task:0/device:CPU:0", "cpu(0)"),
                       ("/job:localhost/replica:0/task:0/device:GPU:1", "gpu(1)")):
        holds(repr(show(f"device({text!r})", situ.device(text))) == name, name)


def row_C1():
    """x.device of a constant."""
    x = situ.asarray([1, 2, 3])
    show("x.device", x.device)
    holds(x.device == situ.device("/job:localhost/replica:0/task:0/device:CPU:0"), "the CPU")


def row_D1():
    """with try_gpu(): X = ones((2, 3))."""
    with situ.try_gpu():
        x = situ.ones((2, 3))
    with situ.try_gpu(1):
        y = random.uniform(random.key(0), (2, 3))
    print(x, y, sep="\n")
    holds((x.device, y.device) == (situ.gpu(0), situ.gpu(1)), "each on its device")


def row_E1():
    """What lives on two devices is not brought together by itself."""
    with situ.try_gpu():
        x = situ.ones((2, 3))
    with situ.try_gpu(1):
        y = situ.ones((2, 3))
        holds(refused(ValueError, lambda: x + y, "gpu(0)", "gpu(1)"), "a default device moves nothing either")


def row_E3():
    """A tensor that is there already is not copied."""
    with situ.try_gpu(1):
        z = situ.ones((2, 3))
        z2 = z.to_device(situ.default_device())
        show("Z2 is Z", z2 is z)
        holds(z2 is z, "Z2 is Z")


def row_F1():
    """Y + Z."""
    with situ.try_gpu(1):
        y, z = random.uniform(random.key(0), (2, 3)), situ.ones((2, 3))
    w = y + z
    print(w)
    holds(w.device == situ.gpu(1), "computed where they are")


def row_F2():
    """numpy() of a tensor: a copy to main memory."""
    x = situ.full((2, 3), 2.0, device=situ.gpu(0))
    with situ.ledger() as log:
        values = x.tolist()
    show("values", values)
    show("bytes", log.totals["download_bytes"])
    holds(values == [[2, 2, 2], [2, 2, 2]] and log.totals["download_bytes"] == 24, "24 bytes")


def row_G1():
    """Under a MirroredStrategy: one copy of every parameter on each device."""
    net = nn.Sequential(nn.Linear(1)).mirror(situ.try_all_gpus())
    for d in situ.try_all_gpus():
        print(net(situ.ones((2, 3), device=d)))
    copies = [net.copies(d)["0.weight"] for d in situ.try_all_gpus()]
    print(*copies, sep="\n")
    holds([c.device for c in copies] == situ.try_all_gpus(), "a copy on each")
    holds(all(c.tolist() == copies[0].tolist() for c in copies), "of the same values")


def row_G2():
    """net.layers[0].weights with their devices."""
    net = nn.Sequential(nn.Linear(4), nn.ReLU(), nn.Linear(1)).mirror([situ.gpu(0), situ.gpu(1)])
    holds(all(net(situ.ones((2, 3), device=d)).device == d for d in (situ.gpu(0), situ.gpu(1))), "net(X) is computed where X is")
    for d in (situ.gpu(0), situ.gpu(1)):
        print(*(f"  {name} {p.shape} @{p.device}" for name, p in net.copies(d).items()), sep="\n")
        holds(all(p.device == d for p in net.copies(d).values()), f"all on {d}")


if __name__ == "__main__":
    chapter.run(globals())
