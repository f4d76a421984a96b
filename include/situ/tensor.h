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

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_tensor situ_tensor;
typedef struct situ_scope situ_scope;

enum { SITU_MAX_DIMS = 8 };

/* A shape: SHAPE(2, 3), SHAPE() for a single number. */
#ifdef __cplusplus /* which has no anonymous structs */
typedef struct situ_shape {
    int64_t ndim, dim[SITU_MAX_DIMS];
} situ_shape;
#else
typedef struct situ_shape {
    union {
        struct { int64_t ndim, dim[SITU_MAX_DIMS]; };
        int64_t words[SITU_MAX_DIMS + 1];
    };
} situ_shape;
#endif
#define SITU_COUNT(...) ((int64_t)(sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1)
#define SHAPE(...) ((situ_shape){.words = {SITU_COUNT(__VA_ARGS__), __VA_ARGS__}})

/* Axes: AXES(0, 2) in options; axes count from the end when negative. The default means all. */
typedef struct situ_axes {
    int32_t given;           /* 0: unset */
    int32_t count;
    int32_t axis[SITU_MAX_DIMS];
} situ_axes;
#define AXES(...) ((situ_axes){1, (int32_t)SITU_COUNT(__VA_ARGS__), {__VA_ARGS__}})

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
static inline situ_tensor *situ_scalar_pointer(void *t) { return (situ_tensor *)t; }
/* In an option struct's .unnamed, where bindings fill one: no value stands without its name. */
#define SITU_NAMED 0x5174755fu

#ifndef __cplusplus
#define SITU_JOIN_(a, b) a##b
#define SITU_JOIN(a, b) SITU_JOIN_(a, b)
#define SITU_OPERAND_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, void *: situ_scalar_pointer, _Bool: situ_scalar_bool, float: situ_scalar_float, \
                 double: situ_scalar_float, unsigned long: situ_scalar_unsigned, unsigned long long: situ_scalar_unsigned, \
                 default: situ_scalar_int)(n); \
    })
/* An operand: a tensor, or a number; its text appears once. */
#define SITU_OPERAND(x) SITU_OPERAND_(SITU_JOIN(situ_operand_, __COUNTER__), x)

/* Options by name: T's defaults, then the caller's. SITU_OPTIONS_(T, defaults, function, (first arguments), options)
 * calls function(first arguments, &options, here); defaults are in parentheses and end in a comma. A value without its name lands in .unnamed, which is an error of
 * the call. Every macro with options passes its arguments on with a comma behind, so that none may be empty. */
#define SITU_UNPACK_(...) __VA_ARGS__
#define SITU_OPTIONS_(T, defaults, function, first, ...) \
    SITU_OPTIONS_N_(SITU_JOIN(situ_options_, __COUNTER__), T, defaults, function, first, __VA_ARGS__)
#define SITU_OPTIONS_N_(n, T, defaults, function, first, ...) \
    __extension__({ \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
        const T n = {SITU_UNPACK_ defaults .unnamed = SITU_NAMED, .size = sizeof(T), __VA_ARGS__}; \
        _Pragma("GCC diagnostic pop") (function)(SITU_UNPACK_ first, &n, SITU_HERE); \
    })
#endif
/* Every options struct starts so. */
#define SITU_OPTION_HEAD uint32_t size; uint32_t unnamed

/* ---- scopes and lifetimes ------------------------------------------------------------------------------------- */

/* Temporaries belong to the innermost open scope of their thread. Without one they belong to the thread. */
SITU_API situ_scope *situ_scope_open(void);
/* Enqueues, without waiting, what is kept or assigned and still pending; then every temporary of the scope is gone.
 * Scopes that were opened inside and are still open are closed first. NULL is fine. */
SITU_API void situ_scope_close(situ_scope *scope);
/* A handle that outlives the scope, to give back with situ_release. The old one stays an alias until its scope closes. */
SITU_API situ_tensor *situ_keep_at(situ_tensor *t, situ_site site);
/* Gives a kept handle or a variable back. NULL and temporaries are fine (they die with their scope). */
SITU_API void situ_release(situ_tensor *t);
/* Names a tensor for messages (the text is copied); returns t. A temporary is named by the thread that made it: another one gets
 * SITU_BAD_ARGUMENT. */
SITU_API situ_tensor *situ_name(situ_tensor *t, const char *name);
SITU_API const char *situ_name_of(const situ_tensor *t);

/* ---- what is known without computing ---------------------------------------------------------------------------- */

SITU_API int situ_ndim(const situ_tensor *t);
SITU_API int64_t situ_dim(const situ_tensor *t, int axis); /* negative axes count from the end */
SITU_API situ_shape situ_shape_of(const situ_tensor *t);
SITU_API int64_t situ_count(const situ_tensor *t);         /* elements */
SITU_API situ_dtype situ_dtype_of(const situ_tensor *t);
SITU_API situ_device situ_device_of(const situ_tensor *t);
SITU_API bool situ_is_variable(const situ_tensor *t);

/* ---- making them ------------------------------------------------------------------------------------------------ */

typedef struct situ_make_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* default: f32 */
    situ_device device; /* default: the thread's default device */
    bool borrow;        /* from_host: share the memory instead of copying it; read-only until release is called */
    void (*release)(void *self);
    void *self;
} situ_make_options;
#define SITU_MAKE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT,)

