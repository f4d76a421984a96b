"""Reads the public headers, which are the one source of every public signature, and refuses what it does not understand.

    api = read(ROOT)                        # all of include/situ/*.h; raises Unreadable("include/situ/nn.h:12: ...")
    f = api.functions["situ_softmax"]       # in the order of the headers
    f.result, f.parameters                  # "situ_tensor *", [Parameter("situ_tensor *", "x")]; without options and site
    f.options                               # Struct "situ_softmax_options", or None; f.defaults are those of this function
    f.site                                  # it takes the line of the call as its last argument
    f.told                                  # it takes none, its macro tells it before (SITU_TOLD)
    f.word                                  # "item" of situ_item
    f.doc, f.example, f.header              # the comment directly above its prototypes; code that is indented in it; Header
    f.options.fields[0]                     # Field("int32_t", "axis", meaning="...", default=Default(...), range=Range(...))

What stands in a header:

- The doc comment of the header comes first; code in it (and in every doc comment) is indented by four blanks.
- A doc comment directly above prototypes speaks for all of them up to an empty line or the next comment. What follows "In C:"
  in it is for readers of C alone (doc_c). "Here .weight_decay = 0.01." overrides a default of the struct for this function.
- An options struct begins with SITU_OPTION_HEAD and has one option a line:
      type name; /* = default in [low, high): meaning */
  The default is a number, true, false, an enumerator, or a word: all (axes), none (a pointer), default (what the function chooses);
  "default 1" also says what that is. The meaning of a bool is what it does when it is true. Bounds are numbers, inf and -inf, [ and ] include, ( and ) do not.
- Other structs, enums, callbacks, opaque types and macros, each with what stands behind it or directly above it.
"""
import dataclasses
import pathlib
import re

BUILTIN = set("void bool char int float double int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t FILE".split())
INTEGERS = set("int int16_t int32_t int64_t uint32_t uint64_t size_t".split())


class Unreadable(Exception):
    """Text of a header that has no meaning here; the message begins with file:line."""


@dataclasses.dataclass
class Parameter:
    type: str
    name: str


@dataclasses.dataclass
class Default:
    text: str    # as it is written: "0.01", "true", "all", "default 1"
    c: str       # the initializer in C, "" where zero is the default
    value: object = None  # a number, True, False; None where the function chooses or there is none
    chosen: str = ""      # "1" in "default 1": what the function chooses


@dataclasses.dataclass
class Range:
    text: str
    low: float
    high: float
    low_open: bool
    high_open: bool


@dataclasses.dataclass
class Field:
    type: str
    name: str
    array: str = ""  # "16" of char name[16]; the parameters of a pointer to a function
    meaning: str = ""
    default: Default = None
    range: Range = None
    line: int = 0


@dataclasses.dataclass
class Struct:
    name: str
    fields: list
    doc: str
    header: "Header"
    line: int
    is_options: bool = False

    @property
    def word(self):
        return re.sub("^situ_|_options$", "", self.name)


@dataclasses.dataclass
class Enumerator:
    name: str
    value: int
    meaning: str


@dataclasses.dataclass
class Enum:
    name: str  # "" without a name
    values: list
    doc: str
    header: "Header"
    line: int


@dataclasses.dataclass
class Callback:
    name: str
    result: str
    parameters: list
    doc: str
    header: "Header"
    line: int


@dataclasses.dataclass
class Macro:
    name: str
    parameters: str  # "(a, b)", "" without
    body: str
    header: "Header"
    line: int


@dataclasses.dataclass
class Function:
    name: str
    result: str
    parameters: list
    options: Struct
    site: bool
    told: bool
    doc: str
    doc_c: str
    example: str
    header: "Header"
    line: int
    section: str
    here: dict = dataclasses.field(default_factory=dict)  # name of an option: its Default in this function
    variadic: bool = False

    @property
    def word(self):
        return self.name[len("situ_"):]

    @property
    def defaults(self):
        return {f.name: self.here.get(f.name, f.default) for f in self.options.fields} if self.options else {}


@dataclasses.dataclass
class Header:
    name: str  # "nn" of include/situ/nn.h
    path: str
    doc: str = ""
    example: str = ""
    includes: list = dataclasses.field(default_factory=list)
    items: list = dataclasses.field(default_factory=list)  # everything in order; a text is a section


