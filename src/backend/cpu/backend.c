/* The CPU as a device: all cores and main memory. Kernels run in the launching thread and in the thread pool. */
#include "device/backend.h"
#include "os/env.h"

#include "backend/cpu/cpu.h"
#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/tiles/tile.h"
#include "base/error.h"
#include "base/isa.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

static int count(char *reason, size_t size)
{
    (void)reason, (void)size;
    return 1;
}

/* Checks environment variables: an invalid value is an error. */
static int check_environment(void)
{
    const char *threads = situ_env("SITU_THREADS"), *isa = situ_env("SITU_ISA"), *blas = situ_env("SITU_BLAS");
    if (threads && situ_threads_of(threads) < 0)
        return situ_fail(SITU_BAD_OPTION, NULL,
            "SITU_THREADS=%.40s in the environment is no number of threads; write 1 to 1024, or unset it for as many as there are "
            "CPUs",
            threads);
    if (!situ_isa_any())
        return situ_fail(SITU_UNSUPPORTED, NULL,
            "this library has kernels for processors with %s alone, and this one lacks it; build it on this machine",
            situ_isa_name(situ_isa_machine()));
    if (isa && *isa && situ_isa_of(isa) < 0)
        return situ_fail(SITU_BAD_OPTION, NULL,
            "SITU_ISA=%.40s in the environment is no instruction set of this library; write %s, or unset it for the best that "
            "the machine has",
            isa, situ_isa_names());
    if (blas && *blas && situ_blas_of(blas) < 0)
        return situ_fail(SITU_BAD_OPTION, NULL,
            "SITU_BLAS=%.40s in the environment is no implementation of products; write own, onednn, blis, openblas or mkl, or "
            "unset it",
            blas);
    return 0;
}

static int open_device(situ_dev *d)
{
    d->parallel = true;
    return check_environment();
}

static void close_device(situ_dev *d) { (void)d; }

/* ---------------------------------------------------------------- copies */

enum { PIECE = 1 << 20 };

typedef struct piecewise {
    char *to;
    const char *from;
    size_t bytes;
} piecewise;

static void copy_piece(void *context, int64_t index)
{
    const piecewise *c = context;
    size_t at = (size_t)index * PIECE, left = c->bytes - at;
    memcpy(c->to + at, c->from + at, left < PIECE ? left : PIECE);
}

static int move(situ_dev *d, void *to, const void *from, size_t bytes)
{
    piecewise c = {to, from, bytes};
    if (!bytes || to == from) return 0;
    if (bytes < 2 * PIECE || !d->parallel) memcpy(to, from, bytes);
    else situ_pool_run(copy_piece, &c, (int64_t)((bytes + PIECE - 1) / PIECE));
    return 0;
}

static int copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes)
{
    (void)from_dev;
    return move(d, to, from, bytes);
}

/* ---------------------------------------------------------------- kernels */

static void *compile(situ_dev *d, const situ_kernel_desc *desc)
{
    (void)d;
    return situ_cpu_kernel_new(desc);
}

static void drop(situ_dev *d, void *kernel)
{
    (void)d;
    situ_cpu_kernel_free(kernel);
}

static int launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    return situ_cpu_kernel_run(kernel, address, argument, fault, d->parallel);
}

static bool element(int el, int d, void *out, const void *a, const void *b, const void *c)
{
    situ_tile_fn run = situ_tiles_best()->op[el][d];
    if (run) run(out, a, b, c, 1);
    return run != NULL;
}

static void explain(const void *kernel, const char **chosen, const char **refusals)
{
    *chosen = situ_cpu_kernel_chosen(kernel);
    *refusals = situ_cpu_kernel_refusals(kernel);
}

const situ_backend situ_backend_cpu = {
    .name = "cpu",
    .kind = SITU_CPU,
    .host_queue = true,
    .bit_equal = true,
    .row_programs = true,
    .host_calls = true,
    .shares_threads = true,
    .count = count,
    .open = open_device,
    .close = close_device,
    .alloc = situ_cpu_alloc,
    .free = situ_cpu_free,
    .upload = move,
    .download = move,
    .copy = copy,
    .compile = compile,
    .drop = drop,
    .launch = launch,
    .info = situ_cpu_info,
    .element = element,
    .explain = explain,
    .claims = situ_cpu_claims,
    .packs = situ_gemm_packable,
    .sure = situ_gemm_sure,
};
