#!/usr/bin/env python3
"""The worked changes of docs/extending are applied to a copy of the tree, which is built and used as the pages say.

"In `FILE`, after `TEXT`:", "In `FILE`, before `TEXT`:" and "New file `FILE`:" say what is done with the code block below them; the text must
be in the file once or more, the first line with it counts. "A program that uses it:" is compiled and run with a simulated GPU.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = re.compile(r"(?:In `([^`]+)`, (after|before) `([^`]+)`:|New file `([^`]+)`:|(A\s+program\s+that\s+uses\s+it):)\s*\n\n```c\n(.*?)```", re.S)


def apply(copy, page):
    """Makes the page's changes; (files touched, program) or raises ValueError."""
    touched, program = [], None
    for file, where, text, new, uses, code in STEP.findall((ROOT / "docs/extending" / page).read_text()):
        if uses:
            program = code
            continue
        path = copy / (file or new)
        touched.append(file or new)
        if new:
            if path.exists():
                raise ValueError(f"{new} is there already")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code)
            continue
        lines = path.read_text().splitlines(keepends=True)
        at = next((i for i, line in enumerate(lines) if text in line), None)
        if at is None:
            raise ValueError(f"{file} has no line with `{text}`")
        if where == "after" and not lines[at].rstrip().endswith((";", "{", ")", "}", "*/")):
            while not lines[at].rstrip().endswith((";", "{", ")")):
                at += 1
        lines.insert(at + (where == "after"), code)
        path.write_text("".join(lines))
    return sorted(set(touched)), program


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **more})
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()


def main():
    if not shutil.which("cmake") or not shutil.which(os.environ.get("CC", "cc")):
        print("SKIP extending: no cmake or no C compiler")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        run(["bash", "-c", '. scripts/lib.sh; copy_tree "$0"', folder], ROOT)
        programs = {}
        for page in sorted(p.name for p in (ROOT / "docs/extending").glob("*.md") if p.name != "README.md"):
            try:
                touched, program = apply(copy, page)
            except (ValueError, OSError) as error:
                print(f"FAIL extending: {page}: {error}")
                failed = 1
                continue
            print(f"     {page}: {len(touched)} files: {', '.join(touched)}")
            programs[page] = program
        code, log = run([sys.executable, "scripts/generate.py"], copy)
        build = copy / "out"
        for step in (["cmake", "-S", ".", "-B", "out", "-DSITU_BUILD_TESTS=OFF", "-DSITU_BUILD_PROGRAMS=OFF"], ["cmake", "--build", "out", "-j", str(os.cpu_count())]):
            code, log = run(step, copy) if not code else (code, log)
        if code:
            wrong = [line for line in log if "error" in line.lower()] or log
            print(f"FAIL extending: the copy does not build: {' | '.join(wrong[:3])}")
            return 1
        for page, program in programs.items():
            if not program:
                print(f"PASS extending: {page} builds")
                continue
            (copy / "use.c").write_text(program)
            code, log = run([os.environ.get("CC", "cc"), "-std=gnu11", "-Wall", "-Iinclude", "use.c", "-o", "use", f"-L{build}", "-lsitu", "-lm", f"-Wl,-rpath,{build}"], copy)
            if not code:
                code, log = run(["./use"], copy, SITU_SIM_GPUS="1", SITU_DEBUG="errors")
            print(f"PASS extending: {page}" if not code else f"FAIL extending: {page}: {' | '.join(log[-2:])} (status {code})")
            failed |= bool(code)
    return failed


sys.exit(main())
