#!/usr/bin/env bash
# The texts of the project: UTF-8, no tabs in C, no white space at the ends of lines, no paths of somebody's machine,
# nothing left to do, nothing about who or what typed them.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

files=$({ git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './build*'; } |
    grep -vE '\.(bin|gz|npz|png|svg)$|^LICENSE$' | sort)

# forbid TITLE PATTERN FILES: reports the first lines that match the extended pattern.
forbid() {
    local hits
    # shellcheck disable=SC2086
    hits=$(printf '%s\n' $3 | xargs -r grep -nIP -- "$2" /dev/null 2>/dev/null | cut -c1-160 | head -n 5)
    if [ -n "$hits" ]; then
        while IFS= read -r hit; do echo "FAIL text: $1: $hit"; done <<<"$hits"
        status=1
    fi
}

code=$(printf '%s\n' "$files" | grep -E '\.(c|h|hpp|def|py|sh|cmake|inc)$')
forbid "white space at the end" '[ \t]+$' "$(printf '%s\n' "$files" | grep -v '\.patch$')"
forbid "carriage return" '\r$' "$files"
forbid "tab" '\t' "$code"
forbid "path of a machine" '(?<![\w.}])/(home|root|work|farm|Users|mnt)/[a-z.]' "$files"
forbid "left to do" '\b(TO[D]O|FIX[M]E|XX[X])\b' "$files"
forbid "who typed this" '\b(A[I][- ](assist|generat|written)|as an A[I]\b|Chat[G]PT|Cop[i]lot|language model sessio[n])' "$files"
for file in $files; do
    [ -f "$file" ] || continue
    iconv -f UTF-8 -t UTF-8 "$file" >/dev/null 2>&1 || { echo "FAIL text: $file is not UTF-8"; status=1; }
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || { echo "FAIL text: no line end at the end of $file"; status=1; }
done
for patch in tests/judge/mutations/*.patch; do
    git apply --check "$patch" 2>/dev/null || { echo "FAIL text: $patch does not apply any more"; status=1; }
done
[ $status -ne 0 ] || echo "PASS text: $(printf '%s\n' "$files" | wc -l) files"
exit $status
