/* Batch norm and layer norm: which planes and rows each task processes. */
#include "backend/cpu/layers/normalise.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "tensor/dtype.h"

#define LEAST(type) \
    ((type) ? 0x1p-600 : 0x1p-100) /* numbers up to 1 / this, multiplied by it, have squares that do not
                                                    * overflow */
enum { ROW_CHUNKS = 16, ROWS_LEAST = 16, ROWS_MOST = 1024 /* ROWS_LEAST, ROWS_MOST: rows of a chunk */, BLOCK = 4096 };

typedef struct norm {
    const situ_normalise_kernels *kernels;
    const situ_call_desc *call;
    char *const *address;
    int type;
    int64_t size, images, channels, plane; /* of batch norm */
    int64_t rows, width, per_task;         /* of layer norm */
    double eps;
    char *partials;
} norm;

static void begin_moments(norm *v, const situ_call_desc *call, char *const *address)
{
    memset(v, 0, sizeof *v);
    v->kernels = SITU_FOR_ISA(&situ_normalise);
    v->call = call;
    v->address = address;
    v->type = call->out.dtype == SITU_F64;
    v->size = v->type ? 8 : 4;
}

static void begin(norm *v, const situ_call_desc *call, char *const *address)
{
    begin_moments(v, call, address);
    memcpy(&v->eps, call->attr, sizeof v->eps);
}

static void take_channels(norm *v, const situ_layout *x)
{
    v->images = x->dim[0];
    v->channels = x->dim[1];
    v->plane = 1;
    for (int i = 2; i < x->ndim; i++) v->plane *= x->dim[i];
}

static void take_rows(norm *v, const situ_layout *x)
{
    v->width = x->dim[x->ndim - 1];
    v->rows = 1;
    for (int i = 0; i < x->ndim - 1; i++) v->rows *= x->dim[i];
    v->per_task = v->width ? 65536 / v->width : 1;
    if (v->per_task < 1) v->per_task = 1;
}

static int64_t block_at(int64_t i, int64_t n) { return n - i < BLOCK ? n - i : BLOCK; }
static int64_t parts(int64_t n, int64_t size) { return size ? (n + size - 1) / size : 0; }
static const char *at(const norm *v, int operand, int64_t element) { return v->address[operand] + element * v->size; }
static double get(const norm *v, int operand, int64_t i)
{
    const char *p = at(v, operand, i);
    return v->type ? *(const double *)(const void *)p : (double)*(const float *)(const void *)p;
}
static void put(const norm *v, int64_t i, double x)
{
    char *p = v->address[0] + i * v->size;
    if (v->type) *(double *)(void *)p = x;
    else *(float *)(void *)p = (float)x;
}

/* ---------------------------------------------------------------- sums of long runs: of blocks, added in f64 */

static double sum_of(const norm *v, const char *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i += BLOCK) sum += v->kernels->sum[v->type](x + i * v->size, block_at(i, n));
    return sum;
}

/* Sum of squares; if squares of f32 overflow, they are added again in double. */
static double squares_of(const norm *v, const char *x, double mean, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i += BLOCK) sum += v->kernels->squares[v->type](x + i * v->size, mean, block_at(i, n));
    if (sum <= DBL_MAX || v->type || !isfinite(mean)) return sum;
    sum = 0;
    for (int64_t i = 0; i < n; i++) {
        float deviation = ((const float *)(const void *)x)[i] - (float)mean;
        sum += (double)deviation * deviation;
    }
    return sum;
}

/* The same for numbers multiplied by LEAST, for f64 whose squares overflow. */
static double small_squares_of(const norm *v, const char *x, double mean, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n && v->type; i++) {
        double deviation = (((const double *)(const void *)x)[i] - mean) * LEAST(1);
        sum += deviation * deviation;
    }
    return sum;
}

static bool overflown(const norm *v, double squares, double mean) { return !(squares <= DBL_MAX) && v->type && isfinite(mean); }

