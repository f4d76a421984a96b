/* What the headers and their macros of calls (situ/call/) are made of. Nothing here is meant to be written by a user. */
#ifndef SITU_MACROS_H
#define SITU_MACROS_H

#if defined(SITU_BUILD)
#define SITU_API __attribute__((visibility("default")))
#else
#define SITU_API
#endif
#define SITU_PRINTF(a, b) __attribute__((format(printf, a, b)))
/* In front of a function that takes no line of the call: its macro tells it the line before (see SITU_AT_). */
#define SITU_TOLD

/* ---- the line of the call ------------------------------------------------------------------------------------- */

#define SITU_TEXT_(x) #x
#define SITU_TEXT(x) SITU_TEXT_(x)
#define SITU_HERE __FILE__ ":" SITU_TEXT(__LINE__)
/* A call of a function that takes no line, which is told to it before. A binding with lines of its own defines SITU_OWN_LINES. */
#if !defined(__cplusplus) && !defined(SITU_BUILD) && !defined(SITU_OWN_LINES)
#define SITU_LINES_
#define SITU_AT_(function, ...) (situ_called_at(SITU_HERE), (function)(__VA_ARGS__))
#else
#define SITU_AT_(function, ...) (function)(__VA_ARGS__)
#endif

/* ---- numbers of lists and shapes ------------------------------------------------------------------------------ */

/* An integer of a list in parentheses: `| 0` has no meaning for floats, pointers and structs, which are refused while compiling.
 * SITU_INDEX_() is 0: the four tests tell an empty argument from all others (J. Gustedt, Detect empty macro arguments in
 * __VA_ARGS__, 2010). */
#define SITU_WORD_(x) ((x) | 0)
#define SITU_SECOND_(a, b, ...) b
#define SITU_SECOND_OF_(...) SITU_SECOND_(__VA_ARGS__)
#define SITU_THIRD_(a, b, c, ...) c
#define SITU_HAS_COMMA_(...) SITU_THIRD_(__VA_ARGS__, 1, 0, )
#define SITU_COMMA_(...) ,
#define SITU_EMPTY_001 ,
#define SITU_EMPTY_N_(a, b, c) SITU_EMPTY_##a##b##c
#define SITU_EMPTY_(a, b, c) SITU_EMPTY_N_(a, b, c)
#define SITU_IF_EMPTY_(x) SITU_EMPTY_(SITU_HAS_COMMA_(SITU_COMMA_ x), SITU_HAS_COMMA_(x ()), SITU_HAS_COMMA_(SITU_COMMA_ x ()))
#define SITU_INDEX_(x) SITU_SECOND_OF_(SITU_IF_EMPTY_(x) 0, SITU_WORD_(x), )

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
    (int)sizeof(struct { \
        _Static_assert(0, "SHAPE() and AXES() take at most 8 numbers: a tensor has at most 8 dimensions"); \
        int n; \
    })
#define SITU_HOW_MANY_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) SITU_WORDS_##count##_
#define SITU_WORDS_(...) \
    SITU_HOW_MANY_(__VA_ARGS__, many, many, many, many, many, many, many, many, 8, 7, 6, 5, 4, 3, 2, 1, )(__VA_ARGS__)
#define SITU_COUNT(...) ((int64_t)(sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1)

/* What options of these types are when nothing is written. The lists are in braces and full, so that a number replaces the
 * first element alone, and whatever else was written can be told from all of this. */
#define SITU_SHAPE_UNSET \
    {.dim = {SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL, SITU_FULL}, .ndim = -1}
#define SITU_AXES_UNSET \
    {.axis = {SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, SITU_ALL_AXES, \
              SITU_ALL_AXES}, \
     .count = -1}
#define SITU_DEVICE_DEFAULT {.index = INT16_MIN}

/* ---- operands and options ------------------------------------------------------------------------------------- */

/* In an option struct's .unnamed, where bindings fill one: no value stands without its name. */
#define SITU_NAMED 0x5174755fu

#ifndef __cplusplus
#define SITU_JOIN_(a, b) a##b
#define SITU_JOIN(a, b) SITU_JOIN_(a, b)
#define SITU_OPERAND_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, void *: situ_scalar_pointer, _Bool: situ_scalar_bool, \
        float: situ_scalar_float, \
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
/* A tensor, or a bool: an int is what C makes of the comparison of two handles, x > 0 for situ_greater(x, 0). */
#define SITU_TRUTH_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, void *: situ_scalar_pointer, _Bool: situ_scalar_bool)(n); \
    })
