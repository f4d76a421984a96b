"""Files of tensors: safetensors."""
from . import _situ, nn


def _text(metadata):
    if metadata is None:
        return None
    for key, value in metadata.items():
        if not (isinstance(key, str) and isinstance(value, str)) or "=" in key or "\n" in key + value:
            raise ValueError(f"save: metadata are texts by name, in one line each and without = in the name, not {key!r}: {value!r}")
    return "".join(f"{key}={value}\n" for key, value in metadata.items())


def save(path, tensors, *, metadata=None):
    """Writes a network, or a dict of tensors by name, to a file of safetensors: whole or not at all. metadata: texts by name.

        situ.save("net.safetensors", net)
        situ.save("both.safetensors", {"x": x, "y": y})"""
    if isinstance(tensors, nn.Module):
        tensors = tensors.parameters()
    if not isinstance(tensors, dict):
        raise TypeError(f"save: a network or a dict of tensors by name is written, not {type(tensors).__name__}")
    for name in tensors:
        if not isinstance(name, str) or not name or "\0" in name:
            raise TypeError(f"save: tensors are named by texts, not {name!r}")
    _situ.save(path, list(tensors), [_situ.asarray(t) for t in tensors.values()], _text(metadata))


def load(path, *, device=None, map=True):
    """The tensors of a file of safetensors, or of the index of several, by name. On the CPU they share the file's pages (map), which must
    not be made shorter meanwhile; elsewhere they are copies."""
    archive = _situ.archive(path, map)
    return {row[0]: _situ.archive_get(archive, i, device, False) for i, row in enumerate(_situ.archive_says(archive)[0])}


def info(path):
    """What is in such a file: [(name, dtype as the file calls it, shape, bytes)], and its metadata."""
    return _situ.archive_says(_situ.archive(path, True))
