"""The trace as its readers see it: JSON in the Trace Event Format, with every copy that the ledger counts, every step in the
row of its device, no two bars of a row crossing, arrows from launches to work, and simulated time beside real time."""
import json
import os
import sys
import tempfile

import numpy as np

from situ_ctypes import SituError, run_tests, situ
from test_ledger import gpus, ledger


def save(path):
    situ.profile_save(path.encode())
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def bars(trace, process=1):
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == process]


def row_names(trace, process=1):
    return {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == process}


def work(devices):
    """Uploads, steps on two devices, a copy between them and downloads; how many copies of each kind the ledger saw."""
    before = ledger()
    with situ.scope():
        x = situ.array(np.arange(1000, dtype=np.float32), device=devices[0])
        y = situ.to(situ.exp(x), devices[1])
        assert np.isinf(situ.sum(y).numpy())
    return ledger() - before


def no_crossing(events):
    last = {}
    for e in sorted(events, key=lambda e: (e["tid"], e["ts"], -e["dur"])):
        end = e["ts"] + e["dur"]
        open_bars = last.setdefault(e["tid"], [])
        while open_bars and open_bars[-1] <= e["ts"] + 1e-3:
            open_bars.pop()
        assert not open_bars or end <= open_bars[-1] + 1e-2, f"{e} crosses a bar of its row"
        open_bars.append(end)


def test_trace():
    devices = gpus()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        situ.profile_start(0)
        counted = work(devices)
        trace = save(path)
        situ.profile_stop()
        assert os.listdir(folder) == ["run.json"]
    rows, found = row_names(trace), bars(trace)
    by_row = {}
    for e in found:
        by_row.setdefault(rows[e["tid"]], []).append(e)
    for what, index in (("upload", 0), ("download", 2)):
        copies = [e for name, events in by_row.items() for e in events if e["name"] == what]
        assert len(copies) == counted[index], f"{what}s: {len(copies)} in the trace, {counted[index]} in the ledger"
        assert sum(e["args"]["bytes"] for e in copies) == counted[index + 1]
    peer = [e for name, events in by_row.items() for e in events if e["name"] == "copy"]
    assert len(peer) == counted[4] == 1 and peer[0]["args"]["bytes"] == counted[5] == 4000
    assert any(e["name"] == "exp" for e in by_row["gpu(0)"]) and any("sum" in e["name"] for e in by_row["gpu(1)"])
    simulated = bars(trace, 2)
    assert {row_names(trace, 2)[e["tid"]] for e in simulated} >= {"gpu(0)", "gpu(1)"}
    no_crossing(found)
    no_crossing(simulated)
    starts = {e["id"] for e in trace["traceEvents"] if e["ph"] == "s"}
    ends = {e["id"] for e in trace["traceEvents"] if e["ph"] == "f"}
    assert ends and ends <= starts
    memory = [e for e in trace["traceEvents"] if e["ph"] == "C"]
    assert memory and all(e["args"]["bytes"] >= 0 for e in memory)


def test_an_update_is_one_step_behind_its_gradient():
    """What needs nothing but variables is computed with the gradient, not before it: it would lie in memory meanwhile."""
    start = np.random.default_rng(1).normal(size=(40, 40)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder, situ.scope():
        p, m = situ.variable(situ.array(start)), situ.variable(situ.array(np.zeros_like(start)))
        situ.evaluate(p, m)
        situ.profile_start(0)
        momentum = situ.add(situ.mul(m, 0.9), situ.mul(situ.matmul(p, p), 0.1))
        situ.assign(m, momentum)
        situ.assign(p, situ.sub(situ.mul(p, 0.99), situ.mul(momentum, 0.5)))
        situ.evaluate(p, m)
        trace = save(os.path.join(folder, "run.json"))
        situ.profile_stop()
        expected = start @ start * np.float32(0.1)
        np.testing.assert_allclose(m.numpy(), expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(p.numpy(), start * np.float32(0.99) - expected * np.float32(0.5), rtol=1e-4, atol=1e-5)
    steps = [e["name"] for e in bars(trace) if "mul" in e["name"]]
    assert len(steps) == 2 and steps[0] == "matmul" and sorted(steps[1].split("+")) == ["add", "mul", "mul", "mul", "mul", "sub"], steps


def test_newest_events_stay():
    devices = gpus()
    with tempfile.TemporaryDirectory() as folder:
        situ.profile_start(5)
        for _ in range(20):
            work(devices)
        trace = save(os.path.join(folder, "run.json"))
        situ.profile_stop()
    assert len(bars(trace)) + len([e for e in trace["traceEvents"] if e["ph"] == "C"]) == 5
    assert int(trace["otherData"]["lost events"]) > 50


def refused(words, call, *arguments):
    try:
        call(*arguments)
    except SituError as error:
        assert words in error.message, error.message
        return
    raise AssertionError(f"no error with {words}")


def test_errors():
    refused("no trace is being taken", situ.profile_save, b"none.json")
    refused("events", situ.profile_start, -1)
    situ.profile_start(0)
    refused("No such file", situ.profile_save, b"/no/such/folder/run.json")
    situ.profile_stop()


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
