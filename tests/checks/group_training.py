#!/usr/bin/env python3
"""Training by several processes: every network ends in the weights of one process, whatever the number of ranks and devices; what a
killed rank leaves is gone on with by fewer; what the ranks do not agree about is told on each of them. SITU_GROUP_LONG=1: all of it with
every MPI that is here, 50 kills, all mismatches."""
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from group import BUILD, LONG, ROOT, SITU, SLOW, again, find, hashes, left_behind, said, tell  # noqa: E402

DRAW = random.Random(int(os.environ.get("SITU_GROUP_SEED", "0")))
NETS = ("lenet", "norm", "gpt")
RUN = BUILD / "group-training"
CLASH = BUILD / "group-mismatches"


def compile_program(source, program):
    made = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-I", ROOT / "include", f"tests/group/{source}", "-o", program,
                           f"-L{BUILD}", "-lsitu", f"-Wl,-rpath,{BUILD}"], cwd=ROOT, capture_output=True, text=True)
    return made.stderr


def alone(*arguments, program=RUN, **env):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, "SITU_GPUS": "sim", "SITU_SIM_GPUS": "4", **env})
    return done.stdout + done.stderr


def result(output):
    """{rank: (hash, loss, held-out loss, accuracy)}"""
    found = re.findall(r"^(\d): hash (\w+) loss (\S+) held out (\S+) accuracy (\S+)$", output, re.M)
    return {int(r): (h, *numbers) for r, h, *numbers in found}


# ---- equal weights -----------------------------------------------------------------------------------------------------------

def references():
    """What one process gives for each network, on the CPU and on 1, 2 and 4 simulated GPUs."""
    found, problems = {}, []
    for net in NETS:
        found[net] = result(alone(net, "deterministic", 0)).get(0)
        for gpus in (1, 2, 4):
            output = alone(net, "deterministic", gpus)
            if found[net] is None or set(found[net][0]) == {"0"} or result(output).get(0) != found[net]:
                problems.append(f"{net} on {gpus} simulated GPUs: {output.strip()}, not {found[net]}")
    if len({r and r[0] for r in found.values()}) != len(NETS):
        problems.append(f"networks of the same weights: {found}")
    return found, problems


def check_network(mpi, net, ranks, reference, gpus=0):
    """Losses and accuracy of held-out rows are the same, too: so the running moments are."""
    code, output, seconds = mpi.run(ranks, net, "deterministic", gpus, program=RUN, SITU_GPUS="sim", SITU_SIM_GPUS="2", seconds=120)
    found = result(output)
    if code == 0 and sorted(found) == list(range(ranks)) and all(r == reference for r in found.values()):
        return ""
    return f"{net} by {ranks} ranks of {gpus} GPUs: code {code} after {seconds:.1f} s, not {reference}\n{output[-1500:]}"


def check_fast(mpi, net, ranks, mode, near):
    """Without the mode for it all ranks have the same; moments of all rows are those of one process that has them."""
    code, output, seconds = mpi.run(ranks, net, mode, program=RUN, seconds=120)
    found = result(output)
    same = code == 0 and sorted(found) == list(range(ranks)) and len(set(found.values())) == 1
    if same and all(abs(float(found[0][i]) - float(near[i])) <= 2e-3 * abs(float(near[i])) for i in (1, 2)):
        return ""
    return f"{net}, {mode}, by {ranks} ranks: code {code} after {seconds:.1f} s, not near {near}\n{output[-1500:]}"


