/* A planar quadrotor learns to fly to a point and to hover there: proximal policy optimization (Schulman et al., 2017) with a normal
 * distribution over the two thrusts. */
#include <math.h>
#include <situ.h>

#include "quadrotor.h"

enum { ROUNDS = 60, CRAFTS = 32, STEPS = 64, ROWS = CRAFTS * STEPS, BATCH = 256, EPOCHS = 8 };
static craft crafts[CRAFTS];
static float states[STEPS + 1][CRAFTS][SEEN], values[STEPS + 1][CRAFTS], thrusts[STEPS][CRAFTS][2], logp[STEPS][CRAFTS];
static float gains[STEPS][CRAFTS], aims[STEPS][CRAFTS];

/* A round of all crafts, and the advantages (discount 0.98, lambda 0.95); what an episode that ended in it earned on average. */
static double play(situ_module *net)
{
    static int over[STEPS][CRAFTS];
    double sum = 0;
    int episodes = 0;
    for (int t = 0; t <= STEPS; t++) {
        float out[CRAFTS][3], reward;
        for (int i = 0; i < CRAFTS; i++)
            for (int k = 0; k < SEEN; k++) states[t][i][k] = crafts[i].s[k];
        situ_scope *scope = situ_scope_open();
        situ_read(situ_module_call(net, situ_from_host(&states[t][0][0], SHAPE(CRAFTS, SEEN))), &out[0][0], sizeof out);
        situ_scope_close(scope);
        for (int i = 0; i < CRAFTS; i++) {
            values[t][i] = out[i][2];
            if (t == STEPS) continue;
            float noise[2] = {normal(), normal()};
            for (int k = 0; k < 2; k++) thrusts[t][i][k] = out[i][k] + 0.3f * noise[k];
            logp[t][i] = -0.5f * (noise[0] * noise[0] + noise[1] * noise[1]); /* without a constant, which the ratio does not have */
            over[t][i] = fly(&crafts[i], thrusts[t][i], &reward);
            aims[t][i] = reward;
            if (over[t][i]) sum += crafts[i].earned, episodes++, reset(&crafts[i]);
        }
    }
    for (int t = STEPS; t-- > 0;)
        for (int i = 0; i < CRAFTS; i++) { /* an episode that ran out of time would have gone on as it was */
            float next = over[t][i] == 1 ? 0 : over[t][i] ? values[t][i] : values[t + 1][i];
            float later = over[t][i] || t + 1 == STEPS ? 0 : 0.98f * 0.95f * gains[t + 1][i];
            gains[t][i] = aims[t][i] + 0.98f * next - values[t][i] + later;
            aims[t][i] = gains[t][i] + values[t][i];
        }
    return episodes ? sum / episodes : NAN;
}

static situ_tensor *loss_of(situ_module *net, situ_tensor *rows)
{
    situ_tensor *out = situ_module_call(net, situ_take(situ_from_host(&states[0][0][0], SHAPE(ROWS, SEEN)), rows));
    situ_tensor *mean = situ_slice(out, .stop = SHAPE(SITU_FULL, 2)), *value = situ_slice(out, .start = SHAPE(0, 2));
    situ_tensor *thrust = situ_take(situ_from_host(&thrusts[0][0][0], SHAPE(ROWS, 2)), rows);
    situ_tensor *before = situ_take(situ_from_host(&logp[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *gain = situ_take(situ_from_host(&gains[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *aim = situ_take(situ_from_host(&aims[0][0], SHAPE(ROWS, 1)), rows);
    situ_tensor *apart = situ_div(situ_sub(thrust, mean), 0.3);
    situ_tensor *now = situ_mul(situ_sum(situ_square(apart), .axes = 1, .keepdims = true), -0.5);
    situ_tensor *ratio = situ_exp(situ_sub(now, before));
    gain = situ_div(situ_sub(gain, situ_mean(gain)), situ_add(situ_std(gain), 1e-8));
    situ_tensor *policy = situ_mean(situ_minimum(situ_mul(ratio, gain), situ_mul(situ_clip(ratio, 0.8, 1.2), gain)));
    return situ_sub(situ_mul(situ_mean(situ_square(situ_sub(value, aim))), 0.5), policy);
}

int main(void)
{
    for (int i = 0; i < CRAFTS; i++) reset(&crafts[i]);
    situ_module *net =
        situ_sequential(situ_linear_layer(64), situ_tanh_layer(), situ_linear_layer(64), situ_tanh_layer(), situ_linear_layer(3));
    situ_optimizer *adam = situ_adam(net, .lr = 1e-3, .clip_norm = 0.5);
    double mean = 0, first = NAN;
    for (int round = 1; round <= ROUNDS && !situ_failed(); round++) {
        double earned = play(net);
        if (!isnan(earned)) mean = round < 10 ? earned : 0.8 * mean + 0.2 * earned;
        if (isnan(first)) first = earned;
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *order = situ_permutation(situ_key(round * EPOCHS + epoch), ROWS);
            for (int at = 0; at < ROWS; at += BATCH)
                situ_optimizer_step(adam, loss_of(net, situ_slice(order, .start = SHAPE(at), .stop = SHAPE(at + BATCH))));
            situ_scope_close(scope);
        }
        if (round % 10 == 0) printf("after %6d steps: an episode earns %.1f, at first %.1f\n", round * ROWS, mean, first);
    }
    situ_optimizer_free(adam);
    situ_module_free(net);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(mean > 10);
}
