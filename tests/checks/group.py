#!/usr/bin/env python3
"""Several processes: tests/group/collectives.c under the launcher of each MPI that is here, with 1 to 4 ranks; mismatches, ends and
silences, each told on every rank; programs that begin MPI themselves; libraries under the wrong launcher. No process is left behind.
In the gate one of them and MPICH 5, in turn by commit. SITU_GROUP_LONG=1: all of it with every MPI; SITU_GROUP_SLOW=3: three times the time for each run, on a machine that has other work."""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build")).resolve()
PROGRAM = BUILD / "group-check"
MARK = "situ_fused_check"  # in the environment of every process that is started here
LONG = os.environ.get("SITU_GROUP_LONG")  # all mismatches with every MPI, all numbers of ranks
SLOW = float(os.environ.get("SITU_GROUP_SLOW", "1"))  # how long a run may take, not what it has to show


def again(run, broken=lambda code, output: False):
    """What `run` gives, (code, output, ...), once its launcher did its own work; `broken` knows of more ways in which it did not."""
    for _ in range(5):
        done = run()
        code, output = done[:2]
        not_started = "listener thread failed to start" in output  # prterun on a busy machine, before it has started anything
        piped = code == -signal.SIGPIPE and not output  # hydra writes to a rank that has ended
        if not (not_started or piped or broken(code, output)):
            break
        print(f"  a launcher did not do its own work: code {code}; again", flush=True)
    return done


class MPI:
    def __init__(self, name, launcher, library, options=()):
        self.name, self.launcher, self.library, self.options = name, launcher, library, list(options)

    @staticmethod
    def environment(**more):
        root = {f"{k}_ALLOW_RUN_AS_ROOT{c}": "1" for k in ("OMPI", "PRTE") for c in ("", "_CONFIRM")}
        return {**os.environ, **root, "SITU_SIM_GPUS": "1", "SITU_THREADS": "1", MARK: str(os.getpid()), **more}

    def run(self, *arguments, **more):
        """(exit code, output, seconds)"""
        return again(lambda: self.run_once(*arguments, **more))

    def run_once(self, ranks, *arguments, program=PROGRAM, seconds=60, **more):
        """Each rank writes into a file: a launcher whose group is ended has lost what it had not passed on (hydra, 5 of 900 beside load)."""
        start, seconds = time.monotonic(), seconds * SLOW
        with tempfile.TemporaryDirectory() as folder:
            command = [self.launcher, *self.options, "-n", str(ranks), "/bin/sh", "-c", 'exec "$@" >"$0/$$" 2>&1', folder, program]
            try:
                done = subprocess.run([*command, *map(str, arguments)], env=self.environment(**more), text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, errors="replace")
                code, output, seconds = done.returncode, done.stdout, time.monotonic() - start
            except subprocess.TimeoutExpired as e:
                code, output = None, (e.stdout or b"").decode(errors="replace")
            said = sorted(pathlib.Path(folder).iterdir(), key=lambda path: int(path.name))
            return code, "".join(path.read_text(errors="replace") for path in said) + output, seconds


def find():
    """The MPIs that scripts/test installs, and why one is not there."""
    fast = ["--mca", "btl", "^ofi", "--mca", "mtl", "^ofi"]  # Open MPI 5 looks for a network for a second
    for name, launcher, library, options in (
            ("Open MPI 4", "mpirun.openmpi", "libmpi.so.40", ["--oversubscribe"]),
            ("Open MPI 5", "build-mpi/openmpi/bin/mpirun", "build-mpi/openmpi/lib/libmpi.so.40", ["--oversubscribe", *fast]),
            ("MPICH 4", "mpiexec.mpich", "libmpich.so.12", []),
            ("MPICH 5", "build-mpi/mpich/bin/mpiexec", "build-mpi/mpich/lib/libmpi_abi.so.1", [])):
        path = ROOT / launcher if "/" in launcher else shutil.which(launcher)
        if path and os.path.exists(path):
            library = full_path(library)  # Open MPI 5 puts its own folder in front of what the system finds
            yield MPI(name, path, library, options)
        else:
            print(f"SKIP group: {name} is not here ({launcher}); scripts/test --prepare installs it")


