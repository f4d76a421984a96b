"""Tests of the Python package as it is installed: prints PASS, FAIL or SKIP for each function test_..."""
import copy
import gc
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import threading
import time
import traceback

import numpy as np

import situ

SPAWN = "__mp_main__"


def grown(work, warm):
    """Kilobytes that the process grew by while work ran, after it was warm."""
    warm()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work()
    gc.collect()
    sanitized = "ASAN_OPTIONS" in os.environ  # freed memory is kept for a while
    return 0 if sanitized else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def raises(kind, work, *words):
    try:
        work()
    except kind as e:
        missing = [w for w in words if w not in str(e)]
        assert not missing, f"{missing} not in {e}"
        return e
    raise AssertionError(f"{kind.__name__} was not raised")


def line():
    return f"{os.path.basename(__file__)}:{sys._getframe(1).f_lineno}"


def test_operators_read_as_numpy_does():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 3, (4, 5)).astype(np.float32), rng.uniform(0.5, 3, (5,)).astype(np.float32)
    x, y = situ.asarray(a), situ.asarray(b)
    for want, got in [(a + b, x + y), (2 - a, 2 - x), (a * b, x * y), (a / b, x / y), (a // b, x // y), (a % b, x % y), (-a, -x), (abs(-a), abs(-x)),
                      (a @ a.T, x @ x.T), (a < b, x < y), (a == a, x == x), (a**2, x**2), (np.exp(a), situ.exp(x)), (a.sum(0), situ.sum(x, axis=0))]:
        assert want.dtype.name == got.dtype.name and want.shape == got.shape, (want.dtype, got.dtype)
        np.testing.assert_allclose(np.asarray(got), want, rtol=2e-6)
    i = situ.asarray([5, -7])
    assert (i // 2).tolist() == [2, -4] and (i % 3).tolist() == [2, 2] and (i << 1).tolist() == [10, -14] and (~i).tolist() == [-6, 6]


def test_printing_with_more_digits():
    x = situ.asarray([0.57450044, 0.09968603], dtype=situ.float32)
    assert repr(x).startswith("[0.5745, 0.099686]")
    with situ.printoptions(precision=8):
        assert [float(t) for t in repr(x)[1:].split("]")[0].split(",")] == [float(str(np.float32(v))) for v in x.tolist()]
    assert repr(x).startswith("[0.5745, 0.099686]")
    raises(ValueError, lambda: situ.set_printoptions(99))


def test_a_trainer_as_in_the_book():
    training, held_out = situ.data.digits().split(0, stratified=True)
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(10))
    trainer = situ.train.Trainer(max_epochs=2, num_gpus=16, xlim=(0, 2)).fit(net, situ.optim.SGD(net, lr=0.1), training, held_out)
    assert trainer.gpus == [situ.gpu(i) for i in range(min(16, situ.num_gpus()))] and trainer.board.xlim == (0, 2)
    assert situ.train.Trainer(num_gpus=0).gpus == []
    x, y = trainer.board.data["train loss"]
    assert len(x) == len(y) == 2 * 23 and x[-1] == 2 and y[-1] < y[0]
    x, y = trainer.board.data["validation loss"]
    assert x == [1, 2] and y[-1] == trainer.validation_loss
    assert trainer.board.data["validation accuracy"][1][-1] == trainer.accuracy
    there = trainer.gpus[0] if trainer.gpus else situ.cpu()
    a, rest = trainer.prepare_batch((situ.ones((2,)), {"b": [situ.ones((3,)), situ.ones(())]}))
    assert isinstance(rest, dict) and {a.device, *(t.device for t in rest["b"])} == {there}
    raises(ValueError, lambda: situ.train.Trainer(xlim=(1, 2)), "xlim")


def test_a_network_from_scratch_moves_with_what_it_keeps():
    class Scratch(situ.nn.Module):
        def __init__(self):
            self.w, self.shift = situ.variable(situ.ones((3, 1))), situ.ones((1,))
            self.more, self.note, self.part = {"mask": [situ.ones((3,))]}, "kept", Inner()

        def forward(self, x):
            return (x * self.more["mask"][0]) @ self.w + self.shift + self.part(x)

    class Inner(situ.nn.Module):
        def __init__(self):
            self.scale = situ.full((1,), 2.0)

        def forward(self, x):
            return situ.sum(x, axis=1, keepdims=True) * self.scale

    if not situ.num_gpus():
        situ.sim_gpus(1)
    for move in (lambda net: net.set_scratch_params_device(situ.gpu(0)), situ.train.Trainer(num_gpus=1).prepare_model):
        net = move(Scratch())
        kept = [net.w, net.shift, net.more["mask"][0], net.part.scale]
        assert {t.device for t in kept} == {situ.gpu(0)} and net.note == "kept" and net.w.is_variable
        assert net(situ.ones((2, 3), device=situ.gpu(0))).tolist() == [[10], [10]]


def test_printing_is_the_library_s():
    assert repr(situ.ones((2, 3)) + 2) == "[[3., 3., 3.],\n [3., 3., 3.]] f32[2,3] @cpu(0)"
    assert f"{situ.asarray(2.5):.3f}" == "2.500"


def test_indexing_is_numpy_s():
    a = np.arange(60).reshape(3, 4, 5)
    x = situ.asarray(a)
    mask = a % 7 == 0
    keys = [0, -1, (1, 2), (1, 2, 3), slice(1, None), (slice(None), slice(None, None, -2)), (..., 1), (None, 0), (slice(2, 0, -1), None, ..., 0),
            np.array([2, 0]), (slice(None), np.array([3, -1, 0])), (np.array([0, 2]), slice(None), np.array([1, 4])), (0, np.array([1, 2])),
            (np.array([[0], [2]]), np.array([1, 3])), mask, mask[:, 0, 0], (slice(None), mask[0, :, 0])]
    for k in keys:
        to = lambda v: situ.asarray(v) if isinstance(v, np.ndarray) else v
        key = tuple(map(to, k)) if isinstance(k, tuple) else to(k)
        assert (np.asarray(x[key]) == a[k]).all() and x[key].shape == a[k].shape, k
        b, y = a.copy(), situ.asarray(a)
        b[k] = 100
        y[key] = 100
        assert (np.asarray(y) == b).all(), k
    raises(IndexError, lambda: x[3])
    raises(IndexError, lambda: x[0, 0, 0, 0])


def test_views_are_values():
    x = situ.zeros((4,))
    v = x[1:3]
    x[1] = 5
    assert v.tolist() == [0, 0] and x.tolist() == [0, 5, 0, 0]


def test_writing_to_a_view_writes_to_what_it_was_taken_from():
    def both(write):
        a = np.arange(60).reshape(3, 4, 5)
        x = situ.asarray(a)
        write(a), write(x)
        assert (np.asarray(x) == a).all(), write

    def assign(*keys, value=100):
        def write(t):
            for k in keys:
                t = t[k]
            t[...] = value
        return write

    def add(t):
        v = t[1, ::2]
        v += 7
        v[0] = 3
    for write in (assign(1), assign(1, 2), assign((0, slice(1, 3)), 1), assign(slice(None, None, -2), (slice(None), 1), slice(1, None, 2)),
                  assign(None, 0, 2), assign((slice(1, 3), None), 1, 0, slice(3, 0, -1)), assign((..., 2), (slice(None), -1)), add):
        both(write)
    def in_place(t):
        t[1] += 3
        t[0, 1:3] *= 2
        t[2, 1, 1] -= 5
        t[:, 0][1] += 1
        t[..., ::2] += t[..., ::2]
        t[0].T[1:, 2] = -1
        t[..., None, :].mT[1, 2, 3] += 9
    both(in_place)
    x = situ.zeros((2, 3, 4))
    situ.permute_dims(x, (2, 0, 1))[1, :, 1:] += situ.asarray([[1.0, 2], [3, 4]])
    assert x[..., 1].tolist() == [[0, 1, 2], [0, 3, 4]] and float(situ.sum(x)) == 10
    x = situ.zeros((3, 4))
    v = x[1]
    w = x[1]
    v += 1
    assert x.tolist()[1] == [1, 1, 1, 1] and w.tolist() == [0, 0, 0, 0]  # a view is a value: it keeps its own
    live = situ._situ.live()
    for _ in range(1000):
        y = situ.zeros((5,))
        z = y[1:3]
        del y
        z += 1
        z[0] = 2
    del z
    gc.collect()
    assert situ._situ.live() <= live + 2
    p = situ.variable(situ.zeros((3,)))
    q = p[1:]
    q += 1
    assert p.tolist() == [0, 0, 0] and q.tolist() == [1, 1]
    g = situ.grad(lambda t: situ.sum(_second_row_doubled(t)))(situ.ones((2, 3)))
    assert g.tolist() == [[1, 1, 1], [2, 2, 2]]


def _second_row_doubled(t):
    y = t * 1
    row = y[1]
    row *= 2
    return y


def test_numpy_shares_memory_both_ways():
    a = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2]
    x = situ.from_dlpack(a)
    assert np.from_dlpack(x).ctypes.data == a.ctypes.data and np.asarray(x).ctypes.data == a.ctypes.data
    assert np.asarray(x).strides == a.strides and memoryview(x).readonly
    assert (np.asarray(x * 2) == a * 2).all()
    y = situ.ones((3,)) + 1
    assert np.asarray(y).ctypes.data == np.from_dlpack(y).ctypes.data
    z = situ.asarray(a)  # a copy: later changes of a do not show
    a[:] = 0
    assert float(z[3, 2]) == 22


