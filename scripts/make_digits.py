#!/usr/bin/env python3
"""Packs the 1,797 handwritten digits into src/data/digits.bin.

usage: scripts/make_digits.py digits.csv[.gz]

The input has one digit per line: 64 pixels from 0 to 16, row by row, and the label last. It is the test part of
"Optical Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak, 1998), UCI Machine Learning Repository,
https://doi.org/10.24432/C50P49, CC BY 4.0.

The output has 41 bytes per digit: 64 pixels of 5 bits, the first in the lowest bits of the first byte, and the label.
"""
import gzip
import pathlib
import sys

COUNT, PIXELS, LARGEST = 1797, 64, 16


def pack(line: str) -> bytes:
    *pixels, label = (int(text) for text in line.split(","))
    if len(pixels) != PIXELS or not all(0 <= p <= LARGEST for p in pixels) or not 0 <= label <= 9:
        raise ValueError(f"not a digit: {line!r}")
    bits = sum(pixel << 5 * place for place, pixel in enumerate(pixels))
    return bits.to_bytes(PIXELS * 5 // 8, "little") + bytes([label])


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    opener = gzip.open if sys.argv[1].endswith(".gz") else open
    with opener(sys.argv[1], "rt") as lines:
        packed = [pack(line.strip()) for line in lines if line.strip()]
    if len(packed) != COUNT:
        raise ValueError(f"{len(packed)} digits, not {COUNT}")
    target = pathlib.Path(__file__).resolve().parent.parent / "src/data/digits.bin"
    target.write_bytes(b"".join(packed))
    print(f"{target}: {COUNT} digits, {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
