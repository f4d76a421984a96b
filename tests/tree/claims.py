#!/usr/bin/env python3
"""What README.md, DESIGN.md, CONTRIBUTING.md and docs/ say is what the code does: names, paths, numbers and lists in them are looked up.

Each claim is a sentence of a document and the place in the code that makes it true. A document that no longer says the sentence is
reported as well, so that the list here and the documents stay together. tests/checks/readme.sh runs the programs, and
tests/checks/claims_measured.py measures what can be seen from outside.
"""
import pathlib
import re
import sys

import includes

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "DESIGN.md", "CONTRIBUTING.md", "docs/cpu.md", "docs/gpu.md", "docs/glossary.md", "docs/abi.md", "docs/environment.md",
         *(f"docs/extending/{p.name}" for p in (ROOT / "docs/extending").glob("*.md"))]
read = lambda path: (ROOT / path).read_text()
plain = lambda text: re.sub(r"\s+", " ", text)
failed = []


def fail(text):
    failed.append(text)


def found(path, pattern):
    """The first group of the pattern in a file, as text."""
    match = re.search(pattern, read(path), re.S)
    return match[1] if match else f"nothing like {pattern}"


def claim(page, sentence, value, wanted):
    """`page` says `sentence`, and the code's value is what is wanted for it."""
    if sentence not in plain(read(page)):
        fail(f"{page} no longer says: {sentence}")
    if value != wanted:
        fail(f"{page} says: {sentence}; the code has {value}, not {wanted}")


def slots():
    body = found("src/device/backend.h", r"\nstruct situ_backend \{(.*?)\n\};")
    optional, count = False, [0, 0]
    for line in body.split("\n"):
        optional |= "/* Optional" in line
        count[optional] += bool(re.match(r"    [\w ]+\*? ?\(\*\w+\)\(", line))
    return tuple(count)


def numbers():
    claim("DESIGN.md", "with 12 required slots and 16 optional ones", slots(), (12, 16))
    group = [found("src/plan/kernel.h", rf"SITU_FUSED_{name} = (\d+)") for name in ("INSTRUCTIONS", "LOADS", "WORDS")]
    group += re.findall(r"externals > (SITU_FUSED_LOADS / 2 \+ 4)", read("src/plan/fuse.c"))
    claim("DESIGN.md", "120 instructions, 12 operands in memory, 48 words", group, ["120", "16", "48", "SITU_FUSED_LOADS / 2 + 4"])
    claim("DESIGN.md", "more than 65,536 pending nodes", found("src/graph/record.h", r"SITU_MOST_PENDING = (\d+)"), "65536")
    claim("DESIGN.md", "at most 8 launches under way", found("src/run/launch.h", r"SITU_MOST_AHEAD = (\d+)"), "8")
    claim("DESIGN.md", "a quarter of the memory otherwise in use", found("src/run/ahead.c", r"SHARE = (\d+)"), "4")
    claim("DESIGN.md", "blocks of 1024", found("src/backend/cpu/movement/reduce.h", r"SITU_REDUCE_BLOCK (\d+)"), "1024")
    claim("DESIGN.md", "blocks of 64 rows in order", found("src/backend/cpu/movement/reduce.h", r"SITU_REDUCE_ROWS (\d+)"), "64")
    claim("docs/cpu.md", "tiles of 1024 elements", found("src/backend/cpu/tiles/tile.h", r"SITU_TILE = (\d+)"), "1024")
    claim("docs/cpu.md", "Results of 8 MiB and more", found("src/backend/cpu/interpreter/group.h", r"SITU_STREAM_BYTES = (8 << 20)"), "8 << 20")
    claim("docs/cpu.md", "The first eight runs", found("src/backend/cpu/interpreter/row_program.c", r"TRIALS = (\d+)"), "4")
    claim("docs/cpu.md", "looks for work for 200 µs", found("src/base/pool.c", r"SPIN_NANOSECONDS = (\d+)"), "200000")
    claim("docs/cpu.md", "Blocks from 2 MiB get huge pages", found("src/backend/cpu/memory.c", r"HUGE_FROM = ([^,]+),"), "2 << 20")
    claim("docs/cpu.md", "Blocks from 512 KiB begin", found("src/backend/cpu/memory.c", r"APART_FROM = ([^,]+),"), "512 << 10")
    claim("docs/cpu.md", "Up to 8 rows by a large matrix", found("src/backend/cpu/gemm/gemm.h", r"SITU_GEMM_FEW = (\d+)"), "8")
    claim("docs/gpu.md", "64 of them between two waits", found("src/backend/cuda/cuda.h", r"SITU_CUDA_FAULTS = (\d+)"), "64")
    claim("DESIGN.md", "The stripped library has 5.0 MB at most", found("tests/checks/library_size.sh", r"most=(\d+)"), "5000000")
    sizes = [(room.startswith("backend/cpu"), int(size)) for room, size in re.findall(r"^([a-z]\S*) (\d+)$", read("tests/checks/library_size.txt"), re.M)]
    share = sum(size for of_cpu, size in sizes if of_cpu) / sum(size for _, size in sizes)
    claim("DESIGN.md", "two fifths of it kernels of the CPU", 0.35 < share < 0.45, True)
    claim("README.md", "This is version 0.2.", found("CMakeLists.txt", r"project\(situ VERSION (\d+\.\d+\.\d+)"), "0.2.0")
    claim("docs/abi.md", "SITU_VERSION", found("include/situ.h", r'SITU_VERSION "([^"]+)"'), "0.2.0")
    claim("docs/abi.md", "situ.__version__", found("python/situ/__init__.py", r'__version__ = "([^"]+)"'), "0.2.0")
    claim("README.md", "the array API standard (2025.12)", found("python/situ/__init__.py", r'__array_api_version__ = "([^"]+)"'), "2025.12")
    claim("README.md", "the 1,797 digits", found("src/data/digits.h", r"SITU_DIGITS_COUNT = (\d+)"), "1797")
    gpt = re.findall(r"^\| gpt \| a training step[^|]*\|[^|]*\|[^|]*\| ([\d.]+) \|", read("docs/speed.md"), re.M)
    claim("README.md", "takes 0.39 to 0.92 of the time", (min(gpt), max(gpt), len(gpt)), ("0.39", "0.92", 5))
    claim("README.md", "`docs/speed.md` has six tables, of five machines", len(re.findall(r"^## AVX", read("docs/speed.md"), re.M)), 6)


