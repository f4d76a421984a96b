#!/usr/bin/env python3
"""src/os alone knows the operating system: other folders of src/ include C11's headers, those of vectors and our own, and have no word
of a system. What needs more gets a function in src/os/*.h. No macro by which compilers name a processor or a system stands outside src/os and
src/simd, nor in the public headers, the command and the extension: os/processor.h has what they say. SITU_TREE names another tree."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("SITU_TREE", pathlib.Path(__file__).resolve().parents[2]))
# C11's, but for threads.h, time.h, signal.h and locale.h; the compilers' own.
HEADERS = set("""assert.h complex.h ctype.h errno.h float.h inttypes.h iso646.h limits.h math.h stdalign.h stdarg.h stdatomic.h
    stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h
    arm_neon.h emmintrin.h immintrin.h xmmintrin.h wasm_simd128.h sanitizer/asan_interface.h situ.h""".split())
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# What one sees of a system where no header is included, and what to write instead.
WORDS = [(re.compile(pattern), instead) for pattern, instead in [
    (r"\b(?:pthread_\w+|PTHREAD_\w+)", "os/thread.h"),
    (r"\b_(?:GNU|DEFAULT|POSIX_C|XOPEN)_SOURCE\b", "a function of os/"),
    (r"\bSITU_PORTABLE\b", "a function of os/"),
    (r"\.incbin\b", "SITU_EMBED of os/embed.h"),
    (r'"/(?:proc|sys)/', "os/machine.h or os/process.h"),
    (r'\bfopen\(', "situ_file_open of os/file.h, or situ_file_begin to write"),
    (r"\blib\w+\.so\b", "SITU_LIBRARY of os/library.h"),
    (r"\b(?:qsort_r|on_exit|_exit|memfd_create|getline|getdelim|open_memstream|fmemopen|asprintf)\(", "C11, or a function of os/"),
]]
# Macros of compilers and C libraries for a processor, a system or an environment.
PLATFORM = re.compile(r"\b(?:__(?:linux|unix|APPLE|FreeBSD|OpenBSD|NetBSD|ANDROID|GLIBC|MUSL|CYGWIN|MINGW(?:32|64)|EMSCRIPTEN|wasi|wasm\w*?|x86_64|amd64|i386"
    r"|aarch64|arm|thumb|powerpc\w*?|s390x?|mips\w*?|loongarch\w*?|FMA|F16C|AMX\w*?|AVX\w*?|SSE\w*?)__|__ARM_\w+|__riscv\w*|__FP_FAST_FMA\w*"
    r"|_WIN(?:32|64)|_MSC_VER|_M_(?:X64|IX86|ARM\w*))\b")
OF_PLATFORM = "os/processor.h, or a function of os/"
# The last are texts for machines that are not this one.
MAY_NAME_IT = ("src/os/", "src/simd/", "src/emit/compiler.inc", "src/emit/words.inc")
ALSO_READ = ("include", "cli", "python/src")


def files(*folders):
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix in (".c", ".h", ".hpp", ".inc") and not name.startswith("src/os/"):
            yield name, COMMENT.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(errors="replace"))


def faults(name, text):
    if not name.startswith(MAY_NAME_IT):
        for match in PLATFORM.finditer(text):
            yield match.start(), f"{match[0]} is a macro of a platform; write {OF_PLATFORM}"
    if not name.startswith("src/"):
        return
    for match in INCLUDE.finditer(text):
        if match[1] not in HEADERS and not match[1].startswith("situ/"):
            yield match.start(), f"<{match[1]}> is a header of the system; src/os/*.h has what it is needed for, or gets it"
    for pattern, instead in WORDS:
        for match in pattern.finditer(text):
            yield match.start(), f"{match[0]} is a word of the system; write {instead}"


def main():
    bad = read = 0
    for name, text in files("src", *ALSO_READ):
        read += 1
        for at, why in faults(name, text):
            bad += 1
            print(f"FAIL system: {name}:{text.count(chr(10), 0, at) + 1}: {why}")
    if read < 300:
        bad += 1
        print(f"FAIL system: only {read} files were found")
    if not bad:
        print(f"PASS system: none of {read} files outside of src/os and src/simd knows the platform")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
