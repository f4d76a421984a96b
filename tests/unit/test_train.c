/* The trainer: it learns, reports, moves to its devices, and gives the same bits on any number of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "support/training.h"
#include "test.h"

static situ_module *network(void)
{
    return situ_sequential(situ_flatten_layer(), situ_linear_layer(32), situ_relu_layer(), situ_dropout_layer(0.1), situ_linear_layer(10));
}

/* The first `rows` digits by key 0, and some to measure on. */
static void digits(int64_t rows, situ_dataset **train, situ_dataset **held_out)
{
    situ_dataset *all = situ_digits(), *rest;
    situ_dataset_split(all, 0, &rest, held_out, .stratified = true);
    int64_t *index = malloc((size_t)rows * sizeof *index);
    for (int64_t i = 0; i < rows; i++) index[i] = i;
    *train = situ_dataset_select(rest, index, rows);
    free(index);
    situ_dataset_free(rest);
    situ_dataset_free(all);
}

/* An error at the end, where nothing is lost but the picture. */
TEST(a_full_disk_costs_the_picture_and_not_the_training)
{
    situ_dataset *train, *held_out;
    digits(320, &train, &held_out);
    situ_module *net = network();
    situ_optimizer *opt = situ_adam(net, .lr = 5e-3);
    FILE *board = fopen("/dev/full", "w");
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 32, .cosine = true, .plot = "/dev/full", .board = board);
    CHECK_FAILS(SITU_IO, situ_trainer_fit(trainer, net, opt, train, held_out), "/dev/full");
    CHECK_EQ(situ_trainer_epochs(trainer), 2);
    CHECK_EQ(situ_optimizer_steps(opt), 20);
    CHECK_NEAR(situ_optimizer_lr(opt), 5e-3, 0);
    double accuracy = situ_trainer_accuracy(trainer);
    CHECK(accuracy > 0.2);
    CHECK_NEAR(situ_trainer_evaluate(trainer, net, held_out), accuracy, 0);
    CHECK_FAILS(SITU_IO, situ_trainer_fit(trainer, net, opt, train, held_out));
    CHECK_EQ(situ_trainer_epochs(trainer), 4);
    free_training(trainer, opt, net, train, held_out);
    fclose(board);
}

TEST(it_learns_the_digits)
{
    situ_dataset *train, *held_out;
    digits(1400, &train, &held_out);
    situ_module *net = network();
    situ_optimizer *opt = situ_adam(net, .lr = 5e-3);
    const char *plot = test_path("curves.svg");
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 32, .clip_norm = 5, .plot = plot);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0);
    double first = situ_trainer_loss(trainer);
    CHECK(situ_trainer_accuracy(trainer) > 0.8);
    CHECK_EQ(situ_trainer_epochs(trainer), 2);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0); /* goes on */
    CHECK_EQ(situ_trainer_epochs(trainer), 4);
    CHECK(situ_trainer_loss(trainer) < first);
    CHECK_EQ(situ_optimizer_steps(opt), 4 * 44);
    CHECK(situ_optimizer_clip_norm(opt) == 5);
    CHECK_NEAR(situ_trainer_evaluate(trainer, net, held_out), situ_trainer_accuracy(trainer), 0);
    FILE *f = fopen(plot, "r");
    char line[64] = "";
    if (CHECK(f != NULL)) {
        CHECK(fgets(line, sizeof line, f) && strstr(line, "<svg"));
        fclose(f);
    }
    free_training(trainer, opt, net, train, held_out);
}

TEST(hyperparameters_are_told)
{
    char text[2048] = "";
    situ_module *net = network();
    situ_optimizer *opt = situ_sgd(net, .lr = 0.25);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 7, .clip_norm = 0.5);
    FILE *f = fmemopen(text, sizeof text, "w");
    CHECK_EQ(situ_trainer_save_hyperparameters(trainer, opt, f), 0);
    fclose(f);
    CHECK(strstr(text, "max_epochs = 7\n"));
    CHECK(strstr(text, "clip_norm = 0.5\n"));
    CHECK(strstr(text, "optimizer = sgd\n"));
    CHECK(strstr(text, "lr = 0.25\n"));
    situ_trainer_free(trainer);
    situ_optimizer_free(opt);
    situ_module_free(net);
    CHECK_FAILS(SITU_BAD_OPTION, situ_trainer_new(.batch = 0));
    CHECK_FAILS(SITU_BAD_OPTION, situ_trainer_new(.xlim = -2));
}

