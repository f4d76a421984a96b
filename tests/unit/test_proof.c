/* Proofs of trainings: what the log has, what verifying says, in this process. tests/checks/proof.py has the command and the forgeries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <situ.h>

#include "test.h"
#include "train/proof_log.h"

typedef struct fitted {
    char commitment[65];
    situ_trainer_proof proof;
    int64_t steps;
    int rc;
} fitted;

/* Trains the digits for an epoch. */
static fitted fit(situ_trainer *trainer)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(16), situ_batch_norm_layer(), situ_relu_layer(),
        situ_dropout_layer(0.2), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    fitted f = {.rc = situ_trainer_fit(trainer, net, adam, train, held_out)};
    snprintf(f.commitment, sizeof f.commitment, "%s", situ_trainer_commitment(trainer));
    f.proof = situ_trainer_proof_of(trainer);
    f.steps = situ_trainer_steps(trainer);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    return f;
}

/* Makes the plan of `situ verify`: the ranges are "from to" lines. The first line of what was found, or "". */
static const char *verify(const char *folder, const char *ranges, situ_trainer *(*make)(const char *), int *equal)
{
    static char line[2048], first[2048];
    char plan[400], told[400];
    snprintf(plan, sizeof plan, "%s.plan", folder);
    snprintf(told, sizeof told, "%s.told", folder);
    FILE *file = fopen(told, "w");
    fclose(file);
    file = fopen(plan, "w");
    fprintf(file, "folder %s\ntold %s\n%s", folder, told, ranges);
    fclose(file);
    setenv("SITU_VERIFY", plan, 1);
    fitted f = fit(make("nowhere"));
    unsetenv("SITU_VERIFY");
    *equal = 0;
    *first = 0;
    file = fopen(told, "r");
    while (fgets(line, sizeof line, file)) {
        *equal += !strncmp(line, "equal ", 6);
        if (!strncmp(line, "differs ", 8)) snprintf(first, sizeof first, "%.2000s", line);
    }
    fclose(file);
    if (*first) CHECK_EQ(f.rc, -SITU_MISMATCH);
    else CHECK_EQ(f.rc, 0);
    if (situ_failed()) situ_error_take(NULL);
    return first;
}

static situ_trainer *usual(const char *folder)
{
    return situ_trainer_new(.max_epochs = 2, .batch = 64, .deterministic = true, .proof = folder, .proof_every = 9);
}
static situ_trainer *on_two(const char *folder)
{
    return situ_trainer_new(.max_epochs = 2, .batch = 64, .deterministic = true, .num_gpus = 2, .proof = folder);
}
static situ_trainer *in_pieces(const char *folder)
{
    return situ_trainer_new(.max_epochs = 2, .batch = 64, .deterministic = true, .resident = 0, .workers = 3, .proof = folder);
}
static situ_trainer *with_other_key(const char *folder)
{
    return situ_trainer_new(.max_epochs = 2, .batch = 64, .deterministic = true, .key = 5, .proof = folder);
}

TEST(a_training_is_proved_and_verified)
{
    char folder[300], why[SITU_PROOF_WHY];
    snprintf(folder, sizeof folder, "%s", test_path("proof"));
    situ_sim_gpus(2);
    fitted f = fit(usual(folder));
    CHECK_EQ(f.rc, 0);
    CHECK_EQ(strlen(f.commitment), 64);
    situ_proof_log log;
    CHECK_EQ(situ_proof_log_read(&log, folder, why), 0);
    CHECK(log.ended && !log.torn);
    CHECK(!strcmp(log.record[log.records - 1].hash, f.commitment));
    int64_t last = log.record[log.records - 1].step, entries = 0;
    for (int64_t i = 0; i < log.records; i++) entries += situ_proof_is_entry(&log.record[i]);
    CHECK_EQ(f.proof.entries, entries);
    CHECK(f.proof.bytes > 0 && f.proof.steps > 0);
    situ_proof_log_free(&log);
    CHECK_EQ(last, f.steps);
    situ_trainer *(*const other[])(const char *) = {usual, on_two, in_pieces};
    char all[64];
    int equal;
    snprintf(all, sizeof all, "range 0 %lld\n", (long long)last);
    for (int i = 0; i < 3; i++) {
        CHECK(!*verify(folder, all, other[i], &equal));
        CHECK_EQ(equal, entries);
    }
    CHECK(!*verify(folder, "range 9 18\nrange 36 45\n", on_two, &equal));
    CHECK(equal >= 2);
    CHECK(strstr(verify(folder, all, with_other_key, &equal), "another option: \"key 0\" in the log, \"key 5\" here"));
    CHECK_EQ(equal, 0);
    CHECK_EQ(fit(usual(folder)).rc, -SITU_BAD_ARGUMENT); /* there is a proof already */
    CHECK(strstr(situ_error_message(), "holds the proof of a training already; take another folder"));
    situ_error_take(NULL);
}

