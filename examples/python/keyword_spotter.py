"""Which of four words is said? The words are made here: two tones in a row, of any loudness, somewhere in half a second of noise.
The network reads spectra of short times: pieces of 256 samples under a window, and the logarithm of their energies."""
import math

import situ
from situ import nn

RATE, SAMPLES, PIECE, HOP, BANDS, BATCH, STEPS = 8000, 4096, 256, 128, 64, 32, 120


def say(which, seed):
    """Waves [batch, SAMPLES] of the words `which` [batch, 1]: up or down, of one of two pitches."""
    key = situ.random.split(situ.random.key(seed), 4)
    pitch = 500 + 500 * (which // 2) + 100 * situ.random.uniform(key[0], (BATCH, 1))
    second = pitch * (0.6 + 0.8 * (which % 2))
    begin = 200 + 1000 * situ.random.uniform(key[1], (BATCH, 1))
    time = situ.arange(SAMPLES, dtype="float32") - begin
    tone = situ.sin(2 * math.pi / RATE * time * situ.where(time < 1200, pitch, second))
    heard = situ.logical_and(time >= 0, time < 2400)
    loud = 0.3 + situ.random.uniform(key[2], (BATCH, 1))
    return situ.where(heard, tone * loud, 0) + 0.1 * situ.random.normal(key[3], (BATCH, SAMPLES))


def spectra(wave):
    """[batch, pieces, BANDS]."""
    first = HOP * situ.arange((SAMPLES - PIECE) // HOP + 1)
    window = situ.sin(math.pi / PIECE * situ.arange(PIECE, dtype="float32")) ** 2
    f = situ.fft.rfft(situ.take(wave, first[:, None] + situ.arange(PIECE), axis=1) * window)
    return situ.log((situ.abs(f) ** 2)[:, :, :BANDS] + 1e-3)


class Spotter(nn.Module):
    def __init__(self):
        self.norm, self.layer, self.scores = nn.LayerNorm(), nn.GRU(48), nn.Linear(4)

    def forward(self, wave):
        return self.scores(self.layer(self.norm(spectra(wave)))[1][0])


def words(seed):
    return situ.random.randint(situ.random.key(seed), (BATCH, 1), 0, 4)


def main():
    net = Spotter()
    adam = situ.optim.Adam(net, lr=3e-3, clip_norm=1)
    for step in range(STEPS):
        which = words(2 * step)
        loss = nn.cross_entropy(net(say(which, 2 * step + 1)), which[:, 0])
        adam.step(loss)
    seeds = range(10**6, 10**6 + 16, 2)
    right = sum(float(nn.accuracy(net(say(words(s), s + 1)), words(s)[:, 0])) for s in seeds) / len(seeds)
    print(f"loss {float(loss):.3f}; {100 * right:.1f} % of new words are understood")
    assert right > 0.9


main()
