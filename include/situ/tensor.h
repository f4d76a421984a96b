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

/* The numbers of a list, each an integer (see SITU_WORD_); none is 0. */
#define SITU_WORDS_1_(a) SITU_INDEX_(a)
#define SITU_WORDS_2_(a, b) SITU_WORD_(a), SITU_WORD_(b)
#define SITU_WORDS_3_(a, ...) SITU_WORD_(a), SITU_WORDS_2_(__VA_ARGS__)
#define SITU_WORDS_4_(a, ...) SITU_WORD_(a), SITU_WORDS_3_(__VA_ARGS__)
#define SITU_WORDS_5_(a, ...) SITU_WORD_(a), SITU_WORDS_4_(__VA_ARGS__)
#define SITU_WORDS_6_(a, ...) SITU_WORD_(a), SITU_WORDS_5_(__VA_ARGS__)
#define SITU_WORDS_7_(a, ...) SITU_WORD_(a), SITU_WORDS_6_(__VA_ARGS__)
#define SITU_WORDS_8_(a, ...) SITU_WORD_(a), SITU_WORDS_7_(__VA_ARGS__)
#define SITU_WORDS_many_(...) \
    (int)sizeof(struct { _Static_assert(0, "SHAPE() and AXES() take at most 8 numbers: a tensor has at most 8 dimensions"); int n; })
#define SITU_HOW_MANY_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) SITU_WORDS_##count##_
#define SITU_WORDS_(...) \
    SITU_HOW_MANY_(__VA_ARGS__, many, many, many, many, many, many, many, many, 8, 7, 6, 5, 4, 3, 2, 1, )(__VA_ARGS__)
#define SITU_COUNT(...) ((int64_t)(sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1)

/* A shape: SHAPE(2, 3), SHAPE() for a single number. An option that is a shape may also be written as one number, which
 * stands for each (.padding = 1): ndim is -1 then, as in an option that is not set. */
typedef struct situ_shape {
    int64_t dim[SITU_MAX_DIMS], ndim;
} situ_shape;
#define SHAPE(...) (__extension__(situ_shape){.dim = {SITU_WORDS_(__VA_ARGS__)}, .ndim = SITU_COUNT(__VA_ARGS__)})
/* In a slice: as if it were not written, x[:, 1:] is .start = SHAPE(SITU_FULL, 1). */
#define SITU_FULL INT64_MIN

/* Axes: AXES(0, 2) in options, or one number (.axes = 0); axes count from the end when negative. The default means all. */
typedef struct situ_axes {
    int32_t axis[SITU_MAX_DIMS], count;
    int32_t given; /* 0: unset, or one number */
} situ_axes;
#define AXES(...) \
    (__extension__(situ_axes){.axis = {SITU_WORDS_(__VA_ARGS__)}, .count = (int32_t)SITU_COUNT(__VA_ARGS__), .given = 1})
#define SITU_ALL_AXES INT32_MIN

/* What options of these types are when nothing is written. The lists are in braces and full, so that a number replaces the
 * first element alone, and whatever else was written can be told from all of this. */
#define SITU_SHAPE_UNSET \
    {.dim = {SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL}, .ndim = -1}
#define SITU_AXES_UNSET \
    {.axis = {SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES}, \
     .count = -1}
#define SITU_DEVICE_DEFAULT {.index = INT16_MIN}

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
                 double: situ_scalar_float, char: situ_scalar_int, signed char: situ_scalar_int, unsigned char: situ_scalar_int, \
                 short: situ_scalar_int, unsigned short: situ_scalar_int, int: situ_scalar_int, unsigned: situ_scalar_int, \
                 long: situ_scalar_int, unsigned long: situ_scalar_unsigned, long long: situ_scalar_int, \
                 unsigned long long: situ_scalar_unsigned)(n); \
    })
/* An operand: a tensor, or a number; its text appears once. Anything else (another pointer, long double, a struct) has no
 * association: the compiler refuses it and names its type. */
#define SITU_OPERAND(x) SITU_OPERAND_(SITU_JOIN(situ_operand_, __COUNTER__), x)
/* A tensor, no number. */
#define SITU_TENSOR_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, void *: situ_scalar_pointer)(n); \
    })
#define SITU_TENSOR(x) SITU_TENSOR_(SITU_JOIN(situ_operand_, __COUNTER__), x)
/* An integer among the arguments: a float, a pointer and a struct are refused while compiling. */
#define SITU_INTEGER(x) ((x) | 0)

