"""The device tests of the other files on devices of a PJRT plugin for the CPU: the ledger, programs, values and
networks against NumPy. scripts/test installs the plugins; without them these are skipped."""
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def plugins():
    """The plugins that scripts/test has installed: of an older and of a newer API."""
    return [str(f) for f in sorted((ROOT / "build-pjrt").glob("*/**/*.so")) if f.stat().st_size > 20 << 20]


if not os.environ.get("SITU_PJRT_PLUGIN") and plugins():
    os.environ["SITU_PJRT_PLUGIN"] = plugins()[-1]

import situ  # noqa: E402
import test_complex as of_complex  # noqa: E402
import test_fft as of_fft  # noqa: E402
import test_ledger as of_ledger  # noqa: E402
import test_linalg as of_linalg  # noqa: E402
import test_moves as of_moves  # noqa: E402
import test_network as of_network  # noqa: E402
import test_programs as of_programs  # noqa: E402
import test_structured as of_structured  # noqa: E402
import test_values as of_values  # noqa: E402
from support import Skip, cases, on_device, run, same  # noqa: E402


def devices(count=2):
    if situ.num_pjrt() < count:
        raise Skip(f"{situ.num_pjrt()} PJRT devices; scripts/test installs plugins where it may")
    return [situ.pjrt(i) for i in range(count)]


def test_ledger_directions():
    return of_ledger.each_direction(devices())


def test_random_programs():
    return of_programs.run_programs(cases(6), devices(), 300000)


def on_pjrt(module, names, share):
    return on_device(devices(1)[0], module, names, share)


def test_reductions_and_products():
    return on_pjrt(of_structured, "sum extremes moments cumulative matmul", 0.02)


def test_positions_and_moves():
    return on_pjrt(of_moves, "take scatter out_of_range sort searchsorted finding", 0.02)


def same_but_flushed(got, want):
    """Equal, but that XLA's zero may stand for a number that f32 has below its normal ones (docs/pjrt.md)."""
    got, want = np.array(got), np.asarray(want)
    if got.shape == want.shape and got.dtype.kind in "fc":
        for part in ("real", "imag") if got.dtype.kind == "c" else ("real",):
            mine, theirs = getattr(got, part), getattr(want, part)
            flushed = (mine == 0) & (np.abs(theirs) < 2.0**-126)
            mine[flushed] = theirs[flushed]
    return same(got, want)


def test_rows_of_the_table():
    """Each elementwise operation: the plugin's own functions are a little less exact, and f32 as f64 are as exact as ours."""
    exact = of_values.tolerance
    of_values.tolerance = lambda row, dtype: exact(row, dtype) + 3
    of_values.same = same_but_flushed
    try:
        return on_pjrt(of_values, "float_rows integer_rows logic bitcast promotion cast", 0.01)
    finally:
        of_values.tolerance = exact
        of_values.same = same


def test_more_structured_operations():
    more = [on_pjrt(of_structured, "prod dtype_of_sum tests logsumexp_special products", 0.01),
            on_pjrt(of_moves, "moves one_hot creation sequences complex", 0.01),
            on_pjrt(of_network, "conv2d_of_few_images conv2d_single_taps conv1d_and_halves max_pool_takes_nan running_moments embedding", 0.01)]
    return ", ".join(m for m in more if m)


def test_chains_of_moves():
    return on_pjrt(of_moves, "moves_in_chains", 0.01)


def test_chains_of_operations():
    return on_pjrt(of_values, "chains", 0.02)


def test_networks():
    return on_pjrt(of_network, "conv2d pools norms attention", 0.015)


def test_complex_numbers():
    return on_pjrt(of_complex, "one_operand two_operands exact mixed_operands reductions products positions", 0.05)


def test_linear_algebra():
    return on_pjrt(of_linalg, "cholesky solve det qr", 0.05)


def test_fourier_transforms():
    return on_pjrt(of_fft, "one_axis several_axes", 0.05)


if __name__ == "__main__":
    run(globals())
