/* BLAS libraries, each opened at its first use and called with one thread; threads are ours. Their own thread pools
 * spin, and become very slow when another process needs the core. */
#include "backend/cpu/gemm/gemm.h"
#include "os/env.h"
#include "os/thread.h"

#include "base/isa.h"
#include "os/fp.h"
#include "os/library.h"
#include "os/lock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*onednn_fn)(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
    const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
typedef void (*sgemm_fn)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
    int ldb, float beta, float *c, int ldc);
typedef void (*dgemm_fn)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda, const double *b,
    int ldb, double beta, double *c, int ldc);
enum { ROW_MAJOR = 101, AS_IS = 111, TRANSPOSED = 112 };

/* oneDNN's dnnl_version_t, the same in versions 2 and 3. */
typedef struct onednn_version {
    int major, minor, patch;
    const char *hash;
    unsigned cpu_runtime, gpu_runtime;
} onednn_version;
enum {
    ONEDNN_SEQUENTIAL = 1,
    ONEDNN_OPENMP = 2
}; /* oneDNN runtimes that can be limited to one thread. Those with TBB, SYCL or the program's threads cannot. */

/* Functions of a library; NULL: it does not have this one. */
typedef struct functions {
    onednn_fn onednn;
    const onednn_version *(*onednn_version)(void);
    sgemm_fn sgemm;
    dgemm_fn dgemm;
    void (*set_threads)(int count);      /* of the process */
    int (*set_local_threads)(int count); /* MKL: of this thread */
    int (*openmp_threads)(void);         /* OpenMP: of this thread */
    void (*set_openmp_threads)(int count);
} functions;

typedef struct candidate {
    const char *key, *name;
    const char *files[4];
    situ_symbol symbols[7];
} candidate;

#define AT(field) offsetof(functions, field)
#define OPENMP \
    {"omp_get_max_threads", AT(openmp_threads), true}, { "omp_set_num_threads", AT(set_openmp_threads), true }
static const candidate candidates[] = {
    {"onednn", "oneDNN", {SITU_LIBRARY("dnnl", "3"), SITU_LIBRARY("dnnl", "2"), NULL},
        {{"dnnl_sgemm", AT(onednn), false}, {"dnnl_version", AT(onednn_version), false}, OPENMP, {NULL, 0, false}}},
    {"blis", "BLIS", {SITU_LIBRARY("blis", "4"), SITU_LIBRARY_ANY("blis"), NULL},
        {{"cblas_sgemm", AT(sgemm), false}, {"cblas_dgemm", AT(dgemm), false},
            {"bli_thread_set_num_threads", AT(set_threads), true}, OPENMP, {NULL, 0, false}}},
    {"openblas", "OpenBLAS", {SITU_LIBRARY("openblas", "0"), SITU_LIBRARY_ANY("openblas"), NULL},
        {{"cblas_sgemm", AT(sgemm), false}, {"cblas_dgemm", AT(dgemm), false}, {"openblas_set_num_threads", AT(set_threads), true},
            OPENMP, {NULL, 0, false}}},
    {"mkl", "MKL", {SITU_LIBRARY("mkl_rt", "2"), SITU_LIBRARY("mkl_rt", "3"), NULL},
        {{"cblas_sgemm", AT(sgemm), false}, {"cblas_dgemm", AT(dgemm), false},
            {"MKL_Set_Num_Threads_Local", AT(set_local_threads), false}, {NULL, 0, false}}},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };
_Static_assert(CANDIDATES == SITU_BLASES - 1, "in the order of situ_blas, which begins with our own");

enum { UNTRIED, THERE, ABSENT };
typedef struct library {
    _Atomic int state;
    functions f;
    char description[64];
} library;
static library libraries[CANDIDATES];
SITU_LOCK(opening);

static situ_once once = SITU_ONCE_INIT;
static int by_default;
static bool asked;
static char own_description[64], wish_text[256];

/* Whether this build of the library can be limited to one thread. */
static bool keeps_to_one_thread(const functions *f)
{
    return !f->onednn_version || f->onednn_version()->cpu_runtime & (ONEDNN_SEQUENTIAL | ONEDNN_OPENMP);
}

static bool open_candidate(const candidate *c, library *l)
{
    char reason[512];
    for (const char *const *file = c->files; *file; file++) {
        functions f = {0};
        void *handle = situ_library_open((const char *const[]){*file, NULL}, reason, sizeof reason);
        if (!handle) continue;
        if (situ_library_symbols(handle, c->symbols, &f, reason, sizeof reason) || !keeps_to_one_thread(&f)) {
            situ_library_close(handle);
            continue;
        }
        if (f.set_threads) f.set_threads(1);
        l->f = f;
        snprintf(l->description, sizeof l->description, "%s (%s)", c->name, *file);
        return true;
    }
    return false;
}

/* The library of an implementation, opened at the first call; NULL for our own kernels, or if it is not installed. */
static const library *library_of(int blas)
{
    if (blas <= SITU_BLAS_OWN || blas >= SITU_BLASES) return NULL;
    library *l = &libraries[blas - 1];
    if (atomic_load_explicit(&l->state, memory_order_acquire) == UNTRIED) {
        situ_mutex_lock(&opening);
        if (l->state == UNTRIED) atomic_store(&l->state, open_candidate(&candidates[blas - 1], l) ? THERE : ABSENT);
        situ_mutex_unlock(&opening);
    }
    return l->state == THERE ? l : NULL;
}

