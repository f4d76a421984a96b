"""Words of MXNet, PyTorch, TensorFlow and JAX that mean exactly what a word of situ does: they work, and no listing shows them.
Words that mean something else are in _habits.py, which says what to write."""
from . import _situ, nn
from ._array import to_numpy
from ._creation import asarray
from ._device import Device, cpu, devices, gpu
from ._habits import CONFIG, argument
from ._runtime import wait
from ._situ import Tensor


def array(obj, dtype=None, *, device=None):
    """asarray(obj, copy=True)."""
    return asarray(obj, dtype=dtype, device=device, copy=True)


class _Config:
    """TensorFlow's questions about devices."""

    def list_physical_devices(self, device_type=None):
        return devices(device_type)

    get_visible_devices = list_logical_devices = list_physical_devices

    def __getattr__(self, name):
        raise AttributeError(f"config has no attribute {name!r}; {CONFIG.get(name, CONFIG[None])}")


config = _Config()
config.experimental = config


def _copyto(x, device):
    """x in new memory on a device, also where it is there already."""
    if isinstance(device, Tensor):
        raise TypeError("copyto: a tensor is a value, nothing is copied into it; write x.copyto(device), or for a variable situ.assign(variable, x)")
    return _situ.copy_to(x, device)


def _to(x, what=None, dtype=None, *, device=None, **more):
    """x on a device, of a dtype, or as another tensor is."""
    for name in more:
        raise TypeError(f"to: there is no argument {name}{argument('to', name, ())}")
    if isinstance(what, int):
        raise TypeError(f"to: {what!r} is neither a device nor a dtype; write situ.gpu({int(what)})")
    if isinstance(what, Tensor):
        device, dtype = what.device, what.dtype
    elif isinstance(what, Device) or isinstance(what, str) and not _is_dtype(what):
        device = what
    elif what is not None:
        dtype = what
    x = x if device is None else x.to_device(device)
    return x if dtype is None or x.dtype == dtype else x.astype(dtype)


def _is_dtype(name):
    try:
        _situ.parse_device(name)
    except Exception:  # noqa: BLE001, then astype says what is wrong
        return True
    return False


def _block_until_ready(x):
    wait(x)
    return x


_TENSOR = {
    "ctx": property(lambda x: x.device),
    "context": property(lambda x: x.device),
    "devices": lambda x: {x.device},
    "as_in_ctx": lambda x, device: x.to_device(device),
    "as_in_context": lambda x, device: x.to_device(device),
    "copyto": _copyto,
    "asnumpy": lambda x: to_numpy(x, copy=True),
    "cuda": lambda x, index=0: x.to_device(index if isinstance(index, (str, Device)) else gpu(index or 0)),
    "cpu": lambda x: x.to_device(cpu()),
    "to": _to,
    "block_until_ready": _block_until_ready,
}
SPACES = {
    "situ": {"array": array, "constant": array, "config": config, "ndarray": Tensor},
    "situ.nn": {"LazyLinear": nn.Linear,
                **{f"Lazy{kind}{n}d": getattr(nn, f"{kind}{n}d") for kind in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm") for n in (1, 2, 3)}},
}


def install():
    for name, value in _TENSOR.items():
        if not isinstance(value, property):
            value.__name__ = name
        setattr(Tensor, name, value)
    return frozenset(_TENSOR)
