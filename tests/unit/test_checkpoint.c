/* Trainings that are interrupted and continued: every loss and parameter has the bits of an uninterrupted training. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ.h>

#include "base/memory.h"
#include "support/training.h"
#include "test.h"

enum { OPTIMIZERS = 14, EPOCHS = 3, STEPS = 8, VALUES = 6000 };

/* One training in all of its variants; the number decides which. */
typedef struct kind {
    int number, epochs, gpus;
    bool deterministic;
} kind;

typedef struct outcome {
    float value[VALUES];
    int64_t values, steps;
    double loss, validation, accuracy, curve;
    int epochs, best;
    char ended[16];
} outcome;

static situ_optimizer *optimizer_of(int which, situ_module *net)
{
    switch (which % OPTIMIZERS) {
    case 0: return situ_sgd(net, .lr = 0.05, .momentum = 0.9, .nesterov = true);
    case 1: return situ_adam(net, .lr = 0.01);
    case 2: return situ_adamw(net, .lr = 0.01, .clip_norm = 1);
    case 3: return situ_adagrad(net, .lr = 0.05, .lr_decay = 0.01);
    case 4: return situ_rmsprop(net, .lr = 0.01, .momentum = 0.5, .centered = true);
    case 5: return situ_adadelta(net, .lr = 1);
    case 6: return situ_adamax(net, .lr = 0.01);
    case 7: return situ_nadam(net, .lr = 0.01);
    case 8: return situ_radam(net, .lr = 0.01);
    case 9: return situ_lion(net, .lr = 0.001);
    case 10: return situ_lamb(net, .lr = 0.01);
    case 11: return situ_adafactor(net, .lr = 0.01);
    case 12: return situ_muon(net, .lr = 0.01);
    default: return situ_lbfgs(net, .lr = 0.1);
    }
}

static void schedule_of(int which, situ_optimizer *opt)
{
    switch (which % 8) {
    case 0: situ_schedule_plateau(opt, .patience = 0, .threshold = 0.2); break;
    case 1: situ_schedule_step(opt, 5, 0.7); break;
    case 2: situ_schedule_multi_step(opt, (const int64_t[]){4, 9, 17}, 3, 0.5); break;
    case 3: situ_schedule_exponential(opt, 0.97); break;
    case 4: situ_schedule_polynomial(opt, 20, 2, 0.1); break;
    case 5: situ_schedule_cosine(opt, 10, .restarts = true, .growth = 2); break;
    case 6: situ_schedule_one_cycle(opt, 24); break;
    default: situ_schedule_constant(opt); break;
    }
    if (which % 3 == 1) situ_schedule_warmup(opt, 6, 0.1);
}

static int report(situ_trainer *t, void *self)
{
    return self ? situ_schedule_report(self, situ_trainer_validation_loss(t)) : 0;
}

static situ_module *network_of(bool initialised)
{
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(20), situ_batch_norm_layer(), situ_relu_layer(),
        situ_dropout_layer(0.3), situ_linear_layer(10));
    if (initialised) situ_module_init(net, situ_key(5));
    return net;
}

static situ_module *network(void) { return network_of(true); }

static void data_of(int which, situ_dataset **train, situ_dataset **held_out)
{
    int64_t rows[240];
    for (int i = 0; i < 240; i++) rows[i] = 7 * i;
    situ_dataset *digits = situ_digits(), *some = situ_dataset_select(digits, rows, 240);
    situ_dataset_split(some, 0, train, held_out, .count = 48, .stratified = true);
    if (which % 2) situ_dataset_augment(*train, .crop = 1, .brightness = 0.2);
    situ_dataset_free(digits);
    situ_dataset_free(some);
}

static void read_network(situ_module *net, outcome *out)
{
    situ_scope *scope = situ_scope_open();
    out->values = 0;
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        int64_t n = situ_count(p);
        if (out->values + n <= VALUES) situ_read(p, out->value + out->values, (size_t)n * 4);
        out->values += n;
    }
    situ_scope_close(scope);
}

