#!/usr/bin/env python3
"""The worked changes of docs/extending are applied to a copy of the tree, which is built and used as the pages say.

"In `FILE`, after `TEXT`:", "In `FILE`, before `TEXT`:" and "New file `FILE`:" say what is done with the code block below them; the text must
be in the file once or more, the first line with it counts. "A program that uses it:", and the same "in C++:" and "in Python:", are
compiled and run with a simulated GPU; one that opens a group also on three ranks, where there is an mpirun. A program in sh has the command. What a page declares is looked for in the reference, in the C++ header and in Python's stubs.
Python needs no line by hand, but for the class of groups. An elementwise operation is in its header and in docs/operations.md as well, and its generated text gives the
interpreter's bits; gradients of operations are those of differences: unit tests say so. extending_more.md is such a page for this check alone.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = re.compile(r"(?:In `([^`]+)`, (after|before) `([^`]+)`:|New file `([^`]+)`:)\s*\n\n```(?:c|python)\n(.*?)```", re.S)
PROGRAM = re.compile(r"(?:A\s+program\s+that\s+uses\s+it[^:]*|The\s+same\s+in\s+(?:C\+\+|Python)):\s*\n\n```(c|cpp|python|sh)\n(.*?)```", re.S)
LINE = re.compile(r"^EL\d\((\w+),", re.M)  # one operation, one line
SAMPLE = re.compile(r"^(?:EL\d\(|SAMPLE\(\w+, |LOSS\()(\w+),", re.M)
DECLARED = re.compile(r"^SITU_API .*?\bsitu_(\w+)\(", re.M)
FILES = {"backend": 3, "collective": 4, "command": 3, "data_format": 2, "elementwise": 1, "layer": 2, "loss": 2, "extending_more": 3, "instruction_set": 3,
         "optimizer": 2, "python_function": 2, "structured": 3, "structured_devices": 4}  # at most
LINES = {"instruction_set": 3}  # elsewhere, at most


def apply(copy, page):
    """Makes the page's changes; (files touched, names declared, programs by language, lines elsewhere) or raises ValueError."""
    touched, names, words, elsewhere = [], [], page.read_text(), 0
    for file, where, text, new, code in STEP.findall(words):
        names += DECLARED.findall(code) + LINE.findall(code)
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
        elsewhere += code.count("\n")
        path.write_text("".join(lines))
    return sorted(set(touched)), names, dict(PROGRAM.findall(words)), elsewhere


def missing(copy, name):
    """Where a declared name should be found and is not."""
    has = lambda pattern, *folders: any(re.search(pattern, p.read_text()) for f in folders for p in copy.glob(f) if p.is_file())
    found = {"the reference": has(rf"situ_{name}\b", "reference/*.md", "docs/operations.md"),
             "the C++ header": has(rf"\b{name}\(", "include/situ/call/*.hpp", "include/situ.hpp"),
             "Python": has(rf"(?i)\b(def|class) {name.removesuffix('_layer').removeprefix('group_').replace('_', '_?')}\b", "python/situ/*.pyi", "made/*.py*")}
    return [where for where, there in found.items() if not there]


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **more})
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()


def apply_all(copy):
    """{page: (names declared, programs)} of the changes made; each page's problems are said."""
    pages, failed = {}, False
    pages_of = sorted(p for p in (ROOT / "docs/extending").glob("*.md") if p.name != "README.md")
    for path in [*pages_of, ROOT / "tests/checks/extending_more.md"]:
        page = path.name
        try:
            touched, names, programs, elsewhere = apply(copy, path)
        except (ValueError, OSError) as error:
            print(f"FAIL extending: {page}: {error}")
            failed = True
            continue
        sample = "cli/samples.def" in touched  # what tests call
        touched = [file for file in touched if file != "cli/samples.def"]
        print(f"     {page}: {len(touched)} files: {', '.join(touched)}{' (and a call for the tests)' * sample}; {elsewhere} lines in files that were there")
        if any(file.startswith("python/") for file in touched) and page != "collective.md":  # a class by hand
            print(f"FAIL extending: {page}: it touches python/")
            failed = True
        if len(touched) > FILES[page.removesuffix(".md")]:
            print(f"FAIL extending: {page}: it may touch {FILES[page.removesuffix('.md')]}")
            failed = True
        if elsewhere > LINES.get(page.removesuffix(".md"), elsewhere):
            print(f"FAIL extending: {page}: it may have {LINES[page.removesuffix('.md')]} lines in files that were there")
            failed = True
        pages[page] = names, programs
    return pages, failed


