#!/usr/bin/env bash
# clang's libFuzzer on the readers of foreign bytes (tests/fuzz), SITU_FUZZ_SECONDS (6) each, from tests/fuzz/corpus; in the gate one
# half of them at each commit (SITU_TURN). The
# readers' own files are built with sanitizers and coverage; the rest is the built library.
set -u
cd "$(dirname "$0")/../.." || exit 1
library="${SITU_BUILD_DIR:-build}/libsitu.a" clang="${SITU_FUZZ_CC:-clang}" seconds="${SITU_FUZZ_SECONDS:-6}"
readers="src/data/idx.c src/data/csv.c src/data/numpy.c src/data/text.c src/data/pairs.c src/data/cifar.c
    src/data/image.c src/data/image_folder.c src/file/gzip.c src/base/utf8.c src/device/names.c src/os/linux/machine.c src/backend/cpu/gemm/tuning.c src/base/cache.c src/os/posix/file.c src/os/posix/virtual.c
    src/file/archive.c src/file/json.c src/file/mapping.c src/file/virtual.c src/file/open.c src/file/safetensors.c
    src/file/gguf.c src/file/blocks.c src/model/tokenizer.c src/model/tokenizer_gguf.c src/model/tokenizer_json.c
    src/model/vocabulary.c src/model/merges.c src/model/pieces.c src/model/wordpiece.c src/model/unicode.c
    src/file/npy.c src/train/checkpoint.c src/train/status.c src/train/timeline.c
    src/onnx/wire.c src/onnx/model.c src/onnx/link.c src/onnx/load.c src/onnx/table.c
    src/onnx/call.c src/onnx/host.c src/onnx/shape.c src/onnx/index.c src/onnx/attention.c src/onnx/sample.c
    src/base/debug.c src/base/isa.c src/base/pool.c src/device/shortage.c
    src/backend/sim/cluster.c src/backend/sim/routes.c src/backend/sim/flow.c"
half=${SITU_TURN:+$((SITU_TURN % 2))}
command -v "$clang" >/dev/null || { echo "SKIP fuzz: no $clang"; exit 0; }
[ -f "$library" ] || { echo "FAIL fuzz: $library is not built"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' >"$scratch/empty.c"
"$clang" -fsanitize=fuzzer,address,undefined "$scratch/empty.c" -o "$scratch/empty" 2>/dev/null ||
    { echo "SKIP fuzz: $clang has no libFuzzer (libclang-rt-dev)"; exit 0; }
flags=(-std=gnu11 -O1 -g -D_GNU_SOURCE -Wno-macro-redefined -Iinclude -Isrc -fno-sanitize-recover=all)
objects=()
for reader in $readers; do
    object="$scratch/${reader//\//_}.o"
    ${SITU_CACHED:-} "$clang" "${flags[@]}" -DSITU_BUILD -fsanitize=fuzzer-no-link,address,undefined -c "$reader" -o "$object" 2>"$scratch/log" ||
        { head -5 "$scratch/log"; echo "FAIL fuzz: $reader does not build"; exit 1; }
    objects+=("$object")
done
status=0
number=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c) name=${name#fuzz_}
    [ $((number++ % 2)) = "$half" ] || [ -z "$half" ] || continue
    if ! "$clang" "${flags[@]}" -fsanitize=fuzzer,address,undefined "$source" "${objects[@]}" "$library" -lm -lpthread -ldl \
        -o "$scratch/$name" 2>"$scratch/log"; then
        head -5 "$scratch/log"
        echo "FAIL fuzz $name: it does not build"
        status=1
        continue
    fi
    mkdir "$scratch/found_$name"
    if "$scratch/$name" -seed="${SITU_JOB_SEED:-0}" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -artifact_prefix="$scratch/" \
        "$scratch/found_$name" "tests/fuzz/corpus/$name" >"$scratch/log" 2>&1; then
        echo "PASS fuzz $name: $(grep -oE 'Done [0-9]+ runs' "$scratch/log")"
    else
        grep -E -A12 'ERROR|runtime error' "$scratch/log" | head -30
        grep -E '^Base64' "$scratch/log"
        echo "FAIL fuzz $name"
        status=1
    fi
done
exit "$status"
