#!/usr/bin/env python3
"""The works of bench/vision.c in PyTorch, for bench/compare: vision.py torch|torch-compile resnet18|vit|dqn [seconds]"""
import math
import random
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

FRAMEWORK, WORK, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 3.0
if FRAMEWORK not in ("torch", "torch-compile"):
    sys.exit(f"{FRAMEWORK} {WORK} n/a")


def compiled(function):
    return torch.compile(function) if FRAMEWORK == "torch-compile" else function


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.c2, self.b2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        alike = stride == 1 and i == o
        self.short = nn.Identity() if alike else nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        return F.relu(self.b2(self.c2(F.relu(self.b1(self.c1(x))))) + self.short(x))


def resnet18():
    layers, i = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()], 64
    for o in (64, 128, 256, 512):
        for k in range(2):
            layers.append(Block(i, o, 2 if k == 0 and o > 64 else 1))
            i = o
    net = nn.Sequential(*layers, nn.AvgPool2d(4), nn.Flatten(), nn.Linear(512, 10))
    return net, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)


class ViT(nn.Module):
    def __init__(self, width=192, heads=3, depth=6, places=64):
        super().__init__()
        self.patches, self.places = nn.Conv2d(3, width, 4, 4), nn.Parameter(0.02 * torch.randn(places, width))
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation=lambda x: F.gelu(x, approximate="tanh"),
                                                               batch_first=True, norm_first=True) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(1))


def vit():
    net = ViT()
    return net, torch.optim.AdamW(net.parameters(), lr=1e-3)


def training(net, optimizer):
    x, y = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
    loss_of = compiled(lambda: F.cross_entropy(net(x), y))

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def push(s, right):
    x, v, angle, w = s
    c, sine = math.cos(angle), math.sin(angle)
    pull = ((10 if right else -10) + 0.05 * w * w * sine) / 1.1
    turn = (9.8 * sine - c * pull) / (0.5 * (4 / 3 - 0.1 * c * c / 1.1))
    return [x + 0.02 * v, v + 0.02 * (pull - 0.05 * turn * c / 1.1), angle + 0.02 * w, w + 0.02 * turn]


def dqn(most=10000, batch=128):
    """The memory lies in tensors, so that a batch is five calls; the slow copy moves by one call for all of its tensors."""
    torch.set_num_threads(1)  # faster than two for networks of this size

    def network():
        return nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    net, slow = network(), network()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4, foreach=True)
    before, after, action = torch.zeros(most, 4), torch.zeros(most, 4), torch.zeros(most, 1, dtype=torch.int64)
    earned, on = torch.full((most, 1), 0.1), torch.ones(most, 1)
    fast_ones, slow_ones = list(net.parameters()), list(slow.parameters())

    def fresh():
        return [random.uniform(-0.05, 0.05) for _ in range(4)], 0

    cart = [*fresh(), 0]

    def remember(k, a):
        before[k], action[k] = torch.tensor(cart[0]), a
        cart[0], cart[1] = push(cart[0], a), cart[1] + 1
        down = abs(cart[0][0]) > 2.4 or abs(cart[0][2]) > 0.2095
        after[k], on[k] = torch.tensor(cart[0]), 0.0 if down else 1.0
        if down or cart[1] == 500:
            cart[0], cart[1] = fresh()

    def loss_of(b, a, e, o, n):
        with torch.no_grad():
            aim = e + 0.99 * o * slow(n).max(1, keepdim=True)[0]
        return F.smooth_l1_loss(net(b).gather(1, a), aim)

    best, loss_of = compiled(lambda x: net(x).argmax()), compiled(loss_of)

    def step():
        with torch.no_grad():
            a = int(best(torch.tensor([cart[0]])))
        if random.random() < 0.1:
            a = random.randint(0, 1)
        remember(cart[2] % most, a)
        cart[2] += 1
        r = torch.randint(0, most, (batch,))
        loss = loss_of(before[r], action[r], earned[r], on[r], after[r])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(slow_ones, fast_ones, 0.01)

    for k in range(most):
        remember(k, random.randint(0, 1))
    return step


def main():
    torch.manual_seed(0)
    step = dqn() if WORK == "dqn" else training(*{"resnet18": resnet18, "vit": vit}[WORK]())
    for _ in range(2):
        step()
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(f"{FRAMEWORK:12s} {WORK:14s} median {statistics.median(times):.6g} min {min(times):.6g} runs {len(times)}", flush=True)


main()
