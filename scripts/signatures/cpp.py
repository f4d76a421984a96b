"""include/situ/call/*.hpp: every function of the headers in namespace situ, and a struct with setters for each set of options.

Tensors are operands (with the line of the call), an error is thrown by the call that makes it. What situ.hpp or a function of a
name that C++ has for something else defines by hand is left out.
"""
import re

from . import reader
from .call import device_kinds

# In C++ they are classes or templates of situ.hpp, or make no sense with exceptions.
BY_HAND = set("""dtype_of scope_open scope_close scope_close_with scope_close_with_all keep release variable assign from_host grad error_raise
called_at site_intern read text item scalar_bool scalar_int scalar_unsigned scalar_float""".split())
QUIET = ("situ_failed", "situ_error_")  # they look at errors: nothing is thrown
TYPES = {"situ_shape": "const situ::shape &", "situ_axes": "const situ::axes &", "situ_list": "const situ::list &"}


def named(kind, name):
    """A declaration of that type and name."""
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})")
    return f"{kind}{'' if kind.endswith('*') or kind.endswith('&') else ' '}{name}"


def setters(f_or_struct, struct, here):
    name = f"{f_or_struct}_options"
    lines = [f"struct {name} : options<{struct.name}> {{"]
    if any(field.name == "axes" for field in struct.fields):
        lines += [f"    {name}() = default;", f"    {name}(std::initializer_list<int> list) {{ {struct.name}::axes = situ::axes(list); }}"]
    if here:
        sets = " ".join(f"{struct.name}::{option} = {d.c or 0};" for option, d in here.items())
        lines.append(f"    {name}() {{ {sets} }}")
    for field in struct.fields:
        taken = TYPES.get(field.type, field.type)
        value = "bool v = true" if field.type == "bool" else named(taken, "v")
        lines.append(f"    {name} &{field.name}({value}) {{ return {struct.name}::{field.name} = v, *this; }}")
        if field.type == "situ_shape":
            lines.append(f"    {name} &{field.name}(int64_t each) {{ return {struct.name}::{field.name}.dim[0] = each, *this; }}")
    return lines + ["};"]


def function(f):
    """The inline function, or [] where there is none."""
    operand = next((p.name for p in f.parameters if p.type == "situ_tensor *"), None)
    taken, given = [], []
    for p in f.parameters:
        tensor = p.type in ("situ_tensor *", "const situ_tensor *")
        taken.append(named("operand" if p.type == "situ_tensor *" else "const tensor &" if tensor else TYPES.get(p.type, p.type), p.name))
        given.append(f"{p.name}.t" if p.type == "situ_tensor *" else f"{p.name}.c()" if tensor else p.name)
    if f.options:
        taken.append(f"const {f.word if f.here else f.options.word}_options &o = {{}}")
        given.append("&o")
    here = "here" if any(p.name == "at" for p in f.parameters) else "at"
    line = f"{operand}.at" if operand else here
    if f.site:
        given.append(line)
    if (f.site or f.told) and not operand:
        taken.append(f"site {here} = {{}}")
    call = f"{f.name}({', '.join(given)})"
    told = f"situ_called_at({line}); " if f.told else ""
    if f.name.startswith(QUIET):
        body = f"return {call};"
    elif f.result == "void":
        body = f"{told}{call}; check();"
    elif f.result == "situ_tensor *":
        body = f"{told}return {call};"
    else:
        body = f"{told}return checked({call});"
    result = "tensor" if f.result == "situ_tensor *" else f.result
    head = f"inline {named(result, f.word)}({', '.join(taken)})"
    return [f"{head} {{ {body} }}"] if len(head) + len(body) < 114 else [head, "{", f"    {body}", "}"]


def text(api, header, hand):
    functions = [i for i in header.items if isinstance(i, reader.Function)]
    lines = [f"// situ/{header.name}.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/{header.name}.h: change that.",
             f"#ifndef SITU_CALL_{header.name.upper()}_HPP", f"#define SITU_CALL_{header.name.upper()}_HPP", "", "namespace situ {", ""]
    for s in header.items:
        if isinstance(s, reader.Struct) and s.is_options:
            lines += setters(s.word, s, {})
    for f in functions:
        if f.here:
            lines += setters(f.word, f.options, f.here)
        if not (f.variadic or f.word in hand or f.word in BY_HAND):
            lines += function(f)
    if "situ_device_kind" in (i.name for i in header.items if isinstance(i, reader.Enum)):
        lines += [f"inline situ_device {word}(int index = 0) {{ return situ_device_nth({v.name}, index); }}" for word, v in device_kinds(api)]
    return "\n".join(lines + ["", "} // namespace situ", "#endif", ""])


def defaults(api):
    """What options begin with, for situ.hpp."""
    lines = ["// The defaults of options, for situ.hpp. Made by scripts/generate.py from include/situ/*.h: change those."]
    lines += [f"SITU_HPP_DEFAULTS({s.word}, {s.word.upper()})" for s in sorted(api.structs.values(), key=lambda s: s.word) if s.is_options]
    return "\n".join(lines) + "\n"


def by_hand(source):
    """The functions that situ.hpp defines itself."""
    return set(re.findall(r"^(?:template <[^>]*> )?inline [\w:<> ]+[ &*](\w+)\(", source, flags=re.M)) - {"arange", "axes"}
