"""Names of other libraries that people write out of habit: the AttributeError says what does that here. One table a kind of object."""
import inspect
import sys

_GRADIENT = "an optimizer's step(loss) computes the gradients itself; without one situ.gradients(loss, net.parameters()) gives them"
_NO_OLD = "nothing is to be set to zero: step(loss) computes new gradients"
_VALUE = "tensors are values: write {}, or for a variable situ.assign(x, ...)"

TENSOR = {
    "backward": _GRADIENT,
    "grad": _GRADIENT,
    "requires_grad": "situ.variable(x) is what has gradients; situ.gradients(y, [x]) differentiates by any tensor",
    "requires_grad_": "situ.variable(x) is what has gradients; situ.gradients(y, [x]) differentiates by any tensor",
    "detach": "write situ.stop_gradient(x)",
    "data": "write x, or situ.stop_gradient(x)",
    "numpy": "write numpy.asarray(x)",
    "cpu": "write x.to_device(situ.cpu())",
    "cuda": "write x.to_device(situ.gpu(0))",
    "to": "write x.to_device(device) or x.astype(dtype)",
    "is_cuda": "x.device says where it is",
    "view": "write x.reshape(...)",
    "view_as": "write x.reshape(y.shape)",
    "permute": "write situ.permute_dims(x, axes)",
    "t": "write x.T",
    "unsqueeze": "write situ.expand_dims(x, axis=0)",
    "expand": "write situ.broadcast_to(x, shape)",
    "contiguous": "write x: views are made contiguous where that is needed",
    "clone": "write x.copy()",
    "dim": "write x.ndim",
    "numel": "write x.size",
    "float": 'write x.astype("float32")',
    "double": 'write x.astype("float64")',
    "half": 'write x.astype("float16")',
    "long": 'write x.astype("int64")',
    "int": 'write x.astype("int32")',
    "bool": 'write x.astype("bool")',
    "type": "write x.astype(dtype), or x.dtype",
    "masked_fill": "write situ.where(mask, value, x)",
    "mm": "write x @ y",
    "bmm": "write x @ y",
    "assign": "write situ.assign(x, value), for a variable",
    "block_until_ready": "write situ.wait(x)",
    "at": "write x[i] = value, or situ.scatter",
    "add_": _VALUE.format("x = x + y"),
    "sub_": _VALUE.format("x = x - y"),
    "mul_": _VALUE.format("x = x * y"),
    "div_": _VALUE.format("x = x / y"),
    "copy_": _VALUE.format("x = y.copy()"),
    "fill_": _VALUE.format("x = situ.full_like(x, value)"),
    "zero_": _VALUE.format("x = situ.zeros_like(x)"),
    "clamp_": _VALUE.format("x = situ.clip(x, low, high)"),
}
MODULE = {
    "zero_grad": f"{_NO_OLD}: optimizer.step(loss)",
    "cuda": "write net.to(situ.gpu(0))",
    "cpu": "write net.to(situ.cpu())",
    "state_dict": "write net.state()",
    "load_state_dict": "write net.load_state(values)",
    "named_parameters": "net.parameters() has them by name",
    "named_modules": "net.modules() has them by name",
    "children": "net.modules() has them by name; a loop over net gives its parts",
    "add_module": "write net.name = part",
    "register_buffer": "write self.name = situ.variable(value, trainable=False)",
    "register_parameter": "write self.name = situ.variable(value)",
    "requires_grad_": "write net.freeze() or net.unfreeze()",
    "apply": "net.modules() has all parts by name, net.initialize(...) sets first values",
    "half": 'write net.set_precision("float16"), or situ.precision("float16") around calls: parameters stay float32',
    "bfloat16": 'write net.set_precision("bfloat16"), or situ.precision("bfloat16") around calls: parameters stay float32',
    "quantize": "write net.quantise()",
    "compile": "nothing is compiled ahead: write net(x), or situ.train.Trainer().fit(net, optimizer, data)",
    "fit": "write situ.train.Trainer(...).fit(net, optimizer, data)",
    "predict": "write net.eval(), then net(x)",
    "evaluate": "write situ.train.Trainer().evaluate(net, data)",
    "add": "write situ.nn.Sequential(*parts)",
}
OPTIMIZER = {
    "zero_grad": f"{_NO_OLD}",
    "param_groups": "write opt.lr = ..., or opt.set(\"*.bias\", lr=...) for parameters by their names",
    "add_param_group": "an optimizer has all parameters of its network; opt.set(\"*.bias\", lr=...) is for some of them",
    "update": "write opt.step(loss)",
    "minimize": "write opt.step(loss)",
}
_LOSSES = {"CrossEntropyLoss": "cross_entropy", "MSELoss": "mse", "L1Loss": "l1_loss", "NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy",
           "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss", "KLDivLoss": "kl_div",
           "CTCLoss": "ctc_loss", "TripletMarginLoss": "triplet_margin_loss", "HingeEmbeddingLoss": "hinge_embedding_loss"}
_SCHEDULES = {"StepLR": "step_schedule", "MultiStepLR": "multi_step_schedule", "ExponentialLR": "exponential_schedule", "CosineAnnealingLR": "cosine_schedule",
              "OneCycleLR": "one_cycle_schedule", "ReduceLROnPlateau": "plateau_schedule", "LambdaLR": "custom_schedule", "lr_scheduler": "cosine_schedule"}
