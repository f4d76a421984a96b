"""Text, letter after letter: a recurrent network of one's choice learns a verse, or a file, and writes on.
usage: letters.py [rnn|gru|lstm] [FILE]"""
import sys

import situ
from situ import nn

VERSE = """This is the house that Jack built.
This is the malt that lay in the house that Jack built.
This is the rat that ate the malt that lay in the house that Jack built.
This is the cat that killed the rat that ate the malt that lay in the house that Jack built.
"""
WIDTH, LENGTH = 128, 32


def main():
    kind, path = sys.argv[1] if len(sys.argv) > 1 else "gru", sys.argv[2] if len(sys.argv) > 2 else None
    text = open(path).read() if path else VERSE
    numbers = situ.asarray([ord(c) & 127 for c in text], dtype="int32")
    windows = situ.data.window_dataset(numbers, LENGTH, stride=LENGTH if path else 4)
    loader = situ.data.Loader(windows, batch=16, shuffle=True, drop_last=True)
    table, layer, scores = nn.Embedding(128, 32), {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[kind](WIDTH), nn.Linear(128)
    net = nn.Sequential(table, layer, scores)
    adam = situ.optim.Adam(net, lr=3e-3, clip_norm=1)
    for epoch in range(1 if path else 40):
        for letters, following in loader:
            loss = nn.cross_entropy(net(letters), following)
            adam.step(loss)
    print(f"{kind}: {float(loss):.3f} nats a letter")

    letter, said = situ.asarray([[ord("T")]]), "T"
    state = [situ.zeros((1, 1, WIDTH))] * (2 if kind == "lstm" else 1)
    for i in range(120):
        y, *state = layer(table(letter), *state)
        letter = situ.random.categorical(situ.random.key(i), 2 * scores(y))  # at temperature 1/2
        said += chr(int(letter))
    print(said)
    assert float(loss) < 2.5


main()
