/* Convolutions and their gradients by generated text have the CPU's bits: each shape by its own. */
#include "support/opencl_programs.h"

#include "codegen/dialect.h"

typedef struct shape_of_conv {
    int64_t n, channels, h, w, out, kernel[2], groups, stride[2], padding[2], dilation[2];
    situ_dtype dtype;
} shape_of_conv;

static const shape_of_conv shapes[] = {
    {2, 4, 9, 8, 6, {3, 2}, 2, {2, 1}, {1, 1}, {2, 1}, SITU_F32},
    {5, 7, 16, 16, 50, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, SITU_F32},     /* rows of whole vectors */
    {2, 3, 17, 19, 5, {3, 3}, 1, {3, 2}, {0, 2}, {2, 3}, SITU_F32},
    {1, 3, 7, 7, 2, {1, 1}, 1, {3, 3}, {0, 0}, {1, 1}, SITU_F32},        /* places of x without a tap */
    {2, 8, 5, 5, 8, {3, 3}, 8, {1, 1}, {1, 1}, {1, 1}, SITU_F32},        /* a channel to a group */
    {40, 3, 20, 20, 4, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, SITU_F32},     /* several chunks of images */
    {24, 20, 40, 40, 3, {3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, SITU_F32},    /* several batches in a chunk */
    {3, 2, 12, 11, 35, {3, 3}, 1, {1, 1}, {1, 3}, {1, 1}, SITU_F64},
    {5, 58, 4, 4, 510, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, SITU_F32},     /* few places and many weights: one lane */
    {131, 66, 4, 4, 450, {3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, SITU_F32},   /* two batches of those */
    {2, 58, 3, 5, 510, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, SITU_F64},
};

static const shape_of_conv *now;
static int what; /* 0: y, 1: the image's gradient, 2: the kernel's */

static situ_tensor *convolved(void)
{
    const shape_of_conv *s = now;
    situ_tensor *in[2] = {some(SHAPE(s->n, s->channels, s->h, s->w), s->dtype), some(SHAPE(s->out, s->channels / s->groups, s->kernel[0], s->kernel[1]), s->dtype)};
    situ_tensor *g[2], *y = situ_conv2d(in[0], in[1], .stride = SHAPE(s->stride[0], s->stride[1]), .padding = SHAPE(s->padding[0], s->padding[1]),
                                        .dilation = SHAPE(s->dilation[0], s->dilation[1]), .groups = s->groups);
    if (!what) return y;
    situ_shape shape = situ_shape_of(y);
    situ_grad(situ_sum(situ_mul(y, some(shape, s->dtype))), TENSORS_OF(in, 2), g);
    return g[what - 1];
}

static char a[1 << 22], b[1 << 22];

static void compare(int shape, situ_device device, bool exact)
{
    static const char *const name[] = {"the value", "the gradient by the image", "the gradient by the kernel"};
    now = &shapes[shape];
    for (what = 0; what < 3; what++) {
        situ_dtype dtype, other;
        int64_t n = result_on(situ_cpu(), convolved, a, sizeof a, &dtype);
        bool same = CHECK(n > 0) && CHECK_EQ(result_on(device, convolved, b, sizeof b, &other), n) && CHECK_EQ(dtype, other);
        if (same && exact) {
            int64_t at = first_difference(dtype, a, b, n);
            same = CHECK(at < 0);
            if (!same) printf("  at %lld of %lld\n", (long long)at, (long long)(n / (int64_t)situ_dtype_size(dtype)));
        }
        if (!same) printf("  in %s of shape %d\n", name[what], shape);
        CHECK_OK();
    }
}

TEST(convolutions_have_the_cpus_bits)
{
    alone_state state = alone();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) compare((int)i, tested_device(0), state.exact);
    *state.maps = could;
}

/* The text for OpenCL's GPUs, on a CPU. */
TEST(the_text_for_gpus_has_the_cpus_bits_too)
{
    need_opencl(2);
    situ_dev *d = situ_dev_open(tested_device(1), NULL);
    if (!CHECK(d)) return;
    situ_opencl *state = d->state;
    const situ_dialect *own = state->dialect;
    state->dialect = &situ_dialect_opencl;
    compare(2, tested_device(1), state->exact);
    compare(7, tested_device(1), state->exact);
    state->dialect = own;
}
