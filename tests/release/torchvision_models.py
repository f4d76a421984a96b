#!/usr/bin/env python3
"""Weights that PyTorch wrote (safetensors) in the same architectures here: state dicts of torchvision's classifiers load by their names, all
of them, and the logits agree. The weights are drawn by a seed. Needs situ, PyTorch, torchvision and safetensors."""
import os
import sys
import tempfile

import numpy as np
import situ
from situ import nn

try:
    import torch
    import torchvision
    from safetensors.torch import save_file
except ImportError as missing:
    print(f"SKIP torchvision's models: {missing}")
    sys.exit()


class Named(nn.Module):
    """Parts by name, called one after the other or as `run` says."""

    def __init__(self, parts, run=None):
        for name, part in parts.items():
            setattr(self, name, part)
        self._order, self._run = list(parts), run

    def forward(self, x):
        if self._run:
            return self._run(self, x)
        for name in self._order:
            x = getattr(self, name)(x)
        return x


def conv(out, size, stride=1, padding=0, groups=1, bias=False):
    return nn.Conv2d(out, size, stride=stride, padding=padding, groups=groups, bias=bias)


def pool(size, stride, padding=0):
    return nn.Function(lambda x: nn.max_pool2d(x, size, stride=stride, padding=padding))


def mean():
    return nn.Function(lambda x: situ.mean(x, axis=(2, 3)))


def none():
    return nn.Function(lambda x: x)


def classifier(*widths):
    parts = []
    for width in widths[:-1]:
        parts += [nn.Linear(width), nn.ReLU(), none()]
    return nn.Sequential(*parts, nn.Linear(widths[-1]))


def alexnet():
    features = nn.Sequential(conv(64, 11, 4, 2, bias=True), nn.ReLU(), pool(3, 2), conv(192, 5, 1, 2, bias=True), nn.ReLU(), pool(3, 2),
                             conv(384, 3, 1, 1, bias=True), nn.ReLU(), conv(256, 3, 1, 1, bias=True), nn.ReLU(), conv(256, 3, 1, 1, bias=True), nn.ReLU(),
                             pool(3, 2))
    tail = nn.Sequential(none(), nn.Linear(4096), nn.ReLU(), none(), nn.Linear(4096), nn.ReLU(), nn.Linear(10))
    return Named({"features": features, "flat": nn.Flatten(), "classifier": tail})


def vgg(plan, norm=False):
    parts = []
    for width in plan:
        parts += [pool(2, 2)] if width == 0 else [conv(width, 3, 1, 1, bias=True), *([nn.BatchNorm()] if norm else []), nn.ReLU()]
    return Named({"features": nn.Sequential(*parts), "flat": nn.Flatten(), "classifier": classifier(4096, 4096, 10)})


VGG11 = (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0)
VGG13 = (64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0)


def block(width, stride, down, deep, out, groups):
    def run(m, x):
        y = nn.relu(m.bn1(m.conv1(x)))
        y = m.bn2(m.conv2(y))
        if deep:
            y = m.bn3(m.conv3(nn.relu(y)))
        return nn.relu(y + (m.downsample(x) if down else x))

    parts = {"conv1": conv(width, 1) if deep else conv(width, 3, stride, 1), "bn1": nn.BatchNorm(),
             "conv2": conv(width, 3, stride if deep else 1, 1, groups), "bn2": nn.BatchNorm()}
    if deep:
        parts |= {"conv3": conv(out, 1), "bn3": nn.BatchNorm()}
    if down:
        parts["downsample"] = nn.Sequential(conv(out, 1, stride), nn.BatchNorm())
    return Named(parts, run)


