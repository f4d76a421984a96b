#!/usr/bin/env python3
"""The public headers declare what the last release exported (scripts/exports.txt); tests/checks/exports.sh compares the built library."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import reader  # noqa: E402

listed, declared = (ROOT / "scripts/exports.txt").read_text().split(), set(reader.read(ROOT).functions)
bad = []
for words, names in (("exported by the last release, but declared in no header (docs/abi.md)", set(listed) - declared),
                     ("do not begin with situ_", {name for name in declared if not name.startswith("situ_")})):
    if names:
        bad.append(f"{words}: {' '.join(sorted(names))}")
if listed != sorted(set(listed)):
    bad.append("scripts/exports.txt is not in order, or has a name twice")
for line in bad:
    print("FAIL exports:", line)
if not bad:
    print(f"PASS exports: the {len(listed)} symbols of the last release are among the {len(declared)} that the headers declare")
sys.exit(bool(bad))
