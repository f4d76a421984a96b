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

#include <situ/group.h>
#include <situ/network.h>

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_module situ_module;

/* A list of modules, written SITU_PARTS(a, b). */
typedef struct situ_parts {
    situ_module *const *part;
    int count;
} situ_parts;
#define SITU_PARTS(...) ((situ_parts){(situ_module *[]){__VA_ARGS__}, SITU_COUNT_OF(situ_module, __VA_ARGS__)})
enum { SITU_MODULE_MOST = 16 /* largest number of inputs, and of results, unless the kind names more */ };

/* ---- layers: NULL on an error ------------------------------------------------------------------------------------ */

typedef struct SITU_BY_NAME situ_linear_layer_options {
    SITU_OPTION_HEAD;
    bool bias;  /* = true: adds a bias b */
    int64_t in; /* = 0 in [0, inf): width of the input; 0: that of the first input */
} situ_linear_layer_options;
/* y = x W^T + b over the last axis; weight [out, in] and bias [out] start uniform in +-1/sqrt(in). */
SITU_API situ_module *situ_linear_layer(int64_t out, const situ_linear_layer_options *options, situ_site site);

/* Reshapes [batch, ...] to [batch, all the rest]. */
SITU_API SITU_TOLD situ_module *situ_flatten_layer(void);
/* A layer without parameters that calls your function f(x, self): a permutation of axes, a mean. self is yours and must outlive it.
 */
typedef situ_tensor *(*situ_layer_fn)(situ_tensor *x, void *self);
SITU_API SITU_TOLD situ_module *situ_function_layer(situ_layer_fn f, void *self);
/* Dropout: while training, elements become 0 with probability rate, and the others are divided by 1 - rate. The mask depends on the
 * network's key, the layer, the step, and the positions in the whole batch (see situ_module_call). */
SITU_API SITU_TOLD situ_module *situ_dropout_layer(double rate);

/* The same for whole channels of x [batch, channels, ...]: all elements of a channel are kept or become 0. */
SITU_API SITU_TOLD situ_module *situ_channel_dropout_layer(double rate);

typedef struct SITU_BY_NAME situ_bilinear_layer_options {
    SITU_OPTION_HEAD;
    bool bias; /* = true: adds a bias b */
} situ_bilinear_layer_options;
/* y_k = a W_k b' + b_k over the last axes of two inputs a and b; weight [out, size of a, size of b] and bias [out] start uniform in
 * +-1/sqrt(size of a). */
