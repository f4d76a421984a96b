"""Files of more than 4 GiB: what the packages safetensors and numpy write, situ reads by mapping, and the other way; the bytes are
compared by their sum (BLAKE2b). A tensor lies behind 4 GiB, and one reaches over that. Prints PASS or FAIL for each, and figures.

    PYTHONPATH=python python3 tests/release/large_files.py [FOLDER]      # 11 GB of disk, 18 GB of memory"""
import hashlib
import os
import resource
import shutil
import sys
import tempfile
import time

import numpy as np

import situ

GIB = 1 << 30
ROOM = 11 * GIB
failures = 0


def arrays():
    """4.3 GiB: bytes up to just below 4 GiB, numbers over it, and small ones behind."""
    draw = np.random.default_rng(0)
    block = draw.integers(0, 256, 1 << 24, dtype=np.uint8)
    first = np.tile(block, 255)  # 3.98 GiB
    first[:: 1 << 20] += np.arange(len(first) >> 20, dtype=np.uint8)  # no two blocks alike
    return {"a": np.arange(80_000_000, dtype=np.float32).reshape(8, -1), "b": first, "c": draw.random((3, 5), np.float32),
            "d": np.arange(7, dtype=np.uint8)}


def digest(array):
    h = hashlib.blake2b(digest_size=16)
    flat = np.asarray(array).reshape(-1).view(np.uint8)
    for i in range(0, len(flat), 1 << 28):
        h.update(flat[i:i + (1 << 28)].data)
    return f"{array.dtype} {tuple(array.shape)} {h.hexdigest()}".replace("situ.", "")


def sums(tensors):
    return {name: digest(np.asarray(t)) for name, t in tensors.items()}


def check(what, good, more=""):
    global failures
    failures += not good
    print(f"{'PASS' if good else 'FAIL'} {what}{': ' if more else ''}{more}", flush=True)


def timed(work):
    at = time.perf_counter()
    result = work()
    return result, time.perf_counter() - at


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1048576


def both_ways(kind, path, write, read, given, want):
    _, seconds = timed(lambda: write(path))
    size = os.path.getsize(path)
    check(f"a file of {kind}'s has more than 4 GiB", size > 4 * GIB, f"{size / GIB:.2f} GiB, written in {seconds:.1f} s")
    there, seconds = timed(lambda: situ.load(path))
    check(f"situ reads {kind}'s file", sums(there) == want, f"opened in {1000 * seconds:.1f} ms")
    del there
    os.remove(path)
    _, seconds = timed(lambda: situ.save(path, given))
    check("situ writes the file", os.path.getsize(path) > 4 * GIB, f"{os.path.getsize(path) / seconds / 1e9:.2f} GB/s")
    check(f"{kind} reads situ's file", read(path) == want)
    os.remove(path)


def safetensors_sums(path):
    from safetensors import safe_open
    with safe_open(path, "numpy") as file:
        return {name: digest(file.get_tensor(name)) for name in file.keys()}


def shards(folder, given, want):
    path = os.path.join(folder, "big.safetensors")
    situ.save(path, given, shard_bytes=2 * GIB)
    names = sorted(os.listdir(folder))
    check("situ writes shards", len(names) == 4, " ".join(names))
    check("situ reads its shards", sums(situ.load(path)) == want)
    from_shards = {}
    for name in names:
        if not name.endswith(".json"):
            from_shards |= safetensors_sums(os.path.join(folder, name))
    check("safetensors reads them", from_shards == want)


def main():
    folder = tempfile.mkdtemp(dir=sys.argv[1] if len(sys.argv) > 1 else None)
    try:
        free = shutil.disk_usage(folder).free
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if free < ROOM or memory < 18 * GIB:
            print(f"SKIP {ROOM / GIB:.0f} GiB of disk and 18 GiB of memory are needed; there are {free / GIB:.0f} and {memory / GIB:.0f}")
            return 0
        try:
            from safetensors.numpy import save_file
        except ImportError:
            print("SKIP the package safetensors is not there")
            return 0
        given = arrays()
        want = sums(given)
        path = os.path.join(folder, "big.safetensors")
        both_ways("safetensors", path, lambda p: save_file(given, p), safetensors_sums, given, want)
        both_ways("numpy", os.path.join(folder, "big.npz"), lambda p: np.savez(p, **given), lambda p: sums(np.load(p)), given, want)
        shards(folder, given, want)
        print(f"peak of memory {peak():.1f} GiB")
    finally:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
