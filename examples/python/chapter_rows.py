"""Rows of the chapter that all editions have, or that an edition does not write in its own way."""
import sys
import threading

import situ
from chapter import bar, beside, figure, holds, in_another_thread, refused, show, size, timed, virtual
from situ import data, nn, optim, random, train


def row_A1():
    """The cards: name, memory, utilisation, driver, processes; and why an absent one is absent."""
    seen = 0
    for device in [situ.cpu(), *situ.all_gpus(), situ.gpu(situ.num_gpus()), situ.tpu(), situ.tpu(situ.num_tpus())]:
        try:
            i = device.info()
            used = f"{i['utilization']:.0%}" if i["utilization"] >= 0 else "-"
            print(f"  {device}  {i['backend']}: {i['name']}, {i['memory_used'] >> 20} / {i['memory_total'] >> 20} MiB, {used}, {i['driver']}")
            print(f"          processes: {device.processes()}")
            seen |= 1
        except situ.Error as e:
            print(f"  {device}  absent: {e}")
            seen |= 2
    holds(seen == 3, "devices that are there, and the reason why others are not")


def row_B1():
    """cpu() is all cores and main memory, whatever its number."""
    show("cpu(), cpu(7)", (situ.cpu(), situ.cpu(7)))
    show("threads", situ.threads())
    holds(situ.cpu() == situ.cpu(7), "one device")


def row_B2():
    """gpu() is gpu(0); naming a card never fails, using an absent one does."""
    show("gpu(), gpu(1)", (situ.gpu(), situ.gpu(1)))
    holds(situ.gpu() == situ.gpu(0) != situ.gpu(1), "gpu() == gpu(0) != gpu(1)")
    holds(refused(situ.Error, lambda: situ.wait(situ.ones((2,), device=situ.gpu(99))), "gpu(99)"), "an absent card says which exist")


def row_B3():
    """How many there are: 0 where there is none, and no error."""
    show("num_gpus()", situ.num_gpus())
    show("num_tpus()", situ.num_tpus())
    holds(situ.num_gpus() >= 0 and situ.num_tpus() >= 0, "numbers, no exceptions")


def row_B4():
    """The GPU if it exists, else the CPU; all of them, or the CPU."""
    show("try_gpu(), try_gpu(10), try_all_gpus()", (situ.try_gpu(), situ.try_gpu(10), situ.try_all_gpus()))
    holds(situ.try_gpu() == situ.gpu(0) and situ.try_gpu(10) == situ.cpu(), "try_gpu")
    holds(situ.try_all_gpus() == [situ.gpu(i) for i in range(situ.num_gpus())], "try_all_gpus")


def row_B5():
    """Every way to write a device is read; one is written."""
    names = {"cpu": "cpu(0)", "cuda": "gpu(0)", "cuda:1": "gpu(1)", "gpu(1)": "gpu(1)", "/GPU:0": "gpu(0)", "/device:CPU:0": "cpu(0)",
             "/job:localhost/replica:0/task:0/device:CPU:0": "cpu(0)"}
    for text, name in names.items():
        holds(str(show(f"device({text!r})", situ.device(text))) == name, name)


def row_C1():
    """The device of an array: the CPU, unless a default device says otherwise; that nests and belongs to its thread."""
    x = situ.asarray([1, 2, 3])
    show("x.device", x.device)
    with situ.gpu(0):
        y = situ.ones((3,))
        with situ.gpu(1):
            elsewhere = in_another_thread(situ.default_device)
    show("inside, in another thread", (y.device, elsewhere))
    holds((x.device, y.device, elsewhere) == (situ.cpu(), situ.gpu(0), situ.cpu()), "of this thread only")


def row_C2():
    """Printing shows values, shape and device."""
    x = situ.asarray([1, 2, 3])
    print(x, situ.ones((2, 3)), situ.linspace(0, 1, 10_000), sep="\n")
    holds(str(situ.ones((2, 3))) == "[[1., 1., 1.],\n [1., 1., 1.]] f32[2,3] @cpu(0)", "as the library prints it")


