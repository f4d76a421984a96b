#!/usr/bin/env python3
"""What gcc and clang say of a beginner's mistake: the first error is of the user's line, or names it, and says what to write.

mistakes.txt is a table of mistakes. Beside it each public function is called right, which compiles without a word, and then with each
of its arguments wrong and with an option that has no name.

    tests/checks/mistakes.py [--show WORDS]      # prints all that the compilers say of the mistakes that contain WORDS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import call, reader  # noqa: E402

TABLE = ROOT / "tests/checks/mistakes.txt"
MOST_LINES = {"gcc": 100, "clang": 260}  # of what it says of one mistake; clang tells how each macro expands, and what follows an open brace
STATEMENTS = "    situ_tensor *x = 0, *y = 0; situ_module *net = 0; situ_optimizer *opt = 0; situ_dataset *data = 0; situ_trainer *trainer = 0;\n" \
             "    double numbers[3] = {1, 2, 3}; float *p = 0, *pointers[2] = {0}; struct { int a; } structs[2] = {{0}}; int n = 3; situ_loader *loader = 0;\n" \
             "    (void)x, (void)y, (void)net, (void)opt, (void)data, (void)trainer, (void)numbers, (void)p, (void)pointers, (void)structs, (void)n, (void)loader;\n"


def compile(compiler, folder, text, *flags):
    path = pathlib.Path(folder, "program.c")
    path.write_text(text)
    done = subprocess.run([compiler, "-std=c11", "-fsyntax-only", f"-I{ROOT}/include", *flags, path.name], cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


def first_error(said):
    return next((line for line in said.splitlines() if re.search(r"\berror: ", line)), "")


def of_line(error, number):
    """Is the error of this line of program.c, or does it name it?"""
    return re.match(rf"program\.c:{number}:", error) or f"program.c:{number}: " in error


def wanted(words, compiler):
    """The alternatives for this compiler."""
    parts = [w.strip() for w in words.split(" / ")]
    mine = [w.removeprefix(f"{compiler}: ") for w in parts if w.startswith(f"{compiler}: ")]
    return mine or [w for w in parts if not re.match("(gcc|clang): ", w)]


def check_table(compiler, folder, show):
    rows = [line.split(" | ") for line in TABLE.read_text().splitlines() if line and line[0] != "#"]
    wrong, lines = 0, []
    for snippet, words in rows:
        if show is not None and show not in snippet:
            continue
        said = compile(compiler, folder, f"#include <situ.h>\nvoid f(void)\n{{\n{STATEMENTS}    {snippet};\n}}\n")
        number = 3 + STATEMENTS.count("\n") + 1
        error = first_error(said)
        lines.append(len(said.splitlines()))
        if show is not None:
            print(f"==== {snippet} by {compiler}, {lines[-1]} lines\n{said}")
        if not of_line(error, number) or not any(w in error for w in wanted(words, compiler)):
            wrong += 1
            print(f"FAIL mistakes: {snippet} by {compiler}: line {number}, \"{words}\" is not in \"{error}\"")
        elif lines[-1] > MOST_LINES[compiler]:
            wrong += 1
            print(f"FAIL mistakes: {snippet} by {compiler}: {lines[-1]} lines")
    if not wrong and lines:
        lines.sort()
        print(f"PASS mistakes: {len(rows)} are told by {compiler} in {lines[0]} to {lines[-1]} lines, {lines[len(lines) // 2]} in the middle")
    return wrong


# ---- every function

RIGHT = {"situ_tensor *": "x", "situ_shape": "SHAPE(2)", "situ_axes": "AXES(0)", "situ_device": "situ_cpu()", "situ_list": "TENSORS(x)", "situ_dtype": "SITU_F32",
         "situ_parts": "SITU_PARTS(net)", "double": "0.5", "bool": "true", "const char *": "\"a\"", "FILE *": "stdout"}
ALONE = {"situ_from_host", "situ_read", "situ_dataset_new", "situ_dataset_select", "situ_sequential", "situ_read_into"}  # the table has them


def right(p, api):
    if p.type in reader.INTEGERS:
        return "1"
    if p.type in RIGHT:
        return RIGHT[p.type]
    if p.type in api.enums:
        return f"({p.type})0"
    if call.is_handle(api, p):
        return f"({p.type})0"
    return "0" if "*" in p.type or p.type in api.callbacks else None


def wrong(f, p, api):
    """(text, words of the first error), or None: the compiler cannot know."""
    if p.type in call.STRUCTS:
        return "7", {"situ_shape": "a shape is written", "situ_axes": "axes are written", "situ_device": "a device is written", "situ_list": "incompatible type", "situ_parts": "incompatible type"}[p.type]
    if p.type == "situ_tensor *":
        return "numbers", "operand is a situ_tensor * or a number / a situ_tensor * belongs here / true or false of each / incompatible"
    if p.type in reader.INTEGERS:
        return "2.5", "an integer belongs here"
    if call.is_handle(api, p):
        return "(struct another *)0", "incompatible"
    return None


def check_functions(compiler, folder):
    api = reader.read(ROOT)
    good, bad = [], []
    for f in api.functions.values():
        given = [right(p, api) for p in f.parameters]
        if f.name in ALONE or f.variadic or None in given or not (f.site or f.told):
            continue
        good.append(f"{f.name}({', '.join(given)})")
        for i, p in enumerate(f.parameters):
            mistake = wrong(f, p, api)
            plain = f.told and not all(call.is_single(api, q) for q in f.parameters)  # a call of the function as it is
            if mistake and not (plain and p.type in reader.INTEGERS):
                words = "incompatible / pointer" if plain else mistake[1]
                bad.append((f"{f.name}({', '.join(given[:i] + [mistake[0]] + given[i + 1:])})", words))
        if f.options and f.options.is_options:
            bad.append((f"{f.name}({', '.join(given + ['1'])})", f"options are written with their names: {f.name}("))
    head = f"#include <situ.h>\nstruct another;\nvoid f(situ_tensor *x, situ_module *net, double *numbers);\nvoid f(situ_tensor *x, situ_module *net, double *numbers)\n{{\n(void)x, (void)net, (void)numbers;\n"
    said = compile(compiler, folder, head + "".join(f"{g};\n" for g in good) + "}\n", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-unused-value", "-Wno-nonnull")
    if said:
        print(f"FAIL mistakes: right calls by {compiler}: {first_error(said) or said.splitlines()[0]}")
        return 1
    said = compile(compiler, folder, head + "".join(f"{snippet};\n" for snippet, _ in bad) + "}\n", *(["-ferror-limit=0"] if compiler == "clang" else []))
    errors, found = [line for line in said.splitlines() if re.search(r"\berror: ", line)], {}
    at = None
    for line in said.splitlines():  # gcc names the user's line of an error in a macro below it, but where its words have it
        if re.search(r"\berror: ", line):
            at = re.search(r"program\.c:(\d+):", line)
            if at:
                found.setdefault(int(at[1]), line)
    failed = 0
    for i, (snippet, words) in enumerate(bad):
        error = found.get(i + head.count("\n") + 1, "")
        if not any(w in error for w in words.split(" / ")):
            failed += 1
            print(f"FAIL mistakes: {snippet} by {compiler}: \"{words}\" is not in \"{error}\"")
    if not failed:
        print(f"PASS mistakes: {len(good)} functions called right and {len(bad)} times wrong, by {compiler}; {len(errors)} errors")
    return failed


def main():
    show = sys.argv[2] if len(sys.argv) == 3 and sys.argv[1] == "--show" else None
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                print(f"SKIP mistakes: no {compiler}")
                continue
            failed += check_table(compiler, folder, show)
            if show is None:
                failed += check_functions(compiler, folder)
    return failed > 0


sys.exit(main())
