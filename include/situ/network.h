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

typedef struct SITU_BY_NAME situ_conv_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default 1 in [1, inf): from one window to the next: one number, or one for height and
                          * width */
    situ_shape padding;  /* = default 0 in [0, inf): zeros on either side of an axis; SITU_SAME keeps its size, where
                          * the stride is 1 */
    situ_shape dilation; /* = default 1 in [1, inf): from one tap of the kernel to the next */
    int64_t groups;      /* = 1 in [1, inf): channels are cut into groups of their own */
} situ_conv_options;
/* y[n,o,h,v] = sum over c, i, j of x[n, c, h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.
 * x [n, channels, height, width], w [out, channels / groups, kernel height, kernel width]. */
SITU_API situ_tensor *situ_conv2d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);
/* The same without height: x [n, channels, length], w [out, channels / groups, kernel length]. */
SITU_API situ_tensor *situ_conv1d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);

/* With a depth: x [n, channels, depth, height, width], w [out, channels / groups, kernel depth, height, width]; options are one
 * number, or one for each of the three axes. */
SITU_API situ_tensor *situ_conv3d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_conv_transpose_options {
    SITU_OPTION_HEAD;
    situ_shape stride;         /* = default 1 in [1, inf): of the convolution: one number, or one for each axis */
    situ_shape padding;        /* = default 0 in [0, inf): of the convolution: so much is cut off on either side */
    situ_shape dilation;       /* = default 1 in [1, inf): from one tap of the kernel to the next */
    situ_shape output_padding; /* = default 0 in [0, inf): more elements at the end, fewer than the stride: which of the
                                * sizes that a convolution takes to the same one */
    int64_t groups;            /* = 1 in [1, inf): channels are cut into groups of their own */
} situ_conv_transpose_options;
/* Transposed convolutions: what a convolution does to the gradient of its result. x [n, channels, ...],
 * w [channels, out / groups, kernel ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1)
 * + output_padding + 1. */
SITU_API situ_tensor *situ_conv_transpose1d(
    situ_tensor *x, situ_tensor *w, const situ_conv_transpose_options *options, situ_site site);
SITU_API situ_tensor *situ_conv_transpose2d(
    situ_tensor *x, situ_tensor *w, const situ_conv_transpose_options *options, situ_site site);
SITU_API situ_tensor *situ_conv_transpose3d(
    situ_tensor *x, situ_tensor *w, const situ_conv_transpose_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_window_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default 1 in [1, inf): from one window to the next: one number, or one for each axis */
    situ_shape padding;  /* = default 0 in [0, inf): zeros on either side of an axis */
    situ_shape dilation; /* = default 1 in [1, inf): from one element of a window to the next */
} situ_window_options;
/* The windows of the last two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the
 * reverse: columns go to their places in images of `image` (height and width), where those that meet are added. */
SITU_API situ_tensor *situ_unfold(situ_tensor *x, situ_shape window, const situ_window_options *options, situ_site site);
SITU_API situ_tensor *situ_fold(
    situ_tensor *x, situ_shape image, situ_shape window, const situ_window_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_max_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default in [1, inf): from one window to the next; default: the window, so that they do
                          * not overlap */
    situ_shape padding;  /* = default 0 in [0, inf): at most half a window */
    situ_shape dilation; /* = default 1 in [1, inf): from one element of a window to the next */
    bool ceil;           /* = false: a last window that reaches over the end counts, too, if it begins within x or the
                          * padding before it */
} situ_max_pool_options;
typedef struct SITU_BY_NAME situ_avg_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;  /* = default in [1, inf): from one window to the next; default: the window, so that they do
                         * not overlap */
    situ_shape padding; /* = default 0 in [0, inf): at most half a window */
    bool count_padding; /* = true: means are over whole windows, zeros added */
    bool ceil;          /* = false: a last window that reaches over the end counts, too; what lies behind the padding is
                         * not in its mean */
} situ_avg_pool_options;
/* The largest element, the mean, of each window over the last two axes. Of equal elements the first takes the gradient;
 * NaN is the largest. An image without rows or columns, of which windows hold padding alone, is an error; its means
 * over whole windows are 0. */
