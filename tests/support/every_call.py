#!/usr/bin/env python3
"""every_call.py FILE: writes a call of each public function, its arguments drawn by tests/unit/test_every_call.c."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from signatures import reader  # noqa: E402

# Left out: functions that end, replace or limit the library for good, wait for the user's data, or write to the
# terminal or to files.
LEFT_OUT = """situ_module_summary situ_shutdown situ_set_allocator situ_set_thread_pool situ_after_fork situ_error_raise situ_memory_limit situ_print
situ_devices_visit situ_scope_close situ_release situ_profile_save situ_save situ_module_save situ_proof_open situ_sim_gpus situ_set_threads situ_sim_configure situ_custom_new situ_tune situ_called_at""".split()
# Results that are freed after the call, and by which function.
OWNED = {"situ_module *": "situ_module_free", "situ_optimizer *": "situ_optimizer_free", "situ_dataset *": "situ_dataset_free",
         "situ_loader *": "situ_loader_free", "situ_trainer *": "situ_trainer_free", "situ_metric *": "situ_metric_free", "situ_archive *": "situ_archive_close", "situ_tokenizer *": "situ_tokenizer_close", "situ_group *": "situ_group_free", "char *": "free", "situ_scope *": "situ_scope_close"}
KIND_OF = {f"situ_{kind.lower()} *": f"SITU_HANDLE_{kind}" for kind in "MODULE OPTIMIZER DATASET LOADER TRAINER PROOF METRIC ARCHIVE TOKENIZER GROUP".split()}
BORROWED = "situ_module_child situ_module_parameter situ_module_find situ_module_copy situ_module_use situ_module_part".split()

API = reader.read(ROOT)


def declarations(api):
    for f in api.functions.values():
        if f.name not in LEFT_OUT and not f.variadic:
            types = [p.type for p in f.parameters] + ([f"const {f.options.name} *"] if f.options else []) + ["situ_site"] * f.site
            yield f.result, f.name, types


def wild(struct):
    """How the fields of an options struct are drawn: 2: any value; 1: 0 or 1, as for bool and device; 0: it has
    pointers, so no options or {0}."""
    types = [field.type for field in API.structs[struct].fields]
    return 0 if any("*" in type_ for type_ in types) else 1 if {"bool", "situ_device"} & set(types) else 2


def macros_of_headers(api):
    """Which macro calls which function, and the functions to which a macro passes the call site."""
    macros = {f.name: {f.name} for f in api.functions.values()}
    for macro in api.macros.values():
        for name in re.findall(r"\bsitu_\w+\b", macro.body):
            macros.setdefault(name, set()).add(re.sub("(_n)?_$", "", macro.name))
    return macros, {f.name for f in api.functions.values() if f.told} | {"situ_dataset_new", "situ_dataset_select"}


def spoken(name, macros):
    """The names that a user may have written: the function's, or that of a macro that calls it."""
    return " ".join(sorted({n[len("situ_"):] for n in {re.sub("_(at|opt|of)$", "", name)} | macros.get(name, set())}))


def argument(type_, function, outputs, ends, place):
    """place: index of an object among those that the function takes. ends: the function frees its argument or changes
    it for good; then it is called only with objects of another kind, or with NULL."""
    kind = KIND_OF.get(type_.removeprefix("const "))
    if kind:
        return f"{'only_wrong' if ends else 'handle'}({kind}, {place})"
    if ends and "*" in type_ and type_ != "situ_site":
        return "NULL"
    options = re.match(r"const (situ_\w+_options) \*", type_)
    if options:
        return f"OPTIONS({options[1]}, {wild(options[1])})"
    simple = {"situ_tensor *": "tensor()", "const situ_tensor *": "tensor()", "situ_site": '"every_call.c:1"', "situ_shape": "shape()",
              "situ_device": "device()", "situ_axes": "axes()", "situ_list": "list()", "double": "real()", "situ_tensor **": "tensors_out()",
              "const char *": "text()", "bool": "integer() & 1", "situ_dtype": "(situ_dtype)dtype()",
              "situ_dtype *": "&a_dtype", "int64_t *": "numbers_out()", "situ_device *": "devices_out()", "situ_guard": "(situ_guard){few()}",
              "situ_transfer": "(situ_transfer)integer()", "situ_device_kind": "(situ_device_kind)integer()", "situ_reason": "(situ_reason)integer()", "situ_layout_kind": "(situ_layout_kind)few()",
              "situ_parts": "(situ_parts){NULL, few()}", "situ_init": "(situ_init)integer()", "situ_block_type": "(situ_block_type)integer()"}
    if type_ in ("int", "int64_t", "uint64_t"):
        return "few()" if outputs else f"({type_})integer()"
    if type_ == "situ_list" and outputs:
        return "(situ_list){tensors_in(), few()}"
    if type_ == "size_t":
        return "(size_t)few()"
    if type_ == "void *" and function in ("situ_read",):
        return "room()"
    return simple.get(type_, "NULL")


def calls():
    macros, told_lines = macros_of_headers(API)
    for result, name, types in declarations(API):
        frees = name.endswith(("_free", "_close"))
        outputs = any(t in ("situ_tensor **", "int64_t *", "situ_device *") for t in types)
        takes = name in ("situ_sequential", "situ_residual", "situ_module_replace", "situ_sequential_add", "situ_module_adopt", "situ_module_mirror", "situ_module_to")
        takes_object = [t.removeprefix("const ") in KIND_OF for t in types]
        drawn = [argument(t, name, outputs, frees or takes, sum(takes_object[:i])) for i, t in enumerate(types)]
        call = f"({name})({', '.join(drawn)})"
        told = "" if "situ_site" in types or name not in told_lines else 'situ_called_at("every_call.c:1"); '
        if result == "situ_tensor *" and name not in BORROWED:
            body = f"check({call});"
        elif result in OWNED and name not in BORROWED:
            body = f"({OWNED[result]})({call});"
        else:
            body = f"(void){call};"
        objects = [KIND_OF[t.removeprefix("const ")] for t in types if t.removeprefix("const ") in KIND_OF]
        yield name, told + body, spoken(name, macros) if "situ_site" in types or told else "", objects


def text():
    lines = ["/* Made by tests/support/every_call.py from the public headers. */"]
    names = []
    for name, body, words, objects in calls():
        names.append((name, words, objects))
        lines.append(f"static void call_{name}(void) {{ {body} }}")
    lines.append("\nstatic const struct { const char *name; void (*call)(void); const char *words; /* that its messages may begin with */ int objects; situ_handle_kind taken[8]; /* that it takes, besides tensors */ } every[] = {")
    for name, words, objects in names:
        kinds = ", ".join(objects) or "0"
        lines.append(f'    {{"{name}", call_{name}, "{words}", {len(objects)}, {{{kinds}}}}},')
    return "\n".join(lines + ["};", ""])


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(text())
