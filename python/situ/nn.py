"""Networks: modules whose parameters are created at the first call.

    net = situ.nn.Sequential(situ.nn.Linear(128), situ.nn.ReLU(), situ.nn.Linear(10))
    logits = net(images)
"""
import weakref as _weakref

from . import _situ, _tree, _trees
from ._device import Device as _Device, try_all_gpus as _try_all_gpus
from ._errors import ShapeError as _ShapeError
from ._functions import concat as _concat
from ._habits import MODULE as _MODULE, hint as _hint, has_option as _has_option, refuse_option as _refuse_option, save_arguments as _save_arguments
from ._situ import relu, sigmoid, softplus  # noqa: F401


_INITIALIZERS = ("layer constant uniform normal xavier_uniform xavier_normal kaiming_uniform kaiming_normal truncated orthogonal "
                 "eye").split()


class _Text(str):
    """A string whose repr has no quotes."""

    def __repr__(self):
        return str(self)


class _NotYet(_ShapeError, AttributeError):
    """Stands for a parameter before the first call, so that hasattr is True."""


class Module:
    """A network or a part of one. Your own class keeps its parts and variables in attributes (also in lists, tuples and
    dicts) and defines forward():

        class Residual(situ.nn.Module):
            def __init__(self, width):
                self.linear, self.scale = situ.nn.Linear(width), situ.variable(situ.ones((width,)))

            def forward(self, x):
                return x + self.scale * situ.nn.relu(self.linear(x))

    Parameters are named after attributes: "linear.weight", "scale", "layers.0.weight". Parts may also be passed to
    __init__ by position; without forward() they are called one after the other."""

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        object.__setattr__(self, "_parts", ())
        _tree.new(self)
        return self

    def __init__(self, *parts, _make=None):
        for p in parts:
            if not isinstance(p, Module):
                kind = type(self).__name__
                mend = (f"; write the parts one after the other, or {kind}(*parts)" if isinstance(p, (list, tuple)) else
                        f"; write {p.__name__}(...), which makes one" if isinstance(p, type) and issubclass(p, Module) else
                        "; write situ.nn.Function(f) for a function" if callable(p) else "")
                raise TypeError(f"{kind}: a part is a Module, not {'the class ' * isinstance(p, type)}{p.__name__ if isinstance(p, type) else type(p).__name__}{mend}")
        if len(set(map(id, parts))) != len(parts):
            raise ValueError(f"{type(self).__name__}: a module belongs to one whole, once")
        if _make is not None:
            _tree.layer(self, _make)
        self._parts = parts
        _tree.sync(self)

    def forward(self, *inputs):
        """Computes the result of a call. Unless overridden: calls the parts one after the other."""
        return _tree.chain(self, inputs)

    @property
    def _handle(self):
        return _tree.sync(self)

    @property
    def _composed(self):
        """Whether it, or a part of it, is written in Python."""
        _tree.sync(self)
        return not self._node.native

    def __setattr__(self, name, value):
        if name in self._node.own:
            raise TypeError(f"{name} is a parameter of {type(self).__name__}; write situ.assign(layer.{name}, value)")
        if isinstance(value, bool) and name in ("train", "eval", "freeze"):
            raise TypeError(f"{name} is a method of a network; write net.{name}({value if name != 'eval' else ''})")
        if name == "trainer" and hasattr(type(value), "fit"):
            self._node.trainer = _weakref.ref(value)
            return
        _tree.keeps(self, name, value)
        _tree.changed(self, vars(self).get(name), value)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        _tree.changed(self, vars(self).get(name), None)
        object.__delattr__(self, name)

    def __getattr__(self, name):
        if not name.startswith("_"):
            if name in self._node.own:
                try:
                    return next(v for n, v, _ in _situ.parameters(self._handle) if n == name)
                except _ShapeError as e:
                    sized = f"; call it once, or write {type(self).__name__}(..., inputs=...)" if _has_option(self, "inputs") else "; call it once"
                    raise _NotYet(str(e) + sized) from None
            trainer = self._node.trainer and self._node.trainer()
            if trainer is not None and name in ("trainer", "board"):
                return trainer if name == "trainer" else trainer.board
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{_hint(_MODULE, name)}")

    def __call__(self, *inputs, **options):
        """net(x), on x's device; x may be rows first, first + 1, ... of a batch with `of` rows. A forward() of your own
        may take any inputs and keywords and return anything."""
        node = self._node
        if node.native and node.version == _tree._version and not node.loose and node.whole is None and len(inputs) == 1 and not options:
            return _situ.call(node.handle, inputs[0])  # a whole network whose tree is up to date
        return _tree.call(self, inputs, options)

    def __getitem__(self, i):
        try:
            return self._parts[i]
        except (IndexError, TypeError):
            names = ", ".join(map(repr, filter(None, self.modules())))
            raise IndexError(f"{type(self).__name__}: it has {len(self._parts)} parts, and none of them is number {i!r}"
                             + f"; net.modules() has all of them by name: {names}" * bool(names)) from None

    def __iter__(self):
        return iter(self._parts)

    def init(self, key, *inputs):
        """Initialises the parameters by this key. With inputs, which tell their sizes, it returns the values by name, for apply()."""
        _situ.module_init(_tree.sync(self), key)
        if not inputs:
            return self
        modes = [(m, m.training) for m in self.modules().values()]
        try:
            self.eval()(*inputs)
        finally:
            for m, on in modes:  # a whole before its parts
                m.train(on)
        return self.state()

    def apply(self, params, *inputs, **options):
        """Computes a call with these values by name, as init() and state() return them, instead of the parameters: a pure
        function of params and inputs, for situ.grad and situ.vmap. It changes nothing, and layers behave as after eval().

            params = net.init(key, x)
            gradient = situ.grad(lambda p: situ.nn.mse(net.apply(p, x), y))(params)
            params = {name: p - 0.1 * gradient[name] for name, p in params.items()}"""
        if callable(params):
            raise TypeError(f"apply takes the values of the parameters by name, not {type(params).__name__}; net.modules() has all parts by "
                            "name, and net.initialize(...) sets first values")
        return _tree.apply(self, params, inputs, options)

    def save_hyperparameters(self, ignore=()):
        """In a constructor: stores its arguments as attributes and in the dict hparams, except those named in ignore."""
        _save_arguments(self, ignore)

    def plot(self, key, value, train=True):
        """In training_step() and validation_step(): logs a value, which the trainer's board draws; trainer.values has its means.
        The value stays on its device until the epoch ends."""
        trainer = self._node.trainer and self._node.trainer()
        if trainer is None:
            raise ValueError("plot: this network is not being trained; Trainer(...).fit(net, ...) calls training_step and validation_step")
        trainer._plotted[key] = value

    def modules(self):
        """The network and all of its parts by name; the network's own name is ""."""
        _tree.sync(self)
        return _tree.named(self)

    def parameters(self):
        """The variables by name."""
        try:
            return {name: v for name, v, _ in _situ.parameters(_tree.sync(self))}
        except _ShapeError as e:
            raise _ShapeError(f"{e}; an optimizer needs no parameters, it takes the network: situ.optim.Adam(net)") from None

    def copies(self, device):
        """The variables of a mirrored network on one of its devices, by name."""
        return dict(_situ.copies(_tree.sync(self), device))

    def trainable(self):
        """The variables that optimizers change, by name."""
        return {name: v for name, v, trainable in _situ.parameters(_tree.sync(self)) if trainable}

    def train(self, on=True):
        """Switches between training and inference, which differ only for layers like dropout."""
        _situ.training(_tree.sync(self), on)
        return self

    def eval(self):
        """Switches to inference."""
        return self.train(False)

    @property
    def training(self):
        return _situ.training(self._node.handle)

    @training.setter
    def training(self, on):
        self.train(on)

    def to(self, device):
        """Moves the network to a device."""
        _situ.module_to(_tree.sync(self), device)
        _tree.follow(self)
        return self

    def set_scratch_params_device(self, device):
        """Moves to a device what a Python network keeps itself: its parameters, and tensors in attributes of it or of
        its parts, also in lists, tuples and dicts."""
        for module in self.modules().values():
            for name, value in list(vars(module).items()):
                if not name.startswith("_"):
                    moved = _trees.mapped(value, lambda t: t if t.is_variable else t.to_device(device))
                    if moved is not value:
                        setattr(module, name, moved)
        return self.to(device)

    def mirror(self, devices=None):
        """Keeps one copy of every parameter on each device (None: all GPUs); a call uses those on its input's device, also for
        the variables that your own forward() reads."""
        if isinstance(devices, (str, _Device)):
            raise TypeError(f"mirror takes a list of devices; write net.mirror([{devices!r}]) or net.to({devices!r})")
        _situ.mirror(_tree.sync(self), _try_all_gpus() if devices is None else list(devices))
        _tree.follow(self)
        return self

    def freeze(self, on=True):
        """Optimizer steps no longer change its parameters."""
        _situ.module_freeze(_tree.sync(self), on)
        return self

    def unfreeze(self):
        """Its parameters are trained again."""
        return self.freeze(False)

    def publish(self, other):
        """Copies all values of another network with the same parts, for example a copy.deepcopy of this one that was
        trained further. Each call of this network, in any thread, uses either all old or all new values."""
        if not isinstance(other, Module):
            raise TypeError(f"publish takes a network with the same parts, not {type(other).__name__}")
        _situ.module_publish(_tree.sync(self), _tree.sync(other))
        return self

    def quantise(self):
        """For inference: every linear layer of this network, or part of one, stores its weight in rows of 8 bits, a
        quarter of the memory, and rounds each row of its input to 8 bits (dynamic quantisation); products add up
        integers. Everything else stays. CPU only. Such layers cannot be trained; optimizers accept the network if
        they are frozen."""
        _situ.module_quantise(_tree.sync(self))
        _tree.unshare_quantised(self)
        return self

    def set_precision(self, dtype):
        """Sets the precision of products, convolutions and attention of this network or part: "bfloat16", "float16" or
        "float32", whatever situ.precision() says around its calls. Parts may have their own."""
        _situ.module_set_precision(_tree.sync(self), dtype)
        return self

    def set_batch_invariant(self, on=True):
        """Makes calls of this network or part batch-invariant, as inside of situ.batch_invariant(): a row of a result has the same
        bits however many other rows are in the batch. Copies and pickles have the same setting."""
        _situ.module_set_batch_invariant(_tree.sync(self), on)
        return self

    def share(self, other):
        """Shares parameters: those of this part become the ones with the same names in another part of the network, for
        example a decoder that uses an embedding's table."""
        if not isinstance(other, Module):
            raise TypeError(f"share: the other part is a situ.nn.Module, not {type(other).__name__}")
        _tree.sync(self)
        root = _tree.root_of(self)
        if self is other or _tree.root_of(other) is not root:
            raise ValueError("share: both must be different parts of one network" + (
                "" if self is other else "; before its first call a network knows its parts once net.modules() was asked for them"))
        _situ.module_share(self._node.handle, other._node.handle)
        self._node.shares.append(other)
        return self

    def initialize(self, name, how, gain=1.0, value=0.0):
        """Initialises, now and when they are created, the parameters with this name or a name that ends in it
        ("weight": all weights; "": all). how: one of situ.nn.initial, or "layer": as the layer does by itself."""
        if how not in _INITIALIZERS:
            raise ValueError(f"initialize: {how!r} is none of {', '.join(_INITIALIZERS)}")
        _situ.module_initialize(_tree.sync(self), name, _INITIALIZERS.index(how), gain, value)
        return self

    def summary(self, *inputs):
        """A table with a line for each part: shapes of its results for these inputs, its parameters, and the number of
        operations that it records; then totals, bytes and devices. Without inputs: only the parameters."""
        handle = _tree.sync(self)
        if inputs and not self._node.native:
            modes = [(m, m.training) for m in self.modules().values()]
            self.eval()
            try:
                self(*inputs)  # creates what is not created yet; Python parts are not followed
            finally:
                for m, on in modes:  # parents before parts
                    m.train(on)
            inputs = ()
        return _Text(_situ.module_summary(handle, list(inputs)))

    def state(self):
        """The values of the parameters by name."""
        return {name: _situ.stop_gradient(_situ.copy_to(v, v.device)) for name, v in self.parameters().items()}

    def load_state(self, state):
        """Sets the values of the parameters, all of them or none. Parameters that no call has created yet get these
        shapes and dtypes."""
        if not isinstance(state, dict):
            raise TypeError(f"load_state takes a dict of values by name, as state() gives it, not {type(state).__name__}")
        for name in state:
            if not isinstance(name, str) or "\0" in name:
                raise TypeError(f"load_state: parameters are named by texts, not {name!r}")
        _situ.load_state(_tree.sync(self), list(state), [_situ.asarray(value) for value in state.values()], True)
        _tree.follow(self)
        return self

    def save(self, path, *, metadata=None, shard_bytes=0):
        """Writes the parameters and running moments to a safetensors file, under their names, as situ.save does."""
        from ._files import save
        save(path, self, metadata=metadata, shard_bytes=shard_bytes)
        return self

    def load(self, path, *, strict=True, map=True, rename=None):
        """Sets the parameters to the values of a safetensors file, all of them or none. Parameters that no call has
        created yet get the file's shapes. strict=False: ignores what the file or the network lacks. rename: {"old":
        "new"} for the file's names, applied in order, or rules "old=new" separated by blanks; "^old" matches only
        the beginning."""
        if isinstance(rename, dict):
            for pair in rename.items():
                if not all(isinstance(text, str) and " " not in text for text in pair) or "=" in pair[0]:
                    raise ValueError(f"load: rename has the rule {pair[0]!r}: {pair[1]!r}; both are texts without blanks, the first one without =")
            rename = " ".join(f"{old}={new}" for old, new in rename.items())
        _situ.module_load(_tree.sync(self), path, strict, map, rename)
        _tree.follow(self)
        return self

    def __getstate__(self):
        return _tree.get_state(self)

    def __setstate__(self, state):
        _tree.set_state(self, state)

    def __repr__(self):
        _tree.sync(self)
        parts = [repr(p) if name == str(i) else f"{name}={p!r}" for i, (name, p) in enumerate(_tree.children(self))]
        return f"{type(self).__name__}({', '.join(parts)})"


