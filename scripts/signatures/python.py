"""What Python has of the public headers: the binding of each function (python/src/made_NAME.c), and the modules of situ._made with
the stubs signatures.pyi, from which situ's namespaces take what they do not say themselves.

    outputs(read(ROOT), ROOT)     # {path: text}: what is committed
    modules(read(ROOT))           # {name: text}: situ._made

A new function, layer, optimizer or data format needs nothing here. What Python says otherwise than C stands in these tables."""
import re
import textwrap

from . import stubs as by_hand
from .call import device_kinds

# Where a header's functions are in Python.
SPACE = {"nn": "nn", "create": "", "move": "", "index": "", "reduce": "", "function": "nn", "network": "nn", "linalg": "linalg", "fft": "fft", "random": "random"}

# Functions with rules of the array API (or of Python), which python/situ/*.py adds by hand to what is made here: why.
BY_HAND = {
    "full arange linspace full_like": "the dtype follows from Python's numbers", "tri": "eye, tril and triu are in the standard",
    "cast complex to copy_to": "methods and astype(copy=, device=)",
    "permute transpose": "permute_dims, x.T and x.transpose are views in Python",
    "moveaxis expand_dims roll": "several axes at once", "tile": "fewer counts than axes", "repeat repeat_each": "one function: a count, or one for each",
    "broadcast_to": "gives back x where nothing is to be done", "concat": "axis=None", "select slice update_slice masked": "x[...]",
    "take": "axis=None",
    "sort argsort": "stable=", "searchsorted": "side=, sorter=", "isin": "numbers and lists on either side",
    "nonzero": "a tuple with a vector for each axis", "unique": "four functions with named results",
    "cumsum cumprod": "cumulative_sum: axis=None, 0 dimensions, include_initial=", "norm": "vector_norm",
    "trace": "linalg.trace(offset=, dtype=)", "tensordot": "axes=2", "vecdot": "the axis counts from the end",
    "qr": "mode=", "matrix_rank pinv": "a tensor as rtol", "matrix_norm": "ord=\"fro\" and \"nuc\"",
    "einsum": "operands one by one", "cond": "ord=\"fro\" and \"nuc\"", "lstsq": "a result with names", "lu": "a result with names", "histogram": "a range",
    "key_split": "split() gives a list of keys", "bernoulli": "the shape is that of p",
}
BY_HAND = {name: reason for names, reason in BY_HAND.items() for name in names.split()}

