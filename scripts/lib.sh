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
    if $as_root env DEBIAN_FRONTEND=noninteractive sh -c "apt-get -qq update && apt-get -qq -y install --no-install-recommends $packages" >/dev/null 2>"${TMPDIR:-/tmp}/situ-apt.$$"; then
        rm -f "${TMPDIR:-/tmp}/situ-apt.$$"
        return 0
    fi
    tail -n 5 "${TMPDIR:-/tmp}/situ-apt.$$" >&2
    rm -f "${TMPDIR:-/tmp}/situ-apt.$$"
    say "could not be installed: $packages"
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

# The first Python that has NumPy, else any Python, else nothing.
find_python() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' >/dev/null 2>&1 && { command -v "$python"; return; }
    done
    command -v python3 || true
}

cores() { nproc 2>/dev/null || echo 2; }
