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
    g = situ.try_gpu(0)
    raises(TypeError, lambda: x.to(1), "to: 1 is neither a device nor a dtype; write situ.gpu(1)")
    raises(TypeError, lambda: x.to(g, non_blocking=True), "no argument non_blocking; leave it out")
    raises(TypeError, lambda: situ.random.uniform(situ.random.key(0), 2, 3), "a shape is one argument, as (2, 3)")
    raises(TypeError, lambda: situ.zeros(2, 3, 4, 5), "write zeros((2, 3, 4, 5))")
    raises(TypeError, lambda: situ.ones((2, 3), situ.int32), "write ones((2, 3), dtype=...)")
    raises(TypeError, lambda: x.mean(0, 1), "write mean(axis=(0, 1))")
    for space, name, words in (("", "Loader", "situ.data.Loader"), ("", "Adam", "situ.optim.Adam"), ("nn", "Adam", "situ.optim.Adam"), ("optim", "relu", "situ.relu"), ("", "synchronize", "situ.wait()")):
        raises(AttributeError, lambda: getattr(getattr(situ, space) if space else situ, name), f"has no attribute '{name}'; write {words}")
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


# What people write as in PyTorch, and what they are told to write.
HABITS = [
    (lambda x: situ.sum(x, dim=0), "sum has no argument dim", "write axis="), (lambda x: x.sum(dim=0), "write axis="), (lambda x: situ.mean(x, keepdim=True), "write keepdims="),
    (lambda x: situ.var(x, unbiased=False), "write correction="), (lambda x: situ.exp(input=x), "exp takes its arguments by position", "write it by position"),
    (lambda x: situ.concat([x, x], dim=1), "write axis="), (lambda x: situ.nn.softmax(x, dim=1), "write axis="), (lambda x: situ.nn.Softmax(dim=1), "write axis="), (lambda x: situ.zeros((2,), requires_grad=True), "write situ.variable(value)"),
    (lambda x: situ.sum(x, out=x), "tensors are values"), (lambda x: situ.random.normal(situ.random.key(0), (2,), generator=None), "situ.random.key(seed)"),
    (lambda x: situ.nn.Linear(10, 5), "Linear takes out by position, not 2 arguments; by name it has bias, inputs; write Linear(5), or Linear(5, inputs=10)"),
    (lambda x: situ.nn.Linear(in_features=10, out_features=5), "leave it out"), (lambda x: situ.nn.Linear(out_features=5), "write out="), (lambda x: situ.nn.Linear(5, in_features=10), "leave it out: the first call of the network tells"),
    (lambda x: situ.nn.Conv2d(3, 16, 3), "not 3 arguments", "write Conv2d(16, 3)"), (lambda x: situ.nn.Conv2d(3, 16, 3, 2), "write Conv2d(16, 3, stride=2)"), (lambda x: situ.nn.Conv2d(3, 16, 3, 1, 1), "stride=1, padding=1"),
    (lambda x: situ.nn.Conv2d(16, kernel_size=3), "Conv2d has no argument kernel_size", "write size="), (lambda x: situ.nn.MaxPool2d(kernel_size=2), "write size="), (lambda x: situ.nn.MaxPool2d(2, 2), "write MaxPool2d(2, stride=2)"),
    (lambda x: situ.nn.BatchNorm2d(16), "BatchNorm takes nothing by position, not 1 argument;", "write BatchNorm()"), (lambda x: situ.nn.BatchNorm2d(num_features=16), "leave it out"),
    (lambda x: situ.nn.LSTM(10, 20), "write LSTM(20)"), (lambda x: situ.nn.LSTM(10, 20, 2), "write LSTM(20, layers=2)"), (lambda x: situ.nn.LSTM(20, batch_first=True), "the batch is the first axis"),
    (lambda x: situ.nn.LSTM(20, num_layers=2), "write layers="), (lambda x: situ.nn.GRU(hidden_size=3), "write width="), (lambda x: situ.nn.ReLU(inplace=True), "ReLU has no argument inplace; it has none", "tensors are values"),
    (lambda x: situ.nn.ReLU(True), "ReLU takes nothing by position, not 1 argument; write ReLU()"), (lambda x: situ.nn.Dropout(p=0.5), "write rate="), (lambda x: situ.nn.LeakyReLU(negative_slope=0.1), "write slope="),
    (lambda x: situ.nn.Embedding(num_embeddings=9, embedding_dim=3), "write count="), (lambda x: situ.nn.MultiheadAttention(embed_dim=8, num_heads=2), "write width="), (lambda x: situ.nn.LayerNorm(normalized_shape=3), "write shape="),
    (lambda x: situ.nn.GroupNorm(2, 8), "write GroupNorm(2)"), (lambda x: situ.nn.cross_entropy(x, x, weight=x), "write weights="), (lambda x: situ.nn.cross_entropy(x, x, label_smoothing=0.1), "write smoothing="),
    (lambda x: situ.nn.cross_entropy(x, x, ignore_index=-1), "write ignored="), (lambda x: situ.nn.conv2d(x, x, x), "write conv2d(x, w) + b"), (lambda x: situ.nn.conv2d(x, weight=x), "write w="),
    (lambda x: situ.optim.Adam(net().parameters()), "Adam takes a network", "write Adam(net, ...)"), (lambda x: situ.optim.Adam(list(net().parameters().values())), "write Adam(net, ...)"),
    (lambda x: situ.optim.Adam(situ.nn.Linear(3).parameters()), "situ.optim.Adam(net)"), (lambda x: situ.optim.SGD(net(), 0.1), "SGD takes net by position, not 2 arguments", "write SGD(net, lr=0.1)"),
    (lambda x: situ.optim.Adam(net(), betas=(0.9, 0.99)), "write beta1=..., beta2=..."), (lambda x: situ.optim.Adam(params=net()), "an optimizer takes the network"), (lambda x: situ.optim.Adam(net(), learning_rate=1), "write lr="),
    (lambda x: situ.data.Loader(situ.data.digits(), batch_size=8), "write batch="), (lambda x: situ.data.Loader(situ.data.digits(), 8), "write Loader(data, batch=8)"), (lambda x: situ.data.Loader(situ.data.digits(), pin_memory=True), "leave it out"),
    (lambda x: situ.train.Trainer(epochs=3), "write max_epochs="), (lambda x: situ.train.Trainer(3), "write Trainer(max_epochs=3)"), (lambda x: x.size(0), "x.size is the number of elements, 6; write x.shape[0]"), (lambda x: x.size(), "write x.shape"),
    (lambda x: situ.zeros(2, 3), "write zeros((2, 3))"), (lambda x: situ.nn.LayerNorm(epsilon=1), "write eps="), (lambda x: situ.optim.step_schedule(situ.optim.SGD(net()), step_size=3), "write every="),
]