def write_idx(folder):
    """Files as MNIST's."""
    draw = random.Random(5)
    for front, count in (("train", 250), ("t10k", 40)):
        pathlib.Path(folder, f"{front}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 0x803, count, 28, 28) + draw.randbytes(count * 784))
        pathlib.Path(folder, f"{front}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + bytes(draw.randrange(10) for _ in range(count)))


def check_idx(mpis, numbers):
    with tempfile.TemporaryDirectory() as folder:
        write_idx(folder)
        arguments = ["train", "--quiet", "--epochs", "2", "--hash", "--hidden", "30", "--deterministic", "--data", folder]
        one = hashes(alone(*arguments, "--device", "cpu", program=SITU))
        for gpus in (1, 2, 4):
            if [h for h, _ in hashes(alone(*arguments, "--gpus", gpus, program=SITU))] != [one[0][0]]:
                return f"files as MNIST's on {gpus} simulated GPUs: not {one}"
        for mpi in mpis:
            for n in numbers:
                code, output, _ = mpi.run(n, *arguments, "--device", "cpu", program=SITU)
                if code or [h for h, _ in hashes(output)] != [one[0][0]] * n:
                    return f"files as MNIST's by {n} ranks of {mpi.name}: code {code}, not {one}\n{output[-1000:]}"
    return ""


# ---- what is killed goes on --------------------------------------------------------------------------------------------------

KEEPS = ["train", "--quiet", "--epochs", "12", "--hash", "--hidden", "40", "--device", "cpu", "--deterministic", "--checkpoint-every", "4", "--resume", "--checkpoint"]


def check_resume(mpi, reference, first, others):
    """From a checkpoint in the middle of an epoch, with other numbers of ranks."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments = [a for a in KEEPS if a not in ("--resume", "--checkpoint")]
        code, output, _ = mpi.run(first, *arguments, "--keep", 999, "--checkpoint", folder / "whole", program=SITU)
        files = sorted((folder / "whole").iterdir())
        if code or [h for h, _ in hashes(output)] != [reference] * first:
            return f"{first} ranks: code {code}, {len(files)} files, not {reference}\n{output[-800:]}"
        for ranks in others:
            kept = folder / f"kept{ranks}"
            kept.mkdir()
            shutil.copy(DRAW.choice(files[1:]), kept)
            code, output, _ = mpi.run(ranks, *KEEPS, kept, program=SITU)
            if code or [h for h, _ in hashes(output)] != [reference] * ranks:
                return f"gone on with {ranks} ranks: code {code}, not {reference}\n{output[-800:]}"
    return ""


def start(mpi, folder, ranks, arguments, output, **env):
    """The launcher, when each rank's number is in a file pid.RANK."""
    shell = f'echo $$ > {folder}/pid.${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; exec {SITU} {" ".join(arguments)}'
    launcher = subprocess.Popen([mpi.launcher, *mpi.options, "-n", str(ranks), "/bin/sh", "-c", shell], env=mpi.environment(**env), stdout=output, stderr=output)
    until = time.monotonic() + 20
    while time.monotonic() < until and len(list(pathlib.Path(folder).glob("pid.*"))) < ranks:
        time.sleep(0.005)
    return launcher


def check_suspended(mpi, reference, after):
    """All ranks are stopped for longer than the deadline, as by Ctrl-Z or a scheduler that suspends jobs, and go on."""
    for pause in (after, after / 4, 0):  # sooner, where they had ended before
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with open(folder / "output", "wb") as output:
                launcher = start(mpi, folder, 3, KEEPS[:-4], output, SITU_GROUP_DEADLINE="4")
                time.sleep(pause)
                first, *others = [int((folder / f"pid.{r}").read_text()) for r in range(3)]
                there = signal_all([first], signal.SIGSTOP)
                time.sleep(0.3)  # the others wait for it by now
                there = there and signal_all(others, signal.SIGSTOP)
                time.sleep(6 if there else 0)
                signal_all(others, signal.SIGCONT)
                time.sleep(0.3)
                signal_all([first], signal.SIGCONT)
                try:
                    code = launcher.wait(60 * SLOW)
                except subprocess.TimeoutExpired:
                    launcher.kill()
                    code = launcher.wait()
            output = (folder / "output").read_text()
        if there:
            break
    good = there and code == 0 and [h for h, _ in hashes(output)] == [reference] * 3
    return "" if good else f"a job that is suspended: code {code}, not {reference}\n{output[-1500:]}"


def signal_all(pids, which):
    try:
        for pid in pids:
            os.kill(pid, which)
        return True
    except ProcessLookupError:
        return False


def start_and_kill(mpi, folder, ranks, after):
    """Seconds from the kill until no process is left, None: it had ended before."""
    with open(os.devnull, "wb") as nowhere:
        launcher = start(mpi, folder, ranks, [*KEEPS, f"{folder}/kept"], nowhere)
        time.sleep(after)
        pid = int((pathlib.Path(folder) / f"pid.{DRAW.randrange(ranks)}").read_text())
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            launcher.wait()
            return None
        killed = time.monotonic()
        while left_behind() and time.monotonic() < killed + 20:
            time.sleep(0.02)
        seconds = time.monotonic() - killed
        launcher.kill()
        launcher.wait()
        return seconds


def check_kills(mpi, reference, times, longest):
    """A random rank, at a random moment; then one rank fewer goes on."""
    late, worst, ended = [], 0.0, 0
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            ranks, after = DRAW.choice((2, 3, 4)), DRAW.uniform(0, longest)
            seconds = start_and_kill(mpi, folder, ranks, after)
            ended += seconds is None
            worst = max(worst, seconds or 0)
            kept = len(list(pathlib.Path(folder).glob("kept/step-*.safetensors")))
            if seconds and seconds > 2:
                late.append(f"{seconds:.1f} s")
            code, output, _ = mpi.run(ranks - 1, *KEEPS, f"{folder}/kept", program=SITU)
            if code or [h for h, _ in hashes(output)] != [reference] * (ranks - 1):
                return f"killed after {after:.2f} s with {kept} checkpoints, {ranks} ranks, gone on with {ranks - 1}: code {code}, not {reference}\n{output[-1500:]}"
    print(f"  {mpi.name}: {times} kills, {ended} of them after the end; all gone within {worst:.2f} s at most", flush=True)
    return f"a rank was killed, and the others ended only after {', '.join(late)}" if late else ""


# ---- what they do not agree about ----------------------------------------------------------------------------------------------

CALLS = {call: "shape dtype rank large empty skip twice order other send exit".split() for call in ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "tree_sum")}
CALLS["barrier"] = "skip twice order other send exit".split()
for call_, more in (("all_reduce", "reduction"), ("reduce_scatter", "reduction"), ("broadcast", "root"), ("tree_sum", "shards")):
    CALLS[call_].append(more)
CLASHES = [(call, change, odd) for call, changes in CALLS.items() for change in changes for odd in range(3)]


def check_clash(mpi, call, change, odd, ranks=3):
    code, output, seconds = mpi.run(ranks, call, change, odd, program=CLASH, seconds=30)
    lines = said(output, ranks)
    for rank in range(ranks):
        text = lines.get(rank, [""])[-1]
        if change == "exit" and rank == odd:
            continue
        m = re.match(r"(mismatch between ranks|rank lost) after (\d+\.\d+) s, then \1: (.*)", text)
        if not m or float(m[2]) > 5 or f"rank {odd} " not in m[3] or len(re.findall(r"mismatches\.c:\d+", m[3])) < (1 if change == "exit" else 2):
            return f"{call}, {change} by rank {odd}, rank {rank} says: {text!r} (code {code}, {seconds:.1f} s)\n{output[-1500:]}"
    return "" if code not in (0, None) and seconds < 15 * SLOW else f"{call}, {change} by rank {odd}: code {code} after {seconds:.1f} s"


# What a rank does otherwise than the others in training, and what all of them are told.
WRONG = {
    "1:batch": ("deterministic", "batch is 70 on rank 0 and 64 on rank 1; all ranks train the same"),
    "1:rows": ("deterministic", "the number of rows to train on is 203 on rank 0 and 202 on rank 1"),
    "1:data": ("fast", "the data to train on: rank 1 has another one than rank 0"),
    "1:lr": ("fast", "the optimizer, one of its hyper-parameters or its schedule: rank 1 has another one than rank 0"),
    "1:called": ("fast", "the number of its parameters that have values is 0 on rank 0 and 14 on rank 1"),
}


def check_wrong_training(mpi, reference):
    code, output, _ = mpi.run(2, "norm", "deterministic", 0, "1:key", program=RUN)
    if code or set(result(output).values()) != {reference}:
        return f"another key on rank 1 is not rank 0's: code {code}, not {reference}\n{output[-1500:]}"
    for odd, (mode, words) in WRONG.items():
        code, output, seconds = mpi.run(2, "norm", mode, 0, odd, program=RUN, seconds=30)
        lines = said(output, 2)
        if code in (0, None) or seconds > 10 or any(words not in " ".join(lines.get(r, [])) for r in (0, 1)):
            return f"{odd}: code {code} after {seconds:.1f} s\n{output[-1500:]}"
    code, output, seconds = mpi.run(3, "norm", "deterministic", 0, "1:callback", program=RUN, seconds=30)
    lines = said(output, 3)
    own = " ".join(lines.get(1, []))
    if code in (0, None) or seconds > 10 or "gave -77" not in own or any("rank 1 has failed: " not in " ".join(lines.get(r, [])) or "gave -77" not in " ".join(lines.get(r, [])) for r in (0, 2)):
        return f"a callback that fails on rank 1: code {code} after {seconds:.1f} s\n{output[-1500:]}"
    code, output, _ = mpi.run(2, "norm", "global", 0, "0:none", program=RUN, SITU_SIM_GPUS="2", seconds=30)
    return "" if code == 0 else f"moments of all ranks' rows: code {code}\n{output[-1500:]}"


def check_folder(mpi):
    """Rank 0 cannot write its checkpoints: told on every rank."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "file").write_text("no folder")
        code, output, _ = mpi.run(2, "norm", "deterministic", 0, "0:none", f"{folder}/file", program=RUN, seconds=30)
        lines = said(output, 2)
        good = code and "checkpoints" in " ".join(lines.get(0, [])) and "rank 0 has failed: " in " ".join(lines.get(1, [])) and "checkpoints" in " ".join(lines.get(1, []))
        return "" if good else f"a folder that cannot be written: code {code}\n{output[-1500:]}"


# ---- a link that is cut ----------------------------------------------------------------------------------------------------------

CUT = """
alive() { for p in /proc/[0-9]*; do case "$(readlink $p/exe 2>/dev/null)" in */group-mismatches) return 0 ;; esac; done; return 1; }
%s >launcher 2>&1 &
for i in $(seq 100); do [ "$(cat out.* 2>/dev/null | grep -c begins)" = 4 ] && break; sleep 0.1; done
sleep 2
cat /sys/class/net/m2v1/statistics/tx_bytes >sent
ip link set m2v1 down
date +%%s.%%N >cut
for i in $(seq 200); do alive || break; sleep 0.05; done
date +%%s.%%N >ended
"""


def check_link(mpi):
    """Two machines of two ranks, and the link between them goes down: each rank names those of the other side, and all end."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = folder / "run.sh"
        run.write_text(f'#!/bin/sh\ncd {folder}\necho begins >out.${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\nexec {CLASH} forever 0 2 >>out.${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} 2>&1\n')
        run.chmod(0o755)
        agent = "plm_rsh_agent" if mpi.name == "Open MPI 4" else "plm_ssh_agent"
        where = ["-H", "10.77.0.1:2,10.77.0.2:2", "--bind-to", "none", "--mca" if mpi.name == "Open MPI 4" else "--prtemca", agent, "/run/bin/ssh"]
        if "MPICH" in mpi.name:
            where = ["-hosts", "10.77.0.1,10.77.0.2", "-ppn", "2", "-launcher", "rsh", "-launcher-exec", "/run/bin/ssh"]
        options = [o for o in mpi.options if o != "--oversubscribe"]  # with it Open MPI 5 puts all ranks on the first machine
        command = " ".join(map(str, [mpi.launcher, *options, *where, "-n", 4, run]))
        env = mpi.environment(MPIR_CVAR_CH4_NETMOD="ofi", FI_PROVIDER="tcp") if mpi.name == "MPICH 5" else mpi.environment()
        done = subprocess.run([ROOT / "tests/group/machines.sh", f"cd {folder}\n" + CUT % command], env=env, capture_output=True, text=True, timeout=90)
        if done.returncode == 77:
            return None
        text = {r: (folder / f"out.{r}").read_text() if (folder / f"out.{r}").exists() else "" for r in range(4)}
        seconds = float((folder / "ended").read_text()) - float((folder / "cut").read_text())
        sent = int((folder / "sent").read_text())
        names = all(re.search(r"rank lost: .*no message from rank " + ("2, 3" if r < 2 else "0, 1") + " ", text[r]) for r in range(4))
        print(f"  {mpi.name}: a link is cut after {sent} bytes; all ranks have ended after {seconds:.1f} s, with a deadline of 2 s", flush=True)
        launcher = (folder / "launcher").read_text()
        return "" if names and seconds < 4 and sent > 100000 else f"a cut link: {seconds:.1f} s, {sent} bytes, {text}\n{launcher[-800:]}{done.stderr[-800:]}"


