"""Names of other libraries: each AttributeError says what to write instead, and what it says exists. Prints PASS or FAIL for each."""
import re

import numpy as np

import situ
from support import raises, run
from situ import _habits


def exists(words):
    """Every dotted name of situ that the words speak of."""
    for path in re.findall(r"situ(?:\.\w+)+", words):
        value = situ
        for part in path.split(".")[1:]:
            value = getattr(value, part)


def test_what_the_tables_say_exists():
    net = situ.nn.Sequential(situ.nn.Linear(2))
    objects = {"x": situ.ones((2, 3)), "net": net, "opt": situ.optim.SGD(net), "optimizer": situ.optim.SGD(net)}
    for words in [w for table in (_habits.TENSOR, _habits.MODULE, _habits.OPTIMIZER, *_habits.SPACES.values()) for w in table.values()]:
        exists(words)
        for name, method in re.findall(r"\b(x|net|opt|optimizer)\.(\w+)", words):
            assert method == "name" or hasattr(objects[name], method), words


def test_tensors_say_what_to_call():
    x = situ.ones((2, 3))
    for name, words in _habits.TENSOR.items():
        raises(AttributeError, lambda: getattr(x, name), f"has no attribute '{name}'; {words}")
        assert not hasattr(x, name) and not hasattr(situ.Tensor, name) and name not in dir(x)
    raises(AttributeError, lambda: x.exp(), "has no attribute 'exp'; write situ.exp(x)")
    raises(AttributeError, lambda: x.softmax(), "write situ.nn.softmax(x)")
    for name in ("gpu", "no_such_thing"):
        raises(AttributeError, lambda: getattr(x, name), f"has no attribute '{name}'")
    try:
        x.gpu
    except AttributeError as e:
        assert str(e).endswith("'gpu'"), e
    assert {"shape", "sum", "reshape"} <= set(dir(x)) and np.asarray(x).shape == (2, 3)


def test_networks_optimizers_and_modules_say_what_to_call():
    net = situ.nn.Sequential(situ.nn.Linear(2))
    x = situ.ones((2, 3))
    opt = situ.optim.SGD(net)
    for one, table in ((net, _habits.MODULE), (opt, _habits.OPTIMIZER)):
        for name, words in table.items():
            raises(AttributeError, lambda: getattr(one, name), f"has no attribute '{name}'; {words}")
        raises(AttributeError, lambda: one.no_such_thing, "has no attribute 'no_such_thing'")
    for space, table in _habits.SPACES.items():
        for name, words in table.items():
            value = situ if space == "situ" else getattr(situ, space.split(".")[1])
            raises(AttributeError, lambda: getattr(value, name), f"module '{space}' has no attribute '{name}'; {words}")
    raises(TypeError, lambda: opt.step(), "step: the loss is missing: opt.step(loss) computes the gradients itself")
    loss = situ.mean(net(x))
    by_name = situ.gradients(loss, net.parameters())
    assert list(by_name) == ["0.weight", "0.bias"] and np.allclose(np.asarray(by_name["0.bias"]), 0.5)


def test_a_fit_speaks_as_the_program_does():
    data, net = situ.data.digits(), situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(9))
    fit = lambda **how: situ.train.Trainer(max_epochs=1, **how).fit(net, situ.optim.SGD(net), data)
    raises(IndexError, fit, ": fit: label 9 in row")
    raises(ValueError, lambda: fit(loss=situ.nn.mse, step=lambda net, batch: 1), "loss and step are both set")
    raises(TypeError, lambda: fit(loss=lambda y, t: None), "the function loss gave None")
    raises(TypeError, lambda: fit(step=lambda net, batch: None), "the function step gave None")
    raises(ValueError, lambda: fit(loss=lambda y, t: 3.0), "(the number 3) depends on no parameter of this network: it is a constant")


if __name__ == "__main__":
    run(globals())
