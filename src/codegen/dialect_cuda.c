/* CUDA C, as compiled by NVRTC. */
#include "codegen/el_text.h"
#include "codegen/parallel.h"

const situ_dialect situ_dialect_cuda = {
    .name = "CUDA",
    .options = "--fmad=false --prec-div=true --prec-sqrt=true --ftz=false",
    .words = situ_text_words_cuda,
    .global = "GLOBAL ",
    .packs = true,
    .unroll = "#pragma unroll 4\n",
    .type = {[SITU_BOOL] = "unsigned char",
        [SITU_U8] = "unsigned char",
        [SITU_U16] = "unsigned short",
        [SITU_U32] = "unsigned int",
        [SITU_U64] = "unsigned long long",
        [SITU_I8] = "signed char",
        [SITU_I16] = "short",
        [SITU_I32] = "int",
        [SITU_I64] = "long long",
        [SITU_F16] = "unsigned short",
        [SITU_BF16] = "unsigned short",
        [SITU_F32] = "float",
        [SITU_F64] = "double",
        [SITU_C64] = "c64_F",
        [SITU_C128] = "c128_F"},
    .kernel = situ_parallel_kernel,
};