static int train(kind k, const char *folder, int every, bool resume, outcome *out)
{
    situ_dataset *data, *held_out;
    memset(out, 0, sizeof *out);
    data_of(k.number, &data, &held_out);
    situ_module *net = network();
    situ_optimizer *opt = optimizer_of(k.number, net);
    schedule_of(k.number, opt);
    if (k.number % 4 == 1) situ_optimizer_set_average(opt, 0.9);
    if (k.number % 4 == 3 && k.number % OPTIMIZERS != 13) situ_optimizer_set_accumulation(opt, 3);
    int epochs = k.epochs ? k.epochs : EPOCHS;
    situ_trainer *t = situ_trainer_new(.max_epochs = epochs, .batch = 24, .key = 11, .clip_norm = k.number % 5 == 2,
        .cosine = k.number % 8 == 7, .patience = 2, .keep_best = true, .accumulate = k.number % 3 == 2 ? 2 : 1, .num_gpus = k.gpus,
        .deterministic = k.deterministic, .on_epoch = report, .self = k.number % 8 ? NULL : opt, .checkpoint = folder,
        .checkpoint_every = every, .keep = 1000, .resume = resume);
    int rc = situ_trainer_fit(t, net, opt, data, held_out);
    if (!rc) read_network(net, out);
    out->steps = situ_trainer_steps(t);
    out->loss = situ_trainer_loss(t);
    out->validation = situ_trainer_validation_loss(t);
    out->accuracy = situ_trainer_accuracy(t);
    out->epochs = situ_trainer_epochs(t);
    out->best = situ_trainer_best(t);
    snprintf(out->ended, sizeof out->ended, "%s", situ_trainer_ended(t));
    situ_curve curve[8];
    int n = situ_trainer_curves(t, curve, 8);
    for (int i = 0; i < n; i++)
        for (int64_t j = 0; j < curve[i].count; j++) out->curve = 0.999 * out->curve + curve[i].y[j] + 0.001 * curve[i].x[j];
    free_training(t, opt, net, data, held_out);
    return rc;
}

static bool same(const outcome *a, const outcome *b)
{
    return CHECK_EQ(a->values, b->values) && CHECK(a->values > 0 && a->values <= VALUES) &&
        CHECK(!memcmp(a->value, b->value, (size_t)a->values * 4)) && CHECK_EQ(a->steps, b->steps) &&
        CHECK_EQ(a->epochs, b->epochs) &&
        CHECK_EQ(a->best, b->best) && CHECK_STR(a->ended, b->ended) && CHECK(!memcmp(&a->loss, &b->loss, 8)) &&
        CHECK(!memcmp(&a->validation, &b->validation, 8)) && CHECK(!memcmp(&a->accuracy, &b->accuracy, 8)) &&
        CHECK(!memcmp(&a->curve, &b->curve, 8));
}

static int count_files(const char *folder, char *first, size_t size)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.') n++, first ? snprintf(first, size, "%s/%s", folder, e->d_name) : 0;
    if (d) closedir(d);
    return n;
}

static void empty(const char *folder)
{
    char name[600];
    while (count_files(folder, name, sizeof name) && !unlink(name)) continue;
    rmdir(folder);
}

/* Makes a folder that contains only the checkpoint of one step. */
static bool only(const char *from, const char *to, int step)
{
    char a[300], b[300];
    snprintf(a, sizeof a, "%s/step-%012d.safetensors", from, step);
    snprintf(b, sizeof b, "%s/step-%012d.safetensors", to, step);
    return !mkdir(to, 0777) && !link(a, b);
}

static outcome whole, with, again;

static void check_kind(kind k, const int *steps, int n)
{
    char folder[200], one[200];
    snprintf(folder, sizeof folder, "%s", test_path("checkpoints"));
    snprintf(one, sizeof one, "%s", test_path("one"));
    if (!CHECK_EQ(train(k, NULL, 0, false, &whole), 0) || !CHECK_EQ(train(k, folder, 1, false, &with), 0)) CHECK_OK();
    if (!same(&whole, &with)) fprintf(stderr, "with checkpoints, kind %d\n", k.number);
    for (int i = 0; i < n && steps[i] <= whole.steps; i++) {
        CHECK(only(folder, one, steps[i]));
        if (!CHECK_EQ(train(k, one, 0, true, &again), 0)) CHECK_OK();
        if (!same(&whole, &again)) fprintf(stderr, "kind %d from step %d\n", k.number, steps[i]);
        empty(one);
    }
    empty(folder);
}

