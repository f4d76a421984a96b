"""Stubs of what the Python package says by hand (python/situ/NAME.pyi, of NAME.py): every public function, class and method with its
arguments as they stand there, and types by the tables below, so that type checkers know them.

    outputs(ROOT)     # {path: text}

A new function needs a row only where an argument's name says nothing about its type, or where it does not give a tensor."""
import ast
import re
import textwrap

MODULES = ("__init__ _control _creation _device _dtypes _files _functions _grad _group _info _runtime _session _text cuda data fft linalg metrics models nn onnx optim random train").split()

# Types of arguments by their names.
NAMED = {
    "x": "Tensor", "x1": "Tensor", "x2": "Tensor", "y": "Tensor", "axis": "int", "dtype": "DType | str | type | None", "device": "Device | str | None",
    "shape": "int | Sequence[int]", "path": "str | PathLike[str] | IO[bytes] | bytearray | memoryview", "copy": "bool | None", "keepdims": "bool", "descending": "bool", "stable": "bool", "largest": "bool", "invert": "bool",
    "include_initial": "bool", "endpoint": "bool", "stratified": "bool", "density": "bool", "net": "Module", "key": "Tensor", "opt": "Optimizer", "other": "Module", "on": "bool",
    "steps": "int", "gamma": "float", "least": "float", "loss": "Tensor", "name": "str | None", "metadata": "dict[str, str] | None", "shard_bytes": "int", "part": "Module",
    "prediction": "Operand", "target": "Operand", "indices": "Tensor | Sequence[int]", "tokens": "Any", "weights": "Any", "function": "Callable[..., Any]", "f": "Callable[..., Any]",
    "arrays": "Sequence[Tensor]", "parts": "Iterable[Module]", "value": "Any", "data": "Dataset", "map": "bool", "strict": "bool", "rtol": "Any", "offset": "int", "group": "Group | None",
    "index": "int", "restarts": "bool", "growth": "float", "args": "Any", "kwargs": "Any", "options": "Any", "inputs": "Any", "exc": "Any",
}
# Of one function, by "module.function" or "module.Class.method": types of arguments, then of the result where it is no tensor. Without a
# row a method that returns nothing gives None, and one that returns self its class.
TABLE = {
    "_control.scan": "f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, length: int | None, reverse: bool -> tuple[Any, Any]",
    "_control.while_loop": "cond_fun: Callable[[_T], Any], body_fun: Callable[[_T], _T], init_val: _T -> _T",
    "_control.cond": "pred: Any, true_fun: Callable[..., _T], false_fun: Callable[..., _T], operands: Any -> _T",
    "_control.vmap": "in_axes: Any, out_axes: int -> Callable[..., Any]",
    "_creation.asarray": "obj: Any", "_creation.from_dlpack": "x: Any", "_creation.full": "fill_value: Operand", "_creation.full_like": "fill_value: Operand",
    "_creation.arange": "start: float, stop: float | None, step: float", "_creation.linspace": "start: complex, stop: complex, num: int",
    "_creation.meshgrid": "arrays: Tensor, indexing: Literal['xy', 'ij'] -> tuple[Tensor, ...]",
    "_device.Device.__init__": "kind: int", "_device.Device.kind": "-> str", "_device.Device.exists": "-> bool", "_device.Device.info": "-> dict[str, Any]",
    "_device.Device.__eq__": "other: object -> bool", "_device.Device.processes": "-> list[dict[str, Any]]", "_device.Device.memory": "-> dict[str, int]", "_device.Device.memory_limit": "bytes: int -> None",
    "_device.Device.memory_trim": "-> None", "_device.Device.sim_counters": "-> dict[str, float]", "_device.Device.sim_times": "-> dict[str, float]", "_device.Device.__enter__": "-> Device", "_device.device": "name: Device | str -> Device",
    "_device.try_gpu": "-> Device", "_device.try_tpu_gpu": "-> Device", "_device.all_gpus": "-> list[Device]", "_device.try_all_gpus": "-> list[Device]",
    "_device.device_count": "kind: str -> int", "_device.devices": "kind: str | None -> list[Device]", "_device.set_default_device": "device: Device | str | None -> None",
    "_device.device_put": "x: Any, device: Device | str -> Any", "_device.Device.__call__": "-> NoReturn",
    "_device.sim_configure": "device: Device | str, memory: int | None, flops: float | None, memory_bandwidth: float | None, link_bandwidth: float | None, link_latency: float | None, launch_latency: float | None, fail_allocation: int | None, lose_at: int | None, delay: float | None -> None",
    "_device.sim_profile": "name: str | PathLike[str] | None -> str", "_device.sim_host": "seconds: float -> None", "_device.sim_reach": "seconds: float -> None",
    "_device.sim_host_configure": "call: float | None, start: float | None, copy_bandwidth: float | None, kernel: float | None, core_flops: float | None, flops: float | None, spread: float | None, memory_bandwidth: float | None -> None",
    "_device.strict": "-> AbstractContextManager[None]", "_device.guard.__init__": "to_host: int, to_device: int, peer: int, waits: int, bytes: int, log: bool, nan: bool",
    "_device.guard.__enter__": "-> guard", "_device.ledger.__init__": "most: int", "_device.ledger.__enter__": "-> ledger", "_device.ledger.sum": "-> dict[str, float]", "_device.ledger.reset": "-> None",
    "_dtypes.DType.__init__": "name: str, short: str, kind: str, itemsize: int", "_dtypes.DType.dtype": "-> Any", "_dtypes.isdtype": "dtype: DType, kind: DType | str | tuple[DType | str, ...] -> bool",
    "_dtypes.result_type": "arrays_and_dtypes: Any -> DType", "_dtypes.can_cast": "from_: Any, to: Any -> bool", "_dtypes.parse": "d: Any -> DType | None", "_dtypes.of_scalar": "value: Any, with_dtype: DType -> DType",
    "_dtypes.finfo.__init__": "type: Any", "_dtypes.iinfo.__init__": "type: Any",
    "_session.Session.__init__": "inputs: Any, state: str | None", "_session.Session.reset": "-> None",
    "_session.Session.state": "-> dict[int, memoryview]", "_session.Session.set_state": "state: dict[int, Any] -> None",
    "_files.save": "tensors: Any -> None", "_files.load": "names: Sequence[str] | None -> dict[str, Tensor]", "_files.info": "-> tuple[list[tuple[str, str, tuple[int, ...], int]], dict[str, str]]",
    "_files.checkpoint_save": "optimizer: Optimizer | None, loader: Loader | None -> None", "_files.checkpoint_load": "optimizer: Optimizer | None, loader: Loader | None -> None",
    "_functions.astype": "copy: bool", "_functions.clip": "x: Operand, min: Operand | None, max: Operand | None", "_functions.where": "condition: Operand, x1: Operand | None, x2: Operand | None -> Any",
    "_functions.isin": "x1: Any, x2: Any", "_functions.expand_dims": "axis: int | Sequence[int]", "_functions.moveaxis": "source: int | Sequence[int], destination: int | Sequence[int]",
    "_functions.broadcast_shapes": "shapes: Any -> tuple[int, ...]", "_functions.broadcast_arrays": "arrays: Tensor -> tuple[Tensor, ...]", "_functions.concat": "axis: int | None",
    "_functions.unstack": "-> tuple[Tensor, ...]", "_functions.split": "indices_or_sections: int | Sequence[int] -> list[Tensor]", "_functions.array_split": "indices_or_sections: int | Sequence[int] -> list[Tensor]",
    "_functions.chunk": "chunks: int -> list[Tensor]", "_functions.roll": "shift: int | Sequence[int], axis: int | Sequence[int] | None", "_functions.repeat": "repeats: Any, axis: int | None",
    "_functions.tile": "repetitions: int | Sequence[int]", "_functions.take": "axis: int | None", "_functions.cumulative_sum": "axis: int | None", "_functions.cumulative_prod": "axis: int | None",
    "_functions.take_along_axis": "indices: Tensor", "_functions.searchsorted": "x2: Any, side: Literal['left', 'right'], sorter: Tensor | None", "_functions.top_k": "k: int -> TopKResult",
    "_functions.nonzero": "-> tuple[Tensor, ...]", "_functions.unique_all": "-> UniqueAllResult", "_functions.unique_counts": "-> UniqueCountsResult", "_functions.unique_inverse": "-> UniqueInverseResult",
    "_functions.unique": "axis: int | None, return_index: bool, return_inverse: bool, return_counts: bool -> Any",
    "_functions.histogram": "bins: int, range: tuple[float, float] | None, weights: Tensor | None -> tuple[Tensor, Tensor]", "_functions.einsum": "subscripts: str, operands: Operand",
    "_functions.tensordot": "axes: int | tuple[Sequence[int], Sequence[int]]",
    "_grad.value_and_grad": "f: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool -> Callable[..., Any]", "_grad.grad": "f: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool -> Callable[..., Any]",
    "_grad.vjp": "args: Tensor -> tuple[Tensor, Callable[..., tuple[Tensor, ...]]]", "_grad.jvp": "primals: Sequence[Tensor], tangents: Sequence[Tensor] -> tuple[Tensor, Tensor]",
    "_grad.hvp": "primals: Sequence[Tensor], tangents: Sequence[Tensor] -> tuple[Tensor, tuple[Tensor, ...]]", "_grad.gradients": "wrt: Sequence[Tensor] | dict[str, Tensor], g: Tensor | None -> Any",
    "_grad.no_grad": "-> ContextDecorated", "_grad.batch_invariant": "on: bool -> ContextDecorated", "_grad.precision": "dtype: DType | str -> ContextDecorated",
    "_group.Group.__init__": "deadline: float | None", "_group.Group.rank": "-> int", "_group.Group.size": "-> int", "_group.Group.all_reduce": "x: Operand, reduction: Literal['sum', 'mean', 'max', 'min']",
    "_group.Group.reduce_scatter": "x: Operand, reduction: Literal['sum', 'mean', 'max', 'min']", "_group.Group.broadcast": "root: int", "_group.Group.barrier": "-> None",
    "_group.Group.send": "to: int -> None", "_group.Group.receive": "like: Tensor, source: int", "_group.Group.cut": "total: int -> tuple[int, int]",
    "_group.Group.tree_sum": "tensors: Sequence[Tensor], total: int, like: Tensor | None",
    "_info.Info.capabilities": "-> dict[str, Any]", "_info.Info.default_device": "-> Device", "_info.Info.default_dtypes": "-> dict[str, DType]", "_info.Info.dtypes": "kind: Any -> dict[str, DType]",
    "_info.Info.devices": "-> tuple[Device, ...]", "_info.__array_namespace_info__": "-> Info",
    "_runtime.snapshot": "tensors: Any -> tuple[Tensor, ...]", "_runtime.eval": "tensors: Any -> None", "_runtime.wait": "tensors: Tensor | Sequence[Tensor] -> None", "_runtime.variable": "trainable: bool", "_runtime.assign": "variable: Tensor, value: Operand, start: Sequence[int] | None -> None",
    "_runtime.set_printoptions": "precision: int | None -> None", "_runtime.printoptions": "precision: int | None -> AbstractContextManager[None]", "_runtime.set_eager": "on: bool -> None", "_runtime.eager": "on: bool -> AbstractContextManager[None]", "_runtime.fusing": "-> AbstractContextManager[None]",
    "_runtime.profile": "most: int -> AbstractContextManager[Trace]",
    "_runtime.Trace.__init__": "path: str | PathLike[str]", "_runtime.Trace.draw": "others: Trace | str | PathLike[str], clock: Literal['here', 'simulated'] | None, title: str -> None",
    "_runtime.Trace.svg": "others: Trace | str | PathLike[str], clock: Literal['here', 'simulated'] | None -> str",
    "_text.Tokenizer.__init__": "lower: bool", "_text.Tokenizer.encode": "text: str | bytes | Sequence[str | bytes], special: bool, frame: bool, most: int | None", "_text.Tokenizer.decode": "errors: str -> str",
    "_text.Tokenizer.find": "token: str -> int | None",
    "data.Dataset.__init__": "features: Any, labels: Any, classes: int | None, name: str, _handle: Any", "data.Dataset.arrays": "-> dict[str, Tensor]", "data.Dataset.labels": "-> Tensor",
    "data.Dataset.tokens": "-> tuple[str, ...]", "data.Dataset.save_vocabulary": "-> None", "data.Dataset.encode": "text: str -> list[int]", "data.Dataset.decode": "errors: str | None -> Any",
    "data.Dataset.split": "key: int, share: float -> tuple[Dataset, Dataset]", "data.Dataset.folds": "k: int, key: int -> Iterator[tuple[Dataset, Dataset]]", "data.Dataset.select": "rows: Any -> Dataset",
    "data.Dataset.standardize": "like: Dataset | None -> Dataset",
    "data.Dataset.augment": "crop: int, flip: float, rotate: float, brightness: float, contrast: float, mean: Any, deviation: Any, mix_up: float -> Dataset",
    "data.Loader.weights": "-> Loader", "data.Loader.__iter__": "-> Iterator[tuple[Tensor, ...]]",
    "linalg.matrix_norm": "ord: float | Literal['fro', 'nuc'] -> Tensor", "linalg.lu": "-> LUResult", "linalg.lstsq": "a: Tensor, b: Tensor -> LstsqResult", "linalg.cond": "ord: float | Literal['fro', 'nuc']",
    "linalg.norm": "ord: Any, axis: int | tuple[int, ...] | None", "linalg.qr": "mode: Literal['reduced', 'complete'] -> QRResult", "linalg.vector_norm": "axis: int | tuple[int, ...] | None, ord: float",
    "metrics.Metric.update": "target: Operand | None -> Self", "metrics.Metric.value": "-> float",
    "models.Llama.__init__": "layers: int, width: int, heads: int, kv_heads: int | None, hidden: int | None, vocabulary: int, rope_base: float, eps: float, tied: bool, epsilon: float, bias: bool, rope_factors: bool",
    "models.Llama.begin": "context: int, batch: int -> Llama", "models.Llama.position": "-> int", "models.Llama.adapt": "rank: int, alpha: float -> Llama", "models.Llama.save": "-> Llama",
    "models.llama": "keep: bool -> Llama", "models.sample": "logits: Tensor, temperature: float, top_k: int | None, top_p: float",
    "nn.Module.__init__": "parts: Module, _make: Any", "nn.Module.__getitem__": "i: Any -> _Layer", "nn.Module.__iter__": "-> Iterator[_Layer]", "nn.Module.modules": "-> dict[str, Module]",
    "nn.Module.parameters": "-> dict[str, Tensor]", "nn.Module.trainable": "-> dict[str, Tensor]", "nn.Module.copies": "device: Device | str -> dict[str, Tensor]", "nn.Module.training": "-> bool", "nn.Module.to": "device: Device | str -> Self",
    "nn.Module.set_scratch_params_device": "device: Device | str -> Self", "nn.Module.mirror": "devices: Iterable[Device | str] | None -> Self", "nn.Module.init": "key: Operand, inputs: Any -> Any",
    "nn.Module.apply": "params: dict[str, Tensor], inputs: Any, options: Any -> Any", "nn.Module.save_hyperparameters": "ignore: str | Sequence[str] -> None", "nn.Module.plot": "key: str, value: Operand, train: bool -> None", "nn.Module.set_batch_invariant": "on: bool -> Self", "nn.Module.set_precision": "dtype: DType | str -> Self",
    "nn.Module.initialize": "name: str, how: str, gain: float, value: float -> Self", "nn.Module.summary": "-> str", "nn.Module.eval": "-> Self", "nn.Module.publish": "other: Module -> Self", "nn.Module.unfreeze": "-> Self", "nn.Module.state": "-> dict[str, Tensor]", "nn.Module.load_state": "state: dict[str, Any] -> Self",
    "nn.Module.load": "rename: Any -> Self", "nn.Bert.__init__": "heads: int, eps: float, padding: int, pool: bool, epsilon: float", "nn.Parallel.__init__": "parts: Module, join: Literal['sum', 'concat', 'none'] | None",
    "nn.ModuleList.insert": "at: int -> None", "nn.ModuleList.append": "-> Self", "nn.ModuleList.extend": "-> Self", "nn.ModuleList.__setitem__": "at: Any, part: Any", "nn.ModuleList.__delitem__": "at: Any",
    "nn.ModuleDict.__init__": "parts: Any", "nn.ModuleDict.update": "parts: Any -> None", "nn.ModuleDict.__setitem__": "name: str", "nn.ModuleDict.__delitem__": "name: str",
    "nn.ModuleDict.__getitem__": "name: str -> _Layer", "nn.ModuleDict.__iter__": "-> Iterator[Any]", "nn.ModuleDict.keys": "-> Iterable[str]", "nn.ModuleDict.values": "-> Iterable[_Layer]", "nn.ModuleDict.items": "-> Iterable[tuple[str, _Layer]]",
    "onnx.save": "net: Module | Callable[..., Any], inputs: Any, dynamic_batch: bool, batch_axes: Sequence[int | None] | None, input_names: Sequence[str] | None, result_names: Sequence[str] | None, external_data: bool -> None",
    "onnx.Model.__init__": "source: Any, trainable: bool", "onnx.Model.inputs": "-> list[str]", "onnx.Model.results": "-> list[str]", "onnx.load": "path: str | PathLike[str] | IO[bytes] | bytes | bytearray | memoryview, trainable: bool -> Model",
    "optim.Optimizer.lr": "-> float", "optim.Optimizer.steps": "-> int",
    "optim.Optimizer.clip": "norm: float -> None", "optim.Optimizer.clip_value": "value: float -> None", "optim.Optimizer.set": "paths: str | None, hyper: float -> Self", "optim.Optimizer.set_accumulation": "n: int -> None",
    "optim.Optimizer.set_loss_scale": "first: float -> None", "optim.Optimizer.loss_scale": "-> float", "optim.Optimizer.left_out": "-> int", "optim.Optimizer.set_average": "decay: float -> None",
    "optim.Optimizer.averaged": "-> AbstractContextManager[Module]", "optim.Optimizer.factor": "t: int -> float", "optim.Optimizer.report": "value: float -> None", "optim.Optimizer.hyper": "-> dict[str, float]",
    "optim.warmup": "start: float -> None", "optim.constant_schedule": "-> None", "optim.step_schedule": "every: int -> None", "optim.multi_step_schedule": "at: Sequence[int] -> None", "optim.exponential_schedule": "-> None",
    "optim.polynomial_schedule": "power: float -> None", "optim.cosine_schedule": "-> None", "optim.one_cycle_schedule": "rise: float, start: float, end: float -> None",
    "optim.plateau_schedule": "factor: float, patience: int, threshold: float, cooldown: int, largest: bool -> None", "optim.custom_schedule": "function: Callable[[int], float] -> None",
    "random.PRNGKey": "seed: int", "random.split": "count: int -> list[Tensor]", "random.bernoulli": "p: Operand, shape: int | Sequence[int] | None", "random.layout": "name: str | None -> str",
    "train.Board.__init__": "handle: Any, xlim: Any, title: str | None, display: Any", "train.Board.svg": "-> str", "train.Board.data": "-> dict[str, tuple[list[float], list[float]]]",
    "train.Board.xlim": "xlim: Any -> Any", "train.Batch.of_tensors": "tensors: Any -> Batch", "train.Trainer.save_hyperparameters": "ignore: str | Sequence[str] -> None",
    "train.Trainer.model": "net: Module -> Module | None", "cuda.is_available": "-> bool", "cuda.synchronize": "device: Device | str | int | None -> None",
    "train.Batch.__new__": "tensors: Any, inputs: int, rows: int, first: int, of: int, step: int, training: bool -> Batch",
    "train.Trainer.gpus": "devices: Sequence[Device] -> list[Device]", "train.Trainer.fit": "optimizer: Optimizer | Dataset | None, train: Dataset | None, held_out: Dataset | None -> Trainer", "train.Trainer.measure": "-> dict[str, float]",
    "train.Trainer.evaluate": "-> float", "train.Trainer.confusion": "-> None", "train.Trainer.stop": "-> None", "train.Trainer.prepare_model": "net: _Net -> _Net", "train.Trainer.prepare_batch": "batch: _T -> _T",
    "train.Trainer.hyper": "-> dict[str, float]", "train.Proof.__init__": "folder: str | PathLike[str], optimizer: Optimizer | None, loader: Loader | None, note: str | None, every: int, resume: bool, group: Group | None", "train.Proof.steps": "-> int",
    "train.Proof.step": "loss: Operand, batch: Tensor -> bool", "train.Proof.close": "-> str", "train.report_join": "reports: Sequence[str | PathLike[str]] -> None",
}
# Lines of their own at the beginning of a class.
MORE = {
    "_device.Device": ["index: int"], "_device.guard": ["over: int"], "_runtime.Trace": ["path: str"], "_device.ledger": ["entries: list[dict[str, Any]]", "totals: dict[str, float]"],
    "_dtypes.DType": ["name: str", "short: str", "kind: str", "itemsize: int"],
    "_dtypes.finfo": ["bits: int", "eps: float", "max: float", "min: float", "smallest_normal: float", "dtype: DType"], "_dtypes.iinfo": ["bits: int", "max: int", "min: int", "dtype: DType"],
    "_session.Session": ["def __call__(self, *inputs: Any) -> Any: ..."],
    "_group.Group": ["engine: str"], "_text.Tokenizer": ["special: dict[str, int]"],
    "data.Dataset": ["name: str", "shape: tuple[int, ...]", "classes: int", "names: tuple[str, ...]"], "data.Loader": ["epoch: int"],
    "nn.Module": ["forward: Callable[..., Any]", "def __call__(self, *inputs: Any, **options: Any) -> Tensor: ..."],
    "optim.Optimizer": ["def step(self, loss: Tensor | Sequence[Tensor], weights: Sequence[float] | None = ..., *, group: Group | None = ...,",
                        "        total: int | None = ...) -> None: ..."],
    "nn._Layer": ["def __getattr__(self, name: str) -> Any: ..."], "nn.Function": ["f: Callable[..., Any]"],
    "train.Proof": ["done: bool"], "train.Batch": ["inputs: tuple[Tensor, ...]", "targets: tuple[Tensor, ...]", "rows: int", "first: int", "of: int", "step: int", "training: bool"],
    "train.Trainer": ["board: Board", "on_step: Callable[[Trainer], Any] | None", "on_epoch: Callable[[Trainer], Any] | None", "loss: float", "validation_loss: float", "accuracy: float", "seconds: float", "epochs: int",
                      "steps: int", "best_epoch: int", "ended: str", "values: dict[str, float]", "rates: dict[str, float]"],
}
BASES = {"train.Batch": "tuple[Tensor, ...]", "train.Trainer": "", "data.Loader": ""}
DUNDERS = {"__len__": "int", "__bool__": "bool", "__float__": "float", "__enter__": None, "__exit__": None, "__iter__": None, "__getitem__": None, "__setitem__": None, "__delitem__": None, "__contains__": None,
           "__init__": "None", "__new__": None, "__array_namespace_info__": None, "__eq__": "bool", "__hash__": "int"}