@dataclasses.dataclass
class Api:
    headers: dict = dataclasses.field(default_factory=dict)
    functions: dict = dataclasses.field(default_factory=dict)
    structs: dict = dataclasses.field(default_factory=dict)
    enums: dict = dataclasses.field(default_factory=dict)
    callbacks: dict = dataclasses.field(default_factory=dict)
    opaque: dict = dataclasses.field(default_factory=dict)
    macros: dict = dataclasses.field(default_factory=dict)
    enumerators: dict = dataclasses.field(default_factory=dict)


def split(text):
    """Cut at commas outside of parentheses, brackets, braces and strings."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"' and text[i - 1:i] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def prose(comment):
    """(text, code) of a comment: code is what is indented by four blanks."""
    lines = [re.sub(r"^\s*\* ?", "", line) if i else line.lstrip() for i, line in enumerate(comment[2:-2].rstrip().split("\n"))]
    code = [line[4:] for line in lines if line.startswith("    ")]
    text = re.sub(r"\n{2,}", "\n\n", "\n".join("" if line.startswith("    ") else line.rstrip() for line in lines)).strip()
    return text, "\n".join(code)


def flat(comment):
    return " ".join(re.sub(r"\n\s*\*", " ", comment[2:-2]).split())


class Reader:
    """One header: a cursor over its text, which takes one construct after the other."""

    COMMENT = re.compile(r"/\*.*?\*/", re.S)
    LINE = re.compile(r"#(?:[^\n\\]|\\.)*", re.S)

    def __init__(self, api, path, name):
        self.api, self.text, self.at = api, path.read_text(), 0
        self.header = Header(name, f"include/situ/{path.name}")
        self.doc, self.doc_end, self.section, self.depth = "", -1, "", []

    # ---- the cursor

    def line(self, at=None):
        return self.text.count("\n", 0, self.at if at is None else at) + 1

    def fail(self, words, at=None):
        raise Unreadable(f"{self.header.path}:{self.line(at)}: {words}")

    def take(self, pattern):
        found = re.compile(pattern, re.S).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def behind(self):
        """The comment on the rest of this line, or ""."""
        found = self.take(r"[ \t]*(/\*.*?\*/)[ \t]*(?=\n)")
        return flat(found[1]) if found else ""

    def spoken(self):
        """The doc comment that speaks for what comes now."""
        return self.doc if self.doc and not self.text[self.doc_end:self.start].strip(" ").count("\n\n") else ""

    # ---- types and parameters

    def parameter(self, text, at):
        function = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", text, re.S)
        if function:
            result = self.type(function[1], at)
            inner = [self.parameter(p, at) for p in split(function[3]) if p != "void"]
            return Parameter(f"{result}{'' if result.endswith('*') else ' '}(*)({', '.join(p.type for p in inner)})", function[2])
        found = re.fullmatch(r"(.*?[\s*])(\w+)", " ".join(text.split()))
        if not found:
            self.fail(f'"{text}" is no type and name', at)
        return Parameter(self.type(found[1], at), found[2])

    def type(self, text, at):
        text = " ".join(text.split())
        base = re.fullmatch(r"(?:const )?(?:struct )?(\w+) ?((?:\*|\*const|const)*(?: ?\*const \*| ?\*+)?)", text)
        if not base:
            self.fail(f'"{text}" is no type', at)
        known = (base[1] in BUILTIN or base[1] == "situ_site" or base[1] in self.api.opaque or base[1] in self.api.structs
                 or base[1] in self.api.enums or base[1] in self.api.callbacks)
        if not known:
            self.fail(f'"{base[1]}" is no type that was declared before', at)
        return text

    # ---- constructs

    def directive(self, found):
        text = found[0].replace("\\\n", " ")
        words = text[1:].split()
        if words[0] in ("if", "ifdef", "ifndef"):
            self.depth.append(" ".join(words))
        elif words[0] == "endif":
            if not self.depth:
                self.fail("#endif without #if", found.start())
            self.depth.pop()
        elif words[0] == "else":
            self.depth[-1] = "not " + self.depth[-1]
        elif words == ["pragma", "GCC", "system_header"]:
            pass
        elif words[0] == "include":
            self.header.includes.append(words[1])
        elif words[0] == "define":
            parts = re.match(r"#define (\w+)(\([^)]*\))?\s*(.*)", text, re.S)
            macro = Macro(parts[1], parts[2] or "", " ".join(parts[3].split()), self.header, self.line(found.start()))
            if not parts[1].startswith(("SITU_", "situ_")) and parts[1] not in ("SHAPE", "AXES", "TENSORS", "TENSORS_OF"):
                self.fail(f"the name {parts[1]} does not begin with situ", found.start())
            self.api.macros[macro.name] = macro
            self.header.items.append(macro)
        else:
            self.fail(f"#{words[0]} is not known here", found.start())

    def comment(self, found):
        title = re.match(r"/\* ---- (.*?) -{3,}", found[0])
        if self.header.doc == "" and not self.header.items:
            self.header.doc, self.header.example = prose(found[0])
        elif title:
            self.section = title[1].rstrip(": ")
            self.header.items.append(self.section)
            self.doc, self.doc_end = found[0], found.end()
            if found[0].count("\n") == 0:
                self.doc = ""
        else:
            self.doc, self.doc_end = found[0], found.end()

    def function(self, found):
        at = found.start()
        result, name, parameters = self.type(found[2], at), found[3], found[4]
        taken = [p for p in split(parameters) if p not in ("void", "...")]
        taken = [self.parameter(p, at) for p in taken]
        site = bool(taken) and taken[-1].type == "situ_site" and name not in ("situ_called_at",)
        taken = taken[:-1] if site else taken
        options = None
        if taken and taken[-1].name == "options":
            struct = re.fullmatch(r"const (situ_\w+_options) \*", taken[-1].type)
            options = self.api.structs.get(struct[1]) if struct else None
            if not options:
                self.fail(f"the options of {name} are no struct of options", at)
            if options.is_options and not site:
                self.fail(f"{name} takes options and no line of the call", at)
            if options.is_options:
                taken = taken[:-1]
            else:
                options = None
        if name in self.api.functions:
            self.fail(f"{name} is declared a second time", at)
        if len({p.name for p in taken}) < len(taken):
            self.fail(f"{name} has two parameters of one name", at)
        text, code = prose(self.spoken()) if self.spoken() else ("", "")
        note = self.behind()
        text, _, for_c = (text if not note else (text + "\n" + note).strip()).partition("In C:")
        f = Function(name, result, taken, options, site, bool(found[1]), text.strip(), for_c.strip(), code, self.header, self.line(at),
                     self.section, variadic="..." in parameters)
        if f.told and site:
            self.fail(f"{name} takes the line of the call: it is not told it", at)
        for option, value in re.findall(r"Here \.(\w+) = ([^\s]+?)\.(?:\s|$)", text):
            field = next((o for o in options.fields if o.name == option), None) if options else None
            if not field:
                self.fail(f"{name} has no option {option}", at)
            f.here[option] = self.default(field.type, value, at)
        self.api.functions[name] = f
        self.header.items.append(f)
        if self.spoken():
            self.doc_end = self.at  # it speaks for the next one, too

    def fields(self, name, body, start):
        """The fields of a struct; every character of body is read."""
        fields, at, options = [], 0, "SITU_OPTION_HEAD;" in body
        pattern = re.compile(r"\s*(?:SITU_OPTION_HEAD;|(?P<type>(?:const )?\w+)(?P<rest>[^;/]*);)(?:[ \t]*(?P<words>/\*.*?\*/))?(?:[ \t]*(?P<more>/\*.*?\*/))*", re.S)
        end = len(body.rstrip())
        while at < end:
            found = pattern.match(body, at)
            where = start + at + (len(body[at:]) - len(body[at:].lstrip()))
            if not found:
                self.fail(f"{name}: \"{body[at:end].split(chr(10))[0 if body[at] != chr(10) else 1].strip()}\" is no field", where)
            at = found.end()
            if not found["type"]:
                if fields:
                    self.fail(f"{name}: SITU_OPTION_HEAD is not the first field", where)
                continue
            words = " ".join(filter(None, (flat(found[part] or "/**/") for part in ("words", "more"))))
            names = split(found["rest"])
            base = found["type"]
            if options and len(names) > 1:
                self.fail(f"{name}: one option a line", where)
            for one in names:
                named = re.fullmatch(r"((?:\*const )?\**\w+)(?:\[(\w+)\])?", one)
                if not named and not re.fullmatch(r"\*?\(\*\w+\)\(.*\)", one, re.S):
                    self.fail(f'{name}: "{one}" is no name of a field', where)
                declared = self.parameter(f"{base} {named[1] if named else one}", where)
                field = Field(declared.type, declared.name, (named[2] or "") if named else "", meaning=words, line=self.line(where))
                if options:
                    self.option(name, field, words, where)
                fields.append(field)
        if len({f.name for f in fields}) < len(fields):
            self.fail(f"{name} has two fields of one name", start)
        return fields, options

    def option(self, struct, field, words, at):
        found = re.fullmatch(r"= (.+?)(?: in ([\[(])([^,\[\]()]+), ([^,\[\]()]+)([\])]))?: (.+)", words)
        if not found:
            self.fail(f'{struct}.{field.name}: "{words}" is not "= default in [low, high): meaning"', at)
        field.default, field.meaning = self.default(field.type, found[1], at), found[6]
        if found[2]:
            if field.type not in INTEGERS | {"double", "situ_shape"}:
                self.fail(f"{struct}.{field.name}: a {field.type} has no range", at)
            try:
                low, high = float(found[3]), float(found[4])
            except ValueError:
                self.fail(f"{struct}.{field.name}: bounds are numbers, inf or -inf", at)
            field.range = Range(f"{found[2]}{found[3]}, {found[4]}{found[5]}", low, high, found[2] == "(", found[5] == ")")
            value = field.default.value
            if not low < high:
                self.fail(f"{struct}.{field.name}: {field.range.text} holds nothing", at)
            if value is not None and (value < low or value > high or (value == low and found[2] == "(") or (value == high and found[5] == ")")):
                self.fail(f"{struct}.{field.name}: the default {value} is not in {field.range.text}", at)

    def default(self, kind, text, at):
        """A default as it is written, checked against the type."""
        word, _, chosen = text.partition(" ")
        if chosen and (word != "default" or not re.fullmatch(r"-?[\w.]+", chosen)):
            self.fail(f'"{text}" is no default', at)
        unset = {"situ_shape": "SITU_SHAPE_UNSET", "situ_axes": "SITU_AXES_UNSET", "situ_device": "SITU_DEVICE_DEFAULT", "situ_dtype": "SITU_DTYPE_DEFAULT"}
        if word == "default" and kind in ("situ_shape", "situ_dtype", "situ_device"):
            return Default(text, unset[kind], None, chosen)
        if word == "all" and kind in ("situ_axes", "int32_t"):
            return Default(text, unset.get(kind, "SITU_ALL_AXES"))
        if word == "none" and ("*" in kind or kind in self.api.callbacks):
            return Default(text, "")
        if kind == "bool" and word in ("true", "false"):
            return Default(text, "true" if word == "true" else "", word == "true")
        if kind in INTEGERS and re.fullmatch(r"-?\d+", word):
            return Default(text, "" if int(word) == 0 else word, int(word))
        if kind == "double" and re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", word):
            return Default(text, "" if float(word) == 0 else word, float(word))
        enum = self.api.enums.get(kind)
        if enum and word in [v.name for v in enum.values]:
            return Default(text, "" if self.api.enumerators[word].value == 0 else word, self.api.enumerators[word].value)
        self.fail(f'"{text}" is no default of a {kind}', at)

    def struct(self, found):
        name, at = found[1], found.start()
        if found[3] != name:
            self.fail(f"{name} ends as {found[3]}", at)
        self.api.opaque.setdefault(name, self.line(at))  # it may point to itself
        fields, options = self.fields(name, found[2], found.start(2))
        if options != ("BY_NAME" in found[0].split("{")[0]) or (options and not name.endswith("_options")):
            self.fail(f"{name}: a struct of options is SITU_BY_NAME, begins with SITU_OPTION_HEAD and ends in _options", at)
        words = " ".join(filter(None, (prose(self.spoken())[0] if self.spoken() else "", self.behind())))
        del self.api.opaque[name]
        self.api.structs[name] = Struct(name, fields, words, self.header, self.line(at), options)
        self.header.items.append(self.api.structs[name])

    def enum(self, found):
        name, at, values, next_value = found[1].strip(), found.start(), [], 0
        for part in re.finditer(r"\s*(?:(?P<name>\w+)(?: = (?P<value>-?\d+))?(?P<comma>,)?(?:[ \t]*(?P<words>/\*.*?\*/))?|(?P<bad>\S))", found[2], re.S):
            where = found.start(2) + part.start()
            if part["bad"] or not part["name"].startswith("SITU_"):
                self.fail(f"{name or 'enum'}: \"{part[0].strip()}\" is no enumerator", where + len(part[0]) - len(part[0].lstrip()))
            if not part["comma"] and re.sub(r"/\*.*?\*/", "", found[2][part.end():], flags=re.S).strip():
                self.fail(f"{name or 'enum'}: no comma after {part['name']}", where)
            next_value = int(part["value"]) if part["value"] else next_value
            values.append(Enumerator(part["name"], next_value, flat(part["words"]) if part["words"] else ""))
            if part["name"] in self.api.enumerators:
                self.fail(f"{part['name']} is declared a second time", where)
            self.api.enumerators[part["name"]] = values[-1]
            next_value += 1
        words = prose(self.spoken())[0] if self.spoken() else ""
        enum = Enum(name, values, words or self.behind(), self.header, self.line(at))
        self.api.enums[name or values[0].name] = enum
        self.header.items.append(enum)

    def read(self):
        text = self.text
        for found in self.COMMENT.finditer(text):
            if "/*" in found[0][2:]:  # its end is lost: it would swallow what stands before the next one
                self.fail("a comment within a comment", found.start())
        while self.take(r"\s*") and self.at < len(text):
            self.start = self.at
            if found := self.take(self.COMMENT.pattern):
                self.comment(found)
            elif found := self.take(self.LINE.pattern):
                self.directive(found)
            elif "__cplusplus" in "".join(self.depth[-1:]) and (self.take(r'extern "C" \{') or self.take(r"\}(?=\n#endif)")):
                pass
            elif found := self.take(r"SITU_API (SITU_TOLD )?([\w ]+?[\s*]+?(?:const \*)?)(situ_\w+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(?: SITU_PRINTF\(\d, \d\))?;"):
                self.function(found)
            elif found := self.take(r"typedef struct (\w+) (\w+);"):
                if found[1] != found[2]:
                    self.fail(f"{found[1]} is called {found[2]}", found.start())
                self.api.opaque[found[1]] = self.line(found.start())
                self.header.items.append(found[1] + " *")
            elif found := self.take(r"typedef struct (?:SITU_BY_NAME )?(\w+) \{([^{}]*)\} (\w+);"):
                self.struct(found)
            elif found := self.take(r"typedef enum (\w+) \{([^{}]*)\} \1;") or self.take(r"enum( )\{([^{}]*)\};"):
                self.enum(found)
            elif self.take(r"typedef const char \*situ_site;"):
                self.behind()
            elif found := self.take(r"typedef ([\w ]+[\s*]+)\(\*(situ_\w+)\)\(([^()]*)\);"):
                parameters = [self.parameter(p, found.start()) for p in split(found[3]) if p != "void"]
                words = " ".join(filter(None, (prose(self.spoken())[0] if self.spoken() else "", self.behind())))
                self.api.callbacks[found[2]] = Callback(found[2], self.type(found[1], found.start()), parameters, words, self.header, self.line(found.start()))
                self.header.items.append(self.api.callbacks[found[2]])
            elif self.take(r"static inline [^{};]*\{[^{}]*\}"):
                self.behind()
            else:
                self.fail(f"\"{text[self.at:].split(chr(10))[0]}\" is nothing that stands in a header")
        if self.depth:
            self.fail(f"#{self.depth[-1]} has no #endif")
        return self.header


def order(root):
    """The files of all public headers, in the order in which they include each other."""
    folder, names, left = pathlib.Path(root) / "include/situ", [], []
    paths = {p.stem: p for p in sorted(folder.glob("*.h")) if p.stem != "macros"}

    def visit(name):
        if name in left:
            return
        left.append(name)
        for other in re.findall(r"#include <situ/(\w+)\.h>", paths[name].read_text()):
            if other == "macros":
                continue
            if other not in paths:
                raise Unreadable(f"include/situ/{name}.h: there is no situ/{other}.h")
            visit(other)
        names.append(name)

    for name in paths:
        visit(name)
    return [paths[name] for name in names]


def add(api, path):
    """Reads one header into what was read of those before it."""
    api.headers[path.stem] = Reader(api, path, path.stem).read()


def read(root):
    """All public headers, in that order."""
    api = Api()
    for path in order(root):
        add(api, path)
    return api
