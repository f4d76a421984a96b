#!/usr/bin/env bash
# The chapter in all of its editions, in Python.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) python="${SITU_BUILD_DIR:-$PWD/build}/package/use/bin/python"
trap 'rm -rf "$folder"' EXIT
[ -x "$python" ] || { echo "SKIP python chapter: the package is not installed; the job build/package says why"; exit 0; }
export SITU_SIM_GPUS=2 SITU_CHAPTER_SMALL=1 PYTHONDONTWRITEBYTECODE=1
rows=""
for edition in mxnet mxnet_np pytorch tensorflow jax; do
    script="examples/python/chapter_$edition.py"
    rows="$rows $("$python" "$script" --list)"
    if timeout 300 "$python" "$script" >"$folder/log" 2>&1; then
        echo "PASS python: the chapter's edition $edition"
    else
        grep -E 'BROKEN|Error|do not hold' "$folder/log" | tail -n 10
        echo "FAIL python: the chapter's edition $edition"
    fi
done
missing=""
for row in A1 B1 B2 B3 B4 B5 C1 C2 D1 D2 E1 E2 E3 F1 F2 G1 G2 H1 H2 I1 I2 I3 J1 J2 K1 K2 K3 K4 L1 M1 M2; do
    case " $rows " in *" $row "*) ;; *) missing="$missing $row" ;; esac
done
if [ -z "$missing" ]; then echo "PASS python: the chapter has all of its rows"; else echo "FAIL python: the chapter has no row$missing"; fi