TEST(a_training_goes_on_bit_for_bit_with_each_optimizer)
{
    for (int i = 0; i < OPTIMIZERS; i++) check_kind((kind){.number = i}, (const int[]){1 + i % 7, STEPS + i % 8, 3 * STEPS - 1}, 3);
}

/* ---- stops, devices, several trainings --------------------------------------------------------------------------------------- */

static int stop_soon(situ_trainer *t, void *self)
{
    (void)self;
    return situ_trainer_steps(t) % 5 == 0;
}

TEST(a_training_that_is_stopped_again_and_again_is_the_same_one)
{
    char folder[200];
    snprintf(folder, sizeof folder, "%s", test_path("stops"));
    for (int fits = 0; fits < 2; fits++) {
        int64_t steps = 0;
        for (int round = 0; steps < 3 * STEPS + 1 && round < 20; round++) {
            situ_dataset *data, *held_out;
            data_of(1, &data, &held_out);
            situ_module *net = network();
            situ_optimizer *opt = situ_adam(net, .lr = 0.01);
            situ_trainer *t = situ_trainer_new(.max_epochs = EPOCHS, .batch = 24, .key = 3, .cosine = true,
                .on_step = fits ? stop_soon : NULL, .checkpoint = fits ? folder : NULL, .keep = 1, .resume = fits > 0);
            CHECK_EQ(situ_trainer_fit(t, net, opt, data, held_out), 0);
            steps = situ_trainer_steps(t);
            bool done = !strcmp(situ_trainer_ended(t), "epochs");
            if (done || !fits) {
                read_network(net, fits ? &again : &whole);
                CHECK_EQ(steps, EPOCHS * STEPS);
                steps = 3 * STEPS + 1;
            }
            free_training(t, opt, net, data, held_out);
            CHECK_OK();
        }
        if (fits) CHECK_EQ(count_files(folder, NULL, 0), 2); /* the last one, the best one */
    }
    CHECK(whole.values && whole.values == again.values && !memcmp(whole.value, again.value, (size_t)whole.values * 4));
    empty(folder);
}

static void check_devices(int before, int after)
{
    char folder[200], one[200];
    snprintf(folder, sizeof folder, "%s", test_path("devices"));
    snprintf(one, sizeof one, "%s", test_path("one"));
    for (int number = 0; number < 3; number++) {
        kind k = {.number = number, .deterministic = true, .gpus = before};
        CHECK_EQ(train(k, folder, 5, false, &whole), 0);
        CHECK(only(folder, one, 10));
        k.gpus = after;
        CHECK_EQ(train(k, one, 5, true, &again), 0);
        CHECK(!memcmp(whole.value, again.value, (size_t)whole.values * 4)); /* running moments too */
        empty(one);
        empty(folder);
    }
    CHECK_OK();
}

TEST(a_deterministic_training_goes_on_with_other_devices)
{
    if (situ_num_gpus() < 2) SKIP("two simulated GPUs are needed");
    check_devices(2, 0);
    check_devices(0, 2);
    check_devices(1, 2);
}

TEST(of_two_trainings_with_one_trainer_the_second_goes_on)
{
    char folder[200], one[200];
    snprintf(folder, sizeof folder, "%s", test_path("two"));
    snprintf(one, sizeof one, "%s", test_path("one"));
    for (int round = 0; round < 2; round++) {
        situ_dataset *data, *held_out;
        data_of(0, &data, &held_out);
        situ_module *net = network();
        situ_optimizer *opt = situ_adam(net, .lr = 0.01);
        situ_trainer *t = situ_trainer_new(
            .max_epochs = 2, .batch = 24, .checkpoint = round ? one : folder, .checkpoint_every = 1, .keep = 99, .resume = round);
        for (int fit = 0; fit < 2; fit++) {
            CHECK_EQ(situ_trainer_fit(t, net, opt, data, held_out), 0);
            if (round && !fit) CHECK_EQ(situ_trainer_steps(t), 0);
            situ_optimizer_set_lr(opt, 0.002);
        }
        CHECK_EQ(situ_trainer_steps(t), 4 * STEPS);
        read_network(net, round ? &again : &whole);
        if (!round) CHECK(only(folder, one, 3 * STEPS - 3));
        free_training(t, opt, net, data, held_out);
    }
    CHECK(whole.values && !memcmp(whole.value, again.value, (size_t)whole.values * 4));
    empty(folder);
    empty(one);
}

