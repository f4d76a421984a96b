#!/usr/bin/env python3
"""A folder of src/ includes only itself and folders before it in the order below; so a part of the library (a line) needs those
before it alone."""
import pathlib
import re
import sys

PARTS = {
    "core": "os base simd math tensor numeric device graph op grad plan run backend/null backend/cpu backend/sim",
    "net": "func nn optim",
    "formats": "file data onnx model",
    "work": "group",
    "train": "train",
    "devices": "codegen emit backend/opencl backend/pjrt backend/cuda",
    "all": "parts",
}
ORDER = " ".join(PARTS.values()).split()
ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def folder_of(file):
    """Of a path from src/ on; each backend is a folder of its own, a new one like the last of them."""
    parts = file.split("/")
    backend = "/".join(parts[:2])
    return parts[0] if parts[0] != "backend" else backend if backend in ORDER else ORDER[-2]


def problems():
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".c", ".h", ".def", ".inc"):
            continue
        name, folder = path.relative_to(ROOT), folder_of(str(path.relative_to(ROOT / "src")))
        if folder not in ORDER:
            yield f"{name}: the folder {folder} has no place in the order; add it to {pathlib.Path(__file__).name}"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = folder_of(match[1])
            if "/" not in match[1] or target not in ORDER:
                yield f'{name}:{number}: write "folder/{match[1].split("/")[-1]}", from src/ on'
            elif ORDER.index(target) > ORDER.index(folder):
                yield f"{name}:{number}: {folder} comes before {target} and may not include {match[1]}"


def main():
    found = list(problems())
    for problem in found:
        print("FAIL includes:", problem)
    if not found:
        print("PASS includes point only to earlier folders")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