# Arguments in Python where they are not C's parameters, then its options by name alone. "name=value": it may be left out;
# "name!": it must be given; "new:name": another name. What stands before * may come by position.
SPELT = {
    "trainer_new": "*, max_epochs, num_gpus, gradient_clip_val:clip_norm, deterministic, batch, key, cosine, device, plot, title, board, resident, xlim, patience, min_delta, keep_best, monitor, maximize, log_every, epoch_batches, accumulate, workers, nan, progress, report, checkpoint, checkpoint_every, keep, resume, group, precision, proof, proof_every",
    "elu": "x, alpha=1.0, *", "leaky_relu": "x, slope=0.01, *", "softmax": "x, axis, *", "log_softmax": "x, axis, *", "gelu": "x, exact, *", "one_hot": "index, n, dtype, *",
    "cross_entropy": "logits, labels, reduction, *, axis, smoothing, weights, ignored", "mse": "prediction, target, reduction, *", "l1_loss": "prediction, target, reduction, *", "dropout_layer": "rate=0.5, *", "channel_dropout_layer": "rate=0.5, *", "leaky_relu_layer": "slope=0.01, *", "elu_layer": "alpha=1.0, *",
    "softmax_layer": "axis=-1, *", "log_softmax_layer": "axis=-1, *", "prelu_layer": "count=1, *", "celu_layer": "alpha=1.0, *", "hardshrink_layer": "lambd:bound=0.5, *", "softshrink_layer": "lambd:bound=0.5, *",
    "hardtanh_layer": "min_val:low=-1.0, max_val:high=1.0, *", "glu_layer": "axis=-1, *", "layer_norm_layer": "shape, *, eps, in",
    "diff": "x, n, axis, *, prepend, append", "random_bits": "key, shape=(), dtype, *, device, layout",
    "uniform": "key, shape=(), dtype, low, high, *, device, layout", "normal": "key, shape=(), dtype, *, device, layout",
    "gumbel": "key, shape=(), dtype, *, device, layout", "randint": "key, shape, low, high, dtype, *, device, layout, unbiased",
    "categorical": "key, logits, axis, *, device, layout", "idx_folder": "folder, prefix=None, *",
    "zeros": "shape, *, dtype, device", "ones": "shape, *, dtype, device", "zeros_like": "x, *, dtype, device", "ones_like": "x, *, dtype, device",
    "eye": "n_rows:rows, n_cols:columns, *, k:diagonal, dtype, device", "tril": "x, *, k:diagonal=0", "triu": "x, *, k:diagonal=0",
    "diagonal": "x, *, offset=0", "squeeze": "x, axes!, *", "stack": "arrays:tensors, *, axis", "svd": "x, *, full_matrices:full=True",
    "solve": "x1:a, x2:b, *", "outer": "x1:a, x2:b, *", "matmul": "x1:a, x2:b, *", "cross": "x1:a, x2:b, *, axis",
}
PLACE = {"one_hot": "nn", "diagonal": "linalg"}  # where else than the other functions of the header
NAMES = {"random_bits": "bits", "weighted_average": "average"}
CLASSES = {"auc_metric": "AUC", "mae_metric": "MAE", "mse_metric": "MSE", "confusion_metric": "ConfusionMatrix", "rmsprop": "RMSprop", "lbfgs": "LBFGS", "nadam": "NAdam", "radam": "RAdam", "relu_layer": "ReLU", "gelu_layer": "GELU", "sgd": "SGD", "adamw": "AdamW"}
CLASSES |= {"selu_layer": "SELU", "celu_layer": "CELU", "glu_layer": "GLU", "silu_layer": "SiLU", "leaky_relu_layer": "LeakyReLU", "elu_layer": "ELU", "relu6_layer": "ReLU6", "prelu_layer": "PReLU", "rms_norm_layer": "RMSNorm",
            "swiglu_layer": "SwiGLU", "transformer_encoder_layer": "TransformerEncoderLayer", "transformer_decoder_layer": "TransformerDecoderLayer",
            "rnn_layer": "RNN", "gru_layer": "GRU", "lstm_layer": "LSTM"}
ARGUMENTS = {"in": "inputs", "axes": "axis"}  # fft has axes, as in the standard

# Another function of Python that is the same: its name, and its words.
ALSO = {"zeros": ("empty", "Zeros: situ has no tensors without a value."), "zeros_like": ("empty_like", "As zeros_like: situ has no tensors without a value.")}
# Classes of several results: the order of the names is Python's, the number that of C.
RESULTS = {"eigh": "EighResult eigenvalues:0 eigenvectors:1", "eig": "EigResult eigenvalues:0 eigenvectors:1", "slogdet": "SlogdetResult sign:0 logabsdet:1", "svd": "SVDResult U:1 S:0 Vh:2"}

# How layers of several inputs or results are called, and what comes back; tests/python/test_habits.py runs these lines.
CALLED = {
    "rnn_layer": "y, h = rnn(x)                       # y [batch, time, width], h [layers, batch, width]\n    y, h = rnn(x, h, lengths=n)         # goes on from h",
    "gru_layer": "y, h = gru(x)                       # y [batch, time, width], h [layers, batch, width]\n    y, h = gru(x, h, lengths=n)         # goes on from h",
    "lstm_layer": "y, (h, c) = lstm(x)                 # y [batch, time, width], h and c [layers, batch, width]\n    y, (h, c) = lstm(x, (h, c), lengths=n)",
    "multihead_attention_layer": "y = attention(x)                    # of x to itself: [batch, queries, width]\n    y = attention(query, key, value, mask=m)\n    y, (k, v) = attention(x, k=k, v=v, at=i)",
    "transformer_encoder_layer": "y = encoder(x)                      # [batch, queries, width]\n    y = encoder(x, mask=m, lengths=n)\n    y, (k, v) = encoder(x, k=k, v=v, at=i)",
    "transformer_decoder_layer": "y = decoder(x, memory)              # [batch, queries, width]",
    "bilinear_layer": "y = bilinear(a, b)                  # [..., out]",
    "embedding_bag_layer": "y = bag(index)                      # index [rows, most] gives [rows, width]\n    y = bag(index, weights)",
}

