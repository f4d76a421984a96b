"""The tests that OpenCL devices pass, on two GPUs of the fake CUDA driver (tests/fakecuda), or on real ones with
SITU_TEST_CUDA=real."""
import os
import pathlib
import tempfile

FOLDER = pathlib.Path(os.environ.get("SITU_BUILD_DIR", pathlib.Path(__file__).resolve().parents[2] / "build")) / "fakecuda"
REAL = os.environ.get("SITU_TEST_CUDA") == "real"
REPORT = tempfile.NamedTemporaryFile(prefix="fakecuda-")
if not REAL:
    os.environ.update({"SITU_SIM_GPUS": "0", "SITU_LIBCUDA": str(FOLDER / "libcuda.so.1"), "SITU_NVRTC": str(FOLDER / "libnvrtc.so"),
                       "SITU_NVML": str(FOLDER / "libnvidia-ml.so"), "SITU_CUBLASLT": str(FOLDER / "libcublasLt.so"),
                       "SITU_CUDNN": str(FOLDER / "libcudnn.so"), "FAKECUDA_CACHE": os.environ.get("FAKECUDA_CACHE", str(FOLDER / "cache")), "FAKECUDA_DEVICES": "2",
                       "FAKECUDA_REPORT": REPORT.name})

import situ  # noqa: E402
import test_opencl as suite  # noqa: E402
from support import Skip, run  # noqa: E402


def devices(count=2):
    if not REAL and not (FOLDER / "libcuda.so.1").exists():
        raise Skip("the fake CUDA driver is not built")
    if situ.num_gpus() < count:
        raise Skip(f"{situ.num_gpus()} GPUs")
    return [situ.gpu(i) for i in range(count)]


suite.devices = devices


def known(test):
    """The test; what CUDA has no kernel for is said, and no failure."""
    def run():
        try:
            return test()
        except Exception as error:
            if "has no kernel of CUDA" in str(error):
                raise Skip(str(error)[:300]) from error
            raise
    return run


for name in dir(suite):
    if name.startswith("test_"):
        globals()[name] = known(getattr(suite, name))


def test_zz_nothing_was_done_wrong():
    """What the fake driver found in all of these."""
    if REAL:
        raise Skip("a real driver")
    devices(1)
    situ._situ.shutdown()
    said = [line for line in REPORT.read().decode().splitlines() if line.strip()]
    assert not said, "; ".join(said[:5])


if __name__ == "__main__":
    run(globals())
