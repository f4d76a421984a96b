/* Tensors: values with a shape, a dtype and a device. Operations record; reading computes.
 *
 *     situ_scope *scope = situ_scope_open();
 *     situ_tensor *x = situ_ones(SHAPE(2, 3), .device = situ_try_gpu(0));
 *     situ_tensor *y = situ_mul(situ_exp(situ_add(x, 2)), x);
 *     situ_print(y);
 *     situ_scope_close(scope);                      // x and y die here
 *
 * Every operation is a function; a macro of the same name adds the line of the call and lets numbers stand for tensors.
 */
#ifndef SITU_TENSOR_H
#define SITU_TENSOR_H

#include <stdio.h>

#include <situ/device.h>
#include <situ/dtype.h>

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_tensor situ_tensor;
typedef struct situ_scope situ_scope;

enum { SITU_MAX_DIMS = 8 };

/* A shape: SHAPE(2, 3), SHAPE() for a single number. An option that is a shape may also be written as one number, which counts for
 * each axis (.padding = 1): then ndim is -1, as in an option that is not set. */
typedef struct situ_shape {
    int64_t dim[SITU_MAX_DIMS], ndim;
} situ_shape;
#define SHAPE(...) (__extension__(situ_shape){.dim = {SITU_WORDS_(__VA_ARGS__)}, .ndim = SITU_COUNT(__VA_ARGS__)})
/* In a slice: not given; x[:, 1:] is .start = SHAPE(SITU_FULL, 1). */
#define SITU_FULL INT64_MIN
/* As padding of a convolution with stride 1: keeps the size; if an odd number is needed, one more at the end. */
#define SITU_SAME (INT64_MIN + 1)

/* Axes: AXES(0, 2) in options, or one number (.axes = 0); negative axes count from the end. The default means all. */
typedef struct situ_axes {
    int32_t axis[SITU_MAX_DIMS], count;
    int32_t given; /* 0: unset, or one number */
} situ_axes;
#define AXES(...) \
    (__extension__(situ_axes){.axis = {SITU_WORDS_(__VA_ARGS__)}, .count = (int32_t)SITU_COUNT(__VA_ARGS__), .given = 1})
#define SITU_ALL_AXES INT32_MIN

/* ---- numbers stand for tensors --------------------------------------------------------------------------------- */

/* A number that meets a tensor keeps its value. Comparisons are those of the exact numbers: situ_less(x, 256) is true everywhere
 * for u8. Elsewhere (arithmetic, filling, assigning) an integer that the dtype does not hold is SITU_BAD_NUMBER; so is a fraction
 * that would be assigned to integers. A float beside integers gives f32, and floats round to the dtype of floats. */

SITU_API situ_tensor *situ_scalar_bool(bool value);
SITU_API situ_tensor *situ_scalar_int(int64_t value);
SITU_API situ_tensor *situ_scalar_unsigned(uint64_t value);
SITU_API situ_tensor *situ_scalar_float(double value);
static inline situ_tensor *situ_scalar_tensor(situ_tensor *t) { return t; }
/* NULL in the source: an error of the call, not a number. */
static inline situ_tensor *situ_scalar_pointer(const void *t) { return (situ_tensor *)(uintptr_t)t; }

/* Several tensors: TENSORS(a, b, c), or TENSORS_OF(array, count). */
typedef struct situ_list {
    situ_tensor *const *tensor;
    int count;
} situ_list;
#define TENSORS(...) ((situ_list){(situ_tensor *[]){__VA_ARGS__}, SITU_COUNT_OF(situ_tensor, __VA_ARGS__)})
#define TENSORS_OF(array, count) (__extension__(situ_list){(array), (count)})

/* ---- scopes and lifetimes ------------------------------------------------------------------------------------- */

/* Temporaries belong to the innermost open scope of their thread. Without one they belong to the thread. */
SITU_API situ_scope *situ_scope_open(void);
/* Enqueues, without waiting, what is kept or assigned and still pending; then every temporary of the scope is gone. Scopes that
 * were opened inside and are still open are closed first. NULL is fine. Closing a scope twice, or another thread's, is
 * SITU_BAD_ARGUMENT, and so is any later use of one of its tensors; long afterwards, when memory was reused often, this is certain
 * only with SITU_DEBUG=scopes. */