def test_other_libraries_share_memory():
    for name in ("torch", "jax.numpy"):
        try:
            library = __import__(name, fromlist=["x"])
        except ImportError:
            continue
        theirs = library.from_dlpack(situ.arange(5, dtype=situ.float32))
        ours = situ.from_dlpack(theirs)
        pointer = theirs.data_ptr() if name == "torch" else theirs.unsafe_buffer_pointer()
        assert np.asarray(ours).ctypes.data == pointer and ours.tolist() == [0, 1, 2, 3, 4]


def test_memory_lives_as_long_as_somebody_looks():
    a = np.arange(1000.0)
    refs = sys.getrefcount(a)
    x = situ.from_dlpack(a)
    y = x + 1
    assert sys.getrefcount(a) > refs
    del x
    assert float(y[999]) == 1000
    del y
    gc.collect()
    situ.ones(1)  # gives back what was lent
    assert sys.getrefcount(a) == refs
    view = np.asarray(situ.full((1000,), 7.0))
    gc.collect()
    noise = [situ.zeros((1000,)) + i for i in range(50)]
    situ.eval(*noise)
    assert (view == 7).all()


def test_conversions_leak_nothing():
    a = np.arange(10, dtype=np.float32)

    def work(n):
        for _ in range(n):
            np.from_dlpack(situ.from_dlpack(a))
            memoryview(situ.asarray([1.0, 2.0]))

    refs, live = sys.getrefcount(a), situ._situ.live()
    kilobytes = grown(lambda: work(100_000), lambda: work(10_000))
    assert kilobytes < 2048, f"{kilobytes} kB"
    assert sys.getrefcount(a) == refs and situ._situ.live() == live


