/* What the headers and their macros of calls (situ/call/) are made of. Nothing here is meant to be written by a user. */
#ifndef SITU_MACROS_H
#define SITU_MACROS_H

/* gcc tells an error of a macro at its definition, and the line of the program last. Of a macro of a system header it tells that
 * line first and alone, so each header with macros is one. With SITU_CHECK_HEADERS none is: their own warnings are seen. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(SITU_BUILD) && !defined(SITU_CHECK_HEADERS)
#define SITU_SYSTEM_HEADER
#endif
#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#if defined(SITU_BUILD)
#define SITU_API __attribute__((visibility("default")))
#else
#define SITU_API
#endif
#define SITU_PRINTF(a, b) __attribute__((format(printf, a, b)))
/* Marks a function without a call-site parameter: its macro sets the line of the call before it calls it (see SITU_AT_). */
#define SITU_TOLD

/* ---- the line of the call ------------------------------------------------------------------------------------- */

#define SITU_TEXT_(x) #x
#define SITU_TEXT(x) SITU_TEXT_(x)
#define SITU_HERE __FILE__ ":" SITU_TEXT(__LINE__)
/* What is refused while compiling says what to write instead. `n`: a name of its own, which clang tells beside the words. */
#ifdef __clang__
#define SITU_REFUSE_UNLESS_(n, right, words) \
    __extension__ enum { SITU_JOIN(n, _fits) = (right) }; \
    _Static_assert(SITU_JOIN(n, _fits), words)
/* Clang folds what it knows of a text only so. */
#define SITU_FOLDED_(e) (__builtin_constant_p(e) ? (e) : 1)
#else
#define SITU_REFUSE_UNLESS_(n, right, words) __extension__ _Static_assert(right, words)
#define SITU_FOLDED_(e) (e)
#endif
#define SITU_JOIN_(a, b) a##b
#define SITU_JOIN(a, b) SITU_JOIN_(a, b)
/* A call of a function that takes no line, which is told to it before. A binding with lines of its own defines SITU_OWN_LINES. */
#if !defined(__cplusplus) && !defined(SITU_BUILD) && !defined(SITU_OWN_LINES)
#define SITU_LINES_
#define SITU_AT_(function, ...) (situ_called_at(SITU_HERE), (function)(__VA_ARGS__))
/* The same with arguments as they are written, which may have commas in braces. */
#define SITU_AT_AS_IT_IS_(function, ...) \
    __extension__({ \
        situ_called_at(SITU_HERE); \
        SITU_STRICT_PUSH_(function)(__VA_ARGS__); \
        _Pragma("GCC diagnostic pop") \
    })
#else
#define SITU_AT_(function, ...) (function)(__VA_ARGS__)
#define SITU_AT_AS_IT_IS_(function, ...) (function)(__VA_ARGS__)
#endif

/* ---- numbers of lists and shapes ------------------------------------------------------------------------------ */

/* An integer of a list in parentheses: `| 0` has no meaning for floats, pointers and structs, which are refused while compiling.
 * SITU_INDEX_() is 0: the four tests tell an empty argument from all others (J. Gustedt, Detect empty macro arguments in
 * __VA_ARGS__, 2010). */
#ifdef __clang__ /* clang would treat a compound literal in x as one outside of functions; its errors name the user's line anyway */
#define SITU_WORD_(x) ((x) | 0)
#else
#define SITU_WORD_(x) \
    ((x) | 0 * (int)sizeof(struct { \
        _Static_assert(__builtin_classify_type(x) <= 4, "the numbers of SHAPE and AXES are integers, as in SHAPE(2, 3)"); \
        int n; \
    }))
#endif
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

/* The sum of the numbers of a list; its type decides the type of the list. Unused arguments add nothing, and an argument that is
 * not a number cannot have a sign, which is an error of the compiler. */
#define SITU_SUM_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, \
    a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
    a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, \
    a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, ...) \
    (+(a0) + +(a1) + +(a2) + +(a3) + +(a4) + +(a5) + +(a6) + +(a7) + +(a8) + +(a9) + +(a10) + +(a11) + +(a12) + +(a13) + \
    +(a14) + +(a15) + +(a16) + +(a17) + +(a18) + +(a19) + +(a20) + +(a21) + +(a22) + +(a23) + +(a24) + +(a25) + +(a26) + \
    +(a27) + +(a28) + +(a29) + +(a30) + +(a31) + +(a32) + +(a33) + +(a34) + +(a35) + +(a36) + +(a37) + +(a38) + +(a39) + \
    +(a40) + +(a41) + +(a42) + +(a43) + +(a44) + +(a45) + +(a46) + +(a47) + +(a48) + +(a49) + +(a50) + +(a51) + +(a52) + \
    +(a53) + +(a54) + +(a55) + +(a56) + +(a57) + +(a58) + +(a59) + +(a60) + +(a61) + +(a62) + +(a63))
#define SITU_VALUE_OF_(...) \
    _Generic(SITU_SUM_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ), \
        float: 0.0f, double: 0.0f, long double: 0.0f, default: (int64_t)0)

/* ---- operands and options ------------------------------------------------------------------------------------- */

