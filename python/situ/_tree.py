"""The module tree behind a network: which parts and variables each module has, by its attributes, and calls through it.

Attributes, and lists of parts, can change at any time without notice. So whenever the network is used, the library's
tree is compared with them, and rebuilt where they differ."""
import inspect

from . import _situ, _trees
from ._errors import ShapeError
from ._situ import Tensor

_PLAIN = (int, float, complex, bool, str, bytes)
_CONTAINERS = (list, tuple, dict)
_version = 0  # incremented whenever an attribute that may contain parts changes, in any module
_native = ()  # forward functions that the library implements itself


class Node:
    """The library's data about a module."""

    __slots__ = ("handle", "make", "own", "whole", "members", "version", "loose", "native", "alone", "shares", "marks", "held", "trainer")


def new(m):
    node = Node()
    node.handle, node.make, node.own, node.whole, node.members = _situ.module(), None, frozenset(), None, []
    node.version, node.loose, node.native, node.alone = -1, False, False, False
    node.held = {}  # parameters and parts in lists, tuples and dicts, by name
    node.trainer = None  # weak reference to the trainer that trains it
    node.shares, node.marks = [], None  # marks: the program's variables, until they become parameters
    object.__setattr__(m, "_node", node)


def layer(m, make):
    """Marks m as a layer of the library; make has the name of its function, and its arguments."""
    node = m._node
    if node.whole is not None:
        raise ValueError(f"{type(m).__name__}: a part of a network cannot be made anew")
    node.handle, node.make = getattr(_situ, make[0])(*make[1:]), make
    node.own = frozenset(name for name, _, _ in _situ.own(node.handle))
    changed(m, m, None)


def may_have_parts(value):
    return isinstance(value, (Tensor,) + _CONTAINERS) or hasattr(value, "_node")


def changed(m, before, after):
    """Called when an attribute of m is set. While m is in no tree, only the version changes."""
    global _version
    if (m._node.version >= 0 or m._node.whole is not None) and (may_have_parts(before) or may_have_parts(after)):
        _version += 1


def keeps(m, name, after):
    """Raises an error if a parameter or a part would be lost silently: m.scale = m.scale * 2 makes m.scale a plain
    tensor."""
    before = vars(m).get(name)
    if isinstance(after, _CONTAINERS):
        found = []
        _find(name, after, found, frozenset())
        m._node.held.update((path, None if isinstance(v, Tensor) else type(v).__name__) for path, v in found)
    if after is None or not hasattr(before, "_node") and not (isinstance(before, Tensor) and before.is_variable):
        return
    found = []
    _find(name, after, found, frozenset())
    if not found:
        raise TypeError(_lost(f"{type(m).__name__}.{name}", None if isinstance(before, Tensor) else type(before).__name__, after))


def _lost(name, part, after):
    """The error of the above; part: the class of a part, None for a parameter."""
    kind = type(after).__name__
    if part is None:
        return (f"{name} is a parameter, and a {kind} in its place would be none; write situ.assign(module.{name.partition('.')[2]}, value) "
                "to change its value, situ.variable(value) for another parameter, or None")
    return f"{name} is a part, of class {part}, and a {kind} in its place would be none; write another Module, or None"


def _at(m, name):
    """The present value where a member with this name was, in lists, tuples and dicts; None: nothing."""
    first, *rest = name.split(".")
    value = vars(m).get(first)
    for key in rest:
        if isinstance(value, dict):
            value = value.get(key, value.get(int(key)) if key.isdigit() else None)
        else:
            value = value[int(key)] if isinstance(value, (list, tuple)) and key.isdigit() and int(key) < len(value) else None
    return value


def _keeps_all(m, members):
    """The same check for members of lists, tuples and dicts, which do not report changes."""
    there = {name for name, _ in members}
    held = m._node.held
    held.update((name, None if isinstance(v, Tensor) else type(v).__name__) for name, v in m._node.members if "." in name)
    for name in held.keys() - there:
        now = _at(m, name)
        if isinstance(now, Tensor) and not now.is_variable:
            raise TypeError(_lost(f"{type(m).__name__}.{name}", held[name], now))
        held.pop(name)