METHODS = "sum prod mean max min std var all any argmax argmin conj".split()  # of Tensor: python/src/take.c
# The exception of each code, and what Python raises for such a mistake.
ERRORS = {
    "NO_MEMORY": "HostMemoryError MemoryError", "NO_LIBRARY": "LibraryError OSError", "FORKED": "ForkError RuntimeError",
    "NO_THREAD": "ThreadError RuntimeError", "BAD_ARGUMENT": "ArgumentError ValueError", "BAD_SHAPE": "ShapeError ValueError",
    "BAD_DTYPE": "DTypeError TypeError", "BAD_DEVICE": "DeviceMismatchError ValueError", "BAD_INDEX": "OutOfRangeError IndexError",
    "BAD_OPTION": "OptionError ValueError", "OVERWRITTEN": "OverwrittenError RuntimeError", "BUDGET": "BudgetError RuntimeError",
    "SINGULAR": "SingularError ArithmeticError", "BAD_NUMBER": "NumberError OverflowError", "NAN": "NaNError ArithmeticError",
    "UNSUPPORTED": "UnsupportedError NotImplementedError", "NO_GRADIENT": "GradientError TypeError",
    "NO_DEVICE": "NoDeviceError RuntimeError", "DEVICE_MEMORY": "DeviceMemoryError MemoryError",
    "MISMATCH": "MismatchError RuntimeError", "RANK_LOST": "RankLostError RuntimeError",
    "DEVICE_LOST": "DeviceLostError RuntimeError", "IO": "FileError OSError", "BAD_FORMAT": "FormatError ValueError"
}

# No binding is made of these.
NOT_MADE = {"reshape": "copy=: python/src/quick.c", "permute": "of views: python/src/index.c"}

INTEGERS = ("int", "int64_t", "int32_t")
PLAIN = {"situ_tensor *", "int", "int64_t", "int32_t", "double", "bool", "situ_shape", "situ_axes", "situ_dtype", "situ_device", "situ_list", "const char *", "FILE *", "situ_group *"}
# What an optimizer or a loader is made for: the argument, and how it is taken.
HANDLES = {"situ_module *": "net", "const situ_dataset *": "data"}
KINDS = {"situ_tensor *": "function", "situ_module *": "layer", "situ_optimizer *": "optimizer", "situ_dataset *": "data", "situ_loader *": "handle", "situ_trainer *": "handle", "situ_metric *": "metric"}


