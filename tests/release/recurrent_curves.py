#!/usr/bin/env python3
"""Character models beside PyTorch's, curve on curve: from the same weights and batches the perplexities of a GRU and
an LSTM network stay within 1 % of each other, for keys 0 to 2. usage: recurrent_curves.py TEXT [STEPS]; needs situ, NumPy and PyTorch."""
import sys

import numpy as np
import situ
from situ import nn

try:
    import torch
    from torch.nn import functional
except ImportError:
    print("SKIP recurrent curves: no PyTorch")
    sys.exit()

WIDTH, BATCH, LENGTH, WINDOW, RATE = 128, 16, 32, 20, 2e-3
KINDS = {"gru": (nn.GRU, torch.nn.GRU), "lstm": (nn.LSTM, torch.nn.LSTM)}


def ours_of(kind, key, letters):
    net = nn.Sequential(nn.Embedding(letters, 32), KINDS[kind][0](WIDTH, layers=2), nn.Linear(letters)).init(situ.random.key(key))
    net(situ.zeros((BATCH, LENGTH), dtype="int32"))
    return net


def theirs_of(kind, ours, letters):
    parts = [torch.nn.Embedding(letters, 32), KINDS[kind][1](32, WIDTH, 2, batch_first=True), torch.nn.Linear(WIDTH, letters)]
    net = torch.nn.ModuleList(parts)
    net.load_state_dict({name: torch.from_numpy(np.array(v)) for name, v in ours.parameters().items()})
    return net


def curves(kind, key, text, steps):
    """Losses of both, [steps, 2]."""
    letters = int(text.max()) + 1
    ours = ours_of(kind, key, letters)
    theirs = theirs_of(kind, ours, letters)
    adam, their_adam = situ.optim.Adam(ours, lr=RATE), torch.optim.Adam(theirs.parameters(), RATE)
    rng, losses = np.random.default_rng(key), []
    for _ in range(steps):
        first = rng.integers(0, len(text) - LENGTH - 1, (BATCH, 1)) + np.arange(LENGTH)
        x, y = text[first], text[first + 1]
        loss = nn.cross_entropy(ours(situ.asarray(x)), situ.asarray(y))
        adam.step(loss)
        their_adam.zero_grad()
        table, layer, scores = theirs
        said = scores(layer(table(torch.from_numpy(x)))[0])
        their_loss = functional.cross_entropy(said.flatten(0, 1), torch.from_numpy(y).flatten())
        their_loss.backward()
        their_adam.step()
        losses.append((float(loss), their_loss.item()))
    return np.array(losses)


def main():
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    with open(sys.argv[1], encoding="utf-8") as file:
        characters = file.read()
    vocabulary = {c: i for i, c in enumerate(sorted(set(characters)))}
    text = np.array([vocabulary[c] for c in characters])
    for kind in KINDS:
        for key in range(3):
            mean = curves(kind, key, text, steps // WINDOW * WINDOW).reshape(-1, WINDOW, 2).mean(1)
            perplexity = np.exp(mean)
            apart = float(np.abs(perplexity[:, 0] / perplexity[:, 1] - 1).max())
            said = f"perplexity {perplexity[-1, 0]:.3f} beside {perplexity[-1, 1]:.3f}, at most {100 * apart:.4f} % apart"
            print("PASS" if apart < 0.01 else "FAIL", f"recurrent curves: {kind}, key {key}: {said}", flush=True)


main()