def test_a_loop_holds_only_its_last_value():
    live = situ._situ.live()

    def loop(n):
        x = situ.zeros((1,))
        for i in range(n):
            x = x + 1
            if i % 100 == 0:
                float(x)
        return float(x)

    kilobytes = grown(lambda: loop(200_000), lambda: loop(2_000))
    assert kilobytes < 2048 and situ._situ.live() == live, f"{kilobytes} kB, {situ._situ.live() - live} nodes"
    x = situ.zeros((1,))
    for _ in range(150_000):  # nobody reads: computed on the way
        x = x + 1
    assert float(x) == 150_000


def test_gradients():
    x = situ.asarray([1.0, 2.0, 3.0])
    value, g = situ.value_and_grad(lambda v: situ.sum(v * v * v))(x)
    assert float(value) == 36 and g.tolist() == [3, 12, 27]
    assert float(situ.grad(situ.grad(lambda v: v * v * v))(situ.asarray(2.0))) == 12
    one = situ.asarray(3.0)
    assert float(situ.grad(lambda y: y * one)(one)) == 3  # only by what was passed
    tree = {"w": situ.asarray([2.0]), "b": (situ.asarray([1.0]),)}
    g = situ.grad(lambda t: situ.sum(t["w"] * t["w"] + t["b"][0]))(tree)
    assert g["w"].tolist() == [4] and g["b"][0].tolist() == [1]
    loss = situ.sum(situ.stop_gradient(x) * x)
    assert situ.gradients(loss, [x])[0].tolist() == [1, 2, 3]
    y, pull = situ.vjp(lambda a, b: a * b, x, x)
    assert [t.tolist() for t in pull(situ.ones((3,)))] == [[1, 2, 3], [1, 2, 3]]


