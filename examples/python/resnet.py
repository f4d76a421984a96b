"""A residual network (He et al., 2015) on handwritten digits that are turned on their way into a batch."""
import situ

nn = situ.nn


class Block(nn.Module):
    """relu(x + f(x)), or with a stride of 2 relu(g(x) + f(x)), where g has as many channels as f."""

    def __init__(self, out, stride):
        self.c1, self.b1 = nn.Conv2d(out, 3, stride=stride, padding=1, bias=False), nn.BatchNorm()
        self.c2, self.b2 = nn.Conv2d(out, 3, padding=1, bias=False), nn.BatchNorm()
        self.short = nn.Sequential(nn.Conv2d(out, 1, stride=stride, bias=False), nn.BatchNorm()) if stride > 1 else None

    def forward(self, x):
        y = self.b2(self.c2(nn.relu(self.b1(self.c1(x)))))
        return nn.relu(y + (self.short(x) if self.short else x))


class ResNet(nn.Module):
    def __init__(self, width):
        self.stem = nn.Sequential(nn.Conv2d(width, 3, padding=1, bias=False), nn.BatchNorm(), nn.ReLU())
        self.blocks = nn.Sequential(Block(width, 1), Block(2 * width, 2), Block(4 * width, 2))
        self.head = nn.Linear(10)

    def forward(self, x):
        x = self.blocks(self.stem(situ.expand_dims(x, axis=1)))
        return self.head(situ.mean(x, axis=(2, 3)))


train, held_out = situ.data.digits().split(stratified=True)
train.augment(rotate=10)
net = ResNet(8)
sgd = situ.optim.SGD(net, lr=0.1, momentum=0.9, weight_decay=5e-4)
situ.optim.warmup(sgd, 50)
trainer = situ.train.Trainer(max_epochs=6, batch=64, cosine=True)
trainer.fit(net, sgd, train, held_out)
print(f"held-out accuracy {100 * trainer.accuracy:.2f} % after {trainer.seconds:.1f} s")
assert trainer.accuracy > 0.95