class Argument:
    """One argument of a Python function."""

    def __init__(self, api, c_name, kind, option=None, default=None):
        self.api, self.c_name, self.kind, self.option, self.default, self.name = api, c_name, kind, option, default, c_name
        self.must = False

    @property
    def is_word(self):
        return self.kind in self.api.enums and self.kind not in PLAIN

    @property
    def needed(self):
        return self.must or not self.option and self.default is None

    @property
    def unset(self):
        """Whether 0 means that nothing is given: Python has None for that."""
        return bool(self.option) and self.kind in INTEGERS and self.option.default.value == 0 and self.option.range and self.option.range.low == 0 and re.search(r"\b0: ", self.option.meaning)

    @property
    def words(self):
        """[(Python's word, enumerator)] of an enum."""
        enum, strip = self.api.enums[self.kind], ["SITU"] + self.kind.upper().split("_")[1:]
        word = lambda name: "_".join(part for part in name.split("_") if part not in strip).lower() or name.lower()
        return [(word(v.name), v.name) for v in enum.values]

    @property
    def takes_same(self):
        """Whether it is padding that may be SITU_SAME."""
        return bool(self.option) and self.option.same

    @property
    def value(self):
        """The default as Python writes it."""
        if not self.option or self.default:
            return self.default
        d = self.option.default
        if self.kind == "FILE *":
            return "False"
        if self.is_word:
            return repr(dict((c, p) for p, c in self.words)[d.text])
        if d.value is None or self.unset:
            return d.chosen if re.fullmatch(r"-?\d+", d.chosen) else "None"
        return repr(d.value)

    @property
    def hint(self):
        kinds = {"situ_tensor *": "Operand", "double": "float", "bool": "bool", "situ_shape": "int | Sequence[int]", "situ_axes": "int | Sequence[int]",
                 "situ_dtype": "DType | str | type", "situ_device": "Device | str", "situ_list": "Sequence[Tensor]", "const char *": "str", "FILE *": "bool", "situ_group *": "Group"}
        kinds["situ_shape"] += " | Literal['same', 'valid']" * self.takes_same
        text = "int" if self.kind in INTEGERS else kinds.get(self.kind) or f"Literal[{', '.join(repr(w) for w, _ in self.words)}]"
        return text + " | None" if self.value == "None" else text

    def c(self, i):
        """The expression that takes argument i."""
        d = (self.option.default.c or "0") if self.option and not self.default else {"True": "true", None: "0"}.get(self.default, self.default)
        if self.kind == "situ_tensor *":
            taken = f"arg_optional(c, {i})" if self.option else f"arg_tensor(c, {i})"
            return f"given(c, {i}) ? {taken} : situ_scalar_float({self.default})" if self.default else taken
        if self.is_word:
            return f"({self.kind})arg_word(c, {i}, words_{self.kind[5:]}, {d}, \"{self.name}\")"
        if self.kind == "situ_shape" and self.default == "()":
            return f"arg_shape_or_none(c, {i})"
        if self.kind in INTEGERS and self.unset:
            return f"{'' if self.kind == 'int64_t' else f'({self.kind})'}arg_count(c, {i}, \"{self.name}\")"
        calls = {"int": f"arg_int32(c, {i}, {d})", "int32_t": f"arg_int32(c, {i}, {d})", "int64_t": f"arg_int(c, {i}, {d})",
                 "double": f"arg_double(c, {i}, {d})", "bool": f"arg_bool(c, {i}, {d if d != '0' else 'false'})", "situ_shape": f"arg_padding(c, {i})" if self.takes_same else f"arg_shape(c, {i})",
                 "situ_axes": f"arg_axes(c, {i})", "situ_dtype": f"arg_dtype(c, {i})", "situ_device": f"arg_device(c, {i})", "situ_list": f"arg_list(c, {i})",
                 "FILE *": f"arg_bool(c, {i}, false) ? stdout : NULL", "const char *": f"arg_text(c, {i}, \"{self.name}\")", "situ_group *": f"arg_group(c, {i})"}
        return calls[self.kind]


