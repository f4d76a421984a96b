"""include/situ/call/NAME.h from include/situ/NAME.h: the defaults of options, and for each function the macro that is typed.

What a macro does with an argument depends on the type of the parameter: an integer is checked while compiling, a tensor may be a
number where the function returns a tensor. A macro that a header defines itself is left to it.
"""
import re
import textwrap

from . import reader

# The first operand of these is true or false: an int in its place is a comparison of handles, no number that is meant.
TRUTHS = {"situ_where", "situ_logical_not", "situ_logical_and", "situ_logical_or", "situ_logical_xor"}
NO_MACRO = {"situ_read_into", "situ_sequential"}  # macros of other names call them


def head(header, origin):
    guard = f"SITU_CALL_{header.name.upper()}_H"
    return (f"/* Calls of situ/{header.name}.h. Made by scripts/generate.py from {origin}: change that. */\n#ifndef {guard}\n#define {guard}\n"
            "\n#ifdef SITU_SYSTEM_HEADER\n#pragma GCC system_header\n#endif\n")


def list_of(defaults):
    return "(" + " ".join(f".{name} = {d.c}," for name, d in defaults.items() if d.c) + ")"


def defaults_name(f):
    return f"SITU_{f.word.upper() if f.here else f.options.word.upper()}_DEFAULTS"


STRUCTS = {"situ_shape": "SHAPE(2, 3)", "situ_axes": "AXES(0, 1)", "situ_device": "situ_gpu(0)", "situ_list": "TENSORS(a, b)", "situ_parts": "SITU_PARTS(a, b)"}


def of_struct(p, given):
    """Lists stay as they are: their arrays would end with the block of a check."""
    return f"({given})" if p.type in ("situ_list", "situ_parts") else f"SITU_OF({p.type}, {p.type.upper()}_IS_, {given})"


def is_handle(api, p):
    """Does it point to an object of the library?"""
    base = re.fullmatch(r"(?:const )?(situ_\w+) \*", p.type)
    return bool(base) and base[1] in api.opaque


def argument(api, f, p):
    if p.type in STRUCTS:
        return of_struct(p, p.name)
    if p.type == "situ_tensor *" and f.site:
        if f.name in TRUTHS and p is f.parameters[0]:
            return f"SITU_TRUTH({p.name})"
        if f.header.name == "reduce" and p.name == "x":
            return f"SITU_TENSOR({p.name})"  # folds of numbers are none; of x == y, which C compares, they are
        return f"SITU_OPERAND({p.name})" if f.result == "situ_tensor *" else f"SITU_TENSOR({p.name})"
    if p.type in reader.INTEGERS:
        return f"SITU_INTEGER({p.name})"
    if p.type == "situ_dtype":
        return f"(situ_dtype)SITU_INTEGER({p.name})"
    if is_handle(api, p):
        return f"SITU_HANDLE({p.type}, {p.name})"
    return f"({p.name})"


def how(f):
    """How a call with options is written."""
    names = [f".{o.name} = ..." for o in f.options.fields[:3]] + ["..."] * (len(f.options.fields) > 3)
    return f'"{f.name}({", ".join([STRUCTS.get(p.type, p.name) for p in f.parameters] + names)})"'.replace(" ", UNBROKEN)


UNBROKEN = "\0"  # a blank within a text, where no line is cut


def define(left, right):
    """One line, or several where that is too long."""
    line = f"#define {left} {right}".replace(UNBROKEN, " ")
    return line if len(line) <= 120 else (" \\\n    ".join([f"#define {left}"] + textwrap.wrap(right, 114, break_long_words=False, break_on_hyphens=False))).replace(UNBROKEN, " ")


def device_kinds(api):
    """[("gpu", Enumerator SITU_GPU), ...]"""
    return [(v.name.removeprefix("SITU_").lower(), v) for v in api.enums["situ_device_kind"].values if v.value]


def is_single(api, p):
    """No array and no struct, which a program may write with commas outside of parentheses."""
    return p.type in ("double", "bool", "const char *", "FILE *", "void *") or p.type in reader.INTEGERS or p.type in api.enums or p.type in api.callbacks or is_handle(api, p)


