"""The chapter's JAX edition, with situ."""
import chapter
import situ
from chapter import holds, refused, show
from situ import nn, random


def row_B2():
    """A device for each card."""
    show("cpu(), gpu(0), gpu(1)", (situ.cpu(), situ.gpu(0), situ.gpu(1)))
    holds(len({situ.cpu(), situ.gpu(0), situ.gpu(1)}) == 3, "three devices")
    absent = situ.tpu(situ.num_tpus())
    holds(refused(situ.Error, lambda: situ.wait(situ.ones((1,), device=absent)), str(absent)), "an absent one is an error when it is used")


def row_B4():
    """A TPU, else a GPU, else the CPU."""
    show("try_tpu_gpu(), try_tpu_gpu(10)", (situ.try_tpu_gpu(), situ.try_tpu_gpu(10)))
    holds(situ.try_tpu_gpu() in (situ.tpu(), situ.gpu()) and situ.try_tpu_gpu(10) == situ.cpu(), "the best there is")


def row_C1():
    """x.devices()."""
    x = situ.asarray([1, 2, 3])
    show("x.devices()", {x.device})
    holds(x.device == situ.cpu(), "the CPU")


def row_D1():
    """The same key gives the same bits on every device: the figures that the chapter prints."""
    x = situ.ones((2, 3), device=situ.try_gpu())
    y = random.uniform(random.key(0), (2, 3), device=situ.try_gpu(1))
    print(x, y, sep="\n")
    printed = [[0.57450044, 0.09968603, 0.7419659], [0.8941783, 0.59656656, 0.45325184]]
    holds(situ.all(y == situ.asarray(printed, device=situ.gpu(1))), "uniform(PRNGKey(0), (2, 3))")


def row_E1():
    """Arrays committed to two devices do not add."""
    x, y = situ.ones((2, 3), device=situ.gpu(0)), situ.ones((2, 3), device=situ.gpu(1))
    holds(refused(ValueError, lambda: x + y, "gpu(0)", "gpu(1)", "chapter_jax.py:"), "refused")


def row_E3():
    """device_put(x, d): x where it is there already."""
    x = situ.ones((2, 3), device=situ.gpu(0))
    z = x.to_device(situ.gpu(1))
    print(z)
    show("device_put(z, gpu(1)) is z", z.to_device(situ.gpu(1)) is z)
    holds(z.device == situ.gpu(1) and z.to_device(situ.gpu(1)) is z, "moved once")


def row_F1():
    """Y + Z is where they are."""
    y, z = random.uniform(random.key(0), (2, 3), device=situ.gpu(1)), situ.ones((2, 3), device=situ.gpu(1))
    print(y + z)
    holds((y + z).device == situ.gpu(1), "gpu(1)")


def row_F2():
    """Reading is the one way out of a device."""
    x = situ.ones((2, 3), device=situ.gpu(1))
    with situ.guard(to_host=0, log=True) as guard:
        print(x)
    show("copies to the host", guard.over)
    holds(guard.over == 1, "one copy, and the guard saw it")


def row_G1():
    """init(key, x), apply(params, x): parameters follow from the key and the input's size."""
    nets = [nn.Sequential(nn.Linear(1)).to(situ.gpu(0)).init(random.key(0)) for _ in range(2)]
    x = situ.ones((2, 3), device=situ.gpu(0))
    values = [net(x).tolist() for net in nets]
    print(nets[0](x), nets[0].parameters()["0.weight"], sep="\n")
    holds(values[0] == values[1], "one key, one network")


def row_G2():
    """tree_map(device, params)."""
    net = nn.Sequential(nn.Linear(1)).to(situ.gpu(0))
    net(situ.ones((2, 3), device=situ.gpu(0)))
    devices = {name: p.device for name, p in net.parameters().items()}
    show("devices", devices)
    holds(set(devices.values()) == {situ.gpu(0)}, "all on gpu(0)")


if __name__ == "__main__":
    chapter.run(globals())
