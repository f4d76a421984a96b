/* Fourier transforms in double precision: a work-group for each line, one stage for each factor of the length,
 * alternating between two halves of its buffer (T. G. Stockham, 1966). A length with a large prime factor becomes a
 * convolution whose length is a power of 2 (L. I. Bluestein, 1970). The inverse is the conjugate of the transform of
 * the conjugate.  The workspace, in complex doubles: the roots of unity; Bluestein's chirp and the transform of its
 * conjugate; then the buffers of long lines (short ones are in local memory). */
#include "codegen/call_text.h"
#include "codegen/el_text.h"
#include "codegen/math_text.h"
#include "op/attr.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { LARGEST_PRIME = 31, MOST_FACTORS = 64, MOST_LOCAL = 1024 };

typedef struct plan {
    const situ_fft_attr *a;
    situ_lines in, out;
    long long n, length; /* n: length of a line; length: of the transform computed, which is longer than n for Bluestein */
    int factors, factor[MOST_FACTORS], threads;
    long long lines;
    bool chirp, local;
} plan;

static void find_factors(plan *f, long long n)
{
    f->factors = 0;
    f->length = n;
    for (int p = 4; p <= LARGEST_PRIME; p = p == 4 ? 2 : p == 2 ? 3 : p + 2)
        for (; n % p == 0 && n > 1; n /= p) f->factor[f->factors++] = p;
    f->chirp = n > 1;
}

static plan plan_of(const situ_call_desc *c)
{
    const situ_fft_attr *a = c->attr;
    plan f = {.a = a, .in = situ_call_lines(&c->in[0], a->axis), .out = situ_call_lines(&c->out, a->axis), .n = (long long)a->n};
    find_factors(&f, f.n);
    if (f.chirp) {
        long long length = 1;
        while (length < 2 * f.n - 1) length *= 2;
        find_factors(&f, length);
        f.chirp = true;
    }
    f.lines = f.out.outer * f.out.inner;
    f.local = f.length <= MOST_LOCAL;
    f.threads = f.local ? 64 : SITU_CALL_THREADS;
    return f;
}

static bool fft_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    (void)d;
    plan f = plan_of(c);
    p->count = f.chirp ? 3 : 2;
    if (!f.lines) return true;
    p->pass[0] = situ_pass_for(f.length);
    if (f.chirp) p->pass[1] = (situ_pass){f.threads, 1};
    p->pass[p->count - 1] = (situ_pass){f.threads, f.lines};
    p->workspace = 16 * (size_t)(f.length + (f.chirp ? f.n + f.length : 0) + (f.local ? 0 : 2 * f.length * f.lines));
    return true;
}

/* ---------------------------------------------------------------- functions */

/* e^(-2 pi i k / n), 0 <= k < n, from an angle of at most pi / 4. */
static const char root_text[] =
    "FN c128_F root_of(u64_F k, u64_F n)\n"
    "{\n"
    "    u64_F eighth = 8 * k / n, rest = 8 * k - eighth * n;\n"
    "    if (eighth & 1) rest = n - rest;\n"
    "    f64_F angle = 0.78539816339744831 * ((f64_F)rest / (f64_F)n), c = f64_cos(angle), s = f64_sin(angle);\n"
    "    f64_F re = (eighth + 1) & 2 ? s : c, im = (eighth + 1) & 2 ? c : s;\n"
    "    return complex_of((eighth + 2) & 4 ? -re : re, eighth & 4 ? im : -im);\n"
    "}\n";

/* Writes the code of a stage: j is the index of a transform of length P, number k of those that form one block of
 * length done * P. */