def resnet(counts, deep=False, groups=1, base=64):
    parts = {"conv1": conv(64, 7, 2, 3), "bn1": nn.BatchNorm(), "relu": nn.ReLU(), "maxpool": pool(3, 2, 1)}
    for i, count in enumerate(counts):
        planes = 64 * 2 ** i
        width, out = (planes * base // 64 * groups, 4 * planes) if deep else (planes, planes)
        parts[f"layer{i + 1}"] = nn.Sequential(*[
            block(width, 2 if i and not k else 1, not k and (deep or i > 0), deep, out, groups) for k in range(count)])
    return Named(parts | {"mean": mean(), "fc": nn.Linear(10)})


def fire(squeeze, expand):
    def run(m, x):
        x = nn.relu(m.squeeze(x))
        return situ.concat((nn.relu(m.expand1x1(x)), nn.relu(m.expand3x3(x))), axis=1)

    return Named({"squeeze": conv(squeeze, 1, bias=True), "expand1x1": conv(expand, 1, bias=True), "expand3x3": conv(expand, 3, 1, 1, bias=True)}, run)


def squeezenet():
    features = nn.Sequential(conv(64, 3, 2, bias=True), nn.ReLU(), pool(3, 2), fire(16, 64), fire(16, 64), pool(3, 2), fire(32, 128), fire(32, 128),
                             pool(3, 2), fire(48, 192), fire(48, 192), fire(64, 256), fire(64, 256))
    return Named({"features": features, "classifier": nn.Sequential(none(), conv(10, 1, bias=True), nn.ReLU(), mean())})


def dense_layer():
    def run(m, x):
        y = m.conv2(nn.relu(m.norm2(m.conv1(nn.relu(m.norm1(x))))))
        return situ.concat((x, y), axis=1)

    return Named({"norm1": nn.BatchNorm(), "conv1": conv(128, 1), "norm2": nn.BatchNorm(), "conv2": conv(32, 3, 1, 1)}, run)


def densenet121():
    parts, width = {"conv0": conv(64, 7, 2, 3), "norm0": nn.BatchNorm(), "relu0": nn.ReLU(), "pool0": pool(3, 2, 1)}, 64
    for i, count in enumerate((6, 12, 24, 16)):
        parts[f"denseblock{i + 1}"] = Named({f"denselayer{k + 1}": dense_layer() for k in range(count)})
        width += 32 * count
        if i < 3:
            width //= 2
            parts[f"transition{i + 1}"] = Named({"norm": nn.BatchNorm(), "relu": nn.ReLU(), "conv": conv(width, 1), "pool": nn.Function(lambda x: nn.avg_pool2d(x, 2))})
    return Named({"features": Named(parts | {"norm5": nn.BatchNorm()}), "relu": nn.ReLU(), "mean": mean(), "classifier": nn.Linear(10)})


def relu6():
    return nn.Function(lambda x: situ.clip(x, 0, 6))


def mobilenet_v2():
    def step(out, size=1, stride=1, groups=1):
        return nn.Sequential(conv(out, size, stride, size // 2, groups), nn.BatchNorm(), relu6())

    def inverted(width, out, stride, expand):
        hidden = width * expand
        parts = [step(hidden)] if expand > 1 else []
        parts = nn.Sequential(*parts, step(hidden, 3, stride, hidden), conv(out, 1), nn.BatchNorm())
        return Named({"conv": parts}, (lambda m, x: x + m.conv(x)) if stride == 1 and width == out else None)

    parts, width = [step(32, 3, 2)], 32
    for expand, out, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for k in range(count):
            parts.append(inverted(width, out, 1 if k else stride, expand))
            width = out
    return Named({"features": nn.Sequential(*parts, step(1280)), "mean": mean(), "classifier": nn.Sequential(none(), nn.Linear(10))})


MODELS = {
    "alexnet": alexnet, "vgg11": lambda: vgg(VGG11), "vgg11_bn": lambda: vgg(VGG11, True), "vgg13": lambda: vgg(VGG13),
    "resnet18": lambda: resnet((2, 2, 2, 2)), "resnet34": lambda: resnet((3, 4, 6, 3)), "resnet50": lambda: resnet((3, 4, 6, 3), True),
    "resnext50_32x4d": lambda: resnet((3, 4, 6, 3), True, 32, 4), "wide_resnet50_2": lambda: resnet((3, 4, 6, 3), True, 1, 128),
    "squeezenet1_1": squeezenet, "densenet121": densenet121, "mobilenet_v2": mobilenet_v2,
}


def main():
    path, failed = os.path.join(tempfile.mkdtemp(), "weights.safetensors"), 0
    for name, make in MODELS.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        torch.manual_seed(0)
        theirs = getattr(torchvision.models, name)(weights=None, num_classes=10).eval()
        for key, value in theirs.state_dict().items():
            if key.endswith("running_mean"):
                value.normal_(0, 0.1)
            if key.endswith("running_var"):
                value.uniform_(0.5, 1.5)
        x = torch.randn(2, 3, 224, 224)
        save_file(theirs.state_dict(), path)
        ours = make().load(path)
        ours.eval()
        with torch.no_grad():
            want = theirs(x).numpy()
        got = np.asarray(ours(situ.asarray(x.numpy())))
        error = float(np.abs(got - want).max() / np.abs(want).max())
        failed += not error < 1e-4
        print(f"{'PASS' if error < 1e-4 else 'FAIL'} torchvision {name}: {len(ours.parameters())} parameters by name, logits within {error:.1e}", flush=True)
    os.unlink(path)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
