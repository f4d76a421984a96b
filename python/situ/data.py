"""Data sets in host memory, and loaders that prefetch batches of them to devices."""
from . import _situ
from ._errors import handle as _handle_of
from ._habits import refuse_option as _refuse_option
from ._made import handle as _made
from ._dtypes import bool_ as _bool
from ._text import _numbers


def _tensors(function, given, prefix, dtype, single):
    """[(name, tensor)] for one array, a tuple of arrays or a dict of them. Floats are converted to `dtype`; `single`:
    dtype for a single array."""
    if given is None:
        return []
    arrays = isinstance(given, tuple) and given and all(hasattr(v, "shape") or isinstance(v, list) for v in given)
    named = list(given.items()) if isinstance(given, dict) else [(f"{prefix}{i}", v) for i, v in enumerate(given)] if arrays else [(prefix, given)]
    out = []
    for name, value in named:
        if not isinstance(name, str) or "," in name:
            raise TypeError(f"{function}: the name of an array is a str without a comma, not {name!r}")
        t = _situ.asarray(value, dtype=single) if single is not None and len(named) == 1 else _situ.asarray(value)
        out.append((name, _situ.asarray(t, dtype=dtype) if dtype is not None and t.dtype.kind == "real floating" else t))
    return out


def _labels(y, classes):
    """Class labels as integers, checked."""
    if not y.dtype.kind.endswith("integer"):
        raise TypeError(f"Dataset: labels of classes are integers, not {y.dtype}; write labels.astype(\"int32\") if they are whole")
    if y.size and (int(_situ.min(y)) < 0 or int(_situ.max(y)) >= (2**31 - 1 if classes is None else classes)):
        raise ValueError(f"Dataset: labels go from {int(_situ.min(y))} to {int(_situ.max(y))}; they count from 0" +
                         (f", and there are {classes} classes" if classes is not None else "; numbers to regress are floats"))
    return _situ.asarray(y, dtype="int32")


class Dataset:
    """Rows with any number of inputs and targets of any dtype.

        Dataset(images, labels)                    # an array each: float32 images, integer labels of classes
        Dataset(x, y)                              # float targets: regression
        Dataset({"user": u, "item": i}, {"stars": s})  # several, by name or as tuples; they keep their dtypes
        Dataset(tokens, dtype=None)                # no targets; a single input keeps its dtype as well

    Floats are converted to `dtype`, and so is a single input of another dtype."""

    def __init__(self, features=None, labels=None, classes=None, name="data", *, dtype="float32", _handle=None):
        if _handle is None:
            inputs = _tensors("Dataset", features, "input", dtype, dtype)
            targets = _tensors("Dataset", labels, "target", dtype, None)
            if not inputs:
                raise TypeError("Dataset: there is no input; give an array, a tuple of arrays or a dict of them")
            if targets:
                key, y = targets[0]
                # an empty list has no elements that tell its dtype
                y = _situ.asarray(y, dtype="int32") if y.shape == (0,) and not isinstance(labels, dict) else y
                if classes is not None or len(targets) == 1 and len(y.shape) == 1 and y.dtype.kind.endswith("integer"):
                    y = _labels(y, classes)
                    classes = classes if classes is not None else int(_situ.max(y)) + 1 if y.size else 1
                targets[0] = (key, y)
            names, tensors = zip(*inputs, *targets)
            _handle = _situ.tensor_dataset(tensors, len(targets), classes, ",".join(names), name)
        self._handle = _handle
        self._name, self._shape, self._classes, self._inputs, self._names = _situ.dataset_info(_handle)

    name = property(lambda self: self._name, doc="Its name.")
    shape = property(lambda self: self._shape, doc="Of the first input; -1 rows: a stream.")
    classes = property(lambda self: self._classes, doc="How many classes the labels have, 0: they are none.")
    names = property(lambda self: self._names, doc="Of all inputs, then of the targets.")

    def __len__(self):
        if self.shape[0] < 0:
            raise TypeError(f"{self.name!r} is a stream: it has no length")
        return self.shape[0]

    def __reduce__(self):
        arrays = self.arrays
        inputs, targets = ({n: arrays[n] for n in names} for names in (self.names[:self._inputs], self.names[self._inputs:]))
        return _rebuilt, (inputs, targets or None, self.classes or None, self.name)

    @property
    def arrays(self):
        """All inputs and targets by name."""
        return dict(zip(self.names, _situ.dataset_arrays(self._handle)))

    @property
    def features(self):
        """The first input."""
        return _situ.dataset_arrays(self._handle)[0]

    @property
    def labels(self):
        """The first target; None if there is none."""
        return _situ.dataset_arrays(self._handle)[self._inputs] if len(self.names) > self._inputs else None

    @property
    def tokens(self):
        """The vocabulary of a text, or the class names of a folder of images; () for other data."""
        return _situ.dataset_tokens(self._handle)

    def save_vocabulary(self, path):
        """Writes the vocabulary of a text to a file, so that text_dataset(vocabulary=path) and vocabulary_dataset(path)
        give its tokens the same numbers in another program."""
        _situ.dataset_save_vocabulary(self._handle, path)

    def encode(self, text):
        """The numbers of a text's tokens, as a list."""
        return _situ.dataset_encode(self._handle, text)

    def decode(self, tokens, errors="replace"):
        """The text of tokens; words are joined by spaces. `errors`: how to treat bytes that are not UTF-8, such as half
        a character; None: returns bytes."""
        text = _situ.dataset_decode(self._handle, _numbers(tokens))
        return text if errors is None else text.decode("utf-8", errors)

    def split(self, key=0, *, share=0.2, stratified=False):
        """(train, held out): splits the rows at random, by a key."""
        return tuple(Dataset(_handle=h) for h in _situ.dataset_split(self._handle, key, share, stratified))

    def folds(self, k, key=0, *, stratified=False):
        """Yields k pairs (train, held out); each row is held out once."""
        for i in range(k):
            yield tuple(Dataset(_handle=h) for h in _situ.dataset_fold(self._handle, key, i, k, stratified))

    def select(self, rows):
        """A new data set of these rows, in this order; rows may be a mask, one bool for each row."""
        return Dataset(_handle=_situ.dataset_select(self._handle, _situ.read_bytes(_rows("select", rows, self.shape[0]))))

    def standardize(self, like=None):
        """(x - mean) / (standard deviation) for each feature, with the statistics of `like`."""
        _situ.dataset_standardize(self._handle, _handle_of("standardize", "like", self if like is None else like, Dataset))
        return self

    def augment(self, *, crop=0, flip=0.0, rotate=0.0, brightness=0.0, contrast=0.0, mean=0.0, deviation=1.0, mix_up=0.0):
        """Changes the first input of each row when it goes into a batch, differently in each epoch: shifts by up to
        `crop` pixels, mirrors with probability `flip`, rotates by up to `rotate` degrees, adds up to `brightness`,
        scales the contrast by 1 - `contrast` to 1 + `contrast`, then (x - mean) / deviation, each a number or one
        for each channel; `mix_up` mixes each row with another one, and the labels as shares of the classes. A
        further call adds to the earlier ones. Split first: both parts of a split share the transforms."""
        each = [None if isinstance(v, (int, float)) else _situ.read_bytes(_situ.asarray(v, dtype="float64")) for v in (mean, deviation)]
        mean, deviation = (v if e is None else d for v, e, d in zip((mean, deviation), each, (0.0, 1.0)))
        _situ.dataset_augment(self._handle, crop, flip, rotate, brightness, contrast, mean, deviation, mix_up, *each)
        return self

    def __repr__(self):
        return f"Dataset({self.name!r}, shape={self.shape}, classes={self.classes})"