TEST(a_proof_refuses_what_it_cannot_hold)
{
    CHECK_FAILS(SITU_BAD_OPTION, situ_trainer_new(.proof_every = 3), ".proof_every needs the folder, .proof");
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1);
    CHECK(!*situ_trainer_commitment(trainer));
    CHECK_EQ(situ_trainer_proof_of(trainer).entries, 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_note(trainer, "a\nb"), "the note is one line");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_note(trainer, NULL), "the note is NULL");
    CHECK_EQ(situ_trainer_note(trainer, "mine"), 0);
    situ_trainer_free(trainer);
}

/* The proof of a loop of eight steps; the commitment. */
static const char *loop(const char *folder, double rate)
{
    static char commitment[65];
    situ_module *net = situ_linear_layer(3);
    situ_module_init(net, situ_key(1));
    situ_optimizer *sgd = situ_sgd(net, .lr = rate);
    situ_proof *proof = situ_proof_open(folder, net, sgd, .note = "eight steps", .every = 4, .resume = true);
    for (int64_t i = situ_proof_steps(proof); i < 8; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_normal(situ_key(i), SHAPE(4, 5)), *loss = situ_mean(situ_square(situ_module_call(net, x)));
        CHECK_EQ(situ_optimizer_step(sgd, loss), 0);
        CHECK_EQ(situ_proof_step(proof, loss, TENSORS(x)), 0);
        situ_scope_close(scope);
    }
    CHECK_EQ(situ_proof_steps(proof), 8);
    CHECK_EQ(situ_proof_close(proof, commitment), 0);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    return commitment;
}

TEST(a_loop_is_proved)
{
    char first[65], folder[300], why[SITU_PROOF_WHY];
    snprintf(folder, sizeof folder, "%s", test_path("loop"));
    snprintf(first, sizeof first, "%s", loop(folder, 0.1));
    situ_proof_log log;
    CHECK_EQ(situ_proof_log_read(&log, folder, why), 0);
    CHECK(log.ended && !log.torn && !strcmp(log.chain, first));
    situ_proof_log_free(&log);
    CHECK(!strcmp(first, loop(test_path("loop2"), 0.1)));
    CHECK(strcmp(first, loop(test_path("loop3"), 0.2)) != 0);
    CHECK(!strcmp(first, loop(folder, 0.1))); /* goes on from the last state, and has the same end */
}

TEST(a_loop_refuses_what_it_cannot_prove)
{
    situ_module *net = situ_linear_layer(3), *other = situ_linear_layer(3);
    situ_optimizer *sgd = situ_sgd(other);
    situ_tensor *x = situ_ones(SHAPE(2));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_open(NULL, net, NULL), "no folder is named");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_open("x", NULL, NULL), "the network is NULL");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_open("x", net, sgd), "the optimizer was made for another network");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_open("x", net, NULL, .note = "a\nb"), "the note is one line");
    CHECK_FAILS(SITU_BAD_OPTION, situ_proof_open("x", net, NULL, .every = -1), "situ_proof_open: .every = -1");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_step(NULL, x, TENSORS(x)), "the proof is NULL");
    situ_proof *proof = situ_proof_open(test_path("refused"), net, NULL);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_step(proof, NULL, TENSORS(x)), "the loss is NULL");
    situ_module_free(net);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_step(proof, x, TENSORS(x)), "the proof's network");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_proof_close(proof, NULL), "the proof's network");
    situ_optimizer_free(sgd);
    situ_module_free(other);
}
