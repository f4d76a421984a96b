"""Data sets in host memory and loaders that bring batches of them to devices."""
from . import _situ
from ._errors import handle as _handle_of
from ._made import handle as _made


class Dataset:
    """float32 features [n, ...] and integer labels [n]."""

    def __init__(self, features=None, labels=None, classes=None, name="data", *, _handle=None):
        if _handle is None:
            y = _situ.asarray(labels)
            y = _situ.asarray(y, dtype="int32") if y.shape == (0,) else y  # an empty list has no numbers that say which
            if not y.dtype.kind.endswith("integer"):
                raise TypeError(f"Dataset: labels are integers, not {y.dtype}; write labels.astype(\"int32\") if they are whole")
            if y.size and (int(_situ.min(y)) < 0 or int(_situ.max(y)) >= (2**31 - 1 if classes is None else classes)):
                raise ValueError(f"Dataset: labels go from {int(_situ.min(y))} to {int(_situ.max(y))}; they count from 0" +
                                 (f", and there are {classes} classes" if classes is not None else ""))
            x, y = _situ.asarray(features, dtype="float32"), _situ.asarray(y, dtype="int32")
            classes = classes if classes is not None else int(_situ.max(y)) + 1 if y.size else 1
            _handle = _situ.dataset(_situ.read_bytes(x), x.shape, _situ.read_bytes(y), classes, name)
        self._handle = _handle
        self.name, self.shape, self.classes = _situ.dataset_info(_handle)

    def __len__(self):
        return self.shape[0]

    def __reduce__(self):
        return Dataset, (self.features, self.labels, self.classes, self.name)

    @property
    def features(self):
        return _situ.dataset_arrays(self._handle)[0]

    @property
    def labels(self):
        return _situ.dataset_arrays(self._handle)[1]

    def split(self, key=0, *, share=0.2, stratified=False):
        """(train, held out): rows drawn by a key."""
        return tuple(Dataset(_handle=h) for h in _situ.dataset_split(self._handle, key, share, stratified))

    def standardize(self, like=None):
        """(x - mean) / deviation of each feature, as in `like`."""
        _situ.dataset_standardize(self._handle, _handle_of("standardize", "like", self if like is None else like, Dataset))
        return self

    def __repr__(self):
        return f"Dataset({self.name!r}, shape={self.shape}, classes={self.classes})"


class Loader(_made.Loader):
    """Batches of a data set: for images, labels in loader: ... Each pass is an epoch with its own order, one at a time."""

    def _make(self, make, data, *options):
        self._data, self.epoch = data, 0
        self._handle = make(_handle_of("Loader", "what it loads", data, Dataset), *options)

    def __len__(self):
        return _situ.loader_batches(self._handle)

    def __iter__(self):
        _situ.loader_start(self._handle, self.epoch)
        self.epoch += 1
        epoch = self.epoch
        while (batch := _situ.loader_next(self._handle)) is not None:
            yield tuple(batch)
            if epoch != self.epoch:
                raise RuntimeError("another pass over this loader has begun; make a second Loader for passes side by side")


from ._made.data import *  # noqa: E402,F401,F403
