/* Factorizations: a work-group for each matrix, in double precision, by the functions of linalg_text.inc. */
#include <string.h>

#include "codegen/call_text.h"
#include "codegen/el_text.h"
#include "codegen/math_text.h"
#include "op/attr.h"
#include "op/linalg.h"
#include "os/embed.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

extern const char situ_text_linalg[], situ_text_eig[];
SITU_EMBED(situ_text_linalg, "codegen/linalg_text.inc")
SITU_EMBED(situ_text_eig, "codegen/eig_text.inc")

static int what_of(const situ_call_desc *c) { return c->attr ? ((const situ_factor_attr *)c->attr)->what : 0; }
static long long dim_of(const situ_call_desc *c, int operand, int back)
{
    return (long long)c->in[operand].dim[c->in[operand].ndim - back];
}
static bool is_complex(const situ_call_desc *c)
{
    return situ_dtype_is_complex((situ_dtype)c->in[0].dtype) || c->op == &situ_op_eig;
}
/* Number of work-items. Not every OpenCL compiler handles barriers in nested loops correctly (PoCL 3.1 does not), so
 * on CPUs there is one. */
static int items_of(const situ_call_desc *c, const situ_dialect *d)
{
    if (d->offsets) return 1;
    return dim_of(c, 0, 1) <= 64 && dim_of(c, 0, 2) <= 64 ? 64 : SITU_CALL_THREADS;
}

static long long batches_of(const situ_call_desc *c)
{
    long long n = 1;
    for (int i = 0; i < c->in[0].ndim - 2; i++) n *= (long long)c->in[0].dim[i];
    return n;
}
/* An svd with vectors has two passes, because a single one would compile very slowly. */
static bool has_vectors(const situ_call_desc *c) { return c->op == &situ_op_svd && what_of(c); }

/* Scratch elements of type NUM, and of doubles or 64-bit integers, that one matrix needs: enough for every operation. */
static void room_of(const situ_call_desc *c, long long *numbers, long long *doubles)
{
    long long m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), most = m > n ? m : n, least = m + n - most;
    *doubles = 4 * most + 8;
    if (c->op == &situ_op_svd) *numbers = 2 * m * n + least * least + most * most + 2 * most + 4;
    else if (c->op == &situ_op_qr) *numbers = m * n + m * most + most;
    else if (c->op == &situ_op_solve) *numbers = n * n + n * dim_of(c, 1, 1);
    else if (c->op == &situ_op_eigh) *numbers = 2 * n * n + n + 2;
    else *numbers = c->op == &situ_op_eig ? 4 * n * n + n : n * n;
}

static bool linalg_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    long long numbers, doubles;
    if (!situ_shape_count(c->out.ndim, c->out.dim)) return true; /* an empty result has no workspace */
    room_of(c, &numbers, &doubles);
    p->count = 1 + has_vectors(c);
    p->pass[0] = p->pass[1] = (situ_pass){items_of(c, d), batches_of(c)};
    p->workspace = (size_t)batches_of(c) * (size_t)(numbers * (is_complex(c) ? 16 : 8) + 8 * doubles);
    return true;
}

/* ---------------------------------------------------------------- functions */

static const char real_words[] =
    "#define NUM f64_F\n#define PLUS(a, b) ((a) + (b))\n#define MINUS(a, b) ((a) - (b))\n#define TIMES(a, b) ((a) * (b))\n"
    "#define OVER(a, b) ((a) / (b))\n#define BY(a, s) ((a) * (s))\n#define PART(a, s) ((a) / (s))\n#define OF(x) ((f64_F)(x))\n"
    "#define CONJ(a) (a)\n#define RE(a) (a)\n#define SIZE(a) library(fabs)(a)\n#define MODULUS(a) library(fabs)(a)\n"
    "#define SQUARE(a) ((a) * (a))\n#define TRUE_REAL(a) 1\n#define NOT_ZERO(a) ((a) != 0)\n";