/* The book's min(num_gpus, all): a program that asks for two GPUs trains on a laptop too. */
TEST(a_trainer_takes_the_gpus_that_are_there)
{
    enum { MOST = 32 }; /* that a trainer takes */
    int there = situ_num_gpus() < MOST ? situ_num_gpus() : MOST;
    situ_device gpu[MOST], device[MOST];
    situ_trainer *trainer = situ_trainer_new(.num_gpus = 32);
    int gpus = situ_trainer_gpus(trainer, gpu, 32);
    CHECK_EQ(gpus, there);
    CHECK_EQ(situ_trainer_devices(trainer, device, 32), gpus ? gpus : 1);
    for (int i = 0; i < gpus; i++) CHECK(situ_device_equal(gpu[i], situ_gpu(i)) && situ_device_equal(device[i], gpu[i]));
    if (!gpus) CHECK(situ_device_equal(device[0], situ_cpu()));
    situ_trainer_free(trainer);
    trainer = situ_trainer_new(.num_gpus = 0);
    CHECK_EQ(situ_trainer_gpus(trainer, gpu, 32), 0);
    CHECK_EQ(situ_trainer_devices(trainer, device, 32), 1);
    situ_trainer_free(trainer);
}

static const situ_curve *find_curve(const situ_curve *curve, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(curve[i].name, name)) return &curve[i];
    return NULL;
}

/* The points are those that a loop of one's own would log: one for each minibatch, one for each epoch. */
TEST(the_board_keeps_minibatches_and_epochs)
{
    situ_dataset *train, *held_out;
    digits(200, &train, &held_out);
    situ_module *net = network();
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 56);
    situ_curve curve[4];
    CHECK_EQ(situ_trainer_curves(trainer, curve, 4), 0);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0);
    int n = situ_trainer_curves(trainer, curve, 4);
    CHECK_EQ(n, 3);
    const situ_curve *loss = find_curve(curve, n, "train loss"), *held = find_curve(curve, n, "validation loss"),
                     *right = find_curve(curve, n, "validation accuracy");
    if (!CHECK(loss && held && right)) return;
    CHECK_EQ(loss->count, 8); /* 3 x 56 + 32 rows, twice */
    CHECK_EQ(held->count, 2);
    CHECK_EQ(right->count, 2);
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(loss->x[i], (i + 1) / 4.0, 1e-12);
        if (i >= 4) sum += loss->y[i] * (i == 7 ? 32 : 56);
    }
    CHECK_NEAR(situ_trainer_loss(trainer), sum / 200, 1e-12);
    CHECK_NEAR(held->x[1], 2, 0);
    CHECK_NEAR(held->y[1], situ_trainer_validation_loss(trainer), 0);
    CHECK_NEAR(right->y[1], situ_trainer_accuracy(trainer), 0);

    situ_scope *scope = situ_scope_open();
    int64_t rows = situ_dataset_count(held_out);
    situ_shape shape = situ_dataset_shape(held_out);
    situ_tensor *x = situ_from_host(situ_dataset_features(held_out), shape), *y = situ_from_host(situ_dataset_labels(held_out), SHAPE(rows), .dtype = SITU_I32);
    CHECK_NEAR(situ_item(situ_cross_entropy(situ_module_call(net, x), y)), held->y[1], 1e-5);
    situ_scope_close(scope);
    free_training(trainer, opt, net, train, held_out);
}

/* An epoch of 600 minibatches is drawn as means of three. */
TEST(a_long_epoch_has_two_hundred_points)
{
    situ_dataset *train, *held_out;
    digits(1200, &train, &held_out);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1, .batch = 2);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, NULL), 0);
    situ_curve curve;
    CHECK_EQ(situ_trainer_curves(trainer, &curve, 1), 1);
    CHECK_EQ(curve.count, 200);
    double sum = 0;
    for (int i = 0; i < 200; i++) sum += curve.y[i];
    CHECK_NEAR(sum / 200, situ_trainer_loss(trainer), 1e-6);
    CHECK(isnan(situ_trainer_validation_loss(trainer)));
    free_training(trainer, opt, net, train, held_out);
}

