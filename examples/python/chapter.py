"""The chapter on GPUs, from Python: what its editions share.

Each edition is a script beside this one; a function row_XX in it is the equivalent of the cells with that number. Rows that
are the same in all editions (the exercises, the claims) are here. A script runs its rows, or those named on the command
line, prints what they give, and ends with 1 if something does not hold. SITU_CHAPTER_SMALL=1 makes the large cells small."""
import os
import sys
import threading
import time
import traceback

import situ
from situ import data, nn, optim, random, train

_broken = 0


def holds(condition, text):
    """Says whether a condition holds."""
    global _broken
    print(f"  {'holds ' if condition else 'BROKEN'}  {text}")
    _broken += not condition


def refused(kind, work, *words):
    """Whether work raises an error of this kind whose message has all of these words."""
    try:
        work()
    except kind as e:
        print(f"  {type(e).__name__}: {e}")
        missing = [w for w in words if w not in str(e)]
        if missing:
            print(f"  the message does not say {missing}")
        return not missing
    return False


def size(full, small):
    return small if os.environ.get("SITU_CHAPTER_SMALL") else full


def two_gpus(count=2):
    """Simulated ones where there are no real ones."""
    if situ.num_gpus() < count:
        situ.sim_gpus(count)


def virtual(device):
    """The virtual clock of a simulated device in seconds, else 0."""
    return situ.sim_clock() if device.info()["simulated"] else 0.0


def timed(work):
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


def bar(value, most):
    return "#" * round(40 * value / most) if most else ""


# ---- rows that all editions have


def row_A1():
    """The cards: name, memory, utilisation, driver; and why an absent one is absent."""
    seen = 0
    for device in [situ.cpu(), *situ.all_gpus(), situ.gpu(situ.num_gpus()), situ.tpu()]:
        try:
            i = device.info()
            print(f"  {device}  {i['backend']}: {i['name']}, {i['memory_used'] >> 20} / {i['memory_total'] >> 20} MiB, {i['driver']}")
            seen |= 1
        except situ.Error as e:
            print(f"  {device}  absent: {e}")
            seen |= 2
    holds(seen == 3, "devices that are there, and the reason why others are not")


def row_B3():
    """How many there are: 0 where there is none, and no error."""
    print(f"  num_gpus {situ.num_gpus()}, num_tpus {situ.num_tpus()}")
    holds(situ.num_gpus() >= 0 and situ.num_tpus() >= 0, "numbers, no exceptions")


def row_D2():
    """Memory in use, peak and limit; the limit is hard, and the error names the largest tensors and their birthplaces."""
    gpu = situ.gpu(0)
    before = gpu.memory()
    gpu.memory_limit(before["in_use"] + (10 << 20))
    x = situ.ones((1 << 20,), device=gpu)
    x.name = "activations"
    situ.wait(x)
    print(f"  4 MiB: {gpu.memory()}")
    holds(refused(MemoryError, lambda: situ.wait(situ.zeros((4, 1 << 20), device=gpu)), "gpu(0)", "activations", "f32[1048576]", "chapter.py:"),
          "16 MiB more are refused")
    smaller = situ.zeros((1 << 20,), device=gpu)
    situ.wait(smaller)
    holds(float(smaller[7]) == 0, "the next smaller one runs")
    del x, smaller
    gpu.memory_limit(before["limit"])


def row_H1():
    """A trainer that moves model and batches to its devices, clips gradients, and draws the loss while it runs."""
    training, held_out = data.digits().split(0, stratified=True)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64), nn.ReLU(), nn.Linear(10))
    sgd = optim.SGD(net, lr=0.1, momentum=0.9)
    trainer = train.Trainer(max_epochs=3, num_gpus=1, gradient_clip_val=1, board=True)
    print(f"  {trainer.hyper()} {sgd.hyper()}")
    sys.stdout.flush()
    trainer.fit(net, sgd, training, held_out)
    print(f"  accuracy on held-out data: {trainer.accuracy:.2%}")
    holds(trainer.accuracy > 0.85, "it learns")
    holds(all(p.device == situ.gpu(0) for p in net.parameters().values()), "the network is on gpu(0)")
    trainer.prepare_model(net)
    batch = trainer.prepare_batch(situ.zeros((16, 8, 8)))
    holds(net(batch).device == situ.gpu(0), "and so are batches")