def test_no_gradient_is_silently_zero_after_a_read():
    def gradient(x, read):
        z = x * x
        y = situ.sum(z * x)
        read(z, y)
        return situ.gradients(y, [x])[0].tolist()

    reads = [lambda z, y: situ.eval(y), lambda z, y: situ.eval(z), lambda z, y: float(y), lambda z, y: str(z), lambda z, y: z.tolist(),
             lambda z, y: y.item() if hasattr(y, "item") else float(y), lambda z, y: np.asarray(z), lambda z, y: bool(y > 0)]
    x = situ.asarray([1.0, 2.0, 3.0])
    assert gradient(x, lambda z, y: None) == [3, 12, 27]
    for read in reads:
        assert gradient(situ.variable(x), read) == [3, 12, 27]
        assert situ.grad(lambda v: (lambda z: (read(z, z[0]), situ.sum(z * v))[1])(v * v))(x).tolist() == [3, 12, 27]
        try:
            assert gradient(x, read) == [3, 12, 27]  # or it says that it is too late
        except situ.GradientError as e:
            assert "has forgotten how it came from" in str(e) and "check.py" in str(e), e


def test_what_cannot_have_come_from_a_tensor_is_a_constant():
    w = situ.random.normal(situ.random.key(0), (3,)) * 0.1
    situ.eval(w)
    for _ in range(300):  # data that is newer than w, computed before the loss
        x = situ.asarray([1.0, 2.0, 3.0]) / 255
        situ.eval(x)
        g, = situ.gradients(situ.sum((x * w) ** 2), [w])
        w = w - 0.1 * g
        situ.eval(w)


def test_graphs_of_gradients_die():
    live = situ._situ.live()
    w = situ.variable(situ.ones((4,)))
    for _ in range(50):
        loss = situ.sum(w * w)
        g, = situ.gradients(loss, [w])
        situ.assign(w, w - 0.1 * g)
        float(loss)
    situ.eval(w)
    del loss, g
    gc.collect()
    assert situ._situ.live() <= live + 4, situ._situ.live() - live
    assert abs(float(w[0]) - 0.8**50) < 1e-6


def test_variables_change_and_their_readers_do_not():
    v = situ.variable(situ.zeros((2,)), name="v")
    before = v + 0
    view = np.asarray(v)
    for i in range(3):
        situ.assign(v, v + 1)
    assert v.tolist() == [3, 3] and before.tolist() == [0, 0] and view.tolist() == [0, 0]
    raises(TypeError, lambda: v.__setitem__(0, 1))


def within(bytes, work):
    """Does work, which may take so many bytes of the CPU's memory beyond what is in use."""
    situ.wait()
    situ.cpu().memory_trim()
    situ.cpu().memory_limit(situ.cpu().memory()["in_use"] + bytes)
    try:
        work()
        situ.wait()
    finally:
        situ.cpu().memory_limit(0)