static const char complex_words[] =
    "#define NUM c128_F\n#define PLUS(a, b) complex_add(a, b)\n#define MINUS(a, b) complex_sub(a, b)\n"
    "#define TIMES(a, b) complex_mul(a, b)\n#define OVER(a, b) complex_div(a, b)\n#define BY(a, s) complex_scale(a, s)\n"
    "FN c128_F complex_part(c128_F a, f64_F s) { return complex_of(a.re / s, a.im / s); }\n"
    "FN f64_F complex_size(c128_F a) { return library(fabs)(a.re) + library(fabs)(a.im); }\n"
    "FN f64_F complex_square(c128_F a) { return a.re * a.re + a.im * a.im; }\n"
    "#define PART(a, s) complex_part(a, s)\n#define OF(x) complex_of(x, 0)\n#define CONJ(a) complex_conj(a)\n"
    "#define RE(a) ((a).re)\n#define SIZE(a) complex_size(a)\n#define MODULUS(a) complex_abs(a)\n"
    "#define SQUARE(a) complex_square(a)\n#define TRUE_REAL(a) ((a).im == 0)\n#define NOT_ZERO(a) complex_truth(a)\n";

static void linalg_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    situ_dtype to = (situ_dtype)c->out.dtype;
    bool given = situ_dtype_is_complex((situ_dtype)c->in[0].dtype);
    situ_source_append(t, situ_text_complex_words);
    if (c->op == &situ_op_det) situ_math_append(t, SITU_F64, "log");
    situ_source_append(t, is_complex(c) ? complex_words : real_words);
    situ_source_add(t, "#define GET(x) %s\n#define ITEMS %d\n",
        given             ? "complex_of((x).re, (x).im)" :
            is_complex(c) ? "complex_of(x, 0)" :
                            "((f64_F)(x))",
        items_of(c, d));
    /* a single work-item needs no barriers */
    if (items_of(c, d) == 1)
        situ_source_append(t, "#undef BARRIER\n#undef BARRIER_GLOBAL\n#define BARRIER()\n#define BARRIER_GLOBAL()\n");
    situ_source_append(t, situ_text_linalg);
    if (c->op == &situ_op_eig) situ_source_append(t, situ_text_eig);
    if (!situ_dtype_is_complex(to)) {
        situ_source_append(t, "#define PUT(x) ((E)(x))\n");
        return;
    }
    const char *part = situ_dtype_name(situ_dtype_real(to));
    situ_source_add(t,
        "FN E put_own(c128_F x) { E y; y.re = (%s_F)x.re; y.im = (%s_F)x.im; return y; }\n#define PUT(x) put_own(x)\n", part, part);
}

/* ---------------------------------------------------------------- bodies, for one matrix each */

static const char cholesky_text[] =
    "    int good = factor_cholesky(N, a);\n"
    "    if (!good && THREAD == 0) {\n        REFUSE_AS(SINGULAR, batch);\n    }\n"
    "    EACH(e, 0, N * N) OUT[batch * N * N + e] = PUT(good ? e % N > e / N ? OF(0) : a[e] : OF(f64_not_a_number()));\n";

static const char solve_text[] = "    GLOBAL NUM *b = a + N * N;\n"
                                 "    GLOBAL i64_F *pivot = (GLOBAL i64_F *)doubles;\n"
                                 "    EACH(e, 0, N * RIGHT) b[e] = GET(IN1[batch * N * RIGHT + e]);\n"
                                 "    i64_F zeros = factor_lu(N, a, pivot, share, which);\n"
                                 "    if (zeros && THREAD == 0) {\n        REFUSE_AS(SINGULAR, batch);\n    }\n"
                                 "    solve_lu(N, a, pivot, RIGHT, b);\n"
                                 "    EACH(e, 0, N * RIGHT) OUT[batch * N * RIGHT + e] = PUT(b[e]);\n";

static const char det_text[] = "    GLOBAL i64_F *pivot = (GLOBAL i64_F *)doubles;\n"
                               "    factor_lu(N, a, pivot, share, which);\n"
                               "    if (THREAD == 0) {\n"
                               "        NUM product = OF(1), phase = OF(1);\n"
                               "        f64_F logarithm = 0;\n"
                               "        for (i64_F i = 0; i < N; i++) {\n"
                               "            NUM d = a[i * N + i];\n"
                               "            f64_F size = MODULUS(d);\n"
                               "            if (pivot[i] != i) product = BY(product, -1), phase = BY(phase, -1);\n"
                               "            product = TIMES(product, d);\n"
                               "            phase = size > 0 ? TIMES(phase, PART(d, size)) : OF(size == 0 ? 0 : size);\n"
                               "            logarithm += f64_log(size);\n"
                               "        }\n"
                               "        OUT[batch] = PUT(WANTED);\n"
                               "    }\n";

