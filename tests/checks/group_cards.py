#!/usr/bin/env python3
"""Cards of several processes, on the fake libcuda and NCCL of tests/fakecuda: tests/group/cards.c under the launcher of each MPI that is
here; the digits end in the weights of one process; an NCCL that fails or differs on one rank, and a rank that is killed inside of it."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from group import BUILD, LONG, ROOT, SITU, find, hashes, in_turn, said, tell  # noqa: E402

FAKE = BUILD / "fakecuda"
PROGRAM = BUILD / "group-cards"
CARDS = {"SITU_SIM_GPUS": "0", "SITU_GPUS": "cuda", "SITU_LIBCUDA": FAKE / "libcuda.so.1", "SITU_NVRTC": FAKE / "libnvrtc.so", "SITU_NVML": FAKE / "libnvidia-ml.so",
         "SITU_NCCL": FAKE / "libnccl.so", "SITU_CUBLASLT": "none", "SITU_CUDNN": "none", "FAKECUDA_DEVICES": "1", "FAKECUDA_MEMORY": "256", "FAKECUDA_CACHE": os.environ.get("FAKECUDA_CACHE") or FAKE / "cache"}
TRAIN = ["train", "--quiet", "--epochs", "1", "--hash", "--hidden", "40", "--device", "gpu(0)"]
SECONDS = 300  # kernels are compiled by the C++ compiler


def run(mpi, ranks, *arguments, program=PROGRAM, seconds=SECONDS, **more):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report")
        code, output, took = mpi.run(ranks, *arguments, program=program, seconds=seconds, **{k: str(v) for k, v in {**CARDS, **more, "FAKECUDA_REPORT": report}.items()})
        return code, output + (report.read_text() if report.exists() else ""), took


def check_values(mpi, ranks, engine, **more):
    code, output, seconds = run(mpi, ranks, "values", **more)
    lines = said(output, ranks)
    good = code == 0 and sorted(lines) == list(range(ranks)) and "fakecuda: " not in output
    good &= all(engine in line[-1] and line[-1].endswith(": 0 wrong") and ("NCCL" in line[-1]) == ("NCCL" in engine) for line in lines.values())
    return "" if good else f"{ranks} ranks by {engine}: code {code} after {seconds:.1f} s\n{output[-2000:]}"


def one_process():
    env = {**os.environ, **{k: str(v) for k, v in CARDS.items()}}
    done = subprocess.run([SITU, *TRAIN, "--deterministic"], capture_output=True, text=True, env=env)
    return (hashes(done.stdout) or [(done.stdout + done.stderr, "")])[0][0]


def check_training(mpi, ranks, reference, **more):
    for mode in (["--deterministic"], []):
        code, output, seconds = run(mpi, ranks, *TRAIN, *mode, program=SITU, **more)
        found = hashes(output)
        if code or len(found) != ranks or len({h for h, _ in found}) != 1 or (mode and found[0][0] != reference) or "fakecuda: " in output:
            return f"{ranks} ranks {mode}: code {code} after {seconds:.1f} s, not {reference}\n{output[-1500:]}"
    return ""


def odd(folder, rank, setting):
    """A launcher's program that sets a variable on one rank."""
    path = pathlib.Path(folder, "odd.sh")
    path.write_text(f'#!/bin/sh\n[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ] && export {setting}\nexec "$@"\n')
    path.chmod(0o755)
    return path


# What is otherwise on a rank; what its own message says, and what the others' say (None: it is killed, and ends all).
FAULTS = (
    (1, "FAKECUDA_FAIL=ncclAllReduce:2:3", "ncclAllReduce: internal error", "rank 1 has failed: ncclAllReduce: internal error"),
    (0, "FAKECUDA_FAIL=ncclCommInitRankConfig:1:2", "ncclCommInitRankConfig: unhandled system error", "rank 0 has failed: ncclCommInitRankConfig"),
    (1, "FAKENCCL_ERROR=8:6", "remote process exited or there was a network error", "rank 1 has failed: nccl"),
    (1, "SITU_NCCL=none", "rank 0 has NCCL 2.20.0, but rank 1 none (SITU_NCCL=none); all ranks have the same, or SITU_NCCL=none", None),
    (0, "FAKENCCL_VERSION=22105", "rank 0 has NCCL 2.21.5, but rank 1 2.20.0; all ranks have the same, or SITU_NCCL=none", None),
    (0, "SITU_LIBCUDA=none", "gpu(0) does not exist", "rank 1 has NCCL 2.20.0, but rank 0 none (there is no card of NVIDIA's)"),
)
# What a rank calls otherwise than the others.
MISTAKES = (("cpu", "its tensor is on the card on all ranks, or on none"), ("first", "its tensor is on the card on all ranks, or on none"),
            ("dtype", "all ranks make the same calls"), ("exit", "has ended"))