/* ---- loops of one's own ------------------------------------------------------------------------------------------------------ */

enum { OWN_STEPS = 20 };

static void own_loop(const char *path, int save_at, bool load, bool gathered, outcome *out)
{
    situ_dataset *data, *held_out;
    data_of(gathered, &data, &held_out);
    situ_module *net = network_of(!load);
    situ_module_set_training(net, true);
    situ_optimizer *opt = situ_adamw(net, .lr = load ? 0.5 : 0.01);
    if (!load) {
        situ_optimizer_set(opt, "*.bias", "weight_decay", 0);
        situ_optimizer_set_accumulation(opt, 3);
        situ_schedule_cosine(opt, 30);
    }
    situ_loader *loader = situ_loader_new(data, .batch = 24, .shuffle = true, .key = 9, .resident = !gathered);
    int step = load ? save_at : 0;
    if (load) CHECK_EQ(situ_checkpoint_load(path, net, opt, loader), 0);
    for (int64_t epoch = situ_loader_epoch(loader); step < OWN_STEPS; situ_loader_start(loader, ++epoch)) {
        while (step < OWN_STEPS && situ_loader_next(loader) > 0) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *x, *y;
            situ_loader_batch(loader, &x, &y);
            situ_optimizer_step(opt, situ_cross_entropy(situ_module_call(net, x), y));
            situ_scope_close(scope);
            if (++step == save_at && !load)
                CHECK_EQ(situ_checkpoint_save(path, net, opt, loader, .metadata = "step=here\nwho=me"), 0);
        }
    }
    read_network(net, out);
    out->steps = situ_optimizer_steps(opt);
    out->loss = situ_optimizer_lr(opt);
    situ_loader_free(loader);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(data);
    situ_dataset_free(held_out);
}

TEST(a_loop_of_ones_own_goes_on_with_what_was_never_called)
{
    char path[200];
    snprintf(path, sizeof path, "%s", test_path("own.safetensors"));
    for (int gathered = 0; gathered < 2; gathered++)
        for (int at = 1; at < OWN_STEPS; at += 6) {
            own_loop(path, at, false, gathered, &whole);
            own_loop(path, at, true, gathered, &again);
            CHECK(whole.values && !memcmp(whole.value, again.value, (size_t)whole.values * 4));
            CHECK(whole.steps == again.steps && whole.loss == again.loss);
        }
    situ_archive *a = situ_archive_open(path);
    CHECK_STR(situ_archive_metadata(a, "who"), "me");
    situ_archive_close(a);
    situ_module *net = network(); /* its parameters alone, by name */
    CHECK_EQ(situ_module_load(net, path), 8);
    CHECK_FAILS(SITU_BAD_OPTION, situ_checkpoint_save(path, net, NULL, NULL, .metadata = "situ.mine=1"), "begins with \"situ.\"");
    situ_module_free(net);
}

/* ---- what is refused, what goes wrong ---------------------------------------------------------------------------------------- */

static void check_refused(int rc, const char *words)
{
    if (!CHECK(rc < 0) || !CHECK(strstr(situ_error_message(), words))) fprintf(stderr, "%s\n", situ_error_message());
    situ_error_take(NULL);
}