static const char qr_text[] =
    "    GLOBAL NUM *q = a + M * N, *t = q + M * K;\n"
    "    factor_qr(M, N, a, K, q, t, share);\n"
    "    EACH(e, 0, M * K) OUT[batch * (M * K + K * N) + e] = PUT(q[e]);\n"
    "    EACH(e, 0, K * N) OUT[batch * (M * K + K * N) + M * K + e] = PUT(e % N < e / N ? OF(0) : a[e]);\n";

static const char eigh_text[] = "    GLOBAL NUM *v = a + N * N, *es = v + N * N;\n"
                                "    GLOBAL f64_F *w = doubles, *cs = w + N;\n"
                                "    GLOBAL i64_F *place = (GLOBAL i64_F *)(cs + N + 2);\n"
                                "    factor_eigh(N, a, w, v, cs, es, share);\n"
                                "    ranks_of(N, w, 0, place);\n";
/* NaN has no rank; if one eigenvalue is NaN, all are */
static const char eigh_values_text[] = "    EACH(k, 0, N) OUT[batch * N + (w[k] == w[k] ? place[k] : k)] = (E)w[k];\n";
static const char eigh_vectors_text[] = "    EACH(e, 0, N * N) {\n"
                                        "        i64_F k = e / N, i = e % N, at = w[k] == w[k] ? place[k] : k;\n"
                                        "        OUT[(batch * N + i) * (N + 1) + at] = PUT(CONJ(v[k * N + i]));\n"
                                        "        if (i == 0) OUT[(batch * N + at) * (N + 1) + N] = PUT(OF(w[k]));\n"
                                        "    }\n";

/* A wide matrix is factored as its conjugate transpose, so it is always TALL by THIN. */
static const char svd_load_text[] =
    "    EACH(e, 0, TALL * THIN) {\n"
    "        i64_F k = e / TALL, i = e % TALL;\n"
    "        a[e] = WIDE ? CONJ(GET(IN0[batch * TALL * THIN + e])) : GET(IN0[batch * TALL * THIN + i * THIN + k]);\n"
    "    }\n"
    "    SYNC();\n";
static const char svd_room_text[] = "    GLOBAL NUM *v = a + TALL * THIN;\n"
                                    "    GLOBAL f64_F *s = doubles;\n"
                                    "    GLOBAL i64_F *place = (GLOBAL i64_F *)(s + THIN), *from = place + THIN;\n";
static const char svd_text[] = "    factor_svd(TALL, THIN, a, s, v, share);\n"
                               "    ranks_of(THIN, s, 1, place);\n"
                               "    EACH(k, 0, THIN) from[s[k] == s[k] ? place[k] : k] = k;\n"
                               "    SYNC();\n";
static const char svd_values_text[] = "    EACH(k, 0, THIN) OUT[batch * THIN + k] = (E)s[from[k]];\n";
/* Columns with s = 0, or of rounding errors only, and those beyond THIN, are replaced to complete the basis. */
static const char svd_vectors_text[] =
    "    (void)place;\n"
    "    GLOBAL NUM *thin = v + THIN * THIN, *q = thin + TALL * THIN, *t = q + TALL * TALL;\n"
    "    i64_F rank = 0;\n"
    "    int none = THIN > 0 && !(s[0] == s[0]);\n"
    "    while (rank < THIN && s[from[rank]] > s[from[0]] * 1e-290 && s[from[rank]] > 1e-300 &&\n"
    "        (s[from[rank]] > s[from[0]] * 1e-12 || is_apart(TALL, a, s, from, rank)))\n"
    "        rank++;\n"
    "    EACH(e, 0, rank * TALL) thin[e] = PART(a[from[e % rank] * TALL + e / rank], s[from[e % rank]]);\n"
    "    SYNC();\n"
    "    factor_qr(TALL, rank < FULL && !none ? rank : 0, thin, rank < FULL && !none ? TALL : 0, q, t, share);\n"
    "    GLOBAL E *out = OUT + batch * (TALL * FULL + THIN + THIN * THIN), *values = out + (WIDE ? THIN * THIN : TALL * FULL);\n"
    "    GLOBAL E *left = out, *right = values + THIN;\n"
    "    EACH(k, 0, THIN) values[k] = PUT(OF(s[from[k]]));\n"
    "    EACH(e, 0, THIN * THIN) {\n"
    "        i64_F i = e / THIN, k = e % THIN;\n"
    "        if (WIDE) left[e] = PUT(v[from[k] * THIN + i]);\n"
    "        else right[e] = PUT(CONJ(v[from[i] * THIN + k]));\n"
    "    }\n"
    "    EACH(e, 0, TALL * FULL) {\n"
    "        i64_F i = e / FULL, k = e % FULL;\n"
    "        NUM u = none ? OF(f64_not_a_number()) : k < rank ? PART(a[from[k] * TALL + i], s[from[k]]) : q[i * TALL + k];\n"
    "        if (WIDE) right[k * TALL + i] = PUT(CONJ(u));\n"
    "        else left[e] = PUT(u);\n"
    "    }\n";

