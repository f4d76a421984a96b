"""Files of ONNX from Python: what is written, and what cannot be. tests/interop/onnx_out.py compares the values with onnxruntime's."""
import os
import tempfile

import numpy as np

import situ
from support import raises, run
from situ import nn

path = os.path.join(tempfile.mkdtemp(), "x.onnx")
x = np.linspace(-1, 1, 12, dtype="f4").reshape(4, 3)


def saved(net, *inputs, **options):
    situ.onnx.save(net, path, *inputs, **options)
    with open(path, "rb") as f:
        return f.read()


class Two(nn.Module):
    def __init__(self):
        self.first, self.second, self.norm = nn.Linear(4), nn.Linear(2), nn.BatchNorm()
        self.trained = []

    def forward(self, x):
        self.trained.append(self.training)
        return self.norm(self.second(nn.relu(self.first(x))))


def test_networks_have_their_names():
    text = saved(nn.Sequential(nn.Linear(4), nn.Dropout(0.5), nn.Linear(2)), x, input_names=["image"], result_names=["scores"], metadata={"made": "here"})
    assert all(text.count(w) for w in (b"0.weight", b"2.bias", b"image", b"scores", b"batch", b"here", b"MatMul")), text
    assert b"Where" not in text  # no dropout


def test_floor_divide_is_the_same_in_a_file():
    for a, b in ((np.array([-2**31, -2147483640, 7, -7, 5], "i4"), np.array([7, 10**6, -2, 2, 0], "i4")), (np.array([1, -1, 0, 5, -7.5], "f4"), np.array([0, 0, 0, np.inf, 2], "f4"))):
        saved(lambda x, y: situ.floor_divide(x, y), a, b)
        got, here = np.asarray(situ.onnx.load(path)(situ.asarray(a), situ.asarray(b))), np.asarray(situ.floor_divide(situ.asarray(a), situ.asarray(b)))
        assert np.array_equal(got, here, equal_nan=True), (got, here)
    assert here[0] == np.inf and here[1] == -np.inf


def test_of_ones_own_and_functions():
    net = Two()
    text = saved(net, x)
    assert b"first.weight" in text and b"norm.running_var" in text and b"BatchNormalization" in text
    assert net.training and not any(net.trained) and not np.asarray(net.parameters()["norm.running_mean"]).any()
    text = saved(lambda a, b: {"sum": a + b, "others": (a * 2,)}, x, x)
    assert b"input_1" in text and b"output_1" in text
    assert b"batch" not in saved(lambda a: a + 1, x, dynamic_batch=False)
    assert b"batch" not in saved(lambda a: a + 1, np.float32(3))


def test_inputs_that_have_no_batch():
    def f(rows, table):
        return situ.take(table, situ.astype(rows[:, 0], "int64"), axis=0)
    text = saved(f, x, np.ones((4, 5), dtype="f4"), batch_axes=[0, None])
    assert text.count(b"batch") == 2  # of the rows and of the result
    raises(ValueError, lambda: saved(f, x, x, batch_axes=[0]), "batch_axes", "2")
    raises(ValueError, lambda: saved(f, x, np.ones((3, 5), dtype="f4"), batch_axes=[0, 0]), "[3, 4]")


def test_many_inputs_and_results_are_written_and_read():
    many = [x + k for k in range(40)]
    saved(lambda *a: tuple(t * 2 for t in a), *many)
    net = situ.onnx.load(path)
    assert len(net.inputs) == len(net.results) == 40
    for k, y in enumerate(net(*[situ.asarray(t[:3]) for t in many])):
        assert np.array_equal(np.asarray(y), 2 * many[k][:3])


def test_what_cannot_be_written_says_why():
    e = raises(situ.Error, lambda: saved(lambda a: situ.reshape(a, (2, 6)), x), "15 elements")
    assert "dynamic_batch=False" in e.__notes__[0] and "5 instead of 4" in e.__notes__[0]
    raises(situ.Error, lambda: saved(lambda a: sum(a[i] for i in range(a.shape[0])), x), "the size of the batch", "dynamic_batch=False")
    raises(situ.Error, lambda: saved(lambda a: situ.cumulative_prod(a, axis=0), x), "cumprod", "it goes along that axis")
    raises(situ.Error, lambda: saved(lambda a: a * float(situ.sum(a)), x), "the size of the batch")
    for options in {}, {"dynamic_batch": False}:
        raises(situ.Error, lambda: saved(lambda a: a - float(situ.mean(a)), x[:1], **options), "read from", "test_onnx_files.py")
        raises(situ.Error, lambda: saved(lambda a: a + np.asarray(a)[0, 0], x, **options), "read from")
        raises(situ.Error, lambda: saved(lambda a, n: a * int(n), x, np.int64(3), **options), "read from")
        e = raises(ZeroDivisionError, lambda: saved(lambda a, n: a * (1 / (3 - int(n) - 2)), x, np.int64(3), **options))
        assert "other values of the inputs" in e.__notes__[0]
        assert saved(lambda a: a if bool(situ.any(situ.isnan(a))) else a + 1, x, **options)
    raises(situ.Error, lambda: saved(lambda a: situ.fft.fft(a), x), "complex")
    raises(situ.Error, lambda: saved(lambda a: a + situ.random.normal(situ.random.key(0), a.shape), x), "no counterpart in ONNX")
    raises(situ.Error, lambda: saved(lambda a: situ.ones((3,)), x), "no result depends on an input")
    raises(TypeError, lambda: saved(lambda a: 3, x), "no tensor")
    raises(ValueError, lambda: saved(lambda a: a + 1, x[:0]), "no rows")
    assert saved(lambda a: a + 1, x[:0], dynamic_batch=False)
    raises(situ.Error, lambda: situ.onnx.save(nn.Linear(2), "/nowhere/x.onnx", x), "/nowhere/x.onnx")
    raises(ValueError, lambda: saved(nn.Linear(2), x, metadata={"a=b": "c"}), "metadata")
    net = Two()
    raises(situ.Error, lambda: saved(net, np.ones((4,), dtype="f4")))
    assert net.training  # also where it fails


if __name__ == "__main__":
    run(globals())
