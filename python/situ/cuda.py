"""PyTorch's names for questions about GPUs; situ.gpu(i) is a GPU, and its methods info(), memory() and memory_limit() say more."""
from ._device import num_gpus as device_count  # noqa: F401
from ._runtime import wait as _wait


def is_available():
    """Whether there is a GPU."""
    return device_count() > 0


def synchronize(device=None):
    """Waits until all that this thread started is computed, on every device."""
    _wait()
