/* Predicted steps, whole trainings and plans beside formulas and published figures. */
#include "test.h"

#include <math.h>

#include <situ.h>

#include "../../cli/simulate.h"

static const char cluster[] = "nodes 16\ncards 8\nflops 100 Tflop/s\nlink card s 100 GB/s\nlink s network 100 GB/s\n";

static situ_cluster *read(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", cluster, more);
    return situ_cluster_read(text, "c.txt", "here");
}

static cli_simulation step_of(situ_cluster *c, double gradient)
{
    return (cli_simulation){.c = c, .way = CLI_DIRECT, .step = .3, .gradient = gradient, .backward = 2. / 3, .accumulate = 1};
}

/* At least the work and at least the exchange, at most both after each other; what is exchanged in the backward pass
 * costs nothing but its last bucket. */
TEST(an_exchange_lies_beside_the_backward_pass)
{
    situ_cluster *c = read("");
    if (!CHECK(c)) return;
    for (double bytes = 1e6; bytes < 1e12; bytes *= 3)
        for (int n = 1; n <= 128; n *= 2) {
            cli_simulation s = step_of(c, bytes);
            cli_prediction p = cli_predict_step(&s, n);
            CHECK(p.step >= fmax(p.work, p.exchange) - 1e-12 && p.step <= p.work + p.exchange + 1e-12);
            if (p.exchange < .2) CHECK_NEAR(p.step, p.work + p.exchange / ceil(bytes / 25e6), 1e-9);
            s.halves = true;
            CHECK(cli_predict_step(&s, n).step <= p.step + 1e-12);
        }
    cli_simulation s = step_of(c, 1e9);
    s.accumulate = 4;
    CHECK_NEAR(cli_predict_step(&s, 8).work, 1.2, 1e-12);
    s.accumulate = 1;
    s.recompute = true;
    CHECK_NEAR(cli_predict_step(&s, 8).work, .4, 1e-12); /* a third of a step is the forward pass, which is done twice */
    situ_cluster_free(c);
}

/* The median of the greatest of n normal deviates is the 0.5^(1/n) quantile: .5450 for 2, 3.1980 for 1,000 (tables). */
TEST(all_wait_for_the_slowest)
{
    situ_cluster *c = read("jitter 10 %\nslower card3 1.5\n");
    if (!CHECK(c)) return;
    cli_simulation s = step_of(c, 0);
    CHECK_NEAR(cli_predict_step(&s, 1).usual, .3, 1e-9);
    CHECK_NEAR(cli_predict_step(&s, 1).late, .3 + .03 * 1.6449, 1e-5);
    CHECK_NEAR(cli_predict_step(&s, 2).usual, .3 + .03 * .5450, 1e-5);
    CHECK_NEAR(cli_predict_step(&s, 3).work, .3, 1e-12);
    CHECK_NEAR(cli_predict_step(&s, 4).work, .45, 1e-12);
    situ_cluster_free(c);
}

TEST(a_node_reads_for_its_cards)
{
    situ_cluster *c = read("data 1 GB/s\n");
    if (!CHECK(c)) return;
    cli_simulation s = step_of(c, 0);
    s.rows = 1000;
    s.row = 100e3;
    CHECK_NEAR(cli_predict_step(&s, 1).step, .3, 1e-12);
    CHECK_NEAR(cli_predict_step(&s, 8).step, .8, 1e-12);
    CHECK_NEAR(cli_predict_step(&s, 64).step, .8, 1e-12);
    situ_cluster_free(c);
}

/* No other interval is better by more than a thousandth, and Young's sqrt(2 M d) is near for short checkpoints. */
TEST(the_best_interval_between_checkpoints)
{
    for (double failures = 1e3; failures < 1e8; failures *= 10)
        for (double checkpoint = 1; checkpoint < failures / 10; checkpoint *= 7) {
            double best = cli_best_interval(failures, checkpoint), useful = cli_useful(failures, checkpoint, 60, best);
            CHECK(useful > 0 && useful < 1);
            for (double k = .1; k < 10; k *= 1.1) CHECK(cli_useful(failures, checkpoint, 60, k * best) < useful * 1.001);
            if (checkpoint < failures * 1e-5) CHECK_NEAR(best / sqrt(2 * failures * checkpoint), 1, .01);
        }
}

/* Table 1 of Narayanan and others (2021): the models' parameters. */
TEST(parameters_of_published_models)
{
    static const struct {
        double layers, hidden, parameters;
    } models[] = {{24, 2304, 1.7e9}, {30, 3072, 3.6e9}, {36, 4096, 7.5e9}, {40, 6144, 18.4e9}, {48, 8192, 39.1e9}, {60, 10240, 76.1e9},
        {80, 12288, 145.6e9}, {96, 16384, 310.1e9}, {105, 20480, 529.6e9}, {128, 25600, 1008e9}};
    situ_cluster *c = read("");
    if (!CHECK(c)) return;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        cli_plan p = {1, 1, 1, 1, 0, 1, models[i].layers, models[i].hidden, 2048, 51200, 64};
        CHECK_NEAR(cli_predict_plan(&p, c, true).parameters / models[i].parameters, 1, .03); /* given to a tenth of 1e9 */
    }
    situ_cluster_free(c);
}

/* The bubble is (p - 1) / m of the rest, a v-th part of it if layers are interleaved; the state of ZeRO's stage 3 is
 * divided by all. */
TEST(bubbles_and_memory_of_a_plan)
{
    situ_cluster *c = read("");
    if (!CHECK(c)) return;
    cli_plan p = {1, 1, 8, 1, 0, 1, 32, 4096, 2048, 51200, 64};
    cli_planned r = cli_predict_plan(&p, c, false);
    CHECK_NEAR(r.bubble / (r.computing + r.pipeline), 7. / 64, 1e-12);
    CHECK_NEAR(r.step, r.computing + r.pipeline + r.bubble, 1e-12);
    p.interleaved = 2;
    r = cli_predict_plan(&p, c, false);
    CHECK_NEAR(r.bubble / (r.computing + r.pipeline), 3.5 / 64, 1e-12);
    cli_plan one = {8, 1, 1, 1, 0, 1, 32, 4096, 2048, 51200, 64}, shared = one;
    shared.zero = 3;
    double saved = cli_predict_plan(&one, c, false).memory - cli_predict_plan(&shared, c, false).memory;
    CHECK_NEAR(saved / (16 * cli_predict_plan(&one, c, false).parameters), 7. / 8, 1e-9);
    situ_cluster_free(c);
}
