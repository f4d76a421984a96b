"""The Python package as it is installed: operators, indexing, memory, errors, devices, threads, processes, the namespace."""
import ast
import copy
import gc
import importlib
import inspect
import multiprocessing
import os
import pathlib
import pickle
import re
import sys
import threading
import time
import traceback
import weakref

import numpy as np

import situ
from support import grown, interrupted, raises, run



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


def _second_row_doubled(t):
    y = t * 1
    row = y[1]
    row *= 2
    return y


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


def test_errors_carry_message_and_line():
    x = situ.ones((2, 3))
    e = raises(ValueError, lambda: x + situ.ones((7,)), "[2,3]", line())
    assert isinstance(e, situ.Error) and e.code == 202
    y = situ.take(situ.ones((3,)), situ.asarray([7])); made = line()
    raises(IndexError, lambda: repr(y), "index 7", made)
    raises(ValueError, lambda: situ.matmul(x, 2), "at least 1 dimension")
    raises(OverflowError, lambda: situ.asarray([1]) + 2**70)
    assert float(situ.sum(x)) == 6  # nothing sticks


def test_a_guard_names_what_makes_the_first_nan():
    for d in [situ.cpu(), *situ.all_gpus()[:1]]:
        x = situ.asarray([1.0, 0.0, 2.0], device=d)
        with situ.guard(nan=True):
            raises(situ.NaNError, lambda: (x * 2 / x + 1).tolist(), "divide: made the first NaN, element 1")
            raises(situ.NaNError, lambda: situ.asarray([1.0, float("nan")], device=d), "asarray: element 1")
            assert (x + 1).tolist() == [2, 1, 3]
        assert str((x * 2 / x).tolist()) == "[2.0, nan, 2.0]"


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
    assert log.totals["peer_count"] == 1 and log.entries[0]["site"].startswith("test_package.py:")
    with situ.guard(to_host=0) as g:
        raises(situ.BudgetError, lambda: float(x[0, 0]))
    with situ.guard(to_host=0, log=True) as g:
        float(x[0, 0])
    assert g.over == 1 and np.asarray(x).sum() == 8


def test_pickles_and_copies():
    for x in (situ.asarray([[1, 2], [3, 4]], dtype=situ.int16), situ.asarray(2.5 + 1j), situ.zeros((0, 3), dtype=situ.bfloat16),
              situ.asarray([[1j, 2], [3, 4 + 5j]]), situ.ones((1,) * 8, dtype="complex128")):
        for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
            assert y.dtype is x.dtype and y.shape == x.shape and y.tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(situ.float32)) is situ.float32 and pickle.loads(pickle.dumps(situ.gpu(1))) == situ.gpu(1)


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


def ticks_during(work):
    """How often another thread runs while this one works."""
    ticks, stop, begun = [0], threading.Event(), threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            begun.set()
            stop.wait(0.001)

    t = threading.Thread(target=tick)
    t.start()
    begun.wait()
    before = ticks[0]
    work()
    counted = ticks[0] - before
    stop.set()
    t.join()
    return counted


def test_waits_let_other_threads_run():
    if not situ.num_gpus():
        situ.sim_gpus(1)
    reads = {"wait": situ.wait, "tolist": lambda y: y.tolist(), "numpy": np.asarray, "float": lambda y: float(y[0, 0]), "print": str, "bytes": bytes}
    for device in (situ.cpu(), situ.gpu(0)):
        for name, read in reads.items():
            x = y = situ.random.normal(situ.random.key(0, device=device), (900, 900))
            situ.wait(x)
            for _ in range(12):
                y = y @ x * 0.03
            ticks = ticks_during(lambda: read(y))
            assert ticks > 5, (device, name, ticks)


def test_a_long_list_lets_other_threads_run():
    for shape in ((3_000_000,), (1_500_000, 2), (3, 1_000_000), (30, 100_000)):
        x = situ.ones(shape)
        situ.wait(x)
        made = []
        ticks = ticks_during(lambda: made.append(x.tolist()))
        assert ticks > 2, (shape, ticks)
        assert np.array_equal(np.asarray(made[0]), np.ones(shape))


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


def child_value(queue):
    queue.put(float(situ.sum(situ.ones((4,)))))


