#!/usr/bin/env python3
"""Messages in the words of the caller's language: what names C in a text of the library stands in SITU_SAY(c, python)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
PAIR = re.compile(r'SITU_SAY\(\s*"(?:[^"\\]|\\.)*",\s*"((?:[^"\\]|\\.)*)"\)')
OF_C = re.compile(r"situ_[a-z]|SITU_[A-Z]|SHAPE\(|AXES\(|->")
VARIABLE = re.compile(r"SITU_\w+")
NO_MESSAGE = ("codegen/", "emit/program.c", "emit/argument.c", "emit/state.c", "emit/text.c", "emit/test.c", "backend/cuda/matmul_text", "backend/cpu/gemm/gemm_library.c", "data/digits.c", "op/elementwise.h", "train/svg.c", "train/page.c")
FILE = re.compile(r"\.(gz|config|cache|so|part)\b|~?/\.")


def environment():
    """The variables of the environment: they are the same in every language."""
    return set(re.findall(r"^VARIABLE\(\d, (\w+),", (ROOT / "src/base/environment.def").read_text(), flags=re.M))


def texts(source):
    """The literals of a file with their lines; parts that have their form for each language are taken out."""
    source = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), source, flags=re.S)
    source = PAIR.sub(lambda m: '""' + re.sub(r"[^\n]", "", m.group()), source)
    for number, line in enumerate(source.split("\n"), 1):
        if line.startswith("#") or "getenv(" in line:
            continue
        for literal in LITERAL.finditer(line):
            yield number, literal.group(1)


def main():
    known, bad = environment(), 0
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        name = str(path.relative_to(ROOT / "src"))
        if name.startswith(NO_MESSAGE):
            continue
        source = path.read_text()
        for python in PAIR.findall(source):
            if OF_C.search(python):
                print(f"FAIL words: src/{name}: the words for Python name C: {python}")
                bad += 1
        for line, text in texts(source):
            text = VARIABLE.sub(lambda m: "" if m.group() in known else m.group(), text)
            text = re.sub(r"^situ_\w+", "", text)  # its own name: situ_fail takes the prefix away
            text = FILE.sub("", text)
            if OF_C.search(text):
                print(f"FAIL words: src/{name}:{line}: \"{text}\" names C; write SITU_SAY(\"...\", \"its form in Python\")")
                bad += 1
    if not bad:
        print("PASS words: every message has its form for C and for Python")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
