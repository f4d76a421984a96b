"""Words as vectors: skip-grams with negative samples (Mikolov et al., 2013). The language is made here: a sentence speaks of one
of four subjects, so words of a subject must come out near each other."""
import situ
from situ import nn

SUBJECTS, WORDS, WIDTH, BATCH, NEGATIVE, STEPS = 4, 32, 16, 256, 5, 400
PER_SUBJECT = WORDS // SUBJECTS


def main():
    words, contexts = nn.Embedding(WORDS, WIDTH), nn.Embedding(WORDS, WIDTH)
    adam = situ.optim.Adam(nn.ModuleList([words, contexts]), lr=0.02)
    said = situ.concat([situ.ones((BATCH, 1)), situ.zeros((BATCH, NEGATIVE))], axis=1)
    draw = situ.random.randint
    for step in range(STEPS):
        key = situ.random.split(situ.random.key(step), 4)
        subject = PER_SUBJECT * draw(key[0], (BATCH, 1), 0, SUBJECTS)
        word, beside = subject + draw(key[1], (BATCH, 1), 0, PER_SUBJECT), subject + draw(key[2], (BATCH, 1), 0, PER_SUBJECT)
        context = contexts(situ.concat([beside, draw(key[3], (BATCH, NEGATIVE), 0, WORDS)], axis=1))
        loss = nn.binary_cross_entropy_with_logits(situ.sum(words(word) * context, axis=-1), said)
        adam.step(loss)
    v = words.weight
    unit = v / situ.sqrt(situ.sum(v * v, axis=1, keepdims=True))
    nearest = situ.argmax(unit @ unit.T - 2 * situ.eye(WORDS), axis=1)
    right = int(situ.sum((nearest // PER_SUBJECT == situ.arange(WORDS) // PER_SUBJECT).astype("int32")))
    print(f"loss {float(loss):.3f}; {right} of {WORDS} words have one of their own subject as the nearest")
    assert right >= 28


main()