def _minibatch(w, step):
    key = random.fold_in(random.key(0, device=w.device), step)
    loss = nn.mse(situ.matmul(random.uniform(key, (32, 8)), w), situ.ones((32, 1), device=w.device))
    g, = situ.gradients(loss, [w])
    situ.assign(w, w - 0.1 * g)
    return loss


def row_J1():
    """A loss that goes to the host for every minibatch stalls the GPU; a log on the device does not. The ledger names the line."""
    steps, gpu, stalled = 100, situ.gpu(0), []
    w = situ.variable(situ.zeros((8, 1), device=gpu))
    with situ.ledger() as ledger:
        for step in range(steps):
            stalled.append(float(_minibatch(w, step)))
    lines = {e["site"] for e in ledger.entries if e["transfer"] == "wait"}
    print(f"  {ledger.totals['wait_count']} waits, asked for at {', '.join(sorted(lines))}")
    holds(ledger.totals["wait_count"] == steps and len(lines) == 1, "one stall for each minibatch, in one line")
    w = situ.variable(situ.zeros((8, 1), device=gpu))
    log = situ.variable(situ.zeros((steps,), device=gpu), trainable=False, name="log")
    with situ.guard(to_host=0, waits=0):  # a stall in here would be an error with its line
        for step in range(steps):
            situ.assign(log, situ.reshape(_minibatch(w, step), (1,)), start=(step,))
    holds(log.tolist() == stalled, "the log on the device has the same losses")


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

    rows = [("1000 additions to 1,000 numbers, one by one", small, 1000, True), ("the same, recorded together", small, 1000, False),
            ("1 addition to 1,000,000 numbers", big, 1, False)]
    seconds = []
    for name, x, count, each in rows:
        additions(x, count, each)
        clock = virtual(gpu)
        wall, y = timed(lambda: additions(x, count, each))
        seconds.append(virtual(gpu) - clock or wall)
        print(f"  {name:44s} {wall * 1e6:9.0f} us {seconds[-1] * 1e6:9.0f} us simulated")
        holds(float(y[0]) == count, "the sum is right")
    holds(seconds[2] < seconds[1] < seconds[0] / 10, "one big one is cheapest, together is ten times cheaper than one by one")


