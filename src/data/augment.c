#include "data/augment.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/f64.h"
#include "op/support.h"
#include "numeric/threefry.h"
#include "tensor/dtype.h"

/* ---- random numbers ------------------------------------------------------------------------------------------------------ */

situ_draws situ_draws_of(int64_t key, int64_t epoch, int64_t row, int stage)
{
    situ_draws d = {.counter = {0, (uint32_t)stage}};
    uint32_t part[2];
    situ_threefry_key((uint64_t)key, part);
    situ_threefry_fold_in(part, (uint32_t)epoch, part);
    situ_threefry_fold_in(part, (uint32_t)row, part);
    situ_threefry_fold_in(part, (uint32_t)((uint64_t)row >> 32), d.key);
    return d;
}

uint64_t situ_draw_bits(situ_draws *d)
{
    uint32_t out[2];
    situ_threefry_block(d->key, d->counter, out);
    d->counter[0]++;
    return (uint64_t)out[0] << 32 | out[1];
}

double situ_draw(situ_draws *d) { return (double)(situ_draw_bits(d) >> 11) * 0x1p-53; }

/* The logarithm of a Gamma(a, 1) draw (G. Marsaglia and W. Tsang, A simple method for generating gamma variables,
 * 2000). For a < 1 it uses a draw for a + 1 and a power of a uniform number, which may be too small for a double. */
static double log_gamma_draw(situ_draws *d, double a)
{
    double less = a < 1 ? situ_f64_log(1 - situ_draw(d)) / a : 0, shape = (a < 1 ? a + 1 : a) - 1.0 / 3, c = 1 / sqrt(9 * shape);
    for (int i = 0; i < 1000; i++) {
        double u = 1 - situ_draw(d), x = sqrt(-2 * situ_f64_log(u)) * situ_f64_cos(2 * M_PI * situ_draw(d)), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (situ_f64_log(1 - situ_draw(d)) < 0.5 * x * x + shape - shape * v + shape * situ_f64_log(v))
            return situ_f64_log(shape * v) + less;
    }
    return situ_f64_log(shape) + less;
}

double situ_draw_beta(situ_draws *d, double a)
{
    double p = log_gamma_draw(d, a), q = log_gamma_draw(d, a);
    return 1 / (1 + situ_f64_exp(q - p));
}

/* ---- images ---------------------------------------------------------------------------------------------------------------- */

/* The size of the last two axes, and the number of such planes. */
typedef struct planes {
    int64_t n, height, width;
} planes;

static void shift(const planes *p, float *x, const float *from, int64_t dy, int64_t dx)
{
    for (int64_t k = 0; k < p->n * p->height; k++) {
        int64_t y = k % p->height + dy, first = dx < 0 ? -dx : 0, end = dx > 0 ? p->width - dx : p->width;
        float *to = x + k * p->width;
        memset(to, 0, (size_t)p->width * sizeof *to);
        if (y >= 0 && y < p->height && end > first)
            memcpy(to + first, from + (k + dy) * p->width + first + dx, (size_t)(end - first) * sizeof *to);
    }
}

static void flip(const planes *p, float *x)
{
    for (int64_t k = 0; k < p->n * p->height; k++)
        for (int64_t a = 0, b = p->width - 1; a < b; a++, b--) {
            float *row = x + k * p->width, t = row[a];
            row[a] = row[b];
            row[b] = t;
        }
}

static float pixel(const planes *p, const float *plane, int64_t y, int64_t x)
{
    return y >= 0 && y < p->height && x >= 0 && x < p->width ? plane[y * p->width + x] : 0;
}

/* Rotates about the middle by an angle; each pixel is interpolated from the four pixels around its source position. */
static void rotate(const planes *p, float *x, const float *from, double angle)
{
    double c = situ_f64_cos(angle), s = situ_f64_sin(angle), my = 0.5 * (double)(p->height - 1), mx = 0.5 * (double)(p->width - 1);
    for (int64_t i = 0; i < p->height * p->width; i++) {
        double dy = (double)(i / p->width) - my, dx = (double)(i % p->width) - mx, v = my + c * dy - s * dx,
               u = mx + s * dy + c * dx;
        int64_t top = (int64_t)floor(v), left = (int64_t)floor(u);
        float b = (float)(v - floor(v)), a = (float)(u - floor(u));
        for (int64_t k = 0; k < p->n; k++) {
            const float *plane = from + k * p->height * p->width;
            float above = (1 - a) * pixel(p, plane, top, left) + a * pixel(p, plane, top, left + 1);
            float below = (1 - a) * pixel(p, plane, top + 1, left) + a * pixel(p, plane, top + 1, left + 1);
            x[k * p->height * p->width + i] = (1 - b) * above + b * below;
        }
    }
}

