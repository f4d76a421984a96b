"""The trace as its readers see it: JSON in the Trace Event Format, with every copy that the ledger counts, every step in the
row of its device, no two bars of a row crossing, arrows from launches to work, and simulated time beside real time."""
import json
import os
import tempfile

import numpy as np

import situ
from situ import _situ as ops
from support import numpy, raises, run
from test_ledger import gpus, ledger


def save(path):
    ops.profile_save(path)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def bars(trace, process=1):
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == process]


def row_names(trace, process=1):
    return {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == process}


def work(devices):
    """Uploads, steps on two devices, a copy between them and downloads; how many copies of each kind the ledger saw."""
    before = ledger()
    x = ops.from_bytes(np.arange(1000, dtype=np.float32).tobytes(), situ.float32, (1000,), devices[0])  # from the host, not from the CPU
    y = ops.to(ops.exp(x), devices[1])
    assert np.isinf(numpy(ops.sum(y)))
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
        ops.profile_start(0)
        counted = work(devices)
        trace = save(path)
        ops.profile_stop()
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


def test_waits():
    """A wait has its line and its length on both clocks, and a trace waits for nothing: clock and ledger are those without one."""
    devices, took = gpus(), []
    x = situ.ones((256, 256), device=devices[0])
    with tempfile.TemporaryDirectory() as folder:
        for path in (None, None, os.path.join(folder, "run.json")):
            if path:
                ops.profile_start(0)
            clock, before = situ.sim_clock(), situ.ledger.sum()
            value = float(situ.sum((x @ x) @ x))
            after = situ.ledger.sum()
            took.append((round(situ.sim_clock() - clock, 12), {k: after[k] - before[k] for k in after if k != "wait_seconds"}, value))
        trace = save(path)
        ops.profile_stop()
    assert took[1] == took[2], took[1:]
    simulated = [e for e in bars(trace, 2) if e["name"] == "wait for gpu(0)"]
    assert len(simulated) == 1 and "test_trace.py" in simulated[0]["args"]["line"], simulated
    steps = [e for e in bars(trace, 2) if e["name"] != "wait for gpu(0)" and row_names(trace, 2)[e["tid"]] == "gpu(0)"]
    assert abs(simulated[0]["ts"] + simulated[0]["dur"] - max(e["ts"] + e["dur"] for e in steps)) < 1e-2, "it ends when the last step does"
    real = [e for e in bars(trace) if e["name"] == "wait for gpu(0)"]
    assert all("test_trace.py" in e["args"]["line"] for e in real)


def test_newest_events_stay():
    devices = gpus()
    with tempfile.TemporaryDirectory() as folder:
        ops.profile_start(5)
        for _ in range(20):
            work(devices)
        trace = save(os.path.join(folder, "run.json"))
        ops.profile_stop()
    assert len(bars(trace)) + len([e for e in trace["traceEvents"] if e["ph"] == "C"]) == 5
    assert int(trace["otherData"]["lost events"]) > 50


def test_errors():
    raises(situ.Error, lambda: ops.profile_save("none.json"), "no trace is being taken")
    raises(situ.Error, lambda: ops.profile_start(-1), "events")
    ops.profile_start(0)
    raises(OSError, lambda: ops.profile_save("/no/such/folder/run.json"), "No such file")
    ops.profile_stop()


if __name__ == "__main__":
    run(globals())