class _Layer(Module):
    """A native layer: one that the library implements."""

    _shown = 0  # number of arguments that repr shows

    def __setattr__(self, name, value):
        if name not in self._node.own and self._node.make is not None and type(self).__module__.startswith("situ."):
            _refuse_option(self, name)
        super().__setattr__(name, value)

    def forward(self, *inputs, **options):
        return _tree.leaf(self, inputs, options)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self._node.make[1:1 + self._shown]))})"


class Sequential(Module):
    """Calls its parts one after the other; parameters are named by position, "0.weight". A part receives the results of
    the one before, without the states that recurrent layers return as well."""

    def __len__(self):
        return len(self._parts)

    def __bool__(self):
        return True


class Bert(_Layer):
    """A BERT encoder from safetensors with Hugging Face's names, such as all-MiniLM-L6-v2. It maps tokens [batch,
    count] of texts, as situ.Tokenizer gives them, to vectors of length 1, [batch, width]; the product of two vectors
    measures how similar the texts are.

    heads: number of attention heads, which a file's shapes do not tell; eps (or epsilon): of the norms; padding: the
    token that fills up rows; pool: the mean over a row's tokens, else [batch, count, width]"""

    _shown = 1

    def __init__(self, path, *, heads=12, eps=1e-12, padding=0, pool=True, device=None, epsilon=None):
        super().__init__(_make=("bert_open", path, heads, eps if epsilon is None else epsilon, padding, pool, device))


