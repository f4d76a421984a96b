"""A network of VGG's blocks (Simonyan and Zisserman, 2014): convolutions of 3 x 3, then half the size and twice the channels."""
import math

import situ

nn = situ.nn


def block(convolutions, channels):
    parts = [part for _ in range(convolutions) for part in (nn.Conv2d(channels, 3, padding=1), nn.ReLU())]
    return nn.Sequential(*parts, nn.MaxPool2d(2))


train, held_out = situ.data.digits().split(stratified=True)
net = nn.Sequential(nn.Function(lambda x: situ.expand_dims(x, axis=1)), block(1, 16), block(1, 32), block(2, 64), nn.Flatten(), nn.Linear(64), nn.ReLU(),
                    nn.Dropout(0.3), nn.Linear(10))
net.initialize("weight", "kaiming_normal", gain=math.sqrt(2))  # as deep nets of relus begin well
print(net.summary(situ.zeros((1, 8, 8))))
trainer = situ.train.Trainer(max_epochs=8, batch=64, cosine=True)
trainer.fit(net, situ.optim.Adam(net, lr=2e-3), train, held_out)
print(f"held-out accuracy {100 * trainer.accuracy:.2f} %")
assert trainer.accuracy > 0.95