RESULTS = {"__exit__": "None", "__setitem__": "None", "__delitem__": "None", "__contains__": "bool", **{k: v for k, v in DUNDERS.items() if v}}
EXTRA = {
    "_grad": "class ContextDecorated:\n    def __enter__(self) -> None: ...\n    def __exit__(self, *error: Any) -> None: ...\n    def __call__(self, function: _T) -> _T: ...\n",
    "train": "_Net = TypeVar(\"_Net\", bound=Module)\n",
}


def row(name):
    """({argument: type}, type of the result or None)."""
    text, _, result = TABLE.get(name, "").partition("->")
    parts = re.split(r",\s*(?=\w+: )", text.strip()) if text.strip() else []
    return dict(part.split(": ", 1) for part in parts), result.strip() or None


def type_of(path, argument, own, seen):
    name = f"{path}.{argument}"
    seen.add(path)
    return own.get(argument) or NAMED.get(argument) or unknown(name)


def unknown(name):
    raise SystemExit(f"scripts/signatures/stubs.py: {name} has no type: a row of TABLE says it")


def arguments(node, path, is_method, seen):
    """The arguments with their types; what may be left out has "..."."""
    own, a, out = row(path)[0], node.args, []
    plain = a.posonlyargs + a.args
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    one = lambda arg, default: f"{arg.arg}: {given(type_of(path, arg.arg, own, seen), default)}" + ("" if default is None else " = ...")
    for i, (arg, default) in enumerate(zip(plain, defaults)):
        out.append(arg.arg if is_method and i == 0 else one(arg, default))
        if a.posonlyargs and i == len(a.posonlyargs) - 1:
            out.append("/")
    if a.vararg:
        out.append(f"*{a.vararg.arg}: {type_of(path, a.vararg.arg, own, seen)}")
    elif a.kwonlyargs:
        out.append("*")
    out += [one(arg, default) for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        out.append(f"**{a.kwarg.arg}: {type_of(path, a.kwarg.arg, own, seen)}")
    return ", ".join(out)


def given(type_, default):
    is_none = isinstance(default, ast.Constant) and default.value is None
    return type_ + " | None" if is_none and "None" not in type_ and type_ != "Any" else type_


def result(node, path, owner):
    """What it gives: by its row, by what its returns are, else a tensor."""
    if row(path)[1]:
        return row(path)[1]
    if owner and node.name in RESULTS:
        return RESULTS[node.name]
    returned = [r.value for r in ast.walk(node) if isinstance(r, ast.Return)]
    if not [r for r in returned if r is not None] and not any(isinstance(n, (ast.Yield, ast.Raise)) for n in ast.walk(node)):
        return "None"
    return "Self" if owner and returned and all(isinstance(r, ast.Name) and r.id == "self" for r in returned) else "Tensor"


def function(node, path, owner, indent, seen):
    decorators = [ast.unparse(d) for d in node.decorator_list]
    is_static = "staticmethod" in decorators
    lines = [f"{indent}@{d}" for d in decorators if d in ("property", "staticmethod") or d.endswith(".setter")]
    text = f"{indent}def {node.name}({arguments(node, path, owner and not is_static, seen)}) -> {'None' if lines and '.setter' in lines[-1] else result(node, path, owner)}: ..."
    return lines + cut(text, indent)


def cut(text, indent):
    """A line that may be long, cut at its arguments; not within those of a type."""
    head, arrow, tail = text.rpartition(" -> ")
    parts, depth, start = [], 0, 0
    for i, c in enumerate(head):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 1:
            parts.append(head[start:i + 1])
            start = i + 1
    parts.append(head[start:] + arrow + tail)
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) > 130:
            lines.append(indent + "        " + part.strip())
        else:
            lines[-1] += part
    return lines