TEST(a_checkpoint_of_another_training_is_refused_with_what_differs)
{
    char folder[200], name[300];
    snprintf(folder, sizeof folder, "%s", test_path("refused"));
    CHECK_EQ(train((kind){.number = 1, .epochs = 1}, folder, 0, false, &whole), 0);
    check_refused(train((kind){.number = 1, .epochs = 2}, folder, 0, false, &again), ".resume = true continues from there");
    check_refused(train((kind){.number = 1}, "", 0, false, &again), "cannot make the folder \"\" for checkpoints: No such file");
    check_refused(train((kind){.number = 3}, folder, 0, true, &again), "the optimizer is adam there and adagrad here");
    check_refused(train((kind){.number = 2}, folder, 0, true, &again), "accumulate is 1 there and 2 here");
    check_refused(train((kind){.number = 6}, folder, 0, true, &again), "the data is 192 rows of");
    kind other_bits = {.number = 1, .deterministic = true};
    check_refused(train(other_bits, folder, 0, true, &again), "deterministic is 0 there and 1 here");
    CHECK_EQ(train((kind){.number = 1, .epochs = 2}, folder, 0, true, &again), 0); /* more epochs are fine */
    CHECK_EQ(again.steps, 2 * STEPS);
    CHECK_EQ(train((kind){.number = 1, .epochs = 2}, NULL, 0, false, &whole), 0);
    same(&whole, &again);
    empty(folder);
    situ_module *net = situ_sequential(situ_linear_layer(3)), *other = situ_sequential(situ_linear_layer(3), situ_relu_layer());
    situ_scope *scope = situ_scope_open();
    check_refused(situ_checkpoint_save(test_path("x"), net, NULL, NULL), "0.weight has no value yet");
    situ_module_call(net, situ_ones(SHAPE(2, 4)));
    situ_module_call(other, situ_ones(SHAPE(2, 4)));
    snprintf(name, sizeof name, "%s", test_path("small.safetensors"));
    situ_optimizer *adam = situ_adam(other);
    check_refused(situ_checkpoint_save(name, net, adam, NULL), "the optimizer was made for another network");
    CHECK_EQ(situ_checkpoint_save(name, net, NULL, NULL), 0);
    check_refused(situ_checkpoint_load(name, other, NULL, NULL), "is sequential(linear) there and sequential(linear relu)");
    situ_optimizer *own = situ_adam(net);
    check_refused(situ_checkpoint_load(name, net, own, NULL), "the checkpoint lacks \"situ.optimizer\"");
    CHECK_EQ(situ_module_save(net, name), 0);
    check_refused(situ_checkpoint_load(name, net, NULL, NULL), "is no checkpoint");
    check_refused(situ_checkpoint_load(test_path("nothing"), net, NULL, NULL), "No such file");
    check_refused(situ_checkpoint_load(NULL, net, NULL, NULL), "no file is named");
    check_refused(situ_checkpoint_load(name, NULL, NULL, NULL), "the network is NULL");
    CHECK(!situ_trainer_new(.resume = true));
    check_refused(-1, ".resume and .checkpoint_every need the folder");
    situ_optimizer_free(own);
    situ_optimizer_free(adam);
    situ_scope_close(scope);
    situ_module_free(net);
    situ_module_free(other);
}

TEST(moments_that_a_checkpoint_lacks_are_forgotten)
{
    char path[200];
    snprintf(path, sizeof path, "%s", test_path("early.safetensors"));
    situ_module *net = situ_sequential(situ_linear_layer(3));
    situ_optimizer *opt = situ_adam(net, .lr = 0.1);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_reshape(situ_arange(0, 8, 1, .dtype = SITU_F32), SHAPE(2, 4));
    situ_module_call(net, x);
    CHECK_EQ(situ_checkpoint_save(path, net, opt, NULL), 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, x))));
        read_network(net, round ? &again : &whole);
        if (round) break;
        for (int i = 0; i < 5; i++) situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, x))));
        CHECK_EQ(situ_checkpoint_load(path, net, opt, NULL), 0);
    }
    CHECK(whole.values == 15 && !memcmp(whole.value, again.value, 15 * sizeof(float)));
    situ_scope_close(scope);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

static int train_beside(situ_trainer *t, void *self)
{
    if (situ_trainer_steps(t) == 3)
        check_refused(train((kind){.number = 1}, self, 0, true, &again), "another training writes its checkpoints into");
    return situ_trainer_steps(t) == 5 ? -1 : 0;
}

