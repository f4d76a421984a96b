#!/usr/bin/env python3
"""Ties between folders that the compiler cannot see, from the sources alone:

  - a declaration of a function or of a variable in a .c file: it belongs into a header;
  - a hook: a variable that a header declares, with functions in it that another folder may set. It is a pointer to a function, or a
    pointer to a struct of them, or such a struct or array that is not const, however it is declared.

links.txt lists those that are there on purpose, each with its reason. A line of it that nothing needs is reported as well.
tests/checks/links.py looks at the symbols of the built library. SITU_TREE names another tree.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("SITU_TREE", pathlib.Path(__file__).resolve().parents[2]))
SRC, LIST = ROOT / "src", pathlib.Path(__file__).resolve().parent / "links.txt"
DECLARED = re.compile(r"^(?:extern\s[^;(]*?(\w+)(?:\[[^;]*)?(?:\s__attribute__.*)?|(?!static|return|typedef|else)\w[\w \*]*?\b(situ_\w+)\([^;{}]*\)\s*(?:__attribute__.*)?);", re.M)
QUALIFIERS = "const volatile restrict _Atomic".split()


class Declarator:
    """The declarators of a declaration, outermost first: [(name, ["array", "pointer", "const", "function", ...])]."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text, flags=re.S)
        self.tokens, self.at, self.base = re.findall(r"\w+|[^\w\s]", text), 0, []
        while self.at < len(self.tokens) and re.match(r"\w", self.tokens[self.at]) and not self.ends_name():
            self.base.append(self.take())
            if self.base[-1] in ("_Atomic", "__typeof__") and self.peek() == "(":  # _Atomic(type): the type is what is in it
                self.base.append(self.group())
        self.found = [self.declarator()]
        while self.peek() == ",":
            self.take()
            self.found.append(self.declarator())

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def ends_name(self):
        """This word is the name that is declared: no word and no pointer follows."""
        after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ";"
        return after in "[;,=:)" or (after == "(" and self.tokens[self.at] not in ("_Atomic", "__typeof__") and not self.starts_pointer(self.at + 1))

    def starts_pointer(self, at):
        """What is in these parentheses is a declarator, no list of parameters: "(*", "(_Atomic name)"."""
        inner = self.tokens[at + 1] if at + 1 < len(self.tokens) else ""
        return inner == "*" or inner == "("

    def group(self):
        """What is between these parentheses or brackets, as text."""
        depth, begin = 0, self.at
        while self.at < len(self.tokens):
            word = self.take()
            depth += (word in "([{") - (word in ")]}")
            if not depth:
                break
        return " ".join(self.tokens[begin + 1:self.at - 1])

    def declarator(self):
        pointers = []
        while self.peek() == "*" or self.peek() in QUALIFIERS:
            pointers.append("pointer" if self.peek() == "*" else self.peek())
            self.take()
        name, inner = "", []
        if self.peek() == "(":
            self.take()
            name, inner = self.declarator()
            self.take()
        elif re.match(r"\w", self.peek() or " "):
            name = self.take()
        behind = []
        while self.peek() in ("(", "["):
            behind.append("array" if self.peek() == "[" else "function")
            self.group()
        if self.peek() in ("=", ":"):
            while self.peek() not in ("", ",", ";", ")"):
                self.take()
        qualified = []  # "* const": the pointer is const
        for word in pointers:
            if word == "pointer":
                qualified.insert(0, ["pointer"])
            elif qualified:
                qualified[0].append(word)
        return name, inner + behind + [word for pointer in qualified for word in pointer]


def settable(kinds, base):
    """The variable itself, or what is in its arrays, is not const."""
    kinds = [kind for kind in kinds if kind != "array"]
    if kinds and kinds[0] == "pointer":
        own = kinds[1:]
        return "const" not in own[:next((i for i, kind in enumerate(own) if kind in ("pointer", "function", "array")), len(own))]
    return "function" not in kinds[:1] and "const" not in base


