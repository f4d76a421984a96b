#!/usr/bin/env python3
"""What mixed precision costs a training: digits, LeNet and a small GPT in f32, bf16 and f16, each from the same first weights.

usage: PYTHON bench/precision.py [--epochs N] [--steps N] [--keys N]

PYTHON has situ. Prints held-out accuracies of N keys and their mean, and the GPT's loss over the whole text at the end."""
import argparse
import pathlib
import sys

import situ

nn = situ.nn
GPT_FILE = pathlib.Path(__file__).resolve().parents[1] / "examples/python/gpt.py"


def images(net_of, rate, precision, epochs, key):
    train, held_out = situ.data.digits().split(share=0.2, stratified=True)
    net = net_of()
    net.init(situ.random.key(key))
    adam = situ.optim.Adam(net, lr=rate)
    trainer = situ.train.Trainer(max_epochs=epochs, batch=64, cosine=True, precision=precision, key=key)
    trainer.fit(net, adam, train, held_out)
    return trainer.accuracy, adam.left_out


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(128), nn.ReLU(), nn.Linear(10))


def lenet():
    return nn.Sequential(nn.Function(lambda x: situ.expand_dims(x, axis=1)), nn.Conv2d(6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 5, padding=2), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(120), nn.ReLU(), nn.Linear(84), nn.ReLU(), nn.Linear(10))


def gpt(precision, steps, key):
    before = sys.argv
    sys.argv = [str(GPT_FILE), "/dev/null", "0"]
    source = GPT_FILE.read_text().replace("\n\nmain()\n", "\n")
    made = {"__name__": "gpt"}
    exec(compile(source, str(GPT_FILE), "exec"), made)  # the model of the example, without its program
    sys.argv = before
    numbers = situ.asarray([ord(c) & 127 for c in made["VERSE"]], dtype="int32")
    windows = situ.data.window_dataset(numbers, 64, stride=1)
    loader = situ.data.Loader(windows, batch=8, shuffle=True, drop_last=True, key=key)
    net = made["GPT"]()
    net.init(situ.random.key(key))
    adam = situ.optim.AdamW(net, lr=3e-3, clip_norm=1)
    situ.optim.cosine_schedule(adam, steps)
    if precision == "float16":
        adam.set_loss_scale()
    done = 0
    while done < steps:
        for letters, following in loader:
            with situ.precision(precision):
                loss = nn.cross_entropy(net(letters), following)
            adam.step(loss)
            done += 1
            if done == steps:
                break
    net.eval()
    total = [float(nn.cross_entropy(net(letters), following)) for letters, following in situ.data.Loader(windows, batch=32)]
    return sum(total) / len(total), adam.left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--keys", type=int, default=3)
    o = parser.parse_args()
    works = {"digits": lambda p, k: images(mlp, 0.01, p, o.epochs, k), "lenet": lambda p, k: images(lenet, 4e-3, p, o.epochs, k), "gpt": lambda p, k: gpt(p, o.steps, k)}
    for name, work in works.items():
        for precision in ("float32", "bfloat16", "float16"):
            results = [work(precision, k) for k in range(o.keys)]
            print(f"{name:7s} {precision:9s} mean {sum(r[0] for r in results) / o.keys:.4f}  " + " ".join(f"{r[0]:.4f}" for r in results) + f"  left out {sum(r[1] for r in results)}", flush=True)


main()