def test_a_part_of_a_variable_is_all_that_is_written():
    rows, columns = 4096, 192
    v = situ.variable(situ.zeros((rows, columns)), trainable=False)
    a = np.zeros((rows, columns), np.float32)
    situ.wait(v)
    row = situ.reshape(situ.arange(columns, dtype=situ.float32), (1, columns))
    situ.wait(row)

    def one(i):
        situ.assign(v, row + i, start=(i, 0))
        a[i] = np.arange(columns) + i

    def two():
        one(3)
        one(7)

    def then_read():
        one(9)
        assert float(situ.sum(v[9])) == a[9].sum()
        one(11)

    def columns_of():
        situ.assign(v, situ.ones((rows, 1)), start=(0, 5))
        a[:, 5] = 1
    for work in (lambda: one(1), two, then_read, columns_of):
        within(4 * rows * columns // 8, work)
    assert (np.asarray(v) == a).all()
    view = np.asarray(v)  # who looks at the old value keeps it
    one(20)
    assert view[20, 1] == 0 and (np.asarray(v) == a).all()


def test_the_first_step_takes_no_more_memory_than_later_ones():
    n = 256
    net = situ.nn.Sequential(situ.nn.Linear(n), situ.nn.ReLU(), situ.nn.Linear(n))
    opt = situ.optim.AdamW(net)
    x = situ.ones((8, n))
    need = 4 * (2 * (n * n + n)) * 4

    def steps():
        for _ in range(3):
            loss = situ.mean(situ.square(net(x)))
            assert float(loss) > 0
            opt.step(loss)
    within(need + need // 6, steps)


def test_errors_carry_message_and_line():
    x = situ.ones((2, 3))
    e = raises(ValueError, lambda: x + situ.ones((7,)), "[2,3]", line())
    assert isinstance(e, situ.Error) and e.code == 202
    y = situ.take(situ.ones((3,)), situ.asarray([7])); made = line()
    raises(IndexError, lambda: repr(y), "index 7", made)
    raises(ValueError, lambda: situ.matmul(x, 2), "at least 1 dimension")
    raises(OverflowError, lambda: situ.asarray([1]) + 2**70)
    assert float(situ.sum(x)) == 6  # nothing sticks


def test_devices_guards_and_the_ledger():
    situ.sim_gpus(2)
    gpu = situ.gpu(0)
    with gpu:
        x = situ.ones((2, 2)) + 1
    assert x.device == gpu == situ.device("gpu:0") and situ.default_device() == situ.cpu()
    e = raises(ValueError, lambda: x + situ.ones((2, 2)), "gpu(0)", "cpu(0)")
    assert e.code == 204
    with situ.ledger() as log:
        assert x.to_device("gpu:1").tolist()[0] == [2, 2]
    assert log.totals["peer_count"] == 1 and log.entries[0]["site"].startswith("check.py:")
    with situ.guard(to_host=0) as g:
        raises(situ.BudgetError, lambda: float(x[0, 0]))
    with situ.guard(to_host=0, log=True) as g:
        float(x[0, 0])
    assert g.over == 1 and np.asarray(x).sum() == 8


def test_pickles_and_copies():
    for x in (situ.asarray([[1, 2], [3, 4]], dtype=situ.int16), situ.asarray(2.5 + 1j), situ.zeros((0, 3), dtype=situ.bfloat16)):
        for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
            assert y.dtype is x.dtype and y.shape == x.shape and y.tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(situ.float32)) is situ.float32 and pickle.loads(pickle.dumps(situ.gpu(1))) == situ.gpu(1)


def test_a_network_learns_digits():
    train, held_out = situ.data.digits().split(0, stratified=True)
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(64), situ.nn.ReLU(), situ.nn.Linear(10))
    opt = situ.optim.Adam(net, lr=3e-3)
    loader = situ.data.Loader(train, batch=64, shuffle=True)
    for _ in range(8):
        for images, labels in loader:
            opt.step(situ.nn.cross_entropy(net(images), labels))
    first = iter(loader)
    next(first)
    next(iter(loader))
    raises(RuntimeError, lambda: next(first), "second Loader")
    score = float(situ.nn.accuracy(net(held_out.features), held_out.labels))
    assert score > 0.9, score
    trainer = situ.train.Trainer(max_epochs=2).fit(net, opt, train, held_out)
    assert trainer.accuracy > 0.9 and trainer.epochs == 2 and opt.steps > 180
    other = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(64), situ.nn.ReLU(), situ.nn.Linear(10))
    other(held_out.features)
    other.load_state(pickle.loads(pickle.dumps(net.state())))
    assert float(situ.nn.accuracy(other(held_out.features), held_out.labels)) == float(situ.nn.accuracy(net(held_out.features), held_out.labels))
    wrong = {name: np.zeros(np.asarray(value).shape, np.float32) for name, value in net.state().items()}
    wrong[list(wrong)[-1]] = np.zeros((1, 2, 3), np.float32)
    raises(ValueError, lambda: other.load_state(wrong), "has shape")
    assert float(situ.nn.accuracy(other(held_out.features), held_out.labels)) == float(situ.nn.accuracy(net(held_out.features), held_out.labels))


