/* A pole on a cart learns to stand from single steps that it remembers: a deep Q network (Mnih et al., 2015) with a slow copy.
 *
 * Each step of the cart asks the network for one row and trains it on 128 remembered ones; that and the slow copy's update are one
 * plan. Ends when 20 episodes took 400 steps or more on average. */
#include <situ.h>
#include <string.h>

#include "cartpole.h"

enum { STEPS = 40000, MEMORY = 10000, BATCH = 128, PARAMETERS = 6 };
static struct {
    float before[4], after[4];
    int32_t action;
    float earned, on; /* on: 0 after a fall, else 1 */
} memory[MEMORY];

static situ_module *network(void)
{
    return situ_sequential(situ_linear_layer(64, .in = 4), situ_relu_layer(), situ_linear_layer(64, .in = 64), situ_relu_layer(),
        situ_linear_layer(2, .in = 64));
}

static situ_tensor *loss_of(situ_module *net, situ_module *slow, int known)
{
    float before[BATCH][4], after[BATCH][4], earned[BATCH][1], on[BATCH][1];
    int32_t action[BATCH][1];
    for (int i = 0; i < BATCH; i++) {
        int k = (int)(uniform() * known);
        memcpy(before[i], memory[k].before, sizeof before[i]);
        memcpy(after[i], memory[k].after, sizeof after[i]);
        action[i][0] = memory[k].action, earned[i][0] = memory[k].earned, on[i][0] = memory[k].on;
    }
    situ_tensor *next =
        situ_max(situ_module_call(slow, situ_from_host(&after[0][0], SHAPE(BATCH, 4))), .axes = 1, .keepdims = true);
    situ_tensor *aim = situ_add(
        situ_from_host(&earned[0][0], SHAPE(BATCH, 1)), situ_mul(situ_mul(next, situ_from_host(&on[0][0], SHAPE(BATCH, 1))), 0.99));
    situ_tensor *values = situ_module_call(net, situ_from_host(&before[0][0], SHAPE(BATCH, 4)));
    situ_tensor *chosen = situ_gather(values, situ_from_host(&action[0][0], SHAPE(BATCH, 1)));
    return situ_smooth_l1_loss(chosen, situ_stop_gradient(aim));
}

int main(void)
{
    situ_module *net = network(), *slow = network();
    situ_optimizer *adam = situ_adam(net, .lr = 5e-4);
    cart c;
    reset(&c);
    int last[20] = {0}, sum = 0, episodes = 0, step = 0;
    for (; step < STEPS && sum < 20 * 400 && !situ_failed(); step++) {
        situ_scope *scope = situ_scope_open();
        float values[2];
        situ_read(situ_module_call(net, situ_from_host(c.state, SHAPE(1, 4))), values, sizeof values);
        bool explore = uniform() < fmax(0.02, 1 - step / 3000.0);
        int action = explore ? uniform() < 0.5 : values[1] > values[0], at = step % MEMORY;
        memcpy(memory[at].before, c.state, sizeof c.state);
        bool over = push(&c, action);
        memcpy(memory[at].after, c.state, sizeof c.state);
        memory[at].action = action, memory[at].earned = 0.1f, memory[at].on = fallen(&c) ? 0 : 1;
        if (over) {
            sum += c.steps - last[episodes % 20], last[episodes++ % 20] = c.steps, reset(&c);
            if (episodes % 20 == 0) printf("step %5d: 20 episodes took %.0f on average\n", step, sum / 20.0);
        }
        if (step >= 500) situ_optimizer_step(adam, loss_of(net, slow, step < MEMORY ? step : MEMORY));
        for (int i = 0; i < PARAMETERS && step >= 500; i++) {
            situ_tensor *p = situ_module_parameter(net, i), *q = situ_module_parameter(slow, i);
            situ_assign(q, situ_add(q, situ_mul(situ_sub(p, q), 0.01)));
        }
        situ_scope_close(scope);
    }
    printf("%d steps, %d episodes, the last 20 took %.0f on average\n", step, episodes, sum / 20.0);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_module_free(slow);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