class Call:
    """One function of C as Python has it."""

    def __init__(self, api, f, also=None):
        self.api, self.f, self.told = api, f, also and also[1]
        self.kind = KINDS.get(f.result)
        self.space = PLACE.get(f.word, SPACE.get(f.header.name)) if self.kind == "function" else self.kind
        self.owner = HANDLES.get(f.parameters[0].type) if self.kind in ("optimizer", "handle") and f.parameters else None
        if self.kind == "handle":
            self.name = camel(f.word.removesuffix("_new"))
        elif self.kind == "optimizer":
            self.name = CLASSES.get(f.word, camel(f.word))
        elif self.kind == "metric":
            self.name = CLASSES.get(f.word, camel(f.word.removesuffix("_metric")))
        elif self.kind == "layer":
            self.name = CLASSES.get(f.word, camel(re.sub("_layer$", "", f.word)))
        else:
            self.name = also[0] if also else NAMES.get(f.word, f.word)
        self.raw = self.name if self.kind == "function" else f.word
        self.word = also[0] if also else f.word
        self.by_hand = f.word in BY_HAND
        self.results = [o for o in f.options.fields if o.type == "situ_tensor **"] if f.options else []
        self.arguments, self.first_named = self.spell()

    def spell(self):
        own = [Argument(self.api, p.name, p.type) for p in self.f.parameters if p.name != self.owner]
        options = [Argument(self.api, o.name, o.type, Option(o, self.f.defaults[o.name])) for o in (self.f.options.fields if self.f.options else []) if o not in self.results]
        for a in options:
            a.name = a.c_name if a.c_name == "axes" and self.f.header.name == "fft" else ARGUMENTS.get(a.c_name, a.c_name)
        if self.f.word not in SPELT:
            return own + options, len(own) + (len(options) if self.by_hand else 0)
        before, _, after = SPELT[self.f.word].partition("*")
        known, order = {a.c_name: a for a in own + options}, []
        before, after = ([p.strip() for p in parts.split(",") if p.strip()] for parts in (before, after))
        for part in before + after:
            must, (name, _, default) = part.endswith("!"), part.rstrip("!").partition("=")
            new, _, old = name.rpartition(":")
            a = known[old or name]
            a.name, a.default, a.must = new or a.name, default or None, must
            order.append(a)
        return order, len(before)

    @property
    def by_position(self):
        """How many may come by position in the extension; the classes of _made give all of theirs so."""
        return self.first_named if self.kind == "function" else len(self.arguments)

    @property
    def fits(self):
        kinds = [a.kind for a in self.arguments]
        return (self.kind is not None and self.f.word not in NOT_MADE and (self.kind != "optimizer" or self.owner) and (self.space is not None)
                and self.f.header.name in (*SPACE, "sequence", "window", "activation", "optim", "data", "train", "metric")
                and all(k in PLAIN or k in self.api.enums for k in kinds) and len(kinds) <= 40)

    @property
    def needed(self):
        return len([a for a in self.arguments if a.needed])

    def signature(self, hints, of_method=False):
        """(x, axis=-1, *, ...) with or without hints. Of a method: self, and one more that may come by position."""
        parts = ["self"] if of_method else []
        for i, a in enumerate(self.arguments):
            if i == self.first_named + of_method:
                parts.append("*")
            if i or not of_method:
                parts.append(a.name + (f": {a.hint}" if hints else "") + ("" if a.needed else (" = " if hints else "=") + a.value))
        return ", ".join(parts)

    def doc(self):
        """The header's words in Python's: the function, then each option."""
        alike = [g for g in self.f.header.items if getattr(g, "doc", None) == self.f.doc and getattr(g, "result", None) == self.f.result]
        text = self.told or words(self.api, self.f.doc) or "As in C."
        parts = re.split(r"[;:] ", text.rstrip("."))
        if not self.told and len(parts) == len(alike) and "." not in re.sub(r"\.\w|\w\.\.\.", "", text.rstrip(".")):
            text = parts[alike.index(self.f)] + "."
            text = text[0].upper() + text[1:] if re.match(r"[a-z]{2,} [a-z]", text) else text  # "y with a y = b" begins with a name
        elif len(alike) > 1 and not self.told:
            text = ", ".join(Call(self.api, g).name for g in alike) + ": " + text
        if self.kind == "layer" and self.f.word in CALLED:
            text += "\n\n    " + CALLED[self.f.word]
        told = []
        for a in self.arguments:
            if a.option:
                line = f"{a.name}: {words(self.api, a.option.meaning)}"
                told.append(re.sub(r"\b0: ", "None: ", line) if a.unset else line)
        return text + ("\n\n" + "\n".join(told) if told else "")


class Option:
    def __init__(self, field, default):
        self.meaning, self.default, self.range, self.same = field.meaning, default, field.range, "SITU_SAME" in field.meaning


def camel(word):
    return "".join(part.capitalize() for part in word.split("_"))


def words(api, text):
    """Text of a header in the words of Python."""
    text = re.sub(r"\s*\b(NULL on an error|0 or a negative code)\b[^.]*\.", "", text).strip()
    text = re.sub(r"\bSITU_([A-Z_]+)\b", lambda m: m[1].lower(), text)
    text = re.sub(r"\bsitu_(\w+?)(_layer)?\b", lambda m: CLASSES.get(m[0][5:], camel(m[1])) if m[2] else m[1], text)
    return re.sub(r"(?<![\w.])\.(?=[a-z])", "", text.replace("NULL", "None"))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# ---- the binding in C

END = {"situ_module *": "MODULE, module_end", "situ_optimizer *": "OPTIMIZER, optimizer_end", "situ_dataset *": "DATASET, dataset_end",
       "situ_loader *": "LOADER, loader_end", "situ_trainer *": "TRAINER, trainer_end", "situ_metric *": "METRIC, metric_end"}


