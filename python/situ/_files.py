"""Files of tensors: safetensors, NumPy's, GGUF. Here and wherever the package takes the path of one file, a file object opened in binary
mode or a bytearray or memoryview of what a file has will do."""
from . import _situ, _tree, data, nn, optim
from ._errors import handle as _handle_of


def _text(metadata):
    if metadata is None:
        return None
    for key, value in metadata.items():
        if not (isinstance(key, str) and isinstance(value, str)) or "=" in key or "\n" in key + value:
            raise ValueError(f"save: metadata are texts by name, in one line each and without = in the name, not {key!r}: {value!r}")
    return "".join(f"{key}={value}\n" for key, value in metadata.items())


def save(path, tensors, *, metadata=None, shard_bytes=0):
    """Writes a network, or a dict of tensors by name, to a safetensors file, atomically; to NumPy's .npz or .npy if the
    path ends so. metadata: a dict of strings. shard_bytes: writes several files with at most so many bytes of values
    each, "name-00001-of-00003.safetensors" and so on, and "name.safetensors.index.json"; 0: one file. A file object
    opened in binary mode may stand for the path.

        situ.save("net.safetensors", net)
        situ.save("both.safetensors", {"x": x, "y": y})"""
    if isinstance(tensors, nn.Module):
        tensors = tensors.parameters()
    if not isinstance(tensors, dict):
        raise TypeError(f"save: a network or a dict of tensors by name is written, not {type(tensors).__name__}")
    for name in tensors:
        if not isinstance(name, str) or not name or "\0" in name:
            raise TypeError(f"save: tensors are named by texts, not {name!r}")
    _situ.save(path, list(tensors), [_situ.asarray(t) for t in tensors.values()], _text(metadata), shard_bytes)


def load(path, *, names=None, device=None, map=True):
    """The tensors of a file by name: safetensors, the index of several such files, GGUF (quantised blocks become
    float32), NumPy's .npz and .npy. names: only these tensors. On the CPU they are mapped from the file, which must
    not be overwritten in place meanwhile, as numpy.save does; on other devices they are copies. A file object, or a
    bytearray or memoryview of a file's bytes, may stand for the path."""
    if isinstance(names, str):
        raise TypeError(f"load: names is a list of names, not {names!r}")
    archive = _situ.archive(path, map)
    if names is None:
        names = [row[0] for row in _situ.archive_says(archive)[0]]
    return {name: _situ.archive_get(archive, name, device, False) for name in names}


def info(path):
    """Lists such a file without reading its values: [(name, dtype as the file calls it, shape, bytes)], and its
    metadata."""
    return _situ.archive_says(_situ.archive(path, True))


def _parts(function, net, optimizer, loader):
    """The handles of the objects in a checkpoint."""
    return (_handle_of(function, "the network", net, nn.Module),
            None if optimizer is None else _handle_of(function, "the optimizer", optimizer, optim.Optimizer),
            None if loader is None else _handle_of(function, "the loader", loader, data.Loader))


def checkpoint_save(path, net, optimizer=None, loader=None, *, metadata=None):
    """Writes the whole state of a training to a safetensors file, atomically: the network; the optimizer with its
    moments, steps, hyper-parameters and schedule; and the loader's position in its epoch. metadata: a dict of
    strings, which situ.info returns."""
    _situ.checkpoint(path, *_parts("checkpoint_save", net, optimizer, loader), _text(metadata), False)


def checkpoint_load(path, net, optimizer=None, loader=None):
    """Gives them the state of such a file, also to a network that was not called yet; the training goes on bit for bit as if it had not
    been interrupted. The next pass over the loader is the rest of the epoch. What differs is an error that says so.

        if os.path.exists("run.safetensors"):
            situ.checkpoint_load("run.safetensors", net, adam, loader)
        while loader.epoch < 10:
            for x, y in loader: ..."""
    _situ.checkpoint(path, *_parts("checkpoint_load", net, optimizer, loader), None, True)
    _tree.follow(net)
    if loader is not None:
        loader._go_on()