def row_D1():
    """The same key gives the same bits on every device; what is made on a device takes its memory alone."""
    before = [d.memory()["in_use"] for d in (situ.cpu(), situ.gpu(1))]
    x = situ.ones((2, 3), device=situ.try_gpu())
    y = random.uniform(random.key(0), (2, 3), device=situ.try_gpu(1))
    print(x, y, sep="\n")
    show("bytes more on cpu and gpu(1)", [d.memory()["in_use"] - b for d, b in zip((situ.cpu(), situ.gpu(1)), before)])
    holds(y.tolist() == random.uniform(random.key(0), (2, 3)).tolist(), "the same bits on gpu(1) and the CPU")


def row_D2():
    """Memory in use, peak and limit; the limit is hard, and the error names the largest tensors and their birthplaces."""
    gpu = situ.gpu(0)
    before = gpu.memory()
    gpu.memory_limit(before["in_use"] + (10 << 20))
    x = situ.ones((1 << 20,), device=gpu)
    x.name = "activations"
    situ.wait(x)
    show("with 4 MiB", gpu.memory())
    too_much = lambda: situ.wait(situ.zeros((4, 1 << 20), device=gpu))
    holds(refused(MemoryError, too_much, "gpu(0)", "activations", "f32[1048576]", "chapter_rows.py:"), "16 MiB more are refused")
    smaller = situ.zeros((1 << 20,), device=gpu)
    situ.wait(smaller)
    show("smaller[7]", float(smaller[7]))
    holds(float(smaller[7]) == 0, "the next smaller one runs")
    del x, smaller
    gpu.memory_limit(before["limit"])


def row_E1():
    """X + Y on two devices is refused at the call; a copy mends it."""
    x, y = situ.ones((2, 3), device=situ.gpu(0)), random.uniform(random.key(0), (2, 3), device=situ.gpu(1))
    x.name, y.name = "X", "Y"
    holds(refused(ValueError, lambda: x + y, "X = f32[2,3] @gpu(0)", "Y = f32[2,3] @gpu(1)", "chapter_rows.py:"), "naming both")
    print(x.to_device(situ.gpu(1)) + y)


def row_E2():
    """A copy is always new memory, also on the same device."""
    x = situ.ones((1024,), device=situ.gpu(1))
    situ.wait(x)
    before = situ.gpu(1).memory()["in_use"]
    z = situ.asarray(x, copy=True)
    situ.wait(z)
    show("z is x, z.device, bytes more", (z is x, z.device, situ.gpu(1).memory()["in_use"] - before))
    x[0] = 7
    show("x[0], z[0]", (float(x[0]), float(z[0])))
    holds(z is not x and float(z[0]) == 1, "other memory")


def row_E3():
    """Moving to where it lives is free: the same object, no memory."""
    z = situ.ones((2, 3), device=situ.gpu(1))
    situ.wait(z)
    before = situ.gpu(1).memory()["allocations"]
    show("z.to_device(gpu(1)) is z", z.to_device(situ.gpu(1)) is z)
    show("allocations more", situ.gpu(1).memory()["allocations"] - before)
    holds(z.to_device(situ.gpu(1)) is z and situ.gpu(1).memory()["allocations"] == before, "no copy, no memory")


def row_F1():
    """(z + 2).exp() * y is computed where its inputs are."""
    z, y = situ.ones((2, 3), device=situ.gpu(1)), random.uniform(random.key(0), (2, 3), device=situ.gpu(1))
    with situ.guard(to_host=0, peer=0):
        w = situ.exp(z + 2) * y
        situ.wait(w)
    print(w)
    holds(w.device == situ.gpu(1), "on gpu(1), and nothing moved")


def row_F2():
    """Printing copies to main memory first; the ledger has the line and the bytes."""
    x = situ.ones((2, 3), device=situ.gpu(1))
    with situ.ledger() as log:
        print(x)
        values = x.tolist()
    show("values", values)
    down = [(e["reason"], e["bytes"], e["site"]) for e in log.entries if e["transfer"] == "download"]
    show("copies", down)
    holds([b for _, b, _ in down] == [24, 24], "24 bytes, twice, each with its line")


