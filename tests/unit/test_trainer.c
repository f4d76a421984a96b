/* The trainer beyond labels: regression by a loss or a step, logged values, early stopping, accumulation, loops of
 * one's own. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "support/training.h"
#include "test.h"

enum { ROWS = 500 };
static const double slope[2] = {2, -3.4}, offset = 4.2;

/* The book's data: y = X w + b + noise. */
static situ_dataset *linear_data(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(ROWS, 2)), *w = situ_from_host(slope, SHAPE(2, 1), .dtype = SITU_F64);
    situ_tensor *noise = situ_mul(situ_normal(situ_key(1), SHAPE(ROWS, 1)), 0.01);
    situ_dataset *data =
        situ_tensor_dataset(TENSORS(x, situ_add(situ_add(situ_matmul(x, situ_cast(w, SITU_F32)), offset), noise)), .name = "line");
    situ_scope_close(scope);
    return data;
}

static situ_tensor *squares(situ_tensor *prediction, situ_tensor *target) { return situ_mse(prediction, target); }

static void check_line(situ_module *net)
{
    situ_scope *scope = situ_scope_open();
    float w[2], b;
    situ_read(situ_module_find(net, "0.weight"), w, sizeof w);
    situ_read(situ_module_find(net, "0.bias"), &b, sizeof b);
    CHECK_NEAR(w[0], slope[0], 0.01);
    CHECK_NEAR(w[1], slope[1], 0.01);
    CHECK_NEAR(b, offset, 0.01);
    situ_scope_close(scope);
}

TEST(the_chapters_regression_is_trained_by_a_loss)
{
    situ_dataset *data = linear_data(), *train, *held_out;
    situ_dataset_split(data, 0, &train, &held_out);
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.03);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 10, .batch = 16, .loss = squares);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0);
    check_line(net);
    CHECK(situ_trainer_validation_loss(trainer) < 3e-4 && isnan(situ_trainer_accuracy(trainer)));
    CHECK(!strcmp(situ_trainer_ended(trainer), "epochs"));
    CHECK_EQ(situ_trainer_steps(trainer), 10 * 25);
    CHECK_NEAR(situ_trainer_measure(trainer, net, held_out), situ_trainer_validation_loss(trainer), 0);
    CHECK(isnan(situ_trainer_evaluate(trainer, net, held_out)));
    CHECK(strstr(situ_error_message(), "log no \"accuracy\""));
    situ_error_take(NULL);
    situ_trainer_free(trainer);
    trainer = situ_trainer_new(.max_epochs = 1);
    CHECK_FAILS(SITU_BAD_DTYPE, situ_trainer_fit(trainer, net, opt, train, held_out), "holds numbers (f32), no labels");
    free_training(trainer, opt, net, train, held_out, data);
}

typedef struct counts {
    int steps, epochs, measured, stop_at;
} counts;

static situ_tensor *step(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    counts *c = self;
    situ_tensor *error = situ_sub(situ_module_call(net, batch->field[0], .first = batch->first, .of = batch->of), batch->field[1]);
    situ_trainer_log(trainer, "mae", situ_mean(situ_abs(error)));
    if (c && !batch->training) c->measured++;
    return situ_mean(situ_square(error));
}

static int stepped(situ_trainer *trainer, void *self)
{
    (void)trainer;
    counts *c = self;
    return ++c->steps == c->stop_at;
}

static int finished(situ_trainer *trainer, void *self)
{
    counts *c = self;
    CHECK(situ_trainer_value(trainer, "validation mae") > 0);
    c->epochs++;
    return 0;
}

TEST(a_step_logs_values_and_callbacks_see_and_stop)
{
    situ_dataset *data = linear_data(), *train, *held_out;
    situ_dataset_split(data, 0, &train, &held_out);
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.03);
    counts c = {0};
    situ_trainer *trainer = situ_trainer_new(
        .max_epochs = 3, .batch = 64, .step = step, .self = &c, .on_step = stepped, .on_epoch = finished, .log_every = 4);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0);
    CHECK(c.steps == 21 && c.epochs == 3 && c.measured == 6);
    situ_curve curve[8];
    CHECK_EQ(situ_trainer_curves(trainer, curve, 8), 4);
    CHECK(!strcmp(curve[1].name, "train mae") && curve[1].count == 21 && !strcmp(curve[3].name, "validation mae") && curve[3].count == 3);
    CHECK_NEAR(curve[1].x[20], 3, 1e-12);
    CHECK(situ_trainer_value(trainer, "mae") < curve[1].y[0]);
    c.stop_at = 25;
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0);
    CHECK(!strcmp(situ_trainer_ended(trainer), "stopped") && situ_trainer_steps(trainer) == 25 && situ_trainer_epochs(trainer) == 3);
    free_training(trainer, opt, net, train, held_out, data);
}