# ---- arranging


def _find(name, value, out, inside):
    """Adds (name, part or variable) for everything in value. True if it contains a container, which may change without
    notice."""
    if hasattr(value, "_node") or isinstance(value, Tensor):
        if not isinstance(value, Tensor) or value.is_variable:
            out.append((name, value))
        return False
    if not isinstance(value, _CONTAINERS) or id(value) in inside:
        return False
    if isinstance(value, dict):
        items = value.items()
    else:
        if len(value) > 64 and isinstance(value[0], _PLAIN):
            return False  # numbers, not parts
        items = enumerate(value)
    for key, v in list(items):
        if not isinstance(v, _PLAIN):
            _find(f"{name}.{key}", v, out, inside | {id(value)})
    return not isinstance(value, tuple)


def _is_done(m):
    """Whether m is a tree of its own that matches its attributes and shares no variable. Then a larger network that is
    built part by part, Sequential(Sequential(...)), need not examine it again."""
    node = m._node
    return node.version == _version and node.whole is None and node.alone


def _wanted(root, anew):
    """[(module, its members, whether its attributes contain containers)], each module once, parents before parts.
    Without `anew`, trees that are up to date are not entered. Not recursive, because a network may be deeper than
    Python's stack."""
    seen, out, left = {id(root)}, [], [root]
    while left:
        m = left.pop()
        members, loose = _members(m, seen)
        out.append((m, members, loose))
        left += [v for _, v in reversed(members) if not isinstance(v, Tensor) and (anew or not _is_done(v))]
    return out


def _members(m, seen):
    found, members, loose = [(str(i), p) for i, p in enumerate(m._parts)], [], False
    found += vars(m).get("_named", {}).items()
    for name, value in vars(m).items():
        if name not in ("_node", "_parts", "_named", "hparams") and not isinstance(value, _PLAIN):
            loose |= _find(name, value, found, frozenset())
    names = set()
    for name, v in found:
        if id(v) in seen:  # shared, or a cycle
            continue
        seen.add(id(v))
        if name in names:
            raise ValueError(f"{type(m).__name__}: two of its parts are called {name!r}")
        names.add(name)
        members.append((name, v))
    return members, loose


def _same(a, b):
    return len(a) == len(b) and all(x[0] == y[0] and x[1] is y[1] for x, y in zip(a, b))


def _library(m):
    """The library's state of m and of its native parts: (name, training, precision, parameters, parts)."""
    return _situ.module_state(m._node.handle, [name for name, v in m._node.members if not isinstance(v, Tensor)])


def _held(state):
    """From that state, the rows that belong to the program's variables: they have no values there."""
    rows = [row for row in state[3] if row[1] is None]
    return state[:3] + (rows, []) if rows else None


def _let_go(m):
    node, members = m._node, m._node.members
    if any(isinstance(v, Tensor) for _, v in members):
        node.marks = _held(_library(m))
    while members:
        name, v = members[-1]
        if isinstance(v, Tensor):
            _situ.drop(node.handle, name)
        elif v._node.whole is m:
            _situ.detach(v._node.handle)
            v._node.whole = None
        members.pop()


def _take(m, members):
    node = m._node
    for name, v in members:
        if isinstance(v, Tensor):
            _situ.hold(node.handle, name, v)
        else:
            if v._node.whole is not None:  # whether its former parent has released it
                _arrange(root_of(v))
            if v._node.whole is not None:
                raise ValueError(f"{type(m).__name__}.{name}: a module belongs to one whole, once; this {type(v).__name__} is a part of a "
                                 f"{type(root_of(v)).__name__}; make another one, or copy.deepcopy it")
            _situ.attach(node.handle, name, v._node.handle)
            v._node.whole = m
        node.members.append((name, v))


