#!/usr/bin/env python3
"""Plants each fault of gate_mutations.txt in a copy of the tree; the gate has to find all of them. A row for each says by what it was
found: first the checks that compile nothing (scripts/test --tree), then the jobs that should see it, one after the other.

usage: tests/release/gate_mutations.sh [--list] [--copy FOLDER] [NAME ...]

  --list         the faults with their jobs, and which of them have to be renewed
  --copy FOLDER  keeps the copy there, with what was built in it
  NAME           these faults only
"""
import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/release/gate_mutations.txt"
PATCHES = ROOT / "tests/judge/mutations"
LONGEST = 1800  # seconds of one job with its build


class Renew(Exception):
    """The tree has changed under a fault."""


@dataclasses.dataclass
class Fault:
    name: str
    jobs: list
    as_is: bool = False  # neither generated nor formatted anew: that is the fault
    edits: list = dataclasses.field(default_factory=list)  # [file, old text, new text]
    patch: pathlib.Path = None

    def check_jobs(self):
        """Each job is a file."""
        places = {"tree": "tests/tree/{}.*", "check": "tests/checks/{}.*", "python": "tests/python/test_{}.py"}
        for job in self.jobs:
            kind, name = job.split("/")
            if not list(ROOT.glob(places.get(kind, "tests/unit/test_{}.c").format(name))):
                raise Renew(f"there is no job {job}")

    def text(self, root, file, so_far):
        return so_far[file] if file in so_far else (root / file).read_text()

    def apply(self, root):
        """{file: text} of the files that it changes."""
        changed = {}
        for file, old, new in self.edits:
            if file not in changed and not (root / file).is_file():
                raise Renew(f"there is no {file}")
            text = self.text(root, file, changed)
            if text.count(old) != 1:
                raise Renew(f"{file} has {text.count(old)} times: {old.strip()[:100]}")
            changed[file] = text.replace(old, new)
        return changed


def read_faults():
    """A fault begins with "fault NAME: JOB ..."; "in FILE" begins an edit, whose lines are those of a patch, or "old => new" within a
    line, each with four spaces before it."""
    faults, file = [], None
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if line.startswith("fault "):
            name, jobs = line[6:].split(": ")
            faults.append(Fault(name, jobs.split()))
        elif line == "as is":
            faults[-1].as_is = True
        elif line.startswith("in "):
            faults[-1].edits.append([line[3:], "", ""])
        elif line.startswith("    ") and " => " in line:
            old, new = line[4:].split(" => ", 1)
            faults[-1].edits[-1][1:] = [old, new]
        elif line[:1] in ("-", "+", "|"):
            edit, text = faults[-1].edits[-1], line[1:] + "\n"
            edit[1] += text if line[0] != "+" else ""
            edit[2] += text if line[0] != "-" else ""
        elif line and not line.startswith("# "):
            sys.exit(f"{LIST.name}:{number}: {line}")
    return faults + [Fault("judge_" + p.stem, ["check/judge"], patch=p) for p in sorted(PATCHES.glob("*.patch"))]


def run(command, folder, log=None, limit=LONGEST, **environment):
    """Whether it ended well, and what it said. A group of processes of its own, which ends with it."""
    env = {**os.environ, **environment}
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    try:
        said, _ = process.communicate(timeout=limit)
        return process.returncode == 0, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return False, process.communicate()[0] + f"\nFAIL {command[0]}: not done after {limit} s\n"
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def must(command, folder):
    good, said = run(command, folder)
    if not good:
        raise Renew(f"{' '.join(command)}: " + "\n".join([line for line in said.splitlines() if "error" in line][:3] or said.splitlines()[-3:]))


