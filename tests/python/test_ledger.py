"""The ledger against the counters that the simulated devices keep by themselves (nothing of the ledger is in them), over
random programs with two simulated GPUs: copies and bytes in each direction must be equal, program by program."""
import ctypes
import sys

import numpy as np

from situ_ctypes import cases, run_tests, situ
from test_programs import Program, memory

FIELDS = ["upload_count", "upload_bytes", "download_count", "download_bytes", "peer_count", "peer_bytes"]


def gpus():
    if situ.num_gpus() < 2:
        situ.sim_gpus(2)
    return [situ.gpu(0), situ.gpu(1)]


def ledger():
    totals = situ.ledger_sum()
    return np.array([getattr(totals, f) for f in FIELDS])


def counters(devices):
    total = np.zeros(len(FIELDS), np.int64)
    for d in devices:
        c = situ.structs["situ_sim_counters"]()
        situ.sim_count(d, ctypes.addressof(c))
        total += [getattr(c, f) for f in FIELDS]
    return total


def check(what, wrote, counted):
    assert (wrote == counted).all(), f"{what}: " + ", ".join(
        f"{f} {int(w)} in the ledger, {int(c)} counted" for f, w, c in zip(FIELDS, wrote, counted) if w != c)


def test_ledger():
    devices, failures = gpus(), []
    all_before, copies = ledger(), 0
    count = cases(1000)
    for seed in range(200000, 200000 + count):
        memory([situ.cpu(), *devices])
        wrote, counted = ledger(), counters(devices)
        try:
            Program(seed, [situ.cpu(), *devices]).run()
        except AssertionError as error:  # what programs compute is tested by test_programs; here only copies count
            failures.append(f"program {seed}: {error}")
        memory([situ.cpu(), *devices])
        wrote, counted = ledger() - wrote, counters(devices) - counted
        copies += int(wrote[0::2].sum())
        try:
            check(f"program {seed}", wrote, counted)
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, f"{len(failures)} of {count}: " + " | ".join(failures[:5])
    total = ledger() - all_before
    return f"{count} programs, {copies} copies, {int(total[1::2].sum())} bytes"


def test_each_direction(devices=None):
    """One copy of each kind, by hand; on other devices than simulated ones only what the ledger says."""
    counted_too = devices is None
    devices = devices or gpus()
    with situ.scope():
        a = np.arange(6, dtype=np.float32)
        for call, want in [(lambda: situ.array(a, device=devices[0]), {"upload": 1}),
                           (lambda: situ.array(a).numpy(), {}),
                           (lambda: situ.evaluate(situ.to(situ.array(a, device=devices[0]), devices[1])), {"upload": 1, "peer": 1}),
                           (lambda: situ.evaluate(situ.copy_to(situ.array(a, device=devices[1]), devices[0])), {"upload": 1, "peer": 1}),
                           (lambda: situ.to(situ.array(a), devices[0]).numpy(), {"upload": 1, "download": 1}),
                           (lambda: situ.item(situ.sum(situ.ones((4,), device=devices[1]))), {"download": 1})]:
            wrote, counted = ledger(), counters(devices) if counted_too else None
            call()
            situ.wait(None)
            wrote = ledger() - wrote
            if counted_too:
                check(str(want), wrote, counters(devices) - counted)
            for i, field in enumerate(FIELDS[0::2]):
                assert wrote[2 * i] == want.get(field[:-6], 0), f"{field} {wrote[2 * i]}, not as in {want}"


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
