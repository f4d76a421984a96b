"""Names of other libraries that people write out of habit. The AttributeError says what to write instead. One table for
each kind of object."""
import functools
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
    "pin_memory": "leave it out: what goes to a card is copied to pinned memory first",
    "synchronize": "write situ.wait(x)",
    "append": "write situ.concat([x, y])",
    "masked_fill": "write situ.where(mask, value, x)",
    "mm": "write x @ y",
    "bmm": "write x @ y",
    "assign": "write situ.assign(variable, value)",
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
    "half": 'write net.set_precision("float16"), or situ.precision("float16") around calls: parameters stay float32',
    "bfloat16": 'write net.set_precision("bfloat16"), or situ.precision("bfloat16") around calls: parameters stay float32',
    "quantize": "write net.quantise()",
    "compile": "nothing is compiled ahead: write net(x), or situ.train.Trainer().fit(net, optimizer, data)",
    "fit": "write situ.train.Trainer(...).fit(net, optimizer, data)",
    "predict": "write net.eval(), then net(x)",
    "evaluate": "write situ.train.Trainer().evaluate(net, data)",
    "add": "write situ.nn.Sequential(*parts)",
    "collect_params": "write net.parameters(); net.to(device) moves the network",
    "reset_ctx": "write net.to(device)",
    "layers": "net.modules() has all parts by name, and net[0] is the first one",
    "weights": "net.parameters() has all variables by name",
    "variables": "net.parameters() has all variables by name",
    "trainable_weights": "net.trainable() has them by name",
    "get_weights": "write net.state()",
    "set_weights": "write net.load_state(values)",
    "hybridize": "nothing is compiled ahead: calls that do the same again find their plan",
    "build": "the first call tells the input's size; situ.nn.Linear(out, inputs=width) says it before",
    "forward_pre_hook": "a class of your own has forward(), which calls the part",
    "register_forward_hook": "a class of your own has forward(), which calls the part",
    "to_empty": "write net.to(device)",
    "get_parameter": "net.parameters() has them by name",
    "save_parameters": "write net.save(path)",
    "load_parameters": "write net.load(path)",
    "save_weights": "write net.save(path)",
    "load_weights": "write net.load(path)",
    "trainer": "that is there while a trainer trains this network: situ.train.Trainer(...).fit(net, optimizer, data)",
    "board": "that is there while a trainer trains this network: situ.train.Trainer(...).fit(net, optimizer, data)",
}
OPTIMIZER = {
    "zero_grad": f"{_NO_OLD}",
    "param_groups": "write opt.lr = ..., or opt.set(\"*.bias\", lr=...) for parameters by their names",
    "add_param_group": "an optimizer has all parameters of its network; opt.set(\"*.bias\", lr=...) is for some of them",
    "update": "write opt.step(loss)",
    "minimize": "write opt.step(loss)",
    "learning_rate": "write opt.lr",
}
TRAINER = {
    "fit_epoch": "fit() has the loop; step(net, batch), on_step and on_epoch are called by it",
    "optim": "write opt = situ.optim.SGD(net), then trainer.fit(net, opt, data)",
    "epoch": "trainer.epochs counts them",
    "train_dataloader": "fit() takes data sets: situ.data.Dataset(x, y)",
    "val_dataloader": "fit() takes data sets: situ.data.Dataset(x, y)",
    "prepare_data": "fit() takes data sets: situ.data.Dataset(x, y)",
    "train": "write trainer.fit(net, opt, data)",
    "test": "write trainer.evaluate(net, data)",
    "validate": "write trainer.evaluate(net, data), or trainer.measure(net, data)",
    "predict": "write net.eval(), then net(x)",
    "save": "write net.save(path); Trainer(checkpoint=folder) keeps the whole state of the training",
    "save_checkpoint": "write Trainer(checkpoint=folder), and resume=True to go on from there",
}
_MEMORY = "situ.gpu(0).memory_limit(bytes) limits memory, which is taken as it is needed"
CONFIG = {"set_visible_devices": "devices are named where tensors are made: device=situ.gpu(1), with situ.gpu(1):, situ.set_default_device(device)",
          "set_memory_growth": _MEMORY, "set_logical_device_configuration": _MEMORY + "; situ.sim_gpus(2) makes two simulated GPUs",
          "run_functions_eagerly": "nothing is compiled ahead", "update": "situ.set_default_device(device) and dtype= say what jax.config does",
          None: "situ.devices() lists devices, situ.gpu(0).info() says what one is"}