def callable_types(texts):
    """Names of types of functions, of pointers to them, and of structs with such a member."""
    functions, bodies = set(), {}
    for text in texts:
        for line in re.findall(r"\btypedef\s+(?!struct\s+\w*\s*\{|enum|union)([^;{}]*);", text):
            for name, kinds in Declarator(line).found:
                if "function" in kinds:
                    functions.add(name)
        for tag, body, name in re.findall(r"\bstruct\s+(\w*)\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*(\w*)", text):
            bodies.update({word: body for word in (tag, name) if word})
    structs, before = set(), None
    while before != len(structs):
        before = len(structs)
        for name, body in bodies.items():
            for line in re.sub(r"/\*.*?\*/|^\s*#.*$", "", body, flags=re.S | re.M).split(";"):
                if line.strip():
                    one = Declarator(line.strip())
                    whole = structs & set(one.base) and any("pointer" not in kinds for _, kinds in one.found)
                    if whole or functions & set(one.base) or any("function" in kinds for _, kinds in one.found):
                        structs.add(name)
    return functions, structs


def hooks(text, functions, structs):
    """Variables of a header that hold functions and may be set."""
    for line in re.findall(r"^extern\s+([^;{}]*);", text, re.M):
        one = Declarator(line)
        base = set(re.findall(r"\w+", " ".join(one.base)))
        for name, kinds in one.found:
            if kinds[:1] != ["function"] and settable(kinds, one.base) and ("function" in kinds or base & (functions | structs)):
                yield name


def try_declarators():
    """A declarator of each kind, and whether it is a hook."""
    types = ["typedef void (*a_function)(int);", "typedef int a_function_type(void);", "typedef struct table { int n; int (*work)(int); } table;",
             "typedef struct nested { table inside; } nested;", "typedef struct far { const table *outside; } far;", "struct plain { int n; };"]
    functions, structs = callable_types(types)
    yes = ["void (*h)(void)", "void (*_Atomic h)(int (*)(void), char *)", "_Atomic(a_function) h", "a_function h", "_Atomic a_function h", "a_function *h",
           "a_function_type *h", "int (*h[4])(void)", "void (**h)(void)", "int (*(*h)(int))(char)", "table h", "table h[]", "table *h", "table *_Atomic h",
           "const table *h", "const table *_Atomic h", "table *h[3]", "const table *h[3]", "struct table *h", "nested *h", "int *other, (*h)(void)",
           "__thread void (*h)(void) __attribute__((tls_model(\"initial-exec\")))", "_Atomic(table *) h", "volatile a_function h", "unsigned (*\n    h)(void)"]
    no = ["int h", "int h(void)", "void h(void (*work)(void))", "int (*const h)(void)", "const table h", "const table h[4]", "const table *const h", "table *const h[2]",
          "const a_function h", "_Atomic int h", "struct plain *h", "far *h", "int (*h)[4]", "char *h[3]", "const table h, other"]
    wrong = [text for text in yes if list(hooks(f"extern {text};", functions, structs)) != ["h"]]
    return wrong + [text for text in no if list(hooks(f"extern {text};", functions, structs))]


def listed(kinds):
    """{what: line} of links.txt, of these kinds, and lines without a reason."""
    lines = [line for line in LIST.read_text().splitlines() if line.strip() and not line.startswith("#")]
    lines = [line for line in lines if line.split(" ", 1)[0] in kinds]
    return [line.split("  ", 1)[0].strip() for line in lines], [line for line in lines if "  " not in line]


def compare(title, found, kinds, words):
    """Prints what is found and not listed, and what is listed and not found; whether that is anything."""
    allowed, bare = listed(kinds)
    bad = [f"{p}: not in tests/tree/links.txt" for p in found if p not in allowed]
    bad += [f"{a}: on the list, and nothing needs it" for a in allowed if a not in found] + [f"{a}: no reason" for a in bare]
    for line in bad:
        print(f"FAIL {title}:", line)
    if not bad:
        print(f"PASS {title} {words}, {len(allowed)} exceptions with a reason")
    return bool(bad)


def main():
    wrong = try_declarators()
    for text in wrong:
        print(f"FAIL links: its own declarators: {text}")
    plain = lambda text: re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    texts = {path: path.read_text() for path in sorted(SRC.rglob("*.[ch]"))}
    headers = {path: plain(text) for path, text in texts.items() if path.suffix == ".h"}
    public = [plain(path.read_text()) for path in sorted((ROOT / "include/situ").glob("*.h"))]
    functions, structs = callable_types([*headers.values(), *public])
    found = []
    for path, text in texts.items():
        file = str(path.relative_to(SRC))
        if path.suffix == ".h":
            found += [f"pointer {file} {name}" for name in hooks(headers[path], functions, structs)]
        else:
            found += [f"declaration {file} {match[1] or match[2]}" for match in DECLARED.finditer(text)]
    return compare("links", found, ("pointer", "declaration"), "by hooks and by declarations outside of headers") or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