def _rebuilt(inputs, targets, classes, name):
    return Dataset(inputs, targets, classes, name, dtype=None)


def _rows(function, rows, count):
    """Row numbers from a mask, integers or a slice, as int64. Floats are refused: 1.9 is not row 1."""
    if isinstance(rows, slice):
        return _situ.asarray(list(range(*rows.indices(max(count, 0)))), dtype="int64")
    t = _situ.asarray(rows)
    if t.ndim > 1:
        raise ValueError(f"{function}: rows are a list of numbers or a mask, with one axis, not of shape {t.shape}")
    if t.dtype is _bool:
        if t.shape != (count,):
            raise ValueError(f"{function}: the mask has shape {t.shape}; of {count} rows it says for each whether it is chosen: ({count},)")
        return _situ.reshape(_situ.nonzero(t), (-1,))
    if t.size and not t.dtype.kind.endswith("integer"):
        raise TypeError(f"{function}: rows are integers or a mask of bools, not {t.dtype}; write rows.astype(\"int64\") to cut them")
    return _situ.asarray(t, dtype="int64")


class Loader(_made.Loader):
    """Batches of a data set: for images, labels in loader: ... Each pass is an epoch with an order of its own; only one
    pass runs at a time. A batch has all inputs, then all targets."""

    def __setattr__(self, name, value):
        _refuse_option(self, name)
        object.__setattr__(self, name, value)

    def _make(self, make, data, *options):
        self._data, self.epoch, self._begun = data, 0, False
        self._handle = make(_handle_of("Loader", "what it loads", data, Dataset), *options)

    def _go_on(self):
        self.epoch, self._begun = _situ.loader_epoch(self._handle), True

    def weights(self, weights):
        """From the next pass on, rows are drawn with these weights, with replacement; None: back to normal."""
        _situ.loader_weights(self._handle, None if weights is None else _situ.read_bytes(_situ.asarray(weights, dtype="float64")))
        return self

    def __len__(self):
        if (count := _situ.loader_batches(self._handle)) < 0:
            raise TypeError("Loader: a stream has no length; batches=... says how many an epoch has")
        return count

    def __iter__(self):
        if not self._begun:
            _situ.loader_start(self._handle, self.epoch)
        self._begun = False
        self.epoch += 1
        epoch = self.epoch
        while (batch := _situ.loader_next(self._handle)) is not None:
            yield tuple(batch)
            if epoch != self.epoch:
                raise RuntimeError("another pass over this loader has begun; make a second Loader for passes side by side")


from ._made.data import *  # noqa: E402,F401,F403
