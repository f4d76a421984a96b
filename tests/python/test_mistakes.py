"""What would go on without a word, or end in words that do not help: attributes that take a parameter's place, objects of another kind,
buffers without a dtype, axes that are not there. Prints PASS or FAIL for each."""
import copy
import inspect
import os
import re
import tempfile
import zlib

import numpy as np

import situ
from support import Failures, raises, run

nn, optim = situ.nn, situ.optim


class Scaled(nn.Module):
    def __init__(self):
        self.scale = situ.variable(situ.ones((2,)))
        self.part = nn.Linear(2, inputs=2)
        self.list, self.dict, self.moments = [situ.variable(situ.ones((2,)))], {"w": situ.variable(situ.ones((2,)))}, situ.zeros((2,))

    def forward(self, x):
        return self.part(x) * self.scale * self.list[0] * self.dict["w"]


def test_a_parameter_stays_one():
    x = situ.ones((3, 2))
    for change in (lambda m: setattr(m, "scale", m.scale * 2), lambda m: setattr(m, "scale", 3.0), lambda m: setattr(m, "scale", [1.0, 2.0]), lambda m: setattr(m, "scale", np.ones(2))):
        net = Scaled()
        before = list(net.parameters())
        raises(TypeError, lambda: change(net), "Scaled.scale is a parameter", "situ.assign(module.scale, value)", "situ.variable(value)")
        assert list(net.parameters()) == before and net(x).shape == (3, 2)
    for change in (lambda m: setattr(m, "part", m.part(x)), lambda m: setattr(m, "part", nn.relu), lambda m: setattr(m, "part", 1)):
        raises(TypeError, lambda: change(Scaled()), "Scaled.part is a part, of class Linear", "another Module, or None")
    net = Scaled()
    net.list[0] = net.list[0] * 2
    raises(TypeError, lambda: net(x), "Scaled.list.0 is a parameter", "situ.assign(module.list.0, value)")
    net = Scaled()
    net.parameters()
    net.dict["w"] = net.dict["w"] + 1
    raises(TypeError, lambda: net.parameters(), "Scaled.dict.w is a parameter")
    for in_place in (lambda t: t.__imul__(2), lambda t: t.__iadd__(1)):
        raises(ValueError, lambda: in_place(Scaled().scale), "a variable changes by assign()")
    net = Scaled()
    situ.assign(net.scale, net.scale * 2)
    net.moments = 0.9 * net.moments + 0.1
    net.scale, net.part = situ.variable(situ.zeros((2,))), nn.Identity()
    assert net(x).tolist() == [[0, 0]] * 3 and "part.weight" not in net.parameters()
    net.scale = None
    assert "scale" not in net.parameters() and "scale" not in copy.deepcopy(net).parameters()
    raises(TypeError, lambda: setattr(nn.Linear(2, inputs=2), "weight", situ.ones((2, 2))), "situ.assign(layer.weight, value)")
    for name in ("train", "eval", "freeze"):
        raises(TypeError, lambda: setattr(net, name, False), f"{name} is a method of a network; write net.{name}(")


def test_what_is_said_at_first_is_not_set_later():
    net = nn.Sequential(nn.Linear(2, inputs=2))
    data = situ.data.Dataset(situ.ones((4, 2)), [0, 1, 0, 1])
    trainer = situ.train.Trainer(max_epochs=1)
    for one, name in ((nn.Dropout(0.5), "rate"), (nn.Conv2d(3, 3), "stride"), (nn.Linear(2, bias=False, inputs=2), "bias"), (nn.LSTM(3), "layers"), (trainer, "max_epochs"), (trainer, "patience"),
                      (situ.data.Loader(data), "batch"), (situ.data.Loader(data), "shuffle"), (situ.metrics.F1(2), "classes"), (trainer, "board")):
        raises(AttributeError, lambda: setattr(one, name, 1), f"{name} is said where it is made", f"{type(one).__name__}({name}=...)")
    opt = optim.SGD(net, lr=0.1)
    for name, mend in (("momentum", "opt.set(momentum=...)"), ("weight_decay", "opt.set(weight_decay=...)"), ("learning_rate", "write opt.lr"), ("param_groups", "opt.lr = ")):
        raises(AttributeError, lambda: setattr(opt, name, 0.5), mend)
    raises(AttributeError, lambda: setattr(data, "classes", 3), "classes")
    opt.lr, opt.mine, trainer.on_epoch, trainer.mine = 0.5, 1, lambda t: True, 2
    assert opt.lr == 0.5 and opt.mine == 1 and trainer.mine == 2
    assert optim.SGD(net).set(momentum=0.5).hyper()["momentum"] == 0.5

    class Wide(nn.Linear):  # attributes of the user's own
        def __init__(self, out):
            super().__init__(out)
            self.out = out
    assert Wide(3).out == 3