static void write_stage(situ_source *t, const plan *f, int p)
{
    situ_source_add(t,
        "FN void stage_%d(ROOM const c128_F *x, ROOM c128_F *y, GLOBAL const c128_F *root, u64_F done)\n"
        "{\n"
        "    EACH(j, %lldu) {\n"
        "        u64_F k = j %% done, step = k * (%lldu / done);\n"
        "        c128_F v[%d];\n"
        "        v[0] = x[j];\n"
        "        for (int q = 1; q < %d; q++) v[q] = complex_mul(x[j + q * %lldu], root[q * step]);\n"
        "        ROOM c128_F *to = y + (j - k) * %d + k;\n",
        p, f->length / p, f->length / p, p, p, f->length / p, p);
    if (p == 2) {
        situ_source_append(t, "        to[0] = complex_add(v[0], v[1]);\n        to[done] = complex_sub(v[0], v[1]);\n");
    } else if (p == 4) {
        situ_source_append(t,
            "        c128_F a = complex_add(v[0], v[2]), b = complex_sub(v[0], v[2]), c = complex_add(v[1], v[3]);\n"
            "        c128_F d = complex_times_minus_i(complex_sub(v[1], v[3]));\n"
            "        to[0] = complex_add(a, c);\n        to[done] = complex_add(b, d);\n"
            "        to[2 * done] = complex_sub(a, c);\n        to[3 * done] = complex_sub(b, d);\n");
    } else {
        situ_source_add(t,
            "        for (int r = 0; r < %d; r++) {\n"
            "            c128_F s = v[0];\n"
            "            for (int q = 1; q < %d; q++) s = complex_add(s, complex_mul(v[q], root[q * r %% %d * %lldu]));\n"
            "            to[r * done] = s;\n"
            "        }\n",
            p, p, p, f->length / p);
    }
    situ_source_append(t, "    }\n}\n");
}

/* transform: the input is in x; the result is in y if the number of stages is odd. */
static void fft_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    (void)d;
    plan f = plan_of(c);
    situ_source_append(t, situ_text_complex_words);
    situ_math_append(t, SITU_F64, "cos sin");
    situ_source_append(t, root_text);
    situ_source_append(t, f.local ? "#define ROOM TO_LOCAL\n" : "#define ROOM GLOBAL\n");
    situ_source_add(t,
        "#define EACH(i, end) for (u64_F i##_first = 0, i = THREAD; i##_first < (end); i##_first += %d, i += %d) if (i < (end))\n",
        f.threads, f.threads);
    for (int i = 0; i < f.factors; i++)
        if (!i || f.factor[i] != f.factor[i - 1]) write_stage(t, &f, f.factor[i]);
    situ_source_append(t,
        "FN void transform(ROOM c128_F *x, ROOM c128_F *y, GLOBAL const c128_F *root)\n{\n"
        "    (void)x;\n    (void)y;\n    (void)root;\n    BARRIER_GLOBAL();\n");
    long long done = 1;
    for (int i = 0; i < f.factors; done *= f.factor[i], i++)
        situ_source_add(t, "    stage_%d(%s, root, %lldu);\n    BARRIER_GLOBAL();\n", f.factor[i], i & 1 ? "y, x" : "x, y", done);
    situ_source_append(t, "}\n");
}

/* ---------------------------------------------------------------- bodies */

static void roots_body(situ_source *t, const plan *f)
{
    situ_call_each(t, f->length);
    situ_source_add(t, "    root[p] = root_of(p, %lldu);\n", f->length);
    if (f->chirp) situ_source_add(t, "    if (p < %lldu) chirp[p] = root_of(p * p %% %lldu, %lldu);\n", f->n, 2 * f->n, 2 * f->n);
}

static void filter_body(situ_source *t, const plan *f)
{
    situ_source_add(t,
        "    EACH(k, %lldu) {\n"
        "        u64_F at = k < %lldu ? k : %lldu - k;\n"
        "        x[k] = at < %lldu ? complex_conj(chirp[at]) : complex_of(0, 0);\n"
        "    }\n"
        "    transform(x, y, root);\n"
        "    EACH(k, %lldu) filter[k] = complex_scale(%s[k], 1.0 / %lld);\n",
        f->length, f->n, f->length, f->n, f->length, f->factors & 1 ? "y" : "x", f->length);
}

/* Writes "c128_F z = ...;": element k of the line, 0 after its end; for Hermitian data the second half mirrors the
 * first. */
