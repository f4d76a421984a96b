#!/usr/bin/env python3
"""Writes tests/support/every_call.inc: a call of each public function, its arguments drawn by tests/unit/test_every_call.c.
With --check it only says whether the file is current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/support/every_call.inc"

# They end, replace or limit the library for good, wait for the user's data, or write to the terminal or to files.
LEFT_OUT = """situ_shutdown situ_set_allocator situ_set_pool situ_after_fork situ_error_raise situ_memory_limit situ_print_at
situ_devices_visit situ_scope_close situ_release situ_trace_save situ_sim_gpus situ_set_threads situ_sim_configure situ_custom_new situ_tune_at situ_called_at""".split()
# Freed after the call.
OWNED = {"situ_module *": "situ_module_free", "situ_optimizer *": "situ_optimizer_free", "situ_dataset *": "situ_dataset_free",
         "situ_loader *": "situ_loader_free", "situ_trainer *": "situ_trainer_free", "char *": "free", "situ_scope *": "situ_scope_close"}
BORROWED = "situ_module_child situ_module_parameter situ_module_find situ_module_copy situ_module_use".split()
# Options whose fields may be anything, unless one is a pointer; the others are given as NULL and as {0}.
WILD = """reduce random axis scan softmax loss sort axes roll linspace arg gelu one_hot search slice pad linear call eye use sgd adam
cholesky rank matrix_norm fft fftn fftfreq isin
""".split()


def declarations():
    for path in sorted((ROOT / "include/situ").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        for match in re.finditer(r"SITU_API\s+([^;]*?);", text, flags=re.S):
            line = " ".join(match[1].split())
            found = re.match(r"(.*?[\s*])(situ_\w+)\s*\((.*)\)", line)
            if found and found[2] not in LEFT_OUT:
                yield found[1].strip(), found[2], split(found[3])


def split(parameters):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(parameters + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(parameters[start:i].strip())
            start = i + 1
    return [] if parts == ["void"] else parts


def has_pointers():
    """Options with a field that is followed: what a draw puts there must not be."""
    text = "".join(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in sorted((ROOT / "include/situ").glob("*.h")))
    return {m[1] for m in re.finditer(r"typedef struct (?:SITU_BY_NAME )?situ_(\w+)_options \{([^}]*)\}", text) if "*" in m[2]}


def has_booleans():
    """Options whose fields may be anything that a bool may be, 0 or 1."""
    text = "".join(path.read_text() for path in sorted((ROOT / "include/situ").glob("*.h")))
    return {m[1] for m in re.finditer(r"typedef struct (?:SITU_BY_NAME )?situ_(\w+)_options \{([^}]*)\}", text)
            if re.search(r"\bbool\b|_FIELDS_\(", m[2])}


def macros_of_headers():
    """Which macro calls which function, and the functions to which a macro tells the line."""
    text = "".join(path.read_text() for path in sorted((ROOT / "include/situ").glob("*.h"))).replace("\\\n", " ")
    macros, told = {}, set()
    for macro, body in re.findall(r"^#define (situ_\w+?)_?\([^)]*\) (.*)$", text, flags=re.M):
        for name in re.findall(r"\bsitu_\w+\b", body):
            macros.setdefault(name, set()).add(macro)
        told |= {macro} if "SITU_AT_(" in body else set()
    return macros, told


def spoken(name, macros):
    """What the user wrote: the function's name or that of a macro that calls it."""
    return " ".join(sorted({n[len("situ_"):] for n in {re.sub("_(at|opt|of)$", "", name)} | macros.get(name, set())}))


def kind(parameter):
    """The type of "const char *name"."""
    return parameter if "(" in parameter else re.sub(r"\s*\b\w+$", "", parameter).strip()


def argument(type_, function, outputs):
    options = re.match(r"const situ_(\w+)_options \*", type_)
    if options:
        return f"OPTIONS(situ_{options[1]}_options, {(options[1] in WILD and options[1] not in has_pointers()) * (1 + (options[1] not in has_booleans()))})"
    simple = {"situ_tensor *": "tensor()", "const situ_tensor *": "tensor()", "situ_site": '"every_call.c:1"', "situ_shape": "shape()",
              "situ_device": "device()", "situ_axes": "axes()", "situ_list": "list()", "double": "real()", "situ_tensor **": "tensors_out()",
              "situ_tensor *const *": "tensors_in()", "const char *": "text()", "bool": "integer() & 1", "situ_dtype": "(situ_dtype)dtype()",
              "situ_dtype *": "&a_dtype", "int64_t *": "numbers_out()", "situ_device *": "devices_out()", "situ_guard": "(situ_guard){few()}",
              "situ_transfer": "(situ_transfer)integer()", "situ_reason": "(situ_reason)integer()", "situ_layout_kind": "(situ_layout_kind)few()",
              "situ_module *": "module()", "const situ_module *": "module()"}
    if type_ in ("int", "int64_t", "uint64_t"):
        return "few()" if outputs else f"({type_})integer()"
    if type_ == "size_t":
        return "(size_t)few()"
    if type_ == "void *" and function in ("situ_read_at",):
        return "room()"
    return simple.get(type_, "NULL")


def calls():
    seen = set()
    macros, told_lines = macros_of_headers()
    for result, name, parameters in declarations():
        if name in seen:
            continue
        seen.add(name)
        types = [kind(p) for p in parameters]
        frees = name.endswith(("_free", "_free_at"))
        outputs = any(t in ("situ_tensor **", "situ_tensor *const *", "int64_t *", "situ_device *") for t in types)
        takes = name in ("situ_sequential_of", "situ_sequential_add", "situ_module_adopt", "situ_mirror", "situ_module_to")
        drawn = ["NULL" if (frees or takes) and "*" in t and t != "situ_site" else argument(t, name, outputs) for t in types]
        call = f"({name})({', '.join(drawn)})"
        told = "" if "situ_site" in types or name not in told_lines else 'situ_called_at("every_call.c:1"); '
        if result == "situ_tensor *" and name not in BORROWED:
            body = f"check({call});"
        elif result in OWNED and name not in BORROWED:
            body = f"{OWNED[result]}({call});"
        else:
            body = f"(void){call};"
        yield name, told + body, spoken(name, macros) if "situ_site" in types or told else ""


def text():
    lines = ["/* Made by tests/support/every_call.py from the public headers. */"]
    names = []
    for name, body, words in calls():
        names.append((name, words))
        lines.append(f"static void call_{name}(void) {{ {body} }}")
    lines.append("\nstatic const struct { const char *name; void (*call)(void); const char *words; /* that its messages may begin with */ } every[] = {")
    lines += [f'    {{"{name}", call_{name}, "{words}"}},' for name, words in names]
    return "\n".join(lines + ["};", ""])


if __name__ == "__main__":
    new = text()
    current = OUT.exists() and OUT.read_text() == new
    if "--check" in sys.argv:
        if not current:
            sys.exit("tests/support/every_call.inc is not what the public headers give: run tests/support/every_call.py")
    elif not current:
        OUT.write_text(new)
