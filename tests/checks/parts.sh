#!/usr/bin/env bash
# Each part of the library links with those that it needs and without all others: tests/parts/PART.c runs with their objects and with
# src/parts/parts.c compiled for them. The size of an installed library of core and net is printed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/objects.sh
# 2,650,000 until weights of all formats of blocks are multiplied as they lie (26 KB, for each instruction set), sessions and files in memory (16 KB)
build="${SITU_BUILD_DIR:-build}" most=2700000
grep -q '^SITU_SANITIZE:STRING=$' "$build/CMakeCache.txt" || { echo "SKIP parts: $build has a sanitizer"; exit 0; }
[ -d "$build/CMakeFiles/situ_objects.dir" ] || { echo "FAIL parts: $build is not built"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

folders_of() { sed -n "s/^set(situ_folders_of_$1 \(.*\))$/\1/p" cmake/parts.cmake | tr ' ' '|'; }

# The objects of these folders.
chosen() { live_objects "$build" | grep -E "situ_objects.dir/(sets/)?src/($1)/" | grep -v '/parts/parts\.c\.o$' >"$scratch/objects"; }

# links PART FOLDERS WITHOUT...: tests/parts/PART.c with these folders prints what is expected.
links() {
    local part=$1 folders=$2 said
    shift 2
    chosen "$folders"
    if ! "${CC:-cc}" -std=gnu11 -fPIC -Iinclude -Isrc -DSITU_BUILD "${@/#/-DSITU_WITHOUT_}" -c src/parts/parts.c -o "$scratch/$part.parts.o" 2>"$scratch/said" ||
        ! "${CC:-cc}" -std=gnu11 -Iinclude -Isrc "tests/parts/$part.c" "$scratch/$part.parts.o" "@$scratch/objects" -o "$scratch/$part" -lm -ldl -lpthread 2>"$scratch/said"; then
        echo "FAIL parts: $part does not link without what comes after it:"
        grep -oE 'undefined reference to .*|error: .*|multiple definition.*' "$scratch/said" | sort -u | head -n 10 | sed 's/^/     /'
        status=1
        return
    fi
    said=$(cd "$scratch" && SITU_SIM_GPUS=2 "./$part" "$scratch/$part.safetensors" 2>&1)
    if [ "$said" = "$expected" ]; then echo "PASS parts: $part, $(wc -l <"$scratch/objects") files"; else
        echo "FAIL parts: $part printed '$said' and not '$expected'"
        status=1
    fi
}

core=$(folders_of core) net=$(folders_of net) train=$(folders_of train) formats=$(folders_of formats) work=$(folders_of work)
hash=$("$build/situ" train --quiet --epochs 3 --deterministic --hash | sed -n 's/^sha256 of the weights: //p')
expected="5.4514 1.0000 1" links core "$core" NET TRAIN FORMATS WORK OPENCL PJRT CUDA
expected="1" links net "$core|$net|$(folders_of opencl)|$(folders_of pjrt)|$(folders_of cuda)" TRAIN FORMATS WORK
expected="1" links net "$core|$net" TRAIN FORMATS WORK OPENCL PJRT CUDA
expected="${hash:-none}" links train "$core|$net|$train" FORMATS WORK OPENCL PJRT CUDA
expected="1" links formats "$core|$net|$formats" TRAIN WORK OPENCL PJRT CUDA
expected="0 of 1: 1" links work "$core|$net|$train|$formats|$work" OPENCL PJRT CUDA

# A folder beside the build, so that a compiler cache has its objects.
small="$(dirname "$build")/build-parts"
if cmake -S . -B "$small" -DSITU_PARTS=core,net >"$scratch/said" 2>&1 && cmake --build "$small" -j2 >>"$scratch/said" 2>&1 &&
    cmake --install "$small" --prefix "$scratch/installed" >>"$scratch/said" 2>&1 &&
    "${CC:-cc}" -std=gnu11 "-I$scratch/installed/include" tests/parts/net.c "-L$scratch/installed/lib" "-Wl,-rpath,$scratch/installed/lib" \
        -lsitu -o "$scratch/installed/net" 2>>"$scratch/said" && [ "$("$scratch/installed/net")" = 1 ]; then
    echo "PASS parts: -DSITU_PARTS=core,net is built, installed and used"
    strip -o "$scratch/small.so" "$scratch/installed/lib/libsitu.so" && bytes=$(wc -c <"$scratch/small.so")
    if [ "${bytes:-$most}" -lt "$most" ]; then echo "PASS parts: core and net have $bytes bytes stripped, of $most"; else
        echo "FAIL parts: core and net have ${bytes:-no} bytes stripped, $most or more"
        status=1
    fi
else
    echo "FAIL parts: -DSITU_PARTS=core,net is not built, installed and used"
    tail -n 20 "$scratch/said"
    status=1
fi
rm -rf "$small"
if cmake -S . -B "$scratch/none" -DSITU_PARTS=formats >"$scratch/said" 2>&1 || ! grep -q 'formats needs net' "$scratch/said"; then
    echo "FAIL parts: -DSITU_PARTS=formats is not refused with what it needs"
    status=1
fi
exit $status
