/* Tensors compared with what they should print; for tests on the CPU. */
#ifndef SITU_TEST_VALUES_H
#define SITU_TEST_VALUES_H

#include <situ/ops.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "plan/plan.h"
#include "test.h"

/* Plans made from here on are for this set: a kernel keeps the one that it was compiled for. */
static inline void limit_isa(situ_isa isa)
{
    situ_wait(NULL);
    situ_plan_cache_free();
    situ_isa_limit(isa);
}

/* The tensor's text without its device: "[1, 2] i64[2]". */
static inline bool values_are(situ_tensor *t, const char *expected, const char *file, int line)
{
    char *text = situ_text(t), *at = text ? strstr(text, " @") : NULL;
    if (at) *at = 0;
    bool same = test_check_string(text ? text : situ_error_message(), expected, file, line, "values");
    if (!text) situ_error_take(NULL);
    free(text);
    return same;
}
#define IS(t, expected) values_are((t), (expected), __FILE__, __LINE__)
/* The value is there, or will be once work that has started is done. */
#define STORED(t) \
    do { \
        CHECK(strcmp(situ_state(t), "pending")); \
        CHECK_EQ(situ_wait(t), 0); \
        CHECK_STR(situ_state(t), "stored"); \
    } while (0)

#define F32(...) situ_from_host(((float[]){__VA_ARGS__}), SHAPE(SITU_COUNT(__VA_ARGS__)))
#define F64(...) situ_from_host(((double[]){__VA_ARGS__}), SHAPE(SITU_COUNT(__VA_ARGS__)), .dtype = SITU_F64)
#define I64(...) situ_from_host(((int64_t[]){__VA_ARGS__}), SHAPE(SITU_COUNT(__VA_ARGS__)), .dtype = SITU_I64)

/* A scope for one test. */
#define IN_SCOPE for (situ_scope *scope_ = situ_scope_open(); scope_; situ_scope_close(scope_), scope_ = NULL)

#endif
