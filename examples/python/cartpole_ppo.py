"""A pole on a cart learns to stand: proximal policy optimization (Schulman et al., 2017) in one process, until 100 episodes in a row
took 475 steps or more on average."""
import math
import random

import situ
from cartpole import Cart

nn = situ.nn
ROUNDS, CARTS, STEPS, BATCH, EPOCHS = 100, 16, 128, 256, 10
ROWS = CARTS * STEPS
carts, lengths = [Cart() for _ in range(CARTS)], []


def play(net):
    """A round in all carts: columns of states, actions, their log probabilities, advantages, aims. The network gives two scores and a value."""
    states, actions, logps, values, over = [], [], [], [], []
    for t in range(STEPS + 1):
        now = [cart.state for cart in carts]
        out = net(situ.asarray(now, dtype="float32")).tolist()
        values.append([o[2] for o in out])
        if t == STEPS:
            break
        right = [1 / (1 + math.exp(o[0] - o[1])) for o in out]
        action = [int(random.random() < p) for p in right]
        states.append(now)
        actions.append(action)
        logps.append([math.log(p if a else 1 - p) for p, a in zip(right, action)])
        over.append([cart.push(a) for cart, a in zip(carts, action)])
        for cart, ended in zip(carts, over[-1]):
            if ended:
                lengths.append(cart.steps)
                cart.reset()
    gains, aims, later = [], [], [0.0] * CARTS
    for t in range(STEPS - 1, -1, -1):  # each step earns 0.05; discount 0.99, lambda 0.95
        on = [0 if o else 0.99 for o in over[t]]
        aim = [0.05 + d * (n + 0.95 * g) for d, n, g in zip(on, values[t + 1], later)]
        later = [a - v for a, v in zip(aim, values[t])]
        gains.insert(0, later)
        aims.insert(0, aim)
    column = lambda rows, dtype="float32": situ.reshape(situ.asarray(rows, dtype=dtype), (ROWS, -1))
    return column(states), column(actions, "int32"), column(logps), column(gains), column(aims)


def loss_of(net, states, action, before, gain, aim):
    out = net(states)
    every = nn.log_softmax(out[:, :2])
    ratio = situ.exp(situ.take_along_axis(every, action, axis=1) - before)
    gain = (gain - situ.mean(gain)) / (situ.std(gain) + 1e-8)
    policy = situ.mean(situ.minimum(ratio * gain, situ.clip(ratio, 0.8, 1.2) * gain))
    entropy = -situ.mean(situ.sum(situ.exp(every) * every, axis=1))
    return 0.5 * situ.mean((out[:, 2:] - aim) ** 2) - policy - 0.01 * entropy


net = nn.Sequential(nn.Linear(64), nn.Tanh(), nn.Linear(64), nn.Tanh(), nn.Linear(3))
adam = situ.optim.Adam(net, lr=1e-3, clip_norm=0.5)
random.seed(0)
mean = 0
for number in range(1, ROUNDS + 1):
    columns = play(net)
    mean = sum(lengths[-100:]) / 100 if len(lengths) >= 100 else 0
    for epoch in range(EPOCHS):
        order = situ.random.permutation(situ.random.key(number * EPOCHS + epoch), ROWS)
        for at in range(0, ROWS, BATCH):
            rows = order[at:at + BATCH]
            adam.step(loss_of(net, *(situ.take(c, rows, axis=0) for c in columns)))
    if number % 5 == 0 or mean >= 475:
        print(f"after {number * ROWS:6d} steps: 100 episodes took {mean:.0f} on average")
    if mean >= 475:
        break
assert mean >= 475