SITU_API situ_module *situ_bilinear_layer(int64_t out, const situ_bilinear_layer_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_rms_norm_layer_options {
    SITU_OPTION_HEAD;
    double eps; /* = 1e-6 in [0, inf): added to the mean square */
    int64_t in; /* = 0 in [0, inf): length of a row; 0: that of the first input's rows */
} situ_rms_norm_layer_options;
/* x / sqrt(mean x^2 + eps) weight over the last axis; weight is initially 1. */
SITU_API situ_module *situ_rms_norm_layer(const situ_rms_norm_layer_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_group_norm_layer_options {
    SITU_OPTION_HEAD;
    double eps;  /* = 1e-5 in [0, inf): added to the variance */
    bool affine; /* = true: multiplies by a weight and adds a bias for each channel */
    int64_t in;  /* = 0 in [0, inf): channels of the input; 0: those of the first input */
} situ_group_norm_layer_options;
/* (x - mean) / sqrt(variance + eps) for x [batch, channels, ...], with moments for each group of channels in each row. An instance
 * norm has a group for each channel. Here .affine = false. */
SITU_API situ_module *situ_instance_norm_layer(const situ_group_norm_layer_options *options, situ_site site);
/* (x - mean) / sqrt(variance + eps) for x [batch, channels, ...], with moments for each of `count` groups of channels in each row;
 * a weight (initially 1) and a bias (0) for each channel. */
SITU_API situ_module *situ_group_norm_layer(int64_t count, const situ_group_norm_layer_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_batch_norm_layer_options {
    SITU_OPTION_HEAD;
    double eps;        /* = 1e-5 in [0, inf): added to the variance */
    double momentum;   /* = 0.1 in [0, 1]: weight of a batch in the running moments, as in situ_batch_norm */
    int64_t in;        /* = 0 in [0, inf): channels of the input; 0: those of the first input */
    situ_group *group; /* = none: ranks over whose rows together the moments are computed while training; none: each rank has its
                        * own */
} situ_batch_norm_layer_options;
typedef struct SITU_BY_NAME situ_layer_norm_layer_options {
    SITU_OPTION_HEAD;
    double eps;       /* = 1e-5 in [0, inf): added to the variance */
    int64_t in;       /* = 0 in [0, inf): length of a row; 0: that of the first input's rows */
    situ_shape shape; /* = default in [1, inf): sizes of the last axes, over which it normalises, and of weight and bias; default:
                       * only the last axis */
} situ_layer_norm_layer_options;
/* situ_batch_norm for [n, channels, ...], with weight (initially 1), bias (0), and the running moments of training calls,
 * running_mean and running_var, which it uses when not training. And situ_layer_norm with weight and bias. With a .group every rank
 * calls the network once in each step: the moments, and so the running ones, are those of all ranks' rows, and gradients pass
 * through them. */
SITU_API situ_module *situ_batch_norm_layer(const situ_batch_norm_layer_options *options, situ_site site);
SITU_API situ_module *situ_layer_norm_layer(const situ_layer_norm_layer_options *options, situ_site site);
/* Looks up rows of weight [count, width] by integers; the weight is initially uniform in +-sqrt(3), with variance 1. */
SITU_API SITU_TOLD situ_module *situ_embedding_layer(int64_t count, int64_t width);

typedef enum situ_bag { SITU_BAG_MEAN = 0, SITU_BAG_SUM = 1, SITU_BAG_MAX = 2 } situ_bag;
typedef struct SITU_BY_NAME situ_embedding_bag_layer_options {
    SITU_OPTION_HEAD;
    situ_bag mode; /* = SITU_BAG_MEAN: how the rows of a bag are combined */
} situ_embedding_bag_layer_options;
/* For index [batch, n] the mean, sum or maximum of n rows of weight [count, width], initialised as in situ_embedding_layer; index
 * -1 is skipped. A second input, weights [batch, n], multiplies the rows of a sum. */
SITU_API situ_module *situ_embedding_bag_layer(
    int64_t count, int64_t width, const situ_embedding_bag_layer_options *options, situ_site site);

/* One after the other; parameters are named by position, "0.weight". Takes the parts over, also when it fails. */
SITU_API situ_module *situ_sequential(situ_module *const *parts, int count, situ_site site);
/* Appends a module; 0 or a negative code. */
SITU_API SITU_TOLD int situ_sequential_add(situ_module *net, situ_module *part);

/* x + part(x); the part's result has to have x's shape. */
SITU_API SITU_TOLD situ_module *situ_residual(situ_module *part);

typedef enum situ_join { SITU_JOIN_NONE = 0, SITU_JOIN_SUM = 1, SITU_JOIN_CONCAT = 2 } situ_join;
typedef struct SITU_BY_NAME situ_parallel_options {
    SITU_OPTION_HEAD;
    situ_join join; /* = SITU_JOIN_NONE: returns the parts' results separately, adds them, or concatenates them */
    int32_t axis;   /* = 1: axis of the concatenation */
} situ_parallel_options;
/* Calls every part with the same inputs. Takes ownership of the parts, even if it fails. */
SITU_API situ_module *situ_parallel(situ_parts parts, const situ_parallel_options *options, situ_site site);
/* Modules for a forward function of yours to call (situ_module_child), named "0", "1", ..., or by these names. The list itself
 * cannot be called. Takes ownership of the parts, even if it fails. */
SITU_API SITU_TOLD situ_module *situ_module_list(situ_parts parts);
SITU_API SITU_TOLD situ_module *situ_module_dict(const char *const *names, situ_parts parts);

/* Frees a network with all its modules; NULL is fine. */
SITU_API SITU_TOLD void situ_module_free(situ_module *net);

/* ---- using a network ---------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_module_call_options {
    SITU_OPTION_HEAD;
    int64_t first; /* = 0 in [0, inf): x has rows first, first + 1, ... of a larger batch */
    int64_t of;    /* = 0 in [0, inf): number of rows of that batch; 0: x is all of it */
    int64_t step;  /* = -1 in [-1, inf): number of this training step; -1: the network counts its training calls */
} situ_module_call_options;
/* net(x), on x's device; the first result if there are several. */
SITU_API situ_tensor *situ_module_call(situ_module *net, situ_tensor *x, const situ_module_call_options *options, situ_site site);
/* net(a, b, ...): the first `most` results go to `results`; gives how many there are, or a negative code. The first input says
 * where and how many rows; one that may be left out is NULL:
 *
 *     situ_tensor *out[2];
 *     situ_module_call_n(gru, TENSORS(x, NULL, lengths), out, 2);
 */
SITU_API int situ_module_call_n(
    situ_module *net, situ_list inputs, situ_tensor **results, int most, const situ_module_call_options *options, situ_site site);
/* Turns training mode on (the default) or off; only layers like dropout behave differently. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_set_training(situ_module *net, bool on);
SITU_API bool situ_module_training(const situ_module *net);
/* Sets the precision, bf16, f16 or f32, of products, convolutions and attention in this network, or part of one, regardless of the
 * caller's (situ_precision); a part may have its own. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_set_precision(situ_module *net, situ_dtype dtype);

/* Whether calls of this network, or part of one, are batch-invariant (situ_batch_invariant). If not, that is left to the caller's
 * policy. Copies have the same setting. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_set_batch_invariant(situ_module *net, bool on);

/* ---- parameters --------------------------------------------------------------------------------------------------- */

/* Sets the key (u32[2]) for initial values: parameter i uses fold_in(key, i). Before the first call this decides what the
 * parameters will be; afterwards it initialises them again. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_init(situ_module *net, situ_tensor *key);
/* The number of parameters; parameter i (a variable: borrowed) and its name, "0.weight". A parameter whose shape is not known yet
 * is an error: call the network once, or give its layers the sizes of their inputs (.in). Then parameters are created when they are
 * asked for, on the default device if the network has none yet. */
SITU_API int situ_module_count(const situ_module *net);
SITU_API SITU_TOLD situ_tensor *situ_module_parameter(situ_module *net, int i);
SITU_API SITU_TOLD const char *situ_module_name(const situ_module *net, int i);
SITU_API SITU_TOLD bool situ_module_trainable(const situ_module *net, int i);
/* A parameter by name; an unknown name is an error that lists the names. */
SITU_API SITU_TOLD situ_tensor *situ_module_find(situ_module *net, const char *name);
/* The copy of parameter i on that device. */
SITU_API SITU_TOLD situ_tensor *situ_module_copy(situ_module *net, int i, situ_device device);

/* Moves a network to a device, including parameters to be created later. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_to(situ_module *net, situ_device device);
/* Makes a copy of every parameter on each device; situ_module_call uses those on its input's device. 0 or a negative code. */
SITU_API SITU_TOLD int situ_module_mirror(situ_module *net, const situ_device *devices, int count);
/* Where it is: the first device (unset before the first call); the other writes up to `most` devices to out, and returns how many.
 */
SITU_API situ_device situ_module_device(const situ_module *net);
SITU_API int situ_module_devices(const situ_module *net, situ_device *out, int most);

/* ---- changing a network --------------------------------------------------------------------------------------------- */

/* Freezes its parameters (and those of its parts): optimizer steps do not change them, until it is called with false. 0 or a
 * negative code. */
SITU_API SITU_TOLD int situ_module_freeze(situ_module *net, bool on);
/* Replaces parameters of m by those of the same name in `with`: a decoder that uses an embedding's table, a layer used twice. Both
 * have to be in one network, and shapes have to be equal. Returns how many are shared, or a negative code. */
SITU_API SITU_TOLD int situ_module_share(situ_module *m, situ_module *with);
/* Replaces the part with this name ("1.0") and takes ownership of the new one, even if it fails. Returns the old one, a network of
 * its own that has to be freed, or NULL. */
SITU_API SITU_TOLD situ_module *situ_module_replace(situ_module *net, const char *name, situ_module *part);
/* The part with this name ("1.0"), borrowed; an unknown name is an error. */
SITU_API SITU_TOLD situ_module *situ_module_part(situ_module *net, const char *name);
/* For inference: every linear layer of a network, or of a part of one, gets rows of 8 bits (SITU_Q8_ROWS) as its weight, a quarter
 * of the memory, and situ_quantised_linear as its product (dynamic quantisation: each row of its input is rounded, too). Biases and
 * all other layers stay as they are, also the projections of an attention layer's queries, keys and values; a weight that is
 * shared with another layer is rounded here alone. How many layers, or a negative code: then none is changed. On the CPU:
 * a quantised network that is moved to another device is an error at its next call. Such a layer computes in f32 (about 2
 * digits); its result has the dtype that it had with a weight of f32, f64 for an input of f64.
 *
 *     situ_trainer_fit(trainer, net, adam, train, NULL);
 *     situ_module_quantise(net);
 *
 * Such layers pass gradients on as if nothing were rounded, and cannot be trained: optimizers take the network if they are frozen.
 * A file of a quantised network makes these layers of the network that it is loaded into quantised. */
SITU_API SITU_TOLD int situ_module_quantise(situ_module *net);
/* A copy of a network or a part of one, with the same parts, devices and values. NULL on an error. */
SITU_API SITU_TOLD situ_module *situ_module_clone(situ_module *net);
/* Copies all parameters and moments of `from`, a clone of net (or of a part of it), to net as one version. Each call of net, in any
 * thread, uses either the old or the new values, never a mixture, and keeps them until it ends. 0 or a negative code; then net is
 * unchanged. */
SITU_API SITU_TOLD int situ_module_publish(situ_module *net, situ_module *from);

typedef struct SITU_BY_NAME situ_module_summary_options {
    SITU_OPTION_HEAD;
    FILE *file; /* = none: where it prints; none: standard output */
} situ_module_summary_options;
/* Prints a table with a line for each part: the shapes of its results for these inputs (which are not computed), its parameters,
 * and the number of operations that it records; then sums, bytes and devices. Without inputs: the parameters. 0 or a negative code.
 */
SITU_API int situ_module_summary(situ_module *net, situ_list inputs, const situ_module_summary_options *options, situ_site site);

/* ---- first values ----------------------------------------------------------------------------------------------------
 *
 * fan_in is the number of products in a sum of a layer, fan_out that of the other direction: of a weight [out, in, ...window]
 * they are in and out times the window's size; of a vector both are its length. */
typedef enum situ_init {
    SITU_INIT_LAYER = 0,           /* the layer's own, as in its comment */
    SITU_INIT_CONSTANT = 1,        /* value */
    SITU_INIT_UNIFORM = 2,         /* uniform in value +- gain */
    SITU_INIT_NORMAL = 3,          /* normal: mean value, standard deviation gain */
    SITU_INIT_XAVIER_UNIFORM = 4,  /* uniform in +- gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010) */
    SITU_INIT_XAVIER_NORMAL = 5,   /* standard deviation gain sqrt(2 / (fan_in + fan_out)) */
    SITU_INIT_KAIMING_UNIFORM = 6, /* uniform in +- gain sqrt(3 / fan_in) (He et al. 2015; gain sqrt 2 before a relu) */
    SITU_INIT_KAIMING_NORMAL = 7,  /* standard deviation gain sqrt(1 / fan_in) */
    SITU_INIT_TRUNCATED = 8,       /* normal, mean value and standard deviation gain, truncated at two standard deviations */
    SITU_INIT_ORTHOGONAL = 9,      /* gain times a matrix [first axis, the others] with orthonormal rows or columns */
    SITU_INIT_EYE = 10             /* gain times ones on the diagonal of a matrix */
} situ_init;
typedef struct SITU_BY_NAME situ_initial_options {
    SITU_OPTION_HEAD;
    double gain;  /* = 1: see the table */
    double value; /* = 0: see the table */
} situ_initial_options;
/* An f32 tensor with this shape, on the key's device. */
SITU_API situ_tensor *situ_initial(
    situ_tensor *key, situ_shape shape, situ_init how, const situ_initial_options *options, situ_site site);
/* Sets the initial values of parameters with this name, or whose name ends in it after a dot ("weight": all weights; "": all),
 * including parameters to be created later. Returns how many there are, or a negative code. */
SITU_API int situ_module_initialize(
    situ_module *net, const char *name, situ_init how, const situ_initial_options *options, situ_site site);

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
/* forward_n is for several inputs or results: `in` has the inputs (NULL: left out); `out` has capacity for the results that
 * `results` names, at least SITU_MODULE_MOST. It returns their number, or a negative code. */
typedef struct situ_module_kind {
    const char *name; /* for messages */
    situ_tensor *(*forward)(situ_module *m, situ_tensor *x, void *self);
    void (*release)(void *self);                                                   /* called by situ_module_free; may be NULL */
    int (*forward_n)(situ_module *m, situ_list in, situ_tensor **out, void *self); /* instead of forward */
    const char *inputs;  /* their names: "x, mask?"; "?": optional; "x, ...": any number; NULL: one; "": none */
    const char *results; /* their names: "y; h, c"; after ";": states, which a sequence does not pass on; NULL: any number */
    void *(*copy)(const void *self); /* for situ_module_clone; NULL: only a module whose self is NULL can be cloned */
} situ_module_kind;
/* `kind` must outlive the module; self is owned by it. NULL on an error (then self is released). */
SITU_API SITU_TOLD situ_module *situ_module_custom(const situ_module_kind *kind, void *self);
/* Declares the module's next parameter; returns its index among the module's own, or a negative code. */
SITU_API SITU_TOLD int situ_module_declare(situ_module *m, const char *name);
/* Adds a part, which the forward function calls by situ_module_call(situ_module_child(m, i), x). Takes ownership, even if it fails;
 * returns its index or a negative code. */
SITU_API SITU_TOLD int situ_module_adopt(situ_module *m, const char *name, situ_module *part);
SITU_API SITU_TOLD situ_module *situ_module_child(const situ_module *m, int i);
SITU_API int situ_module_children(const situ_module *m);

typedef struct SITU_BY_NAME situ_module_use_options {
    SITU_OPTION_HEAD;
    double bound;     /* = 0 in [0, inf): initially uniform in [-bound, bound) ... */
    double value;     /* = 0: ... or, if bound is 0, this value */
    bool fixed;       /* = false: without gradient and optimizer: a running mean, a counter */
    double deviation; /* = 0 in [0, inf): ... or, if it is not 0, normal with this standard deviation */
} situ_module_use_options;
/* In a forward function: own parameter i on x's device. The first call creates it with this shape; later calls must use the same.
 */
SITU_API situ_tensor *situ_module_use(
    situ_module *m, int i, situ_tensor *x, situ_shape shape, const situ_module_use_options *options, situ_site site);
/* In a forward function: a key for this module and step, on x's device; and the positions of x's rows in the whole batch. If x has
 * several words for each row of the network's input, they are counted as words; other rows count as a whole batch. */
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
