"""Two networks that play against each other (Goodfellow et al., 2014): one makes points, the other tells them from points on a ring."""
import math

import situ

nn, random = situ.nn, situ.random
BATCH = 128


def network(out):
    return nn.Sequential(nn.Linear(64), nn.ReLU(), nn.Linear(64), nn.ReLU(), nn.Linear(out))


def says_true(judge, points):
    return situ.mean(nn.softplus(-judge(points)))


def ring(step):
    angle = random.uniform(random.key(3 * step), (BATCH, 1)) * 2 * math.pi
    return situ.concat([situ.cos(angle), situ.sin(angle)], axis=1)


maker, judge = network(2), network(1)
of_maker, of_judge = situ.optim.Adam(maker, lr=1e-3, beta1=0.5), situ.optim.Adam(judge, lr=1e-3, beta1=0.5)
for step in range(1, 2001):
    noise = random.normal(random.key(3 * step + 1), (BATCH, 4))
    made = situ.stop_gradient(maker(noise))  # the judge's step is not the maker's
    of_judge.step(says_true(judge, ring(step)) + situ.mean(nn.softplus(judge(made))))
    points = maker(noise)
    of_maker.step(says_true(judge, points))  # computed after the judge's step: with its new parameters
    if step % 500 == 0:
        far = situ.sqrt(situ.sum(points**2, axis=1))
        radius = float(situ.mean(far))
        print(f"step {step:4d}: points lie at {radius:.2f} +- {float(situ.std(far)):.2f} from the centre")
assert abs(radius - 1) < 0.2
