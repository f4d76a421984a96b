#!/usr/bin/env python3
"""A folder of src/ includes only itself and folders before it in the order below."""
import pathlib
import re
import sys

ORDER = "base simd tensor device graph op grad plan codegen run func backend file group nn data optim onnx model train".split()
ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def problems():
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".c", ".h", ".def", ".inc"):
            continue
        name, folder = path.relative_to(ROOT), path.relative_to(ROOT / "src").parts[0]
        if folder not in ORDER:
            yield f"{name}: the folder {folder} has no place in the order; add it to {pathlib.Path(__file__).name}"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match[1].split("/")[0]
            if "/" not in match[1] or target not in ORDER:
                yield f'{name}:{number}: write "folder/{match[1].split("/")[-1]}", from src/ on'
            elif ORDER.index(target) > ORDER.index(folder):
                yield f"{name}:{number}: {folder} comes before {target} and may not include {match[1]}"


found = list(problems())
for problem in found:
    print("FAIL includes:", problem)
if not found:
    print("PASS includes point only to earlier folders")
sys.exit(bool(found))