/* Options by name: T's defaults, then the caller's. SITU_OPTIONS_(T, defaults, function, (first arguments), options)
 * calls function(first arguments, &options, here); defaults are in parentheses and end in a comma. A value without its name lands in .unnamed, which is an error of
 * the call. Every macro with options passes its arguments on with a comma behind, so that none may be empty. What would change
 * its value silently (a float for an integer, a pointer for a number) is refused while compiling. */
#ifdef __clang__
#define SITU_STRICT_LITERALS_ _Pragma("GCC diagnostic error \"-Wliteral-conversion\"")
#else
#define SITU_STRICT_LITERALS_
#endif
#define SITU_STRICT_PUSH_ \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
    _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") \
    _Pragma("GCC diagnostic error \"-Wint-conversion\"") _Pragma("GCC diagnostic error \"-Wfloat-conversion\"") \
    _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"") SITU_STRICT_LITERALS_
#define SITU_OPTIONS_(T, defaults, function, first, ...) SITU_OPTIONS_AS_(T, T, defaults, function, first, __VA_ARGS__)
/* The function takes U; the names that it knows of it are those of T, which has the same layout. */
#define SITU_OPTIONS_AS_(T, U, defaults, function, first, ...) \
    SITU_OPTIONS_N_(SITU_JOIN(situ_options_, __COUNTER__), T, U, defaults, function, (SITU_UNPACK_ first, ), __VA_ARGS__)
/* Options and nothing before them. */
#define SITU_ONLY_OPTIONS_(T, defaults, function, ...) \
    SITU_OPTIONS_N_(SITU_JOIN(situ_options_, __COUNTER__), T, T, defaults, function, (), __VA_ARGS__)
#define SITU_OPTIONS_N_(n, T, U, defaults, function, first, ...) \
    __extension__({ \
        SITU_STRICT_PUSH_ \
        const T n = {SITU_UNPACK_ defaults .unnamed = SITU_NAMED, .size = sizeof(T), __VA_ARGS__}; \
        _Pragma("GCC diagnostic pop") (function)(SITU_UNPACK_ first (const U *)(const void *)&n, SITU_HERE); \
    })
#endif
/* Values stand with their names: where the compiler can tell, another one is a warning. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#define SITU_BY_NAME __attribute__((designated_init))
#else
#define SITU_BY_NAME
#endif
/* Every options struct starts so, and has its defaults beside it: situ_adam_options o = {SITU_DEFAULTS(SITU_ADAM_DEFAULTS)
 * .size = sizeof o, .unnamed = SITU_NAMED}; is what bindings begin with. (Zeros are no defaults: a learning rate of 0, bool.) */
#define SITU_OPTION_HEAD uint32_t size; uint32_t unnamed
#define SITU_UNPACK_(...) __VA_ARGS__
#define SITU_DEFAULTS(list) SITU_DEFAULTS_(list)
#define SITU_DEFAULTS_(list) SITU_UNPACK_ list

/* ---- scopes and lifetimes ------------------------------------------------------------------------------------- */

/* Temporaries belong to the innermost open scope of their thread. Without one they belong to the thread. */
SITU_API situ_scope *situ_scope_open(void);
/* Enqueues, without waiting, what is kept or assigned and still pending; then every temporary of the scope is gone.
 * Scopes that were opened inside and are still open are closed first. NULL is fine; closing one twice, or another thread's, is
 * SITU_BAD_ARGUMENT. So is any later use of a tensor that lay in it; long after, when its memory was used again often, that is
 * certain under SITU_DEBUG=scopes only. */
SITU_API void situ_scope_close(situ_scope *scope);
SITU_API void situ_scope_close_at(situ_scope *scope, situ_site site);
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
SITU_API situ_tensor *situ_scope_close_with_at(situ_scope *scope, situ_tensor *t, situ_site site);
/* The same for several, each replaced in its place; 0 or a negative code. The scope closes in any case. */
SITU_API int situ_scope_close_with_all_at(situ_scope *scope, situ_tensor **tensors, int count, situ_site site);
/* A handle that outlives the scope, to give back with situ_release. The old one stays an alias until its scope closes. */
SITU_API situ_tensor *situ_keep_at(situ_tensor *t, situ_site site);
/* Gives a kept handle or a variable back, once: a second time is SITU_BAD_ARGUMENT. NULL and temporaries are fine (they die with
 * their scope). */
SITU_API void situ_release(situ_tensor *t);
SITU_API void situ_release_at(situ_tensor *t, situ_site site);
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