/* Weights after some steps with one device or several, in pieces or not. */
static void weights_after(situ_device device, int gpus, int accumulate, bool own_loop, float out[3])
{
    situ_dataset *data = linear_data();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_adam(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 48, .step = step, .num_gpus = gpus, .device = gpus ? (situ_device){0} : device,
        .accumulate = accumulate);
    if (own_loop) {
        situ_trainer_begin(trainer, net, opt, data, NULL);
        for (situ_batch b; situ_trainer_next(trainer, &b) > 0;) situ_trainer_give(trainer, step(trainer, net, &b, NULL));
        situ_trainer_end(trainer);
    } else situ_trainer_fit(trainer, net, opt, data, NULL);
    situ_scope *scope = situ_scope_open();
    situ_read(situ_module_find(net, "0.weight"), out, 8);
    situ_read(situ_module_find(net, "0.bias"), out + 2, 4);
    situ_scope_close(scope);
    free_training(trainer, opt, net, data);
}

TEST(pieces_devices_and_loops_of_ones_own_take_the_same_steps)
{
    float one[3], other[3];
    weights_after(situ_cpu(), 0, 1, false, one);
    for (int i = 0; i < 4; i++) {
        if (i == 2 && situ_num_gpus() < 2) continue;
        weights_after(situ_cpu(), i == 2 ? 2 : 0, i == 1 ? 4 : 1, i == 3, other);
        for (int k = 0; k < 3; k++) CHECK_NEAR(other[k], one[k], i == 3 ? 0 : 2e-5);
    }
}

/* Gets better for some epochs, then worse. */
typedef struct plateau {
    situ_tensor *kept;
    int epochs;
} plateau;

static situ_tensor *worse_later(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    plateau *p = self;
    situ_tensor *y = situ_mean(situ_square(situ_module_call(net, batch->field[0])));
    int epoch = situ_trainer_epochs(trainer);
    return batch->training ? y : situ_add(situ_mul(y, 0), abs(epoch - p->epochs));
}

TEST(patience_ends_the_training_and_the_best_weights_come_back)
{
    situ_dataset *data = linear_data();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    plateau p = {.epochs = 3};
    situ_trainer *trainer =
        situ_trainer_new(.max_epochs = 50, .batch = 100, .step = worse_later, .self = &p, .patience = 4, .keep_best = true);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, data, data), 0);
    CHECK(!strcmp(situ_trainer_ended(trainer), "patience") && situ_trainer_epochs(trainer) == 7 && situ_trainer_best(trainer) == 3);
    situ_scope *scope = situ_scope_open();
    float best[2], again[2];
    situ_read(situ_module_find(net, "0.weight"), best, sizeof best);
    situ_trainer_free(trainer);
    situ_optimizer_free(opt);
    situ_module_free(net);
    net = situ_sequential(situ_linear_layer(1));
    opt = situ_sgd(net, .lr = 0.01);
    trainer = situ_trainer_new(.max_epochs = 3, .batch = 100, .step = worse_later, .self = &p);
    situ_trainer_fit(trainer, net, opt, data, data);
    situ_read(situ_module_find(net, "0.weight"), again, sizeof again);
    CHECK(best[0] == again[0] && best[1] == again[1]);
    situ_scope_close(scope);
    situ_trainer_free(trainer);
    trainer = situ_trainer_new(.max_epochs = 3, .step = worse_later, .self = &p, .monitor = "mae", .patience = 1);
    CHECK_FAILS(SITU_BAD_OPTION, situ_trainer_fit(trainer, net, opt, data, data), "nothing of that name is logged");
    free_training(trainer, opt, net, data);
}

static situ_tensor *root_of_negative(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    (void)self;
    situ_tensor *y = situ_module_call(net, batch->field[0]);
    return situ_mean(situ_sqrt(situ_sub(situ_square(y), situ_trainer_steps(trainer) >= 3 ? 1e6 : -1)));
}

TEST(a_loss_that_is_nan_stops_the_training_and_its_operation_is_named)
{
    for (int guarded = 0; guarded < 2; guarded++) {
        situ_dataset *data = linear_data();
        situ_module *net = situ_sequential(situ_linear_layer(1));
        situ_optimizer *opt = situ_sgd(net);
        situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 100, .step = root_of_negative, .nan = guarded);
        CHECK_EQ(situ_trainer_fit(trainer, net, opt, data, NULL), -SITU_NAN);
        CHECK(strstr(situ_error_message(), guarded ? "sqrt" : "batch 4 of epoch 1 is NaN"));
        situ_error_take(NULL);
        CHECK(!strcmp(situ_trainer_ended(trainer), "error"));
        if (guarded) { /* nothing was changed by the step that failed */
            situ_scope *scope = situ_scope_open();
            CHECK(isfinite(situ_item(situ_sum(situ_module_find(net, "0.weight")))));
            situ_scope_close(scope);
        }
        free_training(trainer, opt, net, data);
    }
}

static situ_trainer *training;
static void on_ctrl_c(int number)
{
    (void)number;
    situ_trainer_stop(training);
}

static int press_ctrl_c(situ_trainer *trainer, void *self)
{
    (void)self;
    if (situ_trainer_steps(trainer) == 4) raise(SIGINT);
    return 0;
}

