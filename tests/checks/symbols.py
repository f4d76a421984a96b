#!/usr/bin/env python3
"""What tests/tree/includes.py and links.py cannot see: links between folders by symbol, and circles of files.

Reads the object files of the library's build (SITU_BUILD_DIR, default build) with nm. Reported are
  - a symbol that a file uses and that a later folder defines (the order is that of includes.py);
  - a function that a header declares and that a later folder than the header's defines;
  - a circle of files inside a folder;
  - a function of the C library whose last bits depend on the processor, where math/f64.h has one whose bits do not.
tests/tree/links.txt lists those that are there on purpose, each with its reason. A line of it that nothing needs is reported as well.
With --circles it prints the circles with the symbols that tie them, with --structure the folders, arrows to later folders
and circles; both check nothing. SITU_TREE names another tree with a build, such as an earlier commit's, to set side by side:
  SITU_TREE=OLD SITU_BUILD_DIR=OLD/build tests/checks/symbols.py --structure
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

INEXACT = {kind + name + width for kind in ("", "c") for width in ("", "f", "l") for name in
           """exp exp2 exp10 expm1 log log2 log10 log1p pow sqrt cbrt hypot abs sin cos tan asin acos atan sinh cosh tanh asinh acosh
           atanh atan2 sincos erf erfc lgamma tgamma""".split()} - {"sqrt", "sqrtf", "abs"}

TREE = pathlib.Path(__file__).resolve().parents[1] / "tree"
sys.path.insert(0, str(TREE))
from includes import ORDER, folder_of as folder  # noqa: E402
from links import ROOT, SRC, compare  # noqa: E402


def later(file, than):
    """What parts/ fills in is declared in base/parts.h, for all."""
    return file != "parts/parts.c" and ORDER.index(folder(file)) > ORDER.index(folder(than))


def source_of(object):
    """The file that it was compiled from; of kernels for an instruction set the one that they share."""
    name = re.sub(r"^.*situ_objects\.dir/(sets/)?src/", "", str(object))[:-2]
    return SRC / (re.sub(r"_[a-z0-9]+\.c$", "_kernels.c", name) if "/sets/src/" in str(object) else name)


def symbols(build):
    """({symbol: file that defines it}, {file: symbols it uses})."""
    objects = [o for o in build.rglob("situ_objects.dir/**/src/**/*.o") if source_of(o).exists()]
    text = subprocess.run(["nm", "-A", *map(str, sorted(objects))], capture_output=True, text=True).stdout
    defined, used = {}, collections.defaultdict(set)
    for line in text.splitlines():
        path, rest = line.split(":", 1)
        file, (kind, name) = str(source_of(path).relative_to(SRC)), rest.split()[-2:]
        if kind in "Uw":
            used[file].add(name)
        elif kind in "TDBRVWC":
            defined.setdefault(name, file)
    return defined, used


def circles(graph):
    """Strongly connected components of more than one file (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in graph.get(v, ()):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            cut = stack.index(v)
            if len(stack) - cut > 1:
                found.append(sorted(stack[cut:]))
            del stack[cut:]

    for v in sorted(graph):
        if v not in number:
            visit(v)
    return found


def problems(defined, used):
    """Lines "kind what", as links.txt has them."""
    for file in sorted(used):
        for name in sorted(used[file] & INEXACT):
            yield f"inexact {file} {name}"
        for name in sorted(used[file]):
            if name in defined and later(defined[name], file):
                yield f"link {file} -> {defined[name]}"
    for path in sorted(SRC.rglob("*.h")):
        file, text = str(path.relative_to(SRC)), path.read_text()
        for name in set(re.findall(r"\b(situ_\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.S))):
            if name in defined and later(defined[name], file) and re.search(rf"^\w[\w \*]*\b{name}\([^{{}}]*\);", text, re.M):
                yield f"header {file} <- {defined[name]} {name}"


def structure(defined, used, rings):
    """Folders with files, lines and the folders that they use; arrows to later folders by file; circles of files."""
    to = collections.defaultdict(set)
    for file, names in used.items():
        to[folder(file)] |= {folder(defined[n]) for n in names if n in defined} - {folder(file)}
    for name in ORDER:
        files = [p for p in (SRC / name).rglob("*") if p.suffix in (".c", ".h", ".inc", ".def")]
        print(f"{name:14} {len(files):3} files {sum(p.read_bytes().count(10) for p in files):6} lines, uses {' '.join(sorted(to[name], key=ORDER.index))}")
    up = sorted({(f, defined[n]) for f, names in used.items() for n in names if n in defined and later(defined[n], f)})
    print(f"{len(up)} arrows to later folders")
    for arrow in up:
        print("    %s -> %s" % arrow)
    print(f"{len(rings)} circles of files, {sum(map(len, rings))} files in them")
    for ring in rings:
        print("   ", len(ring), " ".join(ring))


def main():
    build = pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build"))
    if not shutil.which("nm"):
        print("SKIP symbols: no nm")
        return 0
    cache = build / "CMakeCache.txt"
    if cache.exists() and "SITU_UNITY:BOOL=ON" in cache.read_text():
        print(f"SKIP links: {build} has files that were compiled together (configure it with -DSITU_UNITY=OFF)")
        return 0
    defined, used = symbols(build)
    if not defined:
        print(f"SKIP symbols: no object files of the library in {build}")
        return 0
    graph = {f: sorted({defined[n] for n in names if n in defined and folder(defined[n]) == folder(f)} - {f}) for f, names in used.items()}
    rings = circles(graph)
    if "--structure" in sys.argv:
        structure(defined, used, rings)
        return 0
    if "--circles" in sys.argv:
        for ring in rings:
            print(f"{len(ring)} files: {' '.join(ring)}")
            for file in ring:
                for other in ring:
                    names = sorted(n for n in used[file] if defined.get(n) == other)
                    if other != file and names:
                        print(f"    {file} -> {other}: {' '.join(names)}")
        return 0
    found = list(dict.fromkeys(problems(defined, used)))
    found += [f"circle {' '.join(ring)}" for ring in rings]
    return compare("symbols", found, ("link", "header", "circle", "inexact"), "point to earlier folders")


sys.exit(main())
