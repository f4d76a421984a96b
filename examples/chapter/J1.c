/* J1: a loss that goes to the host for every minibatch stalls the GPU every time; a log that lives on the device does not.
 * The ledger names the line of each stall. */
#include "chapter.h"

enum { STEPS = 100 };

/* A minibatch: w moves down the gradient of mean((x w - 1)^2). */
static situ_tensor *minibatch(situ_tensor *w, int step)
{
    situ_tensor *key = situ_fold_in(situ_key(0, .device = situ_device_of(w)), step);
    situ_tensor *loss = situ_mse(situ_matmul(situ_uniform(key, SHAPE(32, 8)), w), 1), *g;
    situ_grad(loss, &w, 1, &g);
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

int row_J1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_device gpu = situ_gpu(0);
    float on_host[STEPS], from_log[STEPS];
    situ_ledger_record(4 * STEPS);

    situ_tensor *w = situ_variable(situ_zeros(SHAPE(8, 1), .device = gpu));
    double start = row_clock();
    for (int step = 0; step < STEPS; step++) {
        situ_scope *turn = situ_scope_open();
        on_host[step] = (float)situ_item(minibatch(w, step));
        situ_scope_close(turn);
    }
    double stalled = row_clock() - start;
    situ_release(w);

    w = situ_variable(situ_zeros(SHAPE(8, 1), .device = gpu));
    situ_tensor *log = situ_variable(situ_zeros(SHAPE(STEPS), .device = gpu), .trainable = false, .name = "log");
    start = row_clock();
    situ_guard guard = situ_guard_open(.to_host = 0, .waits = 0); /* a stall in here would be an error with its line */
    for (int step = 0; step < STEPS; step++) {
        situ_scope *turn = situ_scope_open();
        situ_assign_slice(log, situ_reshape(minibatch(w, step), SHAPE(1)), SHAPE(step));
        situ_scope_close(turn);
    }
    HOLDS(situ_guard_close(guard) == 0);
    situ_read(log, from_log, sizeof from_log);
    double logged = row_clock() - start;
    situ_release(w);
    situ_release(log);

    printf("loss %.4f ... %.4f; %d steps: %.2f ms with a stall each, %.2f ms with a log on the device\n", on_host[0],
           on_host[STEPS - 1], STEPS, 1e3 * stalled, 1e3 * logged);
    printf("stalls: %lld at J1.c:39, %lld at J1.c:55\n", (long long)stalls_at("J1.c:39"), (long long)stalls_at("J1.c:55"));
    HOLDS(stalls_at("J1.c:39") == STEPS && stalls_at("J1.c:55") == 1);
    HOLDS(!memcmp(on_host, from_log, sizeof on_host));
    HOLDS(on_host[STEPS - 1] < on_host[0]);
    situ_ledger_record(0);
    situ_scope_close(scope);
    return row_end();
}
