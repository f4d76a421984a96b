/* J1: a loss that goes to the host for every minibatch stalls the GPU every time; a log that lives on the device does not.
 * The ledger names the line of each stall. */
#include "chapter.h"

enum { STEPS = 100 };

/* A minibatch: w moves down the gradient of mean((x w - 1)^2). */
static situ_tensor *minibatch(situ_tensor *w, int step)
{
    situ_tensor *key = situ_fold_in(situ_key(0, .device = situ_device_of(w)), step);
    situ_tensor *loss = situ_mse(situ_matmul(situ_uniform(key, SHAPE(32, 8)), w), 1), *g;
    situ_grad(loss, TENSORS(w), &g);
    situ_assign(w, situ_sub(w, situ_mul(g, 0.1)));
    return loss;
}

static int64_t stalls_at(const char *line)
{
    situ_ledger_entry list[4 * STEPS];
    int count = situ_ledger_list(list, 4 * STEPS);
    int64_t stalls = 0;
    for (int i = 0; i < count; i++)
        if (list[i].transfer == SITU_TRANSFER_WAIT && list[i].site && strstr(list[i].site, line)) stalls++;
    return stalls;
}

/* STEPS steps; each loss is read (each), or logged on the device and the log is read once. The seconds that it takes. */
static double train(situ_device gpu, bool each, float *loss, double *simulated)
{
    situ_tensor *w = situ_variable(situ_zeros(SHAPE(8, 1), .device = gpu));
    situ_tensor *log = situ_variable(situ_zeros(SHAPE(STEPS), .device = gpu), .trainable = false, .name = "log");
    situ_guard guard = situ_guard_open(.to_host = each ? STEPS : 0, .waits = each ? STEPS : 0); /* a stall more is an error with its line */
    double start = row_clock(), clock = situ_sim_clock();
    for (int step = 0; step < STEPS; step++) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *one = minibatch(w, step);
        if (each) loss[step] = (float)situ_item(one);
        else situ_assign_slice(log, situ_reshape(one, SHAPE(1)), SHAPE(step));
        situ_scope_close(turn);
    }
    HOLDS(situ_guard_close(guard) == 0);
    if (!each) situ_read(log, loss, STEPS * sizeof *loss);
    double seconds = row_clock() - start;
    *simulated = situ_sim_clock() - clock;
    situ_release(w);
    situ_release(log);
    return seconds;
}

/* Where the time of a training went. */
static void show(const char *what, const situ_sim_parts before[2], const situ_sim_parts after[2])
{
    double all = after[1].clock - before[1].clock, computing = after[0].computing - before[0].computing;
    printf("%-20s %8.3f ms simulated: the GPU computes %.3f, copies %.3f, is idle %.3f; the host waits %.3f\n", what, 1e3 * all,
           1e3 * computing, 1e3 * (after[0].copying - before[0].copying), 1e3 * (all - computing), 1e3 * (after[1].waiting - before[1].waiting));
}

static void parts(situ_device gpu, situ_sim_parts out[2])
{
    situ_sim_times(gpu, &out[0]);
    situ_sim_times(situ_cpu(), &out[1]);
}

int row_J1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_device gpu = situ_try_tpu_gpu(0);
    float on_host[STEPS], from_log[STEPS];
    row_runs stalled = {0}, logged = {0};
    double clock[2];
    situ_sim_parts at[3][2] = {{{0}}};
    for (int run = 0; run < 3; run++) {
        situ_ledger_record(run < 2 ? 0 : 4 * STEPS); /* the last run is listed */
        if (row_is_simulated()) parts(gpu, at[0]);
        row_ran(&stalled, train(gpu, true, on_host, &clock[0]));
        if (row_is_simulated()) parts(gpu, at[1]);
        row_ran(&logged, train(gpu, false, from_log, &clock[1]));
        if (row_is_simulated()) parts(gpu, at[2]);
    }
    char each[ROW_FIGURE], once[ROW_FIGURE];
    printf("loss %.8g ... %.8g\n%d steps: %s with a stall each, %s with a log on the device\n", on_host[0], on_host[STEPS - 1], STEPS,
           row_figure(&stalled, each, sizeof each), row_figure(&logged, once, sizeof once));
    printf("stalls: %lld at J1.c:37, %lld at J1.c:42\n", (long long)stalls_at("J1.c:37"), (long long)stalls_at("J1.c:42"));
    if (row_is_simulated()) {
        row_timed("100 losses, a stall each", clock[0], row_mean(&stalled));
        row_timed("100 losses, a log on the device", clock[1], row_mean(&logged));
        show("a stall each", at[0], at[1]);
        show("a log on the device", at[1], at[2]);
        HOLDS(clock[0] > 1.3 * clock[1]);
    }
    HOLDS(stalls_at("J1.c:37") == STEPS && stalls_at("J1.c:42") == 1);
    HOLDS(!memcmp(on_host, from_log, sizeof on_host));
    HOLDS(on_host[STEPS - 1] < on_host[0]);
    situ_ledger_record(0);
    situ_scope_close(scope);
    return row_end();
}
