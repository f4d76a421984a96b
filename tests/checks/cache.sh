#!/usr/bin/env bash
# Another copy of the tree hits what one has compiled with ccache: two copies in folders of different depth, one fresh cache. Built are
# files that stand for all: small ones of src/base and src/os, one of each set of options (size, instruction sets, no tables to unwind), two with
# embedded texts (.incbin, which ccache keeps no objects of), a test and an example. No flag of any file names a folder of this machine, and call sites
# (__FILE__) read the same with ccache and without it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh
root=$PWD
for tool in ccache cmake make strings strip python3; do command -v $tool >/dev/null || { echo "SKIP cache: no $tool"; exit 0; }; done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset "${!CCACHE_@}" CMAKE_C_COMPILER_LAUNCHER CMAKE_GENERATOR CMAKE_BUILD_TYPE CFLAGS
export CCACHE_DIR=$place/cache
first=$place/first second=$place/a/deeper/second status=0
library=(src/base/{arena,cache,debug,error,memory,options}.c src/os/posix/lock.c src/grad/grad.c src/codegen/call_linalg.c src/train/page.c
    src/data/split.c src/optim/rules.c sets/src/backend/cpu/movement/{sort_avx2,convert_baseline}.c)
program=(tests/unit/test_base.c)

fail() { echo "FAIL cache: $*"; status=1; }
# build COPY FOLDER FILE...: the objects of these files of the library and of the tests.
build() {
    local folder=$1/$2 file objects=()
    for file in "${@:3}"; do
        case $file in
        src/* | sets/*) objects=(situ_objects "CMakeFiles/situ_objects.dir/$file.o") ;;
        tests/*) objects=(situ_tests "CMakeFiles/situ_tests.dir/$file.o") ;;
        examples/*) objects=("example_$(basename "$file" .c)" "CMakeFiles/example_$(basename "$file" .c).dir/$file.o") ;;
        esac
        printf '%s %s\n' "${objects[@]}"
    done | sort | awk '{ of[$1] = of[$1] " " $2 } END { for (target in of) print target of[target] }' | while read -r target objects; do
        # shellcheck disable=SC2086
        make -s -C "$folder" -f "CMakeFiles/$target.dir/build.make" -j 2 $objects || exit 1
    done >"$place/log" 2>&1 || { fail "$folder does not build: $(grep -m 2 -iE 'error|\*\*\*' "$place/log" | tr '\n' ' ')"; return 1; }
}
configure() { (cd "$1" && cmake -G "Unix Makefiles" -S . -B "$2" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:3}") >"$place/log" 2>&1 || fail "cmake: $(grep -m 1 Error "$place/log")"; }
count() { ccache --print-stats | awk -v what="$1" '$1 ~ what { sum += $2 } END { print sum + 0 }'; }

for copy in "$first" "$second"; do
    mkdir -p "$copy" && cd "$root" && copy_tree "$copy"
    configure "$copy" build || exit 1
    ccache -z >/dev/null
    build "$copy" build "${library[@]}" "${program[@]}" examples/mlp.c || exit 1
done
hits=$(count '^(direct|preprocessed)_cache_hit$') misses=$(count '^cache_miss$')
if [ $((hits * 20)) -ge $(((hits + misses) * 19)) ] && [ "$hits" -gt 10 ]; then
    echo "PASS cache: the second copy hits $hits of $((hits + misses)) files; $(count '^unsupported_code_directive$') with embedded texts are compiled anew"
else
    fail "the second copy hits $hits of $((hits + misses)) files"
fi

# Absolute are -I, -o, -c and the source alone; what comes before the compiler is the cache's own.
named=$(python3 - "$first/build/compile_commands.json" <<'P'
import json, re, shlex, sys
for entry in json.load(open(sys.argv[1])):
    words = shlex.split(entry["command"])
    begin = next(i for i, word in enumerate(words) if re.search(r"(^|/)(cc|gcc|clang)(-\d+)?$", word))
    for before, word in zip(words[begin:], words[begin + 1:]):
        if re.search(r"(^|[=,:\"]|-[A-Za-z]+)/\w", word) and not word.startswith("-I/") and before not in ("-o", "-c", "-isystem") and word != entry["file"]:
            print(entry["file"].split("/first/")[-1], word)
P
)
[ -z "$named" ] && echo "PASS cache: no flag of $(grep -c '"file"' "$first/build/compile_commands.json") files names a folder of this machine" ||
    fail "flags with a folder of this machine: $(printf '%s\n' "$named" | head -n 3 | tr '\n' ' ')"

# The call sites in an object of the copy.
sites() { strip -g -o "$place/stripped.o" "$1" && strings -n 6 "$place/stripped.o" | grep -E '\.[ch](:[0-9]+)?$' | sort -u; }
watched=(src/data/split.c tests/unit/test_base.c)
CCACHE_DISABLE=1 configure "$first" off
for file in "${watched[@]}"; do
    case $file in src/*) object=CMakeFiles/situ_objects.dir/$file.o ;; *) object=CMakeFiles/situ_tests.dir/$file.o ;; esac
    CCACHE_DISABLE=1 build "$first" off "$file" || exit 1
    cached=$(sites "$first/build/$object") other=$(sites "$second/build/$object") without=$(sites "$first/off/$object")
    if ! grep -qE "^$file(:[0-9]+)?\$" <<<"$cached"; then fail "$file has no call site that reads $file: ${cached//$'\n'/ }"
    elif [ "$cached" != "$without" ] || [ "$cached" != "$other" ]; then
        fail "call sites of $file: ${cached//$'\n'/ } with ccache, ${other//$'\n'/ } in another copy, ${without//$'\n'/ } without it"
    else
        echo "PASS cache: $(grep -c . <<<"$cached") call sites of $file read the same with and without ccache"
    fi
done
exit $status
