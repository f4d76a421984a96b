/* Operations of networks: convolution, pooling, normalisation, embedding, attention.
 *
 *     situ_tensor *y = situ_conv2d(images, kernels, .padding = 1);              // [n, channels, height, width]
 *     y = situ_max_pool2d(situ_relu(y), SHAPE(2));
 *
 * Floats of any dtype; f16 and bf16 compute in f32 and round once. Each differentiates any number of times. Where two
 * sizes are asked for, height and width, one number stands for both. Layers with parameters are in situ/nn.h.
 */
#ifndef SITU_NETWORK_H
#define SITU_NETWORK_H

#include <situ/function.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mixed precision. What this thread records from now on takes the operands of products, convolutions and attention in `dtype`,
 * bf16 or f16, where they are f32, and adds up in f32; gradients of these do the same. All else and every variable stay f32:
 * sums, norms, losses, linear algebra, optimizers, the inside of recurrent cells. f32: nothing is rounded. Returns what was before.
 *
 *     situ_dtype before = situ_precision(SITU_BF16);
 *     situ_tensor *y = situ_matmul(x, w);          // f32, of x and w rounded to bf16
 *     situ_precision(before);
 *
 * A network may have its own (situ_module_set_precision), and a trainer (.precision). Gradients of f16 need a scale of the loss:
 * situ_optimizer_set_loss_scale. */
SITU_API SITU_TOLD situ_dtype situ_precision(situ_dtype dtype);

/* Batch-invariant results. In what this thread records from now on, a row of a result has the same bits however many other rows are
 * in the batch, wherever it stands among them, and with any number of threads: products choose the order of their sums by the
 * matrix that is multiplied alone, not by the number of rows. The policy is off at first. A row's bits may differ from those
 * without the policy, between instruction sets no more than without it. Returns what was before.
 *
 *     bool before = situ_batch_invariant(true);
 *     situ_tensor *y = situ_module_call(net, x);
 *     situ_batch_invariant(before);
 *
 * A network may have it on by itself (situ_module_set_batch_invariant). docs/invariance.md says what a row is in each operation,
 * what it costs, and which devices refuse it. */
SITU_API SITU_TOLD bool situ_batch_invariant(bool on);

typedef struct SITU_BY_NAME situ_conv_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default 1 in [1, inf): distance between windows: one number, or one for height and one for width */
    situ_shape padding;  /* = default 0 in [0, inf): zeros added at both ends of an axis; SITU_SAME keeps its size, if the stride is
                          * 1 */
    situ_shape dilation; /* = default 1 in [1, inf): distance between elements of the kernel */
    int64_t groups;      /* = 1 in [1, inf): number of groups of channels, which are convolved separately */
} situ_conv_options;
/* y[n,o,h,v] = sum over c, i, j of x[n, c, h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.
 * x [n, channels, height, width], w [out, channels / groups, kernel height, kernel width]. */
SITU_API situ_tensor *situ_conv2d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);
/* The same with one axis: x [n, channels, length], w [out, channels / groups, kernel length]. */
SITU_API situ_tensor *situ_conv1d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);

/* With three axes: x [n, channels, depth, height, width], w [out, channels / groups, kernel depth, height, width]; options are one
 * number, or one for each of the three axes. */
SITU_API situ_tensor *situ_conv3d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_conv_transpose_options {
    SITU_OPTION_HEAD;
    situ_shape stride;         /* = default 1 in [1, inf): stride of the convolution: one number, or one for each axis */
    situ_shape padding;        /* = default 0 in [0, inf): padding of the convolution: removed at both ends */
    situ_shape dilation;       /* = default 1 in [1, inf): distance between elements of the kernel */
    situ_shape output_padding; /* = default 0 in [0, inf): additional elements at the end, fewer than the stride: selects one of the
                                * sizes that the convolution maps to the same size */
    int64_t groups;            /* = 1 in [1, inf): number of groups of channels, which are convolved separately */
} situ_conv_transpose_options;
/* Transposed convolutions: the gradient of a convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel
 * ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1. */
SITU_API situ_tensor *situ_conv_transpose1d(
    situ_tensor *x, situ_tensor *w, const situ_conv_transpose_options *options, situ_site site);
SITU_API situ_tensor *situ_conv_transpose2d(
    situ_tensor *x, situ_tensor *w, const situ_conv_transpose_options *options, situ_site site);
SITU_API situ_tensor *situ_conv_transpose3d(
    situ_tensor *x, situ_tensor *w, const situ_conv_transpose_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_window_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default 1 in [1, inf): distance between windows: one number, or one for each axis */
    situ_shape padding;  /* = default 0 in [0, inf): zeros added at both ends of an axis */
    situ_shape dilation; /* = default 1 in [1, inf): distance between elements of a window */
} situ_window_options;
/* The windows over the last two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the
 * inverse: columns are added up at their positions in images of size `image` (height and width). */
