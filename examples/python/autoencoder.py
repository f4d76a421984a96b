"""An autoencoder: digits of 64 pixels pass through 8 numbers and come out again. The input is the target, so that the step is ours."""
import situ

nn = situ.nn


def step(net, batch):
    pixels = situ.reshape(batch[0], (-1, 64))
    return nn.mse(net(pixels), pixels)


train, held_out = situ.data.digits().split()
net = nn.Sequential(nn.Linear(32), nn.ReLU(), nn.Linear(8), nn.Linear(32), nn.ReLU(), nn.Linear(64), nn.Sigmoid())
trainer = situ.train.Trainer(max_epochs=15, batch=32, step=step, cosine=True)
trainer.fit(net, situ.optim.Adam(net, lr=0.005), train, held_out)
one = held_out.features[0]
print(situ.round(9 * one), situ.round(9 * situ.reshape(net(situ.reshape(one, (1, 64))), (8, 8))), sep="\n")
assert trainer.validation_loss < 0.04
