#!/usr/bin/env python3
"""Writes src/model/unicode_tables.inc from Python's tables of Unicode: the class of each character, and what it becomes where accents
are taken off and upper case is lowered. The file is committed: it needs this only for another version of Unicode.

    pip install unicodedata2==16.0.0; scripts/unicode.py"""
import pathlib

import unicodedata2 as unicode

CLASSES = "OTHER LETTER NUMBER SPACE PUNCTUATION CONTROL MARK".split()
SPACES = [*range(9, 14), 0x85]
HANGUL = range(0xac00, 0xac00 + 11172)


def class_of(c):
    kind = unicode.category(chr(c))
    if kind[0] == "Z" or c in SPACES:
        return CLASSES.index("SPACE")
    of = dict(L="LETTER", N="NUMBER", P="PUNCTUATION").get(kind[0]) or dict(Cc="CONTROL", Cf="CONTROL", Co="CONTROL", Mn="MARK").get(kind)
    return CLASSES.index(of or "OTHER")


def folded(c):
    bare = (d for d in unicode.normalize("NFD", chr(c)) if unicode.category(d) != "Mn")
    return [ord(d) for b in bare for d in b.lower()]




def rows(items, width=132):
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > width:
            yield line
            line = "   "
        line += " " + item + ","
    yield line


def main():
    classes, runs, several, last = [], [], [], None
    for c in range(0x110000):
        k = class_of(c)
        if k != last:
            classes.append(f"0x{c:x}{k}")
            last = k
        if 0xd800 <= c < 0xe000 or c in HANGUL or k == CLASSES.index("MARK") or folded(c) == [c]:
            continue
        to = folded(c)
        if len(to) != 1:
            several.append([c, *to, *[0] * (3 - len(to))])
            continue
        delta, run = to[0] - c, runs[-1] if runs else None
        if run and run[3] == delta and run[1] < 1023 and (run[1] == 1 and c - run[0] <= 2 or c == run[0] + run[1] * run[2]):
            run[2] = c - run[0] if run[1] == 1 else run[2]
            run[1] += 1
        else:
            runs.append([c, 1, 1, delta])
    out = [f"/* Made by scripts/unicode.py from Unicode {unicode.unidata_version}. */", "", "/* Where a class begins: 16 times the first character, and the class. */",
           "static const uint32_t class_from[] = {", *rows(classes), "};", "", "/* the first, whether every second one, how many, what is added */",
           "static const fold_run fold_runs[] = {", *rows("{0x%x, %d, %d, %d}" % (r[0], r[2] - 1, r[1], r[3]) for r in runs), "};", "", "/* a character, and the two or three that it becomes */",
           "static const uint32_t fold_several[][4] = {", *rows("{0x%x, 0x%x, 0x%x, 0x%x}" % tuple(s) for s in several), "};", ""]
    path = pathlib.Path(__file__).resolve().parents[1] / "src/model/unicode_tables.inc"
    path.write_text("\n".join(out))
    print(f"{path}: {len(classes)} classes, {len(runs)} runs, {len(several)} of several")


main()
