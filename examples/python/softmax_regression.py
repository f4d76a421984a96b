"""Softmax regression on handwritten digits, with images that are turned on their way into a batch, and the best of its epochs."""
import situ

train, held_out = situ.data.digits().split(stratified=True)
train.augment(rotate=10, brightness=0.1)
net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(10))
trainer = situ.train.Trainer(max_epochs=20, batch=64, workers=2, patience=5, keep_best=True, monitor="validation accuracy", maximize=True)
trainer.fit(net, situ.optim.Adam(net, lr=0.01), train, held_out)
accuracy = trainer.evaluate(net, held_out)
print(f"best of epochs 1 to {trainer.epochs} was {trainer.best_epoch}: accuracy {100 * accuracy:.2f} %; ended by {trainer.ended}")
assert accuracy > 0.9
