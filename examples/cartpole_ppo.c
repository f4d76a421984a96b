/* A pole on a cart learns to stand: proximal policy optimization (Schulman et al., 2017) in one process, until 100 episodes in a row
 * took 475 steps or more on average. `cartpole_ppo KEY` begins from other weights and other carts. */
#include <math.h>
#include <situ.h>

#include "cartpole.h"

enum { ROUNDS = 100, CARTS = 16, STEPS = 128, ROWS = CARTS * STEPS, BATCH = 256, EPOCHS = 10 };
static cart carts[CARTS];
static float states[STEPS + 1][CARTS][4], values[STEPS + 1][CARTS], logp[STEPS][CARTS], gains[STEPS][CARTS], aims[STEPS][CARTS];
static int32_t actions[STEPS][CARTS], over[STEPS][CARTS];

/* Plays a round in all carts and estimates the advantages; the mean length of the last 100 episodes. The network gives two scores
 * and a value. */
static double play(situ_module *net)
{
    static int last[100], sum, episodes;
    for (int t = 0; t <= STEPS; t++) {
        float out[CARTS][3];
        for (int i = 0; i < CARTS; i++)
            for (int k = 0; k < 4; k++) states[t][i][k] = carts[i].state[k];
        situ_scope *scope = situ_scope_open();
        situ_read(situ_module_call(net, situ_from_host(&states[t][0][0], SHAPE(CARTS, 4))), &out[0][0], sizeof out);
        situ_scope_close(scope);
        for (int i = 0; i < CARTS; i++) {
            values[t][i] = out[i][2];
            if (t == STEPS) continue;
            double right = 1 / (1 + exp(out[i][0] - out[i][1]));
            actions[t][i] = uniform() < right;
            logp[t][i] = (float)log(actions[t][i] ? right : 1 - right);
            if (!(over[t][i] = push(&carts[i], actions[t][i]))) continue;
            sum += carts[i].steps - last[episodes % 100], last[episodes++ % 100] = carts[i].steps, reset(&carts[i]);
        }
    }
    for (int t = STEPS; t-- > 0;) /* each step earns 0.05; discount 0.99, lambda 0.95 */
        for (int i = 0; i < CARTS; i++) {
            float on = over[t][i] ? 0 : 0.99f, later = t + 1 < STEPS ? gains[t + 1][i] : 0;
            gains[t][i] = (aims[t][i] = 0.05f + on * (values[t + 1][i] + 0.95f * later)) - values[t][i];
        }
    return episodes < 100 ? 0 : sum / 100.0;
}

static situ_tensor *loss_of(situ_module *net, situ_tensor *rows)
{
    situ_tensor *out = situ_module_call(net, situ_take(situ_from_host(&states[0][0][0], SHAPE(ROWS, 4)), rows));
    situ_tensor *action = situ_take(situ_from_host(&actions[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *before = situ_take(situ_from_host(&logp[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *gain = situ_take(situ_from_host(&gains[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *aim = situ_take(situ_from_host(&aims[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *all = situ_log_softmax(situ_slice(out, .stop = SHAPE(SITU_FULL, 2)));
    situ_tensor *ratio = situ_exp(situ_sub(situ_gather(all, action), before));
    gain = situ_div(situ_sub(gain, situ_mean(gain)), situ_add(situ_std(gain), 1e-8));
    situ_tensor *policy = situ_mean(situ_minimum(situ_mul(ratio, gain), situ_mul(situ_clip(ratio, 0.8, 1.2), gain)));
    situ_tensor *entropy = situ_negative(situ_mean(situ_sum(situ_mul(situ_exp(all), all), .axes = 1)));
    situ_tensor *miss = situ_mean(situ_square(situ_sub(situ_slice(out, .start = SHAPE(0, 2)), aim)));
    return situ_sub(situ_mul(miss, 0.5), situ_add(policy, situ_mul(entropy, 0.01)));
}

int main(int argc, char **argv)
{
    int key = argc > 1 ? atoi(argv[1]) : 0;
    srand((unsigned)key + 1);
    for (int i = 0; i < CARTS; i++) reset(&carts[i]);
    situ_module *net =
        situ_sequential(situ_linear_layer(64), situ_tanh_layer(), situ_linear_layer(64), situ_tanh_layer(), situ_linear_layer(3));
    situ_module_init(net, situ_key(key));
    situ_optimizer *adam = situ_adam(net, .lr = 1e-3, .clip_norm = 0.5);
    double mean = 0;
    for (int round = 1; round <= ROUNDS && mean < 475 && !situ_failed(); round++) {
        mean = play(net);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *order = situ_permutation(situ_key(round * EPOCHS + epoch), ROWS);
            for (int at = 0; at < ROWS; at += BATCH)
                situ_optimizer_step(adam, loss_of(net, situ_slice(order, .start = SHAPE(at), .stop = SHAPE(at + BATCH))));
            situ_scope_close(scope);
        }
        if (round % 5 == 0 || mean >= 475) printf("after %6d steps: 100 episodes took %.0f on average\n", round * ROWS, mean);
    }
    situ_optimizer_free(adam);
    situ_module_free(net);
    return situ_failed() || !(mean >= 475);
}
