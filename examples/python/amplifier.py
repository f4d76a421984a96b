"""A guitar amplifier that an LSTM learns by ear (Wright et al., 2019). The amplifier is a formula here: a tube that saturates more on
one side, between two filters. The network hears decaying strings before and behind it."""
import math

import situ
from situ import nn

RATE, LENGTH, ROWS, WIDTH, STEPS = 8000, 128, 256, 24, 150


def strings(seed):
    """Clean sound [ROWS, LENGTH, 1]: a tone and its overtones, which fade."""
    key = situ.random.split(situ.random.key(seed), 3)
    time = situ.arange(LENGTH, dtype="float32") / RATE
    pitch, loud = 82 + 300 * situ.random.uniform(key[0], (ROWS, 1)), 0.2 + situ.random.uniform(key[1], (ROWS, 1))
    phase = 2 * math.pi * (pitch * time + situ.random.uniform(key[2], (ROWS, 1)))
    tone = situ.sin(phase) + situ.sin(2 * phase) / 2 + situ.sin(3 * phase) / 3
    return situ.expand_dims(loud * tone * situ.exp(-30 * time), axis=2)


def amplify(x):
    """A filter, the tube, a filter: each of them a step at a time, from silence on."""
    low, out, y = 0, 0, []
    for t in range(LENGTH):
        low = low + 0.5 * (x[:, t] - low)
        out = out + 0.6 * (situ.tanh(3 * low + 0.3) - math.tanh(0.3) - out)
        y.append(out)
    return situ.stack(y, axis=1)


def missed(said, y):
    """The share of the signal's energy that is missed (Wright et al.)."""
    return situ.sum((said - y) ** 2) / situ.sum(y**2)


def main():
    net = nn.Sequential(nn.LSTM(WIDTH), nn.Linear(1))
    adam = situ.optim.Adam(net, lr=0.01)
    situ.optim.cosine_schedule(adam, STEPS)
    clean = strings(1)
    loud = amplify(clean)
    loader = situ.data.Loader(situ.data.tensor_dataset([clean, loud]), batch=32, shuffle=True)
    while adam.steps < STEPS:
        for x, y in loader:
            adam.step(missed(net(x), y))
    x = strings(2)
    error = float(missed(net(x), amplify(x)))
    print(f"of strings that it never heard {100 * error:.2f} % of the energy is missed")
    assert error < 0.1


main()