def in_turn(mpis):
    """The last one, which is asked the most, and of the others the one whose turn it is at this commit (SITU_TURN; without it, all)."""
    turn = os.environ.get("SITU_TURN")
    return mpis if LONG or not turn or len(mpis) < 2 else [mpis[int(turn) % (len(mpis) - 1)], mpis[-1]]


def full_path(library):
    if "/" in library:
        return str(ROOT / library)
    found = re.search(rf"{re.escape(library)} .*=> (\S+)", subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout)
    return found[1] if found else library


def left_behind():
    """Processes that were started here and live still."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if path.name != str(os.getpid()) and f"{MARK}={os.getpid()}".encode() in (path / "environ").read_bytes().split(b"\0") and " Z " not in (path / "stat").read_text():
                found.append(path.name)
        except OSError:
            pass
    return found


def no_orphans():
    for _ in range(30):
        if not left_behind():
            return ""
        time.sleep(0.1)
    return f"processes {left_behind()} are left"


def said(output, ranks):
    """The line of each rank."""
    lines = {}
    for line in output.splitlines():
        m = re.match(r"(\d): (.*)", line)
        if m and int(m[1]) < ranks:
            lines.setdefault(int(m[1]), []).append(m[2])
    return lines


def check_collectives(mpi, ranks):
    code, output, seconds = mpi.run(ranks)
    lines = said(output, ranks)
    good = sorted(lines) == list(range(ranks)) and all(f"of {ranks} by" in line[-1] and line[-1].endswith(": 0 wrong") for line in lines.values())
    engine = "none" if ranks == 1 else mpi.name
    good &= code == 0 and all(f"by {engine}" in line[-1] for line in lines.values())
    return "" if good else f"{ranks} ranks: code {code} after {seconds:.1f} s\n{output[-2000:]}"


DISAGREEMENTS = "shape large dtype operation reduction root skip send order exit".split()


def check_disagreement(mpi, what, ranks, odd):
    """Each other rank names rank and line, in under 5 seconds."""
    code, output, seconds = mpi.run(ranks, what, odd, seconds=30)
    lines, line = said(output, ranks), r"collectives\.c:\d+"
    for rank in range(ranks):
        text = lines.get(rank, [""])[-1]
        if what == "exit" and rank == odd:
            continue
        m = re.match(r"(mismatch between ranks|rank lost) after (\d+\.\d+) s, then \1: (.*)", text)
        names = m and (f"rank {odd} " in m[3] or what == "root" and ranks == 2 or ranks == 2 and "rank " in m[3])
        both = m and len(re.findall(line, m[3])) >= (2 if what == "exit" else 3)  # the call's own line in front
        if not m or float(m[2]) > 5 or not names or not both:
            return f"{what} by rank {odd} of {ranks}, rank {rank} says: {text!r} (code {code}, {seconds:.1f} s)\n{output[-1500:]}"
    if code in (0, None) or seconds > 15 * SLOW:
        return f"{what} by rank {odd} of {ranks}: code {code} after {seconds:.1f} s"
    return ""


def check_silence(mpi, what, words):
    """A rank that is stopped, or that comes late: named by the others at the deadline, and all end."""
    code, output, seconds = mpi.run(3, what, 1, 2, seconds=40)
    lines = said(output, 3)
    for rank in (0, 2):
        text = lines.get(rank, [""])[-1]
        if not text.startswith("rank lost after 2.") or words not in text:
            return f"{what}: rank {rank} says {text!r} (code {code}, {seconds:.1f} s)\n{output[-1500:]}"
    return "" if code not in (0, None) else f"{what}: code {code} after {seconds:.1f} s"


def check_kill(mpi):
    code, output, seconds = mpi.run(3, "kill", 1, 20, seconds=40)
    return "" if code and seconds < 15 else f"a killed rank: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_hidden_kill(mpi):
    """A rank is killed, and its launcher sees a process that lives: the others see that it died, say so, and end."""
    hide = f"{PROGRAM} kill 1 20; code=$?; [ $code -gt 128 ] && exec sleep 60; exit $code"
    code, output, seconds = mpi.run(3, "-c", hide, program="/bin/sh", seconds=40)
    lines = said(output, 3)
    for rank in (0, 2):
        m = re.match(r"rank lost after (\d+\.\d+) s, .*rank 1 died", lines.get(rank, [""])[-1])
        if not m or float(m[1]) > 3 * SLOW:
            return f"a killed rank that the launcher does not miss: rank {rank} says {lines.get(rank)} (code {code}, {seconds:.1f} s)\n{output[-1500:]}"
    return "" if code and seconds < 10 * SLOW else f"a killed rank that the launcher does not miss: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_status(mpi):
    """A rank ends with a status, the others well, and the launcher lets all of them end by themselves (srun is one that does)."""
    alone = ["-disable-auto-cleanup"] if "MPICH" in mpi.name else ["--mca", "orte_abort_on_non_zero_status", "0"] if mpi.name == "Open MPI 4" else []
    for odd in (0, 2):
        code, output, seconds = MPI(mpi.name, mpi.launcher, mpi.library, [*mpi.options, *alone]).run(3, "status", odd, seconds=20)
        if code is None or seconds > 8 * SLOW:
            return f"rank {odd} ends with a status: code {code} after {seconds:.1f} s\n{output[-1500:]}"
    return ""


def check_bytes(mpi, ranks):
    code, output, seconds = mpi.run(ranks, "bytes")
    lines = said(output, ranks)
    good = code == 0 and sorted(lines) == list(range(ranks)) and all(line[-1].endswith(": 0 wrong") for line in lines.values())
    return "" if good else f"bytes in the ledger of {ranks} ranks: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_allocations(mpi, ranks, odd):
    """Each allocation of each call fails on one rank: it tries again, or every rank is told and the next run goes on behind."""
    after, ends, test = None, 0, BUILD / "situ-tests"
    for _ in range(200):
        more = {"SITU_TEST_AFTER": after} if after else {}
        code, output, seconds = mpi.run(ranks, "group_memory/each_allocation", program=test, SITU_TEST_ODD=str(odd), **more)
        if code == 0 and output.count("1 passed") == ranks:
            print(f"  {mpi.name}: {ranks} ranks, allocations of rank {odd}: {ends} ended the group, told on every rank")
            return "" if ends < 60 else f"{ends} allocations end the group"
        places = set(re.findall(r"^\d: told after (\w+ \d+): .*memory", output, re.M))
        if code in (0, None) or len(places) != 1 or len(re.findall(r"^\d: told after ", output, re.M)) != ranks or seconds > 10 * SLOW:
            return f"allocations of rank {odd} of {ranks} behind {after}: code {code} after {seconds:.1f} s\n{output[-1500:]}"
        after, ends = places.pop(), ends + 1
    return f"allocations of rank {odd} of {ranks}: no end"


def check_allocations_at_open(mpi, odd):
    for n in range(50):
        code, output, seconds = mpi.run(2, "group_memory/each_allocation", program=BUILD / "situ-tests", SITU_TEST_ODD=str(odd), SITU_TEST_AFTER=f"open {n}")
        struck = re.search(rf"^-: open {n + 1}: (.*)$", output, re.M)
        told = struck and "memory" in struck[1]
        if seconds > 10 * SLOW or not (code == 0 and output.count("1 passed") == 2 or code and told):
            return f"allocation {n + 1} of situ_group_open on rank {odd}: code {code} after {seconds:.1f} s\n{output[-1500:]}"
        if not struck:
            return "" if n else "no allocation of situ_group_open fails"
    return "situ_group_open has more than 50 allocations"


def check_own(mpi):
    code, output, seconds = mpi.run(2, "own", mpi.library)
    lines = said(output, 2)
    good = code == 0 and sorted(lines) == [0, 1] and all(line[-1].endswith(": 0 wrong") and "of 2 by" in line[-1] for line in lines.values())
    return "" if good else f"a program that calls MPI_Init itself: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_split(mpi):
    """A program's own communicators: every second rank."""
    code, output, seconds = mpi.run(5, "split", mpi.library)
    lines, sizes = said(output, 5), {0: 3, 1: 2, 2: 3, 3: 2, 4: 3}
    good = code == 0 and sorted(lines) == list(sizes) and all(line[-1].endswith(": 0 wrong") and f"of {sizes[r]} by" in line[-1] for r, line in lines.items())
    return "" if good else f"communicators of a program's own: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_trace(mpi):
    """Gradients travel in buckets, the first ones while the backward pass computes the others: the exchanges lie beside the steps."""
    with tempfile.TemporaryDirectory() as folder:
        code, output, _ = mpi.run(2, "trace", f"{folder}/run.json")
        if code:
            return f"a traced training: code {code}\n{output[-1500:]}"
        for rank in (0, 1):
            events = json.loads(pathlib.Path(f"{folder}/run.json.{rank}").read_text())["traceEvents"]
            rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
            events = [e for e in events if e["ph"] == "X"]
            exchanges = [e for e in events if e["name"] == "situ_group_tree_sum"]
            steps = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] != "wait for ranks" and re.fullmatch(r"cpu(\(0\))?(: side by side.*)?", rows[e["tid"]]))
            hidden = sum(max(0, min(b, e["ts"] + e["dur"]) - max(a, e["ts"])) for e in exchanges for a, b in steps)
            whole = sum(e["dur"] for e in exchanges)
            large = [e for e in exchanges if e.get("args", {}).get("bytes", 0) > 100000]
            print(f"  {mpi.name}, rank {rank}: {len(large)} buckets, {100 * hidden / max(whole, 1e-9):.0f} % of {whole / 1e3:.1f} ms beside computing")
            if len(large) < 12 or hidden <= 0 or any("collectives.c:" not in str(e.get("args")) for e in large):
                return f"rank {rank}: {len(large)} buckets, {hidden} of {whole} us beside steps; {exchanges[:3]}"
    return ""


