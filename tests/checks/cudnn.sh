#!/usr/bin/env bash
# The numbers in src/backend/cuda/cudnn.h are those of cuDNN's own header, where there is one: in SITU_CUDNN_HEADERS (the folder
# "include" of the package nvidia-cudnn-cu12), or where the toolkit puts it. The header is only read: no CUDA is needed.
set -u
cd "$(dirname "$0")/../.." || exit 1
for folder in "${SITU_CUDNN_HEADERS:-}" /usr/include /usr/local/cuda/include /usr/local/include; do
    [ -n "$folder" ] && [ -f "$folder/cudnn_graph.h" ] && break
    folder=""
done
[ -n "$folder" ] || { echo "SKIP cudnn: no cudnn_graph.h of cuDNN 9 (SITU_CUDNN_HEADERS names its folder)"; exit 0; }
command -v cc >/dev/null || { echo "SKIP cudnn: no C compiler"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What the header wants of CUDA's is a few names.
echo '#include <stddef.h>
typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;' >"$work/cuda_runtime_api.h"
cp "$work/cuda_runtime_api.h" "$work/cuda_runtime.h"
echo 'typedef enum { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;' >"$work/library_types.h"
{
    echo '#include <cudnn_graph.h>'
    grep -oE '\bCUDNN_[A-Za-z0-9_]+ = [0-9]+' src/backend/cuda/cudnn.h | sed -E 's/(.*) = (.*)/_Static_assert((int)\1 == \2, "\1");/'
} >"$work/numbers.c"
count=$(grep -c _Static_assert "$work/numbers.c")
if output=$(cc -fsyntax-only -I"$work" -I"$folder" "$work/numbers.c" 2>&1); then
    echo "PASS cudnn: $count numbers are those of $folder/cudnn_graph.h"
else
    echo "FAIL cudnn: $(printf '%s\n' "$output" | grep -m 1 error)"
    exit 1
fi
