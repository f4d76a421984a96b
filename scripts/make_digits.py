#!/usr/bin/env python3
"""Packs the 1,797 handwritten digits into src/data/digits.bin.

usage: scripts/make_digits.py digits.csv[.gz]

The input has one digit per line: 64 pixels from 0 to 16, row by row, and the label last. It is the test part of
"Optical Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak, 1998), UCI Machine Learning Repository,
https://doi.org/10.24432/C50P49, CC BY 4.0.

The output has, for each of the 17 values of a pixel, the bits of its Huffman code (a byte each); the labels, a byte each; and the pixels in
their order by the canonical codes of these lengths, the first bit in the lowest bit of the first byte.
"""
import collections
import gzip
import heapq
import pathlib
import sys

COUNT, PIXELS, LARGEST = 1797, 64, 16


def read(line: str) -> list[int]:
    *pixels, label = (int(text) for text in line.split(","))
    if len(pixels) != PIXELS or not all(0 <= p <= LARGEST for p in pixels) or not 0 <= label <= 9:
        raise ValueError(f"not a digit: {line!r}")
    return [*pixels, label]


def code_lengths(values: list[int]) -> list[int]:
    counts = collections.Counter(values)
    heap = [(counts[v], v, {v: 0}) for v in range(LARGEST + 1)]
    heapq.heapify(heap)
    while len(heap) > 1:
        (m, v, a), (n, _, b) = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (m + n, v, {k: bits + 1 for k, bits in (a | b).items()}))
    return [heap[0][2][v] for v in range(LARGEST + 1)]


def pack(digits: list[list[int]]) -> bytes:
    pixels = [p for digit in digits for p in digit[:PIXELS]]
    lengths, codes, code, before = code_lengths(pixels), {}, 0, 0
    for length, value in sorted((length, value) for value, length in enumerate(lengths)):
        code <<= length - before
        codes[value], before = f"{code:0{length}b}", length
        code += 1
    bits = "".join(codes[p] for p in pixels)
    stream = int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8, "little")
    return bytes(lengths) + bytes(digit[PIXELS] for digit in digits) + stream


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    opener = gzip.open if sys.argv[1].endswith(".gz") else open
    with opener(sys.argv[1], "rt") as lines:
        digits = [read(line.strip()) for line in lines if line.strip()]
    if len(digits) != COUNT:
        raise ValueError(f"{len(digits)} digits, not {COUNT}")
    target = pathlib.Path(__file__).resolve().parent.parent / "src/data/digits.bin"
    target.write_bytes(pack(digits))
    print(f"{target}: {COUNT} digits, {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
