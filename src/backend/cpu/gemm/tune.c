/* situ_tune: measures which code multiplies matrices fastest, and writes the tuning file. */
#include <situ/tune.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/gemm/tuning.h"
#include "base/memory.h"
#include "device/backend.h"
#include "op/support.h"
#include "os/file.h"
#include "os/plain.h"
#include "os/wait.h"
#include "tensor/shape.h"

enum { PATH = 1024, LEAST_ROUNDS = 3, MOST_BYTES_SHIFT = 32, SHORTEST_NS = 200000 };
static const double better = 1.05; /* how much faster than our own kernels, whose bits are the same everywhere, a
                                    * library must be */

static const situ_tune_size usual[] = {
    {32, 32, 32, SITU_F32},
    {64, 64, 64, SITU_F32},
    {100, 100, 100, SITU_F32},
    {128, 128, 128, SITU_F32},
    {256, 256, 256, SITU_F32},
    {512, 512, 512, SITU_F32},
    {1024, 1024, 1024, SITU_F32},
    {2048, 2048, 2048, SITU_F32},
    {32, 784, 256, SITU_F32},
    {256, 784, 256, SITU_F32},
    {784, 256, 256, SITU_F32},
    {2048, 128, 512, SITU_F32},
    {2048, 512, 128, SITU_F32},
    {128, 2048, 512, SITU_F32},
    {64, 64, 64, SITU_F64},
    {128, 128, 128, SITU_F64},
    {256, 256, 256, SITU_F64},
    {512, 512, 512, SITU_F64},
    {1024, 1024, 1024, SITU_F64},
};

/* ---- measuring ---------------------------------------------------------------------------------------------------- */

typedef struct bench {
    situ_layout in[2];
    situ_call_desc call;
    char *address[3];
    situ_fault fault;
} bench;

static bool open_bench(bench *b, const situ_tune_size *s)
{
    static const situ_op matmul = {.name = "matmul", .family = SITU_CALL, .strided = true};
    const int64_t rows[3] = {s->m, s->m, s->k}, columns[3] = {s->n, s->k, s->n};
    size_t bytes = s->dtype == SITU_F32 ? 4 : 8;
    *b = (bench){.call = {.op = &matmul, .nin = 2, .in = b->in}};
    for (int i = 0; i < 3; i++) {
        situ_layout *l = i ? &b->in[i - 1] : &b->call.out;
        *l = (situ_layout){.dtype = (uint8_t)s->dtype, .ndim = 2, .dim = {rows[i], columns[i]}};
        situ_shape_strides(2, l->dim, l->stride);
        int64_t count = rows[i] * columns[i];
        if (!(b->address[i] = situ_aligned_alloc(64, (size_t)count * bytes))) return false;
        for (int64_t k = 0; k < count; k++) {
            double value = (double)(k * 37 % 101) / 101 - 0.5;
            if (bytes == 4) ((float *)(void *)b->address[i])[k] = (float)value;
            else ((double *)(void *)b->address[i])[k] = value;
        }
    }
    return true;
}

static void close_bench(bench *b)
{
    for (int i = 0; i < 3; i++) situ_aligned_free(b->address[i]);
}

/* Nanoseconds of one product, averaged over `times`. */
static double run(bench *b, int blas, int64_t times)
{
    const situ_host host = {.parallel = true, .fault = &b->fault};
    situ_gemm_force(blas);
    int64_t start = situ_now();
    for (int64_t i = 0; i < times; i++) situ_gemm_run(&b->call, b->address, &host);
    double ns = (double)(situ_now() - start) / (double)times;
    situ_gemm_force(-1);
    return ns;
}

/* The candidates take turns, so that other load on the machine affects all of them. */
static int measure(const situ_tune_size *s, double seconds, situ_tune_result *r, int *blas)
{
    int type = s->dtype == SITU_F32 ? SITU_GEMM_F32 : SITU_GEMM_F64;
    double least[SITU_BLASES], spent = 0;
    bench b;
    int64_t times[SITU_BLASES];
    r->count = 0;
    if (!open_bench(&b, s)) {
        close_bench(&b);
        return situ_fail(SITU_NO_MEMORY, NULL, "situ_tune: no memory for matrices of %lld x %lld x %lld", (long long)s->m,
            (long long)s->k, (long long)s->n);
    }
    for (int i = 0; i < SITU_BLASES; i++)
        if (situ_blas_has(i, type)) {
            double first = run(&b, i, 2);
            blas[r->count] = i;
            times[r->count] = first < SHORTEST_NS ? (int64_t)(SHORTEST_NS / (first + 1)) + 1 : 1;
            least[r->count++] = first;
        }
    for (int round = 0; round < LEAST_ROUNDS || spent < seconds * 1e9 * r->count; round++)
        for (int i = 0; i < r->count; i++) {
            double ns = run(&b, blas[i], times[i]);
            spent += ns * (double)times[i];
            if (ns < least[i]) least[i] = ns;
        }
    close_bench(&b);
    r->chosen = 0;
    for (int i = 0; i < r->count; i++) {
        r->name[i] = situ_blas_key(blas[i]);
        r->rate[i] = 2.0 * (double)s->m * (double)s->k * (double)s->n / least[i];
        if (r->rate[i] > (r->chosen ? r->rate[r->chosen] : r->rate[0] * better)) r->chosen = i;
    }
    return b.fault.code ? situ_fail(b.fault.code, NULL, "situ_tune: a product failed") : 0;
}

