"""The ledger against the counters that the simulated devices keep by themselves (nothing of the ledger is in them), over
random programs with two simulated GPUs: copies and bytes in each direction must be equal, program by program."""
import numpy as np

import situ
from situ import _situ as ops
from support import Failures, array, cases, numpy, run
from test_programs import Program, memory

FIELDS = ["upload_count", "upload_bytes", "download_count", "download_bytes", "peer_count", "peer_bytes"]


def gpus():
    if situ.num_gpus() < 2:
        situ.sim_gpus(2)
    return [situ.gpu(0), situ.gpu(1)]


def ledger():
    return np.array([situ.ledger.sum()[f] for f in FIELDS])


def counters(devices):
    return np.sum([[d.sim_counters()[f.replace("_count", "s")] for f in FIELDS] for d in devices], 0)


def check(wrote, counted):
    assert (wrote == counted).all(), ", ".join(
        f"{f} {int(w)} in the ledger, {int(c)} counted" for f, w, c in zip(FIELDS, wrote, counted) if w != c)


def test_ledger():
    devices, failures, total = gpus(), Failures(), np.zeros(len(FIELDS), int)
    for seed in range(200000, 200000 + cases(1000)):
        memory([situ.cpu(), *devices])
        wrote, counted = ledger(), counters(devices)
        with failures.of(f"program {seed}"):
            Program(seed, [situ.cpu(), *devices]).run()
            memory([situ.cpu(), *devices])
            wrote, counted = ledger() - wrote, counters(devices) - counted
            total += wrote
            check(wrote, counted)
    return f"{failures.check()}, {total[0::2].sum()} copies, {total[1::2].sum()} bytes"


def each_direction(devices, counted_too=False):
    """One copy of each kind, by hand; on other devices than simulated ones only what the ledger says."""
    a = np.arange(6, dtype=np.float32)
    for call, want in [(lambda: situ.eval(array(a, device=devices[0])), {"upload": 1}), (lambda: numpy(array(a)), {}),
                       (lambda: situ.eval(ops.to(array(a, device=devices[0]), devices[1])), {"upload": 1, "peer": 1}),
                       (lambda: situ.eval(ops.copy_to(array(a, device=devices[1]), devices[0])), {"upload": 1, "peer": 1}),
                       (lambda: numpy(ops.to(array(a), devices[0])), {"upload": 1, "download": 1}),
                       (lambda: ops.sum(ops.ones((4,), device=devices[1])).item(), {"download": 1})]:
        wrote, counted = ledger(), counters(devices) if counted_too else None
        call()
        situ.wait()
        wrote = ledger() - wrote
        if counted_too:
            check(wrote, counters(devices) - counted)
        for field, count in zip(FIELDS[0::2], wrote[0::2]):
            assert count == want.get(field[:-6], 0), f"{field} {count}, not as in {want}"


def test_each_direction():
    each_direction(gpus(), True)


if __name__ == "__main__":
    run(globals())