SITU_API SITU_TOLD void situ_scope_close(situ_scope *scope);
/* The end of a function that returns a tensor: the scope closes, and t goes to the one around it, as what it is: pending, stored
 * or dropped, with what it was made of; nothing is computed for it and no value is copied. The tensor to use from then on is the
 * one returned; t itself is gone with the scope. A number goes along, too. What does not lie in the scope (a kept handle, a
 * variable, a tensor of an outer scope) is returned as it is.
 *
 *     situ_tensor *layer(situ_tensor *x, situ_tensor *w)
 *     {
 *         situ_scope *scope = situ_scope_open();
 *         situ_tensor *y = situ_relu(situ_matmul(x, w));
 *         return situ_scope_close_with(scope, y);
 *     }
 */
SITU_API situ_tensor *situ_scope_close_with(situ_scope *scope, situ_tensor *t, situ_site site);
/* The same for several; out[i], which may be their array, replaces tensor i. 0 or a negative code. The scope closes in any case. */
SITU_API int situ_scope_close_with_all(situ_scope *scope, situ_list tensors, situ_tensor **out, situ_site site);
/* A handle that outlives the scope, to be released by situ_release. The old handle stays valid until its scope closes. */
SITU_API situ_tensor *situ_keep(situ_tensor *t, situ_site site);
/* Releases a kept handle or a variable, once: a second time is SITU_BAD_ARGUMENT. NULL and temporaries are fine (those die with
 * their scope). */
SITU_API SITU_TOLD void situ_release(situ_tensor *t);
/* Names a tensor for messages (the text is copied); returns t. Only the thread that made a temporary may name it; others get
 * SITU_BAD_ARGUMENT. */
SITU_API SITU_TOLD situ_tensor *situ_name(situ_tensor *t, const char *name);
SITU_API SITU_TOLD const char *situ_name_of(const situ_tensor *t);

/* ---- properties, known without computing -------------------------------------------------------------------------- */

SITU_API SITU_TOLD int situ_ndim(const situ_tensor *t);
SITU_API SITU_TOLD int64_t situ_dim(const situ_tensor *t, int axis); /* negative axes count from the end */
SITU_API SITU_TOLD situ_shape situ_shape_of(const situ_tensor *t);
SITU_API SITU_TOLD int64_t situ_count(const situ_tensor *t); /* number of elements */
SITU_API SITU_TOLD situ_dtype situ_dtype_of(const situ_tensor *t);
SITU_API SITU_TOLD situ_device situ_device_of(const situ_tensor *t);
SITU_API SITU_TOLD bool situ_is_variable(const situ_tensor *t);

/* ---- making them ------------------------------------------------------------------------------------------------ */

typedef struct SITU_BY_NAME situ_from_host_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;            /* = default f32: dtype of the result; default: that of the pointer, else f32 */
    situ_device device;          /* = default: where it is made; default: the thread's default device */
    bool borrow;                 /* = false: share the memory instead of copying it; read-only until release is
                                  * called */
    void (*release)(void *self); /* = none: called with self when borrowed memory is no longer needed */
    void *self;                  /* = none: argument of release */
    int32_t pointed;             /* = 0 in [0, inf): 1 + the dtype that data points to, 0 if unknown; the macro fills these in */
    size_t room;                 /* = 0 in [0, inf): bytes at data, 0 if unknown */
} situ_from_host_options;

/* A tensor with the values at `data`: contiguous, row-major. Copied at the call. Their dtype is that of the pointer; void * and
 * char * say none: then it is .dtype, else f32. A .dtype that the pointer cannot mean is an error (uint16_t may be f16 or bf16,
 * float and double the parts of complex numbers, uint8_t bool), and so is an array that the compiler knows to be too small.
 * In C: an array in braces is put into parentheses, situ_from_host(((float[]){1, 2, 3}), SHAPE(3)), since the preprocessor cuts at
 * its commas. situ_values(1, 2, 3) is a tensor of these numbers, [count], 64 at most: i64 if all of them are integers, else f32. */
SITU_API situ_tensor *situ_from_host(const void *data, situ_shape shape, const situ_from_host_options *options, situ_site site);

/* ---- reading them: the barriers ----------------------------------------------------------------------------------- */

/* Computes all elements and copies them, contiguous and row-major, to `out` of `bytes` bytes; 0 or a negative code. */
SITU_API int situ_read(situ_tensor *t, void *out, size_t bytes, situ_site site);
/* The same if more is known of out: the dtype that it points to (else SITU_DTYPE_DEFAULT), and the bytes available there (else
 * SIZE_MAX). A tensor that does not fit is an error before anything is computed. situ_read calls this. */
