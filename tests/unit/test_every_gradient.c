/* First and second gradients of every sample (cli/samples.h) by all of its operands, in f64, against central
 * differences along random directions; the first ones in f32 against those of f64. What is differentiated is a
 * weighted sum of the result and its square, in which no two elements can stand for each other. */
#include <math.h>

#include "../../cli/samples.h"
#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "tensor/dtype.h"
#include "values.h"

enum { DIRECTIONS = 3, MOST = 41200 };

typedef struct place {
    const sample *sample;
    situ_device device;
    int count, form; /* of an elementwise operation of two: 1: b is 1.5, 2: a is, 3: a is both */
} place;

static double at[SAMPLE_OPERANDS][MOST], along[SAMPLE_OPERANDS][MOST]; /* the point and a direction */
static double slope[SAMPLE_OPERANDS][MOST], narrow[MOST];

/* Is there a gradient by operand k? */
static bool varied(const place *p, int k)
{
    sample_type t = p->sample->operand[k].kind.type;
    return t <= REAL_COMPLEX && t != REAL_FIXED && t != REAL_SIGN && !(p->form == 1 + (k == 0)) && !(p->form == 3 && k);
}

static int how_many(const place *p)
{
    int n = 0;
    for (int k = 0; k < p->count; k++) n += varied(p, k);
    return n;
}

static situ_tensor *weighted(situ_tensor *y, double step)
{
    if (situ_dtype_is_complex(situ_dtype_of(y))) return situ_add(weighted(situ_real(y), step), weighted(situ_imag(y), step + 0.4));
    situ_tensor *i = situ_arange(0, (double)situ_count(y), 1, .dtype = situ_dtype_of(y), .device = situ_device_of(y));
    situ_tensor *w = situ_add(1, situ_mul(0.5, situ_cos(situ_reshape(situ_add(situ_mul(i, step), 0.3), situ_shape_of(y)))));
    return situ_sum(situ_mul(w, situ_add(y, situ_mul(0.5, situ_square(y)))));
}

/* The sum h along the direction, and the operands that it is differentiated by; NULL: its result is in no float of
 * this dtype. */
static situ_tensor *first(const place *p, double h, situ_dtype real, situ_tensor **by)
{
    static double moved[MOST];
    situ_tensor *in[SAMPLE_OPERANDS] = {NULL};
    for (int k = 0, n = 0; k < p->count; k++) {
        for (int64_t i = 0; i < sample_size(&p->sample->operand[k]); i++) moved[i] = at[k][i] + (varied(p, k) ? h * along[k][i] : 0);
        situ_tensor *x = sample_tensor(p->sample, k, moved, real, p->device);
        in[k] = p->form == 1 + (k == 0) ? situ_scalar_float(1.5) : p->form == 3 && k ? in[0] : sample_given(p->sample, k, x);
        if (varied(p, k)) by[n++] = x;
    }
    situ_tensor *y = p->sample->call(in, p->device.kind == SITU_CPU ? sim_device(0) : situ_cpu());
    return situ_dtype_real(situ_dtype_of(y)) == real ? weighted(y, 0.7) : NULL;
}

static situ_tensor *second(const place *p, double h, situ_dtype real, situ_tensor **by)
{
    situ_tensor *g[SAMPLE_OPERANDS], *y = first(p, h, real, by), *sum = situ_zeros(SHAPE(), .dtype = real, .device = p->device);
    int n = how_many(p);
    if (!y || situ_grad(y, TENSORS_OF(by, n), g)) return NULL;
    for (int k = 0; k < n; k++) sum = situ_add(sum, weighted(g[k], 0.9));
    return sum;
}

typedef situ_tensor *(*function)(const place *p, double h, situ_dtype real, situ_tensor **by);

static void wrong(const place *p, const char *what, double got, double want)
{
    static const char *const forms[] = {"", " with b = 1.5", " with a = 1.5", " of one operand twice"};
    char text[160];
    snprintf(text, sizeof text, "%s%s: the %s gradient is %.12g, by differences %.12g", p->sample->name, forms[p->form], what, got, want);
    CHECK_STR(text, "equal");
}

/* The first one is along the gradient, so that a small factor shows in a sum of many; the last one moves few elements. */
static void draw_directions(const place *p, int direction)
{
    uint64_t seed = (uint64_t)direction + 1;
    for (int k = 0; k < p->count; k++) {
        const sample_operand *o = &p->sample->operand[k];
        int64_t n = sample_size(o), size = o->kind.type == REAL_SYMMETRIC ? o->shape.dim[0] : 0;
        for (int64_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            along[k][i] = (double)(int64_t)seed * 0x1p-62;
            if (direction == 0) along[k][i] = copysign(along[k][i], varied(p, k) ? slope[k][i] : 1);
            if (direction == DIRECTIONS - 1 && i % (1 + n / 16)) along[k][i] = 0;
            if (size && i / size > i % size) along[k][i] = along[k][i % size * size + i / size];
        }
    }
}