def macro(api, f):
    names = [p.name for p in f.parameters]
    if f.name in api.macros or f.name in NO_MACRO or f.variadic or not (f.site or f.told):
        return []
    given = ", ".join(argument(api, f, p) for p in f.parameters)
    if f.options:
        first = f"({given},)" if given else "()"
        call = f"SITU_OPTIONS_({f.options.name}, {defaults_name(f)}, {f.name}, {first}, {how(f)}, __VA_ARGS__)"
        if not names:
            return [define(f"{f.name}(...)", call)]
        return [define(f"{f.name}(...)", f"{f.name}_(__VA_ARGS__, )"), define(f"{f.name}_({', '.join(names)}, ...)", call)]
    if f.told and names and not all(is_single(api, p) for p in f.parameters):
        return [define(f"{f.name}(...)", f"SITU_AT_AS_IT_IS_({f.name}, __VA_ARGS__)")]
    if f.told:
        return [define(f"{f.name}({', '.join(names)})", f"SITU_AT_({f.name}, {given})")]
    if f.parameters and f.parameters[-1].type in STRUCTS:  # several numbers in its place are told what to write
        names[-1] = "..."
        given = ", ".join([argument(api, f, p) for p in f.parameters[:-1]] + [of_struct(f.parameters[-1], "__VA_ARGS__")])
    return [define(f"{f.name}({', '.join(names)})", f"({f.name})({given + ', ' if given else ''}SITU_HERE)")]


HYPER = ("situ_optimizer *", "situ_trainer *")  # their options are hyper-parameters
LARGEST = {float("inf"): "3.4028234663852886e+38"}  # what a number of a plan can be: FLT_MAX


def hyper(f):
    """The numbers among a function's options, as rows of a rule."""
    rows = []
    for o in f.options.fields:
        if o.type in ("double", "bool", "int32_t", "int64_t"):
            low, high, is_open = (o.range.low, o.range.high, o.range.high_open) if o.range else (0, 1, False)
            open_ = ", .open = true" if is_open and high not in LARGEST else ""
            rows.append(f'SITU_HYPER({f.options.name}, {o.name}, {f.defaults[o.name].c or 0}, {low:.17g}, {LARGEST.get(high, f"{high:.17g}")}, "{o.meaning}"{open_})')
    return f"#define {defaults_name(f).replace('_DEFAULTS', '_HYPER')} \\\n    " + ", \\\n    ".join(rows)


def text(api, header):
    functions = [i for i in header.items if isinstance(i, reader.Function)]
    structs = [i for i in header.items if isinstance(i, reader.Struct) and i.is_options]
    lines = [head(header, f"include/situ/{header.name}.h")]
    lists = [(f"SITU_{s.word.upper()}_DEFAULTS", {x.name: x.default for x in s.fields}) for s in structs]
    lists += [(defaults_name(f), f.defaults) for f in functions if f.here]
    lines += [define(name, list_of(defaults)) for name, defaults in lists]
    lines += dict.fromkeys(hyper(f) for f in functions if f.options and f.result in HYPER)
    told, plain = [], []
    for f in functions:
        (told if f.told else plain).extend(macro(api, f))
    if lists:
        lines.append("")
    if plain:
        lines += ["#ifndef __cplusplus"] + plain + ["#endif", ""]
    if told:
        lines += ["#ifdef SITU_LINES_ /* the line of the call */"] + told + ["#endif", ""]
    if "situ_device_kind" in (i.name for i in header.items if isinstance(i, reader.Enum)):
        kinds = device_kinds(api)
        lines += ["/* Without an index it is 0. */"] + [define(f"situ_{word}(...)", f"situ_device_nth({v.name}, SITU_INDEX_(__VA_ARGS__))") for word, v in kinds]
        lines += [define("SITU_DEVICE_KINDS_(KIND)", " ".join(f"KIND({v.name}, {word})" for word, v in kinds)), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines) + "\n#endif\n")
