"""Tensors in nested tuples, lists and dicts."""
from ._situ import Tensor


def tensors(tree):
    """All tensors, in order."""
    if isinstance(tree, Tensor):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ()
    return [t for part in parts for t in tensors(part)]


def mapped(tree, change, leaf=lambda other: other):
    """The same structure with change(tensor) for tensors and leaf(x) for everything else; the same object if nothing
    changes."""
    if isinstance(tree, Tensor):
        return change(tree)
    if isinstance(tree, dict):
        parts = {k: mapped(v, change, leaf) for k, v in tree.items()}
        return parts if any(parts[k] is not v for k, v in tree.items()) else tree
    if isinstance(tree, (list, tuple)):
        parts = [mapped(v, change, leaf) for v in tree]
        made = type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
        return made if any(a is not b for a, b in zip(parts, tree)) else tree
    return leaf(tree)