SPACES = {
    "situ": {
        "manual_seed": "random numbers are functions of a key: situ.random.key(seed); a network's first values: net.init(key)",
        "randn": "write situ.random.normal(situ.random.key(seed), shape)",
        "rand": "write situ.random.uniform(situ.random.key(seed), shape)",
        "randint": "write situ.random.randint(situ.random.key(seed), ...)",
        "from_numpy": "write situ.asarray(a), or situ.from_dlpack(a), which shares its memory",
        "array": "write situ.asarray(...)",
        "cat": "write situ.concat([x, y], axis=0)",
        "concatenate": "write situ.concat([x, y], axis=0)",
        "unsqueeze": "write situ.expand_dims(x, axis=0)",
        "transpose": "write situ.permute_dims(x, axes) or x.T",
        "permute": "write situ.permute_dims(x, axes)",
        "mm": "write x @ y",
        "bmm": "write x @ y",
        "clamp": "write situ.clip(x, low, high)",
        "power": "write situ.pow(x, y)",
        "dstack": "write situ.concat([x, y], axis=2)",
        "cuda": "write situ.gpu(0); situ.num_gpus() says how many there are",
        "utils": "situ.data has data sets and loaders",
        "autograd": "write situ.gradients(y, [x]), or situ.grad(f)",
        "amp": 'write with situ.precision("bfloat16"):, or situ.train.Trainer(precision="float16")',
        "autocast": 'write with situ.precision("bfloat16"):, or situ.train.Trainer(precision="float16")',
        "quantization": "write net.quantise(), for linear layers; situ.nn.quantise(w, type) is for a matrix",
        "jit": "nothing is compiled ahead: calls that do the same again find their plan",
        "compile": "nothing is compiled ahead: calls that do the same again find their plan",
        "set_default_device": "write situ.default_device(device), or with situ.gpu(0):",
        "set_grad_enabled": "write with situ.no_grad():",
        "inference_mode": "write with situ.no_grad():",
        "enable_grad": "gradients are recorded unless with situ.no_grad(): says otherwise",
        "Sequential": "write situ.nn.Sequential(...)",
        "Parameter": "write situ.variable(value)",
        "float": "write situ.float32",
        "double": "write situ.float64",
        "half": "write situ.float16",
        "long": "write situ.int64",
        "int": "write situ.int32",
        "bool_": "write situ.bool",
    },
    "situ.nn": {
        "functional": "functions are in situ.nn: situ.nn.relu(x), situ.nn.cross_entropy(logits, labels)",
        "Parameter": "write situ.variable(value)",
        "Dropout1d": "write situ.nn.ChannelDropout(rate)",
        "Dropout2d": "write situ.nn.ChannelDropout(rate)",
        "Dropout3d": "write situ.nn.ChannelDropout(rate)",
        "utils": "an optimizer clips: situ.optim.Adam(net, clip_norm=1)",
        "init": "write net.initialize(...)",
        "DataParallel": "write net.mirror(devices), or situ.train.Trainer(num_gpus=2)",
        "quantize": "write net.quantise(), for linear layers; situ.nn.quantise(w, type) is for a matrix",
        "mse_loss": "write situ.nn.mse(prediction, target)",
        "tanh": "write situ.tanh(x)",
        **{theirs: f"losses are functions: situ.nn.{ours}(...)" for theirs, ours in _LOSSES.items()},
    },
    "situ.optim": {theirs: f"write situ.optim.{ours}(opt, ...)" for theirs, ours in _SCHEDULES.items()},
    "situ.data": {"DataLoader": "write situ.data.Loader(data, batch=64, shuffle=True)", "TensorDataset": "write situ.data.tensor_dataset([x, y])",
                  "random_split": "write data.split(...)"},
}


class _Missing:
    """An attribute of tensors that there is not, neither for hasattr. It has words, or a function of that name may be meant."""

    def __init__(self, name, words=None, function=None, space=None):
        self.name, self.words, self.function, self.space = name, words, function, space

    def __get__(self, x, kind=None):
        words = self.words or _call(self.space, self.name, self.function)
        raise AttributeError(f"'situ.Tensor' object has no attribute {self.name!r}{'; ' * bool(words)}{words}")


def _call(space, name, function):
    """What to write if the function is one of a tensor."""
    try:
        first = next(iter(inspect.signature(function).parameters), None)
    except (TypeError, ValueError):
        first = None
    return f"write {space}.{name}({first})" if first in ("x", "a", "logits", "prediction") else ""


def hint(table, name):
    """What to write instead, to be put behind a message."""
    return f"; {table[name]}" if name in table else ""


def _missing_of(space):
    table = SPACES[space]

    def missing(name):
        raise AttributeError(f"module {space!r} has no attribute {name!r}{hint(table, name)}")
    return missing


def install(tensor, spaces):
    """To be called when all else is there."""
    missing = {name: _Missing(name, words) for name, words in TENSOR.items()}
    for space in spaces:
        for name, value in vars(space).items():
            if not name.startswith("_") and callable(value) and not isinstance(value, type):
                missing.setdefault(name, _Missing(name, None, value, space.__name__))
    missing = {name: descriptor for name, descriptor in missing.items() if not hasattr(tensor, name)}
    for name, descriptor in missing.items():
        setattr(tensor, name, descriptor)
    tensor.__dir__ = lambda x: [name for name in object.__dir__(x) if name not in missing]
    for space in SPACES:
        sys.modules[space].__getattr__ = _missing_of(space)
