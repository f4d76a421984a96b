"""A dense block (Huang et al., 2016): each layer reads what all layers before it gave, one behind the other along the channels."""
import situ

nn = situ.nn


def convolution(out, size):
    """Norm, relu, convolution: in this order its inputs, which many layers read, stay as they are."""
    return nn.Sequential(nn.BatchNorm(), nn.ReLU(), nn.Conv2d(out, size, padding=size // 2, bias=False))


class Dense(nn.Module):
    def __init__(self, layers, growth):
        self.layers = [convolution(growth, 3) for _ in range(layers)]

    def forward(self, x):
        for layer in self.layers:
            x = situ.concat([x, layer(x)], axis=1)
        return x


train, held_out = situ.data.digits().split(stratified=True)
net = nn.Sequential(nn.Function(lambda x: situ.expand_dims(x, axis=1)), nn.Conv2d(16, 3, padding=1, bias=False), Dense(4, 12),
                    convolution(32, 1), nn.AvgPool2d(2),  # a transition: half the channels and half the size
                    Dense(4, 12), nn.BatchNorm(), nn.ReLU(), nn.Function(lambda x: situ.mean(x, axis=(2, 3))), nn.Linear(10))
trainer = situ.train.Trainer(max_epochs=4, batch=64, cosine=True)
trainer.fit(net, situ.optim.Adam(net, lr=5e-3), train, held_out)
print(f"held-out accuracy {100 * trainer.accuracy:.2f} %")
assert trainer.accuracy > 0.95
