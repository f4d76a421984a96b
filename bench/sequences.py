#!/usr/bin/env python3
"""A peer for bench/compare: PyTorch on the recurrent rows. usage: sequences.py torch|torch-compile WORK [SECONDS]

lstm, gru: a training step of two layers of 256 units on 32 x 64 letters of 64, cross entropy, Adam, the loss read at the end.
lstmletter, gruletter: the same network's answer to one letter of one row, read.
table, tablesgd: a step of 4,096 of 10^6 rows of 32 with sparse gradients, by SparseAdam and SGD."""
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

FRAMEWORK, WORK = sys.argv[1:3]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 3.0


class Letters(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.embedding, self.layer, self.head = nn.Embedding(64, 64), layer(64, 256, 2, batch_first=True), nn.Linear(256, 64)

    def forward(self, x):
        return self.head(self.layer(self.embedding(x))[0]).flatten(0, 1)


def table():
    net, x = nn.Embedding(1000000, 32, sparse=True), torch.randint(0, 1000000, (4096,))
    optimizer = torch.optim.SGD(net.parameters(), 0.1) if WORK == "tablesgd" else torch.optim.SparseAdam(net.parameters())

    def train():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()
    return train


def work():
    if WORK.startswith("table"):
        return table()
    compiled = torch.compile if FRAMEWORK == "torch-compile" else (lambda f: f)
    layer = {"lstm": nn.LSTM, "gru": nn.GRU}[WORK.removesuffix("letter")]
    net = Letters(layer)
    if WORK.endswith("letter"):
        x, answer = torch.randint(0, 64, (1, 1)), compiled(lambda x: net(x).argmax(-1))
        net.eval()

        def infer():
            with torch.inference_mode():
                return answer(x).item()
        return infer
    x, y = torch.randint(0, 64, (32, 64)), torch.randint(0, 64, (32 * 64,))
    adam, loss_of = torch.optim.Adam(net.parameters(), 1e-3), compiled(lambda x, y: functional.cross_entropy(net(x), y))

    def train():
        adam.zero_grad(set_to_none=True)
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        return loss.item()
    return train


def main():
    if FRAMEWORK not in ("torch", "torch-compile") or WORK not in ("lstm", "gru", "lstmletter", "gruletter", "table", "tablesgd"):
        return print(FRAMEWORK, WORK, "n/a")
    torch.manual_seed(0)
    f = work()
    f(), f()
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    print(f"{FRAMEWORK:12s} {WORK:14s} median {statistics.median(times):.6g} min {min(times):.6g} runs {len(times)}", flush=True)


main()
