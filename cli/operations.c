/* Every operation of the library's table as a sample, and those that have no public function of their own. */
#include "operations.h"

#include <string.h>

#include <situ/custom.h>

#include "codegen/table.h"
#include "func/attention.h"
#include "op/blocks.h"
#include "op/index.h"
#include "op/support.h"

/* The gradient of sum(y^3) by x: that of sum(y^2) is 0 where y is normalised. */
static situ_tensor *slope(situ_tensor *y, situ_tensor *x)
{
    situ_tensor *g = situ_zeros_like(x);
    situ_grad(situ_sum(situ_mul(situ_square(y), y)), TENSORS(x), &g);
    return g;
}

static situ_tensor *rounded_matmul(situ_tensor *a, situ_tensor *b)
{
    situ_dtype before = situ_precision(SITU_BF16);
    situ_tensor *y = situ_matmul(a, b);
    situ_precision(before);
    return y;
}

static void rule(void *self, situ_tensor *g, situ_list in, situ_tensor *y, situ_tensor **out)
{
    (void)self, (void)in, (void)y;
    out[0] = g;
}

static situ_tensor *recurrent_layer(situ_tensor *x, situ_device device, bool back)
{
    situ_module *gru = situ_gru_layer(8);
    situ_module_to(gru, device);
    situ_module_init(gru, situ_key(5, .device = device));
    situ_tensor *y = situ_module_call(gru, x);
    y = situ_copy_to(back ? slope(y, x) : y, device);
    situ_wait(y);
    situ_module_free(gru);
    return y;
}

#define IN(name, ...) situ_tensor *name = *in++;
#define ROW(name, call, ...) \
    static situ_tensor *of_##name(situ_tensor **in, situ_device here) \
    { \
        (void)here; \
        __VA_ARGS__ return call; \
    }
#include "own_samples.def"
#undef IN
#undef ROW
#define IN(name, kind, ...) {#name, kind, SHAPE(__VA_ARGS__)},
#define ROW(name, call, ...) {"", #name, of_##name, {__VA_ARGS__}},
static const sample own[] = {
#include "own_samples.def"
};
#undef IN
#undef ROW

/* Operations that a sample of another name records, the first sample of this name; or its gradient by this operand,
 * from 1 on. */
static const struct {
    const char *operation, *sample;
    int by;
} others[] = {
    {"fill", "full", 0},
    {"iota", "arange", 0},
    {"copy", "copy_to", 0},
    {"place", "pad", 0},
    {"compress", "masked", 0},
    {"max_take", "max_pool2d", 0},
    {"std_root", "std", 0},
    {"log_sum", "logsumexp", 0},
    {"conv2d_input", "conv2d", 1},
    {"conv2d_weight", "conv2d", 2},
    {"conv2d_half_input", "conv2d_half", 1},
    {"conv2d_half_weight", "conv2d_half", 2},
    {"max_put", "max_pool2d", 1},
    {"avg_spread", "avg_pool2d", 1},
    {"gelu_share", "gelu", 1},
    {"gelu_exact_share", "gelu_exact", 1},
    {"silu_share", "silu", 1},
    {"layer_norm_input", "layer_norm", 1},
    {"layer_norm_sums", "layer_norm", 2},
    {"batch_norm_input", "batch_norm", 1},
    {"batch_norm_sums", "batch_norm", 2},
    {"self_attention_back", "self_attention", 1},
};

static const sample *named(const sample *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(list[i].name, name) && strcmp(list[i].header, "elementwise") && strcmp(list[i].header, "complex"))
            return &list[i];
    return NULL;
}

static cli_operation structured(int row, const char *operation)
{
    cli_operation o = {.name = situ_table[row]->name, .real = SITU_F32};
    const char *name = operation;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].operation, operation)) name = others[i].sample, o.by = others[i].by;
    o.sample = named(own, sizeof own / sizeof *own, name);
    if (!o.sample) o.sample = named(samples, sample_count, name);
    return o;
}

int cli_operations(cli_operation *out, int most)
{
    static const char *const names[] = {
#define OP(name) #name,
#include "op/ops.def"
    };
    int n = 0;
    for (int pass = 0; pass < 3; pass++) {
        situ_dtype real = pass == 1 ? SITU_F64 : SITU_F32;
        for (int i = 0; i < sample_count; i++) {
            const sample *s = &samples[i];
            bool elementwise = pass < 2,
                 only_once = sample_dtype(&s->operand[1], SITU_F32) == sample_dtype(&s->operand[1], SITU_F64);
            if (strcmp(s->header, elementwise ? "elementwise" : "complex") || (pass == 1 && only_once)) continue;
            if (n++ < most) out[n - 1] = (cli_operation){.name = s->name, .sample = s, .real = real, .elementwise = elementwise};
        }
    }
    for (int i = 0; i < SITU_TABLE_COUNT; i++)
        if (n++ < most) out[n - 1] = structured(i, names[i]);
    return n;
}

situ_tensor *cli_record(const cli_operation *o, situ_device device)
{
    situ_tensor *in[SAMPLE_OPERANDS] = {NULL};
    sample_tensors(o->sample, o->real, device, in);
    situ_tensor *y = o->sample->call(in, device);
    return o->by ? slope(y, in[o->by - 1]) : y;
}
