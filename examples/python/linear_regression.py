"""Linear regression: the weights of y = X w + b + noise are found again, by the trainer and by a loop of one's own."""
import situ

random = situ.random
x = random.normal(random.key(0), (1000, 2))
y = x @ situ.asarray([[2.0], [-3.4]], dtype="float32") + 4.2 + 0.01 * random.normal(random.key(1), (1000, 1))
train, held_out = situ.data.Dataset(x, y, name="a line").split()

net = situ.nn.Sequential(situ.nn.Linear(1))
trainer = situ.train.Trainer(max_epochs=3, batch=32, loss=situ.nn.mse)
trainer.fit(net, situ.optim.SGD(net, lr=0.1), train, held_out)
print(net[0].weight, net[0].bias)  # about 2 and -3.4, about 4.2

# the same from scratch: variables, a gradient, an update
w, b = situ.variable(situ.zeros((2, 1))), situ.variable(situ.zeros(()))
loader = situ.data.Loader(train, batch=32, shuffle=True)
for epoch in range(3):
    for features, target in loader:
        gradient = situ.grad(lambda w, b: situ.mean((features @ w + b - target) ** 2), argnums=(0, 1))(w, b)
        for p, g in zip((w, b), gradient):
            situ.assign(p, p - 0.1 * g)
print(w, b)
assert trainer.validation_loss < 1e-3 and abs(float(b) - 4.2) < 0.01