const char *situ_blas_key(int blas) { return blas == SITU_BLAS_OWN ? "own" : candidates[blas - 1].key; }

int situ_blas_of(const char *key)
{
    for (int i = 0; i < SITU_BLASES; i++)
        if (!strcmp(key, situ_blas_key(i))) return i;
    return -1;
}

static void choose_default(void)
{
    const char *wish = situ_env("SITU_BLAS");
    asked = wish && *wish;
    /* With AVX2 and AVX-512 our kernels are as fast (bench/NOTES.md), and their bits are the same everywhere. */
    bool own = asked ? !strcmp(wish, "own") : situ_isa_get() >= SITU_ISA_AVX2;
    snprintf(own_description, sizeof own_description, "own (%s)", situ_isa_name(situ_isa_get()));
    for (int i = SITU_BLAS_OWN + 1; i < SITU_BLASES && !own && !by_default; i++)
        if ((!asked || !strcmp(wish, situ_blas_key(i))) && library_of(i)) by_default = i;
    if (!asked) return;
    bool known = situ_blas_of(wish) >= 0, served = own || by_default;
    snprintf(wish_text, sizeof wish_text, "SITU_BLAS=%.40s goes before any file%s: %s", wish,
        served    ? "" :
            known ? ", but is not found here, or only in a build that cannot be kept to one thread" :
                    ", but is none of own, onednn, blis, openblas, mkl",
        by_default ? library_of(by_default)->description : own_description);
}

int situ_blas_default(void)
{
    situ_call_once(&once, choose_default);
    return by_default;
}

bool situ_blas_asked(void)
{
    situ_blas_default();
    return asked;
}

const char *situ_blas_wish(void) { return situ_blas_asked() ? wish_text : NULL; }

const char *situ_gemm_library(void)
{
    const library *l = library_of(situ_blas_default());
    return l ? l->description : own_description;
}

/* ---------------------------------------------------------------- calls */

/* A matrix as a BLAS expects it: rows or columns are contiguous. */
typedef struct operand {
    bool transposed;
    int64_t leading;
} operand;

static bool describe(operand *o, int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    if ((column == 1 || columns == 1) && (row >= columns || rows == 1)) {
        *o = (operand){false, rows == 1 && row < columns ? columns : row};
        return true;
    }
    if ((row == 1 || rows == 1) && (column >= rows || columns == 1)) {
        *o = (operand){true, columns == 1 && column < rows ? rows : column};
        return true;
    }
    return false;
}

static void call(const functions *f, int type, const situ_gemm *p, operand a, operand b)
{
    int ta = a.transposed ? TRANSPOSED : AS_IS, tb = b.transposed ? TRANSPOSED : AS_IS;
    if (f->onednn)
        f->onednn(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', p->m, p->n, p->k, 1, p->a, a.leading, p->b, b.leading, 0,
            p->c, p->c_row);
    else if (type == SITU_GEMM_F32)
        f->sgemm(ROW_MAJOR, ta, tb, (int)p->m, (int)p->n, (int)p->k, 1, p->a, (int)a.leading, p->b, (int)b.leading, 0, p->c,
            (int)p->c_row);
    else
        f->dgemm(ROW_MAJOR, ta, tb, (int)p->m, (int)p->n, (int)p->k, 1, p->a, (int)a.leading, p->b, (int)b.leading, 0, p->c,
            (int)p->c_row);
}

/* Restores the thread's settings afterwards, because it may be the host program's thread. */
static void call_with_one_thread(const functions *f, int type, const situ_gemm *p, operand a, operand b)
{
    uint64_t word = situ_fp_save();
    int openmp = f->openmp_threads && f->set_openmp_threads ? f->openmp_threads() : 1;
    int local = f->set_local_threads ? f->set_local_threads(1) : 0;
    if (openmp != 1) f->set_openmp_threads(1);
    call(f, type, p, a, b);
    if (openmp != 1) f->set_openmp_threads(openmp);
    if (f->set_local_threads) f->set_local_threads(local);
    situ_fp_restore(word);
}

bool situ_blas_has(int blas, int type)
{
    const library *l = library_of(blas);
    if (!l) return blas == SITU_BLAS_OWN;
    return type == SITU_GEMM_F32 ? l->f.onednn || l->f.sgemm : l->f.dgemm != NULL;
}

bool situ_gemm_by_library(int blas, int type, const situ_gemm *p)
{
    operand a, b;
    if (blas == SITU_BLAS_OWN || !situ_blas_has(blas, type)) return false;
    if (!describe(&a, p->m, p->k, p->a_row, p->a_column) || !describe(&b, p->k, p->n, p->b_row, p->b_column)) return false;
    if (p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX || a.leading > INT_MAX || b.leading > INT_MAX || p->c_row > INT_MAX)
        return false;
    call_with_one_thread(&library_of(blas)->f, type, p, a, b);
    return true;
}