#define SITU_TRUTH(x) SITU_TRUTH_(SITU_JOIN(situ_operand_, __COUNTER__), x)
/* An integer among the arguments: a float, a pointer and a struct are refused while compiling. */
#define SITU_INTEGER(x) ((x) | 0)

/* Options by name: T's defaults, then the caller's. SITU_OPTIONS_(T, defaults, function, (first arguments,), options)
 * calls function(first arguments, &options, here); both lists in parentheses end in a comma, so that they may be empty. A value
 * without its name lands in .unnamed, which is an error of the call. What would change its value silently (a float for an
 * integer, a pointer for a number) is refused while compiling. */
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
#define SITU_OPTIONS_(T, defaults, function, first, ...) \
    SITU_OPTIONS_N_(SITU_JOIN(situ_options_, __COUNTER__), T, defaults, function, first, __VA_ARGS__)
#define SITU_OPTIONS_N_(n, T, defaults, function, first, ...) \
    __extension__({ \
        SITU_STRICT_PUSH_ \
        const T n = {SITU_UNPACK_ defaults .unnamed = SITU_NAMED, .size = sizeof(T), __VA_ARGS__}; \
        _Pragma("GCC diagnostic pop") (function)(SITU_UNPACK_ first &n, SITU_HERE); \
    })
#endif
/* How many elements a list of pointers to T has; what is none is refused while compiling, not warned of. */
#define SITU_COUNT_OF_N_(n, T, ...) \
    ((int)sizeof(__extension__({ \
        SITU_STRICT_PUSH_ T *const n[] = {__VA_ARGS__}; \
        _Pragma("GCC diagnostic pop")(struct { char c[sizeof n / sizeof *n]; }){{0}}; \
    })))
#define SITU_COUNT_OF(T, ...) SITU_COUNT_OF_N_(SITU_JOIN(situ_list_, __COUNTER__), T, __VA_ARGS__)
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

/* ---- elements of arrays ---------------------------------------------------------------------------------------- */

#ifndef __cplusplus
/* What a pointer points to, as a dtype, while compiling: p is a pointer to numbers or an array of one to three dimensions;
 * SITU_DTYPE_DEFAULT for void * and char *. No association: not a dtype. */
#ifdef __FLT16_MAX__
__extension__ typedef _Float16 situ_half_element_; /* a name, since -Wpedantic warns of the type itself wherever it is written */
#define SITU_HALF_IS_(value) situ_half_element_: value,
#else
#define SITU_HALF_IS_(value)
#endif
#define SITU_ELEMENTS_(b, u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64, c64, c128, unknown) \
    SITU_HALF_IS_(f16) _Bool: b, unsigned char: u8, unsigned short: u16, unsigned: u32, unsigned long: u64, \
        unsigned long long: u64, \
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
/* An array of pointers is no array of numbers: of an array e, and of one number, e and &SITU_ROW_(e) differ in type. This is no
 * assertion in a struct: clang would take a compound literal there for one outside of functions, whose elements are constants. */
#define SITU_POINTERS_WHERE_NUMBERS_BELONG_(e) \
    (0 * (int)sizeof(char[1 - 2 * __builtin_types_compatible_p(__typeof__(e), __typeof__(&SITU_ROW_(e)))]))
#define SITU_DTYPE_OF(p) \
    (SITU_POINTERS_WHERE_NUMBERS_BELONG_(SITU_ELEMENT_(p)) + SITU_POINTERS_WHERE_NUMBERS_BELONG_(SITU_ROW_(SITU_ELEMENT_(p))) + \
        SITU_DTYPE_BEHIND_(p))
#define SITU_DTYPE_BEHIND_(p) \
    _Generic(SITU_ELEMENT_(p), SITU_ELEMENT_DTYPES_, default: _Generic(SITU_ROW_(SITU_ELEMENT_(p)), SITU_ELEMENT_DTYPES_, \
             default: _Generic(SITU_ROW_(SITU_ROW_(SITU_ELEMENT_(p))), SITU_ELEMENT_DTYPES_)))
/* p, if it points to such elements or says nothing of them. */
#define SITU_ARRAY_OF_(T, dtype, p, words) \
    ((void)sizeof(struct { \
        _Static_assert(SITU_DTYPE_OF(p) == (dtype) || SITU_DTYPE_OF(p) == SITU_DTYPE_DEFAULT, words); \
        char n; \
    }), \
     (const T *)(const void *)(p))
#endif

#endif