# ---- objects of another kind


def objects():
    net, x = nn.Sequential(nn.Linear(3, inputs=3)), situ.ones((2, 3))
    net(x)
    data = situ.data.Dataset(x, [0, 1])
    return {"Tensor": x, "Sequential": net, "SGD": optim.SGD(net), "Dataset": data, "Loader": situ.data.Loader(data, batch=1), "Trainer": situ.train.Trainer(max_epochs=1), "Accuracy": situ.metrics.Accuracy(),
            "Device": situ.cpu(), "Group": situ.Group(), "Board": situ.train.Trainer(max_epochs=1).board}


def takes(o, folder):
    """{name: (function of the object, the kinds that it takes)}"""
    net, opt, data, x = o["Sequential"], o["SGD"], o["Dataset"], o["Tensor"]
    path, trainer = os.path.join(folder, "a.safetensors"), lambda: situ.train.Trainer(max_epochs=1)
    whole = lambda: nn.Sequential(nn.Linear(3), nn.Linear(3))
    calls = {
        "checkpoint_save": (lambda v: situ.checkpoint_save(path, v), "Sequential"), "checkpoint_save, optimizer": (lambda v: situ.checkpoint_save(path, net, v), "SGD"),
        "checkpoint_save, loader": (lambda v: situ.checkpoint_save(path, net, opt, v), "Loader"), "checkpoint_load": (lambda v: situ.checkpoint_load(path, v), "Sequential"),
        "checkpoint_load, optimizer": (lambda v: situ.checkpoint_load(path, net, v), "SGD"), "checkpoint_load, loader": (lambda v: situ.checkpoint_load(path, net, opt, v), "Loader"),
        "save": (lambda v: situ.save(path, v), "Sequential"), "Loader": (situ.data.Loader, "Dataset"), "standardize": (lambda v: data.standardize(v), "Dataset"),
        "fit, network": (lambda v: trainer().fit(v, opt, data), "Sequential"), "fit, optimizer": (lambda v: trainer().fit(net, v, data), "SGD"), "fit, data": (lambda v: trainer().fit(net, opt, v), "Dataset"),
        "fit, held out": (lambda v: trainer().fit(net, opt, data, v), "Dataset"), "evaluate": (lambda v: trainer().evaluate(v, data), "Sequential"), "evaluate, data": (lambda v: trainer().evaluate(net, v), "Dataset"),
        "measure": (lambda v: trainer().measure(v, data), "Sequential"), "measure, data": (lambda v: trainer().measure(net, v), "Dataset"), "prepare_model": (lambda v: trainer().prepare_model(v), "Sequential"),
        "confusion": (lambda v: trainer().confusion(v, v), "Tensor"), "share": (lambda v: whole()[0].share(v), "Sequential"), "step": (lambda v: opt.step(v), "Tensor"), "step, group": (lambda v: opt.step(situ.mean(net(x)), group=v), "Group"),
        "Trainer, group": (lambda v: situ.train.Trainer(group=v), "Group"), "BatchNorm, group": (lambda v: nn.BatchNorm(group=v), "Group"), "onnx.save": (lambda v: situ.onnx.save(v, os.path.join(folder, "a.onnx"), x), "Sequential"),
        "Sequential": (nn.Sequential, "Sequential"), "Residual": (nn.Residual, "Sequential"), "Parallel": (nn.Parallel, "Sequential"), "ModuleList": (lambda v: nn.ModuleList([v]), "Sequential"), "ModuleList, alone": (nn.ModuleList, ""),
        "ModuleDict": (lambda v: nn.ModuleDict({"a": v}), "Sequential"), "append": (lambda v: nn.ModuleList([]).append(v), "Sequential"), "Function": (nn.Function, "Sequential"), "init": (lambda v: net.init(v), ""), "call": (lambda v: net(v), "Tensor"),
        "load_state": (lambda v: net.load_state(v), ""), "summary": (lambda v: net.summary(v), "Tensor"), "metric.update": (lambda v: o["Accuracy"].update(v, situ.asarray([0, 1])), "Tensor"),
        "random.normal": (lambda v: situ.random.normal(v, (2,)), ""), "to": (lambda v: net.to(v), "Device"), "mirror": (lambda v: net.mirror([v]), "Device"), "ones": (lambda v: situ.ones((2,), device=v), "Device"),
        "device": (situ.device, "Device"), "to_device": (lambda v: x.to_device(v), "Device"), "assign": (lambda v: situ.assign(situ.variable(situ.ones((2, 3))), v), "Tensor"), "assign, variable": (lambda v: situ.assign(v, 1), ""),
        "variable": (situ.variable, "Tensor"), "eval": (lambda v: situ.eval([v]), "Tensor"), "wait": (situ.wait, "Tensor"), "explain": (situ.explain, "Tensor"), "exp": (situ.exp, "Tensor"), "sum": (situ.sum, "Tensor"),
        "Session": (lambda v: situ.Session(v, x), "Sequential"), "Proof": (lambda v: situ.train.Proof(os.path.join(folder, "proof"), v), "Sequential"),
        "gradients": (lambda v: situ.gradients(v, [x]), ""), "all_reduce": (lambda v: o["Group"].all_reduce(v), "Tensor"), "custom_schedule": (lambda v: optim.custom_schedule(opt, v), "Sequential"),
    }
    for name in dir(optim):
        kind = getattr(optim, name)
        if name.startswith("_") or name == "Optimizer" or not callable(kind):
            continue
        more = {"step_schedule": 3, "multi_step_schedule": [3], "exponential_schedule": 0.5, "polynomial_schedule": 3, "cosine_schedule": 3, "one_cycle_schedule": 3, "warmup": 3, "custom_schedule": lambda t: 1}
        calls[f"optim.{name}"] = (kind, "Sequential") if isinstance(kind, type) else (lambda v, kind=kind, args=[more[name]] if name in more else []: kind(v, *args), "SGD")
    return calls


