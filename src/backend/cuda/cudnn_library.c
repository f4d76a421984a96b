/* Opening cuDNN, once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cudnn.h"
#include "os/env.h"
#include "os/library.h"
#include "os/thread.h"

#define REQUIRED(name) \
    { \
        "cudnn" #name, offsetof(situ_cudnn_api, name), false \
    }
static const situ_symbol symbols[] = {REQUIRED(GetVersion), REQUIRED(GetErrorString),
    {"cudnnGetCudartVersion", offsetof(situ_cudnn_api, GetCudartVersion), true}, REQUIRED(Create), REQUIRED(Destroy),
    REQUIRED(SetStream), REQUIRED(BackendCreateDescriptor), REQUIRED(BackendDestroyDescriptor), REQUIRED(BackendSetAttribute),
    REQUIRED(BackendGetAttribute), REQUIRED(BackendFinalize), REQUIRED(BackendExecute), {NULL, 0, false}};

enum { OLDEST = 8900, NINE = 90000 };

static situ_once once = SITU_ONCE_INIT;
static situ_cudnn_api api;
static bool there;
static char reason[640], name[64];

/* 9.1.0 is 90100, 8.9.7 was 8907. */
static void write_version(char *text, size_t size, size_t v)
{
    size_t of = v >= NINE ? 10000 : 1000;
    snprintf(text, size, "%zu.%zu.%zu", v / of, v % of / 100, v % 100);
}

/* cuDNN opens the cuBLASLt of its CUDA version by its bare name when it needs it, and ends the program if there is
 * none. A library that is already open under another path is found by that name, too, so this looks where packages
 * install it. It stays open. */
static bool find_products(const char *version)
{
    static const char *const places[] = {"", "/../../cublas/lib", "/../../cu13/lib", "/../../cu12/lib"};
    char bare[48], said[400], folder[600], path[800];
    const char *named = situ_env("SITU_CUBLASLT");
    size_t cuda = api.GetCudartVersion ? api.GetCudartVersion() / 1000 : 0;
    if (!cuda) return true;
    snprintf(bare, sizeof bare, SITU_LIBRARY("cublasLt", "%zu"), cuda);
    const char *const plain[] = {bare, NULL}, *const given[] = {named, NULL}, *const found[] = {path, NULL};
    if (situ_library_open(plain, said, sizeof said)) return true;
    if (named && *named && situ_library_open(given, said, sizeof said) && situ_library_open(plain, said, sizeof said)) return true;
    bool known = situ_library_path(*(void *const *)(const void *)&api.Create, folder, sizeof folder);
    char *slash = known ? strrchr(folder, '/') : NULL;
    if (slash) *slash = 0;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s/%s", folder, places[i], bare);
        if (situ_library_open(found, said, sizeof said)) return true;
    }
    snprintf(reason, sizeof reason,
        "cuDNN %s needs %s, which was not found: pip install nvidia-cublas-cu%zu, or set SITU_CUBLASLT to it", version, bare, cuda);
    return false;
}

static void check(void *library)
{
    char missing[400], version[48];
    if (situ_library_symbols(library, symbols, &api, missing, sizeof missing)) {
        snprintf(reason, sizeof reason, "cuDNN is too old: it lacks %.300s", missing);
        return;
    }
    write_version(version, sizeof version, api.GetVersion());
    if (api.GetVersion() < OLDEST) {
        snprintf(reason, sizeof reason, "cuDNN is too old: its version is %s, and situ needs 8.9 or newer", version);
        return;
    }
    if (!find_products(version)) return;
    snprintf(name, sizeof name, "cuDNN %s", version);
    there = true;
}

static void open_library(void)
{
    static const char *const usual[] = {SITU_LIBRARY("cudnn", "9"), SITU_LIBRARY("cudnn", "8"), SITU_LIBRARY_ANY("cudnn"),
        "/usr/local/cuda/lib64/" SITU_LIBRARY_ANY("cudnn"), NULL};
    const char *path = situ_env("SITU_CUDNN"), *given[] = {path, NULL};
    bool named = path && *path;
    if (named && !strcmp(path, "none")) {
        snprintf(reason, sizeof reason, "SITU_CUDNN=none");
        return;
    }
    char said[400];
    void *library = situ_library_open(named ? given : usual, said, sizeof said);
    if (!library && situ_library_absent(said)) {
        snprintf(reason, sizeof reason,
            "cuDNN was not found (%.300s): install it, or pip install nvidia-cudnn-cu12 and set SITU_CUDNN to its " SITU_LIBRARY(
                "cudnn", "9"),
            named ? path : usual[0]);
        return;
    }
    if (!library) {
        snprintf(reason, sizeof reason, "cuDNN cannot be loaded: %.400s", said);
        return;
    }
    check(library);
    if (!there) situ_library_close(library);
}

const situ_cudnn_api *situ_cudnn(const char **why)
{
    situ_call_once(&once, open_library);
    *why = reason;
    return there ? &api : NULL;
}

const char *situ_cudnn_name(void) { return name; }

const char *situ_cudnn_status(int status)
{
    const char *text = there ? api.GetErrorString(status) : NULL;
    return text ? text : "an error of cuDNN";
}