ENDS = """
printf 'node1:2\nnode2:2\n' >machines
for i in $(seq 20); do timeout 5 %s -f machines -n 4 %s train --quiet --epochs 1 >out 2>&1 || { echo "run $i: $?"; cat out; }; done
"""


def check_ends(mpi):
    """On two machines: MPI_Finalize of MPICH 4 hung there once in four (src/group/hydra.c)."""
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([ROOT / "tests/group/machines.sh", f"cd {name}\n" + ENDS % (mpi.launcher, SITU)], env=mpi.environment(), capture_output=True, text=True, timeout=150)
        return None if done.returncode == 77 else done.stdout + done.stderr


def check_srun():
    """Slurm's srun without PMI: as many programs that would know nothing of each other."""
    output = alone("norm", "fast", SLURM_STEP_NUM_TASKS="4")
    if "one of 4 processes of the srun of Slurm" not in output or "mpirun" not in output:
        return f"srun without PMI: {output}"
    return "" if result(alone("norm", "fast", SLURM_STEP_NUM_TASKS="4", SITU_MPI="none")) else "srun with SITU_MPI=none"


def check_mixed(mpi, other, words):
    """Another MPI on one rank: it says so, or both wait for each other until the deadline."""
    wrapper = BUILD / "group-mixed"
    wrapper.write_text(f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ] && export SITU_MPI={other.library}\nexec {RUN} norm fast\n')
    wrapper.chmod(0o755)
    # prterun hangs at times when a rank has ended so (PMIX_ERR_UNREACH)
    code, output, seconds = again(lambda: mpi.run(2, program=wrapper, SITU_GROUP_DEADLINE="2", seconds=15), lambda code, output: code is None and words in output)
    wrapper.unlink()
    good = code not in (0, None) and seconds < 8 * SLOW and words in output
    return "" if good else f"{other.name} on rank 1 under {mpi.name}: code {code} after {seconds:.1f} s\n{output[-1000:]}"