def test_layers_and_modules_of_one_s_own():
    nn = situ.nn

    class Residual(nn.Module):
        def __init__(self, width):
            super().__init__(nn.Linear(width), nn.ReLU(), nn.Linear(width))

        def forward(self, x):
            a, relu, b = self
            return x + b(relu(a(x)))

    x, labels = situ.random.normal(situ.random.key(0), (8, 1, 16, 16)), situ.arange(8)
    net = nn.Sequential(nn.Conv2d(6, 5, padding=2), nn.BatchNorm(), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 3), nn.AvgPool2d(2), nn.Flatten(),
                        nn.LayerNorm(), Residual(36), nn.Dropout(0.1), nn.Linear(8))
    opt = situ.optim.AdamW(net, lr=0.01)
    losses = []
    for _ in range(40):
        loss = nn.cross_entropy(net(x), labels)
        opt.step(loss)
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 4, losses[::13]
    assert net.parameters()["8.0.weight"].shape == (36, 36) and net.parameters()["1.mean"].shape == (6,) and "1.mean" not in net.trainable()
    assert nn.Embedding(5, 3)(situ.asarray([1, 2])).shape == (2, 3)
    raises(TypeError, lambda: situ.train.Trainer(max_epochs=1).fit(net, opt, situ.data.digits()), "forward()")
    raises(ValueError, lambda: nn.Sequential(net[0]), "once")
    q = situ.random.normal(situ.random.key(1), (2, 4, 8))
    weights = nn.softmax(situ.matmul(q, situ.matrix_transpose(q)) * 8**-0.5)
    np.testing.assert_allclose(np.asarray(nn.attention(q, q, q)), np.asarray(weights @ q), rtol=1e-5, atol=1e-6)
    assert nn.conv1d(situ.ones((1, 1, 5)), situ.ones((1, 1, 3)), padding=1).tolist() == [[[2, 3, 3, 3, 2]]]


def test_jupyter_reads_once():
    x = situ.ones((2, 2)) + 1
    with situ.ledger() as log:
        bundle = x._repr_mimebundle_()
    assert bundle["text/plain"] == repr(x) and "<pre>[[2., 2.]" in bundle["text/html"] and log.totals["local_count"] == 1


def test_eight_threads():
    wrong = []

    def work(k):
        try:
            for i in range(60):
                x = situ.asarray(np.full((32, 32), k, dtype=np.float32))
                y = x
                for _ in range(20):
                    y = y * 1.0 + 1.0
                z = y @ y * 0 + k
                v = situ.variable(x)
                for _ in range(3):
                    situ.assign(v, v + 1)
                if (float(y[0, 0]), float(z[1, 1]), float(v[2, 2])) != (k + 20, k, k + 3):
                    wrong.append((k, i))
        except Exception:
            wrong.append(traceback.format_exc())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong[0]
    made = []
    t = threading.Thread(target=lambda: made.append(situ.ones((3,)) + 1))  # pending when its thread ends
    t.start()
    t.join()
    assert (made[0] * 2).tolist() == [4, 4, 4]