/* Leaves the gradients in `slope`; false: there are none. */
static bool compare(const place *p, function f, const char *what, double tolerance)
{
    situ_tensor *by[SAMPLE_OPERANDS], *g[SAMPLE_OPERANDS], *sum = how_many(p) ? f(p, 0, SITU_F64, by) : NULL;
    if (!sum || situ_grad(sum, TENSORS_OF(by, how_many(p)), g)) return false;
    for (int k = 0, i = 0; k < p->count; k++) {
        if (!varied(p, k)) continue;
        CHECK_EQ(situ_dtype_of(g[i]), SITU_F64);
        situ_read(g[i++], slope[k], 8 * (size_t)sample_size(&p->sample->operand[k]));
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        double side[2], dot = 0, scale = 1, step = 1e-5;
        draw_directions(p, d);
        for (int k = 0; k < 2; k++) IN_SCOPE side[k] = situ_item(f(p, k ? step : -step, SITU_F64, by));
        for (int k = 0; k < p->count; k++)
            for (int64_t i = 0; varied(p, k) && i < sample_size(&p->sample->operand[k]); i++)
                dot += slope[k][i] * along[k][i], scale += fabs(slope[k][i] * along[k][i]);
        double want = (side[1] - side[0]) / (2 * step);
        if (situ_failed()) return false;
        double noise = 1e-15 * fmax(fabs(side[0]), fabs(side[1])) / step; /* of the sums' own rounding */
        if (!(fabs(dot - want) <= tolerance * scale + noise)) wrong(p, what, dot, want);
    }
    return true;
}

static void compare_narrow(const place *p)
{
    situ_tensor *by[SAMPLE_OPERANDS], *g[SAMPLE_OPERANDS], *sum = first(p, 0, SITU_F32, by);
    if (!sum || !strcmp(p->sample->name, "dropout") || situ_grad(sum, TENSORS_OF(by, how_many(p)), g)) return; /* f32 draws others */
    for (int k = 0, i = 0; k < p->count; k++) {
        if (!varied(p, k)) continue;
        int64_t size = sample_size(&p->sample->operand[k]);
        double most = 0;
        CHECK_EQ(situ_dtype_of(g[i]), SITU_F32);
        situ_read(situ_cast(g[i++], SITU_F64), narrow, 8 * (size_t)size);
        for (int64_t j = 0; j < size; j++) most = fmax(most, fabs(slope[k][j]));
        for (int64_t j = 0; j < size; j++)
            if (!(fabs(narrow[j] - slope[k][j]) <= 2e-4 * (fabs(slope[k][j]) + 1 + most))) {
                wrong(p, "f32", narrow[j], slope[k][j]);
                break;
            }
    }
}

static bool among(const char *name, const char *names)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(names, word);
}

/* Steps that differences do not see, what stops gradients, and what counts. */
static const char left_out[] = " nextafter stop_gradient accuracy histogram ";
/* Long products, norms and factorizations have large third derivatives. */
static const char coarse[] = " cumprod layer_norm batch_norm inv det slogdet eigh eig svd qr pinv matrix_power matrix_norm lu lstsq cond ";

/* How many forms of it have gradients. */
static int check_sample(const sample *s, situ_device device)
{
    place p = {.sample = s, .device = device, .count = sample_operands(s)};
    int forms = !strcmp(s->header, "elementwise") && p.count == 2 && s->operand[0].kind.type == REAL_ANY ? 4 : 1, checked = 0;
    double tolerance = among(s->name, coarse) ? 2e-5 : 2e-6;
    if (among(s->name, left_out)) return 0;
    for (int k = 0; k < p.count; k++) {
        sample_values(s, k, at[k]);
        for (int64_t i = 0; !strcmp(s->header, "complex") && i < sample_size(&s->operand[k]); i++) at[k][i] = 0.6 + 0.15 * at[k][i]; /* no cuts, no poles */
    }
    for (p.form = 0; p.form < forms && !situ_failed(); p.form++)
        IN_SCOPE if (compare(&p, second, "second", tolerance) && compare(&p, first, "first", tolerance)) compare_narrow(&p), checked++;
    return checked;
}

TEST(every_sample_against_differences)
{
    const char *only = getenv("SITU_TEST_OPERATION"); /* tests/checks/extending.py has added one */
    int checked = 0;
    for (int i = 0; i < sample_count; i++) {
        if (only && strcmp(only, samples[i].name)) continue;
        checked += check_sample(&samples[i], i % 3 == 2 ? sim_device(0) : situ_cpu());
        if (!CHECK_OK()) printf("  in %s, %s\n", samples[i].name, samples[i].header);
    }
    if (!CHECK(only ? checked > 0 : checked > 380)) printf("  %d\n", checked);
}

/* Each fifteenth of structured operations on a plugin; those that need a singular value are refused by name. */
TEST(samples_on_a_plugin)
{
    if (!testing_pjrt()) SKIP("tests/checks/pjrt.sh asks for it");
    need_tested(1);
    int checked = 0, refused = 0;
    for (int i = 0, k = 0; i < sample_count; i++) {
        if (!strcmp(samples[i].header, "elementwise") || !strcmp(samples[i].header, "complex") || k++ % 15) continue;
        checked += check_sample(&samples[i], tested_device(0));
        situ_error e;
        if (!situ_error_take(&e)) continue;
        refused++;
        if (!strstr(e.message, "has no text of StableHLO")) CHECK_STR(e.message, samples[i].name);
    }
    CHECK(checked > 10 && refused <= checked / 10);
}