/* A tensor with the values at `data`: contiguous, row-major, of the given dtype (default f32). Copied at the call. */
SITU_API situ_tensor *situ_from_host(const void *data, situ_shape shape, const situ_make_options *options, situ_site site);

/* ---- reading them: the barriers ----------------------------------------------------------------------------------- */

/* Computes and copies all elements, contiguous and row-major, to `out` of `bytes` bytes; 0 or a negative code. */
SITU_API int situ_read_at(situ_tensor *t, void *out, size_t bytes, situ_site site);
/* The only element of a tensor as a number; NaN or 0 on an error. */
SITU_API double situ_item_at(situ_tensor *t, situ_site site);
SITU_API int64_t situ_item_int_at(situ_tensor *t, situ_site site);
/* Prints values, dtype, shape and device: "[[1, 2]] f32[1,2] @gpu(0)"; large tensors in summary. */
SITU_API int situ_print_at(situ_tensor *t, situ_site site);
SITU_API int situ_fprint_at(FILE *file, situ_tensor *t, situ_site site);
/* How tensors of floats are printed from now on, in all threads: as few digits as give the same element again, and at most
 * so many (8: what NumPy and JAX print); 0 (at first): 6 digits, of f64 8, of halves 4. 0 or a negative code. */
SITU_API int situ_set_print_digits(int digits);
/* The same as text, to free with free(); NULL on an error. */
SITU_API char *situ_text_at(situ_tensor *t, situ_site site);

/* Starts computing (and storing) tensors, without waiting; the variables' pending assignments go with it. */
SITU_API int situ_eval_at(situ_tensor *const *tensors, int count, situ_site site);
/* Waits until the tensor is computed (NULL: until everything that this thread started is). */
SITU_API int situ_wait_at(situ_tensor *t, situ_site site);

/* Computed, and where? "pending", "stored", "dropped", "poisoned", "variable". */
SITU_API const char *situ_state(const situ_tensor *t);

#ifndef __cplusplus
#define situ_keep(t) situ_keep_at((t), SITU_HERE)
#define situ_read(t, out, bytes) situ_read_at((t), (out), (bytes), SITU_HERE)
#define situ_item(t) situ_item_at((t), SITU_HERE)
#define situ_item_int(t) situ_item_int_at((t), SITU_HERE)
#define situ_print(t) situ_print_at((t), SITU_HERE)
#define situ_fprint(file, t) situ_fprint_at((file), (t), SITU_HERE)
#define situ_text(t) situ_text_at((t), SITU_HERE)
#define situ_eval(...) \
    situ_eval_at((situ_tensor *[]){__VA_ARGS__}, (int)(sizeof((situ_tensor *[]){__VA_ARGS__}) / sizeof(situ_tensor *)), SITU_HERE)
#define situ_wait(t) situ_wait_at((t), SITU_HERE)
#define situ_from_host(...) situ_from_host_(__VA_ARGS__, )
#define situ_from_host_(data, shape, ...) \
    SITU_OPTIONS_(situ_make_options, SITU_MAKE_DEFAULTS, situ_from_host, ((data), (shape)), __VA_ARGS__)
#endif

/* ---- variables: the only things that change ---------------------------------------------------------------------- */

typedef struct situ_variable_options {
    SITU_OPTION_HEAD;
    bool trainable;   /* default true: gradients of a module and optimizers see it */
    const char *name; /* for messages and checkpoints */
} situ_variable_options;
#define SITU_VARIABLE_DEFAULTS (.trainable = true,)
/* A variable with the value of t, on its device; give it back with situ_release. As an operand it stands for its value. What has
 * nothing to do (a cast to its own dtype, a reshape to its own shape, situ_to its own device) gives the value it has now, as a
 * tensor of its own. t and the variable are two: grad.h says what gradients there are. */
SITU_API situ_tensor *situ_variable(situ_tensor *t, const situ_variable_options *options, situ_site site);
/* Gives it its next value: same shape, dtype and device. Returns 0 or a negative code. A plan that fails leaves it the value
 * that it had; where that was not computed before (nobody has evaluated it, no scope has closed), it has none. */
SITU_API int situ_assign_at(situ_tensor *variable, situ_tensor *value, situ_site site);
/* A part of it: value goes to the elements that slice(start, size of value, step 1) names. */
SITU_API int situ_assign_slice_at(situ_tensor *variable, situ_tensor *value, situ_shape start, situ_site site);
#ifndef __cplusplus
#define situ_variable(...) situ_variable_(__VA_ARGS__, )
#define situ_variable_(t, ...) \
    SITU_OPTIONS_(situ_variable_options, SITU_VARIABLE_DEFAULTS, situ_variable, (SITU_OPERAND(t)), __VA_ARGS__)
#define situ_assign(v, t) situ_assign_at((v), SITU_OPERAND(t), SITU_HERE)
#define situ_assign_slice(v, t, start) situ_assign_slice_at((v), SITU_OPERAND(t), (start), SITU_HERE)
#endif

/* ---- plans -------------------------------------------------------------------------------------------------------- */

typedef struct situ_plan_counters { int64_t made, reused, cached, bytes; } situ_plan_counters;
SITU_API situ_plan_counters situ_plans(void);
/* How t would be computed: groups, implementations, bytes; a text to free with free(). */
SITU_API char *situ_explain(situ_tensor *t);
/* Fusing on or off in this thread (on at first); the bits are the same. Returns the old setting. */
SITU_API bool situ_fusing(bool on);

#ifdef __cplusplus
}
#endif
#endif
