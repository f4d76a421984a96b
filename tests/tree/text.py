#!/usr/bin/env python3
"""The texts of the project: UTF-8, no tabs in C, no white space at the ends of lines, no paths of somebody's machine, nothing left to
do, nothing about who or what typed them. The judge's patches apply."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from tree_files import ROOT, files  # noqa: E402

NO_TEXT = re.compile(r"\.(bin|gz|npz|png|svg)$|^LICENSE$")
CODE = re.compile(r"\.(c|h|hpp|def|py|sh|cmake|inc)$")
# title: (pattern, of which files). The brackets in words keep this file from being found.
FORBIDDEN = {
    "white space at the end": (rb"[ \t]+$", lambda name: not name.endswith(".patch")),
    "carriage return": (rb"\r$", None),
    "tab": (rb"\t", CODE.search),
    "path of a machine": (rb"(?<![\w.}])/(?:home|root|work|farm|Users|mnt)/[a-z.]", None),
    "left to do": (rb"\b(?:TO[D]O|FIX[M]E|XX[X])\b", None),
    "who typed this": (rb"\b(?:A[I][- ](?:assist|generat|written)|as an A[I]\b|Chat[G]PT|Cop[i]lot|language model sessio[n])", None),
}
MOST = 5  # lines of one title


def forbidden(texts):
    for title, (pattern, of) in FORBIDDEN.items():
        pattern, hits = re.compile(pattern, re.M), []
        for name, text in texts.items():
            if b"\0" in text or of and not of(name):
                continue
            for found in pattern.finditer(text):
                start, end = text.rfind(b"\n", 0, found.start()) + 1, text.find(b"\n", found.start())
                line = text[start:end if end >= 0 else len(text)].decode(errors="replace")
                hits.append(f"{title}: {name}:{text.count(10, 0, found.start()) + 1}:{line}"[:160])
        yield from hits[:MOST]


def malformed(texts):
    for name, text in texts.items():
        try:
            text.decode()
        except UnicodeDecodeError:
            yield f"{name} is not UTF-8"
        if text and not text.endswith(b"\n"):
            yield f"no line end at the end of {name}"


def applies(patch, texts):
    """Every hunk's lines without those that it adds are in its file, in this order."""
    file, at = None, 0
    for line_of_head, body in re.findall(r"^(--- a/.*|@@ .*)\n((?:[ +\\-](?!-- ).*\n|\n)*)", patch, re.M):
        if line_of_head.startswith("---"):
            file, at = texts.get(line_of_head[6:].split("\t")[0]), 0
            file = file and b"\n" + file
            continue
        old = "".join((line[1:] or "\n") for line in body.splitlines(keepends=True) if line[0] in " -\n")
        at = file.find(("\n" + old).encode(), at) + 1 if file is not None and old else 0
        if not at:
            return False
        at += len(old.encode()) - 1
    return file is not None


def main():
    texts = {name: (ROOT / name).read_bytes() for name in files() if not NO_TEXT.search(name)}
    bad = [*forbidden(texts), *malformed(texts)]
    bad += [f"{name} does not apply any more" for name, text in texts.items()
            if name.startswith("tests/judge/mutations/") and name.endswith(".patch") and not applies(text.decode(), texts)]
    for line in bad:
        print("FAIL text:", line)
    if not bad:
        print(f"PASS text: {len(texts)} files")
    return bool(bad)


sys.exit(main())
