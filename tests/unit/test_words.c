/* Messages: the function that the user called speaks, at the line of the call; found at once or while computing. */
#include <situ.h>

#include <stdlib.h>
#include <string.h>

#include "support/sim_devices.h"
#include "values.h"

/* Takes the error: does its message begin with this file's name, a line, and then `words`? */
static bool says(const char *words)
{
    situ_error e;
    situ_error_take(&e);
    const char *line = strstr(e.message, "test_words.c:"), *after = line ? line + strspn(line + 13, "0123456789") + 13 : NULL;
    bool good = after && !strncmp(after, ": ", 2) && !strncmp(after + 2, words, strlen(words));
    if (!good) printf("  \"%s\" does not begin \"%s\"\n", e.message, words);
    return CHECK(good);
}

/* What is found while computing. */
static bool tells(situ_tensor *t, const char *words)
{
    situ_wait(t);
    return says(words);
}

TEST_IN_SCOPE(a_function_made_of_others_speaks_for_them)
{
    situ_tensor *x = situ_ones(SHAPE(2, 3)), *flags = situ_cast(x, SITU_BOOL), *five = situ_ones(SHAPE(5)), *deep = situ_ones(SHAPE(1, 1, 1, 1, 1, 1, 1, 1));
    situ_tensor *index = situ_cast(x, SITU_I64), *complex = situ_cast(x, SITU_C64);
    situ_mse(flags, flags), says("mse: ");
    situ_dropout(x, five, 0.5), says("dropout: ");
    situ_vecdot(x, five), says("vecdot: ");
    situ_cross(five, x), says("cross: ");
    situ_dot(x, five), says("dot: ");
    situ_elu(complex, 1), says("elu: ");
    situ_leaky_relu(complex, 0.1), says("leaky_relu: ");
    situ_full(SHAPE(2, 2), five), says("full: ");
    situ_full_like(x, five), says("full_like: ");
    situ_zeros_like(NULL), says("zeros_like: ");
    situ_sort(complex), says("sort: ");
    situ_topk(complex, 1), says("topk: ");
    situ_logsumexp(complex), says("logsumexp: ");
    situ_stack(TENSORS(deep, deep)), says("stack: ");
    situ_embedding(x, x), says("embedding: ");
    situ_scatter(x, index, five), says("scatter: ");
    situ_scatter_add(x, index, five), says("scatter_add: ");
    situ_matrix_transpose(five), says("matrix_transpose: ");
    situ_trace(five), says("trace: ");
    situ_pinv(situ_cast(x, SITU_F16)), says("pinv: ");
    situ_unique(2), says("unique: ");
    situ_roll(2, 1), says("roll: ");
    (situ_argmax)(situ_scalar_int(2), NULL, SITU_HERE), says("argmax: ");
    situ_pad(2, SHAPE(1), SHAPE(1)), says("pad: ");
    situ_fftfreq(INT64_MAX), says("fftfreq: ");
    situ_slogdet(x), says("slogdet: ");
    situ_eye(3, .device = situ_tpu(0)), says("eye: ");
    situ_gelu(complex, .exact = true), says("gelu: ");
    situ_std(complex), says("std: ");
    situ_softmax(complex), says("softmax: ");
}

TEST_IN_SCOPE(a_function_made_of_others_speaks_for_them_while_computing)
{
    static const int64_t far[2] = {0, 7};
    situ_tensor *x = situ_ones(SHAPE(2, 3)), *index = situ_from_host(far, SHAPE(2)), *none = situ_zeros(SHAPE(2, 2));
    tells(situ_cross_entropy(x, index), "cross_entropy: ");
    tells(situ_embedding(x, index), "embedding: index 7");
    tells(situ_inv(none), "inv: ");
    tells(situ_solve(none, none), "solve: ");
    tells(situ_cholesky(none), "cholesky: ");
    tells(situ_matrix_power(none, -1), "matrix_power: ");
    tells(situ_take(x, index), "take: index 7");
    tells(situ_gather(x, situ_expand_dims(index, 1)), "gather: index 7");
    situ_tensor *g;
    if (!situ_grad(situ_sum(situ_inv(none)), TENSORS(none), &g)) tells(g, "inv: ");
}

