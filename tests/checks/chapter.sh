#!/usr/bin/env bash
# Every row of the chapter, by its number, with two simulated GPUs and at a reduced size; then the other examples.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
export SITU_SIM_GPUS=2 SITU_CHAPTER_SMALL=1
log="$build/chapter.log"

rows=$("$build/situ" chapter --list | sed -n 's/^\([A-Z][0-9]\):.*/\1/p')
missing=""
for row in A1 B1 B2 B3 B4 B5 C1 C2 D1 D2 E1 E2 E3 F1 F2 G1 G2 H1 H2 I1 I2 I3 I4 I5 J1 J2 J3 K1 K2 K3 K4 L1 M1 M2; do
    case " $(echo $rows) " in *" $row "*) ;; *) missing="$missing $row" ;; esac
done
if [ -z "$missing" ]; then echo "PASS chapter has all of its rows"; else echo "FAIL chapter has no row$missing"; fi

for row in $rows; do
    if timeout 120 "$build/situ" chapter --brief "$row" >"$log" 2>&1; then
        echo "PASS chapter $row"
    else
        echo "FAIL chapter $row"
        grep -E 'BROKEN|does not say|error' "$log" | head -n 5 | sed 's/^/     /'
    fi
done

for source in examples/*.c; do
    name=$(basename "$source" .c)
    if timeout 120 "$build/examples/$name" >"$log" 2>&1; then echo "PASS example $name"; else
        echo "FAIL example $name"
        tail -n 5 "$log" | sed 's/^/     /'
    fi
done
