#!/usr/bin/env python3
"""Proofs of trainings: written, and verified on another instruction set, other devices and other numbers of processes; after kills and
resumed runs; and forgeries, in most of which every later hash was made consistent again, so that only repeating the steps finds them."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ.get("SITU_BUILD_DIR", "build")).resolve()
SITU = str(BUILD / "situ")
TRAIN = ["train", "--quiet", "--epochs", "2", "--hidden", "24", "--deterministic"]
status = 0


def situ(*words, **environment):
    done = subprocess.run([SITU, *map(str, words)], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def check(title, good, *more):
    global status
    if not good:
        status = 1
        print("FAIL proof:", title, *more)
    return good


def expect(title, code, pattern, *words, **environment):
    got, said = situ(*words, **environment)
    return check(title, got == code and re.search(pattern, said), f"ended with {got}, not {code}, or has no '{pattern}':\n{said[-1500:]}")


# ---- forging --------------------------------------------------------------------------------------------------------------------

def records(folder):
    """The records of a log, each a list of its lines without that of the hash."""
    found, lines = [], []
    for line in (folder / "proof.log").read_text().splitlines():
        if line.startswith("hash "):
            found.append(lines)
            lines = []
        else:
            lines.append(line)
    assert not lines
    return found


def write(folder, parts):
    """Writes a log whose hashes are all consistent."""
    before, text = "", ""
    for lines in parts:
        body = "".join(line + "\n" for line in lines)
        digest = hashlib.sha256((before + body).encode()).hexdigest()
        before = before if lines[0].startswith("aside ") else digest
        text += body + f"hash {digest}\n"
    (folder / "proof.log").write_text(text)


def other(digest):
    """Another hash than this one."""
    return hashlib.sha256(digest.encode()).hexdigest()


def line(kind, change, at=None, which=0):
    """A forgery of one line: of the records that have a line of this kind, in record number `at` (or the one of the step that it names),
    the line number `which`."""
    def forge(parts):
        with_it = [r for r in parts if any(text.startswith(kind) for text in r)]
        r = next(r for r in parts if r[0] == at) if isinstance(at, str) else with_it[len(with_it) // 2 if at is None else at]
        i = [k for k, text in enumerate(r) if text.startswith(kind)][which]
        new = change(r[i])
        assert new != r[i], kind
        r[i] = new
        return parts
    return forge


def rehash(text):
    words = text.split(" ")
    words[1] = other(words[1])
    return " ".join(words)


def replaced(a, b):
    return lambda text: text.replace(a, b)


def everywhere(kind, change):
    def forge(parts):
        return [[change(text) if text.startswith(kind) else text for text in r] for r in parts]
    return forge


def entry(parts, i):
    """Where in these records entry number i is."""
    return [k for k, r in enumerate(parts) if r[0].startswith(("step ", "aside step "))][i]


def swapped(first, second):
    """The bodies of two entries change places; their steps stay."""
    def forge(parts):
        i, j = entry(parts, first), entry(parts, second)
        parts[i], parts[j] = [parts[i][0], *parts[j][1:]], [parts[j][0], *parts[i][1:]]
        return parts
    return forge


def patch_state(folder, name, element, value):
    """Writes a value into a tensor of a state that was kept."""
    path = sorted(folder.glob("proof-*.safetensors"))[0]
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[:8], "little")
    begin = json.loads(data[8:8 + size])[name]["data_offsets"][0]
    at = 8 + size + begin + 4 * element
    data[at:at + 4] = struct.pack("<f", value)
    path.write_bytes(data)


# ---- the table -------------------------------------------------------------------------------------------------------------------

def edited(change):
    """A forgery of the bytes, by somebody who cannot compute hashes."""
    return lambda folder: (folder / "proof.log").write_bytes(change((folder / "proof.log").read_bytes()))


def consistent(forge):
    """A forgery of the records whose hashes all fit again."""
    return lambda folder: write(folder, forge(records(folder)))


def cut_after(text, count):
    """Of these bytes those up to the line that begins with `text` for the count-th time."""
    def change(data):
        at = -1
        for _ in range(count):
            at = data.index(text, at + 1)
        return data[:data.index(b"\n", at) + 1]
    return change


# What it is, what is told, and how it is made. Those of `consistent` have right hashes everywhere.
EDITED = [
    ("a digit of a loss", r":\d+: this hash is not that of what stands above it", edited(lambda d: d.replace(b"\nloss 4", b"\nloss 3", 1))),
    ("a digit of a hash", r"this hash is not that|no log", edited(lambda d: (lambda i: d[:i] + (b"0" if d[i:i + 1] != b"0" else b"1") + d[i + 1:])(d.index(b"\nhash ") + 6))),
    ("an option", r"this hash is not that", edited(lambda d: d.replace(b"optimizer lr 0.005", b"optimizer lr 0.006"))),
    ("the key", r"this hash is not that", edited(lambda d: d.replace(b"\nkey 0", b"\nkey 1"))),
    ("an entry taken out", r"this hash is not that", edited(lambda d: d[:d.index(b"step 17\n")] + d[d.index(b"step 20\n"):])),
    ("lines in another order", r"this hash is not that", edited(lambda d: b"\n".join(d.split(b"\n")[:4] + d.split(b"\n")[5:6] + d.split(b"\n")[4:5] + d.split(b"\n")[6:]))),
    ("cut after an entry", r"the log has no end: the run was killed, or the log was cut after step \d+\n", edited(cut_after(b"hash ", 4))),
    ("cut within an entry", r"cut after step \d+, within a record", edited(lambda d: cut_after(b"hash ", 4)(d) + b"step 40\nbatch ")),
    ("cut to nothing", r"no log of a proof", edited(lambda d: b"")),
    ("cut within the first record", r"ends before its first hash", edited(lambda d: d[:100])),
    ("a zero byte", r"a zero byte", edited(lambda d: d + b"\0")),
    ("another file", r"no log of a proof", edited(lambda d: b"{}\n" + d)),
]
CONSISTENT = [
    ("a weight after the first step", r"step 1: tensor f32\[24,64\] 1.weight differs", line("tensor", rehash, 0, 1)),
    ("a weight in the middle", r"step \d+: tensor u32\[2\] situ/key differs", line("tensor", rehash)),
    ("the last bias", r"step 90: tensor f32\[10\] 4.bias differs", line("tensor", rehash, -1, 4)),
    ("a moment of the optimizer", r"situ/optimizer/1/4.bias differs", line("tensor", rehash, 3, 12)),
    ("a loss", r"step \d+: the loss differs: \S+ in the log, \S+ here", line("loss", lambda t: t[:11] + "10"[t[11] == "1"] + t[12:], 3)),
    ("a loss in decimals alone", r"the loss differs", line("loss", lambda t: t[:-1] + str(9 - int(t[-1])))),
    ("the order of a batch", r"step \d+: the batch differs", line("batch", rehash, 3)),
    ("the labels of a batch", r"step \d+: the batch differs", line("batch", rehash, 4, 1)),
    ("numbers of the optimizer", r"step 17: numbers of the network or the optimizer differ", line("numbers", rehash, 1)),
    ("rows of the data", r"the data differ: rows 256 to 511", line("rows", rehash, 0, 1)),
    ("the last rows", r"the data differ: rows 1280 to 1437", line("rows", rehash, 0, 5)),
    ("rows left out", r"log has less than here: rows", lambda parts: [[t for t in parts[0] if "1280 to" not in t], *parts[1:]]),
    ("the name of the data", r"other data: ", line("data", replaced("1438 rows", "1437 rows"))),
    ("the key of the trainer", r"another option: \"key 1\" in the log, \"key 0\" here", line("key", replaced("0", "1"))),
    ("the learning rate", r"another option: \"optimizer lr 0.05", line("optimizer lr", replaced("0.005", "0.05"))),
    ("the optimizer", r"\"optimizer sgd\" in the log, \"optimizer adam\" here", line("optimizer adam", replaced("adam", "sgd"))),
    ("an option more", r"\"option accumulate 1\"", line("option accumulate", lambda t: "option momentum 0.9")),
    ("the program's learning rate", r"step 1: |optimizer lr", everywhere("note", replaced("--lr 0.005", "--lr 0.006"))),
    ("the program's key", r"another option: \"key 0\" in the log, \"key 3\" here|other data|the data differ", everywhere("note", replaced("--key 0", "--key 3"))),
    ("the program's dropout", r"step 1: the loss differs", everywhere("note", replaced("--dropout 0.4", "--dropout 0.2"))),
    ("the program's width", r"step 1: the loss differs", everywhere("note", replaced("--hidden 24", "--hidden 25"))),
    ("the program without deterministic", r"\"option deterministic 1\" in the log, \"option deterministic 0\"", everywhere("note", replaced(" --deterministic", ""))),
    ("more epochs than the entries have", r"max_epochs", everywhere("note", replaced("--epochs 2", "--epochs 3"))),
    ("more epochs in options, too", r"step 17: numbers|step \d+: ", lambda parts: everywhere("option max_epochs", replaced("2", "3"))(everywhere("note", replaced("--epochs 2", "--epochs 3"))(parts))),
    ("an option of the program that writes", r"the note has --plot, which is no option", everywhere("note", lambda t: t + " --plot /tmp/x.svg")),
    ("an entry at another step", r"step 41: ", line("step 40", lambda t: "step 41")),
    ("two entries exchanged", r"step \d+: the batch differs", swapped(2, 3)),
    ("a step more at the end", r"the training ends after step 90|step 91|the log goes on", lambda parts: [*parts[:-2], ["step 91", *parts[-3][1:]], parts[-2], ["end 91 epochs"]]),
    ("the end before the end", r"the training goes on after step 8\d", lambda parts: [*parts[:-3], parts[-2], [f"end {parts[-4][0].split()[-1]} epochs"]]),
    ("another reason of the end", r"the end differs: \"90 patience\" in the log, \"90 epochs\" here", line("end", replaced("epochs", "patience"))),
    ("a line too few in an entry", r"step 90: ", lambda parts: [*parts[:-3], parts[-3][:-2], *parts[-2:]]),
    ("a line too many in an entry", r"step \d+: ", lambda parts: [r + ["tensor x"] * (k == entry(parts, 2)) for k, r in enumerate(parts)]),
    ("a tensor of another shape", r"step 1: .*f32\[64,24\] 1.weight|step 1: tensor", line("tensor", replaced("[24,64]", "[64,24]"), 0, 1)),
    ("another version of situ", r"another version: the log is of situ 0.1.9", line("version", replaced("version ", "version 0.1.9 "))),
    ("another format", r"another format; this version of situ reads and writes format 1", line("situ proof", replaced("1", "2"))),
    ("an entry twice", r"cannot stand here", lambda parts: [*parts[:entry(parts, 3)], parts[entry(parts, 2)], *parts[entry(parts, 3):]]),
]
# Entries of another run below this one's beginning: what the other run had.
OTHERS = [("key", "--key", 4), ("learning rate", "--lr", 0.006), ("batch", "--batch", 31), ("dropout", "--dropout", 0.41), ("clip", "--clip", 0.1)]


def forgeries(root, good):
    number = 0

    def told(title, pattern, forge, *more):
        nonlocal number
        number += 1
        folder = root / f"forged{number}"
        shutil.copytree(good, folder)
        forge(folder)
        code, said = situ("verify", folder, "--device", "cpu", *more)
        check(f"a forgery, {title}, is told", code == 1 and re.search(pattern, said), f"code {code}, no '{pattern}':\n{said}")
        shutil.rmtree(folder)

    for title, pattern, forge in EDITED:
        told(title, pattern, forge)
    for title, pattern, forge in CONSISTENT:
        told(title, pattern, consistent(forge))
    begin = records(good)[0]
    for title, option, value in OTHERS:
        other_run = root / f"other{option}"
        situ(*TRAIN, "--proof", other_run, "--proof-every", 20, "--device", "cpu", option, value)
        theirs = records(other_run)
        told(f"the entries of a run with another {title}", r"differs: step 1: ", consistent(lambda parts: [begin, *theirs[1:]]))
    told("a step left out, its state forged", r"step 20: tensor f32\[24,64\] 1.weight differs; the first element that differs is \[0,5\]: 2.5 in the run",
         lambda folder: (patch_state(folder, "1.weight", 5, 2.5), consistent(line("tensor", rehash, "step 20", 1))(folder)))
    told("a state that is not the run's", r"step 20: tensor f32\[24\] 1.bias differs", lambda folder: patch_state(folder, "1.bias", 3, 1.0), "--steps", "21..30")
    told("an entry of the chain put aside", r"not the commitment", consistent(lambda parts: [["aside " + r[0], *r[1:]] if r[0] == "step 40" else r for r in parts]),
         "--commitment", (good / "proof.log").read_text().split()[-1])
    told("another log than the published one", r"not the commitment", lambda folder: None, "--commitment", "0" * 64)
    expect("a program that is another", 1, r"differs: another option: \"note", "verify", good, "--", SITU, *TRAIN, "--lr", "0.01", "--proof", good)
    expect("a program without a proof", 1, r"0 of \d+ entries .* does its trainer have .proof", "verify", good, "--", SITU, "train", "--quiet", "--epochs", "1")
    print(f"  {number} forgeries were made, {len(CONSISTENT) + len(OTHERS) + 1} of them with right hashes")


def killed(root, good):
    """A run that is killed again and again and resumed has the log of an undisturbed one, but for where it was cut and its times."""
    words = [*TRAIN[:3], 30, *TRAIN[4:], "--device", "cpu", "--checkpoint-every", 10, "--proof-every", 15, "--resume"]
    folder, kills = root / "killed", 0
    whole = root / "whole"
    code, said = situ(*words, "--proof", whole, "--checkpoint", whole)
    check("an undisturbed run", code == 0, said)
    log = folder / "proof.log"
    for attempt in range(4):
        size = log.stat().st_size if log.exists() else 0
        process = subprocess.Popen([SITU, *map(str, words), "--proof", folder, "--checkpoint", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and (not log.exists() or log.stat().st_size < size + 20000):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        if attempt == 2 and log.exists():  # as if the last write was cut
            with log.open("a") as file:
                file.write("step 99999\nbatch 0")
    code, said = situ(*words, "--proof", folder, "--checkpoint", folder)
    check("a run goes on after kills", code == 0 and kills > 1, f"{kills} kills", said)
    mine, theirs = ({r[0].removeprefix("aside "): ["".join(t.split("aside ")) for t in r if t != "kept"] for r in records(f)} for f in (folder, whole))
    common = [step for step in mine if step in theirs and step.startswith("step")]
    check("its entries are those of an undisturbed run", len(common) > 80 and all(mine[s] == theirs[s] for s in common), len(common))
    last = [f.read_text().split()[-1] for f in (whole / "proof.log", log)]
    check("and so is its commitment", last[0] == last[1], *last)
    expect("after kills", 0, r"equal: \d+ entries, every bit", "verify", folder, "--device", "cpu")
    code, said = situ(*TRAIN, "--key", 3, "--proof", folder, "--checkpoint", folder, "--resume")
    check("another training does not go on there", code == 1 and "of another training" in said, said)
    (folder / "proof.log").write_text((good / "proof.log").read_text())
    code, said = situ(*words[:3], 31, *words[4:], "--proof", folder, "--checkpoint", folder)
    check("nor one with the log of another run", code == 1 and "the proof in" in said and "is of another" in said, said)


def launchers():
    root = pathlib.Path(__file__).resolve().parents[2]
    for path, more in ((shutil.which("mpiexec.mpich"), []), (shutil.which("mpirun.openmpi"), ["--oversubscribe"]), (str(root / "build-mpi/mpich/bin/mpiexec"), [])):
        if path and os.path.exists(path):
            yield [path, *more]


def ranks(root, good):
    found = next(launchers(), None)
    if not found:
        print("SKIP proof: no MPI is here; scripts/test --prepare installs one")
        return
    environment = {f"{k}_ALLOW_RUN_AS_ROOT{c}": "1" for k in ("OMPI", "PRTE") for c in ("", "_CONFIRM")} | {"SITU_THREADS": "1"}
    program = [SITU, *TRAIN, "--device", "cpu", "--proof"]
    expect("in three processes", 0, r"equal: \d+ entries, every bit", "verify", good, "--", *found, "-n", 3, *program, "x", **environment)
    expect("some steps in three processes", 0, r"equal: \d+ entries and \d states", "verify", good, "--steps", 2, "--seed", 1, "--", *found, "-n", 3, *program, "x", **environment)
    folder = root / "three"
    done = subprocess.run([*found, "-n", "3", *program, folder], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
    check("three processes write a proof", done.returncode == 0, done.stdout + done.stderr)
    expect("what three processes wrote, in one", 0, r"equal: \d+ entries, every bit", "verify", folder, "--device", "cpu")


def main():
    root = pathlib.Path(tempfile.mkdtemp())
    try:
        run(root)
    finally:
        shutil.rmtree(root)
    if not status:
        print("PASS proof: a training is verified in other ways; forgeries are told")
    return status


def run(root):
    good = root / "good"
    code, said = situ(*TRAIN, "--proof", good, "--proof-every", 20, "--hash", "--gpus", 2, SITU_SIM_GPUS="2")
    commitment = re.search(r"^commitment: ([0-9a-f]{64})$", said, re.M)
    if not check("a training writes a proof", code == 0 and commitment, said):
        return
    check("the commitment is the last hash", (good / "proof.log").read_text().endswith(f"hash {commitment[1]}\n"))
    again = root / "again"
    code, said = situ(*TRAIN, "--proof", again, "--proof-every", 20, "--device", "cpu", SITU_THREADS="1")
    check("another run, on another device, has the same commitment", f"commitment: {commitment[1]}\n" in said, said)
    expect("all of it, on the CPU", 0, r"equal: \d+ entries, every bit", "verify", good, "--device", "cpu", "--commitment", commitment[1])
    expect("on the plain instruction set", 0, r"equal: \d+ entries, every bit", "verify", good, "--device", "cpu", SITU_ISA="baseline")
    expect("on three devices", 0, r"equal: \d+ entries", "verify", good, "--gpus", 3, SITU_SIM_GPUS="3")
    expect("some steps", 0, r"repeating \d+ of 90 steps, in 1 range(.|\n)*equal: \d+ entries and 1 states", "verify", good, "--steps", "45..50", "--device", "cpu")
    expect("drawn steps", 0, r"seed 7; one forged step is missed(.|\n)*equal", "verify", good, "--steps", 2, "--seed", 7, "--device", "cpu")
    epochs = root / "epochs"
    situ(*TRAIN, "--proof", epochs, "--proof-every", 45, "--device", "cpu")  # the state after the last, short batch of an epoch
    expect("from a state at the end of an epoch", 0, r"repeating \d+ of 90 steps(.|\n)*equal: \d+ entries and 1 states", "verify", epochs, "--steps", "46..50", "--device", "cpu")
    forgeries(root, good)
    killed(root, good)
    ranks(root, good)
    expect("the same program", 0, r"equal", "verify", good, "--", SITU, *TRAIN, "--proof", good, "--device", "cpu")


if __name__ == "__main__":
    sys.exit(main())
