#!/usr/bin/env python3
"""The programs of README.md, docs/tutorial, docs/chapter and docs/serving.md are compiled without a warning and run; what they print is what the
page says. The commands of docs/chapter are run, too, in the folder where the page's programs were.

A block of text behind a program is its output. Numbers agree to 0.2 %: the last digits of products of matrices depend on the processor. "..."
stands for anything. With --python INTERPRETER the pages' Python programs are run instead of those in C.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("SITU_BUILD_DIR", "build")).resolve()
PROGRAM = re.compile(r"^```(c|python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.S | re.M)
COURSE = {"SITU_SIM_PROFILE": "workstation"}  # as docs/chapter says
NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?")


def agree(said, printed):
    """Is every number near the said one, and all else the same?"""
    if not said:
        return True
    pattern = re.escape(" ".join(NUMBER.sub("#", said).split())).replace(r"\.\.\.", ".*")
    if not re.fullmatch(pattern, " ".join(NUMBER.sub("#", printed).split()), re.S):
        return False
    if "..." in said:
        return True
    pairs = zip(map(float, NUMBER.findall(said)), map(float, NUMBER.findall(printed)))
    return all(abs(a - b) <= 2e-3 * max(abs(a), abs(b)) + 1e-6 for a, b in pairs)


def run(language, code, folder, python, more):
    """What it printed, with more variables of the environment; ValueError with what went wrong."""
    env = {**os.environ, "SITU_SIM_GPUS": "2", "SITU_GPUS": "sim", "SITU_DEBUG": "hints", "PATH": f"{BUILD}:{os.environ['PATH']}", **more}
    source = {"c": "main.c", "python": "main.py", "sh": "main.sh"}[language]
    pathlib.Path(folder, source).write_text(code)
    steps = {"python": [[python, source]], "sh": [["bash", "-e", source]], "c": [
        [os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{ROOT}/include", source, f"-L{BUILD}", "-lsitu", "-lm",
         f"-Wl,-rpath,{BUILD}"], ["./a.out"]]}
    for step in steps[language]:
        done = subprocess.run(step, cwd=folder, capture_output=True, text=True, timeout=300, env=env)
        if done.returncode:
            raise ValueError(f"{step[0]}: {(done.stdout + done.stderr).strip()}")
        if "situ: hint: " in done.stderr:  # what is right gets none
            raise ValueError(done.stderr.strip())
    return done.stdout


def check_page(page, python):
    wanted = ("python",) if python else ("c", "sh") if page.parent.name == "chapter" else ("c",)
    found = [block for block in PROGRAM.findall(page.read_text()) if block[0] in wanted]
    if not any(block[0] == wanted[0] for block in found):
        print(f"FAIL programs: {page.stem} has none in {wanted[0]}")
    with tempfile.TemporaryDirectory() as folder:
        for number, (language, code, said) in enumerate(found, 1):
            name = f"programs: {page.stem}, program {number} in {language}"
            try:
                printed = run(language, code, folder, python, COURSE if page.parent.name == "chapter" else {})
            except (ValueError, subprocess.TimeoutExpired) as error:
                print(f"FAIL {name}: {error}")
                continue
            print(f"PASS {name}" if agree(said, printed) else f"FAIL {name} prints:\n{printed}")


def main():
    python = sys.argv[sys.argv.index("--python") + 1] if "--python" in sys.argv else None
    course = [*sorted((ROOT / "docs/chapter").glob("[0-9]*.md")), *sorted((ROOT / "docs/chapter").glob("exercises*.md"))]
    for page in [ROOT / "README.md", *sorted((ROOT / "docs/tutorial").glob("[0-9]*.md")), *course, ROOT / "docs/serving.md"]:
        check_page(page, python)


if __name__ == "__main__":
    main()
