#!/usr/bin/env python3
"""Draws comments and names at random, to judge whether they are clear at first reading to a reader who sees nothing else.

    scripts/draw.py SEED [--comments 40] [--names 20] [FOLDER...]     by default the whole tree
    scripts/draw.py --list FOLDER...                                  all comments of the folders

The seed of a release is the first 8 hexadecimal digits of its commit. Drawn are comments of C and Python written by hand (adjacent
line comments are one, a docstring is one), and names of functions, types, fields, global variables, macros and files. A comment is
shown with its file and with the line of code on which it stands or that follows it.
"""
import argparse
import pathlib
import random
import re
import subprocess
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = (".c", ".h", ".inc", ".def", ".hpp", ".cpp", ".py")
MADE = re.compile(r"^include/situ/call/|^include/situ/elementwise\.h$|/made\w*\.(c|h|inc)$|/_made/|_made\.inc$|^tests/.*every_call\.inc$"
                  r"|^tests/(reference|fuzz/corpus)/|unicode_tables|^src/data/digits")
TEXT_OF_C = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
RULE = re.compile(r"^[-=* ]*$|^-{2,} |#(if|endif|else)|^noqa|^clang-format")


def hand_written(folders):
    listed = subprocess.run(["git", "ls-files", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted(name for name in listed if name.endswith(KINDS) and not MADE.search(name))


def comments_of_c(text):
    """(first character, one after the last, whether code stands before it on its line) of each comment."""
    last = None
    for found in TEXT_OF_C.finditer(text):
        if not found[0].startswith("/"):
            continue
        start = text.rfind("\n", 0, found.start()) + 1
        trailing = text[start:found.start()].strip() != ""
        if last and not trailing and found[0].startswith("//") and text[last[1]:found.start()].strip() == "" and text[last[0]:].startswith("//") \
                and text.count("\n", last[1], found.start()) == 1 and not last[2]:
            last = (last[0], found.end(), False)
            continue
        if last:
            yield last
        last = (found.start(), found.end(), trailing)
    if last:
        yield last


def comments_of_python(path, text):
    lines, starts = text.split("\n"), [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    last = before = None
    with open(path, "rb") as file:
        for token in tokenize.tokenize(file.readline):
            place = tuple(starts[row - 1] + column for row, column in (token.start, token.end))
            docstring = token.type == tokenize.STRING and token.string.startswith(('"""', 'r"""')) and before in (
                None, tokenize.INDENT, tokenize.NEWLINE, tokenize.NL, tokenize.ENCODING)
            if token.type == tokenize.COMMENT or docstring:
                trailing = lines[token.start[0] - 1][:token.start[1]].strip() != ""
                if last and not docstring and not trailing and not last[2] and text[last[0]] == "#" and text.count("\n", last[1], place[0]) == 1:
                    last = (last[0], place[1], False)
                else:
                    if last:
                        yield last
                    last = (*place, trailing)
            before = token.type
    if last:
        yield last


def comments(name):
    """(line, text, line of code) of each comment of a file that says something."""
    text = (ROOT / name).read_text()
    for start, end, trailing in comments_of_python(ROOT / name, text) if name.endswith(".py") else comments_of_c(text):
        body = text[start:end]
        plain = re.sub(r"^\s*(\*(?!/)|//|#)?\s?|^/\*+\s?|\s*\*+/$", "", body, flags=re.M).strip()
        if len(plain) < 8 or RULE.match(plain) or body.startswith("#!"):
            continue
        line_start = text.rfind("\n", 0, start) + 1
        if trailing:
            code = text[line_start:text.find("\n", end)].strip()
        else:
            code = next((line.strip() for line in text[end:].split("\n") if line.strip()), "")
        yield text.count("\n", 0, start) + 1, body, code


def names(name):
    """(kind, name, its line) of what a file defines, and the file itself."""
    if re.search(r"/(test_\w+|__init__)\.\w+$|^tests/unit/", name):
        return
    yield "file", pathlib.PurePath(name).name, ""
    text = (ROOT / name).read_text()
    if name.endswith(".py"):
        for found in re.finditer(r"^ *(def|class) (\w+).*", text, re.M):
            yield found[1], found[2], found[0].strip()
        return
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)\)? ?", "", text)
    bare = TEXT_OF_C.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for found in re.finditer(r"^[a-z_][\w \t*]*?\b(?:NAME\()?(\w+)\)?\([^;{}]*\)\s*\n\{", bare, re.M):
        yield "function", found[1], " ".join(found[0][:-1].split())
    for found in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+).*", bare, re.M):
        if not found[1].endswith(("_H", "_INC")):
            yield "macro", found[1], found[0].strip()
    for found in re.finditer(r"^(typedef )?(struct|union|enum)( \w+)?\s*\n?\{(.*?)^\}([^;\n]*);", bare, re.M | re.S):
        what = found[5].strip() or (found[3] or "").strip()
        if what:
            yield "type", what, f"{found[2]} {what}"
        if found[2] != "enum":
            for line in re.findall(r"^    ([a-z_][\w ]*[ *]+(?:\w+(?:\[[^\]]*\])*(?:, \**)?)+);", found[4], re.M):
                for field in re.findall(r"(\w+)(?:\[[^\]]*\])*(?:,|$)", line):
                    yield "field", field, f"{what}: {line};"
    for found in re.finditer(r"^(static [\w *]*?|[a-z]\w* [\w *]*?)\b(\w+)(?:\[[^\]]*\])*(?: = [^\n]*|;)$", bare, re.M):
        if not found[1].startswith(("typedef", "return", "extern", "struct", "enum")):
            yield "variable", found[2], found[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", nargs="?", help="hexadecimal digits")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--comments", type=int, default=40)
    parser.add_argument("--names", type=int, default=20)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_intermixed_args()
    if options.list:
        for name in hand_written([options.seed, *options.folders] if options.seed else []):
            for line, body, code in comments(name):
                print(f"{name}:{line}: {code}\n{body}\n")
        return
    draw = random.Random(int(options.seed, 16))
    files = hand_written(options.folders)
    said = [(name, *found) for name in files for found in comments(name)]
    called = sorted({(name, *found) for name in files for found in names(name)})
    print(f"{options.comments} of {len(said)} comments, {options.names} of {len(called)} names, seed {options.seed}\n")
    for number, (name, line, body, code) in enumerate(draw.sample(said, min(options.comments, len(said))), 1):
        print(f"{number}. {name}:{line}\n    {body}\n    code: {code}\n")
    for number, (name, kind, what, line) in enumerate(draw.sample(called, min(options.names, len(called))), 1):
        print(f"{number}. {kind} {what} ({name}) {line}")


if __name__ == "__main__":
    main()