void situ_augment(const situ_row_change *stage, const situ_shape *shape, float *row, int64_t count, situ_draws *d)
{
    const situ_augment_options *o = &stage->o;
    if (stage->map) {
        stage->map(stage->self, situ_draw_bits(d), row, count);
        return;
    }
    float *copy = row + count;
    planes p = {1, shape->ndim > 1 ? shape->dim[shape->ndim - 2] : 1, shape->ndim ? shape->dim[shape->ndim - 1] : 1};
    for (int i = 0; i < shape->ndim - 2; i++) p.n *= shape->dim[i];
    if (o->crop) {
        int64_t span = 2 * o->crop + 1, dy = (int64_t)(situ_draw(d) * (double)span) - o->crop,
                dx = (int64_t)(situ_draw(d) * (double)span) - o->crop;
        memcpy(copy, row, (size_t)count * sizeof *row);
        shift(&p, row, copy, dy, dx);
    }
    if (o->flip > 0 && situ_draw(d) < o->flip) flip(&p, row);
    if (o->rotate > 0) {
        memcpy(copy, row, (size_t)count * sizeof *row);
        rotate(&p, row, copy, (2 * situ_draw(d) - 1) * o->rotate * M_PI / 180);
    }
    float middle = 0, gain = 1, shifted = 0;
    if (o->contrast > 0) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++) sum += (double)row[i];
        middle = (float)(sum / (double)(count ? count : 1));
        gain = (float)(1 + o->contrast * (2 * situ_draw(d) - 1));
    }
    if (o->brightness > 0) shifted = (float)(o->brightness * (2 * situ_draw(d) - 1));
    if (o->contrast <= 0 && o->brightness <= 0 && o->mean == 0 && o->deviation == 1 && !o->channels) return;
    int64_t part = o->channels ? p.height * p.width : count;
    for (int64_t c = 0, i = 0; i < count; c++) {
        float mean = o->channels ? stage->mean[c % o->channels] : (float)o->mean;
        float deviation = o->channels ? stage->deviation[c % o->channels] : (float)o->deviation;
        float a = gain / deviation, b = (middle * (1 - gain) + shifted - mean) / deviation;
        for (int64_t end = i + part; i < end; i++) row[i] = a * row[i] + b;
    }
}

/* ---- stages ----------------------------------------------------------------------------------------------------------------- */

static int add_stage(situ_dataset *data, const situ_row_change *stage, const char *operation, situ_site site)
{
    const situ_column *c = &data->field[0];
    if (!data->fields || (c->dtype != SITU_F32 && !c->pixels) || c->start)
        return situ_fail(SITU_BAD_DTYPE, site,
            "%s: the first input has values of %s%s; transforms change those of f32, of one length", operation,
            situ_dtype_name(c->dtype), c->start ? " in rows of different lengths" : "");
    situ_row_change *all = situ_realloc(data->stage, (size_t)(data->stages + 1) * sizeof *all);
    if (!all) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", operation);
    all[data->stages++] = *stage;
    data->stage = all;
    return 0;
}

/* Fills in values for each channel; false: their number is wrong, or one is out of range. */
static bool take_channels(situ_row_change *s, const situ_dataset *data)
{
    const situ_augment_options *o = &s->o;
    int n = data->fields ? (int)data->field[0].shape.ndim : 0;
    bool given = o->channel_mean || o->channel_deviation, right = given == (o->channels > 0);
    if (given) right = right && o->channels <= SITU_CHANNELS && n >= 3 && data->field[0].shape.dim[n - 3] == o->channels;
    for (int i = 0; given && right && i < o->channels; i++) {
        double mean = o->channel_mean ? o->channel_mean[i] : o->mean;
        double deviation = o->channel_deviation ? o->channel_deviation[i] : o->deviation;
        s->mean[i] = (float)mean, s->deviation[i] = (float)deviation;
        right = isfinite(mean) && deviation > 0;
    }
    s->o.channel_mean = s->o.channel_deviation = NULL;
    return right;
}

int(situ_dataset_augment)(situ_dataset *data, const situ_augment_options *options, situ_site site)
{
    SITU_SPEAK("situ_dataset_augment", site);
    situ_augment_options o = {SITU_DEFAULTS(SITU_AUGMENT_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_dataset_augment", site)) return -situ_error_code;
    if (situ_ended(data, "situ_dataset_augment", "data set", site)) return -situ_error_code;
    if (!data) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_dataset_augment: the data set is NULL");
    bool image = o.crop || o.flip > 0 || o.rotate > 0;
    if (o.crop < 0 || o.crop > 1024 || !(o.flip >= 0 && o.flip <= 1) || !(o.rotate >= 0 && o.rotate <= 180) || !(o.deviation > 0) ||
        !(o.contrast >= 0 && o.contrast <= 1) || !(o.brightness >= 0) || !(o.mix_up >= 0 && o.mix_up < INFINITY) ||
        !isfinite(o.mean))
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_dataset_augment: an option is out of its range: crop in [0, 1024], flip in [0, 1], rotate in "
            "[0, 180], contrast in [0, 1], brightness and mix_up from 0, deviation above 0");
    if (image && data->fields && data->field[0].shape.ndim < 2)
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_dataset_augment: rows of %d dimensions are no images; the last two axes are height and width",
            (int)data->field[0].shape.ndim);
    if (o.mix_up > 0 && (!situ_dataset_label(data) || data->row))
        return situ_fail(SITU_BAD_OPTION, site, "situ_dataset_augment: " SITU_SAY(".mix_up", "mix_up") " needs labels of classes");
    situ_row_change stage = {.o = o};
    if (!take_channels(&stage, data))
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_dataset_augment: " SITU_SAY(".channel_mean and .channel_deviation have .channels numbers",
                "mean and deviation have a number for each channel") ", as many as the "
                                                                     "rows have channels (the third axis from the end, up to %d of "
                                                                     "them), and deviations above 0",
            SITU_CHANNELS);
    return add_stage(data, &stage, "situ_dataset_augment", site);
}

int situ_dataset_map(situ_dataset *data, situ_row_map_fn map, void *self)
{
    SITU_SPEAK_AT("situ_dataset_map");
    if (situ_error_code || situ_ended(data, "situ_dataset_map", "data set", NULL)) return -situ_error_code;
    if (!data || !map)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dataset_map: the %s is NULL", data ? "function" : "data set");
    return add_stage(data, &(situ_row_change){.map = map, .self = self, .o = {.deviation = 1}}, "situ_dataset_map", NULL);
}
