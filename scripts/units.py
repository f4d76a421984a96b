#!/usr/bin/env python3
"""Writes cmake/units.txt: which files of a folder one compilation may take together (-DSITU_UNITY=ON, cmake/unity.cmake).

A compiler takes its time to begin with a file, to read its headers and to write its object. Files of one unit share that, and the
names of their top level: no two of them may define the same one, and a variable, a constant or a type of one may not be a name that
another one uses in a function. Macros end with their file. Each line of the list is a unit. A file stays where it is as long as it
may, a new one goes to the first unit that takes it. With --check it only says whether the list is current.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "cmake/units.txt"
FOLDERS = ("src/**/*.c", "cli/*.c", "examples/chapter/*.c")
MOST_LINES = 4000
# Their time goes to the loops in them, and what one of them may inline of another would change these.
ALONE = re.compile(r"(_avx2|_avx512)\.c$|/(gemm|fft|linalg|convolution|layers|tiles|movement|os/linux|os/posix)/|/op/(index|scan|scan_sum|extreme)\.c$")
TOKEN = re.compile(r"[A-Za-z_]\w*|[{}()\[\];=,*]|\S")
NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\\n|[^\n])*)", re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
WORDS = set("void __attribute__ static const inline int unsigned char long float double bool return struct union enum typedef extern volatile".split())


@functools.cache
def included_by(path):
    """The files of the tree that a file itself includes, but for tables, whose words are other names in each place."""
    names = re.findall(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', text_of(path), re.M)
    places = (path.parent, ROOT / "src", ROOT, ROOT / "tests", ROOT / "include")
    return [file for file in (next((p / name for p in places if (p / name).is_file()), None) for name in names) if file and file.suffix != ".def"]


@functools.cache
def text_of(path):
    return path.read_text()


@functools.cache
def is_guarded(path):
    return bool(re.search(r"#ifndef \w+_H\b", text_of(path)))


def all_included(path):
    found, left = {path}, [path]
    while left:
        last = left.pop()
        new = [f for f in included_by(last) if f not in found and (f.suffix == ".h" or not is_guarded(last))]
        found.update(new)
        left += new
    return sorted(found)


class Header:
    """What a header has that may be in the way of a file's names: its own, and those in its functions and in macros with statements."""

    def __init__(self, path):
        text = NO_CODE.sub(" ", text_of(path))
        self.names = set().union(*top_level(TOKEN.findall(DIRECTIVE.sub("", text))))
        self.macros = {(m[1], path) for m in DEFINE.finditer(text)}
        parts = re.findall(r"^static[^;{]*\([^;{]*\)[^;{]*\{(?:[^\n]*\}$|.*?^\}$)", text, re.M | re.S)
        parts += [rest for kind, rest in DIRECTIVE.findall(text) if kind == "define" and ";" in rest]
        self.used = words_in(" ".join(parts))


@functools.cache
def header(path):
    return Header(path)


def words_in(text):
    return set(re.findall(r"(?<![\w.])(?<!->)[A-Za-z_]\w*", text))


def top_level(tokens):
    """(functions, other names) of the top level, told by what stands beside them."""
    functions, others, depth, parens, enum, value = set(), set(), 0, 0, False, False
    for before, token, after in zip([""] + tokens, tokens, tokens[1:] + [""]):
        if token in "()[]":
            parens += 1 if token in "([" else -1
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            enum = enum and depth > 0
        elif parens == 0 and depth == 0 and token in ("=", ";", "enum"):
            value, enum = token == "=", token == "enum"
        elif not re.match(r"[A-Za-z_]", token) or token in WORDS or value:
            continue
        elif parens == 0 and (depth == 0 or depth == 1 and enum):
            if after == "(" and depth == 0:
                functions.add(token)
            elif after in ("[", "=", ";", ",", "}") or before in ("struct", "union", "enum"):
                others.add(token)
        elif parens == 1 and depth == 0 and before == "(" and after in (",", ")"):
            functions.add(token)  # TEST(name) and its like make names
    own = re.compile(r"(?!situ_|[A-Z_0-9]+$)")  # no two files of the library define the same situ_name; in capitals, macros are used
    return {name for name in functions if own.match(name)}, {name for name in others if not name.startswith("situ_")}


class Source:
    def __init__(self, path):
        self.name = str(path.relative_to(ROOT))
        raw = path.read_text()
        self.lines = raw.count("\n")
        # What a file says before its first header, and what the last one of the library changes, holds to the end of a unit.
        self.kind = (str(path.parent.relative_to(ROOT)), "_GNU_SOURCE" in raw, '"op/here.h"' in raw)
        included = all_included(path)
        text = NO_CODE.sub(" ", "\n".join(text_of(f) for f in included if not is_guarded(f)))
        self.functions, self.others = top_level(TOKEN.findall(DIRECTIVE.sub("", text)))
        self.used, self.around = words_in(text), set()
        ended = {m[1] for m in DEFINE.finditer(raw)} | set(re.findall(r"#[ \t]*undef[ \t]+(\w+)", text))
        self.macros = {(m[1], path) for m in DEFINE.finditer(text)}
        self.left = {(name, file) for name, file in self.macros if name not in ended}
        for file in filter(is_guarded, included):
            self.around |= header(file).names
            self.used |= header(file).used
            self.macros |= header(file).macros
            self.left |= header(file).macros
        self.macro_names = {name for name, file in self.macros}

    def spoils(self, other):
        """What comes after this one would not be understood."""
        own = self.functions | self.others
        return own & (other.functions | other.others | other.around) or self.others & other.used or {name for name, file in self.left - other.macros} & other.macro_names

    def goes_with(self, other):
        return not (self.spoils(other) or other.spoils(self))


def units():
    files = {s.name: s for s in (Source(p) for f in FOLDERS for p in sorted(ROOT.glob(f))) if not ALONE.search("/" + s.name)}
    made = []

    def takes(unit, s):
        return unit[0].kind == s.kind and sum(x.lines for x in unit) + s.lines <= MOST_LINES and all(s.goes_with(x) for x in unit)

    placed = set()
    for line in LIST.read_text().splitlines() if LIST.exists() else ():
        unit = []
        for name in line.split():
            if name in files and (not unit or takes(unit, files[name])):
                unit.append(files[name])
                placed.add(name)
        made.append(unit)
    made = [unit for unit in made if unit]
    for name in sorted(files):
        if name in placed:
            continue
        unit = next((u for u in made if takes(u, files[name])), None)
        unit.append(files[name]) if unit else made.append([files[name]])
    return "".join(" ".join(s.name for s in unit) + "\n" for unit in made if len(unit) > 1)


def main():
    new, check = units(), "--check" in sys.argv
    current = LIST.exists() and LIST.read_text() == new
    if check:
        print("PASS cmake/units.txt is current" if current else "FAIL cmake/units.txt is not current: run scripts/units.py")
    elif not current:
        LIST.write_text(new)
    return check and not current


sys.exit(main())
