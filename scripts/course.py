#!/usr/bin/env python3
"""The course, docs/chapter/: its notebooks, one for each edition of the chapter; what its pages say that programs print; its pictures.

usage: scripts/course.py [--check] [PAGE ...]

scripts/generate.py writes the notebooks. As a program this runs the programs of the pages with build/ and the package that tests/python/package.sh
has installed there, and writes what they print below them where that has changed. Of each trace NAME.json that a page's program leaves, and of
which the page shows ../timeline-NAME.svg, it draws that picture. --check only says what would change.
"""
import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/chapter"
EXAMPLES = ROOT / "examples/python"
EDITIONS = {"mxnet": "MXNet (nd)", "mxnet_np": "MXNet (np)", "pytorch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX and Flax"}
SECTION = re.compile(r"^## (.*?) \(((?:[A-Z]\d(?:, )?)+)\)\n(.*?)(?=^## |\Z)", re.M | re.S)
FIRST = """import os
import pathlib
import sys

os.environ.setdefault("SITU_SIM_PROFILE", "workstation")  # as the pages
sys.path.insert(0, str(pathlib.Path.cwd().parents[2] / "examples/python"))  # from docs/chapter/notebooks

IMPORTS

two_gpus()
situ.set_printoptions(precision=8)"""


def pages():
    """Those with programs."""
    return [*sorted(PAGES.glob("[0-9]*.md")), *sorted(PAGES.glob("exercises*.md"), key=lambda path: path.stem)]


# ---- notebooks


def rows_of(path):
    """{number: (what it shows, its lines)}"""
    text = path.read_text()
    rows = {}
    for function in ast.parse(text).body:
        if not isinstance(function, ast.FunctionDef) or not function.name.startswith("row_"):
            continue
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines = text.split("\n")[body[0].lineno - 1:function.end_lineno]
        code = re.sub(r'"chapter_\w+\.py:?"', '""', textwrap.dedent("\n".join(lines)))  # a cell has another name
        rows[function.name[4:]] = (" ".join((ast.get_docstring(function) or "").split()), code)
    return rows


def imports(*paths):
    """What these files import, and all that their rows share."""
    lines = {ast.unparse(one) for path in paths for one in ast.parse(path.read_text()).body if isinstance(one, (ast.Import, ast.ImportFrom))}
    return "\n".join(sorted({"from chapter import *", *(line for line in lines if not line.startswith("from chapter "))}, key=lambda line: (line[0] == "f", line)))


def prose(text):
    """Paragraphs, lists and bold text of a section: no programs, tables, pictures, links."""
    text = re.sub(r"^```.*?^```\n", "", text, flags=re.M | re.S)
    kept = [line for line in text.split("\n") if not line.startswith(("<", "|", "!["))]
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", "\n".join(kept))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def sections():
    """Of all pages: title, rows, words; a row belongs to its first section."""
    seen = set()
    for page in pages():
        for title, rows, text in SECTION.findall(page.read_text()):
            new = [row for row in rows.split(", ") if row not in seen]
            seen.update(new)
            if new:
                yield title, new, prose(re.sub(r"<details>.*?</details>", "", text, flags=re.S))


def cell(kind, text, number):
    lines = text.split("\n")
    one = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": [*(line + "\n" for line in lines[:-1]), lines[-1]]}
    return one if kind == "markdown" else {**one, "execution_count": None, "outputs": []}


def notebook(edition):
    files = EXAMPLES / "chapter_rows.py", EXAMPLES / f"chapter_{edition}.py"
    rows = {**rows_of(files[0]), **rows_of(files[1])}
    parts = [("markdown", f"# The chapter on GPUs: {EDITIONS[edition]}\n\nThe pages of docs/chapter have the same cells in C. This notebook is made from them and from "
              f"examples/python/chapter_{edition}.py by scripts/generate.py. `SITU_CHAPTER_SMALL=1` makes the large cells small."), ("code", FIRST.replace("IMPORTS", imports(*files)))]
    for title, numbers, words in sections():
        parts.append(("markdown", f"## {title}\n\n{words}"))
        for number in numbers:
            about, code = rows.pop(number)
            parts += [("markdown", f"**{number}.** {about}"), ("code", code)]
    if rows:
        raise ValueError(f"docs/chapter has no section for {' '.join(rows)}")
    cells = [cell(kind, text, i) for i, (kind, text) in enumerate(parts)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5},
                      indent=1, ensure_ascii=False) + "\n"


def notebooks():
    """{path: text}"""
    return {PAGES / f"notebooks/{edition}.ipynb": notebook(edition) for edition in EDITIONS}


# ---- pages


def run_page(page, check):
    """Runs its programs in one folder, one after the other; writes their output and pictures."""
    sys.path.insert(0, str(ROOT / "tests/checks"))
    import programs

    build = programs.BUILD
    python = build / "package/use/bin/python"
    text, found = page.read_text(), []
    with tempfile.TemporaryDirectory() as folder:
        for block in list(programs.PROGRAM.finditer(text)):
            language, code, said = block.groups()
            if language == "python" and not python.exists():
                print(f"{page.name}: no package is installed; tests/python/package.sh does that")
                continue
            printed = programs.run(language, code, folder, python, programs.COURSE)
            if said is not None and not programs.agree(said if said != "?\n" else "\1", printed):
                found.append((block.start(3), block.end(3), printed))
        for start, end, printed in reversed(found):
            text = text[:start] + printed + text[end:]
        print(f"{page.name}: {len(found)} outputs differ")
        if not check:
            page.write_text(text)
        for trace in sorted(pathlib.Path(folder).glob("*.json")):
            picture = f"timeline-{trace.stem}.svg"
            if picture in text and not check:
                title = re.search(r"!\[([^:\]]*)[^\]]*\]\(\.\./" + re.escape(picture), text)[1]
                subprocess.run([build / "situ", "timeline", trace.name, "-o", ROOT / "docs" / picture, "--title", title], cwd=folder, check=True)
                print(f"docs/{picture}: {os.path.getsize(ROOT / 'docs' / picture)} bytes")
    return len(found)


def main():
    check = "--check" in sys.argv
    wanted = [ROOT / name for name in sys.argv[1:] if not name.startswith("-")] or pages()
    return bool(sum(run_page(page, check) for page in wanted)) and check


if __name__ == "__main__":
    sys.exit(main())
