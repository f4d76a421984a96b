/* Every function of real numbers with every dtype, on the CPU, a simulated GPU and OpenCL, compared with f64: integers
 * and halves give what their values give in f64, rounded once to the result's dtype. Integer results are those of f64,
 * wrapped. The functions are those of cli/samples.h. */
#include <math.h>
#include <situ.h>

#include "../../cli/samples.h"
#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "tensor/dtype.h"
#include "values.h"

enum { VALUES = 8, MOST = 8192 };

/* For each dtype its extreme values, and values whose differences, squares and sums overflow it; f32 holds all of
 * them. */
static const double values[][VALUES] = {[SITU_BOOL] = {1, 0, 0, 1, 1, 0, 1, 0},
    [SITU_I8] = {-128, 127, 100, -100, 3, 0, -1, 64},
    [SITU_U8] = {200, 3, 255, 0, 17, 128, 250, 1},
    [SITU_I16] = {-32768, 32767, 300, -300, 3, 0, -1, 20000},
    [SITU_U16] = {65535, 3, 40000, 0, 300, 32768, 1, 7},
    [SITU_I32] = {-0x1p31, 0x7fffff80, 70000, -70000, 3, 0, -1, 0x1p24},
    [SITU_U32] = {0xffffff00, 3, 70000, 0, 0x1p31, 0x1p24, 1, 7},
    [SITU_I64] = {-0x1p40, 0x1p40, 70000, -70000, 3, 0, -1, 0x1p24},
    [SITU_U64] = {0x1p40, 3, 70000, 0, 0x1p41, 0x1p24, 1, 7},
    [SITU_F16] = {1.5, -2.25, 0.125, 150, -0.5, 3, 0, -64},
    [SITU_BF16] = {1.5, -2.25, 0.125, 150, -0.5, 3, 0, -64},
    [SITU_F32] = {1.5, -2.25, 0.125, 150, -0.5, 3, 0, -64},
    [SITU_F64] = {1.5, -2.25, 0.125, 150, -0.5, 3, 0, -64}};

/* Operand k in a dtype, its values those of dtype `from`. */
static situ_tensor *operand(const sample *s, int k, situ_dtype from, situ_dtype to, situ_device device)
{
    static double x[MOST];
    const sample_operand *o = &s->operand[k];
    bool below = situ_dtype_kind(from) != SITU_KIND_UNSIGNED && from != SITU_BOOL;
    sample_values(s, k, x);
    if (o->kind.type >= INTEGER_INDEX && o->kind.type != TRUTH) return sample_tensor(s, k, x, to, device);
    for (int64_t i = 0; i < sample_size(o); i++) {
        int at = (int)(i * (k + 1) * 3 + i / 5 + 2 * k) % VALUES;
        if (o->kind.type == REAL_SIGN) x[i] = below && at % 2 ? -1 : 1;
        else if (o->kind.lo > 0 && o->kind.hi < 1) x[i] = situ_dtype_is_float(from) ? 0.25 : at % 2;
        else x[i] = values[from][at];
    }
    return situ_to(situ_cast(situ_from_host(x, o->shape, .dtype = SITU_F64), to), device);
}

static situ_tensor *result(const sample *s, situ_dtype from, situ_dtype to, situ_device device)
{
    situ_tensor *in[SAMPLE_OPERANDS] = {NULL};
    for (int k = 0; k < sample_operands(s); k++) in[k] = operand(s, k, from, to, device);
    return s->call(in, device);
}

static double rounded(double x, situ_dtype d)
{
    if (d == SITU_F64) return x;
    if (d == SITU_F32) return (double)(float)x;
    return fabs(x) >= (d == SITU_F16 ? 65520 : 0x1.ffp127) ? copysign(INFINITY, x) : x;
}

static double unit(situ_dtype d) { return d == SITU_F16 ? 0x1p-10 : d == SITU_BF16 ? 0x1p-7 : 0x1p-23; }