def test_objects_of_another_kind_are_refused():
    failures, takers = Failures(), None
    with tempfile.TemporaryDirectory() as folder:
        o = objects()
        situ.checkpoint_save(os.path.join(folder, "a.safetensors"), o["Sequential"])
        takers = takes(o, folder)
        for name, (call, right) in takers.items():
            for kind, one in o.items():
                if kind == right:
                    continue
                with failures.of(f"{name} of a {kind}"):
                    e = raises((TypeError, situ.Error), lambda: call(one))
                    text, known = str(e), kind if kind != "Sequential" else "Sequential|Linear|Module"
                    assert re.search(rf"\b({known}|tuple)\b|is no device of situ|the key is|is no variable|takes one tensor|depends on none|no single number", text), text
                    assert "argument 1 must be a tensor, not str" not in text and "make sense" not in text, text
    return failures.check()


def test_every_function_of_the_optimizers_takes_an_optimizer_alone():
    """The list above is whole: what the package has with an argument of these names is there."""
    with tempfile.TemporaryDirectory() as folder:
        known = {re.split("[,.]", name)[0 if "." not in name else -1].strip() for name in takes(objects(), folder)}
    for space in (situ, nn, optim, situ.data, situ.train, situ.onnx):
        for name in dir(space):
            try:
                arguments = inspect.signature(getattr(space, name)).parameters if not name.startswith("_") and callable(getattr(space, name)) else ()
            except ValueError:
                continue
            if {"net", "opt", "optimizer", "loader", "data", "dataset", "trainer", "group"} & set(arguments):
                assert name in known or isinstance(getattr(space, name), type) and name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Optimizer") or name in ("save", "Trainer"), (space.__name__, name)


# ---- texts, attributes, buffers


def test_a_format_is_for_one_number():
    assert f"{situ.asarray(2.5):.2f} {situ.ones((1, 1)):.2f} {situ.asarray(3):>4} {situ.ones(2)}" == "2.50 1.00    3 [1., 1.] f32[2] @cpu(0)"
    for spec in (".2f", ">20", "e", "s"):
        raises(TypeError, lambda: format(situ.ones((2, 3)), spec), f"{spec!r} is for one number, and the tensor has 6", "situ.printoptions(")
    assert f"{situ.metrics.Mean().update(situ.asarray([1.0, 2])):.2f}" == "1.50"


