/* OpenCL C 1.2 with double precision. */
#include "codegen/el_text.h"
#include "codegen/parallel.h"

#define OPENCL \
    .name = "OpenCL", .options = "-cl-std=CL1.2 -w", .words = situ_text_words_opencl, .global = "GLOBAL ", .offsets = true, \
    .unroll = "", \
    .type = {[SITU_BOOL] = "uchar", \
        [SITU_U8] = "uchar", \
        [SITU_U16] = "ushort", \
        [SITU_U32] = "uint", \
        [SITU_U64] = "ulong", \
        [SITU_I8] = "char", \
        [SITU_I16] = "short", \
        [SITU_I32] = "int", \
        [SITU_I64] = "long", \
        [SITU_F16] = "ushort", \
        [SITU_BF16] = "ushort", \
        [SITU_F32] = "float", \
        [SITU_F64] = "double", \
        [SITU_C64] = "c64_F", \
        [SITU_C128] = "c128_F"}, \
    .kernel = situ_parallel_kernel

const situ_dialect situ_dialect_opencl = {OPENCL};
/* A work-item of a CPU is one of its threads; a wide vector register replaces many work-items. */
const situ_dialect situ_dialect_opencl_cpu = {OPENCL, .vector = 32};
