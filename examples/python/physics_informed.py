"""A network that obeys an equation: -u'' = pi^2 sin(pi x) with u(0) = u(1) = 0, whose solution is sin(pi x).

No value of u is given anywhere: the loss is how far the network's second derivative is from the equation (Raissi, Perdikaris and
Karniadakis, 2019). It is differentiated once more by the parameters."""
import math

import situ

nn = situ.nn
net = nn.Sequential(nn.Linear(32), nn.Tanh(), nn.Linear(32), nn.Tanh(), nn.Linear(1))


def u(x):
    """0 at both ends, whatever the network gives."""
    return x * (1 - x) * net(x)


def slope(f):
    """The derivative of f, for points [n, 1]: each one's value depends on that point alone."""
    return situ.grad(lambda x: situ.sum(f(x)))


adam = situ.optim.Adam(net, lr=3e-3)
for step in range(1, 1501):
    x = situ.random.uniform(situ.random.key(step), (64, 1))
    loss = situ.mean((slope(slope(u))(x) + math.pi**2 * situ.sin(math.pi * x)) ** 2)
    if step % 500 == 0:
        print(f"step {step:4d}: loss {float(loss):.2e}")
    adam.step(loss)
    if step % 500 == 0:
        adam.lr = adam.lr / 5
x = situ.reshape(situ.linspace(0, 1, 101), (-1, 1))
worst = float(situ.max(situ.abs(u(x) - situ.sin(math.pi * x))))
print(f"largest error: {worst:.1e}")
assert worst < 0.01
