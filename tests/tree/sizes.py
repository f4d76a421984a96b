#!/usr/bin/env python3
"""No file is longer than 800 lines and no function longer than 60, but for those listed in long_functions.txt.

A line of that list is "path function lines": the function may not grow beyond that number, and goes off the list when
it is short enough.
"""
import pathlib
import re
import sys

FILE_LINES, FUNCTION_LINES = 800, 60
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = "include src cli tests bench examples scripts cmake python docs .ci".split()
SUFFIXES = {".c", ".h", ".hpp", ".def", ".py", ".sh", ".cmake", ".md", ""}
NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")


def text_files():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in SUFFIXES and "__pycache__" not in path.parts:
                yield path


def functions(lines):
    """(name, first line, number of lines) of the functions of a C file whose braces stand at the left margin."""
    for start, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("}")), start)
        head = start - 1
        while head > 0 and lines[head - 1].strip() and not lines[head - 1].rstrip().endswith((";", "}", "*/", "\\")) \
                and not lines[head - 1].startswith("#"):
            head -= 1
        match = NAME.search(re.sub(r"__attribute__\s*\(\(.*?\)\)", "", " ".join(lines[head:start])))
        yield (match[1] if match else f"line {start + 1}"), start, end - start + 1


def main():
    allowed, seen, found = {}, set(), []
    for line in (ROOT / "tests/tree/long_functions.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            path, name, most = line.split()
            allowed[path, name] = int(most)
    for path in text_files():
        short = str(path.relative_to(ROOT))
        lines = path.read_text(errors="replace").splitlines()
        if len(lines) > FILE_LINES:
            found.append(f"{short} has {len(lines)} lines, more than {FILE_LINES}")
        for name, start, count in functions(lines) if path.suffix in (".c", ".h") else ():
            if count <= FUNCTION_LINES:
                continue
            seen.add((short, name))
            most = allowed.get((short, name), FUNCTION_LINES)
            if count > most:
                found.append(f"{short}:{start + 1}: {name} has {count} lines, more than {most}")
    found += [f"{path} {name} is short now: take it off the list" for path, name in allowed if (path, name) not in seen]
    for problem in found:
        print("FAIL sizes:", problem)
    if not found:
        print(f"PASS sizes of files and functions ({len(allowed)} longer ones listed)")
    return bool(found)


sys.exit(main())