TEST(ctrl_c_finishes_the_step_and_says_so)
{
    situ_dataset *data = linear_data();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net);
    char text[4096] = "";
    FILE *progress = fmemopen(text, sizeof text, "w");
    situ_trainer *trainer = situ_trainer_new(
        .max_epochs = 5, .batch = 100, .step = step, .on_step = press_ctrl_c, .progress = progress);
    training = trainer;
    void (*before)(int) = signal(SIGINT, on_ctrl_c);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, data, NULL), 0);
    CHECK(!strcmp(situ_trainer_ended(trainer), "stopped"));
    CHECK_EQ(situ_trainer_steps(trainer), 4);
    CHECK_EQ(situ_optimizer_steps(opt), 4);
    CHECK(strstr(text, "stopped after step 4, in epoch 1 of 5") && strstr(text, "waited for data"));
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, data, NULL), 0);
    CHECK(!strcmp(situ_trainer_ended(trainer), "epochs") && strstr(text, "epoch 5 of 5"));
    situ_trainer_rates r = situ_trainer_rates_of(trainer);
    CHECK(r.rows > 0 && r.waited >= 0 && r.copied >= 0 && r.computed > 0 && fabs(r.waited + r.copied + r.computed - 1) < 1e-9);
    signal(SIGINT, before);
    fclose(progress);
    free_training(trainer, opt, net, data);
}

/* Two networks and their optimizers, stepped by the user: no optimizer of the trainer's. */
typedef struct pair {
    situ_module *other;
    situ_optimizer *opt[2];
} pair;

static situ_tensor *both(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    pair *p = self;
    situ_tensor *a = situ_mse(situ_module_call(net, batch->field[0]), batch->field[1]);
    situ_tensor *b = situ_mse(situ_module_call(p->other, batch->field[0]), batch->field[1]);
    if (batch->training) {
        situ_optimizer_step(p->opt[0], a);
        situ_optimizer_step(p->opt[1], b);
    }
    situ_trainer_log(trainer, "other", b);
    return a;
}

TEST(a_step_may_step_several_optimizers)
{
    situ_dataset *data = linear_data();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    pair p = {.other = situ_sequential(situ_linear_layer(1))};
    p.opt[0] = situ_sgd(net, .lr = 0.03);
    p.opt[1] = situ_adam(p.other, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 20, .batch = 50, .step = both, .self = &p);
    CHECK_EQ(situ_trainer_fit(trainer, net, NULL, data, data), 0);
    CHECK(situ_trainer_validation_loss(trainer) < 1e-3 && situ_trainer_value(trainer, "validation other") < 1e-2);
    CHECK_EQ(situ_optimizer_steps(p.opt[1]), 200);
    situ_trainer_free(trainer);
    for (int i = 0; i < 2; i++) situ_optimizer_free(p.opt[i]);
    situ_module_free(net);
    situ_module_free(p.other);
    situ_dataset_free(data);
}

TEST(a_reading_of_the_log_is_the_only_wait_of_an_interval)
{
    if (situ_num_gpus() < 1) SKIP("no GPU");
    situ_dataset *data = linear_data();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1, .batch = 5, .step = step, .num_gpus = 1);
    situ_trainer_fit(trainer, net, opt, data, NULL);
    situ_ledger_reset();
    situ_trainer_fit(trainer, net, opt, data, NULL);
    situ_ledger_totals all = situ_ledger_sum();
    CHECK_EQ(all.download_count, 1); /* of 100 steps with two values */
    situ_trainer_free(trainer);
    trainer = situ_trainer_new(.max_epochs = 2, .batch = 5, .step = step, .num_gpus = 1, .log_every = 10);
    situ_ledger_reset();
    situ_trainer_fit(trainer, net, opt, data, NULL);
    CHECK_EQ(situ_ledger_sum().download_count, 20);
    free_training(trainer, opt, net, data);
}

static situ_tensor *two_dimensional(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    (void)trainer, (void)self;
    return situ_module_call(net, batch->field[0]);
}

static situ_tensor *changing_names(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    (void)self;
    situ_trainer_log(trainer, situ_trainer_steps(trainer) ? "late" : "early", situ_zeros(SHAPE()));
    return situ_mean(situ_module_call(net, batch->field[0]));
}

TEST(steps_that_cannot_be_trained_by_are_refused)
{
    situ_dataset *data = linear_data();
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net);
    const struct {
        situ_step_fn step;
        const char *words;
    } cases[] = {{two_dimensional, "the loss has 2 dimensions"}, {changing_names, "\"late\" was not logged in the first step"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        situ_trainer *trainer = situ_trainer_new(.step = cases[i].step);
        CHECK(situ_trainer_fit(trainer, net, opt, data, NULL) < 0);
        if (!CHECK(strstr(situ_error_message(), cases[i].words))) fprintf(stderr, "%s\n", situ_error_message());
        situ_error_take(NULL);
        situ_trainer_free(trainer);
    }
    situ_trainer *trainer = situ_trainer_new();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, NULL, data, NULL), "the optimizer is NULL");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_give(trainer, situ_zeros(SHAPE())));
    situ_trainer_free(trainer);
    CHECK_FAILS(SITU_BAD_OPTION, situ_trainer_new(.accumulate = 0));
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(data);
}
