/* A guard that forbids NaN reports which operation made the first one, and where, on every device. */
#include <situ.h>

#include <math.h>
#include <string.h>

#include "support/sim_devices.h"
#include "values.h"

/* Reads t and returns the error's code, with its message in `text`; 0: none. */
static int code_of(situ_tensor *t, char text[4200])
{
    float out[8];
    situ_error e;
    text[0] = 0;
    if (!situ_read(t, out, situ_count(t) * sizeof *out)) return 0;
    if (!situ_error_take(&e)) return 0;
    snprintf(text, 4200, "%s", e.message);
    return e.code;
}

static situ_tensor *quotients(situ_device d, int *line)
{
    situ_tensor *x = situ_from_host(((float[]){1, 0, 2}), SHAPE(3), .device = d), *y;
    y = situ_div(situ_mul(x, 2), x), *line = __LINE__;
    return situ_add(situ_mul(y, 3), 1);
}

static void names_the_first(situ_device d)
{
    char text[4200], where[64];
    int line;
    for (int round = 0; round < 2; round++) IN_SCOPE { /* plans made with and without the guard are cached separately */
        CHECK(!code_of(quotients(d, &line), text));
        situ_guard guard = situ_guard_open(.nan = true);
        CHECK(code_of(quotients(d, &line), text) == SITU_NAN);
        snprintf(where, sizeof where, "test_nan.c:%d: ", line);
        CHECK(strstr(text, where) && strstr(text, "div") && strstr(text, "element 1"));
        situ_guard_close(guard);
        CHECK(!code_of(quotients(d, &line), text));
    }
}

TEST(a_guard_names_what_makes_the_first_nan)
{
    names_the_first(situ_cpu());
    names_the_first(sim_device(0));
}

/* The message names the function that the user called, and its line, even if it is composed of others. */
#define NAMES(call, words) \
    do { \
        char text[4200], where[64]; \
        snprintf(where, sizeof where, "test_nan.c:%d: " words, __LINE__); \
        CHECK(code_of(call, text) == SITU_NAN); \
        if (!CHECK(strstr(text, where))) printf("  %s\n  instead of %s\n", text, where); \
    } while (0)
static void names_what_was_called(situ_device d)
{
    situ_guard guard = situ_guard_open(.nan = true);
    IN_SCOPE {
        situ_tensor *x = situ_full(SHAPE(2, 3), INFINITY, .device = d), *one = situ_ones(SHAPE(3), .device = d);
        situ_tensor *labels = situ_zeros(SHAPE(2), .dtype = SITU_I64, .device = d), *none = situ_ones(SHAPE(0), .device = d);
        NAMES(situ_softmax(x), "softmax: its sub made the first NaN, element 0 ");
        NAMES(situ_log_softmax(x), "log_softmax: its sub made ");
        NAMES(situ_layer_norm(x, one, one), "layer_norm: its ");
        NAMES(situ_batch_norm(x, one, one), "batch_norm: its ");
        NAMES(situ_cross_entropy(x, labels), "cross_entropy: its ");
        NAMES(situ_mse(x, x), "mse: its sub made ");
        NAMES(situ_attention(x, x, situ_zeros_like(x)), "attention: its ");
        NAMES(situ_mean(none), "mean: its div made ");
        NAMES(situ_var(one, .correction = 3), "var: its div made ");
        NAMES(situ_sub(x, x), "sub: made ");
        NAMES(situ_gelu(situ_sub(x, x)), "sub: made ");
        situ_module *net = situ_linear_layer(2);
        situ_module_to(net, d);
        NAMES(situ_module_call(net, x), "situ_module_call: its ");
        situ_module_free(net);
    }
    situ_guard_close(guard);
}

TEST(a_guard_names_the_function_that_was_called)
{
    names_what_was_called(situ_cpu());
    names_what_was_called(sim_device(0));
}

TEST(no_variable_is_changed_by_a_nan_that_is_forbidden)
{
    char text[4200];
    IN_SCOPE {
        situ_module *net = situ_linear_layer(1);
        situ_tensor *x = situ_ones(SHAPE(2, 3));
        CHECK(situ_module_call(net, x));
        situ_tensor *w = situ_module_parameter(net, 0);
        situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
        char *before = situ_text(w);
        situ_guard guard = situ_guard_open(.nan = true);
        situ_tensor *y = situ_module_call(net, x), *loss = situ_mean(situ_mul(y, situ_div(situ_zeros(SHAPE(2, 1)), situ_zeros(SHAPE(2, 1)))));
        situ_optimizer_step(opt, loss);
        CHECK(code_of(loss, text) == SITU_NAN && strstr(text, "no variable was changed"));
        situ_guard_close(guard);
        situ_error_take(NULL);
        char *after = situ_text(w);
        CHECK(before && after && !strcmp(before, after));
        free(before), free(after);
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
}

TEST(a_guard_forbids_nan_in_every_float_dtype_and_in_data_of_the_host)
{
    char text[4200];
    const situ_dtype dtypes[] = {SITU_F16, SITU_BF16, SITU_F32, SITU_F64, SITU_C64, SITU_C128};
    IN_SCOPE {
        situ_guard outer = situ_guard_open(.nan = true), inner = situ_guard_open(.waits = 100);
        for (int i = 0; i < 6; i++) {
            situ_tensor *x = situ_cast(F32(0, 1), dtypes[i]);
            situ_tensor *y = situ_div(x, situ_mul(x, 0));
            if (!situ_eval(TENSORS(y))) situ_wait(y);
            CHECK_CODE(SITU_NAN);
        }
        CHECK(!code_of(situ_div(F32(0, 1), 0.5), text));
        situ_guard_close(inner);
        CHECK(!strcmp(situ_state(F32(1, NAN)), "poisoned") && situ_failed() == SITU_NAN);
        situ_error_take(NULL);
        situ_guard_close(outer);
        CHECK(!strcmp(situ_state(F32(1, NAN)), "stored"));
    }
}
