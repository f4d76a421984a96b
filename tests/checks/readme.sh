#!/usr/bin/env bash
# The programs in README.md compile without a warning and run.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk -v folder="$folder" '/^```c$/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print > (folder "/program" n ".c") }' README.md
found=0
for source in "$folder"/*.c; do
    [ -f "$source" ] || continue
    found=1
    name="README: $(basename "$source" .c)"
    if ! ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iinclude "$source" -o "$folder/program" \
        -L"$build" -lsitu -Wl,-rpath,"$(cd "$build" && pwd)" >"$folder/log" 2>&1; then
        echo "FAIL $name does not compile: $(grep -m 1 -E 'error|warning' "$folder/log")"
    elif (cd "$folder" && ./program >log 2>&1); then
        echo "PASS $name"
    else
        echo "FAIL $name: $(tail -n 1 "$folder/log")"
    fi
done
[ "$found" -eq 1 ] || echo "FAIL README has no program"

# The lines of "Building and installing" as they are written, but that what is built already is installed.
awk '/^## Building and installing/ { inside = 1; next } inside && /^    / { print; seen = 1; next } inside && seen { exit }' README.md |
    sed "s|.*&& cmake --install build |cmake --install '$(cd "$build" && pwd)' |" >"$folder/lines"
mkdir "$folder/home"
cp "$folder/program1.c" "$folder/main.c"
if [ "$(wc -l <"$folder/lines")" -lt 3 ]; then
    echo "FAIL README: its lines for installing are not found"
elif ! command -v pkg-config >/dev/null; then
    echo "SKIP README, installing: no pkg-config"
elif (unset LD_LIBRARY_PATH PKG_CONFIG_PATH; cd "$folder" && HOME="$folder/home" bash -e lines && ./a.out) >"$folder/log" 2>&1; then
    echo "PASS README: the lines for installing under a private prefix"
else
    echo "FAIL README, installing: $(tail -n 1 "$folder/log")"
fi