typedef struct SITU_BY_NAME situ_make_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* default: f32 */
    situ_device device; /* default: the thread's default device */
    bool borrow;        /* from_host: share the memory instead of copying it; read-only until release is called */
    void (*release)(void *self);
    void *self;
    int32_t pointed; /* from_host: 1 + the dtype that data points to, 0 where it is not known; the macro fills these in */
    size_t room;     /* from_host: bytes at data, 0 where they are not known                                            */
} situ_make_options;
#define SITU_MAKE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)

/* A tensor with the values at `data`: contiguous, row-major. Copied at the call. Their dtype is that of the pointer; void * and
 * char * say none: then it is .dtype, else f32. A .dtype that the pointer cannot mean is an error (uint16_t may be f16 or bf16,
 * float and double the parts of complex numbers, uint8_t bool), and so is an array that the compiler knows to be too small. */
SITU_API situ_tensor *situ_from_host(const void *data, situ_shape shape, const situ_make_options *options, situ_site site);

/* ---- reading them: the barriers ----------------------------------------------------------------------------------- */

/* Computes and copies all elements, contiguous and row-major, to `out` of `bytes` bytes; 0 or a negative code. */
SITU_API int situ_read_at(situ_tensor *t, void *out, size_t bytes, situ_site site);
/* The same where more is known of out: what it points to (else SITU_DTYPE_DEFAULT), and the bytes that are there (else
 * SIZE_MAX). What the tensor does not fit is an error before anything is computed. situ_read calls this. */
SITU_API int situ_read_into_at(situ_tensor *t, void *out, size_t bytes, situ_dtype pointed, size_t room, situ_site site);
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
/* What a pointer points to, as a dtype, while compiling: p is a pointer to numbers or an array of one to three dimensions;
 * SITU_DTYPE_DEFAULT for void * and char *. No association: not a dtype. */
#ifdef __FLT16_MAX__
#define SITU_HALF_IS_(value) _Float16: value,
#else
#define SITU_HALF_IS_(value)
#endif
#define SITU_ELEMENTS_(b, u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64, c64, c128, unknown) \
    SITU_HALF_IS_(f16) _Bool: b, unsigned char: u8, unsigned short: u16, unsigned: u32, unsigned long: u64, unsigned long long: u64, \
        signed char: i8, short: i16, int: i32, long: i64, long long: i64, float: f32, double: f64, float _Complex: c64, \
        double _Complex: c128, char: unknown
#define SITU_ELEMENT_DTYPES_ \
    SITU_ELEMENTS_(SITU_BOOL, SITU_U8, SITU_U16, SITU_U32, SITU_U64, SITU_I8, SITU_I16, SITU_I32, SITU_I64, SITU_F16, SITU_F32, \
                   SITU_F64, SITU_C64, SITU_C128, SITU_DTYPE_DEFAULT)
#define SITU_NO_ARRAY_ ((char *)0)
#define SITU_ELEMENT_ENDS_ \
    SITU_ELEMENTS_(SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, \
                   SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, SITU_NO_ARRAY_, \
                   SITU_NO_ARRAY_)
#define SITU_ELEMENT_(p) (*_Generic((p), void *: SITU_NO_ARRAY_, const void *: SITU_NO_ARRAY_, default: (p)))
#define SITU_ROW_(e) (*_Generic((e), SITU_ELEMENT_ENDS_, default: (e)))
#define SITU_DTYPE_OF(p) \
    _Generic(SITU_ELEMENT_(p), SITU_ELEMENT_DTYPES_, default: _Generic(SITU_ROW_(SITU_ELEMENT_(p)), SITU_ELEMENT_DTYPES_, \
             default: _Generic(SITU_ROW_(SITU_ROW_(SITU_ELEMENT_(p))), SITU_ELEMENT_DTYPES_)))
/* p, if it points to such elements or says nothing of them. */
#define SITU_ARRAY_OF_(T, dtype, p, words) \
    ((void)sizeof(struct { _Static_assert(SITU_DTYPE_OF(p) == (dtype) || SITU_DTYPE_OF(p) == SITU_DTYPE_DEFAULT, words); char n; }), \
     (const T *)(const void *)(p))

#define situ_scope_close_with(scope, t) situ_scope_close_with_at((scope), SITU_OPERAND(t), SITU_HERE)
#define situ_scope_close_with_all(scope, tensors, count) situ_scope_close_with_all_at((scope), (tensors), (count), SITU_HERE)
#ifndef SITU_BUILD /* the line where a handle ends is said to who uses it later */
#define situ_scope_close(scope) situ_scope_close_at((scope), SITU_HERE)
#define situ_release(t) situ_release_at((t), SITU_HERE)
#endif
#define situ_keep(t) situ_keep_at(SITU_TENSOR(t), SITU_HERE)
#define situ_read(t, out, bytes) \
    situ_read_into_at(SITU_TENSOR(t), (out), (bytes), SITU_DTYPE_OF(out), __builtin_object_size((out), 0), SITU_HERE)