/* Adds to `sum` the sums of g and of g (x - mean); with `scale` given, of g scale instead of g. */
static void add_products(const norm *v, const char *g, const char *x, const char *scale, double mean, int64_t n, double *sum)
{
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t from = i * v->size, have = block_at(i, n);
        double more[2];
        if (scale) v->kernels->row_products[v->type](g + from, x + from, scale + from, mean, have, more);
        else v->kernels->products[v->type](g + from, x + from, mean, have, more);
        sum[0] += more[0];
        sum[1] += more[1];
    }
}

/* ---------------------------------------------------------------- batch norm: channel by channel */

static void moments_task(void *context, int64_t c)
{
    const norm *v = context;
    double n = (double)(v->images * v->plane), sum = 0, squares = 0;
    for (int64_t i = 0; i < v->images; i++) sum += sum_of(v, at(v, 1, (i * v->channels + c) * v->plane), v->plane);
    double mean = v->type ? sum / n : (double)(float)(sum / n);
    for (int64_t i = 0; i < v->images; i++) squares += squares_of(v, at(v, 1, (i * v->channels + c) * v->plane), mean, v->plane);
    double power = 1;
    if (overflown(v, squares, mean)) {
        squares = 0, power = LEAST(1);
        for (int64_t i = 0; i < v->images; i++)
            squares += small_squares_of(v, at(v, 1, (i * v->channels + c) * v->plane), mean, v->plane);
    } else if (!v->type && squares / n > FLT_MAX && squares <= DBL_MAX) {
        power = LEAST(0);
    }
    put(v, c, mean);
    put(v, v->channels + c, v->type ? squares / n : squares / n * (power * power));
    put(v, 2 * v->channels + c, power);
}

void situ_channel_moments_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin_moments(&v, call, address);
    take_channels(&v, &call->in[0]);
    situ_host_for(h, moments_task, &v, v.channels);
}

/* The factor of a channel's deviations from the mean, from the moments (operand k). */
static double channel_factor(const norm *v, int k, int64_t c, double scale)
{
    double power = get(v, k, 2 * v->channels + c);
    return scale * power / sqrt(get(v, k, v->channels + c) + v->eps * power * power);
}

/* Operands x, scale, moments, shift. A task is one image. */
static void batch_task(void *context, int64_t image)
{
    const norm *v = context;
    for (int64_t c = 0; c < v->channels; c++) {
        double mean = get(v, 3, c), factor = channel_factor(v, 3, c, get(v, 2, c));
        int64_t from = (image * v->channels + c) * v->plane;
        v->kernels->plane[v->type](at(v, 1, from), mean, factor, get(v, 4, c), v->plane, v->address[0] + from * v->size);
    }
}

void situ_batch_norm_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin(&v, call, address);
    take_channels(&v, &call->in[0]);
    situ_host_for(h, batch_task, &v, v.images);
}

/* Operands g, x, moments. */
static void sums_task(void *context, int64_t c)
{
    const norm *v = context;
    double mean = get(v, 3, c), factor = channel_factor(v, 3, c, 1), sum[2] = {0};
    for (int64_t i = 0; i < v->images; i++) {
        int64_t from = (i * v->channels + c) * v->plane;
        add_products(v, at(v, 1, from), at(v, 2, from), NULL, mean, v->plane, sum);
    }
    put(v, c, sum[1] * factor);
    put(v, v->channels + c, sum[0]);
}

void situ_batch_norm_sums_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin(&v, call, address);
    take_channels(&v, &call->in[1]);
    situ_host_for(h, sums_task, &v, v.channels);
}

/* Operands g, x, scale, moments, sums. A task is one image. */
static void batch_input_task(void *context, int64_t image)
{
    const norm *v = context;
    double n = (double)(v->images * v->plane);
    for (int64_t c = 0; c < v->channels; c++) {
        double mean = get(v, 4, c), factor = channel_factor(v, 4, c, 1);
        int64_t from = (image * v->channels + c) * v->plane;
        v->kernels->input[v->type](at(v, 1, from), at(v, 2, from), mean, get(v, 5, v->channels + c) / n, get(v, 5, c) / n * factor,
            get(v, 3, c) * factor, v->plane, v->address[0] + from * v->size);
    }
}

void situ_batch_norm_input_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin(&v, call, address);
    take_channels(&v, &call->in[1]);
    situ_host_for(h, batch_input_task, &v, v.images);
}

