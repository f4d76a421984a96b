"""A GPT (Radford et al., 2018) learns a verse, or a file, and writes on, with a cache of keys and values. usage: gpt.py [FILE [STEPS]]"""
import itertools
import sys

import situ
from situ import nn

VERSE = """This is the house that Jack built.
This is the malt that lay in the house that Jack built.
This is the cat that killed the rat that ate the malt that lay in the house that Jack built.
"""
WIDTH, HEADS, BLOCKS, LENGTH = 64, 4, 2, 64


class GPT(nn.Module):
    def __init__(self):
        self.table, self.norm, self.scores = nn.Embedding(128, WIDTH), nn.LayerNorm(), nn.Linear(128)
        self.blocks = [nn.TransformerEncoderLayer(WIDTH, HEADS, dropout=0, norm_first=True, causal=True, feed="gelu", rotary=10000)
                       for _ in range(BLOCKS)]

    def forward(self, letters, cache=None, at=None):
        """Scores of what follows; with a cache, a pair of keys and values for each block, what it becomes as well."""
        x = self.table(letters)
        for i, block in enumerate(self.blocks):
            if cache:
                x, *cache[i] = block(x, None, None, *cache[i], at)
            else:
                x = block(x)
        return self.scores(self.norm(x))


def main():
    path, steps = sys.argv[1] if len(sys.argv) > 1 else None, int(sys.argv[2]) if len(sys.argv) > 2 else 200
    text = open(path).read() if path else VERSE
    windows = situ.data.window_dataset(situ.asarray([ord(c) & 127 for c in text], dtype="int32"), LENGTH, stride=1)
    loader = situ.data.Loader(windows, batch=8, shuffle=True, drop_last=True)
    net = GPT()
    adam = situ.optim.AdamW(net, lr=3e-3, clip_norm=1)
    situ.optim.cosine_schedule(adam, steps)
    batches = itertools.chain.from_iterable(itertools.repeat(loader))
    for letters, following in itertools.islice(batches, steps):
        loss = nn.cross_entropy(net(letters), following)
        adam.step(loss)
    print(f"{float(loss):.3f} nats a letter")

    net.eval()
    letter, said = situ.asarray([[ord("T")]]), "T"
    cache = [[situ.zeros((1, HEADS, LENGTH, WIDTH // HEADS))] * 2 for _ in range(BLOCKS)]
    for at in range(LENGTH):
        scores = net(letter, cache, situ.asarray(at, dtype="int32"))
        letter = situ.random.categorical(situ.random.key(at), 2 * scores)  # at temperature 1/2
        said += chr(int(letter))
    print(said)
    assert float(loss) < 2.5


main()