def test_what_a_forked_child_frees_leaves_no_error():
    x, net = situ.ones((3,)) + 1, situ.nn.Sequential(situ.nn.Linear(3, inputs=2))
    opt, data = situ.optim.SGD(net, lr=0.1), situ.data.digits()
    loader, metric, pending = situ.data.Loader(data), situ.metrics.Accuracy(), situ.exp(x)
    situ.wait(x)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            del x, pending, opt, loader, metric, net, data
            gc.collect()
            situ.after_fork()
            code = 0 if (situ.ones((2,)) + 1).tolist() == [2, 2] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


class Ring:
    """Holds itself: only the collector ends it."""

    def __init__(self, *held):
        self.held, self.ring = held, self


def in_child(work):
    """What work returns in a forked child, or what it raises there."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            text = repr(work())
        except BaseException:  # noqa: BLE001 the parent shows it
            text = traceback.format_exc()
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, text
    return text


def test_what_the_collector_frees_in_a_forked_child_leaves_no_error():
    """Each object by itself, so that one hides no other; the first call after after_fork() is right."""
    net, data = situ.nn.Sequential(situ.nn.Linear(3, inputs=2)), situ.data.digits()
    x = situ.ones((3,)) + 1
    situ.wait(x)
    makers = {"stored": lambda: situ.ones((3,)), "pending": lambda: situ.exp(x), "view": lambda: x[1:], "variable": lambda: situ.variable(x), "buffer": lambda: memoryview(situ.ones(3)),
              "array": lambda: np.asarray(situ.ones(3)), "dlpack": lambda: situ.ones(3).__dlpack__(), "from NumPy": lambda: situ.from_dlpack(np.ones(3, "float32")), "network": lambda: situ.nn.LSTM(3),
              "parameters": lambda: situ.nn.Linear(3, inputs=2).parameters(), "optimizer": lambda: situ.optim.Adam(situ.nn.Linear(2, inputs=2)), "loader": lambda: situ.data.Loader(data),
              "batch": lambda: next(iter(situ.data.Loader(data))), "data": lambda: situ.data.window_dataset(situ.arange(9), 3), "trainer": lambda: situ.train.Trainer(), "metric": lambda: situ.metrics.Accuracy(),
              "gradient": lambda: situ.gradients(situ.sum(net(situ.ones((1, 2)))), net.parameters()), "gpu": lambda: situ.ones((3,), device=situ.try_gpu())}
    gc.collect()
    gc.disable()
    try:
        for name, make in makers.items():
            held = [Ring(make())]

            def child():
                end, unraised = weakref.ref(held[0]), []
                sys.unraisablehook = unraised.append
                held.clear()
                assert end() is not None, "the collector has nothing to do"
                gc.collect()
                assert end() is None and not unraised, unraised
                situ.after_fork()
                return (situ.ones((2,)) + 1).tolist()

            assert in_child(child) == "[2.0, 2.0]", (name, in_child(child))
    finally:
        gc.enable()
    assert (x + 1).tolist() == [3, 3, 3]
    return f"{len(makers)} kinds"


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


SIGNATURES = """asarray(obj, /, *, dtype=None, device=None, copy=None) from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None) full_like(x, /, fill_value, *, dtype=None, device=None)
arange(start, /, stop=None, step=1, *, dtype=None, device=None) linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing='xy') concat(arrays, /, *, axis=0) expand_dims(x, /, axis=0) moveaxis(x, source, destination, /)
repeat(x, repeats, /, *, axis=None) reshape(x, /, shape, *, copy=None) roll(x, /, shift, *, axis=None) tile(x, repetitions, /) unstack(x, /, *, axis=0)
take(x, indices, /, *, axis=None) take_along_axis(x, indices, /, *, axis=-1) searchsorted(x1, x2, /, *, side='left', sorter=None)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False) cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
sort(x, /, *, axis=-1, descending=False, stable=True) argsort(x, /, *, axis=-1, descending=False, stable=True)
unique_values(x, /) unique_counts(x, /) unique_inverse(x, /) unique_all(x, /) nonzero(x, /) clip(x, /, min=None, max=None)
tensordot(x1, x2, /, *, axes=2) vecdot(x1, x2, /, *, axis=-1) broadcast_to(x, /, shape) can_cast(from_, to, /) isdtype(dtype, kind)"""


def test_signatures_are_those_of_the_standard():
    """Of functions whose Python is written by hand; tests/checks/generated.sh compares the others with the headers."""
    for name, wanted in re.findall(r"(\w+)(\([^)]*\))", SIGNATURES):
        assert str(inspect.signature(getattr(situ, name))) == wanted, (name, inspect.signature(getattr(situ, name)), wanted)


def test_svd_gives_full_matrices_unless_told():
    u, s, vh = situ.linalg.svd(situ.ones((2, 3)))
    assert (u.shape, s.shape, vh.shape) == ((2, 2), (2,), (3, 3))
    assert situ.linalg.svd(situ.ones((2, 3)), full_matrices=False).Vh.shape == (2, 3)


def test_a_namespace_has_nothing_but_its_own():
    spaces = [situ.linalg, situ.fft, situ.random, situ.nn, situ.optim, situ.data, situ.train, situ.metrics]
    both = {"Module", "matmul", "matrix_transpose", "outer", "tensordot", "vecdot", "relu", "sigmoid", "softplus"}  # the standard, and PyTorch, have these twice; one class
    # two things: the function and its module; a choice and the condition of a matrix; of an array and of a key, as JAX has it
    other = {"fft", "cond", "split"}
    for space in spaces:
        for name in dir(space):
            value = getattr(space, name)
            if name.startswith("_") or name in both | other:
                continue
            assert not hasattr(situ, name) and not any(hasattr(s, name) for s in spaces if s is not space), (space.__name__, name)
            assert callable(value) and value.__module__.startswith("situ") and value.__doc__, (space.__name__, name)
    for name in dir(situ):
        value = getattr(situ, name)
        if not name.startswith("_") and callable(value):
            assert getattr(value, "__module__", "situ").startswith("situ") and value.__doc__, name


def test_stubs_are_python_and_have_what_there_is():
    folder = pathlib.Path(situ.__file__).parent
    stubs = {path: ast.parse(path.read_text()) for path in folder.rglob("*.pyi")}
    assert {"_situ.pyi", "_elementwise.pyi", "signatures.pyi", "__init__.pyi", "nn.pyi", "_functions.pyi"} <= {path.name for path in stubs}
    for path, tree in stubs.items():
        name = "situ._situ" if path.stem == "signatures" else "situ" if path.stem == "__init__" else f"situ.{path.stem}"
        module = importlib.import_module(name)
        for f in tree.body:
            if isinstance(f, ast.FunctionDef) and f.name != "__getattr__":
                assert callable(getattr(module, f.name, None) or getattr(situ._situ, f.name, None) or getattr(situ, f.name, None)), (path, f.name)
            if isinstance(f, ast.ClassDef) and hasattr(module, f.name):
                for method in f.body:
                    assert not isinstance(method, ast.FunctionDef) or hasattr(getattr(module, f.name), method.name), (path, f.name, method.name)


def test_type_checkers_see_every_export():
    """What the package has is in its stubs, under names that a package with py.typed gives away."""
    folder = pathlib.Path(situ.__file__).parent
    star = lambda module: importlib.import_module("situ" + module).__all__ if module.startswith("._made") and hasattr(importlib.import_module("situ" + module), "__all__") else None
    for space in (situ, situ.nn, situ.optim, situ.linalg, situ.fft, situ.random, situ.data, situ.train, situ.metrics, situ.models, situ.onnx):
        path = folder / ("__init__.pyi" if space is situ else space.__name__.partition(".")[2] + ".pyi")
        given = set()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom) and node.level and node.names[0].name == "*":
                given |= set(star("." + node.module) or [n for n in dir(importlib.import_module("situ." + node.module)) if not n.startswith("_")])
            elif isinstance(node, ast.ImportFrom) and node.level:
                given |= {a.asname for a in node.names if a.asname == a.name}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                given.add(node.name)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                given |= {t.id for t in getattr(node, "targets", [getattr(node, "target", None)]) if t is not None}
        missing = [name for name in dir(space) if not name.startswith("_") and name not in given]
        assert not missing, (space.__name__, missing)


if __name__ == "__main__":
    run(globals())
