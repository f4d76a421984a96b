/* A small test framework. A test registers itself; nothing else has to be edited:
 *
 *     #include "test.h"
 *
 *     TEST(adds_small_numbers)
 *     {
 *         CHECK(1 + 1 == 2);
 *         CHECK_EQ(2 * 3, 6);
 *         if (!have_a_card()) SKIP("no card in this machine");
 *     }
 *
 * Its full name is "file/name", where file is the source's name without "test_" and ".c". A check that fails says
 * what and where, the test goes on and counts as failed once; so does an error that sticks at the end of a test. Each
 * check is an expression that is true where it holds, so `if (!CHECK(p)) return;` works. Checks may be made in any
 * thread, SKIP in the test's own thread only.
 */
#ifndef SITU_TEST_H
#define SITU_TEST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct test_case {
    const char *file;
    const char *name;
    int line;
    bool in_scope;
    void (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *test);

bool test_check(bool holds, const char *file, int line, const char *text);
bool test_check_int(intmax_t a, intmax_t b, const char *file, int line, const char *a_text, const char *b_text);
bool test_check_string(const char *a, const char *b, const char *file, int line, const char *text);
bool test_check_near(double a, double b, double tolerance, const char *file, int line, const char *text);
bool test_check_code(int code, const char *file, int line, const char *text);
bool test_check_fails(bool told, int code, const char *file, int line, const char *text, const char *const *words);
_Noreturn void test_skip(const char *why);

/* A path for a scratch file of this run; the folder and what lies in it go away at the end. Valid until the
 * eighth call after this one. */
const char *test_path(const char *name);

/* What starts this program again, as a word or more for a shell: its path, behind the emulator that runs it, where one
 * does (SITU_TEST_EMULATOR, a command). Skips the test where the path is not known. */
const char *test_self(void);

#define TEST(name_) TEST_(name_, false)
/* One in a scope of its own, which is closed however it is left. */
#define TEST_IN_SCOPE(name_) TEST_(name_, true)
#define TEST_(name_, in_scope_)                                                                                        \
    static void test_body_##name_(void);                                                                               \
    __attribute__((constructor)) static void test_register_##name_(void)                                               \
    {                                                                                                                  \
        static test_case self = {__FILE__, #name_, __LINE__, in_scope_, test_body_##name_, 0};                         \
        test_register(&self);                                                                                          \
    }                                                                                                                  \
    static void test_body_##name_(void)

#define CHECK(condition) test_check((condition) ? true : false, __FILE__, __LINE__, #condition)
/* Two integers are equal. */
#define CHECK_EQ(a, b) test_check_int((intmax_t)(a), (intmax_t)(b), __FILE__, __LINE__, #a, #b)
/* Two strings are equal; NULL equals only NULL. */
#define CHECK_STR(a, b) test_check_string((a), (b), __FILE__, __LINE__, #a " should equal " #b)
/* |a - b| <= tolerance; equal infinities and two NaNs are near. */
#define CHECK_NEAR(a, b, tolerance) test_check_near((a), (b), (tolerance), __FILE__, __LINE__, #a " near " #b)
/* No error sticks in this thread; one that does is printed and taken. */
#define CHECK_OK() test_check_code(0, __FILE__, __LINE__, "no error")
/* The error that sticks in this thread has this code; it is taken. */
#define CHECK_CODE(code) test_check_code((code), __FILE__, __LINE__, #code)
/* The call fails with this code, which is taken, and its message has these words, if any are given. A call that
 * returns a number returns the code, negative; one that returns a pointer returns NULL, or a tensor. */
#define CHECK_FAILS(code_, call_, ...)                                                                                 \
    ({                                                                                                                 \
        __auto_type result_ = (call_);                                                                                 \
        bool told_ = _Generic(result_, int: test_is_code, int64_t: test_is_code, struct situ_tensor *: test_is_tensor, \
                              default: test_is_null)(result_, code_);                                                  \
        test_check_fails(told_, code_, __FILE__, __LINE__, #call_, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}); \
    })
static inline bool test_is_code(int64_t result, int code) { return result == -code; }
static inline bool test_is_null(const void *result, int code) { return (void)code, !result; }
struct situ_tensor;
static inline bool test_is_tensor(struct situ_tensor *result, int code) { return (void)code, (void)result, true; }
/* Leaves the test, which counts as skipped unless a check failed before. */
#define SKIP(why) test_skip(why)

#endif