def _arrange(root):
    plan, version = _wanted(root, False), _version
    if any(not isinstance(v, Tensor) and v._node.whole not in (None, m) for m, members, _ in plan for _, v in members):
        plan = _wanted(root, True)  # shared with a tree that is up to date
    differ = [(m, members) for m, members, _ in plan if not _same(m._node.members, members)]
    for m, members in differ:
        _keeps_all(m, members)
    for m, _ in differ:
        _let_go(m)
    for m, members in differ:
        _take(m, members)
    for m, members, loose in reversed(plan):
        m._node.alone = not loose and not any(isinstance(v, Tensor) or not v._node.alone for _, v in members)
        chain = len(members) == len(m._parts) and all(v._node.native for v in m._parts) and (bool(members) or m._node.make is not None)
        m._node.native = chain and "forward" not in vars(m) and type(m).forward in _native
    for m, _, _ in plan:
        if m._node.marks is not None:
            _situ.module_take_state(m._node.handle, m._node.marks, True)
            m._node.marks = None
        for other in m._node.shares:
            _situ.module_share(m._node.handle, other._node.handle)
    root._node.loose = any(loose for _, _, loose in plan)
    root._node.version = version


def root_of(m):
    while m._node.whole is not None:
        m = m._node.whole
    return m


def sync(m):
    """The handle of m, after its tree was brought up to date with the attributes."""
    while True:
        root = root_of(m)
        if root._node.version != _version or root._node.loose:
            _arrange(root)
        if root_of(m) is root:
            return m._node.handle


def children(m):
    return [(name, v) for name, v in m._node.members if not isinstance(v, Tensor)]


def named(m):
    out, left = {}, [("", m)]
    while left:
        path, m = left.pop()
        out[path] = m
        left += [(f"{path}.{name}" if path else name, part) for name, part in reversed(children(m))]
    return out


def follow(m):
    """After the network moved: makes the program's variables refer to the moved parameters."""
    for part in named(root_of(m)).values():
        own = {name: v for name, v, _ in _situ.own(part._node.handle)}
        for name, v in part._node.members:
            if isinstance(v, Tensor):
                _situ.follow(v, own[name])


def _has_bytes(state):
    own, parts = state[3:]
    return any(str(v.dtype) == "uint8" for _, values, *_ in own for v in values or ()) or any(map(_has_bytes, parts))


def unshare_quantised(m):
    """Quantised layers have weights of their own, which are no longer shared."""
    rounded = lambda part: _has_bytes(_situ.module_state(part._node.handle, ()))
    for part in named(root_of(m)).values():
        if part._node.shares:
            part._node.shares = [other for other in part._node.shares if not rounded(part) and not rounded(other)]


# ---- calls


def chain(m, inputs):
    """Calls the parts one after the other."""
    if not m._parts:
        raise TypeError(f"call: {type(m).__name__} has no forward(): define how it is called")
    for i, part in enumerate(m._parts):
        result = part(*inputs)
        inputs = handed_on(part, result) if i < len(m._parts) - 1 else result
    return inputs


def handed_on(part, result):
    """The results that a sequence passes to the next part: all but states."""
    names = _situ.module_says(part._node.handle)[1] if part._node.native else None
    result = result if isinstance(result, tuple) else (result,)
    return result[:names.split(";")[0].count(",") + 1] if names else result


def leaf(m, inputs, options):
    return _situ.call(m._node.handle, arranged(m, inputs, options))


def arranged(m, inputs, options):
    """The inputs of a native layer in order, None for one left out; states may be a tuple."""
    flat = [t for x in inputs for t in (x if isinstance(x, (tuple, list)) else (x,))]
    names = [n.strip(" ?") for n in (_situ.module_says(m._node.handle)[0] or "").split(",")]
    for name, value in options.items():
        if name not in names or name == "...":
            raise TypeError(f"call: {type(m).__name__} has no input {name!r}; it takes {', '.join(filter(None, names)) or 'one input'}")
        if names.index(name) < len(flat):
            raise TypeError(f"call: {type(m).__name__} was given its input {name} twice")
        if value is not None:
            flat += [None] * (names.index(name) - len(flat)) + [value]
    return tuple(flat)


