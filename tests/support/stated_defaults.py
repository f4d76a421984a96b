#!/usr/bin/env python3
"""stated_defaults.py FILE: for each public function with options, STATED_function: its options with the defaults that the headers state.

Left out are defaults that are no value: none, all, and what the function chooses without saying what ("default"). A shape is
EACH_AXIS(n), which tests/unit/test_defaults.c defines for the number of axes at hand."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import reader  # noqa: E402

DTYPES = {"f32": "SITU_F32", "i32": "SITU_I32"}


def value(field, default):
    """The default in C, or None if it is no value."""
    if default.text.split()[0] == "default":
        if not default.chosen:
            return None
        return DTYPES[default.chosen] if field.type == "situ_dtype" else f"EACH_AXIS({default.chosen})"
    return None if default.text in ("none", "all") else default.text


def text():
    lines = ["/* Made by tests/support/stated_defaults.py from the public headers. */"]
    for f in reader.read(ROOT).functions.values():
        if f.options:
            stated = [(field.name, value(field, f.defaults[field.name])) for field in f.options.fields]
            lines.append(f"#define STATED_{f.name} " + ", ".join(f".{name} = {v}" for name, v in stated if v is not None))
    return "\n".join(lines + [""])


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(text())