SITU_API situ_tensor *situ_max_pool2d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool2d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);

/* The same over the last axis, and over the last three; sizes are one number, or one for each axis. */
SITU_API situ_tensor *situ_max_pool1d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool1d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_max_pool3d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool3d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);
/* Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
 * those from floor(i n / m) to before ceil((i + 1) n / m). */
SITU_API situ_tensor *situ_adaptive_max_pool1d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_max_pool2d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_max_pool3d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_avg_pool1d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_avg_pool2d(situ_tensor *x, situ_shape size, situ_site site);
SITU_API situ_tensor *situ_adaptive_avg_pool3d(situ_tensor *x, situ_shape size, situ_site site);

typedef enum situ_interpolation {
    SITU_NEAREST = 0,       /* element floor(i n / m)                                             */
    SITU_NEAREST_EXACT = 1, /* element floor((i + 0.5) n / m): the nearest one                    */
    SITU_LINEAR = 2,        /* between the two neighbours along each axis, weighted by distance   */
    SITU_BILINEAR = 2,      /* the same, of two axes                                              */
    SITU_TRILINEAR = 2,     /* the same, of three axes                                            */
    SITU_CUBIC = 3,         /* between four neighbours along each axis, by the kernel of R. Keys with a = -0.75 */
    SITU_BICUBIC = 3        /* the same, of two axes                                              */
} situ_interpolation;
typedef struct SITU_BY_NAME situ_interpolate_options {
    SITU_OPTION_HEAD;
    situ_interpolation mode; /* = SITU_NEAREST: how */
    bool align_corners;      /* = false: the first and last elements lie on those of x, instead of elements being areas,
                              * whose outer ends lie on those of x's; linear and cubic alone */
} situ_interpolate_options;
/* The last axes with other sizes, one number for each: x [n, channels, height, width] with SHAPE(h, w). Without antialiasing. */
SITU_API situ_tensor *situ_interpolate(situ_tensor *x, situ_shape size, const situ_interpolate_options *options, situ_site site);

typedef enum situ_outside {
    SITU_OUTSIDE_ZEROS = 0,     /* 0                                */
    SITU_OUTSIDE_BORDER = 1,    /* the nearest element at the end   */
    SITU_OUTSIDE_REFLECTION = 2 /* mirrored at the ends             */
} situ_outside;
typedef struct SITU_BY_NAME situ_grid_sample_options {
    SITU_OPTION_HEAD;
    situ_interpolation mode; /* = SITU_BILINEAR: how: linear, or SITU_NEAREST (halves to even) */
    situ_outside padding;    /* = SITU_OUTSIDE_ZEROS: what is outside of x */
    bool align_corners;      /* = false: -1 and 1 are the middles of the first and last elements instead of their outer ends */
} situ_grid_sample_options;
/* x [n, channels, height, width] at places grid [n, rows, columns, 2], (across, down) from -1 to 1: [n, channels, rows, columns].
 * As torch.nn.functional.grid_sample. */
