#!/usr/bin/env python3
"""Writes what is generated, where it differs. Committed is what a build without Python needs; with --check it only says whether
that is current.

From src/op/elementwise.def and complex.def: include/situ/elementwise.h, docs/operations.md, python/situ/_elementwise.pyi.
From include/situ/*.h (read by scripts/signatures/reader.py): include/situ/call/*.h and *.hpp, docs/reference.md (a line for each
header), python/src/made*.c, scripts/signatures/layouts.txt (a struct may grow at its end only, and defaults stay; --moved accepts a
change).
From src/train/page/: src/train/page.bin. From src/backend/sim/cards.def: tables of docs/gpu.md and docs/simulate.md (cards.py).
For readers, from docs/chapter/ and examples/python/chapter_*.py: docs/chapter/notebooks (course.py).

    scripts/generate.py --reference FOLDER    a page for each public header, NAME.md: the build's target `reference`
    scripts/generate.py --python FOLDER       the modules of situ._made, which the build of the Python package installs
"""
import pathlib
import re
import sys

import cards
import course
from signatures import call, cpp, python, reader, reference

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "include/situ/elementwise.h"
COMPLEX = ROOT / "src/op/complex.def"
PAGE = ROOT / "docs/operations.md"
HEAD = """/* Operations on each element; shapes broadcast, dtypes promote, numbers may stand for tensors. Made by
 * scripts/generate.py from src/op/elementwise.def: change that.
 *
 *     situ_tensor *y = situ_mul(situ_exp(situ_add(x, 2)), x);
 *
 * Functions of real numbers give f32 for integers; the formulas are those of one element.
 */
#ifndef SITU_ELEMENTWISE_H
#define SITU_ELEMENTWISE_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif
"""
TAIL = """
#ifdef __cplusplus
}
#endif

#include <situ/call/elementwise.h>

#endif
"""


def rows(table):
    """Each row as (section it opens or None, arity, fields)."""
    section = None
    for line in table.splitlines():
        title = re.match(r"/\* ([a-z][^*]*) \*/$", line)
        row = re.match(r"EL([123])\((.*)\)$", line)
        if title:
            section = title[1]
        if row:
            yield section, int(row[1]), reader.split(row[2])
            section = None


def header(table):
    functions = []
    for section, arity, fields in rows(table):
        if section:
            functions.append(f"\n/* ---- {section} {'-' * (108 - len(section))} */\n")
        names = "abc"[:arity]
        name, doc = fields[0], fields[-1].strip('"')
        operands = ", ".join(f"situ_tensor *{n}" for n in names)
        functions.append(f"/* {doc}. */")
        functions.append(f"SITU_API situ_tensor *situ_{name}({operands}, situ_site site);")
    return HEAD + "\n".join(functions) + "\n" + TAIL


def page(table):
    with_complex = set(re.findall(r"^CX\d\((\w+),", COMPLEX.read_text(), flags=re.M))
    cell = lambda text: text.strip('"').replace("|", "\\|")
    lines = ["# Elementwise operations", "", "Made by `scripts/generate.py` from `src/op/elementwise.def`. Gradients are by each operand, from the incoming", "gradient `g` and the result `y`; `ZERO` is piecewise constant, `NONE` is not differentiable. What also takes complex numbers is a row of",
             "`src/op/complex.def`, which says what their gradient is."]
    for section, arity, fields in rows(table):
        if section:
            lines += ["", f"## {section.capitalize()}", "", "| operation | takes | value | gradient |", "|---|---|---|---|"]
        grads = "; ".join(f"`{cell(g)}`" for g in fields[3 : 3 + arity])
        takes = fields[1].lower() + (", complex" if fields[0] in with_complex else "")
        lines.append(f"| `situ_{fields[0]}({', '.join('abc'[:arity])})` | {takes} | {cell(fields[-1])} | {grads} |")
    return "\n".join(lines) + "\n"


STUBS = ROOT / "python/situ/_elementwise.pyi"
STUBS_HEAD = '''"""Operations on each element. Made by scripts/generate.py from src/op/elementwise.def: change that."""
from ._situ import Tensor

Operand = Tensor | bool | int | float | complex

def real(x: Operand, /) -> Tensor: ...
def imag(x: Operand, /) -> Tensor: ...
def conj(x: Operand, /) -> Tensor: ...
'''


def stubs(table):
    """Type hints for Python; names as python/situ/_elementwise.py has them."""
    standard = {"sub": "subtract", "mul": "multiply", "div": "divide"}
    lines = [STUBS_HEAD]
    for _, arity, fields in rows(table):
        if fields[0] in ("clip", "where"):
            continue
        operands = ", ".join(f"{n}: Operand" for n in (["x"] if arity == 1 else [f"x{i + 1}" for i in range(arity)]))
        doc = fields[-1].strip('"')
        lines.append(f'def {standard.get(fields[0], fields[0])}({operands}, /) -> Tensor:\n    """{doc}."""\n')
    return "".join(lines)


