/* Networks: modules with parameters that are made at the first call.
 *
 *     situ_module *net = situ_sequential(situ_linear_layer(128), situ_relu_layer(), situ_linear_layer(10));
 *     situ_tensor *logits = situ_module_call(net, images);                 // the first call tells how large the weights are
 *     situ_print(situ_module_find(net, "0.weight"));                // a variable, f32[128,64] @cpu(0)
 *     situ_module_free(net);
 *
 * Parameters live on the device of the first input, or where situ_module_to or situ_module_mirror put them. Their first values
 * come from a key (0 if none was given) and are the same bits on every device. A module belongs to one parent; freeing
 * the whole frees its parts.
 */
#ifndef SITU_NN_H
#define SITU_NN_H

#include <situ/network.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_module situ_module;

/* ---- layers: NULL on an error ------------------------------------------------------------------------------------ */

typedef struct SITU_BY_NAME situ_linear_layer_options {
    SITU_OPTION_HEAD;
    bool bias;  /* = true: adds b */
    int64_t in; /* = 0 in [0, inf): size of the input; 0: that of the first one */
} situ_linear_layer_options;
/* y = x W^T + b over the last axis; weight [out, in] and bias [out] start uniform in +-1/sqrt(in). */
SITU_API situ_module *situ_linear_layer(int64_t out, const situ_linear_layer_options *options, situ_site site);

/* max(x, 0); 1 / (1 + e^-x); tanh x; gelu x (tanh form). */
SITU_API SITU_TOLD situ_module *situ_relu_layer(void);
SITU_API SITU_TOLD situ_module *situ_sigmoid_layer(void);
SITU_API SITU_TOLD situ_module *situ_tanh_layer(void);
SITU_API SITU_TOLD situ_module *situ_gelu_layer(void);
/* [batch, ...] becomes [batch, all the rest]. */
SITU_API SITU_TOLD situ_module *situ_flatten_layer(void);
/* While training: elements become 0 with probability rate, the others are divided by 1 - rate. The mask depends on the
 * network's key, the layer, the step, and the positions in the whole batch (see situ_module_call). */
SITU_API SITU_TOLD situ_module *situ_dropout_layer(double rate);

typedef struct SITU_BY_NAME situ_conv2d_layer_options {
    SITU_OPTION_HEAD;
    bool bias;           /* = true: adds one number for each output */
    situ_shape stride;   /* = default 1 in [1, inf): as in situ_conv2d */
    situ_shape padding;  /* = default 0 in [0, inf): as in situ_conv2d */
    situ_shape dilation; /* = default 1 in [1, inf): as in situ_conv2d */
    int64_t groups;      /* = 1 in [1, inf): as in situ_conv2d */
    int64_t in;          /* = 0 in [0, inf): channels of the input, a multiple of groups; 0: as the first one has */
} situ_conv2d_layer_options;
/* situ_conv2d with a kernel of this size (one number: a square), plus a bias for each output; weight [out, channels /
 * groups, height, width] and bias [out] start uniform in +-1/sqrt(products in a sum). */
