#!/usr/bin/env bash
# Everything that is to be seen on a GPU, in one run; see --help. The last line is "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

usage() {
    cat <<'TEXT'
usage: tests/gpu.sh [--fake | --opencl] [--out FOLDER] [--no-bench] [--built]

On a machine with an NVIDIA card: builds situ, runs the device tests on gpu(0) (and gpu(1), where there is one), compares each
operation of a training run with the CPU's bits, the ledger with a libcuda that counts, random programs with the judge's
interpreter and the CPU, then runs bench/gpu. A report is left
in FOLDER (build/gpu): report.txt, and report.md with the figures.

  --fake      the same on the fake CUDA driver of tests/fakecuda: no card is needed, figures mean nothing
  --opencl    the same on OpenCL devices, as far as it applies
  --no-bench  the tests only
  --built     build nothing: the programs are in SITU_BUILD_DIR

SITU_JUDGE_SECONDS is the time of the random programs (60; 0: none), SITU_PART_SECONDS the most that another part may take (600).
SITU_PYTHON is a Python with NumPy for the tests (python3). For the comparison with other frameworks: SITU_PEERS_PYTHON, a
Python with torch and jax for CUDA, and SITU_PEER, a script as bench/compare takes it.
TEXT
}

mode=cuda out="" bench=1 built=""
while [ $# -gt 0 ]; do
    case "$1" in
    --fake) mode=fake ;;
    --opencl) mode=opencl ;;
    --out) out="${2:?--out takes a folder}"; shift ;;
    --no-bench) bench="" ;;
    --built) built=1 ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done