def write_all(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def write(path, text, stale):
    """Writes it where it differs; with --check it is added to what is stale."""
    data = text if isinstance(text, bytes) else text.encode()
    if path.exists() and path.read_bytes() == data:
        return
    if "--check" in sys.argv:
        stale.append(path.relative_to(ROOT).as_posix())
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def plain(text, comment):
    """Without indents, empty lines and lines that are comments."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(comment)) + "\n"


def report():
    """The page of a report: its parts in one file, packed as src/train/page.c unpacks it."""
    part = lambda name, comment: plain((ROOT / "src/train/page" / name).read_text(), comment)
    scripts = "".join(part(f"{name}.js", "//") for name in ("runs", "charts", "views"))
    return packed(part("page.html", "<!--").replace("STYLE\n", part("page.css", "/*")).replace("SCRIPT\n", scripts).encode())


def packed(data):
    """The length in four bytes; then for each eight items a byte whose bits, the lowest first, say which are copies: two bytes, the
    lower twelve bits how far back it begins, the upper four how long it is less 3. The others are bytes as they are."""
    n, longest, seen = len(data), [(0, 0)] * len(data), {}
    for i in range(n - 2):
        for j in reversed(seen.setdefault(data[i : i + 3], [])):
            if i - j > 4095:
                break
            k = 3
            while k < 18 and i + k < n and data[i + k] == data[j + k]:
                k += 1
            longest[i] = max(longest[i], (k, i - j))
        seen[data[i : i + 3]].append(i)
    bits, taken = [0] * (n + 1), [1] * n
    for i in reversed(range(n)):
        bits[i], taken[i] = min((9 + bits[i + 1], 1), *((17 + bits[i + k], k) for k in range(3, longest[i][0] + 1)), (1 << 60, 0))
    out, i = bytearray(n.to_bytes(4, "little")), 0
    while i < n:
        flags, items = 0, bytearray()
        for bit in range(8):
            if i >= n:
                break
            k = taken[i]
            flags |= (k > 1) << bit
            items += data[i : i + 1] if k == 1 else (longest[i][1] | (k - 3) << 12).to_bytes(2, "little")
            i += k
        out += bytes([flags]) + items
    return bytes(out)


def main():
    table = (ROOT / "src/op/elementwise.def").read_text()
    stale = []
    for path, text in ((HEADER, header(table)), (PAGE, page(table)), (STUBS, stubs(table))):
        write(path, text, stale)
    try:
        api = reader.read(ROOT)
    except reader.Unreadable as error:
        print(f"FAIL {error}" if "--check" in sys.argv else error)
        return 1
    if "--reference" in sys.argv or "--python" in sys.argv:
        is_reference, folder = "--reference" in sys.argv, pathlib.Path(sys.argv[2])
        write_all(folder, {f"{h.name}.md": reference.page(h) for h in api.headers.values() if h.name != "ops"} if is_reference else python.modules(api))
        return 0
    hand = cpp.by_hand((ROOT / "include/situ.hpp").read_text())
    write(ROOT / "include/situ/call/defaults.hpp", cpp.defaults(api), stale)
    for name, one in api.headers.items():
        if name != "ops":
            write(ROOT / f"include/situ/call/{name}.h", call.text(api, one), stale)
            write(ROOT / f"include/situ/call/{name}.hpp", cpp.text(api, one, hand), stale)
    write(ROOT / "docs/reference.md", reference.index(api), stale)
    for path, text in {**python.outputs(api, ROOT), **course.notebooks()}.items():
        write(path, text, stale)
    write(ROOT / "src/train/page.bin", report(), stale)
    for path, text in cards.pages():
        write(path, text, stale)
    layouts, old = reference.layouts(api), ROOT / "scripts/signatures/layouts.txt"
    moved = list(reference.moved(old.read_text(), layouts)) if old.exists() and "--moved" not in sys.argv else []
    if moved:
        print(f"FAIL structs may grow at their end only, and defaults stay, or programs built before break: {' '.join(moved)}. A default is what "
              'follows "= " behind an option, or "Here .x = y." in a comment. scripts/generate.py --moved if the change is meant.')
        return 1
    write(old, layouts, stale)
    for name in stale:
        print(f"FAIL {name} is not current: run scripts/generate.py")
    if "--check" in sys.argv and not stale:
        print("PASS what scripts/generate.py writes is current")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
