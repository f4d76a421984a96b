"""Operations on each element: every row of src/op/elementwise.def, some under the standard's name for it."""
from . import _situ

_STANDARD = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}
_OWN = ("clip", "where")  # the standard wants more than the row: see _functions.py
for _name in _situ.elementwise:
    if _name not in _OWN:
        globals()[_STANDARD.get(_name, _name)] = getattr(_situ, _name)


__all__ = [name for name in dir() if not name.startswith("_")]