SITU_API situ_tensor *situ_unfold(situ_tensor *x, situ_shape window, const situ_window_options *options, situ_site site);
SITU_API situ_tensor *situ_fold(
    situ_tensor *x, situ_shape image, situ_shape window, const situ_window_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_max_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default in [1, inf): distance between windows; default: the window, so that they do not overlap */
    situ_shape padding;  /* = default 0 in [0, inf): at most half a window */
    situ_shape dilation; /* = default 1 in [1, inf): distance between elements of a window */
    bool ceil;           /* = false: also uses a last window that reaches past the end, if it begins within x or the padding before
                          * it */
} situ_max_pool_options;
typedef struct SITU_BY_NAME situ_avg_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;  /* = default in [1, inf): distance between windows; default: the window, so that they do not overlap */
    situ_shape padding; /* = default 0 in [0, inf): at most half a window */
    bool count_padding; /* = true: means divide by the whole window, counting padding as zeros */
    bool ceil;          /* = false: also uses a last window that reaches past the end; what is after the padding does not count for
                         * its mean */
} situ_avg_pool_options;
/* The maximum, and the mean, of each window over the last two axes. Of equal elements the first gets the gradient; NaN counts as
 * the largest. An image without rows or columns, whose windows contain only padding, is an error; its means over whole windows are
 * 0. */
SITU_API situ_tensor *situ_max_pool2d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool2d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);

/* The same over the last axis, and over the last three; sizes are one number, or one for each axis. */
SITU_API situ_tensor *situ_max_pool1d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool1d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_max_pool3d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool3d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);
/* Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
 * mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1. */
SITU_API situ_tensor *situ_adaptive_max_pool1d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_max_pool2d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_max_pool3d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_avg_pool1d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_avg_pool2d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_avg_pool3d(situ_tensor *x, situ_shape size, situ_site site);

typedef enum situ_interpolation {
    SITU_NEAREST = 0,       /* element floor(i n / m)                                             */
    SITU_NEAREST_EXACT = 1, /* element floor((i + 0.5) n / m): the nearest one                    */
    SITU_LINEAR = 2,        /* linear interpolation between two neighbours along each axis */
    SITU_BILINEAR = 2,      /* the same, for two axes */
    SITU_TRILINEAR = 2,     /* the same, for three axes */
    SITU_CUBIC = 3,         /* cubic interpolation between four neighbours along each axis, by the kernel of R. Keys with a = -0.75
                             */
    SITU_BICUBIC = 3        /* the same, for two axes */
} situ_interpolation;
typedef struct SITU_BY_NAME situ_interpolate_options {
    SITU_OPTION_HEAD;
    situ_interpolation mode; /* = SITU_NEAREST: the method */
    bool align_corners;      /* = false: aligns the centres of the first and last elements with those of x, instead of the outer
                              * edges; only for linear and cubic */
} situ_interpolate_options;
/* Resizes the last axes, one number for each: x [n, channels, height, width] with SHAPE(h, w). Without antialiasing. */
SITU_API situ_tensor *situ_interpolate(situ_tensor *x, situ_shape size, const situ_interpolate_options *options, situ_site site);

typedef enum situ_outside {
    SITU_OUTSIDE_ZEROS = 0,     /* 0                                */
    SITU_OUTSIDE_BORDER = 1,    /* the nearest end element */
    SITU_OUTSIDE_REFLECTION = 2 /* mirrored at the ends             */
} situ_outside;
typedef struct SITU_BY_NAME situ_grid_sample_options {
    SITU_OPTION_HEAD;
    situ_interpolation mode; /* = SITU_BILINEAR: the method: linear, or SITU_NEAREST (ties to even) */
    situ_outside padding;    /* = SITU_OUTSIDE_ZEROS: the values outside of x */
    bool align_corners;      /* = false: -1 and 1 are the centres of the first and last elements instead of their outer edges */
} situ_grid_sample_options;
/* Samples x [n, channels, height, width] at positions grid [n, rows, columns, 2], (horizontal, vertical) from -1 to 1: [n,
 * channels, rows, columns]. As torch.nn.functional.grid_sample. */