/* Whether element i is right. */
static bool fits(const sample *r, double got, int64_t bits, double want, double most, situ_dtype from, situ_dtype d)
{
    if (!situ_dtype_is_float(d)) {
        bool sums = strcmp(r->header, "elementwise") && strcmp(r->header, "move") && strcmp(r->header, "index");
        if (sums && situ_dtype_size(from) >= 4) return true; /* of products that f64 does not hold */
        if (!(fabs(want) < 0x1p53)) return true; /* beyond the integers that f64 holds exactly */
        if (d == SITU_BOOL) return got == (want != 0);
        int width = 8 * (int)situ_dtype_size(d);
        uint64_t apart = (uint64_t)bits - (uint64_t)(int64_t)want;
        return want == rint(want) && (width == 64 ? !apart : !(apart << (64 - width)));
    }
    want = rounded(want, d);
    if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
    double least = d == SITU_F16 ? 0x1p-14 : 0x1p-126, low = situ_dtype_size(from) < 4 && situ_dtype_is_float(from) ? unit(from) : unit(d);
    return fabs(got - want) <= 24 * low * (fabs(want) + most / 64) + least;
}

static bool compare(const sample *r, situ_dtype dtype, situ_device device)
{
    char text[200], where[64];
    situ_tensor *want = situ_cast(result(r, dtype, SITU_F64, situ_cpu()), SITU_F64), *got = result(r, dtype, dtype, device);
    static double a[MOST], b[MOST];
    static int64_t whole[MOST];
    situ_dtype d = situ_dtype_of(got);
    int64_t n = situ_count(got);
    bool read = !situ_failed() && n <= MOST && !situ_dtype_is_complex(d) && n == situ_count(want);
    got = situ_to(got, situ_cpu());
    read = read && !situ_read(want, a, 8 * (size_t)n) && !situ_read(situ_cast(got, SITU_F64), b, 8 * (size_t)n) && !situ_read(situ_cast(got, SITU_I64), whole, 8 * (size_t)n);
    situ_error_take(NULL); /* the dtype is refused */
    double most = 0;
    for (int k = 0; k < VALUES; k++) most = fabs(values[dtype][k]) > most ? fabs(values[dtype][k]) : most; /* what cancels was rounded */
    for (int64_t i = 0; read && i < n; i++) most = isfinite(a[i]) && fabs(a[i]) > most ? fabs(a[i]) : most;
    for (int64_t i = 0; read && i < n; i++) {
        if (fits(r, b[i], whole[i], a[i], most, dtype, d)) continue;
        snprintf(text, sizeof text, "%s of %s on %s: element %d is %.9g (%s), not %.9g", r->name, situ_dtype_name(dtype), situ_device_name(device, where), (int)i, b[i],
            situ_dtype_name(d), a[i]);
        CHECK_STR(text, "as in f64");
        break;
    }
    return read;
}

/* Functions that are not compared, and why. */
static bool is_left_out(const sample *s)
{
    static const char *const names[] = {"pow", /* gives integers 0 for powers below 1 */
        "eig", "qr", "svd", "lu", "eigh",      /* have results that may be turned */
        "lstsq", "pinv",                       /* of singular matrices hold rounding */
        "argsort", "argmax", "argmin", "topk", /* of equal elements differ by what rounding makes equal */
        "nonzero", "masked", "unique",         /* have shapes that depend on values */
        "diff_twice",                          /* of truth is not that of numbers */
        "dropout", "nextafter", "cast", "cast_complex", "complex", "conv2d_half"}; /* depend on the dtype */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(s->name, names[i])) return true;
    sample_type t = s->operand[0].kind.type;
    bool bits = t == INTEGER_ANY || (t >= INTEGER_U8 && t <= REAL_F64);
    if (t == REAL_SYMMETRIC) return true; /* these numbers repeat: it is singular */
    return bits || sample_size(&s->operand[0]) > MOST || !strcmp(s->header, "complex") || !strcmp(s->header, "fft") || !strcmp(s->header, "random");
}

static void every_row(situ_device device, const char *header, situ_dtype first, situ_dtype last)
{
    for (int k = 0; k < sample_count; k++) {
        int compared = 0;
        if ((header && strcmp(samples[k].header, header)) || is_left_out(&samples[k])) continue;
        for (situ_dtype d = first; d <= last; d++) IN_SCOPE compared += compare(&samples[k], d, device);
        if (!compared && first != last) CHECK_STR(samples[k].name, "compared");
    }
    CHECK_OK();
}

TEST(on_the_cpu) { every_row(situ_cpu(), NULL, SITU_BOOL, SITU_F64); }
TEST(on_a_simulated_gpu) { every_row(sim_device(0), NULL, SITU_BOOL, SITU_F64); }

/* Its compiler takes long: functions that are made of others, of one dtype. */
TEST(on_opencl)
{
    need_tested(1);
    every_row(tested_device(0), "function", SITU_U8, SITU_U8);
}