SITU_API int situ_read_into(situ_tensor *t, void *out, size_t bytes, situ_dtype pointed, size_t room, situ_site site);
/* The only element of a tensor as a number, or NaN (situ_item_int: 0) on an error. */
SITU_API double situ_item(situ_tensor *t, situ_site site);
SITU_API int64_t situ_item_int(situ_tensor *t, situ_site site);
/* Prints values, dtype, shape and device: "[[1, 2]] f32[1,2] @gpu(0)"; large tensors in summary. */
SITU_API int situ_print(situ_tensor *t, situ_site site);
SITU_API int situ_fprint(FILE *file, situ_tensor *t, situ_site site);
/* Sets how float tensors are printed, in all threads: as few digits as restore the same element, at most this many (8: as NumPy and
 * JAX print); 0 (the default): 6 digits, for f64 8, for halves 4. 0 or a negative code. */
SITU_API SITU_TOLD int situ_set_print_digits(int digits);
/* The same as text, to be freed with free(); NULL on an error. */
SITU_API char *situ_text(situ_tensor *t, situ_site site);

/* Starts computing (and storing) tensors, without waiting, together with the variables' pending assignments. */
SITU_API int situ_eval(situ_list tensors, situ_site site);
/* Waits until the tensor is computed. NULL: starts what this thread has kept or assigned, and waits for all that it has started. */
SITU_API int situ_wait(situ_tensor *t, situ_site site);
/* Whether the tensor's value is there, so that reading it does not wait. Never waits: a pending tensor is started, as by situ_eval.
 * True after an error, too, so that a loop that asks ends. On a simulated GPU the virtual clock decides, and a question takes a
 * microsecond of it. */
SITU_API bool situ_is_ready(situ_tensor *t, situ_site site);

/* The state of a tensor: "pending", "running" (it has started), "stored", "dropped", "poisoned", "variable". On a simulated GPU it
 * runs until the virtual clock of the calling thread (situ/sim.h) is at its end. Starts nothing, takes no time. */
SITU_API SITU_TOLD const char *situ_state(const situ_tensor *t);

/* ---- variables: the only things that change ---------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_variable_options {
    SITU_OPTION_HEAD;
    bool trainable;   /* = true: gradients of a module and optimizers use it */
    const char *name; /* = none: for messages and checkpoints */
} situ_variable_options;
/* A variable with the value of t, on its device, to be released by situ_release. As an operand it stands for its value. An
 * operation without effect (a cast to its own dtype, a reshape to its own shape, situ_to its own device) returns the present value
 * as a separate tensor. t and the variable are different tensors: grad.h tells which gradients exist. */
SITU_API situ_tensor *situ_variable(situ_tensor *t, const situ_variable_options *options, situ_site site);
/* Sets its next value, with the same shape, dtype and device. Returns 0 or a negative code. If the plan fails, it keeps its value;
 * if that was never computed (nobody has evaluated it, no scope has closed), it has none. */
SITU_API int situ_assign(situ_tensor *variable, situ_tensor *value, situ_site site);
/* Assigns several at once: all of them change, or none if one of the values does not fit. */
SITU_API int situ_assign_all(situ_list variables, situ_list values, situ_site site);
/* The values that variables have now, all of one version: out[i] for tensor i (out may be their array); another tensor stands for
 * itself. What another thread changes together (by one situ_assign_all, a step of an optimizer, a load) is seen whole or not at
 * all. A call of a network and an operation with several variables as operands read so by themselves; two reads one after the
 * other may see different versions. Others see what a thread assigned once it evaluates it (situ_eval, situ_read, the end of a
 * scope). 0 or a negative code. */
SITU_API int situ_snapshot(situ_list tensors, situ_tensor **out, situ_site site);
/* Assigns a part of it: the elements selected by slice(start, size of value, step 1). The rest is neither read nor written, unless
 * something still needs the old value. A small part that is read before it is computed is computed first, by itself. */
SITU_API int situ_assign_slice(situ_tensor *variable, situ_tensor *value, situ_shape start, situ_site site);

/* ---- plans -------------------------------------------------------------------------------------------------------- */

typedef struct situ_plan_counters {
    int64_t made, reused, cached, bytes;
} situ_plan_counters;
SITU_API situ_plan_counters situ_plans(void);
/* Describes how t would be computed: groups, implementations, bytes; a text to be freed with free(). */
SITU_API SITU_TOLD char *situ_explain(situ_tensor *t);
/* Eager mode of this thread, on or off (initially off): each call starts its work, as by situ_eval, and nothing waits for it. The
 * bits are the same. It shows when work starts. Without it operations start together, fused, which is faster. Returns the old
 * setting. */