def test_hasattr_is_an_answer():
    for shape, transposed, each in (((), False, False), ((3,), False, False), ((2, 3), True, True), ((2, 3, 4), False, True)):
        x = situ.ones(shape)
        assert (hasattr(x, "T"), hasattr(x, "mT")) == (transposed, each) and getattr(x, "T", None) is None or transposed, shape
    e = raises(AttributeError, lambda: situ.ones(3).T, "T is of a tensor of 2 dimensions, not of 1")
    assert "permute_dims" in str(e)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text")
        open(path, "w").write("some words of a text")
        text = situ.data.text_dataset(path, 4)
        everything = [*objects().values(), nn.LSTM(3), text, situ.data.window_dataset(situ.arange(9), 3), situ.float32, situ.finfo(situ.float32), situ.optim.Adam(nn.Linear(2)), situ.ones((), device=situ.cpu())]
        for one in everything:
            for name in dir(type(one)):
                hasattr(one, name)  # raises nothing
    layer = nn.Linear(2)
    assert not hasattr(layer, "weight")  # its first call makes it
    raises(situ.ShapeError, lambda: layer.weight, "weight has no shape yet")
    layer(situ.ones((1, 3)))
    assert hasattr(layer, "weight") and not hasattr(layer, "wieght")


def test_bytes_are_given_with_their_dtype():
    x = situ.asarray([[1, 2], [3, 4]])
    assert bytes(x) == np.asarray([[1, 2], [3, 4]]).tobytes() and memoryview(x).format == "q" and memoryview(x).tolist() == [[1, 2], [3, 4]]
    for kind in ("float32", "int64", "uint8", "bool"):
        raises(BufferError, lambda: zlib.crc32(x.astype(kind)), "without their dtype and shape", "torch.from_dlpack(x)")  # what torch.asarray asks for
    assert zlib.crc32(bytes(x)) == zlib.crc32(memoryview(x)) == zlib.crc32(np.asarray(x))
    assert np.array_equal(np.asarray(x), [[1, 2], [3, 4]]) and np.array_equal(np.from_dlpack(x), [[1, 2], [3, 4]])


# ---- axes and refusals


def with_axis():
    for space in (situ, nn, situ.linalg):
        for name in sorted(dir(space)):
            f = getattr(space, name)
            if name.startswith("_") or not callable(f) or isinstance(f, type):
                continue
            try:
                if "axis" in inspect.signature(f).parameters:
                    yield f"{space.__name__}.{name}", f
            except ValueError:
                pass


def test_an_axis_that_is_not_there_is_one_error():
    key, failures, seen = situ.random.key(0), Failures(), 0
    index = lambda x: situ.zeros((1,) * x.ndim, dtype="int64")
    calls = {"gather": lambda f, x, axis: f(x, index(x), axis=axis), "take_along_axis": lambda f, x, axis: f(x, index(x), axis=axis), "take": lambda f, x, axis: f(x, situ.asarray([0]), axis=axis),
             "scatter": lambda f, x, axis: f(x, index(x), situ.ones((1,) * x.ndim), axis=axis), "scatter_add": lambda f, x, axis: f(x, index(x), situ.ones((1,) * x.ndim), axis=axis),
             "index_add": lambda f, x, axis: f(x, situ.asarray([0]), situ.ones((1,) * x.ndim), axis=axis), "concat": lambda f, x, axis: f([x, x], axis=axis), "stack": None, "expand_dims": None,
             "average": lambda f, x, axis: f(x, x, axis=axis), "quantile": lambda f, x, axis: f(x, 0.5, axis=axis), "topk": lambda f, x, axis: f(x, 1, axis=axis), "top_k": lambda f, x, axis: f(x, 1, axis=axis),
             "repeat": lambda f, x, axis: f(x, 2, axis=axis), "roll": lambda f, x, axis: f(x, 1, axis=axis), "split": lambda f, x, axis: f(x, 1, axis=axis), "array_split": lambda f, x, axis: f(x, 1, axis=axis),
             "chunk": lambda f, x, axis: f(x, 1, axis=axis), "vecdot": None, "linear_scan": lambda f, x, axis: f(x, x, axis=axis), "cross": lambda f, x, axis: f(x, x, axis=axis), "cross_entropy": None, "nll_loss": None,
             "rotary": None, "norm": lambda f, x, axis: f(x, axis=axis)}
    for name, f in with_axis():
        call = calls.get(name.rpartition(".")[2], lambda f, x, axis: f(x, axis=axis))
        if call is None:
            continue
        seen += 1
        for shape, axis, words in (((), 0, "axis 0 of a 0-d tensor, which has none"), ((), -1, "axis -1 of a 0-d tensor, which has none"), ((3, 3), 7, "there is no axis 7 in 2 dimensions; axes go from -2 to 1"),
                                   ((3, 3), -3, "there is no axis -3 in 2 dimensions")):
            with failures.of(f"{name} of {shape}, axis={axis}"):
                e = raises(situ.AxisError, lambda: call(f, situ.ones(shape), axis), words)
                assert isinstance(e, IndexError) and isinstance(e, ValueError) and re.search(rf"\b{name.rpartition('.')[2]}: ", str(e)), e
    assert seen > 30, seen
    raises(situ.AxisError, lambda: situ.expand_dims(situ.ones(3), axis=5), "expand_dims: there is no axis 5")
    raises(situ.AxisError, lambda: situ.stack([situ.ones(3)], axis=5), "axis 5")
    return failures.check()