def check_fault(mpi, rank, setting, own, others):
    with tempfile.TemporaryDirectory() as folder:
        code, output, seconds = run(mpi, 2, PROGRAM, "fault", 0, program=odd(folder, rank, setting), seconds=60)
    lines = said(output, 2)
    good = code not in (0, None) and own in " ".join(lines.get(rank, [""])) and (others or own) in " ".join(lines.get(1 - rank, [""]))
    return "" if good else f"{setting} on rank {rank}: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_mistake(mpi, what, words, rank):
    code, output, seconds = run(mpi, 2, what, rank, seconds=60)
    lines = said(output, 2)
    who = [1 - rank] if what == "exit" else [0, 1]
    good = code not in (0, None) and all(words in lines.get(r, [""])[-1] and f"rank {rank} " in lines.get(r, [""])[-1] for r in who)
    return "" if good else f"{what} by rank {rank}: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_killed(mpi):
    """While NCCL runs."""
    with tempfile.TemporaryDirectory() as folder:
        code, output, seconds = run(mpi, 2, PROGRAM, "fault", 0, program=odd(folder, 1, "FAKENCCL_KILL=2"), seconds=60)
    return "" if code and seconds < 15 else f"a rank that is killed inside of NCCL: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def check_alike(mpi):
    code, output, seconds = run(mpi, 2, "fault", 0, FAKENCCL_ALIKE="1", seconds=60)
    good = code not in (0, None) and all("Duplicate GPU detected" in line[-1] and "each rank takes a card of its own" in line[-1] for line in said(output, 2).values())
    return "" if good else f"two ranks on one card: code {code} after {seconds:.1f} s\n{output[-1500:]}"


def main():
    made = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-I", ROOT / "include", "tests/group/cards.c", "-o", PROGRAM, f"-L{BUILD}", "-lsitu",
                           f"-Wl,-rpath,{BUILD}"], cwd=ROOT, capture_output=True, text=True)
    if made.stderr:
        print(f"FAIL group cards: the program does not compile\n{made.stderr}")
        return 1
    mpis, bad = list(find()), 0
    reference = one_process()
    for mpi in in_turn(mpis):
        last = mpi is mpis[-1]
        numbers = (2, 3) if LONG or last else (2,)
        bad |= tell(f"{mpi.name}: cards of {' and '.join(map(str, numbers))} ranks by NCCL", [check_values(mpi, n, "cards by NCCL 2.20.0") for n in numbers])
        bad |= tell(f"{mpi.name}: a rank fails inside of NCCL, or is killed there", [check_fault(mpi, *f) for f in (FAULTS if LONG or last else FAULTS[:2])] + [check_killed(mpi)])
        if not LONG and not last:
            continue
        bad |= tell(f"{mpi.name}: cards without NCCL go by the host's memory", [check_values(mpi, 2, f"by {mpi.name}", SITU_NCCL="none")])
        bad |= tell(f"{mpi.name}: the digits on cards end in the weights of one process", [*(check_training(mpi, n, reference) for n in numbers), check_training(mpi, 2, reference, SITU_NCCL="none")])
        bad |= tell(f"{mpi.name}: what ranks do not agree about is told", [*(check_mistake(mpi, *m, r) for m in MISTAKES for r in (0, 1)), check_alike(mpi)])
    PROGRAM.unlink()
    return bad


if __name__ == "__main__":
    sys.exit(main())