class Residual(Module):
    """x + part(x)."""

    def __init__(self, part):
        super().__init__(part, _make=("module", 1))

    def forward(self, x):
        return x + self._parts[0](x)


class Parallel(Module):
    """Calls every part with the same inputs. join: None returns a tuple of results, "sum" their sum, "concat"
    concatenates them along axis."""

    def __init__(self, *parts, join=None, axis=1):
        joins = {None: 0, "none": 0, "sum": 1, "concat": 2}
        if join not in joins:
            raise ValueError(f'Parallel: join is None, "sum" or "concat", not {join!r}')
        if not parts:
            raise ValueError("Parallel: there is at least one part")
        super().__init__(*parts, _make=("module", 2, joins[join], axis))

    def forward(self, *inputs):
        results = [part(*inputs) for part in self._parts]
        _, _, join, axis = self._node.make
        return _concat(results, axis=axis) if join == 2 else sum(results[1:], results[0]) if join else tuple(results)


class Function(Module):
    """A function as a part without parameters: Function(lambda x: situ.mean(x, axis=1))."""

    def __init__(self, f):
        if not callable(f) or isinstance(f, _Device):
            raise TypeError(f"Function takes a function of a tensor, not {type(f).__name__}")
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


class ModuleList(Module):
    """A list of parts, for a forward() that calls them."""

    def __init__(self, parts=()):
        if isinstance(parts, Module) or not hasattr(parts, "__iter__"):
            raise TypeError(f"ModuleList takes a list of parts, not {type(parts).__name__}; write ModuleList([part, ...])")
        super().__init__(*parts)

    def forward(self, *inputs):
        raise TypeError("call: a ModuleList is a list of modules; call them one by one, or make a Sequential of them")

    def __len__(self):
        return len(self._parts)

    def __bool__(self):
        return bool(self._parts)

    def _set(self, parts):
        for p in parts:
            if not isinstance(p, Module):
                raise TypeError(f"ModuleList: a part is a Module, not {type(p).__name__}")
        before, self._parts = self._parts, tuple(parts)
        _tree.changed(self, before, self._parts)
        return self

    def append(self, part):
        """Appends a part."""
        return self._set(self._parts + (part,))

    def extend(self, parts):
        """Appends several parts."""
        return self._set(self._parts + tuple(parts))

    def insert(self, at, part):
        """Inserts a part before the one at this position."""
        parts = list(self._parts)
        parts.insert(at, part)
        self._set(parts)

    def __setitem__(self, at, part):
        parts = list(self._parts)
        parts[at] = part
        self._set(parts)

    def __delitem__(self, at):
        parts = list(self._parts)
        del parts[at]
        self._set(parts)


