"""Mistakes: each line with a cross has one, which type checkers have to find, and no other line (tests/checks/python_types.sh)."""
import situ
from situ import nn, optim

x = situ.ones((2, 3))
net = nn.Sequential(nn.Linear(3))
opt = optim.SGD(net)
situ.sum(x, dim=0)  # x
nn.Linear(10, 5)  # x
nn.Conv2d(8, kernel_size=3)  # x
optim.Adam(net.parameters())  # x
situ.softmax(x)  # x
x.size(0)  # x
x.backward()  # x
situ.zeros("2, 3")  # x
opt.zero_grad()  # x
nn.cross_entropy(x)  # x
situ.concat(x, x)  # x
net.paramters()  # x
situ.nn.Sequential(nn.relu)  # x
opt.step()  # x
situ.data.Loader(x)  # x
situ.random.normal(0, shape="big")  # x
loss: str = nn.mse(x, x)  # x
situ.exp("1")  # x
x + "a"  # x
situ.train.Trainer(epochs=3)  # x
nn.max_pool2d(x, size="2")  # x
optim.cosine_schedule(opt)  # x
