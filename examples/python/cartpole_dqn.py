"""A pole on a cart learns to stand from single steps that it remembers: a deep Q network (Mnih et al., 2015) with a slow copy.

Each step of the cart asks the network for one row and trains it on 128 remembered ones. Ends when 20 episodes took 400 steps or more on
average."""
import random
from collections import deque

import situ
from cartpole import Cart

nn = situ.nn
STEPS, BATCH = 6000, 128
memory, lengths = deque(maxlen=10000), deque(maxlen=20)


def network():
    return nn.Sequential(nn.Linear(64, inputs=4), nn.ReLU(), nn.Linear(64, inputs=64), nn.ReLU(), nn.Linear(2, inputs=64))


def loss_of(net, slow):
    before, action, earned, on, after = zip(*random.choices(memory, k=BATCH))
    tensor = lambda rows, dtype="float32": situ.reshape(situ.asarray(rows, dtype=dtype), (BATCH, -1))
    aim = tensor(earned) + 0.99 * tensor(on) * situ.max(slow(tensor(after)), axis=1, keepdims=True)
    chosen = situ.take_along_axis(net(tensor(before)), tensor(action, "int32"), axis=1)
    return nn.smooth_l1_loss(chosen, situ.stop_gradient(aim))


random.seed(0)
net, slow, cart = network(), network(), Cart()
adam = situ.optim.Adam(net, lr=5e-4)
pairs = list(zip(net.parameters().values(), slow.parameters().values()))
episodes = 0
for step in range(STEPS):
    before = cart.state
    values = net(situ.asarray([before], dtype="float32")).tolist()[0]
    explore = random.random() < max(0.02, 1 - step / 3000)
    action = random.randint(0, 1) if explore else int(values[1] > values[0])
    over = cart.push(action)
    memory.append((before, action, 0.1, 0.0 if cart.fallen else 1.0, cart.state))
    if over:
        lengths.append(cart.steps)
        episodes += 1
        cart.reset()
        if episodes % 20 == 0:
            print(f"step {step:5d}: 20 episodes took {sum(lengths) / 20:.0f} on average")
    if step >= 500:
        adam.step(loss_of(net, slow))
        for p, q in pairs:
            situ.assign(q, q + 0.01 * (p - q))
    if sum(lengths) >= 20 * 400:
        break
print(f"{step + 1} steps, {episodes} episodes, the last 20 took {sum(lengths) / 20:.0f} on average")
