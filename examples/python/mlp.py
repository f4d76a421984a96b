"""A multilayer perceptron on handwritten digits: a network of layers, an optimizer, and a loop of one's own over batches.

`mlp.py FOLDER` trains on the IDX files of a folder, such as those of MNIST, instead of the digits that come with the library."""
import sys

import situ

data = situ.data.idx_folder(sys.argv[1]) if len(sys.argv) > 1 else situ.data.digits()
train, held_out = data.split(stratified=True)
nn = situ.nn
net = nn.Sequential(nn.Flatten(), nn.Linear(128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64), nn.ReLU(), nn.Linear(10))
adam = situ.optim.Adam(net, lr=2e-3)
accuracy = situ.metrics.Accuracy()
loader, test = situ.data.Loader(train, shuffle=True), situ.data.Loader(held_out, batch=1000)
for epoch in range(10):
    net.train()
    for images, labels in loader:
        adam.step(nn.cross_entropy(net(images), labels))
    net.eval()  # no dropout
    accuracy.reset()
    for images, labels in test:
        accuracy.update(net(images), labels)
    share = accuracy.value()
    print(f"epoch {epoch + 1:2d}: held-out accuracy {100 * share:.2f} %")
assert share > 0.9