def named_tuple(name, call):
    title, fields = (argument.value for argument in call.args)
    return [f"class {title}(NamedTuple):"] + [f"    {field}: Tensor" for field in fields.split()]


def class_lines(node, module, seen):
    path = f"{module}.{node.name}"
    bases = BASES[path] if path in BASES else ", ".join(ast.unparse(b) for b in node.bases)
    lines = [f"class {node.name}({bases}):" if bases else f"class {node.name}:"] + [f"    {line}" for line in MORE.get(path, [])]
    told = {re.match(r"\s*(?:def )?(\w+)", line)[1] for line in MORE.get(path, [])}
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name not in told and not (item.name == "__init__" and path in ("train.Trainer", "data.Loader")) and (not item.name.startswith("_") or item.name in DUNDERS) and item.name != "forward" and not (item.name == "__new__" and module == "nn"):
            lines += function(item, f"{path}.{item.name}", True, "    ", seen)
    return lines if len(lines) > 1 else [lines[0] + " ..."]


def constructor(made, name):
    """A constructor has the arguments of the one that is made; Trainer's own stand before them."""
    init = next(n for c in ast.parse(made).body if isinstance(c, ast.ClassDef) and c.name == name for n in c.body if isinstance(n, ast.FunctionDef))
    text = ", ".join(f"{a.arg}: {ast.unparse(a.annotation)} = ..." for a in init.args.kwonlyargs).replace("plot: str | None", "plot: str | PathLike[str] | None").replace("report: str | None", "report: str | PathLike[str] | None")
    text = text.replace("board: bool", "board: Any").replace("xlim: float", "xlim: Any")
    if name == "Loader":
        return "\n".join(cut(f"    def __init__(self, data: Dataset, *, {text}) -> None: ...", "    "))
    function_type = "Callable[..., Any] | None = ..."
    return "\n".join(cut(f"    def __init__(self, *, loss: {function_type}, step: {function_type}, on_step: {function_type}, "
                         f"on_epoch: {function_type}, {text}) -> None: ...", "    "))