/* ---- the file ------------------------------------------------------------------------------------------------------ */

static int fail_file(const char *path, situ_site site)
{
    return situ_fail(SITU_IO, site, "situ_tune: %s: %s; name another file with SITU_TUNING or `situ tune --output FILE`", path,
        situ_file_why(errno));
}

/* Creates the folders of the file's path. */
static void make_folders(const char *path)
{
    char part[PATH];
    if (snprintf(part, sizeof part, "%s", path) >= PATH) return;
    for (char *at = part + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        (void)situ_folder_make(part, false); /* on failure, opening the file reports the error */
        *at = '/';
    }
}

static void print_row(FILE *f, const situ_tune_result *r)
{
    fprintf(f, "%s %6lld %6lld %6lld  %-8s #", r->size.dtype == SITU_F32 ? "f32" : "f64", (long long)r->size.m,
        (long long)r->size.k, (long long)r->size.n, r->name[r->chosen]);
    for (int i = 0; i < r->count; i++) situ_plain_print(f, " %s %.1f", r->name[i], r->rate[i]);
    fputc('\n', f);
}

static int measure_all(FILE *f, const situ_tune_options *o, situ_site site)
{
    char machine[256];
    situ_tuning_machine(machine, sizeof machine);
    fprintf(f,
        "situ tuning 1\nmachine %s\n# written by `situ tune`: dtype, m, k, n of a product, what multiplies it; GFLOP/s of each\n",
        machine);
    for (int i = 0; i < o->count; i++) {
        situ_tune_result r = {.size = o->sizes[i], .at = i + 1, .of = o->count};
        int blas[SITU_BLASES];
        if (measure(&o->sizes[i], o->seconds, &r, blas)) return -situ_error_code;
        print_row(f, &r);
        if (o->progress) o->progress(o->self, &r);
    }
    fprintf(f, "end %d\n", o->count);
    (void)site;
    return 0;
}

static int check(const situ_tune_options *o, situ_site site)
{
    if (o->count < 1 || o->count > 4096 || !o->sizes || !(o->seconds >= 0 && o->seconds <= 3600))
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_tune: from 1 to 4096 sizes, and from 0 to 3600 seconds for each; got %d and %g", o->count, o->seconds);
    for (int i = 0; i < o->count; i++) {
        const situ_tune_size *s = &o->sizes[i];
        bool fits = s->m > 1 && s->n > 1 && s->k > 0 && s->m <= 65536 && s->k <= 65536 && s->n <= 65536;
        if (!fits || (s->dtype != SITU_F32 && s->dtype != SITU_F64))
            return situ_fail(SITU_BAD_OPTION, site,
                "situ_tune: size %d: m and n are from 2 to 65536, k from 1, in f32 or f64; got %lld x %lld x %lld", i + 1,
                (long long)s->m, (long long)s->k, (long long)s->n);
    }
    return 0;
}

int(situ_tune)(const char *path, const situ_tune_options *options, situ_site site)
{
    situ_tune_options o = {.seconds = 0.1};
    char usual_path[PATH];
    situ_file file;
    if (situ_error_code) return -situ_error_code;
    if (!SITU_TAKE_OPTIONS(o, options, "situ_tune", site)) return -situ_error_code;
    if (!o.sizes && !o.count) o.sizes = usual, o.count = sizeof usual / sizeof *usual;
    if (check(&o, site) || !situ_dev_open(situ_cpu(), site)) return -situ_error_code;
    if (!path && !situ_tuning_path(usual_path, sizeof usual_path))
        return situ_fail(
            SITU_IO, site, "situ_tune: neither SITU_TUNING, XDG_CONFIG_HOME nor HOME says where to write; name a file");
    if (!path) path = usual_path;
    if (situ_file_inspect(path, NULL) > SITU_FILE_REGULAR)
        return situ_fail(SITU_IO, site,
            "situ_tune: %s is no regular file; name another file with SITU_TUNING or `situ tune --output FILE`", path);
    char target[SITU_FILE_PATH];
    if (situ_file_real_path(path, target)) path = target; /* if the path is a link, write the file that it names */
    if (strlen(path) >= PATH)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_tune: the file's name has more than %d characters", PATH - 1);
    make_folders(path);
    if (!situ_file_begin(&file, path, false)) return fail_file(path, site);
    int rc = measure_all(file.stream, &o, site), code = situ_file_end(&file, !rc);
    if (!rc && code) {
        errno = code;
        rc = fail_file(path, site);
    }
    return rc;
}