def check_clocks(mpi, ranks):
    """A message takes the later of two virtual clocks, and these are the same in each run."""
    runs = [mpi.run(ranks, "clocks") for _ in range(2)]
    for code, output, _ in runs:
        lines = said(output, ranks)
        if code or sorted(lines) != list(range(ranks)) or not all(" 0 wrong, clock " in line[-1] for line in lines.values()):
            return f"{ranks} ranks: code {code}: {output[:600]}"
    first, second = (sorted(line[-1] for line in said(output, ranks).values()) for _, output, _ in runs)
    return "" if first == second else f"{ranks} ranks: {first}, then {second}"


def check_wrong(mpis):
    """A library of another MPI under each launcher is refused before it can do harm."""
    bad = []
    for launcher in mpis:
        for library in mpis:
            open_one, open_other = "Open" in launcher.name, "Open" in library.name
            if open_one == open_other and not (open_one and launcher.name != library.name):
                continue
            code, output, _ = launcher.run(2, "all", SITU_MPI=library.library, seconds=20)
            if code == 0 or f"was started by the {'mpirun of ' + launcher.name if open_one else 'mpiexec of MPICH (hydra)'}, but SITU_MPI names {library.name}" not in output:
                bad.append(f"{library.name} under the launcher of {launcher.name}: code {code}, {output[-600:]}")
    for mpi in mpis[-1:]:
        code, output, _ = mpi.run(2, "own", mpi.library, SITU_MPI=mpis[0].library, seconds=20)
        if len(mpis) > 1 and output.count("two MPIs in one process break each other; leave SITU_MPI out") != 2:
            bad.append(f"two MPIs: code {code}, {output[-600:]}")
    code, output, _ = mpis[0].run(2, "all", SITU_MPI="/nowhere/libmpi.so", seconds=20)
    if code == 0 or "/nowhere/libmpi.so" not in output:
        bad.append(f"a library that is not there: {output[-300:]}")
    return "\n".join(bad)