/* In an option struct's .unnamed, where bindings fill one: no value stands without its name. */
#define SITU_NAMED 0x5174755fu

#ifndef __cplusplus
#define SITU_IS_(n, T) __builtin_types_compatible_p(__typeof__(n), T)
#define SITU_IS_HANDLE_(n) (SITU_IS_(n, situ_tensor *) || SITU_IS_(n, void *))
/* 1 to 4: integers, characters, enumerations, bool. */
#define SITU_IS_INTEGER_(n) (__builtin_classify_type(n) >= 1 && __builtin_classify_type(n) <= 4 && sizeof(n) <= 8)
#define SITU_OPERAND_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        SITU_REFUSE_UNLESS_(n, SITU_IS_HANDLE_(n) || SITU_IS_INTEGER_(n) || SITU_IS_(n, float) || SITU_IS_(n, double), \
            "an operand is a situ_tensor * or a number, and this is neither; numbers become a tensor by situ_values(1, 2, 3) or " \
            "situ_from_host(array, SHAPE(3))"); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, void *: situ_scalar_pointer, _Bool: situ_scalar_bool, \
        float: situ_scalar_float, \
                 double: situ_scalar_float, char: situ_scalar_int, signed char: situ_scalar_int, unsigned char: situ_scalar_int, \
                 short: situ_scalar_int, unsigned short: situ_scalar_int, int: situ_scalar_int, unsigned: situ_scalar_int, \
                 long: situ_scalar_int, unsigned long: situ_scalar_unsigned, long long: situ_scalar_int, \
                 unsigned long long: situ_scalar_unsigned, default: situ_scalar_pointer)(n); \
    })
/* An operand: a tensor, or a number; its text appears once. Anything else (another pointer, long double, a struct) is refused. */
#define SITU_OPERAND(x) SITU_OPERAND_(SITU_JOIN(situ_operand_, __COUNTER__), x)
/* A tensor, no number. */
#define SITU_TENSOR_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        SITU_REFUSE_UNLESS_(n, SITU_IS_HANDLE_(n), \
            "a situ_tensor * belongs here, and this is a number or something else; numbers become a tensor by " \
            "situ_full(SHAPE(), 2.5), situ_values(1, 2, 3) or situ_from_host(array, SHAPE(3))"); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, default: situ_scalar_pointer)(n); \
    })
#define SITU_TENSOR(x) SITU_TENSOR_(SITU_JOIN(situ_operand_, __COUNTER__), x)
/* A tensor, or a bool: an int is what C makes of the comparison of two handles, x > 0 for situ_greater(x, 0). */
#define SITU_TRUTH_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        SITU_REFUSE_UNLESS_(n, SITU_IS_HANDLE_(n) || SITU_IS_(n, _Bool), "true or false of each element belongs here: C compares " \
            "addresses of tensors; write situ_greater(x, 0) for x > 0, situ_equal(x, y) for x == y, situ_logical_not(x) for !x"); \
        _Generic(n, situ_tensor *: situ_scalar_tensor, _Bool: situ_scalar_bool, default: situ_scalar_pointer)(n); \
    })
#define SITU_TRUTH(x) SITU_TRUTH_(SITU_JOIN(situ_operand_, __COUNTER__), x)
/* A struct of this type, which is written as `words` say. It has no pointers: what they point to would end with this block. */
#define SITU_OF_N_(n, T, words, ...) \
    __extension__({ \
        __auto_type n = (__VA_ARGS__); \
        SITU_REFUSE_UNLESS_(n, SITU_IS_(n, T), words); \
        n; \
    })
#define SITU_OF(T, words, ...) SITU_OF_N_(SITU_JOIN(situ_struct_, __COUNTER__), T, words, __VA_ARGS__)
/* A pointer to an object of the library, of this kind and no other. */
#define SITU_HANDLE_N_(n, T, x) \
    __extension__({ \
        SITU_STRICT_PUSH_ T n = (x); \
        _Pragma("GCC diagnostic pop") n; \
    })
#define SITU_HANDLE(T, x) SITU_HANDLE_N_(SITU_JOIN(situ_handle_, __COUNTER__), T, x)
/* An integer among the arguments: a float, a pointer and a struct are refused while compiling. */
#define SITU_INTEGER_(n, x) \
    __extension__({ \
        __auto_type n = (x); \
        SITU_REFUSE_UNLESS_(n, SITU_IS_INTEGER_(n), "an integer belongs here"); \
        n; \
    })
#define SITU_INTEGER(x) SITU_INTEGER_(SITU_JOIN(situ_integer_, __COUNTER__), x)

/* How structs are written. */
#define SITU_SHAPE_IS_ "a shape is written SHAPE(2, 3), and SHAPE() for a single number"
#define SITU_AXES_IS_ "axes are written AXES(0, 2)"
#define SITU_DEVICE_IS_ "a device is written situ_gpu(0) or situ_cpu()"

/* Options by name: T's defaults, then the caller's. SITU_OPTIONS_(T, defaults, function, (first arguments,), how, options)
 * calls function(first arguments, &options, here); both lists in parentheses end in a comma, so that they may be empty. `how` says
 * how such a call is written. A value without its name, and what would change its value silently (a float for an integer, a pointer
 * for a number), is refused while compiling; the first four options are looked at, and by gcc all of them. */
