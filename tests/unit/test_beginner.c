/* What somebody does wrong who has read only the headers: the message says it in words of the program, and nothing
 * crashes. */
#include <stdio.h>
#include <string.h>

#include <situ.h>

#include "support/training.h"
#include "values.h"

static bool has_word(const char *word)
{
    situ_error e;
    situ_error_take(&e);
    if (!strstr(e.message, word)) printf("    the message is \"%s\"\n", e.message);
    return strstr(e.message, word) != NULL;
}

/* Calls net, and frees it: what the error says. */
static bool refuses(situ_module *net, situ_tensor *x, const char *word)
{
    situ_module_call(net, x);
    situ_module_free(net);
    return has_word(word);
}

TEST_IN_SCOPE(an_error_in_a_layer_names_the_innermost_one)
{
    situ_tensor *image = situ_ones(SHAPE(2, 1, 8, 8)), *rows = situ_ones(SHAPE(2, 3));
    CHECK(refuses(situ_sequential(situ_relu_layer(), situ_max_pool2d_layer(SHAPE(9))), image,
        "situ_module_call: layer 1 (max_pool2d): a window of 9"));
    CHECK(refuses(situ_sequential(situ_residual(situ_sequential(situ_embedding_layer(3, 3)))), rows,
        "situ_module_call: layer 0.0.0 (embedding): index has dtype f32"));
    CHECK(refuses(situ_parallel(SITU_PARTS(situ_linear_layer(3), situ_linear_layer(4)), .join = SITU_JOIN_SUM), rows,
        "situ_module_call: the network (parallel): shapes [2,3] and [2,4]"));
    CHECK(refuses(situ_sequential(situ_lstm_layer(4)), situ_ones(SHAPE(2, 0, 3)), "layer 0 (lstm) takes no axis of 0, not f32[2,0,3]"));
}

static situ_tensor *calls_itself(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    return situ_module_call(m, x);
}
static situ_tensor *calls_itself_thrice(situ_module *m, situ_tensor *x, void *self)
{
    int *times = self;
    return (*times)++ < 3 ? situ_module_call(m, situ_add(x, 1)) : x;
}

TEST(a_forward_function_that_calls_itself_without_an_end_is_refused)
{
    static const situ_module_kind endless = {.name = "mine", .forward = calls_itself}, thrice = {.name = "mine", .forward = calls_itself_thrice};
    int times = 0;
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(2));
        CHECK(refuses(situ_module_custom(&endless, NULL), x, "the network (mine) is within"));
        CHECK(refuses(situ_sequential(situ_module_custom(&endless, NULL)), x, "layer 0 (mine) is within"));
        situ_module *tree = situ_module_custom(&thrice, &times);
        IS(situ_module_call(tree, x), "[4., 4.] f32[2]");
        situ_module_free(tree);
    }
}

TEST_IN_SCOPE(a_step_that_cannot_be_made_says_what_the_loss_lacks)
{
    situ_module *net = situ_sequential(situ_linear_layer(2)), *bare = situ_sequential(situ_relu_layer());
    situ_optimizer *opt = situ_sgd(net), *none = situ_sgd(bare);
    situ_tensor *x = situ_ones(SHAPE(4, 3));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_scalar_float(1)),
                "no trainable parameters yet: its first call makes them");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(none, situ_mean(situ_module_call(bare, x))), "its parts have none");
    situ_tensor *loss = situ_mean(situ_module_call(net, x));
    CHECK(situ_optimizer_step(opt, situ_scalar_float(situ_item(loss))) < 0);
    CHECK(has_word("depends on no parameter of this network: it is a constant"));
    CHECK(!situ_optimizer_step(opt, loss));
    CHECK_FAILS(SITU_OVERWRITTEN, situ_optimizer_step(opt, loss),
                "was computed before another step changed the parameters; compute it anew");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, NULL), "situ_optimizer_step: the tensor is NULL");
    CHECK(!situ_optimizer_step(opt, situ_mean(situ_module_call(net, x))));
    situ_optimizer_free(none);
    situ_optimizer_free(opt);
    situ_module_free(bare);
    situ_module_free(net);
}

static situ_tensor *no_loss(situ_tensor *prediction, situ_tensor *target)
{
    (void)prediction, (void)target;
    return NULL;
}
static situ_tensor *no_step(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    (void)trainer, (void)net, (void)batch, (void)self;
    return NULL;
}

TEST(a_trainers_loss_and_step_are_named_as_they_were_given)
{
    situ_dataset *data = situ_digits();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10));
    situ_optimizer *opt = situ_sgd(net);
    CHECK_FAILS(SITU_BAD_OPTION, situ_trainer_new(.loss = no_loss, .step = no_step), ".loss and .step are both set");
    situ_trainer *trainer = situ_trainer_new(.loss = no_loss);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, opt, data, NULL), "the function .loss gave NULL");
    situ_trainer_free(trainer);
    trainer = situ_trainer_new(.step = no_step);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, opt, data, NULL), "the function .step gave NULL");
    free_training(trainer, opt, net, data);
}
