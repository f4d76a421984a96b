#!/usr/bin/env python3
"""The same program in C and in Python, on a simulated GPU: both ledgers have the same entries, each wait lasts as long as the program's own
clock says (to 5 %), and both traces show each wait with its line."""
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("SITU_BUILD_DIR", "build")).resolve()
SIZE, AHEAD = 768, 10
IN_C = r"""
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    situ_tensor *x = situ_keep(situ_uniform(situ_key(0, .device = situ_gpu(0)), SHAPE(SIZE, SIZE)));
    situ_wait(x);
    situ_wait(situ_matmul(situ_matmul(x, x), x)); /* makes the plan */
    situ_ledger_record(256);
    double read = 0, waited = 0, item = 0, ahead = 0, last = 0, start;
    float *all = malloc(4 * SIZE * SIZE);
    for (int i = 0; i < 4; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *y = situ_matmul(situ_matmul(x, x), x), *z = situ_sum(situ_matmul(situ_matmul(x, x), x));
        situ_eval(TENSORS(y));
        start = now(), situ_wait(y), waited += now() - start;
        situ_eval(TENSORS(z));
        start = now(), situ_item(z), item += now() - start;
        y = situ_matmul(situ_matmul(x, x), x);
        situ_eval(TENSORS(y));
        start = now(), situ_read(y, all, 4 * SIZE * SIZE), read += now() - start;
        situ_scope_close(scope);
    }
    start = now();
    for (int i = 0; i < AHEAD; i++) {
        situ_scope *scope = situ_scope_open();
        situ_eval(TENSORS(situ_matmul(situ_matmul(x, x), x)));
        situ_scope_close(scope);
    }
    ahead = now() - start;
    start = now(), situ_wait(NULL), last = now() - start;
    situ_ledger_entry e[256];
    int n = situ_ledger_list(e, 256);
    printf("{\"clock\": {\"wait\": %.6f, \"item\": %.6f, \"read\": %.6f, \"ahead\": %.6f}, \"entries\": [", waited + last, item, read, ahead);
    for (int i = 0; i < n; i++)
        printf("%s[\"%s\", \"%s\", %.6f, \"%s\"]", i ? ", " : "", situ_transfer_name(e[i].transfer), situ_reason_name(e[i].reason), e[i].seconds, e[i].site ? e[i].site : "");
    puts("]}");
    return situ_failed();
}
"""
IN_PYTHON = r"""
import json
import time

import situ

x = situ.random.uniform(situ.random.key(0, device=situ.gpu(0)), (SIZE, SIZE))
situ.wait(x)
situ.wait((x @ x) @ x)  # makes the plan
clock = dict.fromkeys(["wait", "item", "read", "ahead"], 0.0)


def timed(what, call):
    start = time.perf_counter()
    call()
    clock[what] += time.perf_counter() - start


with situ.ledger(256) as ledger:
    for _ in range(4):
        y, z = (x @ x) @ x, situ.sum((x @ x) @ x)
        situ.eval(y)
        timed("wait", lambda: situ.wait(y))
        situ.eval(z)
        timed("item", lambda: float(z))
        y = (x @ x) @ x
        situ.eval(y)
        timed("read", lambda: bytes(y))

    def run_ahead():
        for _ in range(AHEAD):
            situ.eval((x @ x) @ x)
    timed("ahead", run_ahead)
    timed("wait", lambda: situ.wait())
print(json.dumps({"clock": clock, "entries": [[e["transfer"], e["reason"], e["seconds"], e["site"] or ""] for e in ledger.entries]}))
"""


def run(command, folder, name):
    env = {**os.environ, "SITU_SIM_GPUS": "1", "SITU_GPUS": "sim", "SITU_TRACE": str(folder / f"{name}.json"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, timeout=300)
    if done.returncode:
        raise SystemExit(f"FAIL waits: {name}: {done.stderr.strip()[-400:]}")
    bars = [e for e in json.loads((folder / f"{name}.json").read_text())["traceEvents"] if e["ph"] == "X" and e["pid"] == 1]
    return json.loads(done.stdout), [b for b in bars if b["name"].startswith("wait for")]


def told(good, what):
    print(f"{'PASS' if good else 'FAIL'} waits: {what}")


def near(booked, clock, why):
    """The program's clock of a read has the copy to the host, too, which is no wait."""
    return abs(booked - clock) <= (.1 if why == "read" else .05) * clock


def booked(said, why):
    return sum(e[2] for e in said["entries"] if e[0] == "wait" and e[1] == why)


def main():
    python = BUILD / "package/use/bin/python"
    if not python.exists():
        print("SKIP waits: the package is not installed; the job build/package says why")
        return
    sizes = {"SIZE": str(SIZE), "AHEAD": str(AHEAD)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "main.c").write_text(IN_C)
        (folder / "main.py").write_text(IN_PYTHON.replace("SIZE", sizes["SIZE"]).replace("AHEAD", sizes["AHEAD"]))
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", *(f"-D{k}={v}" for k, v in sizes.items()), f"-I{ROOT}/include", "main.c", f"-L{BUILD}",
                        "-lsitu", "-lm", f"-Wl,-rpath,{BUILD}", "-o", "main"], cwd=folder, check=True)
        for _ in range(5):  # another program may get the core between the ledger's clock and the program's: that only adds
            seen = {"C": run([folder / "main"], folder, "c"), "Python": run([python, "main.py"], folder, "python")}
            if all(near(booked(said, why), clock, why) for said, _ in seen.values() for why, clock in said["clock"].items()):
                break
    kinds = {}
    for language, (said, bars) in seen.items():
        waits = [e for e in said["entries"] if e[0] == "wait"]
        for why, clock in said["clock"].items():
            told(near(booked(said, why), clock, why), f"{language}: reason {why}: {1e3 * booked(said, why):.1f} ms in the ledger, {1e3 * clock:.1f} by the program's clock")
        shown, whole = sum(b["dur"] for b in bars) / 1e6, sum(e[2] for e in waits)
        told(shown >= .95 * whole, f"{language}: {1e3 * shown:.1f} ms of waits in the trace, {1e3 * whole:.1f} in the ledger")
        told(all("main." in b["args"].get("line", "") for b in bars) and all("main." in e[3] for e in waits), f"{language}: each wait has its line")
        kinds[language] = sorted((e[0], e[1]) for e in said["entries"])
    told(kinds["C"] == kinds["Python"], f"both ledgers have the same {len(kinds['C'])} entries" if kinds["C"] == kinds["Python"] else f"{kinds}")


main()