TEST_IN_SCOPE(a_batch_of_several_tensors_is_prepared)
{
    if (situ_num_gpus() < 1) situ_sim_gpus(1);
    situ_trainer *trainer = situ_trainer_new(.num_gpus = 1);
    situ_tensor *batch[] = {situ_ones(SHAPE(4, 3)), situ_ones(SHAPE(4)), situ_ones(SHAPE(4), .device = situ_gpu(0))}, *there = batch[2];
    CHECK_EQ(situ_trainer_prepare_arrays(trainer, TENSORS_OF(batch, 3), batch), 0);
    for (int i = 0; i < 3; i++) CHECK(situ_device_equal(situ_device_of(batch[i]), situ_gpu(0)));
    CHECK(batch[2] == there);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_prepare_arrays(NULL, TENSORS_OF(batch, 3), batch));
    situ_trainer_free(trainer);
}

/* Trains on `gpus` GPUs (0: the CPU); fills weights[10 * 32] of the last layer. */
static void train_on(int gpus, bool deterministic, bool resident, float *weights, double *accuracy)
{
    situ_dataset *train, *held_out;
    digits(200, &train, &held_out); /* the last batch of an epoch is short: 200 = 3 x 56 + 32 */
    situ_module *net = network();
    situ_optimizer *opt = situ_adam(net, .lr = 5e-3);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 56, .num_gpus = gpus, .deterministic = deterministic, .resident = resident,
                                             .clip_norm = 1, .cosine = true);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, held_out), 0);
    *accuracy = situ_trainer_accuracy(trainer);
    int last = situ_module_count(net) - 2;
    situ_scope *scope = situ_scope_open();
    situ_read(situ_module_parameter(net, last), weights, 320 * sizeof *weights);
    for (int i = 0; i < gpus; i++) {
        float copy[320];
        situ_read(situ_module_copy(net, last, situ_gpu(i)), copy, sizeof copy);
        CHECK(!memcmp(copy, weights, sizeof copy));
    }
    situ_scope_close(scope);
    free_training(trainer, opt, net, train, held_out);
    CHECK_OK();
}

TEST(deterministic_mode_gives_the_same_bits_on_any_number_of_devices)
{
    float cpu[320], other[320];
    double accuracy, first;
    if (situ_num_gpus() < 4) situ_sim_gpus(4);
    CHECK_OK();
    train_on(0, true, true, cpu, &first);
    for (int gpus = 1; gpus <= 4; gpus++) {
        train_on(gpus, true, gpus % 2, other, &accuracy);
        CHECK(!memcmp(cpu, other, sizeof cpu));
        CHECK(accuracy == first);
    }
}

TEST(the_default_mode_is_near)
{
    float cpu[320], other[320];
    double accuracy;
    if (situ_num_gpus() < 2) situ_sim_gpus(2);
    CHECK_OK();
    train_on(0, false, true, cpu, &accuracy);
    train_on(2, false, true, other, &accuracy);
    for (int i = 0; i < 320; i++) CHECK_NEAR(cpu[i], other[i], 2e-3);
}

TEST(fit_refuses_what_it_cannot_do)
{
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1);
    situ_dataset *train, *held_out;
    digits(64, &train, &held_out);
    situ_module *net = network(), *narrow = situ_sequential(situ_flatten_layer(), situ_linear_layer(3));
    situ_optimizer *opt = situ_adam(net), *other = situ_adam(narrow);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(NULL, net, opt, train, held_out));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, NULL, opt, train, held_out));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, opt, NULL, held_out));
    CHECK_FAILS(SITU_BAD_INDEX, situ_trainer_fit(trainer, narrow, other, train, held_out)); /* labels beyond its scores */
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, train, NULL), 0);
    CHECK(isnan(situ_trainer_accuracy(trainer)));
    situ_trainer_free(trainer);
    situ_optimizer_free(opt);
    situ_optimizer_free(other);
    situ_module_free(net);
    situ_module_free(narrow);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
}

TEST(an_optimizer_of_another_network_is_refused)
{
    situ_dataset *data = situ_digits();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10)), *other = situ_sequential(situ_flatten_layer(), situ_linear_layer(10));
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1);
    situ_optimizer *opt = situ_sgd(other);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, opt, data, NULL), "made for another network");
    situ_optimizer_free(opt);
    situ_trainer_free(trainer);
    situ_module_free(net);
    situ_module_free(other);
    situ_dataset_free(data);
}
