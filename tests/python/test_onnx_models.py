"""Models in files of ONNX from Python: what situ writes it reads again, as networks that train, and what is no such file says why."""
import copy
import os
import tempfile

import numpy as np

import situ
from support import raises, run
from situ import nn

folder = tempfile.mkdtemp()
path = os.path.join(folder, "net.onnx")


def written():
    net = nn.Sequential(nn.Conv2d(4, 3, padding=1), nn.BatchNorm(), nn.ReLU(), nn.Flatten(), nn.Linear(3)).init(situ.random.key(2))
    x = situ.random.normal(situ.random.key(1), (4, 2, 6, 6))
    net(x)
    net.eval()
    situ.onnx.save(net, path, x, input_names=["image"], result_names=["logits"])
    return net, x


def test_a_written_network_comes_back_with_its_names_and_values():
    net, x = written()
    other = situ.onnx.load(path)
    assert other.inputs == ["image"] and other.results == ["logits"]
    y, z = np.asarray(net(x)), np.asarray(other(x))
    assert np.abs(y - z).max() < 1e-5 * np.abs(y).max()
    for name, v in net.parameters().items():
        if name in other.parameters():
            assert np.array_equal(np.asarray(v), np.asarray(other.parameters()[name])), name
    assert {"0.weight", "4.weight"} <= set(other.parameters())
    assert np.array_equal(np.asarray(situ.onnx.load(open(path, "rb").read())(x)), z)
    assert np.array_equal(np.asarray(copy.deepcopy(other)(x)), z)
    assert other(x[:1]).shape == (1, 3)


def test_it_trains_on_and_lives_where_it_is_told():
    net, x = written()
    other = situ.onnx.load(path)
    adam = situ.optim.Adam(other, lr=0.01)
    labels = situ.asarray(np.array([0, 1, 2, 0]))
    losses = []
    for _ in range(8):
        loss = nn.cross_entropy(other(x), labels)
        adam.step(loss)
        losses.append(float(loss))
    assert losses[-1] < 0.7 * losses[0], losses
    before = {name: np.asarray(v) for name, v in other.parameters().items()}
    again = copy.deepcopy(other)
    assert all(np.array_equal(before[name], np.asarray(v)) for name, v in again.parameters().items())
    there = situ.onnx.load(path, device=situ.gpu(1))
    assert there(x.to_device(situ.gpu(1))).device == situ.gpu(1)
    assert not situ.onnx.load(path, trainable=False).trainable()
    whole = nn.Sequential(situ.onnx.load(path), nn.Linear(2))
    assert whole(x).shape == (4, 2) and "0.0.weight" in whole.parameters()


def test_several_inputs_and_results_have_the_names_of_the_file():
    a, b = situ.asarray(np.float32([[1, 2]])), situ.asarray(np.float32([[3, 5]]))
    situ.onnx.save(lambda x, y: (x * y, x - y), path, a, b, input_names=["left", "right"], result_names=["product", "difference"])
    net = situ.onnx.load(path)
    assert (net.inputs, net.results) == (["left", "right"], ["product", "difference"])
    for results in (net(a, b), net(a, right=b)):
        assert [np.asarray(r).tolist() for r in results] == [[[3, 10]], [[-2, -3]]]


def field(number, value):
    """A field of a message: a number, or bytes."""
    if isinstance(value, int):
        return bytes([number << 3 & 127 | (128 if number > 15 else 0)] + [number >> 4] * (number > 15) + [value])
    return bytes([number << 3 | 2, len(value)]) + value


def test_a_model_without_inputs_is_called_with_none():
    values = np.float32([1, 2, 4])
    tensor = field(1, 3) + field(2, 1) + field(9, values.tobytes())
    attribute = field(1, b"value") + field(5, tensor) + field(20, 4)
    node = field(2, b"y") + field(4, b"Constant") + field(5, attribute)
    graph = field(1, node) + field(12, field(1, b"y"))
    net = situ.onnx.load(field(1, 8) + field(7, graph) + field(8, field(2, 17)))
    assert (net.inputs, net.results) == ([], ["y"])
    assert np.asarray(net()).tolist() == [1, 2, 4]
    assert np.asarray(net(np.float32(0) + situ.zeros(()))).tolist() == [1, 2, 4]  # an input says where
    raises(ValueError, lambda: net(situ.zeros(()), situ.zeros(())), "takes no input")
    raises(TypeError, lambda: situ.onnx.load(path)(), "a network takes 1 to")


def test_what_is_no_model_says_why():
    raises(situ.FormatError, lambda: situ.onnx.load(b"no model"), "onnx")
    raises(OSError, lambda: situ.onnx.load("/nowhere/net.onnx"), "/nowhere/net.onnx")
    raises(TypeError, lambda: situ.onnx.load(3), "load", "PathLike")


if __name__ == "__main__":
    run(globals())
