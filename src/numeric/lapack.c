#include "numeric/lapack.h"
#include "os/env.h"
#include "os/thread.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"
#include "os/fp.h"
#include "os/library.h"

/* The LAPACK routines in use, by their Fortran names; lengths of strings come last. */
#define ROUTINES(T) \
    void (*potrf)(const char *, const int *, T *, const int *, int *, size_t); \
    void (*getrf)(const int *, const int *, T *, const int *, int *, int *); \
    void (*getrs)(const char *, const int *, const int *, const T *, const int *, const int *, T *, const int *, int *, size_t); \
    void (*geqrf)(const int *, const int *, T *, const int *, T *, T *, const int *, int *); \
    void (*orgqr)(const int *, const int *, const int *, T *, const int *, const T *, T *, const int *, int *)
typedef struct real_routines {
    ROUTINES(double);
    void (*heevd)(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
        const int *, int *, size_t, size_t);
    void (*gesdd)(const char *, const int *, const int *, double *, const int *, double *, double *, const int *, double *,
        const int *, double *, const int *, int *, int *, size_t);
} real_routines;
typedef situ_complex_f64 number;
typedef struct complex_routines {
    ROUTINES(number);
    void (*heevd)(const char *, const char *, const int *, number *, const int *, double *, number *, const int *, double *,
        const int *, int *, const int *, int *, size_t, size_t);
    void (*gesdd)(const char *, const int *, const int *, number *, const int *, double *, number *, const int *, number *,
        const int *, number *, const int *, double *, int *, int *, size_t);
    void (*geev)(const char *, const char *, const int *, number *, const int *, number *, number *, const int *, number *,
        const int *, number *, const int *, double *, int *, size_t, size_t);
} complex_routines;
typedef struct routines {
    real_routines real;
    complex_routines complex_;
    void (*set_threads)(int count); /* OpenBLAS: sets the number of threads of the process; situ has its own threads */
} routines;

#define AT(field) offsetof(routines, field)
static const situ_symbol symbols[] = {
    {"dpotrf_", AT(real.potrf), false},
    {"dgetrf_", AT(real.getrf), false},
    {"dgetrs_", AT(real.getrs), false},
    {"dgeqrf_", AT(real.geqrf), false},
    {"dorgqr_", AT(real.orgqr), false},
    {"dsyevd_", AT(real.heevd), false},
    {"dgesdd_", AT(real.gesdd), false},
    {"zpotrf_", AT(complex_.potrf), false},
    {"zgetrf_", AT(complex_.getrf), false},
    {"zgetrs_", AT(complex_.getrs), false},
    {"zgeqrf_", AT(complex_.geqrf), false},
    {"zungqr_", AT(complex_.orgqr), false},
    {"zheevd_", AT(complex_.heevd), false},
    {"zgesdd_", AT(complex_.gesdd), false},
    {"zgeev_", AT(complex_.geev), false},
    {"openblas_set_num_threads", AT(set_threads), true},
    {NULL, 0, false},
};
static const char *const files[] = {SITU_LIBRARY("openblas", "0"), SITU_LIBRARY("lapack", "3")};

static situ_once once = SITU_ONCE_INIT;
static routines library;
static char description[64] = "own";

static void open_library(void)
{
    const char *wish = situ_env("SITU_LAPACK");
    char reason[512];
    for (size_t i = 0; i < sizeof files / sizeof *files && !(wish && !strcmp(wish, "own")); i++) {
        void *handle = situ_library_open((const char *const[]){files[i], NULL}, reason, sizeof reason);
        if (!handle) continue;
        if (!situ_library_symbols(handle, symbols, &library, reason, sizeof reason)) {
            if (library.set_threads) library.set_threads(1);
            snprintf(description, sizeof description, "LAPACK (%s)", files[i]);
            return;
        }
        situ_library_close(handle);
        memset(&library, 0, sizeof library);
    }
}

const char *situ_lapack_library(void)
{
    situ_call_once(&once, open_library);
    return description;
}

/* Large enough to be worth a call, and small enough for LAPACK's 32-bit integers. */
static bool served(int64_t m, int64_t n)
{
    enum { MOST = 16384 };
    if (m < SITU_LAPACK_LEAST || n > MOST || m > (int64_t)MOST * MOST / (n ? n : 1)) return false;
    situ_call_once(&once, open_library);
    return library.real.potrf != NULL;
}

static bool finite_real(int64_t n, const double *a)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

static bool finite_complex(int64_t n, const number *a) { return finite_real(2 * n, (const double *)(const void *)a); }

#define T double
#define CONJ(x) (x)
#define NAME(f) f##_real
#define ROUTINE library.real
#define EXTRA(...)
#include "numeric/lapack.inc"
#undef T
#undef CONJ
#undef NAME
#undef ROUTINE
#undef EXTRA
#define T number
#define CONJ(x) conj(x)
#define NAME(f) f##_complex
#define ROUTINE library.complex_
#define EXTRA(...) __VA_ARGS__
#include "numeric/lapack.inc"

/* LAPACK sees the transpose, whose left eigenvectors are the conjugates of the eigenvectors wanted here. */
bool situ_factor_eig_complex(int64_t n, number *a, number *w, number *v, number *work)
{
    int64_t lwork = 32 * n + 1;
    int size = (int)n, one = 1, capacity = (int)lwork, info = 0;
    bool use = served(n, n) && finite_complex(n * n, a);
    number *left = use ? situ_malloc((size_t)(n * n + lwork + n) * sizeof *left) : NULL;
    if (!left) return situ_eig_complex(n, a, w, v, work);
    uint64_t word = situ_fp_save();
    library.complex_.geev(v ? "V" : "N", "N", &size, a, &size, w, left, v ? &size : &one, left, &one, left + n * n, &capacity,
        (double *)(void *)(left + n * n + lwork), &info, 1, 1);
    situ_fp_restore(word);
    for (int64_t i = 0; v && i < n; i++)
        for (int64_t k = 0; k < n; k++) v[i * n + k] = conj(left[k * n + i]);
    situ_free(left);
    return info == 0;
}
