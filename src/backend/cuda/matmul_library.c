/* Opening cuBLASLt, once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/matmul.h"
#include "os/env.h"
#include "os/library.h"

#define REQUIRED(name) \
    { \
        "cublasLt" #name, offsetof(situ_cublaslt_api, name), false \
    }
static const situ_symbol symbols[] = {REQUIRED(GetVersion), REQUIRED(Create), REQUIRED(Destroy), REQUIRED(MatmulDescCreate),
    REQUIRED(MatmulDescDestroy), REQUIRED(MatmulDescSetAttribute), REQUIRED(MatrixLayoutCreate), REQUIRED(MatrixLayoutDestroy),
    REQUIRED(MatrixLayoutSetAttribute), REQUIRED(MatmulPreferenceCreate), REQUIRED(MatmulPreferenceDestroy),
    REQUIRED(MatmulPreferenceSetAttribute), REQUIRED(MatmulAlgoGetHeuristic), REQUIRED(Matmul), {NULL, 0, false}};

enum { OLDEST = 120000 };

static situ_once once = SITU_ONCE_INIT;
static situ_cublaslt_api api;
static bool there;
static char reason[640], name[64];

static void open_library(void)
{
    static const char *const usual[] = {SITU_LIBRARY("cublasLt", "13"), SITU_LIBRARY("cublasLt", "12"),
        SITU_LIBRARY_ANY("cublasLt"), "/usr/local/cuda/lib64/" SITU_LIBRARY_ANY("cublasLt"), NULL};
    const char *path = situ_env("SITU_CUBLASLT"), *given[] = {path, NULL};
    if (path && !strcmp(path, "none")) {
        snprintf(reason, sizeof reason, "SITU_CUBLASLT=none");
        return;
    }
    char said[400], missing[400];
    void *library = situ_library_open(path && *path ? given : usual, said, sizeof said);
    if (!library) {
        snprintf(reason, sizeof reason,
            "cuBLASLt was not found (%.300s): install the CUDA toolkit, or pip install nvidia-cublas-cu12 and set SITU_CUBLASLT to "
            "its " SITU_LIBRARY("cublasLt", "12"),
            path && *path ? path : SITU_LIBRARY("cublasLt", "12"));
        return;
    }
    if (situ_library_symbols(library, symbols, &api, missing, sizeof missing)) {
        snprintf(reason, sizeof reason, "cuBLASLt is too old: it lacks %.300s", missing);
    } else if (api.GetVersion() < OLDEST) {
        snprintf(
            reason, sizeof reason, "cuBLASLt is too old: its version is %zu, and situ needs %d or newer", api.GetVersion(), OLDEST);
    } else {
        size_t v = api.GetVersion();
        snprintf(name, sizeof name, "cuBLASLt %zu.%zu.%zu", v / 10000, v / 100 % 100, v % 100);
        there = true;
        return;
    }
    situ_library_close(library);
}

const situ_cublaslt_api *situ_cublaslt(const char **why)
{
    situ_call_once(&once, open_library);
    *why = reason;
    return there ? &api : NULL;
}

const char *situ_cuda_matmul_name(void) { return name; }

const char *situ_cublas_status(int status)
{
    switch (status) {
    case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "an error of cuBLAS";
    }
}
