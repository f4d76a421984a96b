#!/usr/bin/env python3
"""Proofs of four trainings, written on two simulated GPUs: LeNet with batch norms and dropout, a small GPT, CartPole with its world inside
the program, and a loop of its own over digits. Each is verified on the plain instruction set and in three processes; the commitment is the
same on each number of devices and processes. The loop goes on after it was killed, and what it cannot repeat is told.
proof_loops.py WORDS... also verifies all of them by a program that these words start, such as one under an emulator."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import proof  # noqa: E402
from proof import BUILD, SITU, check, expect, launchers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["lenet", "gpt", "cartpole", "digits"]


def compiled(folder):
    program = folder / "programs"
    words = [os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", *os.environ.get("CFLAGS", "").split(), f"-I{ROOT}/include",
             str(ROOT / "tests/checks/proof_programs.c"), "-o", str(program), str(BUILD / "libsitu.a"), "-lm", "-ldl", "-lpthread"]
    done = subprocess.run(words, capture_output=True, text=True)
    return check("the programs compile", not done.returncode, done.stderr[-800:]) and program


def run(*words, **environment):
    done = subprocess.run(list(map(str, words)), env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
    found = re.search(r"^commitment: ([0-9a-f]{64})$", done.stdout, re.M)
    return done.returncode, found and found[1], done.stdout + done.stderr


def in_all_ways(program, root, elsewhere):
    mpi = next(launchers(), None)
    alone = {f"{k}_ALLOW_RUN_AS_ROOT{c}": "1" for k in ("OMPI", "PRTE") for c in ("", "_CONFIRM")} | {"SITU_THREADS": "1"}
    for name in PROGRAMS:
        folder = root / name
        code, commitment, said = run(program, name, folder, 2, SITU_SIM_GPUS="2")
        if not check(f"{name} writes a proof on two devices", code == 0 and commitment, said):
            continue
        code, other, said = run(program, name, root / f"{name}0", 0, SITU_ISA="baseline")
        check(f"{name} has the same commitment on the CPU by plain instructions", other == commitment, said)
        equal = r"equal: \d+ entries( and \d+ states)?, every bit"
        expect(f"{name} by plain instructions", 0, equal, "verify", folder, "--commitment", commitment, "--", program, name, "x", SITU_ISA="baseline")
        if mpi:
            code, other, said = run(*mpi, "-n", 3, program, name, root / f"{name}3", **alone)
            check(f"{name} has the same commitment in three processes", other == commitment, said)
            expect(f"{name} in three processes", 0, equal, "verify", folder, "--", *mpi, "-n", 3, program, name, "x", **alone)
        for words in elsewhere:
            expect(f"{name} by {' '.join(words)}", 0, equal, "verify", folder, "--", *words, name, "x")
    if not mpi:
        print("SKIP proof loops: no MPI is here; scripts/test --prepare installs one")


def of_a_loop(program, root):
    good = root / "digits"
    whole = (good / "proof.log").read_text()
    expect("drawn steps of a loop, one process for each range", 0, r"in [2-9] ranges(.|\n)*equal: \d+ entries and [1-9] states", "verify", good, "--steps", 4,
           "--seed", 5, "--", program, "digits", "x")
    expect("some steps of a loop", 0, r"repeating 2[0-9] of(.|\n)*equal: \d+ entries and 1 states", "verify", good, "--steps", "80..90", "--", program, "digits", "x")
    expect("another learning rate", 1, r'differs: another option: "optimizer lr 0.01" in the log, "optimizer lr 0.02"', "verify", good, "--", program, "digits", "x", PROOF_LR="0.02")
    expect("a batch from the time", 1, r"differs: step 1: the batch differs: .*rows that cannot be repeated", "verify", good, "--", program, "digits", "x", PROOF_TIME="1")
    expect("another program", 1, r'differs: another option: "note digits" in the log, "note cartpole" here', "verify", good, "--", program, "cartpole", "x")
    killed, kills = root / "killed", 0
    for stop in (30, 60, 111):
        code, _, said = run(program, "digits", killed, 0, stop)
        kills += code == -9
    with (killed / "proof.log").open("a") as file:  # as if the last write was cut
        file.write("step 9999\nbatch 0")
    code, commitment, said = run(program, "digits", killed, 0)
    check("a loop that was killed goes on", kills == 3 and code == 0 and commitment, f"{kills} kills, {said}")
    check("and has the commitment of an undisturbed one", whole.endswith(f"hash {commitment}\n"), commitment)
    expect("after kills", 0, r"equal: \d+ entries, every bit", "verify", killed, "--", program, "digits", "x")
    state = sorted(good.glob("proof-*.safetensors"))[2]
    forged = root / "forged"
    shutil.copytree(good, forged)
    data = bytearray(state.read_bytes())
    size = int.from_bytes(data[:8], "little")
    begin = json.loads(data[8:8 + size])["1.bias"]["data_offsets"][0]
    data[8 + size + begin] ^= 1
    (forged / state.name).write_bytes(data)
    expect("a state that is not the loop's", 1, r"differs: step 75: tensor f32\[32\] 1.bias differs", "verify", forged, "--steps", "76..80", "--", program, "digits", "x")


def python_loop(root):
    python = BUILD / "package/use/bin/python"
    if not python.exists():
        print("SKIP proof loops: the package is not installed; the job build/package says why")
        return
    script = ROOT / "tests/support/proof_loop_program.py"
    folder = root / "python"
    code, _, said = run(python, script, folder, 40)
    check("a loop of Python is killed", code == -9, said)
    code, commitment, said = run(python, script, folder)
    check("and goes on", code == 0 and commitment, said)
    code, other, said = run(python, script, root / "python2")
    check("with the commitment of an undisturbed one", other == commitment, said)
    expect("a loop of Python", 0, r"equal: \d+ entries, every bit", "verify", folder, "--", python, script, "x", SITU_ISA="baseline")
    expect("steps of a loop of Python", 0, r"equal: \d+ entries and 1 states", "verify", folder, "--steps", "41..45", "--", python, script, "x")


def main():
    root = pathlib.Path(tempfile.mkdtemp())
    try:
        program = compiled(root)
        if program:
            words = sys.argv[1:]
            in_all_ways(program, root, [words] if words else [])
            of_a_loop(program, root)
            python_loop(root)
    finally:
        shutil.rmtree(root)
    if not proof.status:
        print("PASS proof loops: four programs are verified in other ways, their commitments do not depend on devices, processes or time")
    return proof.status


if __name__ == "__main__":
    sys.exit(main())
