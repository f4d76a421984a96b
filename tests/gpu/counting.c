/* A libcuda that counts: it stands before the real one (COUNTING_CUDA=path) and passes every call on. At the end it
 * writes what was copied to the file COUNTING_REPORT, for tests/gpu.sh, which compares that with the ledger.
 *
 *     cc -shared -fPIC -Itests/fakecuda tests/gpu/counting.c -o libcounting.so -ldl
 *     SITU_LIBCUDA=./libcounting.so COUNTING_CUDA=libcuda.so.1 COUNTING_REPORT=copies.txt program */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { _Atomic long long up, down, inside, waits; } bytes;

static void *real(const char *name)
{
    static void *_Atomic library;
    const char *path = getenv("COUNTING_CUDA");
    if (!library) library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
    return library ? dlsym(library, name) : NULL;
}

static void count(const char *name, long third)
{
    if (strstr(name, "MemcpyHtoD")) bytes.up += third;
    else if (strstr(name, "MemcpyDtoH")) bytes.down += third;
    else if (strstr(name, "MemcpyDtoD")) bytes.inside += third;
    else if (strstr(name, "Synchronize")) bytes.waits++;
}

/* Whole numbers and pointers alone: the calling conventions of x86-64 and ARM pass any number of these alike. */
#define F(name, flags) \
    __attribute__((visibility("default"))) int name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k) \
    { \
        static int (*_Atomic next)(long, long, long, long, long, long, long, long, long, long, long); \
        if (!next) *(void **)&next = real(#name); \
        if (!next) return 500; /* CUDA_ERROR_NOT_FOUND */ \
        count(#name, c); \
        return next(a, b, c, d, e, f, g, h, i, j, k); \
    }
#include "functions.def"

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("COUNTING_REPORT");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) return;
    fprintf(f, "upload %lld download %lld\n", bytes.up, bytes.down);
    fclose(f);
}