def check_programs(mpi):
    """Ranks that run another program than rank 0."""
    other = BUILD / "group-check-other"
    shutil.copy(PROGRAM, other)
    with open(other, "ab") as file:
        file.write(b"another one")
    wrapper = BUILD / "group-check-either"
    wrapper.write_text(f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ] && exec {other}\nexec {PROGRAM}\n')
    wrapper.chmod(0o755)
    code, output, _ = mpi.run(2, program=wrapper, seconds=20)
    for path in (other, wrapper):
        path.unlink()
    return "" if code and output.count("runs another program than rank") == 2 else f"another program on rank 1: code {code}\n{output[-1000:]}"


# ---- training -----------------------------------------------------------------------------------------------------------------

TRAIN = ["train", "--quiet", "--epochs", "1", "--hash", "--hidden", "40", "--device", "cpu"]  # 1,437 rows: the last batch has 29
SITU = BUILD / "situ"


def hashes(output):
    return re.findall(r"^sha256 of the weights: ([0-9a-f]{64})(?: \(rank (\d)\))?$", output, re.M)


def train(*arguments, **env):
    done = subprocess.run([SITU, *arguments], capture_output=True, text=True, env={**os.environ, **env})
    return hashes(done.stdout + done.stderr), done.stdout + done.stderr


