"""LeNet (LeCun et al., 1998), with relu and the largest of each window, on handwritten digits.

`lenet.py FOLDER` trains on the IDX files of a folder, such as those of MNIST, of which 1,000 images are held out; without a folder
on the digits of 8 x 8 that come with the library."""
import sys

import situ

large = len(sys.argv) > 1
data = situ.data.idx_folder(sys.argv[1]) if large else situ.data.digits()
train, held_out = data.split(share=1000 / len(data) if large else 0.2, stratified=True)
nn = situ.nn
net = nn.Sequential(nn.Function(lambda x: situ.expand_dims(x, axis=1)),  # the axis of channels
                    nn.Conv2d(6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 5, padding=0 if large else 2), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Flatten(), nn.Linear(120), nn.ReLU(), nn.Linear(84), nn.ReLU(), nn.Linear(10))
trainer = situ.train.Trainer(max_epochs=8 if large else 20, batch=64, cosine=True)
trainer.fit(net, situ.optim.Adam(net, lr=4e-3), train, held_out)
print(f"held-out accuracy {100 * trainer.accuracy:.2f} % after {trainer.seconds:.1f} s")
assert trainer.accuracy > 0.95