build="${SITU_BUILD_DIR:-$PWD/build}"
case "$build" in /*) ;; *) build="$PWD/$build" ;; esac
out="${out:-$build/gpu}"
python="${SITU_PYTHON:-python3}"
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
report="$out/report.txt"
: >"$report"
passed=0 failed=0 skipped=0

say() { printf '%s\n' "$*" | tee -a "$report"; }
verdict() { # pass|fail|skip TITLE [WHY]
    case "$1" in
    pass) passed=$((passed + 1)); say "PASS $2" ;;
    fail) failed=$((failed + 1)); say "FAIL $2${3:+: $3}" ;;
    skip) skipped=$((skipped + 1)); say "SKIP $2${3:+: $3}" ;;
    esac
}
limited() { timeout "${SITU_PART_SECONDS:-600}" "$@"; }
# check TITLE COMMAND...: its status is the verdict; its output goes to the folder
check() {
    local title="$1" log="$out/${1//[^a-zA-Z0-9]/-}.log"
    shift
    if limited "$@" >"$log" 2>&1; then verdict pass "$title"; else verdict fail "$title" "$(tail -n 3 "$log" | tr '\n' ' ' | cut -c 1-300)"; fi
}
# Lines of PASS, FAIL and SKIP of a test program, counted one by one.
lines() {
    local title="$1" log="$out/${1//[^a-zA-Z0-9]/-}.log" line
    shift
    limited "$@" >"$log" 2>&1
    local status=$?
    while IFS= read -r line; do
        case "$line" in
        "PASS "*) verdict pass "$title: ${line#PASS }" ;;
        "FAIL "*) verdict fail "$title: ${line#FAIL }" ;;
        "SKIP "*) verdict skip "$title: ${line#SKIP }" ;;
        esac
    done <"$log"
    grep -qE '^(PASS|FAIL|SKIP) ' "$log" || verdict fail "$title" "ended with $status: $(tail -n 2 "$log" | tr '\n' ' ' | cut -c 1-300)"
}

# The unit tests of these names: their numbers are added, failures are shown.
units() {
    local log="$out/unit-tests.log" last
    limited "$@" >"$log" 2>&1
    last=$(tail -n 1 "$log")
    if ! [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        verdict fail "unit tests" "$last"
        return
    fi
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
    say "unit tests: $last"
    grep -A 6 '^FAIL' "$log" | tee -a "$report"
}

[ -n "$built" ] || [ -f "$build/CMakeCache.txt" ] || check "configure" cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release
[ -n "$built" ] || check "build" cmake --build "$build" -j "$(nproc)"
[ "$failed" -eq 0 ] || { say "$passed passed, $failed failed, $skipped skipped"; exit 1; }

export SITU_BUILD_DIR="$build" SITU_GPUS=cuda SITU_SIM_GPUS=0
case "$mode" in
cuda) export SITU_TEST_CUDA=real; suite=test_cuda.py ;;
fake)
    fake="$build/fakecuda"
    export SITU_LIBCUDA="$fake/libcuda.so.1" SITU_NVRTC="$fake/libnvrtc.so" SITU_NVML="$fake/libnvidia-ml.so" SITU_CUBLASLT="$fake/libcublasLt.so"
    export SITU_CUDNN="$fake/libcudnn.so"
    export FAKECUDA_DEVICES=2 FAKECUDA_CACHE="$fake/cache" FAKECUDA_REPORT="$out/fakecuda.txt"
    suite=test_cuda.py ;;
opencl) export SITU_GPUS=opencl POCL_DEVICES="${POCL_DEVICES:-pthread pthread}"; suite=test_opencl.py ;;
esac
"$build/situ" devices >"$out/devices.txt" 2>&1
if ! grep -q '^gpu(0)' "$out/devices.txt"; then
    say "there is no GPU here: $(grep -A9 '^absent' "$out/devices.txt" | grep -E "^  (cuda|opencl)" | sed 's/^  //' | head -n 1)"
    verdict skip "everything" "no GPU"
    say "$passed passed, $failed failed, $skipped skipped"
    exit 0
fi
say "$(grep '^gpu' "$out/devices.txt" | tr -s ' ')"

if ! "$python" -c 'import numpy' 2>/dev/null; then
    verdict skip "device tests" "$python has no NumPy"
elif (. scripts/lib.sh && make_package "$python" "$build" "$out/package") >"$out/package.log" 2>&1; then
    lines "device tests" env PYTHONPATH="$out/package" "$python" "tests/python/$suite"
else
    verdict skip "device tests" "the package does not build: $(tail -n 1 "$out/package.log")"
fi
case "$mode" in
fake) units env -u SITU_LIBCUDA -u SITU_NVRTC -u SITU_NVML -u SITU_CUBLASLT -u SITU_CUDNN -u SITU_GPUS -u FAKECUDA_REPORT "$build/situ-tests" cuda/ cuda_product/ cuda_dnn/ cuda_order/ cuda_graphs/ cuda_epilogue/ fakecuda ;;
opencl) units env -u SITU_GPUS "$build/situ-tests" opencl ;;
cuda) units env -u SITU_GPUS "$build/situ-tests" cuda_text ;;
esac

# Each operation of a training step, with the products that give the CPU's bits.
epochs=1
check "a training run has the CPU's bits" env SITU_CUBLASLT=none SITU_CUDNN=none "$build/situ" diff --right "${mode/fake/cuda}" "$build/situ" train --quiet --epochs $epochs --batch 512 --hidden 64
if command -v cc >/dev/null && cc -std=gnu11 -Iinclude tests/gpu/convolutions.c -o "$out/convolutions" -L"$build" -lsitu -Wl,-rpath,"$build" 2>"$out/convolutions.log"; then
    check "a training run of convolutions has the CPU's bits" env SITU_CUBLASLT=none SITU_CUDNN=none "$build/situ" diff --right "${mode/fake/cuda}" "$out/convolutions"
else
    verdict skip "a training run of convolutions has the CPU's bits" "no C compiler"
fi
if [ "$mode" = cuda ]; then check "training on the card" "$build/situ" train --quiet --device 'gpu(0)' --epochs 20; fi

if [ "$mode" = cuda ] && { [ -x "$build/group-cards" ] || cc -std=gnu11 -Iinclude tests/group/cards.c -o "$build/group-cards" -L"$build" -lsitu -Wl,-rpath,"$build" 2>"$out/group-cards.log"; }; then
    lines "several processes" bash tests/gpu/nccl.sh "$build"
fi

if [ "$mode" != opencl ] && command -v cc >/dev/null; then
    if cc -shared -fPIC -Itests/fakecuda tests/gpu/counting.c -o "$out/libcounting.so" -ldl 2>"$out/counting.log" &&
        cc -std=gnu11 -Iinclude tests/gpu/ledger.c -o "$out/ledger" -L"$build" -lsitu -Wl,-rpath,"$build" 2>>"$out/counting.log"; then
        COUNTING_CUDA="${SITU_LIBCUDA:-libcuda.so.1}" COUNTING_REPORT="$out/counted.txt" SITU_LIBCUDA="$out/libcounting.so" "$out/ledger" >"$out/ledger.txt" 2>"$out/ledger.err"
        if [ -s "$out/counted.txt" ] && cmp -s "$out/counted.txt" "$out/ledger.txt"; then
            verdict pass "the ledger has what a counting libcuda saw: $(cat "$out/ledger.txt")"
        else
            verdict fail "the ledger and a counting libcuda" "$(cat "$out/ledger.txt" "$out/ledger.err" 2>/dev/null | tr '\n' ' ') against $(cat "$out/counted.txt" 2>/dev/null)"
        fi
    else
        verdict fail "the counting libcuda" "$(tail -n 2 "$out/counting.log" | tr '\n' ' ')"
    fi
fi

# Random programs, several at a time; one line for each that differs.
judges() {
    local jobs=$(($(nproc) > 2 ? $(nproc) - 2 : 1)) i differ=0 programs=0 log
    mkdir -p "$out/judge" || return 1
    [ -x "$out/judge/judge" ] || bash tests/judge/build.sh "$out/judge" "$build" || return 1
    for ((i = 0; i < jobs; i++)); do
        timeout $((judged + 60)) "$out/judge/judge" --card --seed $((1000000 * i + 1)) --seconds "$judged" --stop 20 >"$out/judge/$i.log" 2>&1 &
    done
    wait
    for ((i = 0; i < jobs; i++)); do
        log="$out/judge/$i.log"
        read -r programs_here differ_here < <(sed -n 's/^\([0-9]*\) programs from .*: \([0-9]*\) differ$/\1 \2/p' "$log")
        [ -n "${programs_here:-}" ] || { echo "judge $i did not end: $(tail -n 1 "$log")"; differ=$((differ + 1)); continue; }
        programs=$((programs + programs_here)) differ=$((differ + differ_here))
    done
    grep -hE '^seed [0-9]+, way' "$out"/judge/*.log
    echo "$programs programs, $differ differ"
    [ "$differ" -eq 0 ] && [ "$programs" -gt 0 ]
}
judged="${SITU_JUDGE_SECONDS:-60}"
if [ "$judged" -gt 0 ] && { command -v cc >/dev/null || [ -x "$out/judge/judge" ]; }; then
    if judges >"$out/judge.log" 2>&1; then verdict pass "random programs: $(tail -n 1 "$out/judge.log")"; else verdict fail "random programs" "$(tail -n 1 "$out/judge.log")"; fi
fi

if [ -n "$bench" ]; then
    options=(--out "$out")
    [ "$mode" = cuda ] || options+=(--small --seconds 0.02 --rounds 1 --only moves,products,graphs)
    [ -z "${SITU_PEER:-}" ] || options+=(--peer "$SITU_PEER")
    # programs that end with all they have are no mistake of the library
    check "bench/gpu" env ${FAKECUDA_REPORT:+FAKECUDA_REPORT=/dev/null} "$python" bench/gpu "${options[@]}" --program "$build/bench/run"
    [ ! -s "$out/report.md" ] || cat "$out/report.md"
fi
if [ "$mode" = fake ]; then
    if [ -s "$FAKECUDA_REPORT" ]; then verdict fail "no rule of CUDA is broken" "$(head -n 3 "$FAKECUDA_REPORT" | tr '\n' ' ')"; else verdict pass "no rule of CUDA is broken"; fi
fi
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