def test_refusals_that_help():
    x, i = situ.zeros((3, 4)), situ.asarray([[0, 1], [1, 2]])
    for f in (situ.scatter, situ.scatter_add):
        raises(situ.ShapeError, lambda: f(x, i, situ.ones((2, 2))), "x is f32[3,4] and index i64[2,2]", "but 1", "write x[:2]")
        raises(situ.ShapeError, lambda: f(x, i, situ.ones((2, 2)), axis=0), "but 0", "write x[:, :2]")
        raises(situ.ShapeError, lambda: f(x, situ.asarray([[0, 1]] * 3), situ.ones((3, 3))), "value is f32[3,3], but the index names [3,2] elements")
        assert f(x[:2], i, situ.ones((2, 2))).tolist() == [[1, 1, 0, 0], [0, 1, 1, 0]]
    raises(situ.ShapeError, lambda: situ.gather(x, i), "x is f32[3,4] and index i64[2,2]", "x[:2]")
    a = np.arange(10).reshape(2, 5)
    for cut in ([2, 4], (1,), [0, 0, 9], [-1], 2, 3):
        got, want = situ.array_split(situ.asarray(a), cut, axis=1), np.array_split(a, cut, axis=1)
        assert len(got) == len(want) and all(np.array_equal(g, w) for g, w in zip(got, want)), cut
    raises(situ.DTypeError, lambda: situ.nn.conv1d(situ.asarray([[[1j, 2, 3]]]), situ.asarray([[[1j]]])), "complex; take situ.real and situ.imag of each")
    raises(TypeError, lambda: situ.pad(situ.ones(2), 1, 1, value=1j), "pad: value must be a real number, not complex")
    raises(TypeError, lambda: situ.sum(situ.ones(2), axis="a"), "sum: ")
    raises(TypeError, lambda: situ.triu(situ.ones((2, 2)), k=1.5), "triu: k must be an integer, not float")
    for f in (situ.index_add, situ.scatter_add):
        raises(situ.DTypeError, lambda: f(situ.asarray([True, False]), situ.asarray([0]), situ.asarray([True])), 'no rule for bool; write x.astype("int32") to count, or situ.scatter to set')


def test_arrays_of_a_variable_tell_what_failed():
    """NumPy forgets why it got no buffer."""
    for take in (np.asarray, np.array):
        v = situ.variable(situ.zeros((4, 2)))
        situ.assign(v, situ.index_add(v, situ.asarray([0, 9]), situ.ones((2, 2))))
        raises(situ.OutOfRangeError, lambda: take(v), "index 9")


def test_hints_can_be_followed():
    """What a message of complex numbers says to write does not raise for complex numbers."""
    x, failures = situ.asarray([[1 + 1j, 2], [3, 4j]]), Failures()
    for space in (situ, nn, situ.linalg, situ.fft):
        for name in sorted(dir(space)):
            f = getattr(space, name)
            if name.startswith("_") or not callable(f) or isinstance(f, type):
                continue
            for args in ((x,), (x, x), (x, x, x)):
                with failures.of(f"{space.__name__}.{name} of {len(args)}"):
                    try:
                        f(*args)
                    except situ.DTypeError as e:
                        assert not re.search(r'\b\w+\.astype\("(float|int)', str(e)), e
                    except Exception:  # noqa: BLE001 other mistakes
                        pass
    return failures.check()


if __name__ == "__main__":
    run(globals())
