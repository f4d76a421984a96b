# shellcheck shell=bash
# The environment of a job. Sourced by tests/job with the build folder and the job's name: . tests/environment.sh BUILD NAME
export SITU_BUILD_DIR="$1" SITU_SIM_GPUS="${SITU_SIM_GPUS:-2}" POCL_DEVICES="${POCL_DEVICES:-pthread pthread}"
# Kernels for the fake CUDA driver, by their text: every build, and every copy of the tree, compiles them alike.
export FAKECUDA_CACHE="${FAKECUDA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/situ-tests}"
mkdir -p "$FAKECUDA_CACHE"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
# malloc may refuse: the library has to live with it
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export TSAN_OPTIONS="halt_on_error=1:die_after_fork=0:allocator_may_return_null=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
# For checks that call a compiler by themselves: $SITU_CACHED cc ... finds what another copy of the tree has compiled.
export SITU_CACHED="" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
! command -v ccache >/dev/null || SITU_CACHED=ccache
# scripts/test has looked for these, which takes a while, and written down what it found.
if [ -r "$1/found.sh" ]; then
    . "$1/found.sh"
else
    . scripts/lib.sh
    found "$1"
fi
case "$2" in
asan/* | tsan/* | clang/*)
    SITU_BUILD_DIR="$1-${2%%/*}"
    # NVRTC compiles the same text whatever compiled the library, and its own leaks and races are not ours to find.
    SITU_NVRTC=none ;;
neon/* | plain/*)
    # The unit tests by a cross compiler: under qemu, with the kernels of NEON or with those in plain C, and kernels that tests compile.
    qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
    SITU_BUILD_DIR="$1-aarch64" SITU_NVRTC=none SITU_ISA="${2%%/*}" SITU_TEST_LIMIT=3000
    SITU_ISA="${SITU_ISA/plain/baseline}"
    SITU_TEST_EMULATOR="${qemu:-qemu-aarch64} -L /usr/aarch64-linux-gnu" SITU_TEST_CC=aarch64-linux-gnu-gcc FAKECUDA_CXX=aarch64-linux-gnu-g++
    export SITU_ISA SITU_TEST_LIMIT SITU_TEST_EMULATOR SITU_TEST_CC FAKECUDA_CXX ;;
esac