def call(m, inputs, options):
    node = m._node
    if not _situ.inside(node.handle):
        sync(m)
    if node.native and len(inputs) == 1 and not options:
        return _situ.call(node.handle, inputs[0])
    rows = {}
    if options and (node.native or not {"first", "of", "step"}.isdisjoint(options)):
        takes = () if node.native else inspect.signature(m.forward).parameters
        rows = {k: options.pop(k) for k in ("first", "of", "step") if k in options and k not in takes}
    if node.native:
        return _situ.call(node.handle, arranged(m, inputs, options), rows.get("first"), rows.get("of"), rows.get("step"))
    given = _trees.tensors(inputs) or _trees.tensors(options)
    frame, result = _situ.open_call(node.handle, given[0] if given else None, rows.get("first"), rows.get("of"), rows.get("step")), None
    try:
        result = m.forward(*inputs, **options)
        return result
    finally:
        if frame is not None:
            _situ.close_call(frame, _trees.tensors(result))


def apply(m, params, inputs, options):
    """Calls m with these values instead of its parameters."""
    if not isinstance(params, dict):
        raise TypeError(f"apply takes the values of the parameters by name, a dict, not {type(params).__name__}; net.init(key, x) gives it")
    try:
        own = _situ.parameters(sync(m))
    except ShapeError:
        raise ShapeError("apply: the parameters have no shapes yet; params = net.init(key, x) makes them by an input") from None
    names = [name for name, _, _ in own]
    if params.keys() != set(names):
        raise ValueError(f"apply: needs a value for each of {', '.join(names) or 'none'}, and got {', '.join(map(str, params)) or 'none'}; params = net.init(key, x) has all of them")
    for name, v, _ in own:
        given = params[name]
        if not isinstance(given, Tensor):
            raise TypeError(f"apply: {name} is a tensor, not {type(given).__name__}; write situ.asarray(...) for its numbers")
        if given.shape != v.shape:
            raise ShapeError(f"apply: {name} has shape {list(v.shape)}, and its value {list(given.shape)}")
    values, tensors = [params[name] for name in names], _trees.tensors(inputs) or _trees.tensors(options)
    frame = _situ.open_call(m._node.handle, tensors[0] if tensors else None, None, None, None, values)
    result = None
    try:
        result = m.forward(*inputs, **options)
        return result
    finally:
        _situ.close_call(frame, _trees.tensors(result))


# ---- copies and files


def _copied(state):
    """A copy of the state with its own values."""
    if isinstance(state, (tuple, list)):
        return type(state)(_copied(part) for part in state)
    return _situ.copy_to(state, state.device) if isinstance(state, Tensor) else state


def get_state(m):
    sync(m)
    node = m._node
    state = {"attributes": {k: v for k, v in vars(m).items() if k != "_node"}, "make": node.make, "library": _copied(_library(m)),
             "shares": list(node.shares), "devices": _situ.module_devices(node.handle)}
    if node.whole is None:
        state["random"] = _situ.module_random(node.handle)
    return state


def set_state(m, state):
    if state["make"] is not None:
        layer(m, state["make"])
    node = m._node
    if state.get("random"):
        _situ.module_random(node.handle, *state["random"])
    _situ.module_take_state(node.handle, state["library"], False)
    node.marks = _held(state["library"])
    node.shares = list(state["shares"])
    if state["devices"]:
        _situ.mirror(node.handle, state["devices"])
    vars(m).update(state["attributes"])
    changed(m, m, None)
    if state.get("random"):
        sync(m)
        follow(m)