static void write_read(situ_source *t, const situ_call_desc *c, const plan *f)
{
    long long have = f->in.n < f->n ? f->in.n : f->n;
    bool half = f->a->kind == SITU_FFT_TO_REAL;
    if (half && have > f->n / 2 + 1) have = f->n / 2 + 1;
    if (half) situ_source_add(t, "        u64_F from = k > %lldu ? %lldu - k : k;\n", f->n / 2, f->n);
    else situ_source_append(t, "        u64_F from = k;\n");
    situ_source_add(t,
        "        c128_F z = complex_of(0, 0);\n"
        "        if (from < %lldu) {\n"
        "            u64_F e = (line / %lldu * %lldu + from) * %lldu + line %% %lldu;\n"
        "            z = %s;\n"
        "        }\n",
        have, f->in.inner, f->in.n, f->in.inner, f->in.inner,
        situ_dtype_is_complex((situ_dtype)c->in[0].dtype) ? "complex_of(IN0[e].re, IN0[e].im)" : "complex_of(IN0[e], 0)");
    if (half)
        situ_source_add(
            t, "        if (k > %lldu) z.im = -z.im;\n        if (k == 0 || 2 * k == %lldu) z.im = 0;\n", f->n / 2, f->n);
    if (f->a->inverse) situ_source_append(t, "        z.im = -z.im;\n");
}

static void write_result(situ_source *t, const situ_call_desc *c, const plan *f, const char *from)
{
    situ_dtype dtype = (situ_dtype)c->out.dtype;
    situ_source_add(t,
        "    EACH(k, %lldu) {\n"
        "        c128_F z = %s;\n"
        "        u64_F e = (line / %lldu * %lldu + k) * %lldu + line %% %lldu;\n"
        "        f64_F scale = (f64_F)%.17g;\n",
        f->out.n, from, f->out.inner, f->out.n, f->out.inner, f->out.inner, situ_fft_scale(f->a));
    if (!situ_dtype_is_complex(dtype)) situ_source_append(t, "        OUT[e] = (E)(z.re * scale);\n    }\n");
    else
        situ_source_add(t,
            "        E w;\n        w.re = (%s_F)(z.re * scale);\n        w.im = (%s_F)(%sz.im * scale);\n        OUT[e] = w;\n    "
            "}\n",
            situ_dtype_name(situ_dtype_real(dtype)), situ_dtype_name(situ_dtype_real(dtype)), f->a->inverse ? "-" : "");
}

static void lines_body(situ_source *t, const situ_call_desc *c, const plan *f)
{
    const char *result = f->factors & 1 ? "y" : "x", *other = f->factors & 1 ? "x" : "y";
    char from[64];
    situ_source_add(t, "    u64_F line = BLOCK;\n    EACH(k, %lldu) {\n", f->n);
    write_read(t, c, f);
    situ_source_append(t, f->chirp ? "        x[k] = complex_mul(z, chirp[k]);\n    }\n" : "        x[k] = z;\n    }\n");
    if (f->chirp) {
        situ_source_add(t,
            "    EACH(k, %lldu) x[%lldu + k] = complex_of(0, 0);\n"
            "    transform(x, y, root);\n"
            "    EACH(k, %lldu) %s[k] = complex_conj(complex_mul(%s[k], filter[k]));\n",
            f->length - f->n, f->n, f->length, result, result);
        situ_source_add(t, "    transform(%s, %s, root);\n", result, other);
        /* An even number of stages: the result is in x again. */
        snprintf(from, sizeof from, "complex_mul(complex_conj(x[k]), chirp[k])");
    } else {
        situ_source_append(t, "    transform(x, y, root);\n");
        snprintf(from, sizeof from, "%s[k]", result);
    }
    write_result(t, c, f, from);
}

static void fft_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    plan f = plan_of(c);
    situ_source_append(t, "    GLOBAL c128_F *root = (GLOBAL c128_F *)WORKSPACE;\n    (void)fault;\n    (void)argument;\n");
    if (f.chirp) situ_source_add(t, "    GLOBAL c128_F *chirp = root + %lld, *filter = chirp + %lld;\n", f.length, f.n);
    if (pass && f.local)
        situ_source_add(t, "    LOCAL c128_F room[%lld];\n    ROOM c128_F *x = room, *y = room + %lld;\n", 2 * f.length, f.length);
    else if (pass)
        situ_source_add(t, "    GLOBAL c128_F *x = %s + %lldu + BLOCK * %lldu, *y = x + %lldu;\n", f.chirp ? "filter" : "root",
            f.length, 2 * f.length, f.length);
    if (!pass) roots_body(t, &f);
    else if (f.chirp && pass == 1) filter_body(t, &f);
    else lines_body(t, c, &f);
}

const situ_call_family situ_call_fft[] = {{"fft", fft_passes, fft_body, fft_functions}, {NULL, NULL, NULL, NULL}};
