"""A page for each header, docs/reference.md, which lists the headers, and scripts/signatures/layouts.txt: the fields of the public structs in order."""
import re

from . import reader


def row(*cells):
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def prototype(f):
    given = [f"{p.type}{'' if p.type.endswith('*') else ' '}{p.name}" for p in f.parameters]
    given += ["options ..."] if f.options else []
    result = f.result if f.result.endswith("*") else f.result + " "
    return f"{result}{f.name}({', '.join(given) or 'void'})"


def options(f):
    lines = ["", row("option", "type", "default", "range", "meaning"), "|---|---|---|---|---|"]
    for field in f.options.fields:
        default = f.defaults[field.name]
        lines.append(row(f"`.{field.name}`", f"`{field.type}`", f"`{default.text}`", f"`{field.range.text}`" if field.range else "", field.meaning))
    return lines


def page(header):
    lines = [f"# situ/{header.name}.h", "", f"Made by `scripts/generate.py` from `include/situ/{header.name}.h`. `(situ_name)(..., &options, site)` is the function",
             "behind the macro `situ_name(..., .option = value)`.", "", header.doc]
    if header.example:
        lines += ["", "```c", header.example, "```"]
    before = None
    for item in header.items:
        if isinstance(item, str) and not item.startswith("situ_"):
            lines += ["", f"## {item[0].upper()}{item[1:]}"]
        elif isinstance(item, reader.Enum) and item.name:
            lines += ["", f"### {item.name}", "", item.doc, "", row("value", "meaning"), "|---|---|"]
            lines += [row(f"`{v.name}`", v.meaning) for v in item.values]
        elif isinstance(item, reader.Struct) and not item.is_options:
            lines += ["", f"### {item.name}", "", item.doc, "", row("field", "type", "meaning"), "|---|---|---|"]
            lines += [row(f"`{field.name}`", f"`{field.type}`", field.meaning) for field in item.fields]
        elif isinstance(item, reader.Callback):
            lines += ["", f"### {item.name}", "", item.doc]
        elif isinstance(item, reader.Function):
            lines += ["", f"### {item.name}", "", "```c", prototype(item), "```"]
            text = "\n".join(part for part in (item.doc, item.doc_c) if part)
            if text and text == before:
                lines += ["", "As the one above."]
            elif text:
                lines += ["", text]
                if item.example:
                    lines += ["", "```c", item.example, "```"]
            before = text
            if item.options:
                lines += options(item)
    return "\n".join(line.rstrip() for line in lines).replace("\n\n\n", "\n\n") + "\n"


def index(api):
    lines = ["# Reference", "", "Made by `scripts/generate.py`. The public headers describe each function: shapes, dtypes, options with their defaults and ranges,",
             "ownership, errors. `situ help FUNCTION` prints what its header says. `cmake --build build --target reference` writes a page for each",
             "header into `build/reference/`. The elementwise functions have a [table](operations.md).", "", row("header", "what it has"), "|---|---|"]
    for header in sorted(api.headers.values(), key=lambda h: h.name):
        if header.name != "ops":
            first = re.split(r"(?<!et al)\.(?: |$)|:$|: (?=situ_|[a-z]*\()", " ".join(header.doc.split("\n\n")[0].split()))[0]
            lines.append(row(f"[situ/{header.name}.h](../include/situ/{header.name}.h)", first))
    return "\n".join(lines) + "\n"


def layouts(api):
    structs = [f"{s.name}: {'; '.join(' '.join((f.type, f.name + (f'[{f.array}]' if f.array else ''))) for f in s.fields)}"
               for s in sorted(api.structs.values(), key=lambda s: s.name)]
    defaults = [f"{f.name}(): {'; '.join(f'.{name} = {default.text}' for name, default in f.defaults.items())}"
                for f in sorted(api.functions.values(), key=lambda f: f.name) if f.options]
    return "\n".join(structs + defaults + [""])


def moved(before, after):
    """Structs whose fields, and functions whose defaults, are not those that they had, with more at the end; or that are gone."""
    now = dict(line.split(": ", 1) for line in after.splitlines())
    for line in before.splitlines():
        name, fields = line.split(": ", 1)
        if not (now.get(name, "") + ";").startswith(fields + ";"):
            yield name