SITU_API situ_tensor *situ_grid_sample(situ_tensor *x, situ_tensor *grid, const situ_grid_sample_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_layer_norm_options {
    SITU_OPTION_HEAD;
    double eps; /* = 1e-5 in [0, inf): added to the variance */
} situ_layer_norm_options;
/* (x - mean) / sqrt(variance + eps) scale + shift, with the moments of each row of x along its last axis. scale and shift have the
 * length of that axis. */
SITU_API situ_tensor *situ_layer_norm(
    situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_layer_norm_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_batch_norm_options {
    SITU_OPTION_HEAD;
    double eps;            /* = 1e-5 in [0, inf): added to the variance */
    double momentum;       /* = 0.1 in [0, 1]: running = (1 - momentum) running + momentum value, with the variance times n / (n -
                            * 1); a single value changes nothing */
    situ_tensor *mean;     /* = none: a variable for the running means */
    situ_tensor *variance; /* = none: a variable for the running variances */
    bool inference;        /* = false: normalises with .mean and .variance, which may then be any tensors, and changes nothing */
} situ_batch_norm_options;
/* The same with the moments of each channel of x, over all axes except axis 1. scale and shift have the length of axis 1. */
SITU_API situ_tensor *situ_batch_norm(
    situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_batch_norm_options *options, situ_site site);

/* Rows of a table [count, width]: table[index]. For repeated indices the gradients are added in order. */
SITU_API situ_tensor *situ_embedding(situ_tensor *table, situ_tensor *index, situ_site site);

typedef struct SITU_BY_NAME situ_attention_options {
    SITU_OPTION_HEAD;
    bool causal;  /* = false: query i attends only to keys 0 ... i */
    double scale; /* = 0: factor of the scores; 0: 1 / sqrt(width) */
} situ_attention_options;
/* softmax(q k^T scale) v; q [..., queries, width], k [..., keys, width], v [..., keys, any width]. */
SITU_API situ_tensor *situ_attention(
    situ_tensor *q, situ_tensor *k, situ_tensor *v, const situ_attention_options *options, situ_site site);
/* The same for x [..., positions, 3 heads width] with queries, keys and values of all heads, one after the other; the heads'
 * results are concatenated: [..., positions, heads width]. */
SITU_API situ_tensor *situ_self_attention(situ_tensor *x, int64_t heads, const situ_attention_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_rotary_options {
    SITU_OPTION_HEAD;
    double base;  /* = 10000 in (0, inf): base of the angles */
    int32_t axis; /* = -2: the axis of the positions */
} situ_rotary_options;
/* Rotary embedding (Su et al. 2021): rotates elements i and i + width / 2 of each row of x [..., positions, ..., width] as a pair
 * by the angle position / base^(2 i / width). position: integers, one for each position along .axis. */
SITU_API situ_tensor *situ_rotary(situ_tensor *x, situ_tensor *position, const situ_rotary_options *options, situ_site site);

/* Formats of quantised rows. All but SITU_Q8_ROWS consist of blocks of 32 or 256 numbers, one after the other, as in llama.cpp's
 * files (https://github.com/ggml-org/ggml); scale and minimum are f16, little endian. The types after SITU_Q8_ROWS are read from
 * files; situ_quantise does not make them. */
typedef enum situ_block_type {
    SITU_Q8_0 = 0, /* 34 bytes: scale, then 32 q of i8; value scale q */
    SITU_Q4_0 = 1, /* 18 bytes: scale, then 16 bytes with two 4-bit q each, first the low halves; value scale (q - 8) */
    SITU_Q4_1 = 2, /* 20 bytes: scale, minimum, then 16 bytes with two 4-bit q each, first the low halves; value scale q + minimum
                       */
    SITU_Q8_ROWS = 3, /* a row of any length: scale f32, then q of i8 for each number; value scale q, |q| <= 127. Products quantise
                       * the rows of x the same way and sum integers, which is the fastest of these, with about 2 digits */
    SITU_Q5_0 = 4,    /* 22 bytes: Q4_0 with a fifth bit */
    SITU_Q5_1 = 5,    /* 24 bytes: Q4_1 with a fifth bit */
    SITU_Q2_K = 6,    /* 84 bytes, 256 numbers of 2 bits; scales and minima of 4 bits for each 16 */
    SITU_Q3_K = 7,    /* 110 bytes, 256 numbers of 3 bits; scales of 6 bits for each 16 */
    SITU_Q4_K = 8,    /* 144 bytes, 256 numbers of 4 bits; scales and minima of 6 bits for each 32 */
    SITU_Q5_K = 9,    /* 176 bytes, 256 numbers of 5 bits; scales and minima of 6 bits for each 32 */
    SITU_Q6_K = 10,   /* 210 bytes, 256 numbers of 6 bits; scales of 8 bits for each 16 */
    SITU_IQ4_NL = 11  /* 18 bytes: scale, then 32 numbers of 4 bits, which number a value of a table */
} situ_block_type;
/* Quantises rows w f32 [rows, in] to bytes u8 [rows, bytes] of the first four types; except for SITU_Q8_ROWS, in has to be a
 * multiple of 32. Each number becomes the nearest one that its block or row can represent; no gradient. On the CPU. */
SITU_API situ_tensor *situ_quantise(situ_tensor *w, situ_block_type type, situ_site site);
/* The numbers of quantised rows [rows, bytes], f32 [rows, in]. On the CPU. */
SITU_API situ_tensor *situ_dequantise(situ_tensor *blocks, situ_block_type type, situ_site site);
/* x W^T with W = dequantise(blocks), which is never stored as a whole if x [..., in] has few rows. f32, with a gradient by x. On
 * the CPU. SITU_Q8_ROWS: each row of x is rounded to i8 with 1/127 of its largest magnitude as unit (dynamic quantisation); sums
 * are exact in i32, so in is at most 131,072; the gradient is that of the product without rounding. A row that is not finite gives
 * NaN. */
SITU_API situ_tensor *situ_quantised_linear(situ_tensor *x, situ_tensor *blocks, situ_block_type type, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/network.h>

#endif