def row_G1():
    """Layers infer their input size at the first call; parameters are on the named device."""
    net = nn.Sequential(nn.Linear(1)).to(situ.try_gpu()).init(random.key(0))
    print(net(situ.ones((2, 3), device=situ.try_gpu())))
    for name, p in net.parameters().items():
        show(name, p)
    holds(net.parameters()["0.weight"].shape == (1, 3), "three inputs")


def row_G2():
    """net(x) computes on x's device; its parameters are there."""
    net = nn.Sequential(nn.Linear(1)).to(situ.try_gpu()).init(random.key(0))
    y = net(situ.ones((2, 3), device=situ.try_gpu()))
    devices = show("devices", {name: p.device for name, p in net.parameters().items()})
    holds({y.device, *devices.values()} == {situ.try_gpu()}, "all on it")


def row_H1():
    """A trainer that moves model and batches to its devices, clips gradients, and draws the loss while it runs."""
    training, held_out = data.digits().split(0, stratified=True)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64), nn.ReLU(), nn.Linear(10))
    sgd = optim.SGD(net, lr=0.1, momentum=0.9)
    trainer = train.Trainer(max_epochs=3, num_gpus=1, gradient_clip_val=1, board=True, xlim=(0, 3))
    show("hyper-parameters", {**trainer.hyper(), **sgd.hyper()})
    show("trainer.gpus", trainer.gpus)
    sys.stdout.flush()
    trainer.fit(net, sgd, training, held_out)
    show("validation loss, accuracy", (trainer.validation_loss, trainer.accuracy))
    for name, (x, y) in trainer.board.data.items():
        print(f"  {name}: {len(x)} points from ({x[0]:.3g}, {y[0]:.6g}) to ({x[-1]:.3g}, {y[-1]:.6g}); xlim {trainer.board.xlim}")
    holds(trainer.accuracy > 0.85, "it learns")
    holds(len(trainer.board.data["train loss"][0]) == 3 * 23, "a point for each minibatch")
    images, labels = trainer.prepare_batch((situ.zeros((16, 8, 8)), situ.zeros((16,), dtype=situ.int32)))
    trainer.prepare_model(net)
    show("loss of a batch", nn.cross_entropy(net(images), labels))
    devices = {p.device for p in net.parameters().values()}
    holds({images.device, labels.device, *devices} == {situ.gpu(0)}, "network and batch are on gpu(0)")


def row_H2():
    """A model from scratch: what it keeps itself moves to the trainer's device, and is mirrored on several (set_scratch_params_device)."""
    class Scratch(nn.Module):
        def __init__(self):
            self.w = situ.variable(0.01 * random.normal(random.key(1), (64, 10)))
            self.b = situ.variable(situ.zeros((10,)))

        def forward(self, x):
            return situ.reshape(x, (-1, 64)) @ self.w + self.b

    trained = []
    for gpus in (1, 2):
        net = Scratch()
        trainer = train.Trainer(max_epochs=2, num_gpus=gpus, deterministic=True)
        trainer.fit(net, optim.SGD(net, lr=0.1), data.digits())
        copies = {d: net.copies(d)["w"].device for d in trainer.gpus}
        show(f"training loss, net.w.device, copies on {gpus} GPUs", (trainer.loss, net.w.device, copies))
        holds(net.w.device == situ.gpu(0) and net.trainer is trainer and list(copies.values()) == trainer.gpus, "the variables are where the trainer is")
        trained.append((trainer.loss, bytes(net.w), bytes(net.b)))
    holds(trained[0] == trained[1] and trained[0][0] < 2, "one GPU and two give the same bits")


def row_I1():
    """A call returns at once; reading or waiting is the barrier, and other threads of Python run meanwhile."""
    x = random.uniform(random.key(0), (size(4_000_000, 200_000),))
    situ.wait(x)
    called, y = timed(lambda: situ.sum(situ.tanh(situ.exp(x))))
    before = show("state after the call", y.state)
    waits, _ = figure(lambda: situ.wait(situ.sum(situ.tanh(situ.exp(x + 1)))))
    value = show("value", float(y))
    print(f"  called in {called * 1e6:.3g} us; with the wait {waits}")
    holds(before == "pending" and y.state == "stored" and value > 0, "pending before, stored after")

    turns, work = [0], lambda: situ.wait(random.uniform(random.key(1), (size(60_000_000, 6_000_000),)))
    stop = threading.Event()

    def count():
        while not stop.is_set():
            turns[0] += 1

    other = threading.Thread(target=count)
    other.start()
    seconds, _ = timed(work)
    counted = turns[0]
    stop.set()
    other.join()
    print(f"  during a wait of {seconds * 1e3:.3g} ms another thread counted to {counted}")
    holds(counted > 0, "the lock of Python is free during a wait")


