#!/usr/bin/env python3
"""Makes the reference values under tests/reference from other libraries, which the tests themselves do not need.

    python3 -m venv venv && venv/bin/pip install jax numpy
    venv/bin/python scripts/make_reference.py threefry jax
    python3 scripts/make_reference.py torch                 # with Debian's python3-torch, or a virtual environment's

Without arguments it lists the references there are.
"""
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "reference"


def make_threefry():
    """Random bits, split and fold_in of JAX in both counter layouts (tests/unit/test_threefry.c)."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import numpy as np
    from jax.extend.random import threefry2x32_p

    jax.config.update("jax_enable_x64", True)  # for 64-bit bits and seeds
    lengths = [1, 2, 3, 5, 8, 13, 67, 1023, 5000, 100003]
    lines = [f"# JAX {jax.__version__}; made by scripts/make_reference.py threefry",
             "# what  layout  key0 key1  arguments  :  values, all in hexadecimal",
             "# Of many values it is the sum of value i times 2i+1, mod 2^64.",
             f"# bitsN: N bits each, for {', '.join(map(str, lengths[:-1]))} and {lengths[-1]} values"]

    def words(array):
        return " ".join(f"{int(v):x}" for v in np.asarray(array).ravel())

    def line(what, layout, key, arguments, values):
        lines.append(f"{' '.join([what, str(layout), words(key), *map('{:x}'.format, arguments)])} : {words(values)}")

    def checksum(array):
        """The sum of value i times 2i+1, mod 2^64."""
        v = np.asarray(array).astype(np.uint64)
        return np.sum(v * (2 * np.arange(v.size, dtype=np.uint64) + np.uint64(1)), dtype=np.uint64)

    for seed in [0, 1, 42, 2**32 + 5, -1, 2**31]:
        lines.append(f"key 0 {seed % 2**64:x} : {words(jax.random.PRNGKey(seed))}")
    for layout in [0, 1]:
        jax.config.update("jax_threefry_partitionable", bool(layout))
        for seed in [0, 42, 2**40 + 12345, -7]:
            key = jax.random.PRNGKey(seed)
            for width in [8, 16, 32, 64]:
                line(f"bits{width}", layout, key, [], [checksum(jax.random.bits(key, (n,), f"uint{width}")) for n in lengths])
            line("split", layout, key, [2001], [checksum(np.asarray(jax.random.split(key, 2001)).ravel())])
            for data in [0, 1, 12345, 2**32 - 1] if layout == 0 else []:
                line("fold_in", layout, key, [data], jax.random.fold_in(key, data))

    # Arrays too large to make here: JAX's original layout numbers blocks of 2^32-1 words, each by a key of its own.
    jax.config.update("jax_threefry_partitionable", False)
    most, key = 2**32 - 1, jax.random.PRNGKey(42)

    def block(k, x0, x1):
        x = [np.asarray([int(x) % 2**32], np.uint32) for x in (*np.asarray(k), x0, x1)]
        return [int(np.asarray(v)[0]) for v in threefry2x32_p.bind(*x)]

    def word(total, position):
        blocks = total // most
        part = jax.random.split(key, blocks + 1)[position // most]
        size = most if position // most < blocks else total % most
        at, half = position % most, (size + 1) // 2
        low, high = at % half, at % half + half
        return block(part, low, high if high < size else 0)[at // half]

    for total in [most, most + 1, 2**33 + 77]:
        half = most // 2 + 1
        for position in [0, 5, half - 1, half, most - 1, most, total - 1, total - 40]:
            if position < total:
                line("word32", 0, key, [total, position], [word(total, position)])
    for position in [0, 2**32 - 1, 2**32, 2**40 + 3]:
        hi, lo = block(key, position >> 32, position)
        line("word32", 1, key, [2**41, position], [hi ^ lo])
    (FOLDER / "threefry.txt").write_text("\n".join(lines) + "\n")


def make_jax():
    """JAX's random numbers, and its values and gradients at special points (tests/python/test_reference.py)."""
    import reference_jax

    reference_jax.write_random(FOLDER / "jax_random.json")
    reference_jax.write_conventions(FOLDER / "jax_conventions.json")


def make_torch():
    """Values and gradients of PyTorch at random points (tests/python/test_reference.py)."""
    import reference_torch

    reference_torch.write(FOLDER / "torch.json")


REFERENCES = {"threefry": make_threefry, "jax": make_jax, "torch": make_torch}


def main():
    if len(sys.argv) < 2 or any(name not in REFERENCES for name in sys.argv[1:]):
        print(__doc__)
        for name, make in REFERENCES.items():
            print(f"  {name:12} {make.__doc__.strip()}")
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:]:
        REFERENCES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