/* On a simulated GPU steps have names of their own, too. */
TEST_IN_SCOPE(a_device_tells_who_was_called)
{
    situ_device gpu = sim_device(0);
    situ_tensor *x = situ_ones(SHAPE(2, 3), .device = gpu), *index = situ_full(SHAPE(2), 7, .dtype = SITU_I64, .device = gpu);
    tells(situ_embedding(x, index), "embedding: index 7");
    tells(situ_cross_entropy(x, index), "cross_entropy: ");
}

TEST(functions_without_a_line_know_it_by_their_macros)
{
    const float x[2] = {0};
    const int32_t y[2] = {0, 2};
    situ_dtype d;
    situ_device device;
    situ_module *net = situ_linear_layer(1);
    situ_dataset_new(x, SHAPE(2, 1), y, 2, "mine"), says("situ_dataset_new: the label of row 1 of \"mine\" is 2");
    situ_dataset_new(x, SHAPE(), y, 2, "mine"), says("situ_dataset_new: ");
    situ_idx_folder("/nowhere", NULL), says("situ_idx_folder: \"/nowhere\"");
    situ_loader_next(NULL), says("situ_loader_next: ");
    situ_module_set_training(NULL, true), says("situ_module_set_training: ");
    situ_module_find(net, "nothing"), says("situ_module_find: ");
    situ_module_init(net, NULL), says("situ_module_init: ");
    situ_module_to(NULL, situ_cpu()), says("situ_module_to: ");
    situ_sequential_add(net, NULL), says("situ_sequential_add: ");
    situ_dropout_layer(2), says("situ_dropout_layer: ");
    situ_embedding_layer(0, 1), says("situ_embedding_layer: ");
    situ_optimizer_set_lr(NULL, 1), says("situ_optimizer_set_lr: ");
    situ_dtype_parse("f33", &d), says("situ_dtype_parse: ");
    situ_device_parse("gqu", &device), says("situ_device_parse: ");
    situ_pop_device(), says("situ_pop_device: ");
    situ_memory_trim(situ_gpu(99)), says("situ_memory_trim: ");
    situ_trainer_prepare_model(NULL, net), says("situ_trainer_prepare_model: ");
    (situ_module_set_training)(NULL, true); /* by no macro: no line of an earlier call */
    CHECK(!strncmp(situ_error_message(), "situ_module_set_training: ", 15));
    situ_error_take(NULL);
    situ_module_free(net);
}

static situ_tensor *own_forward(situ_module *m, situ_tensor *x, void *self)
{
    (void)m;
    return self ? situ_add(x, situ_ones(SHAPE(5))) : situ_inv(x);
}

static int raising_infer(situ_custom_shape *s)
{
    (void)s;
    return situ_error_raise(SITU_BAD_SHAPE, "add: said by the program itself");
}

static int no_run(const situ_custom_run *r)
{
    (void)r;
    return 0;
}

TEST(what_the_user_wrote_speaks_for_itself_within_a_call)
{
    static const situ_module_kind kind = {.name = "own", .forward = own_forward};
    int yes = 1;
    situ_module *bad = situ_module_custom(&kind, &yes), *late = situ_module_custom(&kind, NULL), *linear = situ_linear_layer(2, .in = 3);
    IN_SCOPE {
        situ_module_call(bad, situ_ones(SHAPE(2, 2))), says("add: ");
        tells(situ_module_call(late, situ_zeros(SHAPE(2, 2))), "inv: ");
        situ_module_call(linear, situ_ones(SHAPE(2, 2))), says("situ_module_call: ");
        situ_tensor *x = situ_ones(SHAPE(2));
        situ_custom_call(situ_custom_new("own", 1, raising_infer, no_run, NULL), TENSORS(x), NULL, 0);
        CHECK_STR(situ_error_message(), "add: said by the program itself");
        situ_error_take(NULL);
    }
    situ_module_free(bad);
    situ_module_free(late);
    situ_module_free(linear);
}

TEST(a_number_that_is_computed_alone_keeps_its_dtype)
{
    CHECK_EQ(situ_item_int(situ_scalar_bool(true)), 1);
    char *text = situ_text(situ_scalar_bool(true));
    CHECK(text && !strncmp(text, "true bool", 9));
    free(text);
}
