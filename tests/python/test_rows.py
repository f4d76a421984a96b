"""What names rows from Python: a mask chooses, integers name, and a float is an error."""

import numpy as np

import situ
from support import raises, run


def test_rows_are_chosen_by_masks_and_named_by_integers():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    data = situ.data.Dataset(x, [0, 1, 2, 0])

    def rows(given):
        return np.asarray(data.select(given).features).tolist()

    for mask in [True, False, True, False], [False] * 4, [True] * 4, [np.True_, np.False_, np.False_, np.True_]:
        expected = x[np.asarray(mask)].tolist()
        for given in mask, np.asarray(mask), situ.asarray(mask), tuple(mask):
            assert rows(given) == expected, (given, rows(given))
        assert np.asarray(data.select(mask).labels).tolist() == np.asarray([0, 1, 2, 0])[np.asarray(mask)].tolist()
    for given in [1, 2, 1], range(3), np.array([3], np.uint8), situ.asarray([2, 0], dtype="int32"), 2, [], np.array([]), slice(1, None), slice(None, None, -2):
        index = given if isinstance(given, slice) else np.asarray(given, dtype=np.int64).reshape(-1)
        assert rows(given) == x[index].tolist(), given
    for given in [1.9], [1.0], 1.5, np.array([0.0, 2.0]), situ.asarray([1.0]), ["1"], [1j]:
        raises(TypeError, lambda given=given: rows(given), "select")
    for given in [True, False], [True] * 5, [[0, 1]], [[True] * 4], True, np.True_:
        raises(ValueError, lambda given=given: rows(given), "select")
    for given in [4], [-1], [2**40], [2**63]:
        raises(situ.Error, lambda given=given: rows(given), "select")


def test_whatever_else_names_rows_refuses_floats_and_masks():
    x, f, m = situ.ones((4, 3)), situ.asarray([1.9, 0.0, 1.0, 2.0]), situ.asarray([True, False, True, False])
    data = situ.data.Dataset(x, [0, 1, 2, 0])
    for v in f, m:
        wide = situ.stack([v, v, v], axis=1)
        for work in (lambda: situ.take(x, v, axis=0), lambda: situ.gather(x, wide), lambda: situ.take_along_axis(x, wide, axis=0),
                     lambda: situ.scatter(x, wide, x), lambda: situ.scatter_add(x, wide, x), lambda: situ.index_add(x, v, x),
                     lambda: situ.nn.one_hot(v, 3), lambda: situ.nn.Embedding(5, 3)(v), lambda: situ.nn.cross_entropy(x, v),
                     lambda: situ.data.ragged_dataset([v, v])):
            raises((situ.Error, TypeError, ValueError, IndexError), work)
    raises(IndexError, lambda: x[f])
    raises(IndexError, lambda: x[1.0])
    raises(TypeError, lambda: x[1.5:])
    raises(TypeError, lambda: list(data.folds(2.5)))
    raises(TypeError, lambda: data.split(0.2))
    raises(TypeError, lambda: situ.data.Loader(data, batch=2.5))
    for kind in situ.gpu, situ.opencl, situ.tpu, situ.pjrt:
        raises(TypeError, lambda kind=kind: kind(1.9))
        assert kind(np.int64(1)) == kind(1)


if __name__ == "__main__":
    run(globals())
