"""Memory that flows between situ and NumPy, PyTorch and JAX: pointers, lifetimes, leaks. Prints PASS, FAIL or SKIP.

usage: memory.py [CONVERSIONS], 10^6 by default. Run it also with PYTHONMALLOC=debug MALLOC_PERTURB_=165: freed memory is
then overwritten, so that a value that is read too late is wrong."""
import gc
import os
import sys
import threading
import traceback
import weakref

import numpy as np

import situ

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
failed = 0


def report(name, work):
    global failed
    try:
        print(f"PASS memory: {name}{work() or ''}", flush=True)
    except Exception:
        failed += 1
        print(f"FAIL memory: {name}\n{traceback.format_exc()}", flush=True)


def resident():
    if "ASAN_OPTIONS" in os.environ:  # freed memory is kept for a while
        return 0
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def where(x):
    """The address of a tensor's first element."""
    return np.asarray(x).ctypes.data


class Peer:
    """Another library: make(numpy array) an array of its own memory, share(tensor), address, values."""

    def __init__(self, name, make, share, address):
        self.name, self.make, self.share, self.address = name, make, share, address


def peers():
    yield Peer("NumPy", np.array, np.from_dlpack, lambda a: a.ctypes.data)
    try:
        import torch
        yield Peer("PyTorch", lambda a: torch.from_numpy(a.copy()), torch.from_dlpack, lambda a: a.data_ptr())
    except ImportError:
        print("SKIP memory: PyTorch is not installed")
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
        yield Peer("JAX", lambda a: jax.numpy.asarray(a).block_until_ready(), jax.numpy.from_dlpack, lambda a: a.unsafe_buffer_pointer())
    except ImportError:
        print("SKIP memory: JAX is not installed")


DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128")


def pointers(p):
    for dtype in DTYPES:
        theirs = p.make(np.ones((3, 64), dtype))
        ours = situ.from_dlpack(theirs)
        assert ours.dtype.name == dtype and where(ours) == p.address(theirs), dtype
        back = p.share(ours)
        assert p.address(back) == p.address(theirs), dtype
        own = situ.ones((5, 64), dtype=dtype)
        assert p.address(p.share(own)) == where(own), dtype
        again = situ.from_dlpack(p.share(own))
        assert where(again) == where(own) and again.tolist() == own.tolist(), dtype
    return f", {len(DTYPES)} dtypes"


def strides(p):
    if p.name == "JAX":
        return ": JAX has row-major arrays only"
    whole = p.make(np.arange(60.0).reshape(6, 10))
    part = whole[1::2, 2:9:3]
    ours = situ.from_dlpack(part)
    assert where(ours) == p.address(part) and ours.tolist() == part.tolist()
    assert p.address(p.share(ours)) == p.address(part)


def lifetimes(p):
    """Each side reads after the other's name is gone, and memory is given back when nobody looks."""
    theirs = p.make(np.arange(4096.0))
    gone = []
    base = theirs if p.name == "NumPy" else None
    if base is None:
        weakref.finalize(theirs, gone.append, 1)
    refs = sys.getrefcount(theirs)
    ours = situ.from_dlpack(theirs)
    later = ours + 1
    part = ours[10:20]
    del theirs
    gc.collect()
    assert float(later[4095]) == 4096 and part.tolist() == list(range(10, 20))
    if base is not None:
        assert sys.getrefcount(base) > refs - 1
    del ours, later, part
    gc.collect()
    situ.ones((1,))  # gives back what was lent
    if base is not None:
        assert sys.getrefcount(base) == refs - 1, (sys.getrefcount(base), refs)  # the name `theirs` is gone
    live = situ._situ.live()
    lent = p.share(situ.arange(4096, dtype=situ.float64) * 2)
    gc.collect()
    noise = [situ.full((4096,), float(i), dtype=situ.float64) + 1 for i in range(40)]
    situ.eval(*noise)
    situ.wait()
    assert float(lent[4095]) == 8190
    view = lent[5:7]
    del lent
    gc.collect()
    noise = [situ.full((4096,), float(i), dtype=situ.float64) + 2 for i in range(40)]
    situ.eval(*noise)
    situ.wait()
    assert [float(v) for v in view] == [10, 12]
    del view, noise
    gc.collect()
    assert situ._situ.live() <= live, (situ._situ.live(), live)


def lent_memory_is_read_only_and_never_reused(p):
    theirs = p.make(np.zeros(4096))
    ours = situ.from_dlpack(theirs)
    v = situ.variable(ours)
    for _ in range(3):
        situ.assign(v, v + 1)
    assert float(v[7]) == 3 and float(theirs[7]) == 0
    ours[7] = 5.0
    assert float(ours[7]) == 5 and float(theirs[7]) == 0


def leaks(p, there):
    """CONVERSIONS there and back; the resident size must not grow with their number."""
    theirs = p.make(np.arange(64.0))
    ours = situ.arange(64, dtype=situ.float64)
    situ.wait(ours)

    def convert(n):
        for _ in range(n):
            if there:
                situ.from_dlpack(theirs)
            else:
                p.share(ours)

    convert(max(COUNT // 10, 50_000))  # the others' caches are warm
    gc.collect()
    situ.ones((1,))  # gives the last one back
    refs, live, before = sys.getrefcount(theirs), situ._situ.live(), resident()
    convert(COUNT)
    gc.collect()
    situ.ones((1,))
    grown = resident() - before
    assert grown < 1024, f"{grown} kB more after {COUNT} conversions"
    assert situ._situ.live() == live and sys.getrefcount(theirs) == refs
    return f": {COUNT} conversions, {grown} kB more"


def threads_convert():
    """Eight threads lend, read and drop at once."""
    wrong = []

    def work(k):
        for i in range(COUNT // 500):
            a = np.full(100, float(k))
            x = situ.from_dlpack(a)
            y = np.asarray(x * 2)
            if y[99] != 2 * k or np.from_dlpack(x).ctypes.data != a.ctypes.data:
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong[:3]


for p in peers():
    for test in (pointers, strides, lifetimes, lent_memory_is_read_only_and_never_reused):
        report(f"{p.name} {test.__name__.replace('_', ' ')}", lambda: test(p))
    report(f"{p.name} to situ leaks nothing", lambda: leaks(p, True))
    report(f"situ to {p.name} leaks nothing", lambda: leaks(p, False))
report("eight threads convert", threads_convert)
sys.exit(failed != 0)
