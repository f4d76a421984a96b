"""A right program: type checkers have nothing to say of it, and it runs (tests/checks/python_types.sh)."""
import math

import numpy as np

import situ
from situ import Tensor, nn, optim


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        self.linear, self.norm = nn.Linear(width), nn.LayerNorm()
        self.scale = situ.variable(situ.ones((width,)), name="scale")
        self.parts = [nn.Linear(width), nn.Linear(width, bias=False)]

    def forward(self, x: Tensor) -> Tensor:
        y = nn.relu(self.linear(self.norm(x)))
        for part in self.parts:
            y = y + part(y)
        return x + self.scale * y


class Classifier(nn.Module):
    def __init__(self) -> None:
        self.block, self.head = Block(8), nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(3))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.block(x))


def norm(x: situ.Tensor) -> situ.Tensor:
    return situ.sqrt(situ.sum(x * x, axis=-1, keepdims=True))


def main() -> None:
    key = situ.random.key(0)
    x = situ.random.normal(key, (6, 8), dtype=situ.float32, device=situ.cpu())
    labels = situ.asarray([0, 1, 2, 0, 1, 2])
    net, conv = Classifier(), nn.Conv2d(4, 3, padding="same")
    adam = optim.Adam(net, lr=0.01)
    optim.cosine_schedule(adam, 100, least=0.1)
    for step in range(3):
        loss = nn.cross_entropy(net(x), labels)
        adam.step(loss)
        print(step, loss.item() < 2.0, float(loss), f"{loss:.3f}", adam.lr * 2)
    y = situ.where(x > 0, x, -x).reshape(2, 24).T @ situ.ones((2, 3))
    z = (1 - y) / 2 ** situ.exp(y) + math.pi
    u, s, vh = situ.linalg.svd(situ.ones((3, 3)), full_matrices=False)
    print(situ.linalg.eigh(situ.eye(3)).eigenvalues.tolist(), s.shape[0], u[0, :], vh[:, None], z.dtype == situ.float32)
    value, gradient = situ.value_and_grad(lambda t: situ.sum(t * t))(x)
    print(value, gradient, norm(x).mean(axis=0).shape, len(x), [row.size for row in x])
    w = situ.variable(situ.zeros((3,)))
    grads = situ.gradients(situ.sum(w * 2), [w])
    print(grads, situ.concat([w, w], axis=0), situ.stack([w, w]), situ.zeros([2, 3]), situ.split(w, 3)[0])
    data = situ.data.Dataset(np.ones((6, 8), "float32"), np.arange(6) % 3)
    train, held_out = data.split(share=0.5)
    for images, targets in situ.data.Loader(train, batch=2, shuffle=True):
        print(images.shape, targets.dtype)
    trainer = situ.train.Trainer(max_epochs=2, batch=2, on_epoch=lambda t: t.epochs > 3)
    trainer.fit(net, adam, train, held_out)
    print(trainer.accuracy + 1, trainer.values["loss"], net.parameters()["block.linear.weight"].shape, net.train(False).training)
    lstm = nn.LSTM(5)
    out, (h, c) = lstm(situ.ones((2, 3, 4)))
    print(conv(situ.ones((1, 1, 3, 3))), out, h, c, conv.weight, net.summary())
    with situ.no_grad(), situ.guard(to_host=3) as budget, situ.precision("bfloat16"):
        print(net(x), budget.over)
    with situ.try_gpu() as where:
        on_device = situ.ones(3)
    print(on_device.device == where, where in (situ.cpu(), situ.gpu(0)), situ.device("cpu") != where)
    accuracy = situ.metrics.Accuracy()
    accuracy.update(net(x), labels)
    print(float(accuracy), np.asarray(x), situ.scan(lambda a, b: (a + b, a), situ.asarray(0.0), x[:, 0])[0])
    try:
        situ.matmul(x, x)
    except situ.ShapeError as e:
        print(e.code, e)


if __name__ == "__main__":
    main()
