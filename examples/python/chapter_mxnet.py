"""The chapter's first MXNet edition (nd arrays and contexts), with situ."""
import chapter
import situ
from chapter import holds, refused, show
from situ import nn, random


def row_B1():
    """cpu() is all cores and main memory, whatever its number."""
    show("cpu(), cpu(7)", (situ.cpu(), situ.cpu(7)))
    holds(situ.cpu() == situ.cpu(7), "cpu() == cpu(7)")
    total = show("a sum there", float(situ.sum(situ.ones((1000,), device=situ.cpu(7)))))
    holds(total == 1000, "work runs there")


def row_B2():
    """gpu() is gpu(0); naming a card never fails, using an absent one does."""
    show("gpu(), gpu(1)", (situ.gpu(), situ.gpu(1)))
    holds(situ.gpu() == situ.gpu(0) != situ.gpu(1), "gpu() == gpu(0) != gpu(1)")
    absent = situ.gpu(99)
    holds(refused(situ.Error, lambda: situ.wait(situ.ones((2,), device=absent)), "gpu(99)", "gpu(0), gpu(1)", "chapter_mxnet.py:"), "an absent card says which exist")


def row_B4():
    """The GPU if it exists, else the CPU; all of them, or the CPU."""
    show("try_gpu(), try_gpu(10), try_all_gpus()", (situ.try_gpu(), situ.try_gpu(10), situ.try_all_gpus()))
    holds(situ.try_gpu() == situ.gpu(0) and situ.try_gpu(10) == situ.cpu(), "try_gpu")
    holds(situ.try_all_gpus() == [situ.gpu(i) for i in range(situ.num_gpus())], "try_all_gpus")


def row_C1():
    """The context of an array; the default is the CPU."""
    x = situ.asarray([1, 2, 3])
    show("x.context", x.device)
    holds(x.device == situ.cpu(), "x is on the CPU")


def row_C2():
    """Printing shows values, shape and device."""
    print(situ.ones((2, 3)))
    holds(str(situ.ones((2, 3))) == "[[1., 1., 1.],\n [1., 1., 1.]] f32[2,3] @cpu(0)", "as the library prints it")


def row_D1():
    """Arrays made on a device take memory of that device alone."""
    before = [d.memory()["in_use"] for d in (situ.cpu(), situ.gpu(0), situ.gpu(1))]
    x = situ.ones((2, 3), device=situ.try_gpu())
    y = random.uniform(random.key(1), (1000, 1000), device=situ.gpu(1))
    situ.wait(y)
    used = [d.memory()["in_use"] - b for d, b in zip((situ.cpu(), situ.gpu(0), situ.gpu(1)), before)]
    print(f"  bytes more on cpu, gpu(0), gpu(1): {used}")
    holds(used[2] >= 4_000_000 and used[0] < 4096, "on gpu(1) alone")
    print(x)


def row_E1():
    """Operands on two devices: an error before anything runs, naming both and the copy to write."""
    x = situ.ones((2, 3), device=situ.gpu(0))
    y = situ.ones((2, 3), device=situ.gpu(1))
    x.name, y.name = "x", "y"
    holds(refused(ValueError, lambda: x + y, "x = f32[2,3] @gpu(0)", "y = f32[2,3] @gpu(1)", "chapter_mxnet.py:", "b.to_device(situ.gpu(0))"), "refused at the call")


def row_E2():
    """x.copyto(d) is always new memory, also on the same device."""
    x = situ.ones((1024,), device=situ.gpu(1))
    situ.wait(x)
    before = situ.gpu(1).memory()["in_use"]
    z = situ.asarray(x, copy=True)
    situ.wait(z)
    holds(z is not x and z.device == x.device and situ.gpu(1).memory()["in_use"] - before >= 4096, "another object in other memory")
    x[0] = 7
    show("z is x, x[0], z[0]", (z is x, float(x[0]), float(z[0])))
    holds(float(z[0]) == 1 and float(x[0]) == 7, "writing to one leaves the other alone")


def row_E3():
    """x.as_in_context(d): x itself where it is there already."""
    x = situ.ones((2, 3), device=situ.gpu(1))
    show("x.as_in_context(gpu(1)) is x, x.as_in_context(gpu(0)).context", (x.to_device(situ.gpu(1)) is x, x.to_device(situ.gpu(0)).device))
    holds(x.to_device(situ.gpu(1)) is x, "the same object")
    holds(x.to_device(situ.gpu(0)).device == situ.gpu(0), "else a copy there")


def row_F1():
    """(z + 2).exp() * y is computed where its inputs are."""
    z = situ.ones((2, 3), device=situ.gpu(1))
    y = random.uniform(random.key(0), (2, 3), device=situ.gpu(1))
    with situ.guard(to_host=0, peer=0):
        w = situ.exp(z + 2) * y
        situ.wait(w)
    print(w)
    holds(w.device == situ.gpu(1), "on gpu(1)")


def row_F2():
    """Printing copies to main memory first; the ledger has the line and the bytes."""
    x = situ.ones((2, 3), device=situ.gpu(1))
    with situ.ledger() as log:
        print(x)
        show("values", x.tolist())
    down = [e for e in log.entries if e["transfer"] == "download"]
    print(*(f"  {e['reason']} {e['bytes']} bytes, asked for at {e['site']}" for e in down), sep="\n")
    holds(len(down) >= 2 and all("chapter_mxnet.py" in e["site"] for e in down), "each copy with its line")


def row_G1():
    """Layers infer their input size at the first call; parameters are on the named device."""
    net = nn.Sequential(nn.Linear(1)).to(situ.gpu(0)).init(random.key(0))
    print(net(situ.ones((2, 3), device=situ.gpu(0))))
    holds(net.parameters()["0.weight"].shape == (1, 3), "three inputs")


def row_G2():
    """net(x) computes on x's device; net[0]'s weight is there."""
    net = nn.Sequential(nn.Linear(1)).to(situ.gpu(0))
    y = net(situ.ones((2, 3), device=situ.gpu(0)))
    weight = net[0].parameters()["weight"]
    print(weight)
    holds(y.device == weight.device == situ.gpu(0), "both on gpu(0)")


if __name__ == "__main__":
    chapter.run(globals())