def lists():
    order = includes.ORDER
    for part, folders in re.findall(r"^set\(situ_folders_of_(\w+) (.*)\)$", read("cmake/parts.cmake"), re.M):
        shared = "file data " if part == "train" else "" # with formats
        listed = (shared + includes.PARTS.get(part, includes.PARTS["devices"])).split() + ["parts"]
        if not set(folders.split()) <= set(listed) or (part in includes.PARTS and len(folders.split()) < len(listed) - 1):
            fail(f"cmake/parts.cmake's folders of {part} are {folders}, includes.py's {listed}")
    table = re.findall(r"^\| \w* \| `([a-z/]+)` \|", read("DESIGN.md").split("Outside `src`")[0], re.M)
    if table != order:
        fail(f"DESIGN.md's folders are {table}, includes.py's {order}")
    if " ".join(order) not in plain(read("CONTRIBUTING.md")):
        fail("CONTRIBUTING.md has another order of folders than includes.py")
    folders = sorted(p.name for p in (ROOT / "src/backend/cpu").iterdir() if p.is_dir())
    if sorted(re.findall(r"^\| `(\w+)` \|", read("docs/cpu.md"), re.M)) != folders:
        fail(f"docs/cpu.md has not the folders of src/backend/cpu, which are {folders}")
    for path in ("src/graph", "src/grad"):  # what a traversal of DESIGN.md's Scopes is
        for file in (ROOT / path).glob("*.c"):
            for name, body in re.findall(r"^[\w \*]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", file.read_text(), re.M | re.S):
                if re.search(rf"(?<![.>\w]){name}\(", body):
                    fail(f"DESIGN.md: graph traversals are loops; {file.relative_to(ROOT)}: {name} recurses")
    run = re.search(r"int rc = situ_build_import.*?;", read("src/plan/plan.c"), re.S)
    passes = re.findall(r"situ_build_(\w+)\(&b\)", run[0]) if run else []
    for text, where in ((re.findall(r"^\d\. \*\*(\w+)\*\*", read("DESIGN.md").split("## Passes")[1], re.M), "DESIGN.md's passes"),
                        (re.findall(r"^ \*   (\w+)  ", read("src/plan/build.h"), re.M), "build.h's passes"),
                        (re.findall(r"\b(import|fuse|order|rows|beside|post_op|memory|emit)\b ?[▸;│▶]?", read("DESIGN.md").split("```")[1]), "the picture's passes")):
        text = [t for t in text if t in passes]
        if text != passes:
            fail(f"{where} are {text}, plan.c's {passes}")
    families = [f.lower() for f in re.findall(r"^    SITU_(\w+),? +/\*", found("src/graph/op.h", r"(typedef enum situ_family \{.*?\} situ_family)"), re.M)]
    said = plain(read("DESIGN.md")).split("a **family**: ")[1].split(";")[0].replace(" or ", ", ").split(", ")
    if sorted(said) != sorted(families[1:]):
        fail(f"DESIGN.md's families are {said}, op.h's {families[1:]}")
    nn, layers = "".join(read(f"include/situ/{name}.h") for name in ("nn", "activation", "sequence", "window")), plain(read("README.md")).split("**Layers** (`include/situ/nn.h`, `activation.h`, `sequence.h`, `window.h`): ")[1].split(".")[0]
    for word, name in {"linear": "situ_linear_layer(", "convolution": "situ_conv2d_layer(", "pooling": "situ_max_pool2d_layer(", "batch": "situ_batch_norm_layer(",
                       "layer norm": "situ_layer_norm_layer(", "embedding": "situ_embedding_layer(", "dropout": "situ_dropout_layer(", "activations": "situ_relu_layer("}.items():
        if word not in layers or name not in nn:
            fail(f"README.md's layers and the headers disagree about {word}")
    if "attention" in layers and "attention_layer(" not in nn:
        fail("README.md has a layer for attention, the headers have none")
    main = read("cli/main.c")
    for command in re.findall(r"^    build/situ (\w+)", read("README.md"), re.M):
        if command != "help" and f"&cli_{command}" not in main:
            fail(f"README.md: there is no command {command}")
    rows = read("examples/chapter/rows.def")
    for row in re.findall(r"chapter ([A-Z]\d)\b|row ([A-Z]\d)\b", read("README.md")):
        if not re.search(rf"\b{row[0] or row[1]}\b", rows):
            fail(f"README.md: there is no row {row}")