#ifdef __clang__
#define SITU_STRICT_LITERALS_ _Pragma("GCC diagnostic error \"-Wliteral-conversion\"")
#else
#define SITU_STRICT_LITERALS_ _Pragma("GCC diagnostic error \"-Wdesignated-init\"")
#endif
#define SITU_STRICT_PUSH_ \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
    _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") \
    _Pragma("GCC diagnostic error \"-Wint-conversion\"") _Pragma("GCC diagnostic error \"-Wfloat-conversion\"") \
    _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"") SITU_STRICT_LITERALS_
/* The text of an option is empty or begins with ".name"; if it leaves a brace open, the next arguments are parts of it. */
#define SITU_IS_NAMED_(text) !__builtin_strncmp(text, ".", sizeof(text) > 1 ? 1 : 0)
#define SITU_IS_OPEN_(text) (__builtin_strchr(text, '{') && !__builtin_strchr(text, '}'))
#define SITU_ARE_NAMED_(text, others) (SITU_IS_NAMED_(text) && (SITU_IS_OPEN_(text) || (others)))
#define SITU_NAMED_OF_(n, how, a, b, c, d, ...) \
    SITU_REFUSE_UNLESS_(n, \
        SITU_FOLDED_(SITU_ARE_NAMED_(#a, SITU_ARE_NAMED_(#b, SITU_ARE_NAMED_(#c, SITU_IS_NAMED_(#d))))), \
        "options are written with their names: " how)
#define SITU_OPTIONS_(T, defaults, function, first, how, ...) \
    SITU_OPTIONS_N_(SITU_JOIN(situ_options_, __COUNTER__), T, defaults, function, first, how, __VA_ARGS__)
#define SITU_OPTIONS_N_(n, T, defaults, function, first, how, ...) \
    __extension__({ \
        SITU_NAMED_OF_(n, how, __VA_ARGS__, , , , ); \
        SITU_STRICT_PUSH_ \
        const T n = {SITU_UNPACK_ defaults .unnamed = SITU_NAMED, .size = sizeof(T), __VA_ARGS__}; \
        _Pragma("GCC diagnostic pop") (function)(SITU_UNPACK_ first &n, SITU_HERE); \
    })
#endif
/* The number of elements of a list of pointers to T. Anything else is an error of the compiler, not a warning. */
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
typedef struct situ_no_number {
    char unused;
} situ_no_number;
#define SITU_NO_NUMBER_ ((situ_no_number *)0)
#define SITU_IS_POINTER_(p) (__builtin_classify_type(p) == 5) /* arrays are, too */
#define SITU_ROW_(e) (*__builtin_choose_expr(SITU_IS_POINTER_(e), (e), SITU_NO_NUMBER_))
#define SITU_ELEMENT_(p) \
    (*_Generic((p), void *: SITU_NO_ARRAY_, const void *: SITU_NO_ARRAY_, \
               default: __builtin_choose_expr(SITU_IS_POINTER_(p), (p), SITU_NO_NUMBER_)))
/* An array of pointers is no array of numbers: of an array e, and of one number, e and &SITU_ROW_(e) differ in type. Where no
 * number is, the dtype is negative. */
#define SITU_NO_NUMBERS_ (-1000)
#define SITU_NO_POINTERS_(e) (SITU_NO_NUMBERS_ * __builtin_types_compatible_p(__typeof__(e), __typeof__(&SITU_ROW_(e))))
#define SITU_DTYPE_OF(p) \
    (SITU_NO_POINTERS_(SITU_ELEMENT_(p)) + SITU_NO_POINTERS_(SITU_ROW_(SITU_ELEMENT_(p))) + SITU_DTYPE_BEHIND_(p))
#define SITU_DTYPE_BEHIND_(p) \
    (int)_Generic(SITU_ELEMENT_(p), SITU_ELEMENT_DTYPES_, default: _Generic(SITU_ROW_(SITU_ELEMENT_(p)), SITU_ELEMENT_DTYPES_, \
             default: _Generic(SITU_ROW_(SITU_ROW_(SITU_ELEMENT_(p))), SITU_ELEMENT_DTYPES_, default: SITU_NO_NUMBERS_)))
#define SITU_NUMBERS_IS_ "an array of numbers belongs here, or a pointer to some: of float, double, bool or integers"
/* Has the text of an argument both of its braces? The preprocessor cuts at commas that stand in no parentheses. */
#define SITU_IS_WHOLE_(text) SITU_FOLDED_(!__builtin_strchr(text, '{') || __builtin_strchr(text, '}'))
/* p, if it points to such elements or says nothing of them. */
#define SITU_ARRAY_OF_(T, dtype, p, words) \
    ((void)sizeof(struct { \
        _Static_assert(SITU_DTYPE_OF(p) == (dtype) || SITU_DTYPE_OF(p) == SITU_DTYPE_DEFAULT, words); \
        char n; \
    }), \
     (const T *)(const void *)(p))
#endif

#endif