def use(copy, build, python, language, program):
    """(status, output) of a page's program."""
    if language == "python":
        (copy / "use.py").write_text(program)
        return run([python, "use.py"], copy, SITU_SIM_GPUS="1", PYTHONPATH=str(copy / "package"))
    if language == "sh":
        return run(["bash", "-ec", program], copy, PATH=f"{build}:{os.environ['PATH']}")
    (copy / f"use.{language}").write_text(program)
    compiler = [os.environ.get("CC", "cc"), "-std=gnu11"] if language == "c" else [os.environ.get("CXX", "c++"), "-std=c++17"]
    code, log = run([*compiler, "-Wall", "-Iinclude", f"use.{language}", "-o", "use", f"-L{build}", "-lsitu", "-lm", f"-Wl,-rpath,{build}"], copy)
    if not code:
        code, log = run(["./use"], copy, SITU_SIM_GPUS="1", SITU_DEBUG="errors")
    if code or "situ_group_open" not in program or not shutil.which("mpirun"):
        return code, log
    return run(["mpirun", "-n", "3", "./use"], copy, SITU_THREADS="1", SITU_DEBUG="errors", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1")


def operations(copy, build, words):
    """(what holds of each operation that the pages add, what is wrong or nothing)."""
    sources = ["tests/main.c", "cli/samples.c", "tests/unit/test_codegen.c", "tests/unit/test_every_gradient.c"]
    code, log = run([os.environ.get("CC", "cc"), "-std=gnu11", "-Iinclude", "-Isrc", "-Itests", *sources, str(build / "libsitu.a"),
                     "-lm", "-ldl", "-pthread", "-o", "unit"], copy)
    for name in SAMPLE.findall(words):
        for file, text in (("include/situ/elementwise.h", f"situ_{name}(situ_tensor"), ("docs/operations.md", f"situ_{name}(a")) * (name in LINE.findall(words)):
            yield f"{name} is in {file}", "" if text in (copy / file).read_text() else f"it has no {text}"
        for test in ["every_gradient/every_sample"] + ["codegen/operations_give"] * (name in LINE.findall(words)):
            if not code:
                failed, log = run(["./unit", test], copy, SITU_TEST_OPERATION=name, SITU_SIM_GPUS="2")
            good = not code and not failed and log[-1:] == ["1 passed, 0 failed, 0 skipped"]
            yield f"{name} passes {test}", "" if good else " | ".join(log[-3:])


def instruction_set(copy, build):
    """(what holds of the set that a page adds, what is wrong or nothing): 300 programs have the bits of the others, and a fault is seen."""
    def digests(name):
        code, log = run([str(copy / "judge"), "--seed", "51", "--count", "300", "--digest"], copy, SITU_ISA=name)
        lines = [line for line in log if re.fullmatch(r"\d+ [0-9a-f]+", line)]
        return lines if not code and len(lines) == 300 else [f"status {code}, {len(lines)} programs", *log[-2:]]

    start = os.times()
    code, log = run(["bash", "tests/judge/build.sh", str(copy), str(build)], copy)
    of = {name: digests(name) for name in ("wide", "baseline", "avx512")} if not code else {"judge": log[-3:]}  # the best that there is, at most avx512
    differ = [a for a, b in zip(*list(of.values())[:2]) if a != b]
    good = len(of) == 3 and len(set(map(tuple, of.values()))) == 1 and len(of["wide"]) == 300
    yield "SITU_ISA=wide has the bits of the other sets in 300 programs", "" if good else " | ".join(differ[:3] or [str(list(of.values()))[:300]])
    header = copy / "src/simd/wide.h"
    header.write_text(header.read_text().replace("__builtin_fmaf(a[i], b[i], c[i])", "a[i] * b[i] + c[i]"))
    code, log = run(["cmake", "--build", "out", "-j", str(os.cpu_count()), "--target", "situ_shared"], copy)
    broken = digests("wide") if not code else log[-3:]
    seen = sum(a != b for a, b in zip(broken, of["baseline"])) if good and len(broken) == 300 else 0
    yield "a word of it that rounds twice changes bits", "" if seen else f"none differs | {' | '.join(broken[:3])}"
    took = [after - before for before, after in zip(start, os.times())]
    print(f"     instruction_set.md: {seen} of 300 programs saw the fault; {took[2] + took[3]:.0f} s of processors, {took[4]:.0f} s")


def extension(copy, python):
    """(status, output) of making the package for Python in the copy."""
    return run(["bash", "-c", '. scripts/lib.sh; make_package "$0" out package', python], copy) if python else (0, [])


def main():
    if not shutil.which("cmake") or not shutil.which(os.environ.get("CC", "cc")):
        print("SKIP extending: no cmake or no C compiler")
        return 0
    python = run(["bash", "-c", ". scripts/lib.sh; find_python_to_build"], ROOT)[1]
    python = python[0] if python else None
    lacks = {"cpp": not shutil.which(os.environ.get("CXX", "c++")) and "no C++ compiler", "python": not python and "no Python 3.11 or later with its headers"}
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        run(["bash", "-c", '. scripts/lib.sh; copy_tree "$0"', folder], ROOT)
        pages, failed = apply_all(copy)
        build = copy / "out"
        generate = [sys.executable, "scripts/generate.py"]
        for step in (generate, [*generate, "--reference", "reference"], [*generate, "--python", "made"],
                     ["cmake", "-S", ".", "-B", "out", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DSITU_BUILD_TESTS=OFF"],
                     ["cmake", "--build", "out", "-j", str(os.cpu_count()), "--target", "situ_shared", "situ_static", "situ_command"], None):
            code, log = run(step, copy) if step else extension(copy, python)
            if code:
                wrong = [line for line in log if "error" in line.lower()] or log
                print(f"FAIL extending: the copy does not build: {' | '.join(wrong[:3])}")
                return 1
        words = "".join(page.read_text() for page in sorted((ROOT / "docs/extending").glob("*.md")))
        for what, wrong in [*operations(copy, build, words), *instruction_set(copy, build)]:
            print(f"FAIL extending: {what}: {wrong}" if wrong else f"PASS extending: {what}")
            failed |= bool(wrong)
        for page, (names, programs) in pages.items():
            for name in names:
                for where in missing(copy, name):
                    print(f"FAIL extending: {page}: situ_{name} is not in {where}")
                    failed = True
            for language, program in programs.items():
                if lacks.get(language):
                    print(f"SKIP extending: {page} in {language}: {lacks[language]}")
                    continue
                code, log = use(copy, build, python, language, program)
                print(f"PASS extending: {page} in {language}" if not code else f"FAIL extending: {page} in {language}: {' | '.join(log[-2:])} (status {code})")
                failed |= bool(code)
    return failed


sys.exit(main())
