"""The device tests of the other files on OpenCL devices: the ledger, random programs, and a few cases of each
family of operations against NumPy. A kernel takes long to compile the first time, so these are fewer cases."""
import os

os.environ.setdefault("POCL_DEVICES", "pthread pthread")

import situ  # noqa: E402
import test_ledger as of_ledger  # noqa: E402
import test_moves as of_moves  # noqa: E402
import test_network as of_network  # noqa: E402
import test_programs as of_programs  # noqa: E402
import test_structured as of_structured  # noqa: E402
import test_values as of_values  # noqa: E402
from support import Skip, cases, on_device, run  # noqa: E402


def devices(count=2):
    if situ.num_opencl() < count:
        raise Skip(f"{situ.num_opencl()} OpenCL devices; scripts/test installs PoCL where it may")
    return [situ.opencl(i) for i in range(count)]


def test_ledger_directions():
    return of_ledger.each_direction(devices())


def test_random_programs():
    return of_programs.run_programs(cases(6), [situ.cpu(), *devices()], 300000)


def test_reductions_and_products():
    return on_device(devices(1)[0], of_structured, "sum extremes moments cumulative matmul", 0.01)


def test_positions_and_moves():
    return on_device(devices(1)[0], of_moves, "take scatter out_of_range sort searchsorted finding", 0.01)


def test_chains_of_moves():
    return on_device(devices(1)[0], of_moves, "moves_in_chains", 0.01)


def test_chains_of_operations():
    return on_device(devices(1)[0], of_values, "chains", 0.02)


def test_networks():
    return on_device(devices(1)[0], of_network, "conv2d pools norms attention", 0.015)


if __name__ == "__main__":
    run(globals())
