"""The chapter's PyTorch edition, with situ."""
import chapter
import situ
from chapter import holds, refused, show
from situ import nn, random


def row_B1():
    """device('cpu')."""
    show("device('cpu'), cpu()", (situ.device("cpu"), situ.cpu()))
    holds(situ.device("cpu") == situ.cpu() == "cpu", "by name or by function")


def row_B2():
    """device('cuda') is device('cuda:0')."""
    show("device('cuda'), device('cuda:1')", (situ.device("cuda"), situ.device("cuda:1")))
    holds(situ.device("cuda") == situ.device("cuda:0") == situ.gpu(), "the first card")
    holds(refused(situ.Error, lambda: situ.wait(situ.ones((1,), device="cuda:9")), "gpu(9)"), "an absent one is an error when it is used")


def row_B4():
    """try_gpu, and all GPUs: an empty list where there is none."""
    show("try_gpu(), try_gpu(10), all_gpus()", (situ.try_gpu(), situ.try_gpu(10), situ.all_gpus()))
    holds(situ.try_gpu(10) == situ.cpu() and len(situ.all_gpus()) == situ.num_gpus(), "try_gpu and all_gpus")


def row_B5():
    """Every way to write a device is read; one is written."""
    for text, name in (("cpu", "cpu(0)"), ("cuda", "gpu(0)"), ("cuda:1", "gpu(1)"), ("gpu(1)", "gpu(1)"), ("tpu:0", "tpu(0)")):
        holds(repr(show(f"device({text!r})", situ.device(text))) == name, name)
    holds(refused(ValueError, lambda: situ.device("graphics card"), "graphics card"), "nonsense is refused")


def row_C1():
    """x.device, and `with device:` for what is made inside."""
    x = situ.asarray([1, 2, 3])
    with situ.device("cuda:1"):
        y = situ.ones((3,))
    show("x.device, y.device", (x.device, y.device))
    holds((x.device, y.device) == (situ.cpu(), situ.gpu(1)), "cpu(0) and gpu(1)")
    with situ.strict():
        holds(refused(ValueError, lambda: situ.ones((3,)), "chapter_pytorch.py:"), "in strict mode a forgotten device is an error")


def row_D1():
    """ones((2, 3), device=try_gpu()); rand on the second card."""
    x = situ.ones((2, 3), device=situ.try_gpu())
    y = random.uniform(random.key(0), (2, 3), device=situ.try_gpu(1))
    print(x, y, sep="\n")
    holds((x.device, y.device) == (situ.gpu(0), situ.gpu(1)), "where they were made")


def row_E1():
    """X + Y on two cards is refused."""
    x, y = situ.ones((2, 3), device="cuda:0"), situ.ones((2, 3), device="cuda:1")
    x.name, y.name = "X", "Y"
    holds(refused(ValueError, lambda: x + y, "X = f32[2,3] @gpu(0)", "Y = f32[2,3] @gpu(1)", "add"), "naming both")


def row_E3():
    """Z = X.cuda(1); Z.cuda(1) is Z."""
    x = situ.ones((2, 3), device="cuda:0")
    z = x.to_device("cuda:1")
    print(x, z, sep="\n")
    show("Z.cuda(1) is Z", z.to_device("cuda:1") is z)
    holds(z.to_device("cuda:1") is z, "the same object")


def row_F1():
    """Y + Z on the second card."""
    y, z = random.uniform(random.key(0), (2, 3), device="cuda:1"), situ.ones((2, 3), device="cuda:1")
    with situ.guard(to_host=0, peer=0, to_device=0):
        w = y + z
        situ.wait(w)
    print(w)
    holds(w.device == situ.gpu(1), "nothing moved")


def row_F2():
    """Reading a number out of a card is a wait, with its line."""
    loss = situ.mean(random.normal(random.key(0), (100,), device="cuda:0"))
    with situ.ledger() as log:
        show("loss", loss.item())
    show("ledger", [(e["transfer"], e["bytes"], e["site"]) for e in log.entries])
    holds(log.totals["download_bytes"] == 4 and any("chapter_pytorch.py" in e["site"] for e in log.entries), "4 bytes, from this line")


def row_G1():
    """Sequential(LazyLinear(1)).to(device)."""
    net = nn.Sequential(nn.Linear(1)).to(situ.try_gpu())
    x = situ.ones((2, 3), device=situ.try_gpu())
    print(net(x))
    holds(net.parameters()["0.weight"].shape == (1, 3), "the size came with the first input")


def row_G2():
    """net[0].weight.data.device."""
    net = nn.Sequential(nn.Linear(1)).to(situ.try_gpu())
    net(situ.ones((2, 3), device=situ.try_gpu()))
    show("net[0].weight.device", net[0].parameters()["weight"].device)
    print(net[0].parameters()["weight"])
    holds(net[0].parameters()["weight"].device == situ.try_gpu(), "on the card")


if __name__ == "__main__":
    chapter.run(globals())