def row_I2():
    """The timed cell x**0.5 - log(abs(x)) over 10,000,000 numbers; another end in each run, so that all is computed anew."""
    n, run = size(10_000_000, 100_000), iter(range(100))

    def cell():
        x = situ.linspace(0, 100 + next(run), n)
        y = x**0.5 - situ.log(situ.abs(x))
        situ.wait(y)
        return y

    time, y = figure(cell)
    print(y)
    print(f"  n = {n:,}: {time}; {beside('186 ms ± 33 ms')}")
    holds(0 < float(situ.sum(y[1:])) < float("inf"), "numbers")


def row_I3():
    """The timed cells over 100,000,000 numbers: on the accelerator, on the CPU, with a hop between the two."""
    n, gpu, cpu, means = size(100_000_000, 1_000_000), situ.gpu(0), situ.cpu(), []
    print(f"  n = {n:,}; {beside('1.20 s on the CPU, 1.09 s on the accelerator, 1.09 s with the hop')}")
    for name, first, second in (("on the CPU", cpu, cpu), ("on gpu(0)", gpu, gpu), ("gpu(0), cpu, gpu(0)", gpu, cpu)):
        def cells():
            x = random.uniform(random.key(0, device=first), (n,))
            y = x**2 - 0.5
            z = (y.to_device(second)**3 - 0.2).to_device(first)
            situ.wait(z)
            return float(situ.mean(z))

        time, mean = figure(cells, runs=3)
        means.append(mean)
        print(f"  {name:22s} {time}  mean {mean:.7g}")
        first.memory_trim()
    holds(abs(means[0] + 0.2321429) < 1e-3, "the integral of (x^2 - 1/2)^3 - 1/5 over 0..1")
    holds(means[0] == means[1] == means[2], "the same bits, wherever")


def row_J1():
    """A loss that goes to the host for every minibatch stalls the GPU; a log on the device does not. The ledger names the line."""
    steps, gpu = 100, situ.gpu(0)

    def minibatch(w, step):
        key = random.fold_in(random.key(0, device=gpu), step)
        loss = nn.mse(situ.matmul(random.uniform(key, (32, 8)), w), situ.ones((32, 1), device=gpu))
        g, = situ.gradients(loss, [w])
        situ.assign(w, w - 0.1 * g)
        return loss

    def stalling():
        w = situ.variable(situ.zeros((8, 1), device=gpu))
        return [float(minibatch(w, step)) for step in range(steps)]

    def logging():
        w, log = situ.variable(situ.zeros((8, 1), device=gpu)), situ.variable(situ.zeros((steps,), device=gpu), trainable=False)
        with situ.guard(to_host=0, waits=0):  # a stall in here would be an error with its line
            for step in range(steps):
                situ.assign(log, situ.reshape(minibatch(w, step), (1,)), start=(step,))
        return log.tolist()

    slow, stalled = figure(stalling, runs=3)
    fast, logged = figure(logging, runs=3)
    with situ.ledger() as ledger:
        stalling()
    lines = {e["site"] for e in ledger.entries if e["transfer"] == "wait"}
    print(f"  {ledger.totals['wait_count']} waits, asked for at {', '.join(sorted(lines))}")
    print(f"  a stall for each minibatch {slow}, a log on the device {fast}; loss {stalled[0]:.8g} ... {stalled[-1]:.8g}")
    holds(ledger.totals["wait_count"] == steps and len(lines) == 1, "one stall for each minibatch, in one line")
    holds(logged == stalled, "the log on the device has the same losses")


