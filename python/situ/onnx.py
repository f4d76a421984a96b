"""ONNX files."""

from . import _creation, _functions, _situ, _trees, nn
from ._files import _text


def _axes(inputs, axes):
    """The batch axis of each input (-1: none), and the batch size."""
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
    """The inputs and then the results of a call."""
    results = _trees.tensors(call(*inputs))
    if not results:
        raise TypeError("save: the call gave no tensor")
    return inputs + results, len(results)


def save(net, path, *inputs, dynamic_batch=True, batch_axes=None, input_names=None, result_names=None, metadata=None, external_data=False):
    """Writes what a network, or a function of tensors, computes from such inputs, at inference.

        situ.onnx.save(net, "net.onnx", images)

    The file accepts batches of any size; dynamic_batch=False: only the size of these inputs. batch_axes: the batch
    axis of each input, None for none. Names are lists of strings, metadata a dict of strings; external_data: the
    weights go to a separate file beside it."""
    inputs = [_situ.asarray(x) for x in inputs]
    if not callable(net):
        raise TypeError(f"save: what is written is a situ.nn.Module or a function of tensors, not {type(net).__name__}")
    module = net if isinstance(net, nn.Module) else None
    handle = module._handle if module is not None else None
    axes, batch = _axes(inputs, batch_axes) if dynamic_batch else ([-1] * len(inputs), 0)
    first = max(batch, 5)  # large enough to recognise the steps of slices
    _situ.module_pause(handle, True)
    try:
        def record(size, k):
            return _record(net, [_situ.onnx_example(x, a, size, k) for x, a in zip(inputs, axes)])
        recorded, results = record(batch, 0)
        grows = bool(dynamic_batch and batch)
        if grows:
            recorded = []  # as in situ_onnx_save
        for k, size in enumerate((first, first + 1, 3 * first + 2)) if grows else [(1, batch)]:
            try:
                more, count = record(size, k)
            except Exception as e:
                e.add_note(f"save: with other values of the inputs, and a batch of {size} instead of {batch}; dynamic_batch=False writes a file that takes this one alone"
                           if grows else "save: with other values of the inputs: a file holds no number that was read from them")
                raise
            if count != results:
                raise ValueError(f"save: {results} results of a batch of {batch}, and {count} of one of {size} with other values")
            recorded += more
        names = [None if n is None else ",".join(n) for n in (input_names, result_names)]
        _situ.onnx_save(handle, path, recorded, len(inputs), results, tuple(axes), *names, _text(metadata), external_data)
    finally:
        _situ.module_pause(handle, False)


class Model(nn._Layer):
    """The graph of an ONNX file as a network; docs/onnx.md lists the supported operators. Parameters have the file's
    names.

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
    """The network of an ONNX file (a path, its bytes, or an open file). trainable: weights are parameters for gradients and
    optimizers; device: where they are."""
    return Model(path, device, trainable)
