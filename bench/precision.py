#!/usr/bin/env python3
"""What fewer bits cost: digits, LeNet and a small GPT trained in f32, bf16 and f16, each from the same first weights; and what those of
f32 lose when their linear layers are quantised to 8 bits.

usage: PYTHON bench/precision.py [digits] [lenet] [gpt] [--epochs N] [--steps N] [--keys N] [--text FILE] [--mnist FOLDER]

PYTHON has situ. Prints held-out accuracies of N keys and their mean, and the GPT's nats a letter at the end: of the whole verse, or of the
last twentieth of a file, of which it learns the rest. FOLDER has IDX files; each of their images is held out once in five trainings."""
import argparse
import pathlib
import sys

import situ

nn = situ.nn
GPT_FILE = pathlib.Path(__file__).resolve().parents[1] / "examples/python/gpt.py"


def images(net_of, rate, precision, epochs, key, sets=None):
    """Held-out accuracy, steps that were left out, and accuracy in 8 bits."""
    train, held_out = sets or situ.data.digits().split(share=0.2, stratified=True)
    net = net_of()
    net.init(situ.random.key(key))
    adam = situ.optim.Adam(net, lr=rate)
    trainer = situ.train.Trainer(max_epochs=epochs, batch=64, cosine=True, precision=precision, key=key)
    trainer.fit(net, adam, train, held_out)
    return trainer.accuracy, adam.left_out, trainer.evaluate(net.quantise(), held_out)


def mnist(folder, epochs):
    """Accuracy in f32 and in 8 bits over images that the network has not seen."""
    folds = situ.data.idx_folder(folder).folds(5, stratified=True)
    done = [images(mlp, 2e-3, "float32", epochs, key, fold) for key, fold in enumerate(folds)]
    return [sum(row[i] for row in done) / len(done) for i in (0, 2)]


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(128), nn.ReLU(), nn.Linear(10))


def lenet():
    return nn.Sequential(nn.Function(lambda x: situ.expand_dims(x, axis=1)), nn.Conv2d(6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 5, padding=2), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(120), nn.ReLU(), nn.Linear(84), nn.ReLU(), nn.Linear(10))


def gpt(precision, steps, key, text):
    before = sys.argv
    sys.argv = [str(GPT_FILE), "/dev/null", "0"]
    source = GPT_FILE.read_text().replace("\n\nmain()\n", "\n")
    made = {"__name__": "gpt"}
    exec(compile(source, str(GPT_FILE), "exec"), made)  # the model of the example, without its program
    sys.argv = before
    numbers = situ.asarray([ord(c) & 127 for c in text or made["VERSE"]], dtype="int32")
    last = numbers.shape[0] * 19 // 20 if text else numbers.shape[0]
    windows = situ.data.window_dataset(numbers[:last], 64, stride=1)
    measured = situ.data.window_dataset(numbers[last:], 64, stride=64) if text else windows
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
    return nats(net, measured), adam.left_out, nats(net.quantise(), measured)


def nats(net, windows):
    total = [float(nn.cross_entropy(net(letters), following)) for letters, following in situ.data.Loader(windows, batch=32, drop_last=True)]
    return sum(total) / len(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", nargs="*", help="digits, lenet, gpt; none: all")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--keys", type=int, default=3)
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("--mnist")
    o = parser.parse_args()
    text = o.text.read_text() if o.text else None
    works = {"digits": lambda p, k: images(mlp, 0.01, p, o.epochs, k), "lenet": lambda p, k: images(lenet, 4e-3, p, o.epochs, k),
             "gpt": lambda p, k: gpt(p, o.steps, k, text)}
    for name, work in works.items():
        if o.work and name not in o.work:
            continue
        for precision in ("float32", "bfloat16", "float16"):
            results = [work(precision, k) for k in range(o.keys)]
            row(name, precision, [r[0] for r in results], f"  left out {sum(r[1] for r in results)}")
            if precision == "float32":
                row(name, "8 bits", [r[2] for r in results])
    if o.mnist:
        print("mnist   float32 {:.4f}  8 bits {:.4f}".format(*mnist(o.mnist, o.epochs)))


def row(name, what, values, more=""):
    print(f"{name:7s} {what:9s} mean {sum(values) / len(values):.4f}  " + " ".join(f"{v:.4f}" for v in values) + more, flush=True)


main()