TEST(a_folder_has_the_checkpoints_of_one_training_at_a_time)
{
    char folder[200];
    snprintf(folder, sizeof folder, "%s", test_path("locked"));
    situ_dataset *data, *held_out;
    data_of(1, &data, &held_out);
    situ_module *net = network();
    situ_optimizer *opt = situ_adam(net);
    situ_trainer *t = situ_trainer_new(.batch = 24, .on_step = train_beside, .self = folder, .checkpoint = folder);
    check_refused(situ_trainer_fit(t, net, opt, data, held_out), "a callback gave -1");
    CHECK_EQ(train((kind){.number = 1}, folder, 0, false, &whole), 0); /* that training is complete */
    empty(folder);
    if (!mkdir(folder, 0555) && access(folder, W_OK))
        check_refused(train((kind){.number = 1}, folder, 0, false, &whole), "cannot write into the folder");
    rmdir(folder);
    free_training(t, opt, net, data, held_out);
}

TEST(a_pipe_in_the_folder_is_no_checkpoint)
{
    char folder[200], pipe[300];
    snprintf(folder, sizeof folder, "%s", test_path("pipe"));
    snprintf(pipe, sizeof pipe, "%s/step-%012d.safetensors", folder, 999999);
    CHECK_EQ(train((kind){.number = 1}, folder, 0, false, &whole), 0);
    CHECK(!mkfifo(pipe, 0600));
    check_refused(train((kind){.number = 1}, folder, 0, true, &again), "is no regular file; take it out of the folder");
    CHECK(!unlink(pipe));
    empty(folder);
    rmdir(folder);
}

TEST(what_a_resumed_training_wants_otherwise_is_told)
{
    char folder[200];
    snprintf(folder, sizeof folder, "%s", test_path("otherwise"));
    CHECK_EQ(train((kind){.number = 1, .epochs = 1}, folder, 0, false, &whole), 0);
    situ_dataset *data, *held_out;
    data_of(1, &data, &held_out);
    situ_module *best = network();
    situ_optimizer *slow = situ_adam(best, .lr = 0.5);
    for (int i = 0; i < 3; i++) {
        char damaged[300], line[300] = "";
        snprintf(damaged, sizeof damaged, "%s/step-%012d.safetensors", folder, 99);
        FILE *progress = tmpfile(), *file = i == 2 ? fopen(damaged, "w") : NULL;
        if (file) fputs("damaged", file), fclose(file);
        situ_trainer *t = situ_trainer_new(.max_epochs = 1, .batch = 24, .key = 11, .patience = 2, .monitor = i ? NULL : "loss",
            .maximize = !i, .checkpoint = folder, .resume = true, .progress = progress);
        int rc = situ_trainer_fit(t, best, slow, data, held_out);
        if (!i) {
            CHECK(strstr(situ_error_message(), "maximize is 0 there and 1 here"));
            check_refused(rc, "monitor is validation loss there and loss here");
        } else if (i == 1) {
            CHECK_EQ(rc, 0);
            rewind(progress);
            CHECK(fgets(line, sizeof line, progress) && strstr(line, "where it started at 0.01, not 0.5"));
        } else {
            check_refused(rc, "delete it: that of step 8 before it is whole");
            unlink(damaged);
        }
        fclose(progress);
        situ_trainer_free(t);
    }
    situ_optimizer_free(slow);
    situ_module_free(best);
    situ_dataset_free(data);
    situ_dataset_free(held_out);
    empty(folder);
}

static char full_best[300];

static int limit_files(situ_trainer *t, void *self)
{
    struct rlimit *limit = self, less = *limit;
    less.rlim_cur = 5000;
    if (situ_trainer_epochs(t) != 2) return 0;
    for (int i = 0; i < 20000 && access(full_best, F_OK); i++) usleep(1000); /* the last file that the first training writes */
    setrlimit(RLIMIT_FSIZE, &less);
    return 0;
}