def test_waits_let_other_threads_run():
    x = situ.random.normal(situ.random.key(0), (900, 900))
    y = x
    for _ in range(12):
        y = y @ x * 0.03
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            stop.wait(0.001)

    t = threading.Thread(target=tick)
    t.start()
    situ.wait(y)
    stop.set()
    t.join()
    assert ticks[0] > 5, ticks


def work_on(device, products):
    x = situ.random.normal(situ.random.key(0, device=device), (500, 500))
    for _ in range(products):
        x = x @ x * 0.03
    return x


def long_work(device):
    """What takes about 0.7 s there."""
    if device not in products_of:
        situ.wait(work_on(device, 4))
        start = time.perf_counter()
        situ.wait(work_on(device, 4))
        products_of[device] = 4 + int(4 * 0.7 / (time.perf_counter() - start))
    return work_on(device, products_of[device])


products_of = {}


def interrupted(work, after=0.1):
    """How long it took work to hear of a Ctrl-C that came then."""
    sent = [0.0]

    def send():
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        work()
        timer.cancel()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    return None


def test_a_wait_hears_of_ctrl_c():
    for device, count in (situ.cpu(), 5), (situ.gpu(0), 2):
        long_work(device)
        waits = (lambda: situ.wait(long_work(device)), lambda: float(situ.sum(long_work(device))), lambda: np.asarray(long_work(device).to_device(situ.cpu())),
                 lambda: long_work(device).tolist(), lambda: (situ.eval(long_work(device)), situ.wait()))
        for i, work in enumerate(waits[:count]):
            late = interrupted(work)
            assert late is not None and late < 0.5, (device, i, late)  # 0.05 where nobody else works
            assert float(situ.sum(situ.ones((3,), device=device))) == 3  # what comes later is right
    situ.wait()


def test_training_hears_of_ctrl_c():
    data = situ.data.Dataset(np.ones((20000, 64), np.float32), np.zeros(20000, np.int64))
    net = situ.nn.Sequential(situ.nn.Linear(256), situ.nn.ReLU(), situ.nn.Linear(10))
    opt = situ.optim.SGD(net, lr=0.01)
    late = interrupted(lambda: situ.train.Trainer(max_epochs=1000).fit(net, opt, data))
    assert late is not None and late < 0.5, late
    assert net(situ.ones((1, 64))).shape == (1, 10)
    situ.train.Trainer(max_epochs=1).fit(net, opt, data)


def child_value(queue):
    queue.put(float(situ.sum(situ.ones((4,)))))


def test_fork_says_so_and_spawn_works():
    float(situ.ones((1,)))
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            situ.ones((1,))
            text = b"no error"
        except situ.ForkError:
            situ.after_fork()
            text = str(float(situ.ones((1,)) + 1)).encode()
        except BaseException as e:
            text = repr(e).encode()
        os.write(write, text)
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    assert os.read(read, 1000) == b"2.0"
    os.close(read)
    for kind in ("spawn", "forkserver"):
        context = multiprocessing.get_context(kind)
        queue = context.Queue()
        p = context.Process(target=child_value, args=(queue,))
        p.start()
        assert queue.get(timeout=60) == 4
        p.join()


def test_the_namespace_is_the_standard_s():
    xp = situ.ones(1).__array_namespace__(api_version="2025.12")
    assert xp is situ and xp.__array_namespace_info__().capabilities()["max dimensions"] == 8
    raises(ValueError, lambda: situ.ones(1).__array_namespace__(api_version="1999.12"))
    assert {"linalg", "fft", "asarray", "searchsorted", "take_along_axis"} <= set(dir(situ))
    np.testing.assert_allclose(np.asarray(situ.linalg.inv(situ.asarray([[2.0, 1], [1, 3]]))), np.linalg.inv([[2, 1], [1, 3]]), rtol=1e-6)
    np.testing.assert_allclose(np.asarray(situ.fft.rfft(situ.arange(6, dtype=situ.float64))), np.fft.rfft(np.arange(6)), rtol=1e-12)


