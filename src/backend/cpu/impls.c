/* The tuned implementations, in the order in which they are tried. */
#include "backend/cpu/convolve.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/kernel.h"

const situ_cpu_impl situ_cpu_impls[] = {
    {"matmul", "gemm", situ_gemm_accepts, situ_gemm_run},
    {"conv2d", "direct", situ_convolve_accepts, situ_convolve_value},
    {"conv2d_input", "direct", situ_convolve_accepts, situ_convolve_input},
    {"conv2d_weight", "direct", situ_convolve_accepts, situ_convolve_weight},
    {NULL, NULL, NULL, NULL},
};