TEST(a_full_disk_ends_no_training_and_leaves_what_was_written)
{
    char folder[200], name[300], line[400] = "";
    struct rlimit limit;
    snprintf(folder, sizeof folder, "%s", test_path("full"));
    snprintf(name, sizeof name, "%s/step-%012d.safetensors.%ld.7", folder, 3, (long)getpid());
    snprintf(full_best, sizeof full_best, "%s/best.safetensors", folder);
    CHECK(!mkdir(folder, 0777));
    fclose(fopen(name, "w")); /* left by a process that was killed while it wrote */
    getrlimit(RLIMIT_FSIZE, &limit);
    for (int round = 0; round < 3; round++) {
        situ_dataset *data, *held_out;
        data_of(0, &data, &held_out);
        situ_module *net = network();
        situ_optimizer *opt = situ_adam(net, .lr = 0.01);
        FILE *progress = tmpfile();
        situ_trainer *t = situ_trainer_new(.max_epochs = 4, .batch = 24, .on_epoch = round ? NULL : limit_files, .self = &limit,
            .checkpoint = round < 2 ? folder : NULL, .keep = 2, .resume = round == 1, .progress = progress);
        int rc = situ_trainer_fit(t, net, opt, data, held_out);
        setrlimit(RLIMIT_FSIZE, &limit);
        CHECK_EQ(situ_trainer_epochs(t), 4);
        if (!round) check_refused(rc, "step-000000000032.safetensors: File too large");
        else CHECK_EQ(rc, 0);
        rewind(progress);
        while (!strstr(line, "File too large") && fgets(line, sizeof line, progress)) continue;
        CHECK(strstr(line, "File too large"));
        fclose(progress);
        if (!round) CHECK_EQ(count_files(folder, NULL, 0), 2); /* that of the first epoch, and the best one */
        if (round == 1) CHECK_EQ(count_files(folder, NULL, 0), 3);
        if (round) read_network(net, round == 1 ? &again : &whole);
        free_training(t, opt, net, data, held_out);
    }
    CHECK(whole.values && !memcmp(whole.value, again.value, (size_t)whole.values * 4));
    empty(folder);
}

TEST(checkpoints_survive_each_allocation_that_fails)
{
    char path[200];
    snprintf(path, sizeof path, "%s", test_path("memory.safetensors"));
    own_loop(path, 5, false, false, &whole);
    situ_dataset *data, *held_out;
    data_of(0, &data, &held_out);
    int64_t most = 0;
    for (int loads = 0; loads < 2; loads++)
        for (int64_t n = 1, struck = 1; struck && n < 4000; n += 1 + n / 30) {
            situ_module *net = network();
            situ_optimizer *opt = situ_adamw(net);
            situ_loader *loader = situ_loader_new(data, .batch = 24, .shuffle = true, .key = 9);
            if (!loads) situ_checkpoint_load(path, net, opt, loader);
            situ_test_fail_alloc(n);
            int rc = loads ? situ_checkpoint_load(path, net, opt, loader) : situ_checkpoint_save(path, net, opt, loader);
            struck = situ_test_fail_struck();
            situ_test_fail_alloc(0);
            if (rc) CHECK_EQ(rc, -SITU_NO_MEMORY);
            situ_error_take(NULL);
            CHECK_EQ(situ_checkpoint_load(path, net, opt, loader), 0); /* the file is complete; the objects are usable */
            most = n;
            situ_loader_free(loader);
            situ_optimizer_free(opt);
            situ_module_free(net);
        }
    CHECK(most > 100);
    situ_dataset_free(data);
    situ_dataset_free(held_out);
}

/* ---- whole or not at all -------------------------------------------------------------------------------------------------------- */

static char *bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(1 << 20) : NULL;
    *size = bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!CHECK(file)) return;
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static bool same_files(const char *a, const char *b)
{
    size_t m, n;
    char *x = bytes_of(a, &m), *y = bytes_of(b, &n);
    bool same = x && y && m && m == n && !memcmp(x, y, m);
    free(x);
    free(y);
    return same;
}

static situ_optimizer *trained(situ_module *net, situ_loader *loader, int which, int steps)
{
    situ_optimizer *opt = optimizer_of(which, net);
    situ_optimizer_set_accumulation(opt, 2);
    situ_optimizer_set_loss_scale(opt, 1024);
    if (which % OPTIMIZERS < 13) situ_optimizer_set(opt, "*.bias", "lr", 0.003);
    schedule_of(which, opt);
    situ_batch batch;
    for (int i = 0; i < steps && situ_loader_next(loader) > 0; i++) {
        situ_scope *scope = situ_scope_open();
        situ_loader_get(loader, &batch);
        situ_optimizer_step(opt, situ_cross_entropy(situ_module_call(net, batch.field[0]), batch.field[1]));
        situ_scope_close(scope);
    }
    return opt;
}