def row_J2():
    """Many small operations cost much more than one big one; recorded together they are fused."""
    gpu = situ.gpu(0)
    small, big = situ.zeros((1000,), device=gpu), situ.zeros((1_000_000,), device=gpu)
    situ.wait(small)
    situ.wait(big)

    def additions(x, count, each):
        for _ in range(count):
            x = x + 1
            if each:
                situ.wait(x)
        situ.wait(x)
        return x

    cost = []
    for name, x, count, each in (("1000 additions to 1,000 numbers, one by one", small, 1000, True), ("the same, recorded together", small, 1000, False),
                                 ("1 addition to 1,000,000 numbers", big, 1, False)):
        wall, y = figure(lambda: additions(x, count, each), runs=3)
        clock = virtual(gpu)
        additions(x, count, each)
        cost.append(virtual(gpu) - clock or wall.mean)
        print(f"  {name:44s} {str(wall):30s} {cost[-1] * 1e6:9.0f} us {'simulated' if virtual(gpu) else ''}  y[0] = {float(y[0])}")
        holds(float(y[0]) == count, "the sum is right")
    holds(cost[2] < cost[1] < cost[0] / 10, "one big one is cheapest, together is ten times cheaper than one by one")


def row_K1():
    """Exercise 1: a large matrix product and a small one, on the CPU and on a GPU."""
    table = []
    for n in (16, size(1024, 128)):
        for d in (situ.cpu(), situ.gpu(0)):
            a, b = (random.uniform(random.key(k, device=d), (n, n)) for k in (1, 2))
            situ.wait(a)
            situ.wait(b)

            def product():
                clock = virtual(d)
                c = a @ b
                situ.wait(c)
                return c, virtual(d) - clock

            wall, (c, simulated) = figure(product)
            table.append((n, d, wall, simulated, float(situ.sum(c))))
    most = max(simulated or wall.mean for _, _, wall, simulated, _ in table)
    for n, d, wall, simulated, total in table:
        note = f", simulated {simulated * 1e6:.3g} us" if simulated else ""
        print(f"  {n:5d} x {n:<5d} {d}  {wall}{note}  sum {total:.8g}  {bar(simulated or wall.mean, most)}")
    holds(all(abs(table[i][4] - table[i + 1][4]) <= 1e-5 * table[i][4] for i in (0, 2)), "both devices give one product")


def row_K2():
    """Exercise 2: reading and writing parameters on a GPU."""
    gpu = situ.gpu(0)
    net = nn.Sequential(nn.Linear(256)).to(gpu).init(random.key(0))
    situ.wait(net(situ.zeros((1, 784), device=gpu)))
    weight = net.parameters()["0.weight"]

    def write(value, start=None):
        situ.assign(weight, value, start)
        situ.wait(weight)

    new = situ.reshape(situ.arange(256 * 784, dtype=situ.float32), (256, 784))
    situ.wait(new)
    first = show("the first value", float(weight[0, 0]))
    for name, work in (("read all of a parameter", weight.tolist),
                       ("read one element", lambda: float(weight[0, 0])), ("write all from the host", lambda: write(new.to_device(gpu))),
                       ("write one row on the device", lambda: write(situ.full((1, 784), -1.0, device=gpu), (3, 0)))):
        wall, _ = figure(work)
        clock = virtual(gpu)
        work()
        print(f"  {name:30s} {str(wall):30s} {(virtual(gpu) - clock) * 1e6:10.1f} us simulated")
    values = show("afterwards", [float(weight[i, 0]) for i in (0, 3, 4)])
    holds(abs(first) <= 1 / 28 and values == [0, -1, 4 * 784], "it began uniform in +-1/sqrt(784); what was written is there")