SITU_API situ_tensor *situ_grid_sample(situ_tensor *x, situ_tensor *grid, const situ_grid_sample_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_layer_norm_options {
    SITU_OPTION_HEAD;
    double eps; /* = 1e-5 in [0, inf): added to the variance */
} situ_layer_norm_options;
/* (x - mean) / sqrt(variance + eps) scale + shift, with the moments of each row: of x along its last axis. scale and
 * shift are as long as that axis. */
SITU_API situ_tensor *situ_layer_norm(
    situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_layer_norm_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_batch_norm_options {
    SITU_OPTION_HEAD;
    double eps;            /* = 1e-5 in [0, inf): added to the variance */
    double momentum;       /* = 0.1 in [0, 1]: running = (1 - momentum) running + momentum value, the variance times
                            * n / (n - 1); one value has none to follow */
    situ_tensor *mean;     /* = none: a variable that follows the means */
    situ_tensor *variance; /* = none: a variable that follows the variances */
    bool inference;        /* = false: normalise with .mean and .variance, which may be any tensors then, and change
                            * nothing */
} situ_batch_norm_options;
/* The same with the moments of each channel: of x over all axes but axis 1. scale and shift are as long as axis 1. */
SITU_API situ_tensor *situ_batch_norm(
    situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_batch_norm_options *options, situ_site site);

/* Rows of a table [count, width]: table[index]. Rows that are asked for more than once add up their gradients in order. */
SITU_API situ_tensor *situ_embedding(situ_tensor *table, situ_tensor *index, situ_site site);

typedef struct SITU_BY_NAME situ_attention_options {
    SITU_OPTION_HEAD;
    bool causal;  /* = false: query i sees keys 0 ... i only */
    double scale; /* = 0: of the scores; 0: 1 / sqrt(width) */
} situ_attention_options;
/* softmax(q k^T scale) v; q [..., queries, width], k [..., keys, width], v [..., keys, any width]. */
SITU_API situ_tensor *situ_attention(
    situ_tensor *q, situ_tensor *k, situ_tensor *v, const situ_attention_options *options, situ_site site);
/* The same for x [..., positions, 3 heads width] that holds queries, keys and values of each head, one after the other;
 * the heads' results lie side by side: [..., positions, heads width]. */
SITU_API situ_tensor *situ_self_attention(situ_tensor *x, int64_t heads, const situ_attention_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_rotary_options {
    SITU_OPTION_HEAD;
    double base;  /* = 10000 in (0, inf): of the angles */
    int32_t axis; /* = -2: along which the positions lie */
} situ_rotary_options;
/* Rotary positions (Su et al. 2021): elements i and i + width / 2 of each row of x [..., positions, ..., width] turned as a pair by
 * the angle position / base^(2 i / width). position: integers, one for each place along .axis. */
SITU_API situ_tensor *situ_rotary(situ_tensor *x, situ_tensor *position, const situ_rotary_options *options, situ_site site);

/* Rows of numbers in few bits, as bytes. The first three are blocks of 32 numbers as llama.cpp's files have them, one after the
 * other: scale (and least) are f16, little endian. */
typedef enum situ_block_type {
    SITU_Q8_0 = 0,   /* 34 bytes: scale, 32 of i8: scale q                                                        */
    SITU_Q4_0 = 1,   /* 18 bytes: scale, 16 bytes of two: scale (q - 8); the lower halves come first              */
    SITU_Q4_1 = 2,   /* 20 bytes: scale, least, 16 bytes of two: scale q + least; the lower halves first          */
    SITU_Q8_ROWS = 3 /* a row of any length: scale f32, then i8 of each number: scale q, |q| <= 127. Products with it round
                      * rows of x the same way and add up integers: the fastest of these, about 2 digits               */
} situ_block_type;
/* Rows w f32 [rows, in] as bytes u8 [rows, bytes]; but for SITU_Q8_ROWS in is a multiple of 32. Each number is the nearest that its
 * block or row has; no gradient. On the CPU. */
SITU_API situ_tensor *situ_quantise(situ_tensor *w, situ_block_type type, situ_site site);
/* The numbers of such bytes [rows, bytes], f32 [rows, in]. On the CPU. */
SITU_API situ_tensor *situ_dequantise(situ_tensor *blocks, situ_block_type type, situ_site site);
/* x W^T with W = dequantise(blocks), which is never there as a whole where x [..., in] has few rows. f32; there is a gradient by
 * x. On the CPU. SITU_Q8_ROWS: each row of x becomes i8 of 1/127 of its largest magnitude, to the nearest (dynamic quantisation);
 * sums are exact in i32, so in is at most 131,072; the gradient is that of the product without rounding. A row that is not finite
 * gives NaN. */
SITU_API situ_tensor *situ_quantised_linear(situ_tensor *x, situ_tensor *blocks, situ_block_type type, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/network.h>

#endif
