#!/usr/bin/env python3
"""Numbers and letters in text are independent of the locale: src/os/plain.h alone asks the C library for them."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("src", "cli", "python/src", "include")
OWNER = "src/os/posix/plain.c"

# A name that follows the locale, and what to write instead.
NAMES = {
    "situ_plain_number": "strtod strtof strtold atof wcstod strtod_l strfromd strfromf",
    "situ_plain_list": "vsnprintf vsprintf vasprintf",
    "situ_plain_print_list": "vfprintf vprintf vdprintf",
    "situ_is_letter, situ_is_digit, situ_is_blank or situ_lower":
        "isalpha isdigit isalnum isspace isblank isupper islower isprint ispunct isgraph toupper tolower",
    "situ_words_differ": "strcasecmp strncasecmp strcasestr strcoll strxfrm wcwidth mbrtowc mbstowcs",
    "situ_plain_reason": "strerror strerror_r perror",
    "situ_plain_library_reason": "dlerror",
    "a fixed form": "strftime setlocale uselocale newlocale localeconv nl_langinfo",
}
INSTEAD = {name: mend for mend, names in NAMES.items() for name in names.split()}
PRINTS = {"printf": "situ_plain_print", "fprintf": "situ_plain_print", "dprintf": "situ_plain_format", "sprintf": "situ_plain_format",
          "snprintf": "situ_plain_format", "asprintf": "situ_plain_format",
          "scanf": "situ_plain_number", "sscanf": "situ_plain_number", "fscanf": "situ_plain_number"}

# Text in which such a name is no call of the library: file, what it is.
EXCEPTIONS = {
    "include/situ.hpp": "operator<< writes the finished text of a tensor",
}
REAL = re.compile(r"%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:l|L)?[aAeEfFgG]")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|\w+|[()]|\n|[^\w]', re.S)


def calls(source):
    """Each name before a parenthesis: (position, line, name, the string literals of the call). Comments and literals hold no calls."""
    open_calls, word, line, at = [], None, 1, 0
    for match in TOKEN.finditer(source):
        token = match.group()
        if token.startswith('"'):
            for call in open_calls[-1:]:
                call[3].append(token)
        elif token == "(":
            open_calls.append([*(word or (match.start(), line, "")), []])
        elif token == ")":
            if open_calls:
                done = open_calls.pop()
                yield tuple(done)
                if open_calls and not done[2]:  # plain parentheses
                    open_calls[-1][3].extend(done[3])
        if re.match(r"\w", token):
            word = (match.start(), line, token)
        elif not token.isspace() and not token.startswith(("/*", "//")):
            word = None
        line += token.count("\n")


def faults(source):
    """(position, line, name, what to write) of each call that follows the locale."""
    for position, line, name, literals in calls(source):
        if name in INSTEAD:
            yield position, line, name, INSTEAD[name]
        elif name in PRINTS and REAL.search("".join(text[1:-1] for text in literals).replace("%%", "")):
            yield position, line, name, PRINTS[name]


def files():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".inc", ".hpp", ".def") and str(path.relative_to(ROOT)) != OWNER:
                yield path


def main():
    assert [f[2] for f in faults('f("%g"); printf("%5.2f", snprintf(a, 1, "%d%%f", b)); x = strtod (t, 0); /* atof(1) */')] == ["printf", "strtod"]
    bad, read = 0, 0
    for path in files():
        name = str(path.relative_to(ROOT))
        read += 1
        for _, line, call, mend in faults(path.read_text(errors="replace")):
            if name not in EXCEPTIONS:
                bad += 1
                print(f"FAIL plain: {name}:{line}: {call} follows the locale of the program; {mend} (os/plain.h) does not")
    if read < 500:
        bad += 1
        print(f"FAIL plain: only {read} files were found")
    if not bad:
        print(f"PASS plain: no number and no letter of {read} files follows a locale")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