def row_K3():
    """Exercise 3: 1000 products of 100 x 100 matrices and the norm of each: read one at a time, or a log on the device."""
    d, count = situ.gpu(0), size(1000, 100)
    b, a = random.uniform(random.key(1, device=d), (100, 100)), random.uniform(random.key(2, device=d), (count, 100, 100))
    situ.wait(a)
    situ.wait(b)
    norm = situ.linalg.matrix_norm

    def each():
        return [float(norm(a[i] @ b)) for i in range(count)]

    def logged():
        return situ.stack([norm(a[i] @ b) for i in range(count)]).tolist()

    results = []
    for name, work in (("read one by one", each), ("a log on the device", logged)):
        wall, values = figure(work, runs=3)
        clock, before = virtual(d), situ.ledger.sum()["download_count"]
        work()
        results.append((virtual(d) - clock or wall.mean, values, situ.ledger.sum()["download_count"] - before))
        print(f"  {name:22s} {wall}, simulated {results[-1][0] * 1e3:.3f} ms, {results[-1][2]} copies to the host; the last norm {values[-1]:.8g}")
    holds(results[0][1] == results[1][1], "the same norms")
    if d.info()["simulated"]:
        holds(results[1][2] <= count // 4 < results[0][2] and results[1][0] < results[0][0], "fewer copies, less time")


def row_K4():
    """Exercise 4: two products on two GPUs at once, against one after the other on one: near-linear scaling."""
    n = size(2048, 1024)

    def two(devices):
        a = [random.uniform(random.key(i, device=d), (n, n)) for i, d in enumerate(devices)]
        for x in a:
            situ.wait(x)

        def products():
            clock = virtual(devices[0])
            c = [x @ x for x in a]
            for y in c:
                situ.eval(y)  # starts it and goes on
            for y in c:
                situ.wait(y)
            return virtual(devices[0]) - clock

        wall, simulated = figure(products)
        return wall, simulated or wall.mean

    (one_wall, one), (both_wall, both) = two([situ.gpu(0), situ.gpu(0)]), two([situ.gpu(0), situ.gpu(1)])
    note = " (simulated)" if situ.gpu(0).info()["simulated"] else ""
    print(f"  one after the other {one * 1e3:.3f} ms{note}, wall {one_wall}")
    print(f"  at once             {both * 1e3:.3f} ms{note}, wall {both_wall}: {one / both:.2f} times")
    holds(one / both > 1.5, "near-linear scaling")


def row_L1():
    """The functions that the chapter uses."""
    x = situ.linspace(0, 100, 5)
    print(x, x**0.5, situ.log(situ.abs(x)), situ.exp(x / 50), sep="\n")
    key, other = random.split(random.key(0))
    normal = random.normal(other, (10,))
    print(key, normal, sep="\n")
    holds((x**0.5).tolist()[::4] == [0, 10] and key.tolist() == [4146024105, 967050713], "roots, and JAX's keys")
    holds(abs(float(situ.mean(normal))) < 1, "normal numbers")


def row_M1():
    """Data-parallel training over all devices of one machine; in deterministic mode any number gives the same bits."""
    training, held_out = data.digits().split(0, stratified=True)
    weights = []
    for gpus in range(situ.num_gpus() + 1):
        net = nn.Sequential(nn.Flatten(), nn.Linear(32), nn.ReLU(), nn.Linear(10))
        adam = optim.Adam(net, lr=0.01)
        trainer = train.Trainer(max_epochs=size(3, 1), num_gpus=gpus, deterministic=True).fit(net, adam, training, held_out)
        last = situ.gpu(gpus - 1) if gpus else situ.cpu()
        weights.append(net.copies(last)["1.weight"].tolist())
        print(f"  {gpus} GPUs, weights read from {last}: accuracy {trainer.accuracy:.2%}, loss {trainer.loss:.9g}")
    holds(all(w == weights[0] for w in weights), "the same bits on any number of devices")
    holds(trainer.accuracy > 0.8, "it learns")


def row_M2():
    """Data-parallel training by several processes, as mpirun starts them; in deterministic mode the weights are those of one."""
    group = situ.Group()
    training, held_out = data.digits().split(0, stratified=True)
    weights = []
    for together in (None, group):
        net = nn.Sequential(nn.Flatten(), nn.Linear(32), nn.ReLU(), nn.Linear(10))
        trainer = train.Trainer(max_epochs=size(3, 1), device=situ.cpu(), deterministic=True, group=together)
        trainer.fit(net, optim.Adam(net, lr=0.01), training, held_out)
        weights.append(net.copies(situ.cpu())["1.weight"].tolist())
        print(f"  {group.size if together else 1} processes ({group.engine}): accuracy {trainer.accuracy:.2%}, loss {trainer.loss:.9g}")
    holds(weights[0] == weights[1], "the same bits by any number of processes")
    holds(trainer.accuracy > 0.8, "it learns")
