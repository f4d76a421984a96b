"""Made by scripts/generate.py from include/situ: change that."""
from .._device import Device

NAMES = {1: "cpu", 2: "gpu", 3: "tpu", 4: "null", 5: "opencl", 6: "pjrt"}


def cpu(index: int = 0) -> Device:
    """All cores and main memory; the only one is cpu(0)."""
    return Device(1, index)


def gpu(index: int = 0) -> Device:
    """CUDA cards, then other GPUs, then simulated ones."""
    return Device(2, index)


def tpu(index: int = 0) -> Device:
    """TPUs, by a PJRT plugin."""
    return Device(3, index)


def null(index: int = 0) -> Device:
    """Checks everything, computes nothing."""
    return Device(4, index)


def opencl(index: int = 0) -> Device:
    """OpenCL devices, CPUs among them, by platform."""
    return Device(5, index)


def pjrt(index: int = 0) -> Device:
    """Other devices of PJRT plugins (SITU_PJRT_PLUGIN)."""
    return Device(6, index)

__all__ = ["cpu", "gpu", "tpu", "null", "opencl", "pjrt"]