def file_hash(folder):
    """Of the weights in a checkpoint, by what its format says."""
    data = max(pathlib.Path(folder).glob("step-*.safetensors")).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header, digest = json.loads(data[8:8 + size]), hashlib.sha256()
    for name in ("1.weight", "1.bias", "4.weight", "4.bias"):
        first, last = header[name]["data_offsets"]
        digest.update(data[8 + size + first:8 + size + last])
    return digest.hexdigest()


def check_one_process(reference):
    """The hash is that of the weights, and of one process on any number of simulated GPUs."""
    with tempfile.TemporaryDirectory() as folder:
        one, output = train(*TRAIN, "--deterministic", "--checkpoint", folder)
        if [h for h, _ in one] != [reference] or file_hash(folder) != reference:
            return f"one process: {output}, in the file {file_hash(folder)}"
    devices = [a for a in TRAIN if a not in ("--device", "cpu")]
    for gpus in (1, 2, 4):
        several, output = train(*devices, "--deterministic", "--gpus", str(gpus), SITU_SIM_GPUS=str(gpus), SITU_GPUS="sim")
        if [h for h, _ in several] != [reference]:
            return f"{gpus} simulated GPUs: {output}, not {reference}"
    other, output = train(*TRAIN, "--deterministic", "--key", "1")
    return "" if other and other[0][0] != reference else f"another key: {output}"


def check_training(mpi, ranks, reference):
    """Every rank has the weights of one process; without the mode for it, all ranks have the same."""
    for mode in (["--deterministic"], []):
        code, output, seconds = mpi.run(ranks, *TRAIN, *mode, program=SITU)
        found = hashes(output)
        numbers = [str(r) for r in range(ranks)] if ranks > 1 else [""]
        whole = code == 0 and sorted(r for _, r in found) == numbers and output.count("accuracy on held-out data") == 1
        if not whole or len({h for h, _ in found}) != 1 or (mode and found[0][0] != reference):
            return f"training {' '.join(mode)} with {ranks} ranks: code {code} after {seconds:.1f} s, not {reference}\n{output[-1500:]}"
    return ""


def check_training_on_devices(mpi, reference, ranks=2):
    devices = [a for a in TRAIN if a not in ("--device", "cpu")]
    code, output, _ = mpi.run(ranks, *devices, "--deterministic", "--gpus", "2", program=SITU, SITU_SIM_GPUS="2", SITU_GPUS="sim")
    good = code == 0 and [h for h, _ in hashes(output)] == [reference] * ranks
    return "" if good else f"{ranks} ranks of 2 simulated GPUs: code {code}, not {reference}\n{output[-1500:]}"


def check_late_end(mpi):
    """A rank that is killed while it trains takes the others with it."""
    code, output, seconds = mpi.run(2, "-c", f"{SITU} train --quiet --epochs 100000 --device cpu & pid=$!; [ ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} = 1 ] && sleep 3 && kill -9 $pid; wait $pid", program="/bin/sh", seconds=40)
    return "" if code and seconds < 15 else f"a rank killed in training: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def compile_program():
    made = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-I", ROOT / "include", "tests/group/collectives.c", "-o", PROGRAM,
                           f"-L{BUILD}", "-lsitu", "-ldl", f"-Wl,-rpath,{BUILD}"], cwd=ROOT, capture_output=True, text=True)
    return made.stderr


