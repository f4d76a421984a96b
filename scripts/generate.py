#!/usr/bin/env python3
"""Writes what is generated and committed, where it differs; with --check it only says whether it is current.

From src/op/elementwise.def and complex.def: include/situ/elementwise.h, docs/operations.md, python/situ/_elementwise.pyi.
From include/situ/*.h (read by scripts/signatures/reader.py): include/situ/call/*.h and *.hpp, docs/reference/*.md, cli/functions_made.inc,
scripts/signatures/layouts.txt (a struct may grow at its end only; --moved accepts another layout), and for Python
python/src/made*.c and python/situ/_made.
"""
import pathlib
import re
import sys

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


def write(path, text, stale):
    """Writes it where it differs; with --check it is added to what is stale."""
    if path.exists() and path.read_text() == text:
        return
    if "--check" in sys.argv:
        stale.append(path.relative_to(ROOT).as_posix())
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


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
    hand = cpp.by_hand((ROOT / "include/situ.hpp").read_text())
    write(ROOT / "include/situ/call/defaults.hpp", cpp.defaults(api), stale)
    for name, one in api.headers.items():
        if name != "ops":
            write(ROOT / f"include/situ/call/{name}.h", call.text(api, one), stale)
            write(ROOT / f"include/situ/call/{name}.hpp", cpp.text(api, one, hand), stale)
            write(ROOT / f"docs/reference/{name}.md", reference.page(one), stale)
    for path, text in python.outputs(api, ROOT).items():
        write(path, text, stale)
    write(ROOT / "cli/functions_made.inc", reference.functions(api), stale)
    layouts, old = reference.layouts(api), ROOT / "scripts/signatures/layouts.txt"
    moved = list(reference.moved(old.read_text(), layouts)) if old.exists() and "--moved" not in sys.argv else []
    if moved:
        print(f"FAIL structs may grow at their end only, or programs built before break: {' '.join(moved)} (scripts/generate.py --moved if that is meant)")
        return 1
    write(old, layouts, stale)
    for name in stale:
        print(f"FAIL {name} is not current: run scripts/generate.py")
    if "--check" in sys.argv and not stale:
        print("PASS what scripts/generate.py writes is current")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