def row_K1():
    """Exercise 1: a large matrix product and a small one, on the CPU and on a GPU."""
    table = []
    for n in (16, size(1024, 128)):
        for d in (situ.cpu(), situ.gpu(0)):
            a, b = (random.uniform(random.key(k, device=d), (n, n)) for k in (1, 2))
            situ.wait(a)
            situ.wait(b)
            best = 1e9
            for _ in range(3):
                clock = virtual(d)
                wall, c = timed(lambda: (y := a @ b, situ.wait(y))[0])
                best = min(best, virtual(d) - clock or wall)
            table.append((n, d, best, float(situ.sum(c))))
    most = max(row[2] for row in table)
    for n, d, best, _ in table:
        note = " simulated" if d.info()["simulated"] else ""
        print(f"  {n:5d} x {n:<5d} {d}{note:10s} {best * 1e6:10.1f} us {bar(best, most)}")
    holds(all(abs(table[i][3] - table[i + 1][3]) <= 1e-5 * table[i][3] for i in (0, 2)), "both devices give one product")


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
    first = float(weight[0, 0])
    for name, work in (("read all of a parameter", weight.tolist),
                       ("read one element", lambda: float(weight[0, 0])), ("write all from the host", lambda: write(new.to_device(gpu))),
                       ("write one row on the device", lambda: write(situ.full((1, 784), -1.0, device=gpu), (3, 0)))):
        clock = virtual(gpu)
        wall, _ = timed(work)
        print(f"  {name:30s} {wall * 1e6:10.1f} us {(virtual(gpu) - clock) * 1e6:10.1f} us simulated")
    holds(abs(first) <= 1 / 28, "it began uniform in +-1/sqrt(784)")
    holds([float(weight[i, 0]) for i in (0, 3, 4)] == [0, -1, 4 * 784], "what was written is there")


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
        clock, before = virtual(d), situ.ledger.sum()["download_count"]
        wall, values = timed(work)
        copies = situ.ledger.sum()["download_count"] - before
        results.append((virtual(d) - clock or wall, values, copies))
        print(f"  {name:22s} {wall * 1e3:8.2f} ms {results[-1][0] * 1e3:8.3f} ms simulated, {copies} copies to the host")
    holds(results[0][1] == results[1][1], "the same norms")
    if d.info()["simulated"]:
        holds(results[1][2] <= count // 4 < results[0][2] and results[1][0] < results[0][0], "fewer copies, less time")


def row_K4():
    """Exercise 4: two products on two GPUs at once, against one after the other on one: near-linear scaling."""
    n = size(1024, 256)

    def two(devices):
        a = [random.uniform(random.key(i, device=d), (n, n)) for i, d in enumerate(devices)]
        for x in a:
            situ.wait(x)
        clock = virtual(devices[0])
        start = time.perf_counter()
        c = [x @ x for x in a]
        for y in c:
            situ.eval(y)  # starts it and goes on
        for y in c:
            situ.wait(y)
        return virtual(devices[0]) - clock or time.perf_counter() - start

    two([situ.gpu(0), situ.gpu(1)])
    one, both = two([situ.gpu(0), situ.gpu(0)]), two([situ.gpu(0), situ.gpu(1)])
    note = " (simulated)" if situ.gpu(0).info()["simulated"] else ""
    print(f"  one after the other {one * 1e3:.3f} ms, at once {both * 1e3:.3f} ms{note}: {one / both:.2f} times")
    holds(one / both > 1.5, "near-linear scaling")


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


def timed_cell(n):
    """I2: x**0.5 - log(abs(x)) over n numbers in equal steps; another end in each run, so that all is computed anew."""
    best = 1e9
    for r in range(5):
        x = situ.linspace(0, 100 + r, n)
        seconds, y = timed(lambda: (v := x**0.5 - situ.log(situ.abs(x)), situ.wait(v))[0])
        best = min(best, seconds)
    print(f"  n = {n}: {best * 1e3:.2f} ms (the chapter prints 186 ms on its machine)")
    holds(0 < float(situ.sum(y[1:])) < float("inf"), "numbers")


def hop_cells(n):
    """I3: uniform(key, n); x**2 - 0.5; y**3 - 0.2 on the accelerator, on the CPU, and with a hop between the two."""
    gpu, cpu, means = situ.gpu(0), situ.cpu(), []
    for name, first, second in (("on the CPU", cpu, cpu), ("on gpu(0)", gpu, gpu), ("gpu(0), cpu, gpu(0)", gpu, cpu)):
        def cells():
            x = random.uniform(random.key(0, device=first), (n,))
            y = x**2 - 0.5
            z = (y.to_device(second)**3 - 0.2).to_device(first)
            situ.wait(z)
            return z

        best, z = min((timed(cells) for _ in range(2)), key=lambda t: t[0])
        means.append(float(situ.mean(z)))
        print(f"  {name:22s} {best * 1e3:8.1f} ms")
        del z
        first.memory_trim()
    holds(abs(means[0] + 0.2321429) < 1e-3, "the integral of (x^2 - 1/2)^3 - 1/5 over 0..1")
    holds(means[0] == means[1] == means[2], "the same bits, wherever")


def in_another_thread(work):
    out = []
    t = threading.Thread(target=lambda: out.append(work()))
    t.start()
    t.join()
    return out[0]


COMMON = [row_A1, row_B3, row_D2, row_H1, row_J1, row_J2, row_K1, row_K2, row_K3, row_K4, row_M1]


def run(script):
    """Runs the rows of an edition's script (its globals) and the common ones in the order of the chapter."""
    global _broken
    rows = {f.__name__[4:]: f for f in COMMON}
    rows.update({name[4:]: f for name, f in script.items() if name.startswith("row_")})
    if "--list" in sys.argv:
        print(*sorted(rows))
        return
    two_gpus()
    failed = []
    for number in sorted(set(sys.argv[1:]) & set(rows) or rows):
        before = _broken
        print(f"{number}: {(rows[number].__doc__ or '').strip()}", flush=True)
        try:
            rows[number]()
        except Exception:
            _broken += 1
            traceback.print_exc(file=sys.stdout)
        if _broken > before:
            failed.append(number)
    print("all rows hold" if not failed else f"these rows do not hold: {' '.join(failed)}")
    sys.exit(bool(failed))