static const char eig_text[] = "    GLOBAL NUM *v = a + N * N, *z = v + N * N, *x = z + N * N, *w = x + N * N;\n"
                               "    factor_eig(N, a, w, v, z, x, share);\n";
static const char eig_values_text[] = "    EACH(k, 0, N) OUT[batch * N + k] = PUT(w[k]);\n";
static const char eig_vectors_text[] = "    EACH(e, 0, N * N) OUT[(batch * N + e / N) * (N + 1) + e % N] = PUT(v[e]);\n"
                                       "    EACH(k, 0, N) OUT[(batch * N + k) * (N + 1) + N] = PUT(w[k]);\n";

static void write_svd(situ_source *t, const situ_call_desc *c, int pass)
{
    situ_source_append(t, svd_room_text);
    if (pass) situ_source_append(t, svd_vectors_text);
    else situ_source_add(t, "%s%s%s", svd_load_text, svd_text, what_of(c) ? "" : svd_values_text);
}

static void write_matrix(situ_source *t, const situ_call_desc *c, int pass)
{
    const char *name = c->op->name;
    static const char *const wanted[] = {"product", "phase", "logarithm"};
    if (strcmp(name, "svd")) situ_source_append(t, "    EACH(e, 0, M * N) a[e] = GET(IN0[batch * M * N + e]);\n    SYNC();\n");
    if (!strcmp(name, "cholesky")) situ_source_append(t, cholesky_text);
    if (!strcmp(name, "solve")) situ_source_append(t, solve_text);
    if (!strcmp(name, "det")) situ_source_add(t, "#define WANTED %s\n%s", wanted[what_of(c)], det_text);
    if (!strcmp(name, "qr")) situ_source_append(t, qr_text);
    if (!strcmp(name, "eigh")) situ_source_add(t, "%s%s", eigh_text, what_of(c) ? eigh_vectors_text : eigh_values_text);
    if (!strcmp(name, "eig")) situ_source_add(t, "%s%s", eig_text, what_of(c) ? eig_vectors_text : eig_values_text);
    if (!strcmp(name, "svd")) write_svd(t, c, pass);
}

static void linalg_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    long long m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), tall = m > n ? m : n, thin = m + n - tall, numbers, doubles;
    bool full = what_of(c) == SITU_FACTOR_FULL;
    room_of(c, &numbers, &doubles);
    situ_source_add(t,
        "#define M %lldl\n#define N %lldl\n#define K %lldl\n#define RIGHT %lldl\n#define TALL %lldl\n#define THIN %lldl\n"
        "#define FULL %lldl\n#define WIDE %d\n#define SINGULAR %d\n",
        m, n, full ? m : thin, c->nin > 1 ? dim_of(c, 1, 1) : 1, tall, thin, full ? tall : thin, m < n, SITU_SINGULAR);
    situ_source_add(t,
        "    LOCAL f64_F share[ITEMS];\n    LOCAL i64_F which[ITEMS];\n"
        "    GLOBAL NUM *a = (GLOBAL NUM *)(WORKSPACE + BLOCK * %lldu);\n"
        "    GLOBAL f64_F *doubles = (GLOBAL f64_F *)(a + %lld);\n"
        "    (void)fault;\n    (void)argument;\n    (void)which;\n    (void)doubles;\n"
        "    i64_F batch = (i64_F)BLOCK;\n",
        numbers * (is_complex(c) ? 16 : 8) + 8 * doubles, numbers);
    write_matrix(t, c, pass);
}

#define ROW_(name) \
    { \
        name, linalg_passes, linalg_body, linalg_functions \
    }
const situ_call_family situ_call_linalg[] = {
    ROW_("cholesky"), ROW_("solve"), ROW_("det"), ROW_("qr"), ROW_("eigh"), ROW_("svd"), ROW_("eig"), {NULL, NULL, NULL, NULL}};