def binding(call):
    f, taken = call.f, [a for a in call.arguments if not a.option]
    first = 1 if call.owner else 0
    names = ([call.owner] if first else []) + [a.name for a in call.arguments]
    key = "{" + ", ".join(f'"{n}"' for n in names) + "}"
    lines = [f"MADE({call.word})", "{", f'    TAKE("{call.name}", {len(names)}, {call.needed + first}, {call.by_position + first}, {key if names else "{NULL}"}, {{NULL}});']
    if first:
        lines.append(f"    {f.parameters[0].type}{call.owner}_ = {'arg_module' if call.owner == 'net' else 'arg_dataset'}(c, 0);")
    for i, a in enumerate(call.arguments):
        if not a.option:
            lines.append(f"    {a.kind}{'' if a.kind.endswith('*') else ' '}{a.c_name}_ = {a.c(i + first)};")
    given = [f"{p.name}_" for p in f.parameters]
    if call.results:
        lines.append(f"    situ_tensor *part[{len(call.results) + 1}] = {{NULL}};")
    if f.options:
        lines.append(f"    {f.options.name} o = {{.size = sizeof o, .unnamed = SITU_NAMED" + "".join(f", .{o.name} = &part[{i + 1}]" for i, o in enumerate(call.results)) + "};")
        for i, a in enumerate(call.arguments):
            if a.option:
                lines.append(f"    o.{a.c_name} = {a.c(i + first)};")
        given.append("&o")
    if f.site:
        given.append("c->site")
    expression = f"({f.name})({', '.join(given)})"
    if call.results:
        lines.append(f"    if (!c->failed) part[0] = {expression};")
        if f.word in RESULTS:
            name, *order = RESULTS[f.word].split()
            lines += [f"    situ_tensor *named_part[] = {{{', '.join(f'part[{n.split(chr(58))[1]}]' for n in order)}}};",
                      f"    return call_end_named(c, named_part, {len(order)}, \"situ._made.{call.space}\", \"{name}\");"]
        else:
            lines.append(f"    return call_end_tuple(c, part, {len(call.results) + 1});")
    elif call.kind == "function":
        lines.append(f"    return call_end(c, c->failed ? NULL : {expression});")
    else:
        lines.append(f"    return end_handle(c, c->failed ? NULL : {expression}, {END[f.result]});")
    return "\n".join(lines + ["}"])


def methods(calls, header):
    rows = []
    for call in calls:
        signature = call.signature(False)
        if call.owner:
            signature = call.owner + (", " + signature if signature else "")
        rows.append(f"    MADE_ROW({call.raw}, {call.word},\n        {quoted(f'{call.raw}({signature})' + chr(10) + '--' + chr(10) + chr(10) + call.doc())}),")
    return f"PyMethodDef made_{header}_methods[] = {{\n" + "\n".join(wrapped(row) for row in rows) + "\n    {NULL, NULL, 0, NULL}};\n"


def wrapped(row):
    """Long text of C as several strings."""
    head, _, text = row.partition("\n        ")
    pieces, line = [], ""
    for part in re.split(r"(?<= )|(?<=\\n)", text):
        if len(line) + len(part) > 108:
            pieces.append(line + '"')
            line = '"'
        line += part
    return head + "\n        " + "\n        ".join(pieces + [line])


def extension(api, calls, header):
    """The binding of one header's functions."""
    enums = sorted({a.kind for call in calls for a in call.arguments if a.is_word})
    tables = []
    for kind in enums:
        a = Argument(api, "", kind)
        tables.append(f"static const choice words_{kind[5:]}[] = {{" + ", ".join(f'{{"{w}", {c}}}' for w, c in a.words) + ", {NULL, 0}};")
    head = f"/* situ/{header}.h for Python. Made by scripts/generate.py from it: change that. */\n#include \"binding.h\"\n"
    return "\n".join([head] + (tables + [""] if tables else []) + [binding(call) + "\n" for call in calls]) + "\n" + methods(calls, header)


def tables(headers):
    return ("/* The tables of functions that are made from the public headers. Made by scripts/generate.py. */\n#include \"binding.h\"\n\n"
            + f"extern PyMethodDef {', '.join(f'made_{h}_methods[]' for h in headers)};\nPyMethodDef *const made_tables[] = {{\n    "
            + ", ".join(f"made_{h}_methods" for h in headers) + ", NULL};\n")


# ---- Python

MADE = "Made by scripts/generate.py from include/situ: change that."


def indented(text, by):
    return text.replace("\n", "\n" + " " * by).replace("\n" + " " * by + "\n", "\n\n")


def docstring(call, by):
    doc = call.doc().replace("\\", "\\\\").replace('"', "'")
    return " " * by + f'"""{indented(doc, by)}"""'