def tell(name, problems):
    problems = [p for p in [*problems, no_orphans()] if p]
    print("\n".join(f"FAIL group: {p}" for p in problems) if problems else f"PASS group: {name}", flush=True)
    return bool(problems)


def main():
    problem = compile_program()
    if problem:
        print(f"FAIL group: the program does not compile\n{problem}")
        return 1
    alone = subprocess.run([PROGRAM], capture_output=True, text=True, env={**os.environ, "SITU_SIM_GPUS": "1"})
    bad = tell("a program without a launcher is a group of one", ["" if "0: of 1 by none: 0 wrong" in alone.stdout else alone.stdout + alone.stderr])
    reference = (train(*TRAIN, "--deterministic")[0] or [("none", "")])[0][0]
    bad |= tell("the hash of the weights, on the CPU and 1, 2 and 4 simulated GPUs", [check_one_process(reference)])
    mpis, draw = list(find()), random.Random(int(os.environ.get("SITU_GROUP_SEED", "0")))
    for mpi in in_turn(mpis):
        few = [1, 2, 3, 4] if mpi.name == "MPICH 5" else [2, 3]
        bad |= tell(f"{mpi.name}: collectives", [check_collectives(mpi, n) for n in ([1, 2, 3, 4] if LONG else few)])
        some = DISAGREEMENTS if mpi.name.endswith("5") else draw.sample(DISAGREEMENTS, 4)
        kinds = [(what, n, odd) for what in DISAGREEMENTS for n in (2, 3, 4) for odd in range(n)] if LONG else [(what, 3, draw.randrange(3)) for what in some]
        bad |= tell(f"{mpi.name}: {len(kinds)} disagreements are told on every rank", [check_disagreement(mpi, *k) for k in kinds])
        bad |= tell(f"{mpi.name}: a stopped rank, one that is late, one that is killed", [
            check_silence(mpi, "silent", "no message from rank 1 "), check_silence(mpi, "late", "rank 1 is alive, but did not reach "), check_kill(mpi),
            check_hidden_kill(mpi), check_status(mpi)])
        bad |= tell(f"{mpi.name}: a program that calls MPI_Init itself", [check_own(mpi), check_split(mpi)])
        bad |= tell(f"{mpi.name}: a message takes the later of two clocks", [check_clocks(mpi, n) for n in (1, 3)])
        bad |= tell(f"{mpi.name}: gradients travel beside the backward pass", [check_trace(mpi)])
        bad |= tell(f"{mpi.name}: bytes of steps as the formula has them", [check_bytes(mpi, n) for n in ((1, 2, 3, 4, 5, 6, 7, 8) if LONG else (5, 6, 8) if mpi.name == "MPICH 5" else ())])
        ranks = (1, 2, 3, 4, 7) if LONG else (3, 7) if mpi.name == "MPICH 5" else (2,)
        bad |= tell(f"{mpi.name}: {' and '.join(map(str, ranks))} ranks train to the weights of one", [check_training(mpi, n, reference) for n in ranks])
        if LONG:
            bad |= tell(f"{mpi.name}: {ranks} ranks of two simulated GPUs", [check_training_on_devices(mpi, reference, n) for n in ranks])
        if LONG or mpi.name == "MPICH 5":
            bad |= tell(f"{mpi.name}: each allocation of a rank fails", [check_allocations(mpi, 2, odd) for odd in (0, 1)] + [check_allocations_at_open(mpi, 1)])
    if mpis:
        bad |= tell("two ranks of two simulated GPUs each; a rank killed in training", [check_training_on_devices(mpis[-1], reference), check_late_end(mpis[-1])])
        bad |= tell("wrong libraries, launchers and programs are refused", [check_wrong(mpis), check_programs(mpis[-1])])
    PROGRAM.unlink()
    return bad


if __name__ == "__main__":
    sys.exit(main())
