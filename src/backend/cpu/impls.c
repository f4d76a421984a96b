/* The tuned implementations, in the order in which they are tried. */
#include "backend/cpu/gemm.h"
#include "backend/cpu/kernel.h"

const situ_cpu_impl situ_cpu_impls[] = {
    {"matmul", "gemm", situ_gemm_accepts, situ_gemm_run},
    {NULL, NULL, NULL, NULL},
};