/* Damages the file's header: replaces one letter of a name, a number, a shape or a dtype. */
static void load_damaged(int which, int *failed, int *changed)
{
    char good[300], bad[300], before[300], after[300];
    situ_dataset *data, *held_out;
    data_of(0, &data, &held_out);
    snprintf(good, sizeof good, "%s", test_path("good.safetensors"));
    snprintf(bad, sizeof bad, "%s", test_path("bad.safetensors"));
    snprintf(before, sizeof before, "%s", test_path("before.safetensors"));
    snprintf(after, sizeof after, "%s", test_path("after.safetensors"));
    situ_module *net = network();
    situ_loader *loader = situ_loader_new(data, .batch = 24, .shuffle = true, .key = 9);
    situ_optimizer *opt = trained(net, loader, which, 5);
    CHECK_EQ(situ_checkpoint_save(good, net, opt, loader), 0);
    situ_optimizer_free(opt);
    situ_loader_start(loader, 1);
    opt = trained(net, loader, which, 3);
    CHECK_EQ(situ_checkpoint_save(before, net, opt, loader), 0);
    size_t size;
    char *bytes = bytes_of(good, &size);
    uint64_t head = 0, state = 88172645463325252u + (uint64_t)which;
    if (CHECK(bytes && size > 8)) memcpy(&head, bytes, 8);
    for (int i = 0; bytes && i < 14 && head < size; i++) {
        static const char letters[] = "0123456789afFU[,.";
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        size_t at = 8 + (size_t)(state % head);
        char was = bytes[at];
        bytes[at] = letters[(state >> 40) % (sizeof letters - 1)];
        write_bytes(bad, bytes, size);
        bytes[at] = was;
        if (!situ_checkpoint_load(bad, net, opt, loader)) { /* the damage gave another valid value */
            CHECK_EQ(situ_checkpoint_load(before, net, opt, loader), 0);
            continue;
        }
        situ_error_take(NULL);
        CHECK_EQ(situ_checkpoint_save(after, net, opt, loader), 0);
        ++*failed;
        if (!same_files(before, after)) ++*changed;
    }
    free(bytes);
    CHECK_EQ(situ_checkpoint_load(good, net, opt, loader), 0);
    CHECK_EQ(situ_checkpoint_save(after, net, opt, loader), 0);
    CHECK(same_files(good, after));
    situ_loader_free(loader);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(data);
    situ_dataset_free(held_out);
}

TEST(a_damaged_checkpoint_that_is_refused_has_changed_nothing)
{
    int failed = 0, changed = 0;
    for (int which = 0; which < OPTIMIZERS; which++) load_damaged(which, &failed, &changed);
    printf("     %d loads of damaged files failed\n", failed);
    CHECK(failed > 100);
    CHECK_EQ(changed, 0);
}

/* Checkpoints of version 0.2.0 lack this hyper-parameter. */
TEST(a_checkpoint_without_lazy_rows_has_none)
{
    char path[300];
    snprintf(path, sizeof path, "%s", test_path("older.safetensors"));
    situ_module *net = situ_sequential(situ_linear_layer(3));
    situ_optimizer *opt = situ_adam(net, .lazy_rows = true);
    situ_scope *scope = situ_scope_open();
    situ_eval(TENSORS(situ_module_call(net, situ_ones(SHAPE(2, 4)))));
    situ_scope_close(scope);
    CHECK_EQ(situ_checkpoint_save(path, net, opt, NULL), 0);
    for (int older = 0; older < 2; older++) {
        size_t size;
        situ_hyper h[16];
        char *bytes = bytes_of(path, &size), *name = strstr(bytes + 8, "hyper.lazy_rows");
        if (older && CHECK(name)) name[6] = 'k';
        write_bytes(path, bytes, size);
        free(bytes);
        CHECK_EQ(situ_checkpoint_load(path, net, opt, NULL), 0);
        int n = situ_optimizer_hyper(opt, h, 16);
        CHECK(n == 8 && !strcmp(h[7].name, "lazy_rows") && h[7].value == !older);
    }
    situ_optimizer_free(opt);
    situ_module_free(net);
}