def net():
    made = situ.nn.Sequential(situ.nn.Linear(2, inputs=3))
    made.init(situ.random.key(0))
    made(situ.ones((1, 3)))
    return made


def test_arguments_of_another_library_say_what_to_write():
    x = situ.ones((2, 3))
    for i, (call, *words) in enumerate(HABITS):
        e = raises((TypeError, situ.ShapeError), lambda: call(x), *words)
        assert not re.search(r"write \w+=$", str(e)) or "has no argument" in str(e), (i, e)


def test_counts_of_arguments_are_those_that_were_given():
    x, key, trainer = situ.ones((2, 3)), situ.random.key(0), situ.train.Trainer()
    for call, words in ((lambda: x.sum(0, 1, 2), "sum: takes at most 1 argument by position (3 given)"), (lambda: situ.random.split(key, 2, 3), "split takes key, count by position, not 3 arguments"),
                        (lambda: situ.exp(x, x), "exp: takes at most 1 argument (2 given)"), (lambda: situ.add(x), "add: argument 2, a tensor or a number, is missing"), (lambda: net().freeze(1, 2), "freeze takes on by position, not 2 arguments"),
                        (lambda: situ.nn.Flatten(1), "Flatten takes nothing by position, not 1 argument"), (lambda: trainer.stop(1), "stop takes nothing by position, not 1 argument"),
                        (lambda: situ.nn.softmax(x, 0, 1), "softmax: takes at most 2 arguments (3 given)"), (lambda: x.astype(1, 2), "astype takes dtype by position, not 2 arguments"), (lambda: situ.stack([x], 0), "stack: takes at most 1 argument by position (2 given)")):
        raises(TypeError, call, words)


def test_help_says_what_comes_back():
    made = {"rnn": situ.nn.RNN(4), "gru": situ.nn.GRU(4), "lstm": situ.nn.LSTM(4), "attention": situ.nn.MultiheadAttention(4, 2), "encoder": situ.nn.TransformerEncoderLayer(4, 2), "decoder": situ.nn.TransformerDecoderLayer(4, 2),
            "bilinear": situ.nn.Bilinear(3), "bag": situ.nn.EmbeddingBag(5, 4)}
    x = situ.ones((2, 3, 4))
    count = 0
    for name, layer in made.items():
        cache = situ.zeros((2, 2, 3, 2))
        values = {name: layer.eval(), "x": x[:, :1] if name in ("attention", "encoder") else x, "n": situ.asarray([1, 1] if name == "encoder" else [3, 2]), "query": x, "key": x, "value": x, "memory": x, "m": situ.ones((1, 1, 1, 1), dtype="bool"), "k": cache, "v": cache,
                  "i": situ.asarray(0), "a": situ.ones((2, 3)), "b": situ.ones((2, 5)), "index": situ.asarray([[0, 1], [2, 3]]), "weights": situ.ones((2, 2))}
        lines = [line.strip().split("#")[0] for line in type(layer).__doc__.splitlines() if re.match(r"\s+y.* = \w+\(", line)]
        assert lines, name
        for line in lines:
            if name == "bag" and "weights" in line:
                values["bag"] = situ.nn.EmbeddingBag(5, 4, mode="sum")
            exec(line, values)
            assert isinstance(values["y"], situ.Tensor) and values["y"].shape[0] == 2, line
            count += 1
    assert "y [batch, time, width], h and c [layers, batch, width]" in situ.nn.LSTM.__doc__
    return f"{count} lines"


if __name__ == "__main__":
    run(globals())
