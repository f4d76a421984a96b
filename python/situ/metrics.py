"""Metrics: accumulated over many batches on the device, and read once.

    accuracy = situ.metrics.Accuracy()
    for x, y in batches:
        accuracy.update(net(x), y)      # nothing is read
    print(float(accuracy))              # one number is copied to the host
"""
from . import _situ
from ._habits import refuse_option as _refuse_option


class Metric:
    """Base class. Accumulates on the device of the first update's operands."""

    _handle = None

    def _make(self, make, *options):
        self._handle = make(*options)

    def __setattr__(self, name, value):
        _refuse_option(self, name)
        object.__setattr__(self, name, value)

    def __format__(self, spec):
        return format(self.value(), spec) if spec else str(self)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"{type(self).__name__}: a metric is not copied or pickled; make another one")

    def update(self, prediction, target=None):
        """Adds a batch; does not wait for it."""
        _situ.metric(self._handle, "update", prediction, target)
        return self

    def value(self):
        """The value so far, as a number; NaN before the first update."""
        return _situ.metric(self._handle, "value")

    def __float__(self):
        return self.value()

    def result(self):
        """The value as a tensor on the device; one for each class if the metric counts classes."""
        return _situ.metric(self._handle, "result")

    def reset(self):
        """Starts again from nothing."""
        _situ.metric(self._handle, "reset")
        return self


from ._made.metrics import *  # noqa: E402,F401,F403
