"""Eight threads of Python build and run graphs at once: of their own tensors, of shared stored ones, of variables and
networks; others lend and give back memory. usage: threads.py [ROUNDS]. Ends with 1 if a value is wrong."""
import sys
import threading
import traceback

import situ

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
shared = situ.random.normal(situ.random.key(9), (64, 64))
situ.wait(shared)
total = float(situ.sum(shared * 2))
pending = situ.sum(situ.exp(shared) * 0 + 1)  # evaluated by whoever comes first
wrong = []


def graphs(k, i):
    x = situ.full((64, 64), float(k))
    y = x
    for _ in range(20):
        y = y * 1.0 + 1.0
    z = y @ y * 0 + k
    big = situ.sum(situ.exp(situ.zeros((300, 1000))))
    order = situ.sort(situ.random.uniform(situ.random.key(k), (1000,)))
    yield float(y[0, 0]), k + 20
    yield float(z[1, 1]), k
    yield float(big), 300_000
    yield bool(order[0] <= order[999]), True
    yield float(situ.sum(shared * 2)), total
    yield float(pending), 4096
    yield int(situ.sum(situ.asarray([k, i]))), k + i


def variables(k, i):
    v = situ.variable(situ.full((8,), float(k)))
    for _ in range(3):
        situ.assign(v, v + 1)
    yield float(v[2]), k + 3
    g = situ.grad(lambda t: situ.sum(t * t * shared[0, :8]))(situ.ones((8,)))
    yield float(situ.sum(g)), float(situ.sum(2 * shared[0, :8]))


def networks(k, i):
    net = situ.nn.Sequential(situ.nn.Linear(8), situ.nn.ReLU(), situ.nn.Linear(2))
    opt = situ.optim.SGD(net, lr=0.1)
    losses = []
    for _ in range(3):
        loss = situ.nn.mse(net(situ.ones((4, 3))), situ.zeros((4, 2)))
        opt.step(loss)
        losses.append(float(loss))
    yield losses[2] <= losses[0], True


def memory(k, i):
    a = bytearray(4096)
    x = situ.from_dlpack(memory_of(a))
    y = situ.sum(x) + k
    del x
    yield float(y), k
    yield len(memoryview(situ.ones((k + 1, 3))).tolist()), k + 1


class memory_of:
    """Something that lends by DLPack: a tensor of another owner."""

    def __init__(self, data):
        self.x = situ.asarray(memoryview(data).cast("f"), copy=False)

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def errors(k, i):
    try:
        situ.ones((2,)) + situ.ones((3,))
        yield False, True
    except ValueError as e:
        yield "threads.py" in str(e), True


def work(k):
    try:
        for i in range(ROUNDS):
            for part in (graphs, variables, networks, memory, errors):
                for got, want in part(k, i):
                    if got != want:
                        wrong.append((part.__name__, k, i, got, want))
    except Exception:
        wrong.append(traceback.format_exc())


threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(*wrong[:3], sep="\n")
print(f"{ROUNDS} rounds in 8 threads, {len(wrong)} wrong")
sys.exit(bool(wrong))