class Copy:
    """The tree as it is now, under a git of its own, which takes a fault out again."""

    def __init__(self, folder):
        self.folder = folder
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            files = subprocess.run("git ls-files -z --cached --others --exclude-standard", shell=True, cwd=ROOT, capture_output=True, check=True).stdout
            subprocess.run(["xargs", "-0", "cp", "--parents", "-t", str(folder)], input=files, cwd=ROOT, check=True)
            (folder / "tests/tree/faults.sh").unlink()  # a fault that is planted does not fit any more
            self.git("init", "-q")
            (folder / ".git/info/exclude").write_text("/build*\n")  # links to folders, too
            self.git("add", "-A")
            self.git("-c", "user.name=situ", "-c", "user.email=situ", "commit", "-q", "-m", "The tree")
        for name in ("build-fakecuda", "build-mpi", "build-pjrt", "build-nvrtc"):  # what scripts/test --prepare has brought
            if (ROOT / name).exists() and not (folder / name).exists():
                (folder / name).symlink_to((ROOT / name).resolve())

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.folder, check=True)

    def reset(self):
        self.git("checkout", "-q", ".")
        self.git("clean", "-fdq")

    def plant(self, fault):
        self.reset()
        if fault.patch:
            must(["git", "apply", str(fault.patch)], self.folder)
        for file, text in fault.apply(self.folder).items():
            (self.folder / file).write_text(text)
        if fault.as_is:
            return
        for patch in sorted((self.folder / "tests/judge/mutations").glob("*.patch")):  # tests/tree/text.py wants them to apply
            if not run(["git", "apply", "--check", str(patch)], self.folder)[0]:
                patch.unlink()
        must(["python3", "scripts/generate.py"], self.folder)
        written = [f for f in self.changed() if f.endswith((".c", ".h")) and re.match("(src|cli|python/src|include)/", f) and not re.search("/call/|/made", f)]
        if written:  # scripts/format for these alone
            must([os.environ.get("SITU_CLANG_FORMAT", "clang-format-14"), "-i", *written], self.folder)

    def changed(self):
        return subprocess.run(["git", "diff", "--name-only", "--diff-filter=d"], cwd=self.folder, capture_output=True, text=True, check=True).stdout.split()

    def follow(self, other):
        """The fault of another copy."""
        self.reset()
        for file in other.changed():
            (self.folder / file).write_bytes((other.folder / file).read_bytes())


def first_line(said):
    """What the first failure is."""
    lines = [line for line in said.splitlines() if re.match(r"FAIL |.*\*\*\*Failed|.*\*\*\*Timeout", line)]
    return (lines or said.splitlines()[-1:] or [""])[0][:110]


class Gate:
    """The gate: its runner of jobs."""

    def __init__(self, copies):
        self.still, self.built = copies

    def tree(self, fault):
        return run(["scripts/test", "--tree"], self.still.folder)

    def job(self, job):
        good, said = run(["scripts/test", "--gate", "--jobs", f"^{re.escape(job)}$"], self.built.folder)
        if wrong := re.search(r"no job has such a name|^FAIL build", said, re.M):
            raise Renew(f"{job}: {wrong[0]}")  # nothing was tried
        return good, said


def find(gate, fault):
    """Which job found it, with what it said; None: none."""
    gate.still.plant(fault)
    gate.built.follow(gate.still)
    good, said = gate.tree(fault)
    meant = fault.jobs[0].startswith("tree/")
    if not good and not meant:
        raise Renew(f"the checks of the tree see it already: {first_line(said)}")
    if not good:
        return "--tree", first_line(said)
    for job in fault.jobs:
        if not job.startswith("tree/"):
            good, said = gate.job(job)
            if not good:
                return job, first_line(said)
    return None


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--copy", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    faults = read_faults()
    if unknown := set(options.names) - {fault.name for fault in faults}:
        sys.exit(f"there is no fault {' '.join(sorted(unknown))}; see --list")
    faults = [fault for fault in faults if not options.names or fault.name in options.names]
    found = renew = 0
    if options.list:
        for fault in faults:
            try:
                fault.check_jobs()
                fault.apply(ROOT)
                print(f"{fault.name}: {' '.join(fault.jobs)}")
            except Renew as why:
                renew += 1
                print(f"{fault.name}: {' '.join(fault.jobs)}: has to be renewed: {why}")
        sys.exit(renew > 0)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.copy or pathlib.Path(scratch)).resolve()
        gate = Gate([Copy(folder / "still"), Copy(folder / "built")])
        for fault in faults:
            start = time.monotonic()
            try:
                by = find(gate, fault)
                said = f"{by[0]} | {by[1]}" if by else "NOT FOUND"
                found += by is not None
            except Renew as why:
                said = f"NOT PLANTED, it has to be renewed: {why}"
            print(f"{fault.name} | {said} | {time.monotonic() - start:.0f} s", flush=True)
    print(f"{'PASS' if found == len(faults) else 'FAIL'} gate_mutations: {found} of {len(faults)} faults found")
    sys.exit(found != len(faults))


main()
