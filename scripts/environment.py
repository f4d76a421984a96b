#!/usr/bin/env python3
"""Writes docs/environment.md from src/base/environment.def, where it differs; with --check it only tells whether it does."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/environment.md"
TEXT = r'"((?:[^"\\]|\\.)*)"'
ROW = re.compile(rf"^VARIABLE\((\d), (\w+), {TEXT}, {TEXT}, {TEXT}\)|^DEBUG_WORD\((\w+), \w+, {TEXT}\)", re.M)
HEAD = """# Environment variables

Made by `scripts/environment.py` from `src/base/environment.def`. `situ help environment` prints the same list.

The library reads them when it first needs them. A program with raised rights (set-user-ID) ignores all of them.

| name | values | default | meaning |
|---|---|---|---|
"""


def page():
    rows = []
    for _, name, values, initial, meaning, word, about in ROW.findall((ROOT / "src/base/environment.def").read_text()):
        if word:
            rows[-1] += f"<br>`{word}` {about}"
        else:
            rows.append(f"| `{name}` | {values} | {initial} | {meaning}")
    return HEAD + "".join(row + " |\n" for row in rows)


text = page()
current = PAGE.exists() and PAGE.read_text() == text
if "--check" in sys.argv:
    print("PASS docs/environment.md is current" if current else "FAIL docs/environment.md is not what scripts/environment.py makes of environment.def")
    sys.exit(not current)
if not current:
    PAGE.write_text(text)
    print("wrote docs/environment.md")
