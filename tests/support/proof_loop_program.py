"""A training loop of its own with a proof: proof_loop_program.py FOLDER [step at which it is killed]"""
import os
import signal
import sys

import situ
from situ import data, nn, optim, train

folder, kill = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
loader = data.Loader(data.digits(), batch=64, shuffle=True, key=5)
net = nn.Sequential(nn.Flatten(), nn.Linear(24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(10))
net.init(situ.random.key(1))
adam = optim.Adam(net, lr=0.01)
proof = train.Proof(folder, net, adam, loader=loader, note="a loop", every=15, resume=True)
while loader.epoch < 3 and not proof.done:
    for x, y in loader:
        loss = nn.cross_entropy(net(x), y)
        adam.step(loss)
        if proof.step(loss, x, y):
            break
        if proof.steps == kill:
            os.kill(os.getpid(), signal.SIGKILL)
commitment = proof.close()
if commitment:
    print("commitment:", commitment)