/* ---------------------------------------------------------------- layer norm: row by row */

static double row_moments(const norm *v, const char *x, double *factor)
{
    double n = (double)v->width, mean = sum_of(v, x, v->width) / n;
    if (!v->type) mean = (double)(float)mean;
    double squares = squares_of(v, x, mean, v->width), power = 1;
    if (overflown(v, squares, mean)) squares = small_squares_of(v, x, mean, v->width), power = LEAST(1);
    *factor = power / sqrt(squares / n + v->eps * power * power);
    return mean;
}

static void layer_task(void *context, int64_t task)
{
    const norm *v = context;
    int64_t end = (task + 1) * v->per_task < v->rows ? (task + 1) * v->per_task : v->rows;
    for (int64_t r = task * v->per_task; r < end; r++) {
        double factor, mean = row_moments(v, at(v, 1, r * v->width), &factor);
        v->kernels->row[v->type](
            at(v, 1, r * v->width), v->address[2], v->address[3], mean, factor, v->width, v->address[0] + r * v->width * v->size);
    }
}

void situ_layer_norm_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin(&v, call, address);
    take_rows(&v, &call->in[0]);
    situ_host_for(h, layer_task, &v, parts(v.rows, v.per_task));
}

/* Operands g, x, scale. */
static void layer_input_task(void *context, int64_t task)
{
    const norm *v = context;
    int64_t end = (task + 1) * v->per_task < v->rows ? (task + 1) * v->per_task : v->rows;
    double n = (double)v->width;
    for (int64_t r = task * v->per_task; r < end; r++) {
        const char *g = at(v, 1, r * v->width), *x = at(v, 2, r * v->width);
        double factor, mean = row_moments(v, x, &factor), sum[2] = {0};
        add_products(v, g, x, v->address[3], mean, v->width, sum);
        v->kernels->row_input[v->type](g, x, v->address[3], mean, sum[0] / n, sum[1] / n * factor * factor, factor, v->width,
            v->address[0] + r * v->width * v->size);
    }
}

void situ_layer_norm_input_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin(&v, call, address);
    take_rows(&v, &call->in[1]);
    situ_host_for(h, layer_input_task, &v, parts(v.rows, v.per_task));
}

/* Operands g, x. A task is a chunk of rows, whose sums are added up in order. */
static void layer_sums_task(void *context, int64_t chunk)
{
    const norm *v = context;
    int64_t end = (chunk + 1) * v->per_task < v->rows ? (chunk + 1) * v->per_task : v->rows;
    char *sums = v->partials + chunk * 2 * v->width * v->size;
    memset(sums, 0, (size_t)(2 * v->width * v->size));
    for (int64_t r = chunk * v->per_task; r < end; r++) {
        double factor, mean = row_moments(v, at(v, 2, r * v->width), &factor);
        v->kernels->row_sums[v->type](at(v, 1, r * v->width), at(v, 2, r * v->width), mean, factor, v->width, sums);
    }
}

void situ_layer_norm_sums_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    norm v;
    begin(&v, call, address);
    take_rows(&v, &call->in[1]);
    v.per_task = parts(v.rows, ROW_CHUNKS);
    if (v.per_task < ROWS_LEAST) v.per_task = ROWS_LEAST;
    if (v.per_task > ROWS_MOST) v.per_task = ROWS_MOST;
    int64_t chunks = parts(v.rows, v.per_task), n = 2 * v.width;
    v.partials = situ_scratch((size_t)(chunks * n * v.size) + 64);
    if (!v.partials) {
        situ_fault_set(h->fault, SITU_NO_MEMORY, chunks * n * v.size, 0);
        return;
    }
    situ_host_for(h, layer_sums_task, &v, chunks);
    memset(address[0], 0, (size_t)(n * v.size));
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t i = 0; i < n; i++) {
            if (v.type) ((double *)(void *)address[0])[i] += ((const double *)(const void *)v.partials)[c * n + i];
            else ((float *)(void *)address[0])[i] += ((const float *)(const void *)v.partials)[c * n + i];
        }
}

bool situ_normalise_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size;
    return call->out.dtype == SITU_F32 || call->out.dtype == SITU_F64;
}
