"""A Transformer with encoder and decoder (Vaswani et al., 2017) that sorts eight digits."""
import situ
from situ import nn

WIDTH, HEADS, DIGITS, BEGIN, LENGTH, BATCH, STEPS = 64, 4, 10, 10, 8, 64, 400


class Sorter(nn.Module):
    def __init__(self):
        self.table, self.places, self.scores = nn.Embedding(DIGITS + 1, WIDTH), nn.Embedding(LENGTH, WIDTH), nn.Linear(DIGITS)
        self.encoder = nn.TransformerEncoderLayer(WIDTH, HEADS, dropout=0, norm_first=True)
        self.decoder = nn.TransformerDecoderLayer(WIDTH, HEADS, dropout=0, norm_first=True)

    def vectors(self, digits):
        return self.table(digits) + self.places(situ.arange(digits.shape[1]))

    def forward(self, text, before):
        """Scores of what follows each digit of `before`."""
        return self.scores(self.decoder(self.vectors(before), self.encoder(self.vectors(text))))

    def translate(self, text):
        said = situ.full((BATCH, 1), BEGIN, dtype="int64")
        for i in range(LENGTH):
            said = situ.concat([said, situ.argmax(self(text, said), axis=-1)[:, i:]], axis=1)
        return said[:, 1:]


def texts(seed):
    return situ.random.randint(situ.random.key(seed), (BATCH, LENGTH), 0, DIGITS)


def main():
    net, begin = Sorter(), situ.full((BATCH, 1), BEGIN, dtype="int64")
    adam = situ.optim.Adam(net, lr=2e-3)
    situ.optim.cosine_schedule(adam, STEPS)
    for step in range(STEPS):
        text = texts(step)
        wanted = situ.sort(text)
        loss = nn.cross_entropy(net(text, situ.concat([begin, wanted[:, :-1]], axis=1)), wanted)
        adam.step(loss)
    net.eval()
    text = texts(10**6)
    share = float(situ.mean(situ.all(net.translate(text) == situ.sort(text), axis=1).astype("float32")))
    print(f"loss {float(loss):.3f}; {100 * share:.1f} % of new sequences come out sorted")
    assert share > 0.8


main()
