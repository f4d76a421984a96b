"""A planar quadrotor learns to fly to a point and to hover there: proximal policy optimization (Schulman et al., 2017) with a normal
distribution over the two thrusts."""
import random

import situ
from quadrotor import Craft

nn = situ.nn
ROUNDS, CRAFTS, STEPS, BATCH, EPOCHS = 60, 32, 64, 256, 8
ROWS = CRAFTS * STEPS
random.seed(0)
crafts = [Craft() for _ in range(CRAFTS)]


def play(net):
    """A round of all crafts: columns of states, thrusts, their log probabilities, advantages (discount 0.98, lambda 0.95), aims; and what
    an episode that ended in it earned on average."""
    states, thrusts, logps, values, rewards, over, ended = [], [], [], [], [], [], []
    for t in range(STEPS + 1):
        now = [c.state for c in crafts]
        out = net(situ.asarray(now, dtype="float32")).tolist()
        values.append([o[2] for o in out])
        if t == STEPS:
            break
        noise = [(random.gauss(0, 1), random.gauss(0, 1)) for _ in out]
        states.append(now)
        thrusts.append([[o[k] + 0.3 * n[k] for k in range(2)] for o, n in zip(out, noise)])
        logps.append([-0.5 * (a * a + b * b) for a, b in noise])  # without a constant, which the ratio does not have
        steps = [c.fly(thrust) for c, thrust in zip(crafts, thrusts[-1])]
        rewards.append([reward for reward, _ in steps])
        over.append([o for _, o in steps])
        for c, o in zip(crafts, over[-1]):
            if o:
                ended.append(c.earned)
                c.reset()
    gains, aims, later = [], [], [0.0] * CRAFTS
    for t in range(STEPS - 1, -1, -1):  # an episode that ran out of time would have gone on as it was
        after = [0 if o == 1 else v if o else n for o, v, n in zip(over[t], values[t], values[t + 1])]
        later = [r + 0.98 * n - v + (0 if o else 0.98 * 0.95 * g) for r, n, v, o, g in zip(rewards[t], after, values[t], over[t], later)]
        gains.insert(0, later)
        aims.insert(0, [g + v for g, v in zip(later, values[t])])
    column = lambda rows: situ.reshape(situ.asarray(rows, dtype="float32"), (ROWS, -1))
    return [column(c) for c in (states, thrusts, logps, gains, aims)], sum(ended) / len(ended) if ended else None


def loss_of(net, states, thrust, before, gain, aim):
    out = net(states)
    now = -0.5 * situ.sum(((thrust - out[:, :2]) / 0.3) ** 2, axis=1, keepdims=True)
    ratio = situ.exp(now - before)
    gain = (gain - situ.mean(gain)) / (situ.std(gain) + 1e-8)
    policy = situ.mean(situ.minimum(ratio * gain, situ.clip(ratio, 0.8, 1.2) * gain))
    return 0.5 * situ.mean((out[:, 2:] - aim) ** 2) - policy


net = nn.Sequential(nn.Linear(64), nn.Tanh(), nn.Linear(64), nn.Tanh(), nn.Linear(3))
adam = situ.optim.Adam(net, lr=1e-3, clip_norm=0.5)
mean = first = None
for number in range(1, ROUNDS + 1):
    columns, earned = play(net)
    if earned is not None:
        first = earned if first is None else first
        mean = earned if number < 10 else 0.8 * mean + 0.2 * earned
    for epoch in range(EPOCHS):
        order = situ.random.permutation(situ.random.key(number * EPOCHS + epoch), ROWS)
        for at in range(0, ROWS, BATCH):
            rows = order[at:at + BATCH]
            adam.step(loss_of(net, *(situ.take(c, rows, axis=0) for c in columns)))
    if number % 10 == 0:
        print(f"after {number * ROWS:6d} steps: an episode earns {mean:.1f}, at first {first:.1f}")
assert mean > 10