_LOSSES = {"CrossEntropyLoss": "cross_entropy", "MSELoss": "mse", "L1Loss": "l1_loss", "NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy",
           "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss", "KLDivLoss": "kl_div",
           "CTCLoss": "ctc_loss", "TripletMarginLoss": "triplet_margin_loss", "HingeEmbeddingLoss": "hinge_embedding_loss"}
_SCHEDULES = {"StepLR": "step_schedule", "MultiStepLR": "multi_step_schedule", "ExponentialLR": "exponential_schedule", "CosineAnnealingLR": "cosine_schedule",
              "OneCycleLR": "one_cycle_schedule", "ReduceLROnPlateau": "plateau_schedule", "LambdaLR": "custom_schedule", "lr_scheduler": "cosine_schedule"}
SPACES = {
    "situ": {
        "PRNGKey": "write situ.random.PRNGKey(seed)",
        "norm": "write situ.linalg.norm(x)",
        "ctx": "write with situ.gpu(0):, situ.set_default_device(device), or device= in the call",
        "context": "write with situ.gpu(0):, situ.set_default_device(device), or device= in the call",
        "current_context": "write situ.default_device()",
        "current_device": "write situ.default_device()",
        "as_in_ctx": "write x.to_device(device)",
        "as_in_context": "write x.to_device(device)",
        "copyto": "write x.copyto(device)",
        "asnumpy": "write numpy.asarray(x)",
        "device_get": "write numpy.asarray(x)",
        "local_devices": "write situ.devices()",
        "local_device_count": "write situ.device_count()",
        "default_backend": "write situ.default_device()",
        "block_until_ready": "write situ.wait(x)",
        "distribute": "write net.mirror(), or situ.train.Trainer(num_gpus=2)",
        "keras": "layers are in situ.nn, and a model is situ.nn.Sequential(*layers)",
        "layers": "layers are in situ.nn",
        "tree_util": "parameters are a dict by name: {name: f(p) for name, p in params.items()}",
        "tree_map": "parameters are a dict by name: {name: f(p) for name, p in params.items()}",
        "tree": "parameters are a dict by name: {name: f(p) for name, p in params.items()}",
        "pmap": "write net.mirror(), or situ.train.Trainer(num_gpus=2)",
        "numpy": "its functions are in situ: situ.ones(...)",
        "np": "its functions are in situ: situ.ones(...)",
        "npx": "situ.gpu(0), situ.num_gpus() and situ.nn have what it has",
        "nd": "its functions are in situ: situ.ones(...)",
        "gluon": "layers are in situ.nn, trainers in situ.train",
        "Variable": "write situ.variable(value)",
        "GradientTape": "write situ.gradients(y, [x]), or situ.grad(f)",
        "record": "gradients are recorded unless with situ.no_grad(): says otherwise",
        "function": "nothing is compiled ahead: calls that do the same again find their plan",
        "matrix_norm": "write situ.linalg.matrix_norm(x)",
        "get_default_device": "write situ.default_device()",
        "is_tensor": "write isinstance(x, situ.Tensor)",
        "set_default_dtype": "write dtype= in the call, or x.astype(dtype)",
        "waitall": "write situ.wait()",
        "cpu_pinned": "write situ.cpu()",
        "backends": "write situ.num_gpus(), or situ.devices()",
        "manual_seed": "random numbers are functions of a key: situ.random.key(seed); a network's first values: net.init(key)",
        "randn": "write situ.random.normal(situ.random.key(seed), shape)",
        "rand": "write situ.random.uniform(situ.random.key(seed), shape)",
        "randint": "write situ.random.randint(situ.random.key(seed), ...)",
        "synchronize": "write situ.wait()", "Trainer": "write situ.train.Trainer(...)", "DataLoader": "write situ.data.Loader(data, batch=64, shuffle=True)",
        **dict.fromkeys(("memory_allocated", "max_memory_allocated"), "write situ.gpu(0).memory()"),
        "from_numpy": "write situ.asarray(a), or situ.from_dlpack(a), which shares its memory",
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
        "utils": "situ.data has data sets and loaders",
        "autograd": "write situ.gradients(y, [x]), or situ.grad(f)",
        "amp": 'write with situ.precision("bfloat16"):, or situ.train.Trainer(precision="float16")',
        "autocast": 'write with situ.precision("bfloat16"):, or situ.train.Trainer(precision="float16")',
        "quantization": "write net.quantise(), for linear layers; situ.nn.quantise(w, type) is for a matrix",
        "jit": "nothing is compiled ahead: calls that do the same again find their plan",
        "compile": "nothing is compiled ahead: calls that do the same again find their plan",
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
        "Dense": "write situ.nn.Linear(width); MXNet's flattens its input, which situ.nn.Flatten() before it does",
        "Conv2D": "write situ.nn.Conv2d(out, size)",
        "MaxPool2D": "write situ.nn.MaxPool2d(size)",
        "Softmax2d": "write situ.nn.Softmax(axis=1)",
        "Block": "write situ.nn.Module",
        "HybridBlock": "write situ.nn.Module",
        "HybridSequential": "write situ.nn.Sequential(*parts)",
        "Layer": "write situ.nn.Module",
        "compact": "a Module keeps its parts as attributes, made in __init__",
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
    "situ.cuda": {"current_device": "write situ.default_device()", "set_device": "write situ.set_default_device(situ.gpu(1)), or with situ.gpu(1):",
                  "device": "write with situ.gpu(1):", "get_device_name": 'write situ.gpu(0).info()["name"]', "get_device_properties": "write situ.gpu(0).info()",
                  "memory_allocated": 'write situ.gpu(0).memory()["in_use"]', "max_memory_allocated": 'write situ.gpu(0).memory()["peak"]',
                  "memory_reserved": 'write situ.gpu(0).memory()["reserved"]', "memory_summary": "write situ.gpu(0).memory()",
                  "mem_get_info": "write situ.gpu(0).memory()", "empty_cache": "write situ.gpu(0).memory_trim()",
                  "set_per_process_memory_fraction": "write situ.gpu(0).memory_limit(bytes)", "reset_peak_memory_stats": "situ.gpu(0).memory() has the peak",
                  "Stream": "each device computes in the order of the calls, and devices beside each other", "stream": "each device computes in the order of the calls, and devices beside each other",
                  "Event": "situ.ledger() and situ.profile(path) say what took how long", "amp": 'write with situ.precision("bfloat16"):',
                  "manual_seed": "random numbers are functions of a key: situ.random.key(seed)", "nccl": "write net.mirror(), or situ.train.Trainer(num_gpus=2)",
                  "comm": "write net.mirror(), or situ.train.Trainer(num_gpus=2)", "is_initialized": "write situ.cuda.is_available()"},
    "situ.random": {"seed": "random numbers are functions of a key: situ.random.key(seed)", "manual_seed": "random numbers are functions of a key: situ.random.key(seed)",
                    "randn": "write situ.random.normal(situ.random.key(seed), shape)", "rand": "write situ.random.uniform(situ.random.key(seed), shape)",
                    "random": "write situ.random.uniform(situ.random.key(seed), shape)", "default_rng": "write situ.random.key(seed)",
                    "set_seed": "random numbers are functions of a key: situ.random.key(seed)", "shuffle": "write situ.random.permutation(situ.random.key(seed), x)"},
    "situ.optim": {theirs: f"write situ.optim.{ours}(opt, ...)" for theirs, ours in _SCHEDULES.items()},
    "situ.data": {"DataLoader": "write situ.data.Loader(data, batch=64, shuffle=True)", "TensorDataset": "write situ.data.tensor_dataset([x, y])",
                  "random_split": "write data.split(...)"},
}


# Argument names of other libraries, and what they are called here: the first of these that the function has.
ARGUMENTS = {
    "dim": "axis", "dims": "axis axes", "axes": "axis", "axis": "axes", "keepdim": "keepdims", "keep_dims": "keepdims", "unbiased": "correction", "ddof": "correction",
    "out_features": "out", "out_channels": "out", "units": "out width", "filters": "out", "kernel_size": "size window", "pool_size": "size", "output_size": "size image",
    "strides": "stride", "num_embeddings": "count", "embedding_dim": "width", "hidden_size": "width hidden", "embed_dim": "width", "d_model": "width", "num_layers": "layers",
    "num_heads": "heads", "nhead": "heads", "dim_feedforward": "hidden", "normalized_shape": "shape", "num_groups": "count", "num_parameters": "count",
    "negative_slope": "slope", "p": "rate ord", "ceil_mode": "ceil", "count_include_pad": "count_padding", "label_smoothing": "smoothing", "ignore_index": "ignored",
    "weight": "weights w", "pos_weight": "pos_weights", "epsilon": "eps", "learning_rate": "lr", "history_size": "history", "initial_accumulator_value": "initial",
    "ctx": "device", "context": "device", "size": "shape", "device_name": "device", "gpus": "num_gpus", "devices": "num_gpus", "gradient_clip": "gradient_clip_val",
    "clip_norm": "gradient_clip_val", "n_epochs": "max_epochs", "num_epochs": "max_epochs",
    "batch_size": "batch", "num_workers": "workers", "rcond": "rtol", "is_causal": "causal", "dtype_": "dtype", "num_classes": "n classes", "lower_bound": "min", "upper_bound": "max",
    "step_size": "every", "milestones": "at", "T_max": "steps", "eta_min": "least", "epochs": "max_epochs", "other": "b x2 y", "input": "x", "logits_": "logits", "labels_": "labels",
    "y_true": "target labels", "y_pred": "prediction logits", "split_size_or_sections": "indices_or_sections", "fill": "fill_value", "repeats_": "repeats",
}
_BY_CALL = "the first call of the network tells how large its input is"
# The same, with an explanation instead of a name.
ARGUMENT_WORDS = {
    **dict.fromkeys(("in_features", "in_channels", "input_size", "num_features", "num_channels", "input_dim"), f"leave it out: {_BY_CALL}; inputs= says it before"),
    **dict.fromkeys(("size_average", "reduce"), 'write reduction="mean", "sum" or "none"'),
    **dict.fromkeys(("pin_memory", "non_blocking", "persistent_workers", "prefetch_factor", "foreach", "fused", "capturable", "memory_format"), "leave it out"),
    **dict.fromkeys(("ctx", "context"), "net.to(device) moves a network, and functions that make tensors have device="),
    "copy": "x.copy() is always new memory, and x.to_device(device) moves nothing that is there",
    "inplace": "leave it out: tensors are values, and the result is another one",
    "out": "leave it out: tensors are values, and the result is another one",
    "batch_first": "leave it out: the batch is the first axis, unless time_first=True",
    "nonlinearity": 'write relu=True for relu; tanh needs nothing',
    "betas": "write beta1=..., beta2=...",
    "params": "an optimizer takes the network: situ.optim.Adam(net)",
    "parameters": "an optimizer takes the network: situ.optim.Adam(net)",
    "requires_grad": "write situ.variable(value)",
    "generator": "random numbers are functions of a key: situ.random.key(seed)",
    "seed": "random numbers are functions of a key: situ.random.key(seed)",
    "elementwise_affine": "leave it out: the layer has weight and bias; situ.nn.layer_norm(x, scale, shift) is the function",
    "track_running_stats": "leave it out: the moments are kept, and net.eval() uses them",
    "num_training_steps": "write situ.optim.cosine_schedule(opt, steps)",
    "collate_fn": "a batch has a tensor for each input and target; dataset.augment(...) changes rows on their way",
    "sampler": "write loader.weights(weights), or stratified=True",
    "accelerator": "write num_gpus=1, or device=situ.gpu(0)", "strategy": "write num_gpus=2",
    "force_reinit": "write net.init(key) for new values", "init": "write net.initialize(name, how)", "verbose": "leave it out",
    "input": "write it by position", "other": "write it by position", "a": "write it by position", "b": "write it by position", "x": "write it by position", "y": "write it by position",
}
# Too many positional arguments: what is probably meant; {0} is the first one.
_CONVOLUTIONS = [f"Conv{t}{n}d" for t in ("", "Transpose") for n in (1, 2, 3)]
POSITIONS = {
    "Linear": {2: "Linear({1}), or Linear({1}, inputs={0}): " + _BY_CALL, 3: "Linear({1}, bias={2}): " + _BY_CALL},
    "Bilinear": {3: "Bilinear({2}): " + _BY_CALL},
    **{c: {3: c + "({1}, {2}): " + _BY_CALL, 4: c + "({1}, {2}, stride={3}): " + _BY_CALL, 5: c + "({1}, {2}, stride={3}, padding={4}): " + _BY_CALL} for c in _CONVOLUTIONS},
    **{norm + n: {1: norm + n + "(): " + _BY_CALL} for norm in ("BatchNorm", "InstanceNorm") for n in ("", "1d", "2d", "3d")},
    "RMSNorm": {1: "RMSNorm(): " + _BY_CALL}, "GroupNorm": {2: "GroupNorm({0}): " + _BY_CALL},
    **{rnn: {2: rnn + "({1}): " + _BY_CALL, 3: rnn + "({1}, layers={2}): " + _BY_CALL} for rnn in ("RNN", "GRU", "LSTM")},
    **{f"{pool}Pool{n}d": {2: f"{pool}Pool{n}d({{0}}, stride={{1}})", 3: f"{pool}Pool{n}d({{0}}, stride={{1}}, padding={{2}})"} for pool in ("Max", "Avg") for n in (1, 2, 3)},
    **{act: {1: act + "(): tensors are values, there is no inplace"} for act in ("ReLU", "ReLU6", "SiLU", "Mish", "SELU", "Hardswish", "Hardsigmoid")},
    **{opt: {2: opt + "({0}, lr={1})"} for opt in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Lion", "Lamb", "Adafactor", "Muon", "LBFGS")},
    "Loader": {2: "Loader({0}, batch={1})", 3: "Loader({0}, batch={1}, shuffle={2})"}, "Trainer": {1: "Trainer(max_epochs={0})"},
    **{f"conv{n}d": {3: f"conv{n}d(x, w) + b, with b of shape {(-1, *[1] * n)}"} for n in (1, 2, 3)},
    "sum": {2: "sum({0}, axis={1})"}, "mean": {2: "mean({0}, axis={1})"}, "max": {2: "max({0}, axis={1})"}, "min": {2: "min({0}, axis={1})"},
    "concat": {2: "concat({0}, axis={1})"}, "stack": {2: "stack({0}, axis={1})"}, "argmax": {2: "argmax({0}, axis={1})"}, "argmin": {2: "argmin({0}, axis={1})"},
    "zeros": {2: "zeros(({0}, {1}))", 3: "zeros(({0}, {1}, {2}))", 4: "zeros(({0}, {1}, {2}, {3}))"}, "ones": {2: "ones(({0}, {1}))", 3: "ones(({0}, {1}, {2}))", 4: "ones(({0}, {1}, {2}, {3}))"},
}


# Missing arguments that functions of other libraries do not need: what to write.
MISSING = {"initialize": "first values come with the first call; net.init(key) says by which key, and net.to(device) where",
           "init": "write net.init(situ.random.key(0))", "step": "opt.step(loss) computes the gradients itself",
           "uniform": "write uniform(situ.random.key(0), shape)", "normal": "write normal(situ.random.key(0), shape)"}


def argument(function, name, has):
    """What to write for an unknown argument of a function that has the arguments `has`; to be appended to a message."""
    ours = next((one for one in ARGUMENTS.get(name, "").split() if one in has), None)
    words = f"write {ours}=" if ours else ARGUMENT_WORDS.get(name)
    return f"; {words}" if words else ""


def _shown(value):
    text = repr(value) if isinstance(value, (int, float, str, bool, tuple)) or value is None else ""
    return text if 0 < len(text) < 30 else "..."


def positions(function, given):
    """What to write for this many positional arguments; to be appended to a message."""
    words = POSITIONS.get(function, {}).get(len(given))
    names = {"SGD": "net", "Loader": "data"}
    shown = [_shown(value) for value in given]
    if function in ("sum", "mean", "max", "min") and len(given) > 1 and all(isinstance(value, int) for value in given):
        return f"; write {function}(axis=({', '.join(shown)}))"
    if function in ("zeros", "ones") and isinstance(given[0], (tuple, list)):
        return f"; write {function}({shown[0]}, dtype=...)"
    if words and shown[0] == "...":
        shown[0] = names.get(function, "net" if words.endswith("lr={1})") else "x" if function in ("sum", "mean", "max", "min", "argmax", "argmin") else "[x, y]")
    return f"; write {words.format(*shown)}" if words else ""


class _Missing:
    """An attribute that tensors do not have; hasattr is False as well. Its error has an explanation, or names a
    function that may be meant."""

    def __init__(self, name, words=None, function=None, space=None):
        self.name, self.words, self.function, self.space = name, words, function, space

    def __get__(self, x, kind=None):
        words = self.words or _call(self.space, self.name, self.function)
        raise AttributeError(f"'situ.Tensor' object has no attribute {self.name!r}{'; ' * bool(words)}{words}")


def _call(space, name, function):
    """What to write if the function is a method of tensors."""
    try:
        first = next(iter(inspect.signature(function).parameters), None)
    except (TypeError, ValueError):
        first = None
    return f"write {space}.{name}({first})" if first in ("x", "a", "logits", "prediction") else ""


def hint(table, name):
    """What to write instead; to be appended to a message."""
    return f"; {table[name]}" if name in table else ""


_FOLDER = __file__.rpartition("_habits")[0]


def save_arguments(one, ignore=()):
    """Stores the local variables of the calling constructor as attributes of `one`, and in its dict hparams."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    left_out = {"self", *([ignore] if isinstance(ignore, str) else ignore)}
    values = {name: value for name, value in frame.f_locals.items() if name not in left_out and value is not one and not name.startswith("_")}
    object.__setattr__(one, "hparams", values)
    for name, value in values.items():
        setattr(one, name, value)


@functools.cache
def _options(kind):
    return frozenset(name for name in inspect.signature(kind).parameters if not isinstance(getattr(kind, name, None), property))


def has_option(one, name):
    """Whether the constructor of its class has an argument of this name."""
    return name in _options(type(one))


def refuse_option(one, name, mend=None):
    """Raises an error if an attribute named like a constructor's argument is set, because nothing would read it."""
    if has_option(one, name):
        kind = type(one).__name__
        raise AttributeError(f"{kind}: {name} is said where it is made, and setting it now would change nothing; write {mend or f'{kind}({name}=...)'}")


def _missing_of(space, same):
    table = SPACES[space]

    def missing(name):
        if name in same:
            return same[name]
        elsewhere = [f"{other}.{name}" for other in SPACES if name[:1] != "_" and callable(vars(sys.modules[other]).get(name))]
        words = hint(table, name) or "".join(f"; write {one}" for one in elsewhere[:1])
        raise AttributeError(f"module {space!r} has no attribute {name!r}{words}")
    return missing


def install(tensor, spaces):
    """Installs the tables. Call it after all other modules of the package have been imported."""
    from . import _editions
    missing = {name: _Missing(name, words) for name, words in TENSOR.items()}
    for space in spaces:
        for name, value in vars(space).items():
            if not name.startswith("_") and callable(value) and not isinstance(value, type):
                missing.setdefault(name, _Missing(name, None, value, space.__name__))
    missing = {name: descriptor for name, descriptor in missing.items() if not hasattr(tensor, name)}
    for name, descriptor in missing.items():
        setattr(tensor, name, descriptor)
    hidden = missing.keys() | _editions.install()
    tensor.__dir__ = lambda x: [name for name in object.__dir__(x) if name not in hidden]
    for space in SPACES:
        sys.modules[space].__getattr__ = _missing_of(space, _editions.SPACES.get(space, {}))