def names():
    """Functions, files and folders between backticks."""
    code = "\n".join(p.read_text(errors="replace") for f in ("include", "src", "cli", "python/src") for p in (ROOT / f).rglob("*") if p.is_file() and p.suffix != ".so" and p.suffix != ".bin")
    known = {str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if ".git" not in p.parts and not p.relative_to(ROOT).parts[0].startswith("build")}
    for page in PAGES:
        text = re.sub(r"```.*?```", "", read(page), flags=re.S)
        if page.startswith("docs/extending"):
            text = re.sub(r"(New file|In) `[^`]+`[^:]*:", "", text)
        own = "".join(re.findall(r"```.*?```", read(page), flags=re.S)) if page.startswith("docs/extending") else ""
        for word in re.findall(r"`([^`\n]+)`", text):
            function = re.fullmatch(r"\(?(situ_\w+)\)?(\(.*\))?(\.c)?", word)
            if function and not re.search(rf"\b{function[1]}\b", code + own):
                fail(f"{page}: there is no {function[1]}")
            path = re.fullmatch(r"(?:\.\./)?([\w./-]+\.(?:c|h|hpp|py|sh|def|inc|md|txt))|([\w./-]+)/", word)
            if path and not word.startswith((".ci", ".clang")) and "NAME" not in word:
                want = (path[1] or path[2]).rstrip("/")
                if not any(k == want or k.endswith("/" + want) for k in known):
                    fail(f"{page}: there is no {want}")


def sizes():
    for page in ("README.md", "DESIGN.md", "docs/cpu.md", "docs/gpu.md"):
        text = re.sub(r"```.*?```", "", read(page), flags=re.S)
        for paragraph in re.split(r"\n\s*\n|\n(?=(?:-|\d\.|\||#) ?)", text):
            if paragraph.strip().count("\n") >= 10:
                fail(f"{page}: a paragraph of more than ten lines: {paragraph.strip()[:50]}")
    if len(read("DESIGN.md").split()) > 3300:
        fail(f"DESIGN.md has {len(read('DESIGN.md').split())} words: more than fifteen minutes at 220 a minute")


for check in (numbers, lists, names, sizes):
    check()
for text in failed:
    print("FAIL claims:", text)
if not failed:
    print("PASS claims: names, paths, numbers and lists of the documents are those of the code")
sys.exit(bool(failed))
