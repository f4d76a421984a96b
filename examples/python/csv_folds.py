"""Regression from a CSV file, judged by k folds: columns by name, a column of text, an error of one's own that steps log."""
import pathlib
import tempfile

import situ

FOLDS = 4
nn = situ.nn


def step(net, batch):
    """Numbers of a table and the category of each row, which is a vector that is learnt."""
    numbers, city, price = batch
    error = net(situ.concat([numbers, nn.one_hot(city, 3, dtype="float32")], axis=1)) - price
    return situ.mean(error**2), {"mae": situ.mean(situ.abs(error))}


with tempfile.TemporaryDirectory() as folder:  # prices of flats by area, rooms and city
    path = pathlib.Path(folder, "flats.csv")
    rows = [(20 + i * 37 % 100, 1 + i * 7 % 4, i % 3) for i in range(300)]
    path.write_text("area,rooms,city,price\n" + "".join(f"{a},{r},{('Aachen', 'Berlin', 'Cologne')[c]},{0.03 * a + 0.2 * r + c}\n" for a, r, c in rows))
    data = situ.data.csv(str(path), inputs="area,rooms,city", targets="price").standardize()

errors = []
for fold, (train, held_out) in enumerate(data.folds(FOLDS)):
    net = nn.Sequential(nn.Linear(16), nn.ReLU(), nn.Linear(1))
    trainer = situ.train.Trainer(max_epochs=30, batch=16, step=step)
    trainer.fit(net, situ.optim.Adam(net, lr=0.01), train, held_out)
    errors.append(trainer.values["validation mae"])
    print(f"fold {fold}: mean absolute error {errors[-1]:.3f}")
print(f"mean of {FOLDS} folds: {sum(errors) / FOLDS:.3f}")
assert sum(errors) / FOLDS < 0.3
