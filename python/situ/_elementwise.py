"""Elementwise operations: every row of src/op/elementwise.def, some under the array API's name."""
from . import _situ

_STANDARD = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}
_OWN = ("clip", "where")  # the array API asks for more than the row: see _functions.py
for _name in _situ.elementwise:
    if _name not in _OWN:
        globals()[_STANDARD.get(_name, _name)] = getattr(_situ, _name)


__all__ = [name for name in dir() if not name.startswith("_")]
