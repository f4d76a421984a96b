"""A sequence to another one (Sutskever et al., 2014), with attention (Luong et al., 2015): eight digits, written in reverse."""
import situ
from situ import nn

WIDTH, DIGITS, BEGIN, LENGTH, BATCH, STEPS = 64, 10, 10, 8, 64, 800


class Translator(nn.Module):
    def __init__(self):
        self.table, self.reader, self.writer = nn.Embedding(DIGITS + 1, 32), nn.GRU(WIDTH), nn.GRU(WIDTH)
        self.query, self.scores = nn.Linear(WIDTH, bias=False), nn.Linear(DIGITS)

    def forward(self, before, states, h):
        """Scores of what follows each digit of `before`, and the writer's state."""
        y, h = self.writer(self.table(before), h)
        seen = nn.attention(self.query(y), states, states)
        return self.scores(situ.concat([y, seen], axis=2)), h

    def translate(self, text):
        states, h = self.reader(self.table(text))
        last, said = situ.full((BATCH, 1), BEGIN, dtype="int64"), []
        for _ in range(LENGTH):
            scores, h = self(last, states, h)
            last = situ.argmax(scores, axis=-1)
            said.append(last)
        return situ.concat(said, axis=1)


def texts(seed):
    return situ.random.randint(situ.random.key(seed), (BATCH, LENGTH), 0, DIGITS)


def main():
    net = Translator()
    adam = situ.optim.Adam(net, lr=5e-3, clip_norm=1)
    situ.optim.cosine_schedule(adam, STEPS)
    begin = situ.full((BATCH, 1), BEGIN, dtype="int64")
    for step in range(STEPS):
        text = texts(step)
        wanted = situ.flip(text, axis=1)
        states, h = net.reader(net.table(text))
        scores, _ = net(situ.concat([begin, wanted[:, :-1]], axis=1), states, h)
        loss = nn.cross_entropy(scores, wanted)
        adam.step(loss)
    text = texts(10**6)
    right = situ.all(net.translate(text) == situ.flip(text, axis=1), axis=1)
    share = float(situ.mean(right.astype("float32")))
    print(f"loss {float(loss):.3f}; {100 * share:.1f} % of new sequences come out right")
    assert share > 0.8


main()