#define situ_item(t) situ_item_at(SITU_TENSOR(t), SITU_HERE)
#define situ_item_int(t) situ_item_int_at(SITU_TENSOR(t), SITU_HERE)
#define situ_print(t) situ_print_at(SITU_TENSOR(t), SITU_HERE)
#define situ_fprint(file, t) situ_fprint_at((file), SITU_TENSOR(t), SITU_HERE)
#define situ_text(t) situ_text_at(SITU_TENSOR(t), SITU_HERE)
#define situ_eval(...) \
    situ_eval_at((situ_tensor *[]){__VA_ARGS__}, (int)(sizeof((situ_tensor *[]){__VA_ARGS__}) / sizeof(situ_tensor *)), SITU_HERE)
#define situ_wait(t) situ_wait_at(SITU_TENSOR(t), SITU_HERE)
#define situ_from_host(...) situ_from_host_(__VA_ARGS__, )
#define situ_from_host_(data, shape, ...) situ_from_host_n_(SITU_JOIN(situ_options_, __COUNTER__), data, shape, __VA_ARGS__)
#define situ_from_host_n_(n, data, shape, ...) \
    __extension__({ \
        const int SITU_JOIN(n, _pointed) = 1 + (int)SITU_DTYPE_OF(data); \
        const size_t SITU_JOIN(n, _room) = __builtin_object_size((data), 0); \
        SITU_OPTIONS_(situ_make_options, \
                      (SITU_UNPACK_ SITU_MAKE_DEFAULTS .pointed = SITU_JOIN(n, _pointed), .room = SITU_JOIN(n, _room),), \
                      situ_from_host, ((data), (shape)), __VA_ARGS__); \
    })
#endif

/* ---- variables: the only things that change ---------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_variable_options {
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
/* A part of it: value goes to the elements that slice(start, size of value, step 1) names. The rest is neither read nor written,
 * unless something still needs the old value. A small part that is read before it is computed is computed first, by itself. */
SITU_API int situ_assign_slice_at(situ_tensor *variable, situ_tensor *value, situ_shape start, situ_site site);
#ifndef __cplusplus
#define situ_variable(...) situ_variable_(__VA_ARGS__, )
#define situ_variable_(t, ...) \
    SITU_OPTIONS_(situ_variable_options, SITU_VARIABLE_DEFAULTS, situ_variable, (SITU_OPERAND(t)), __VA_ARGS__)
#define situ_assign(v, t) situ_assign_at(SITU_TENSOR(v), SITU_OPERAND(t), SITU_HERE)
#define situ_assign_slice(v, t, start) situ_assign_slice_at(SITU_TENSOR(v), SITU_OPERAND(t), (start), SITU_HERE)
#endif

/* ---- plans -------------------------------------------------------------------------------------------------------- */

typedef struct situ_plan_counters { int64_t made, reused, cached, bytes; } situ_plan_counters;
SITU_API situ_plan_counters situ_plans(void);
/* How t would be computed: groups, implementations, bytes; a text to free with free(). */
SITU_API char *situ_explain(situ_tensor *t);
/* Fusing on or off in this thread (on at first); the bits are the same. Returns the old setting. */
SITU_API bool situ_fusing(bool on);

#ifdef SITU_LINES_ /* the line of the call */
#define situ_ndim(...) SITU_AT_(situ_ndim, __VA_ARGS__)
#define situ_count(...) SITU_AT_(situ_count, __VA_ARGS__)
#define situ_shape_of(...) SITU_AT_(situ_shape_of, __VA_ARGS__)
#define situ_dtype_of(...) SITU_AT_(situ_dtype_of, __VA_ARGS__)
#define situ_device_of(...) SITU_AT_(situ_device_of, __VA_ARGS__)
#define situ_is_variable(...) SITU_AT_(situ_is_variable, __VA_ARGS__)
#define situ_name_of(...) SITU_AT_(situ_name_of, __VA_ARGS__)
#define situ_state(...) SITU_AT_(situ_state, __VA_ARGS__)
#define situ_dim(...) SITU_AT_(situ_dim, __VA_ARGS__)
#define situ_explain(...) SITU_AT_(situ_explain, __VA_ARGS__)
#define situ_set_print_digits(...) SITU_AT_(situ_set_print_digits, __VA_ARGS__)
#define situ_name(...) SITU_AT_(situ_name, __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
