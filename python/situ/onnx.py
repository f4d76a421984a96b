"""Files of the format ONNX."""
import os as _os

from . import _creation, _functions, _situ, _trees, nn
from ._files import _text


def _rows(x, axis, batch):
    """x with a batch of this size, its rows again and again; a tensor of its own."""
    if axis < 0 or x.shape[axis] == batch:
        return _situ.stop_gradient(x)
    return _functions.take(x, _creation.arange(batch, device=x.device) % x.shape[axis], axis=axis)


def _axes(inputs, axes):
    """The axis of each input that is the batch (-1: none), and its size."""
    if axes is None:
        size = next((x.shape[0] for x in inputs if x.ndim), 0)
        axes = [0 if x.ndim and x.shape[0] == size else -1 for x in inputs]
    axes = [-1 if a is None else a for a in axes]
    if len(axes) != len(inputs) or any(not -1 <= a < x.ndim for a, x in zip(axes, inputs)):
        raise ValueError(f"save: batch_axes = {axes} for inputs of {[x.ndim for x in inputs]} axes; give an axis of each, or None")
    sizes = {x.shape[a] for a, x in zip(axes, inputs) if a >= 0}
    if len(sizes) > 1:
        raise ValueError(f"save: the inputs have batches of {sorted(sizes)} rows")
    if 0 in sizes:
        raise ValueError("save: an input has no rows; a batch of one or more tells what follows")
    return axes, sizes.pop() if sizes else 0


def _record(call, inputs):
    """The inputs and the results of a call, one behind the other."""
    results = _trees.tensors(call(*inputs))
    if not results:
        raise TypeError("save: the call gave no tensor")
    return inputs + results, len(results)


def save(net, path, *inputs, dynamic_batch=True, batch_axes=None, input_names=None, result_names=None, metadata=None, external_data=False):
    """Writes what a network, or a function of tensors, computes from such inputs, as at inference.

        situ.onnx.save(net, "net.onnx", images)

    The file takes batches of any size; dynamic_batch=False: of that of the inputs alone. batch_axes: which axis of each input is the
    batch, None for none. Names are lists of texts, metadata texts by name; external_data: the weights lie in a file beside."""
    inputs = [_situ.asarray(x) for x in inputs]
    module = net if isinstance(net, nn.Module) else None
    handle = module._handle if module is not None else None
    axes, batch = _axes(inputs, batch_axes) if dynamic_batch else ([-1] * len(inputs), 0)
    first = max(batch, 5)  # steps of slices show there
    _situ.module_pause(handle, True)
    try:
        recorded, results = _record(net, [_situ.stop_gradient(x) for x in inputs])
        if dynamic_batch and batch:
            recorded = []
            for size in (first, first + 1, 3 * first + 2):  # as situ_onnx_save does
                try:
                    more, count = _record(net, [_rows(x, a, size) for x, a in zip(inputs, axes)])
                except Exception as e:
                    e.add_note(f"save: with a batch of {size} instead of {batch}; dynamic_batch=False writes a file that takes this one alone")
                    raise
                if count != results:
                    raise ValueError(f"save: {results} results of a batch of {batch}, and {count} of one of {size}")
                recorded += more
        names = [None if n is None else ",".join(n) for n in (input_names, result_names)]
        _situ.onnx_save(handle, path, recorded, len(inputs), results, tuple(axes), *names, _text(metadata), external_data)
    finally:
        _situ.module_pause(handle, False)


class Model(nn._Layer):
    """The graph of a file of ONNX as a network; docs/onnx.md lists the operators. Its parameters have the names of the file.

        net = situ.onnx.load("model.onnx")
        y = net(x)                      # several inputs, in the file's order or by name; several results are a tuple
        adam = situ.optim.Adam(net)"""

    def __init__(self, source, device, trainable):
        super().__init__(_make=("onnx_load", source, device, trainable))

    @property
    def inputs(self):
        """The names of the inputs."""
        return _situ.onnx_names(self._handle)[0]

    @property
    def results(self):
        """The names of the results."""
        return _situ.onnx_names(self._handle)[1]


def load(path, *, device=None, trainable=True):
    """The network of a file of ONNX (a path, or its bytes). trainable: weights are parameters that gradients and optimizers see; device:
    where they are."""
    return Model(path if isinstance(path, bytes) else _os.fspath(path), device, trainable)