SITU_API situ_module *situ_conv2d_layer(int64_t out, situ_shape size, const situ_conv2d_layer_options *options, situ_site site);
/* situ_max_pool2d and situ_avg_pool2d. */
SITU_API situ_module *situ_max_pool2d_layer(situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_module *situ_avg_pool2d_layer(situ_shape size, const situ_avg_pool_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_batch_norm_layer_options {
    SITU_OPTION_HEAD;
    double eps;      /* = 1e-5 in [0, inf): added to the variance */
    double momentum; /* = 0.1 in [0, 1]: share of a batch in the running moments, as in situ_batch_norm */
    int64_t in;      /* = 0 in [0, inf): channels of the input; 0: as the first one has */
} situ_batch_norm_layer_options;
typedef struct SITU_BY_NAME situ_layer_norm_layer_options {
    SITU_OPTION_HEAD;
    double eps; /* = 1e-5 in [0, inf): added to the variance */
    int64_t in; /* = 0 in [0, inf): elements of a row; 0: as the first input's rows have */
} situ_layer_norm_layer_options;
/* situ_batch_norm: weight (1 at first) and bias (0), and the moments that the training calls left, mean and variance,
 * with which it normalises otherwise. situ_layer_norm: weight and bias. */
SITU_API situ_module *situ_batch_norm_layer(const situ_batch_norm_layer_options *options, situ_site site);
SITU_API situ_module *situ_layer_norm_layer(const situ_layer_norm_layer_options *options, situ_site site);
/* Rows of weight [count, width] by integers; they start uniform in +-sqrt(3), with variance 1. */
SITU_API SITU_TOLD situ_module *situ_embedding_layer(int64_t count, int64_t width);

/* One after the other; parameters are named by position, "0.weight". Takes the parts over, also when it fails. */
SITU_API situ_module *situ_sequential(situ_module *const *parts, int count, situ_site site);
/* One more part at the end; 0 or a negative code. */
SITU_API SITU_TOLD int situ_sequential_add(situ_module *net, situ_module *part);

/* Frees a network and its parts; NULL is fine. */
SITU_API SITU_TOLD void situ_module_free(situ_module *net);

/* ---- using a network ---------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_module_call_options {
    SITU_OPTION_HEAD;
    int64_t first; /* = 0 in [0, inf): x is rows first, first + 1, ... of a larger batch */
    int64_t of;    /* = 0 in [0, inf): of so many rows; 0: x is all of it */
    int64_t step;  /* = -1 in [-1, inf): number of this training step; -1: the network counts its training calls */
} situ_module_call_options;
/* net(x), on x's device. */
SITU_API situ_tensor *situ_module_call(situ_module *net, situ_tensor *x, const situ_module_call_options *options, situ_site site);
/* Training (at first) or not: only layers like dropout behave differently. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_set_training(situ_module *net, bool on);
SITU_API bool situ_module_training(const situ_module *net);

/* ---- parameters --------------------------------------------------------------------------------------------------- */

/* First values by this key (u32[2]): parameter i starts from fold_in(key, i). Before the first call this says what the
 * parameters will be; later it makes them anew. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_init(situ_module *net, situ_tensor *key);
/* How many there are; the i-th one (a variable: borrowed) and its name, "0.weight". A parameter whose shape is not known
 * yet is an error: call the network once, or give its layers the sizes of their inputs (.in): then parameters are made,
 * and their values started, when they are asked for, on the default device if the network has none yet. */
SITU_API int situ_module_count(const situ_module *net);
SITU_API SITU_TOLD situ_tensor *situ_module_parameter(situ_module *net, int i);
SITU_API SITU_TOLD const char *situ_module_name(const situ_module *net, int i);
SITU_API SITU_TOLD bool situ_module_trainable(const situ_module *net, int i);
/* By name; an unknown one is an error that lists the names. */
SITU_API SITU_TOLD situ_tensor *situ_module_find(situ_module *net, const char *name);
/* The copy of parameter i on that device. */
SITU_API SITU_TOLD situ_tensor *situ_module_copy(situ_module *net, int i, situ_device device);

/* Moves a network to a device, parameters that are to be made as well. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_to(situ_module *net, situ_device device);
/* One copy of every parameter on each device; situ_module_call uses those on its input's device. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_mirror(situ_module *net, const situ_device *devices, int count);
/* Where it is: the first device (unset before the first call); writes up to `most` devices to out, returns how many. */
SITU_API situ_device situ_module_device(const situ_module *net);
SITU_API int situ_module_devices(const situ_module *net, situ_device *out, int most);

/* ---- modules of your own ------------------------------------------------------------------------------------------
 *
 *     static situ_tensor *scale(situ_module *m, situ_tensor *x, void *self)
 *     {
 *         return situ_mul(x, situ_module_use(m, 0, x, SHAPE(situ_dim(x, -1)), .value = 1));
 *     }
 *     static const situ_module_kind scale_kind = {.name = "scale", .forward = scale};
 *
 *     situ_module *m = situ_module_custom(&scale_kind, NULL);
 *     situ_module_declare(m, "factor");
 */
typedef struct situ_module_kind {
    const char *name; /* for messages */
    situ_tensor *(*forward)(situ_module *m, situ_tensor *x, void *self);
    void (*release)(void *self); /* at situ_module_free; may be NULL */
} situ_module_kind;
/* `kind` must outlive the module; self belongs to it. NULL on an error (self is released then). */
SITU_API SITU_TOLD situ_module *situ_module_custom(const situ_module_kind *kind, void *self);
/* Declares its next parameter; returns its number among the module's own, or a negative code. */
SITU_API SITU_TOLD int situ_module_declare(situ_module *m, const char *name);
/* Gives it a part, which its forward function calls by situ_module_call(situ_module_child(m, i), x). Takes the part over, also
 * when it fails; returns its number or a negative code. */
SITU_API SITU_TOLD int situ_module_adopt(situ_module *m, const char *name, situ_module *part);
SITU_API SITU_TOLD situ_module *situ_module_child(const situ_module *m, int i);
SITU_API int situ_module_children(const situ_module *m);

typedef struct SITU_BY_NAME situ_module_use_options {
    SITU_OPTION_HEAD;
    double bound; /* = 0 in [0, inf): starts uniform in [-bound, bound) ... */
    double value; /* = 0: ... or, where bound is 0, with this value */
    bool fixed;   /* = false: no gradient and no optimizer: a running mean, a counter */
} situ_module_use_options;
/* In a forward function: own parameter i on x's device. The first time it is made, with this shape; later shapes must
 * be the same. */
SITU_API situ_tensor *situ_module_use(
    situ_module *m, int i, situ_tensor *x, situ_shape shape, const situ_module_use_options *options, situ_site site);
/* In a forward function: a key for this module and step, on x's device; the rows that x has in the whole batch. */
SITU_API SITU_TOLD situ_tensor *situ_module_key(situ_module *m, situ_tensor *x);
SITU_API SITU_TOLD void situ_module_rows(const situ_module *m, situ_tensor *x, int64_t *first, int64_t *of);

#ifndef __cplusplus
#define situ_sequential(...) \
    (situ_sequential)((situ_module *[]){NULL, __VA_ARGS__} + 1, SITU_COUNT_OF(situ_module, NULL, __VA_ARGS__) - 1, SITU_HERE)
#endif

#ifdef __cplusplus
}
#endif

#include <situ/call/nn.h>

#endif
