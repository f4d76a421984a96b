#!/usr/bin/env python3
"""The reader of the public headers: slips in a header are refused with their place. A seed (a new one each time), and how many slips of
each kind, may be given."""
import dataclasses
import os
import pathlib
import random
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import reader  # noqa: E402

OPTION = r"(?m)^    (?:const )?\w+ [^;/\n]+;\s*/\* = "
# kind: (what is looked for, what it becomes); each must be refused
SLIPS = {
    "a comment is lost": (r"(?m)^(    (?:const )?\w+ [^;/\n]+;)\s*/\* = [^*]*\*/(?=\n(?:    |\}) ?\S*.*_options|\n    )", r"\1"),
    "no equals sign": (r"/\* = (?=\S)", "/* "),
    "no meaning": (r"(/\* = [^*:]*?): [^*]*\*/", r"\1 */"),
    "a default that is no number": (r"(double \w+;\s*/\* = )[-\d.e]+", r"\1many"),
    "a bool that is a number": (r"(bool \w+;\s*/\* = )(?:true|false)", r"\g<1>1"),
    "an integer with a fraction": (r"(int(?:32|64)_t \w+;\s*/\* = )-?\d+", r"\g<1>1.5"),
    "a shape that is a number": (r"(situ_shape \w+;\s*/\* = )default", r"\g<1>7"),
    "a pointer that is a number": (r"(\*\w+;\s*/\* = )none", r"\g<1>0"),
    "no enumerator": (r"(/\* = )SITU_(?!DTYPE|DEVICE)\w+", r"\1SITU_NOTHING"),
    "a reversed range": (r" in ([\[(])([-\w.]+), ([-\w.]+)([\])]):", r" in \1\3, \2\4:"),
    "a bound that is no number": (r"(/\* = [^:*]* in [\[(])[-\w.]+, ", r"\1some, "),
    "a range without its end": (r"( in [\[(][-\w.]+, [-\w.]+)[\])]:", r"\1:"),
    "a range of a bool": (r"(bool \w+;\s*/\* = (?:true|false))", r"\1 in [0, 1]"),
    "a default out of its range": (r"(/\* = )-?[\d.e-]+( in [\[(]-?[\d.]+, )", r"\1-7e20\2"),
    "two options a line": (r"(?m)^    (bool|double|int64_t) (\w+);(\s*/\* = )", r"    \1 \2, other;\3"),
    "a type that is not declared": (r"(?m)^    (?:bool|double|int64_t|int32_t|situ_axes) (\w+;\s*/\* = )", r"    situ_unknown \1"),
    "no semicolon behind an option": (r"(?m)^(    \w+ \w+);(\s*/\* = )", r"\1\2"),
    "no semicolon behind a prototype": (r"situ_site site\);", "situ_site site)"),
    "an unknown parameter": (r"(?m)^(SITU_API [^\n]*)\(situ_tensor \*x", r"\1(situ_tensr *x"),
    "a parameter without a name": (r"(?m)^(SITU_API [^\n]*)situ_tensor \*x(?=[,)])", r"\1situ_tensor *"),
    "no comma between parameters": (r"(?m)^(SITU_API [^\n]*situ_tensor \*\w+), (?=\w)", r"\1 "),
    "options of another name": (r"const situ_(\w+)_options \*options", r"const situ_\1_option *options"),
    "no line of the call": (r"_options \*options, situ_site site\)", "_options *options)"),
    "another name at the end": (r"(?m)^\} situ_(\w+);", r"} situ_\1x;"),
    "no head of an options struct": (r"    SITU_OPTION_HEAD;\n", ""),
    "a stray word": (r"(?m)^SITU_API ", "stray SITU_API "),
    "an open comment": (r" \*/\nSITU_API", "\nSITU_API"),
    "an open comment behind an option": (r"(/\* = [^*]*) \*/(?=\n    \w)", r"\1"),
    "a prototype twice": (r"(?m)^(SITU_API [^\n]*;\n)", r"\1\1"),
    "a value twice": (r"(?m)^    (SITU_\w+ = \d+,)", r"    \1 \1"),
    "no comma between values": (r"(SITU_\w+ = \d+),(?= [^\n]*\n\s*SITU_)", r"\1"),
    "no guard's end": (r"\n#endif\n$", "\n"),
}


def copy(api):
    return reader.Api(**{part.name: dict(getattr(api, part.name)) for part in dataclasses.fields(api)})


def read_each(paths):
    """What is read before each header, and what of all."""
    api, before = reader.Api(), []
    for path in paths:
        before.append(copy(api))
        reader.add(api, path)
    return api, before


def refused(before, paths):
    """The message about the first of these headers, or about one after it, which sees what the first one has declared."""
    api = copy(before)
    try:
        for path in paths:
            reader.add(api, path)
    except reader.Unreadable as error:
        return str(error) if re.match(r"include/situ/\w+\.h:\d+: \S", str(error)) else None
    return None


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("SITU_JOB_SEED", random.randrange(1 << 30)))
    each = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    draw, bad, tried = random.Random(seed), 0, 0
    paths = reader.order(ROOT)
    api, before = read_each(paths)
    with tempfile.TemporaryDirectory() as place:
        headers = {p: p.read_text() for p in paths if p.stem not in ("ops", "elementwise")}
        for kind, (pattern, slip) in SLIPS.items():
            places = [(p, m) for p, text in headers.items() for m in re.finditer(pattern, text)]
            if not places:
                print(f"FAIL signatures: nowhere to try: {kind}")
                bad += 1
            for path, found in draw.sample(places, min(each, len(places))):
                text, at, slipped = headers[path], paths.index(path), pathlib.Path(place) / path.name
                changed = text[:found.start()] + found.expand(slip) + text[found.end():]
                slipped.write_text(changed)
                tried += 1
                if changed == text or not refused(before[at], [slipped, *paths[at + 1:]]):
                    line = text.count("\n", 0, found.start()) + 1
                    print(f"FAIL signatures: {path.name}:{line}: accepted though {kind} (seed {seed})")
                    bad += 1
    if not bad:
        print(f"PASS signatures: {len(api.functions)} functions, {tried} of {tried} slips are refused (seed {seed})")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
