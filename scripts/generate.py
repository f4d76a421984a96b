#!/usr/bin/env python3
"""Writes include/situ/elementwise.h from src/op/elementwise.def; with --check it only says whether that is current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "include/situ/elementwise.h"
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
#endif
"""


def arguments(text):
    """The arguments of a call, cut at commas outside of parentheses and strings."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def header(table):
    functions, macros = [], []
    for line in table.splitlines():
        section = re.match(r"/\* ([a-z][^*]*) \*/$", line)
        row = re.match(r"EL([123])\((.*)\)$", line)
        if section:
            functions.append(f"\n/* ---- {section[1]} ---- */\n")
        if not row:
            continue
        names, fields = "abc"[: int(row[1])], arguments(row[2])
        name, doc = fields[0], fields[-1].strip('"')
        operands = ", ".join(f"situ_tensor *{n}" for n in names)
        functions.append(f"/* {doc}. */")
        functions.append(f"SITU_API situ_tensor *situ_{name}({operands}, situ_site site);")
        wrapped = ", ".join(f"SITU_OPERAND({n})" for n in names)
        macros.append(f"#define situ_{name}({', '.join(names)}) (situ_{name})({wrapped}, SITU_HERE)")
    return HEAD + "\n".join(functions) + "\n\n#ifndef __cplusplus\n" + "\n".join(macros) + "\n#endif\n" + TAIL


def main():
    text = header((ROOT / "src/op/elementwise.def").read_text())
    if "--check" in sys.argv:
        current = HEADER.exists() and HEADER.read_text() == text
        print("PASS elementwise.h is current" if current else "FAIL elementwise.h: run scripts/generate.py")
        return not current
    HEADER.write_text(text)
    return 0


sys.exit(main())