MIXES = [
    ("MPICH 5", "MPICH 4", "has not ended within 2 s; do all ranks use the same MPI"),
    ("MPICH 4", "MPICH 5", "has not ended within 2 s; do all ranks use the same MPI"),
    ("Open MPI 4", "Open MPI 5", "was started by the mpirun of Open MPI 4, but SITU_MPI names Open MPI 5"),
    ("Open MPI 5", "Open MPI 4", "was started by the mpirun of Open MPI 5, but SITU_MPI names Open MPI 4"),
    ("MPICH 5", "Open MPI 5", "was started by the mpiexec of MPICH (hydra), but SITU_MPI names Open MPI 5"),
    ("Open MPI 4", "MPICH 5", "was started by the mpirun of Open MPI 4, but SITU_MPI names MPICH 5"),
]


def main():
    problems = compile_program("training.c", RUN) + compile_program("mismatches.c", CLASH)
    if problems:
        print(f"FAIL group training: a program does not compile\n{problems}")
        return 1
    mpis = list(find())
    reference, problems = references()
    bad = tell("LeNet, batch norm with dropout, a GPT: one process, on the CPU and 1, 2 and 4 simulated GPUs", problems)
    last = mpis[-1] if mpis else None
    for mpi in mpis:
        numbers = (1, 2, 3, 4, 7) if LONG else (3, 7) if mpi is last else ()
        bad |= bool(numbers) and tell(f"{mpi.name}: the same by {numbers} ranks", [check_network(mpi, net, n, reference[net]) for net in NETS for n in numbers])
        if LONG or mpi is last:
            bad |= tell(f"{mpi.name}: the same by 2 ranks of 2 simulated GPUs", [check_network(mpi, net, 2, reference[net], 2) for net in NETS])
            near = result(alone("norm", "global"))[0]
            bad |= tell(f"{mpi.name}: fast, and with the moments of all rows", [
                check_fast(mpi, "lenet", 3, "fast", result(alone("lenet", "fast"))[0]), *(check_fast(mpi, "norm", n, "global", near) for n in (2, 3))])
            bad |= tell(f"{mpi.name}: what one rank does wrong in training is told on each", [check_wrong_training(mpi, reference["norm"]), check_folder(mpi)])
    if not mpis:
        return bad
    bad |= tell("files as MNIST's, by `situ train`", [check_idx(mpis if LONG else [last], (1, 2, 3, 4, 7) if LONG else (2, 7))])
    kept = hashes(alone(*KEEPS[:-4], program=SITU))[0][0]
    for mpi in mpis if LONG else [last]:
        bad |= tell(f"{mpi.name}: gone on with another number of ranks", [check_resume(mpi, kept, 3, (1, 2, 4) if LONG else (1, 2))])
        began = time.monotonic()
        mpi.run(2, *KEEPS[:-4], program=SITU)
        longest = time.monotonic() - began
        bad |= tell(f"{mpi.name}: a rank is killed, one rank fewer goes on", [check_kills(mpi, kept, 13 if LONG else 2, longest)])
        bad |= tell(f"{mpi.name}: all ranks are stopped for 6 s, with a deadline of 4 s", [check_suspended(mpi, kept, longest / 2)])
    some = CLASHES if LONG else DRAW.sample(CLASHES, 8)
    bad |= tell(f"{last.name}: {len(some)} mismatches are told on every rank in under 5 s", [check_clash(last, *c) for c in some])
    if LONG:
        for mpi in mpis[:-1]:
            bad |= tell(f"{mpi.name}: 20 mismatches", [check_clash(mpi, *c) for c in DRAW.sample(CLASHES, 20)])
    for mpi in mpis if LONG else [last]:
        found = check_link(mpi)
        if found is None:
            print(f"SKIP group: {mpi.name}: a cut link: no user and network namespaces can be made here")
        else:
            bad |= tell(f"{mpi.name}: a link between two machines is cut", [found])
    by_name = {mpi.name: mpi for mpi in mpis}
    found = check_ends(by_name["MPICH 4"]) if "MPICH 4" in by_name else None
    if found is None:
        print("SKIP group: MPICH 4: 20 ends on two machines: it is not here, or no user and network namespaces can be made")
    else:
        bad |= tell("MPICH 4: 20 ends on two machines", [found])
    mixed = [check_mixed(by_name[a], by_name[b], words) for a, b, words in MIXES if {a, b} <= by_name.keys()]
    bad |= tell("srun without PMI; two MPIs", [check_srun(), *mixed])
    for program in (RUN, CLASH):
        program.unlink()
    return bad


if __name__ == "__main__":
    sys.exit(main())