def test_a_gradient_is_by_the_argument_that_a_function_changes_in_place():
    x = situ.asarray([1.0, 2.0])

    def scaled(v):
        v *= 3
        return situ.sum(v * v)

    def first(v):
        v[0] = 5.0
        return situ.sum(v * v)

    def tree(d):
        d["a"] *= 2
        d["b"][0] -= 1
        return situ.sum(d["a"] * d["b"][0])

    assert situ.grad(scaled)(x).tolist() == [18, 36] and x.tolist() == [1, 2]
    assert situ.value_and_grad(scaled)(x)[1].tolist() == [18, 36]
    assert situ.grad(first)(x).tolist() == [0, 4]
    assert situ.vjp(scaled, x)[1](situ.asarray(1.0))[0].tolist() == [18, 36]
    g = situ.grad(tree)({"a": x, "b": [x]})
    assert g["a"].tolist() == [0, 2] and g["b"][0].tolist() == [2, 4] and x.tolist() == [1, 2]


class Attributes(situ.nn.Module):
    def __init__(self):
        self.fc, self.drop, self.scale = situ.nn.Linear(8), situ.nn.Dropout(0.5), situ.variable(situ.ones((8,)))
        self.layers, self.heads = [situ.nn.Linear(8) for _ in range(2)], {"a": situ.nn.Linear(3)}
        self.again, self.me = self.fc, self

    def forward(self, x, y=None, *, double=False):
        h = self.drop(situ.nn.relu(self.fc(x)) * self.scale)
        for layer in self.layers:
            h = situ.nn.relu(layer(h))
        h = h if y is None else h + y
        return self.heads["a"](h) * (2 if double else 1), h


def test_attributes_are_parts_and_parameters():
    net, x = Attributes(), situ.ones((4, 8))
    assert net(x, x, double=True)[0].shape == (4, 3)
    names = ["scale", "fc.weight", "fc.bias", "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias", "heads.a.weight", "heads.a.bias"]
    assert list(net.parameters()) == names, list(net.parameters())
    assert not net.eval().drop.training and net.train().drop.training
    opt = situ.optim.Adam(net, lr=0.05)
    losses = []
    for _ in range(40):
        loss = situ.mean(net(x)[0] ** 2)
        opt.step(loss)
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0] and net.scale.tolist() != [1] * 8
    net.eval()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other(x)[0].tolist() == net(x)[0].tolist() and not other.drop.training and other.again is other.fc
        situ.optim.SGD(other, lr=0.1).step(situ.mean(other(x)[0] ** 2))
        assert other(x)[0].tolist() != net(x)[0].tolist()
    net.layers.append(situ.nn.Linear(8))
    net(x)
    assert "layers.2.weight" in net.parameters()
    del net.layers[0], net.again
    net.fc = situ.nn.Linear(8)
    opt.step(situ.mean(net(x)[0] ** 2))
    assert len(net.parameters()) == 9


def test_parameters_whose_sizes_are_given_can_be_loaded_before_the_first_call():
    net = situ.nn.Sequential(situ.nn.Linear(3, inputs=5), situ.nn.LayerNorm(inputs=3))
    net.load_state({"0.weight": np.ones((3, 5), "f"), "0.bias": np.ones(3, "f"), "1.weight": np.ones(3, "f"), "1.bias": np.zeros(3, "f")})
    assert situ.all(net[0](situ.ones((1, 5))) == 6)
    assert situ.nn.Conv2d(2, 3, inputs=4).parameters()["weight"].shape == (2, 4, 3, 3)


def main(tests):
    failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or (len(sys.argv) > 1 and sys.argv[1] not in name):
            continue
        try:
            test()
            print(f"PASS python: {name[5:].replace('_', ' ')}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL python: {name[5:].replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(globals()))
