#!/usr/bin/env python3
"""scripts/exports.txt, the list of what the library exports, is what the public headers declare with SITU_API.
tests/checks/exports.sh compares it with the built library."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import reader  # noqa: E402

listed, declared = (ROOT / "scripts/exports.txt").read_text().split(), set(reader.read(ROOT).functions)
bad = []
for words, names in (("listed, but declared in no header", set(listed) - declared), ("declared, but not listed", declared - set(listed)),
                     ("do not begin with situ_", {name for name in listed if not name.startswith("situ_")})):
    if names:
        bad.append(f"{words}: {' '.join(sorted(names))}; bash tests/checks/exports.sh --update writes the list of the built library")
if listed != sorted(set(listed)):
    bad.append("scripts/exports.txt is not in order, or has a name twice")
for line in bad:
    print("FAIL exports:", line)
if not bad:
    print(f"PASS exports: {len(listed)} symbols, as the headers declare them")
sys.exit(bool(bad))