class ModuleDict(Module):
    """Named parts, for a forward() that calls them."""

    def __init__(self, parts=()):
        super().__init__()
        self._named = {}
        self.update(parts)

    def forward(self, *inputs):
        raise TypeError("call: a ModuleDict is a dict of modules; call them by name")

    def update(self, parts):
        """Adds parts by name."""
        for name, part in dict(parts).items():
            self[name] = part

    def __setitem__(self, name, part):
        if not isinstance(part, Module):
            raise TypeError(f"ModuleDict: a part is a Module, not {type(part).__name__}")
        if not isinstance(name, str) or not name or "." in name:
            raise KeyError(f"ModuleDict: {name!r} is no name without a point")
        before = self._named.get(name)
        self._named[name] = part
        _tree.changed(self, before, part)

    def __delitem__(self, name):
        before = self._named.pop(name)
        _tree.changed(self, before, None)

    def __getitem__(self, name):
        return self._named[name]

    def __contains__(self, name):
        return name in self._named

    def __iter__(self):
        return iter(self._named)

    def __len__(self):
        return len(self._named)

    def __bool__(self):
        return bool(self._named)

    def keys(self):
        """The names."""
        return self._named.keys()

    def values(self):
        """The parts."""
        return self._named.values()

    def items(self):
        """Names and parts."""
        return self._named.items()


_tree._native = (Module.forward, _Layer.forward, Residual.forward, Parallel.forward)


from ._made.layers import *  # noqa: E402,F401,F403
from ._made.nn import *  # noqa: E402,F401,F403
from ._made.layers import BatchNorm, InstanceNorm  # noqa: E402

# PyTorch's names; here one layer normalises inputs of any number of axes.
BatchNorm1d = BatchNorm2d = BatchNorm3d = BatchNorm
InstanceNorm1d = InstanceNorm2d = InstanceNorm3d = InstanceNorm