def cut(line, indent):
    """A line of Python that may be long, cut at its arguments."""
    text = textwrap.fill(line.replace(") -> ", ")\0->\0"), 118, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return text.replace("\0", " ")  # a line may not end outside of the brackets


def every(names):
    """What a module gives away by *."""
    return "\n\n" + textwrap.fill(f"__all__ = {names!r}".replace("'", '"'), 118, subsequent_indent="           ") + "\n"


def stubs(calls):
    lines = [f'"""Signatures of functions. {MADE}"""', "from collections.abc import Sequence", "from typing import Literal, NamedTuple", "", "from .._device import Device",
             "from .._dtypes import DType", "from .._situ import Operand, Tensor", ""] + operators(calls)
    for name, *order in (RESULTS[call.f.word].split() for call in calls if call.f.word in RESULTS):
        lines += [f"class {name}(NamedTuple):"] + [f"    {part.split(':')[0]}: Tensor" for part in order] + [""]
    for call in calls:
        if call.kind == "function" and not call.by_hand:
            result = RESULTS[call.f.word].split()[0] if call.f.word in RESULTS else "tuple[Tensor, ...]" if call.results else "Tensor"
            lines += [cut(f"def {call.raw}({call.signature(True)})\0->\0{result}:", 8).replace("\0", " "), docstring(call, 4)]
    return "\n".join(lines) + "\n"


def operators(calls):
    """What Tensor has by its operators, and the functions that are methods of it (python/src/take.c)."""
    both, one, test = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift", "neg pos abs invert", "lt le gt ge eq ne"
    binary = [f"{r}{name}" for name in both.split() for r in ("", "r")]
    lines = ["class Operators:"] + [f"    def __{name}__(self, other: Operand, /) -> Tensor: ..." for name in binary + test.split()[:4]]
    lines += [f"    def __{name}__(self, other: Operand, /) -> Tensor: ...  # type: ignore[override]" for name in test.split()[4:]]
    lines += [f"    def __{name}__(self) -> Tensor: ..." for name in one.split()]
    for call in calls:
        if call.raw in METHODS:
            lines.append(cut(f"    def {call.raw}({call.signature(True, True)})\0->\0Tensor: ...", 12).replace("\0", " "))
    return lines + [""]


def functions(space, calls):
    names = sorted(call.raw for call in calls if call.space == space and not call.by_hand)
    listed = textwrap.fill(", ".join(names) + ")", 118, initial_indent="    ", subsequent_indent="    ")
    results = [RESULTS[call.f.word].split() for call in calls if call.space == space and call.f.word in RESULTS]
    head = "from collections import namedtuple as _namedtuple\n\n" if results else ""
    named = "".join(f'{name} = _namedtuple("{name}", "{" ".join(n.split(":")[0] for n in order)}")\n' for name, *order in results)
    return f'"""Functions of situ{"." + space if space else ""}. {MADE}"""\n{head}from .._situ import (  # noqa: F401\n{listed}\n' + ("\n" + named if named else "") + every(names + [name for name, *_ in results])


def classes(calls, kind, base, imports):
    lines, names = [f'"""{MADE}"""', "from __future__ import annotations", ""] + imports + [""], []
    for call in calls:
        if call.kind != kind:
            continue
        names.append(call.name)
        signature, given = call.signature(True), ", ".join(a.name for a in call.arguments)
        if kind == "layer":
            args, body = "self" + (", " + signature if signature else ""), f"Module.__init__(self, _make=({', '.join(filter(None, [repr(call.raw).replace(chr(39), chr(34)), given]))},))"
            shown = [f"    _shown = {call.first_named}", ""] if call.first_named else []
        else:
            hint = {"net": ", net: Module", "data": ", data: Dataset", None: ""}[call.owner]
            args, body = f"self{hint}" + (", " + signature if signature else ""), f"self._make({', '.join(filter(None, ['_situ.' + call.raw, call.owner, given]))})"
            shown = []
        lines += ["", f"class {call.name}{base}:", docstring(call, 4)] + ([""] if shown or kind != "layer" else []) + shown + [cut(f"    def __init__({args}) -> None:", 17), cut(f"        {body}", 12), ""]
    return "\n".join(lines) + every(names)


def devices(api):
    lines = [f'"""{MADE}"""', "from .._device import Device", "", "NAMES = {"]
    lines[-1] += ", ".join(f'{v.value}: "{word}"' for word, v in device_kinds(api)) + "}"
    for word, v in device_kinds(api):
        lines += ["", "", f"def {word}(index: int = 0) -> Device:", f'    """{v.meaning[0].upper() + v.meaning[1:]}."""', f"    return Device({v.value}, index)"]
    return "\n".join(lines) + every([word for word, _ in device_kinds(api)])


def data(calls):
    types = ["from typing import TYPE_CHECKING", "", "from .. import _situ", "from ..data import Dataset", "", "if TYPE_CHECKING:",
             "    from collections.abc import Sequence", "", "    from .._device import Device", "    from .._situ import Operand, Tensor", ""]
    lines, names = [f'"""{MADE}"""', "from __future__ import annotations", ""] + types, []
    for call in calls:
        if call.kind == "data":
            names.append(call.name)
            given = ", ".join(a.name for a in call.arguments)
            lines += ["", cut(f"def {call.name}({call.signature(True)}) -> Dataset:", 8), docstring(call, 4), f"    return Dataset(_handle=_situ.{call.raw}({given}))", ""]
    return "\n".join(lines) + every(names)


def errors(api):
    rows = [(v.value, *ERRORS[v.name[5:]].split(), words(api, v.meaning)) for v in api.enums["situ_code"].values if v.value]
    text = [f'        ({code}, "{name}", {base}, "{meaning[0].upper()}{meaning[1:].rstrip(".")}."),' for code, name, base, meaning in rows]
    return f'"""{MADE}"""\nROWS = [  # code, class, base, words\n' + "\n".join(line[4:] for line in text) + "\n]\n"


def calls_of(api):
    return [call for f in api.functions.values() for call in [Call(api, f)] + [Call(api, f, also) for also in (ALSO.get(f.word),) if also] if call.fits]


def modules(api):
    """{name: text} of the modules of situ._made."""
    calls = calls_of(api)
    types = ["from typing import Literal", "", "from .. import _situ"]
    places = ["from .._device import Device", "from .._dtypes import DType", "from .._group import Group"]
    sequence = ["from collections.abc import Sequence"]
    out = {"signatures.pyi": stubs(calls), "errors.py": errors(api), "__init__.py": f'"""What the namespaces take from the public headers. {MADE}"""\n',
           "functions.py": functions("", calls), "data.py": data(calls), "devices.py": devices(api), "handle.py": handle(calls),
           "optim.py": classes(calls, "optimizer", "(Optimizer)", ["from .. import _situ", "from ..nn import Module", "from ..optim import Optimizer"]),
           "metrics.py": classes(calls, "metric", "(Metric)", types + ["from ..metrics import Metric"])}
    of_layers = [h for h in dict.fromkeys(call.f.header.name for call in calls) if any(call.kind == "layer" and call.f.header.name == h for call in calls)]
    for h in of_layers:
        out[f"layers_{h}.py"] = classes([call for call in calls if call.f.header.name == h], "layer", "(_Layer)", sequence + [types[0], ""] + places + ["from ..nn import Module, _Layer"])
    out["layers.py"] = f'"""{MADE}"""\n' + "".join(f"from .layers_{h} import *  # noqa: F401,F403\n" for h in of_layers)
    return out | {f"{space}.py": functions(space, calls) for space in ("nn", "linalg", "fft", "random")}


def handle(calls):
    return classes(calls, "handle", "", ["from collections.abc import Sequence", "", "from .. import _situ", "from .._device import Device", "from .._dtypes import DType", "from .._group import Group"])


def outputs(api, root):
    """{path: text} of what is committed."""
    calls = calls_of(api)
    headers = list(dict.fromkeys(call.f.header.name for call in calls))
    out = {root / f"python/src/made_{h}.c": extension(api, [call for call in calls if call.f.header.name == h], h) for h in headers}
    out |= {root / "python/src/made.c": tables(headers),
            root / "python/situ/_errors.pyi": by_hand.errors(tuple(ERRORS[v.name[5:]].split()) for v in api.enums["situ_code"].values if v.value)}
    return out | by_hand.outputs(root, handle(calls))