def imported(node):
    """What a namespace has from another module of the package."""
    module = "." * node.level + (node.module or "")
    module = "._elementwise" if module == "._situ" and node.names[0].name == "relu" else module  # which has its types
    if node.names[0].name == "*":
        return [f"from {module} import *"]
    public = [a for a in node.names if not (a.asname or a.name).startswith("_")]
    names = ", ".join(f"{a.name} as {a.asname or a.name}" for a in public)
    return ["\n".join(textwrap.wrap(f"from {module} import ({names})", 118, subsequent_indent="    "))] if public else []


HEAD = """from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

"""
TYPES = {"DType": "_dtypes", "Device": "_device", "Group": "_group", "Module": "nn", "_Layer": "nn", "Optimizer": "optim", "Dataset": "data", "Loader": "data"}


def stub(module, source, made, seen):
    tree, imports, body, public = ast.parse(source), [], [], []
    is_private = module.startswith("_") and module != "__init__"
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.level and not is_private or node.level and node.module and node.module.startswith("_made") and node.names[0].name == "*"
                                                 or node.level and module in ("_device", "_runtime") and node.module == "_situ"):
            imports += imported(node)
        elif isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__array_namespace_info__"):
            body += function(node, f"{module}.{node.name}", False, "", seen)
            public.append(node.name)
        elif isinstance(node, ast.ClassDef) and (not node.name.startswith("_") or node.name == "_Layer"):
            lines = class_lines(node, module, seen)
            if f"{module}.{node.name}" in ("train.Trainer", "data.Loader"):
                lines.insert(1, constructor(made, node.name))
            body += lines
            public.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in ("namedtuple", "_namedtuple"):
            body += named_tuple(node.targets[0].id, node.value)
    if module == "_dtypes":
        body += [f"{name}: DType" for name in re.search(r"^\((bool_.*?)\) = ALL", source, re.M)[1].split(", ")] + ["ALL: tuple[DType, ...]"]
    if module == "__init__":
        body += ["bool: DType", "newaxis: None", "e: float", "inf: float", "nan: float", "pi: float", "tensor = asarray", "__version__: str", "__array_api_version__: str"]
        imports.remove("from ._dtypes import (bool_ as bool)")
        imports.append("from ._situ import asarray as asarray")
    if module == "nn":
        body += [line for line in source.splitlines() if re.match(r"(Batch|Instance)Norm1d = ", line)]
    text = "\n".join(body)
    have = {re.match(r"class (\w+)", line)[1] for line in body if line.startswith("class ")}
    needed = [f"from .{where} import {name}" for name, where in TYPES.items() if re.search(rf"\b{name}\b", text) and name not in have and where != module]
    head = "" if module == "__init__" else "from ._situ import Operand, Tensor\n" + "".join(line + "\n" for line in needed)
    variables = '_T = TypeVar("_T")\n' * ("_T" in text or "_T" in EXTRA.get(module, "")) + EXTRA.get(module, "")
    return (f'"""Types of {module}.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""\n' + HEAD + head + "".join(line + "\n" for line in dict.fromkeys(imports)) + "\n" + variables + text + "\n")


def errors(rows):
    """Of the classes of errors, which are made when the package is imported: (name, base)."""
    lines = ['"""Types of _errors.py. Made by scripts/generate.py: change that."""', "from typing import Any", "", "class Error(Exception):", "    code: int"]
    return "\n".join(lines + [f"class {name}(Error, {base}): ..." for name, base in rows] + ["class AxisError(ArgumentError, IndexError): ...", "", "def __getattr__(name: str) -> Any: ...", ""])


def outputs(root, made):
    """{path: text}; made: situ._made.handle, whose constructors these stubs repeat."""
    folder, seen, out = root / "python/situ", set(), {}
    for module in MODULES:
        out[folder / f"{module}.pyi"] = stub(module, (folder / f"{module}.py").read_text(), made, seen)
    gone = [name for name in TABLE if name not in seen and not re.search(r"\.\w+$", name)]
    if gone:
        raise SystemExit(f"scripts/signatures/stubs.py: {' '.join(gone)} is not there any more")
    return out