SITU_API bool situ_eager(bool on);
/* Turns fusion on or off in this thread (initially on); the bits are the same. Returns the old setting. */
SITU_API bool situ_fusing(bool on);

#ifndef __cplusplus
#define situ_keep(t) (situ_keep)(SITU_TENSOR(t), SITU_HERE)
#define situ_read(t, out, bytes) \
    __extension__({ \
        SITU_REFUSE_UNLESS_(SITU_JOIN(situ_array_, __COUNTER__), SITU_DTYPE_OF(out) >= 0, SITU_NUMBERS_IS_); \
        (situ_read_into)( \
            SITU_TENSOR(t), (out), (bytes), (situ_dtype)SITU_DTYPE_OF(out), __builtin_object_size((out), 0), SITU_HERE); \
    })
#define situ_from_host(...) situ_from_host_(__VA_ARGS__, )
#define situ_from_host_(data, shape, ...) situ_from_host_n_(SITU_JOIN(situ_options_, __COUNTER__), data, shape, __VA_ARGS__)
#define situ_from_host_n_(n, data, shape, ...) \
    __extension__({ \
        SITU_REFUSE_UNLESS_(SITU_JOIN(n, _whole), SITU_IS_WHOLE_(#data), \
            "an array in braces is put into parentheses here, " \
            "situ_from_host(((float[]){1, 2, 3}), SHAPE(3)); or write situ_values(1, 2, 3)"); \
        __typeof__(data) *const SITU_JOIN(n, _given) = 0; \
        SITU_REFUSE_UNLESS_(SITU_JOIN(n, _array), \
            SITU_IS_POINTER_(*SITU_JOIN(n, _given)) && !SITU_IS_(*SITU_JOIN(n, _given), situ_tensor *), SITU_NUMBERS_IS_); \
        __typeof__(__builtin_choose_expr(SITU_IS_(*SITU_JOIN(n, _given), situ_tensor *), SITU_NO_ARRAY_, \
            *SITU_JOIN(n, _given))) *const SITU_JOIN(n, _like) = 0; \
        const int SITU_JOIN(n, _pointed) = 1 + SITU_DTYPE_OF(*SITU_JOIN(n, _like)); \
        SITU_REFUSE_UNLESS_(n, SITU_DTYPE_OF(*SITU_JOIN(n, _like)) >= 0, SITU_NUMBERS_IS_); \
        const size_t SITU_JOIN(n, _room) = __builtin_object_size((data), 0); \
        SITU_OPTIONS_(situ_from_host_options, \
            (SITU_UNPACK_ SITU_FROM_HOST_DEFAULTS.pointed = SITU_JOIN(n, _pointed), .room = SITU_JOIN(n, _room), ), \
            situ_from_host, ((data), SITU_OF(situ_shape, SITU_SHAPE_IS_, shape), ), \
            "situ_from_host(data, SHAPE(2, 3), .dtype = ..., .device = ..., ...)", __VA_ARGS__); \
    })
#define situ_values(...) situ_values_n_(SITU_JOIN(situ_values_, __COUNTER__), __VA_ARGS__)
#define situ_values_n_(n, ...) \
    __extension__({ \
        SITU_STRICT_PUSH_ _Pragma("GCC diagnostic ignored \"-Wconversion\"") _Pragma( \
            "GCC diagnostic ignored \"-Wfloat-conversion\"") const __typeof__(SITU_VALUE_OF_(__VA_ARGS__)) n[] = {__VA_ARGS__}; \
        _Pragma("GCC diagnostic pop") SITU_REFUSE_UNLESS_(n, sizeof n / sizeof *n <= 64, \
            "situ_values takes at most 64 numbers; of more make an array, and write " \
            "situ_from_host(array, SHAPE(count))"); \
        situ_from_host(n, SHAPE((int64_t)(sizeof n / sizeof *n))); \
    })
#define situ_assign(v, t) (situ_assign)(SITU_TENSOR(v), SITU_OPERAND(t), SITU_HERE)
#define situ_assign_slice(v, t, start) \
    (situ_assign_slice)(SITU_TENSOR(v), SITU_OPERAND(t), SITU_OF(situ_shape, SITU_SHAPE_IS_, start), SITU_HERE)
#endif

#ifdef __cplusplus
}
#endif

#include <situ/call/tensor.h>

#endif
