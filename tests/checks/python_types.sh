#!/usr/bin/env bash
# What mypy --strict and pyright say of programs that use the installed package: nothing of a right one, and each planted mistake. The
# tag of the wheel is the one that auditwheel finds.
set -u
cd "$(dirname "$0")/../.." || exit 1
package="${SITU_BUILD_DIR:-$PWD/build}/package" python="${SITU_BUILD_DIR:-$PWD/build}/package/use/bin/python"
[ -x "$python" ] || { echo "SKIP python types: the package is not installed; the job build/package says why"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/tools" >/dev/null 2>&1 || { echo "SKIP python types: no virtual environment can be made"; exit 0; }
tool() { "$folder/tools/bin/python" -m "$@"; }
tool pip --disable-pip-version-check -q install mypy 'pyright[nodejs]' auditwheel >"$folder/log" 2>&1 ||
    { echo "SKIP python types: the package index is not reachable"; exit 0; }
cp tests/python/typed_right.py tests/python/typed_wrong.py "$folder"
cd "$folder" || exit 1
if (SITU_SIM_GPUS=0 "$python" typed_right.py) >log 2>&1; then echo "PASS python types: the right program runs"; else
    tail -n 5 log
    echo "FAIL python types: the right program runs"
fi
check() { # NAME FILE-OF-COMPLAINTS: one of each line with a cross of typed_wrong.py, and no other
    grep -n '  # x$' typed_wrong.py | cut -d: -f1 | sort -n >crosses
    grep -o 'typed_wrong.py:[0-9]*' "$2" | cut -d: -f2 | sort -nu >found
    if grep -q 'typed_right.py:[0-9]' "$2"; then
        grep 'typed_right.py:[0-9]' "$2" | head -n 10
        echo "FAIL python types: $1 says nothing of the right program"
    else
        echo "PASS python types: $1 says nothing of the right program"
    fi
    if cmp -s crosses found; then echo "PASS python types: $1 finds the $(wc -l <crosses) mistakes"; else
        echo "lines that $1 does not find: $(comm -23 <(sort crosses) <(sort found) | tr '\n' ' '), and finds without one: $(comm -13 <(sort crosses) <(sort found) | tr '\n' ' ')"
        echo "FAIL python types: $1 finds the $(wc -l <crosses) mistakes"
    fi
}
tool mypy --strict --python-executable "$python" typed_right.py typed_wrong.py | grep ': error' >mypy
check 'mypy --strict' mypy
tool pyright --pythonpath "$python" typed_right.py typed_wrong.py 2>&1 | grep -E ' - (error|warning)' >pyright
check pyright pyright
wheel=$(echo "$package"/wheel/*.whl)
found=$(tool auditwheel show "$wheel" 2>&1 | grep -o '"\?manylinux_[0-9]*_[0-9]*_[a-z0-9_]*' | tr -d '"' | head -n 1)
case "$wheel" in
*-"$found".whl) echo "PASS python types: auditwheel finds $found, as the wheel's name says" ;;
*) echo "FAIL python types: auditwheel finds $found, and the wheel is $(basename "$wheel")" ;;
esac
