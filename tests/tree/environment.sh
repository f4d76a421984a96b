#!/usr/bin/env bash
# The library asks the environment by situ_env alone, which gives nothing to a program with raised rights; and every variable that
# the library, the command and the Python package read is in src/base/environment.def, and none besides.
set -u
cd "$(dirname "$0")/../.." || exit 1
found=$(grep -rnE "[^a-z_](secure_)?getenv *\(" src cli python --include='*.c' --include='*.h' | grep -v '^src/os/[a-z]*/env.c:')
if [ -z "$found" ]; then echo "PASS environment: one way to ask it"; else echo "FAIL environment: $found"; fi

listed=$(sed -nE 's/^VARIABLE\([01], (\w+),.*/\1/p' src/base/environment.def | sort)
# Names in quotes on lines that ask, names of ours in quotes anywhere, and what the chapter's rows (part of the command) ask for.
asked=$({ grep -rhE "situ_env\(" src cli --include='*.[ch]' --include='*.inc' | grep -oE '"[A-Z][A-Z0-9]+[A-Za-z0-9_]*"'
    grep -rhoE '"SITU_[A-Z0-9_]+"' src cli --include='*.[ch]' --include='*.inc'
    grep -rhoE "(environ\[|environ\.get\(|getenv\()['\"][A-Z0-9_]+['\"]" python examples/chapter | grep -oE "['\"][A-Z0-9_]+['\"]"; } | tr -d "\"'" | sort -u | grep -vx SITU_F32) # a dtype's name in messages
bad=0
for name in $(comm -13 <(echo "$listed") <(echo "$asked")); do echo "FAIL environment: $name is read, but is not in src/base/environment.def"; bad=1; done
for name in $(comm -23 <(echo "$listed") <(echo "$asked")); do echo "FAIL environment: $name is in src/base/environment.def, but nothing reads it"; bad=1; done
for name in $(grep -rhoE '\bSITU_[A-Z0-9_]+=' README.md DESIGN.md docs/*.md | tr -d = | sort -u); do
    grep -qx "$name" <<<"$listed" || { case $name in SITU_BENCH_*) ;; *) echo "FAIL environment: the documents speak of $name, which is no variable"; bad=1 ;; esac; }
done
[ "$bad" = 1 ] || echo "PASS environment: $(wc -w <<<"$listed") variables are read, listed and documented"
