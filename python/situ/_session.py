"""A network's call bound to memory, which runs without Python's lock."""
import threading as _threading

from . import _situ, nn
from ._errors import BY_CODE as _BY_CODE, handle as _handle_of

# The letters of memoryview by the numbers of dtypes; what it has no letter for is a row of bytes.
_LETTERS = ("?", "B", "H", "I", "Q", "b", "h", "i", "q", "e", None, "f", "d", None, None)


class Session:
    """Binds what a network computes from inputs like these. A call copies its inputs into the session's memory, computes in the calling
    thread without Python's lock, and returns a memoryview of each result (one: itself), which numpy.asarray takes without a copy. Each
    call sees the network's newest values as a whole, also while another thread trains it.

        session = situ.Session(net, situ.zeros((1, 32)))
        y = np.asarray(session(x))                        # x: what has a buffer, of the input's shape and dtype
        step = situ.Session(gru, x, h, state="1=1")       # input 1 gets result 1 of the call before

    state: pairs "input=result", separated by commas; a call takes the other inputs alone"""

    def __init__(self, net, *inputs, state=None):
        self._lock = _threading.Lock()
        self._handle = _situ.session_open(_handle_of("Session", "the network", net, nn.Module), [_situ.asarray(x) for x in inputs], state)
        carried = {int(pair.split("=")[0]) for pair in state.split(",")} if state else set()
        self._given = [i for i in range(len(inputs)) if i not in carried]
        self._inputs, self._results = _situ.session_says(self._handle, False), _situ.session_says(self._handle, True)

    def _view(self, i, about, is_input):
        (shape, dtype), whole = about, memoryview(_situ.session_get(self._handle, i, is_input))
        letter = _LETTERS[dtype]
        return whole.cast(letter, shape) if letter and len(whole) else whole

    def _check(self, x, i):
        view, (shape, dtype) = memoryview(x), self._inputs[i]
        letter = view.format.lstrip("@=")
        if letter in "lL":  # a long is one of the two
            letter = {"l4": "i", "L4": "I", "l8": "q", "L8": "Q"}[f"{letter}{view.itemsize}"]
        if view.shape != shape or (_LETTERS[dtype] and letter != _LETTERS[dtype]):
            raise ValueError(f"Session: input {i} has the shape {shape} and the format {_LETTERS[dtype]!r}, not {view.shape} and {view.format!r}")
        return view

    def __call__(self, *inputs):
        if len(inputs) != len(self._given):
            raise TypeError(f"Session: it takes {len(self._given)} inputs, not {len(inputs)}")
        views = [self._check(x, i) for x, i in zip(inputs, self._given)]
        with self._lock:
            for view, i in zip(views, self._given):
                _situ.session_put(self._handle, i, view)
            code = -_situ.session_run(self._handle, False)
            if code:
                raise _BY_CODE[code]("Session: the network cannot compute these inputs")
            results = tuple(self._view(i, about, False) for i, about in enumerate(self._results))
        return results[0] if len(results) == 1 else results

    def reset(self):
        """The inputs of state get the values that they had at the beginning."""
        with self._lock:
            _situ.session_run(self._handle, True)

    def state(self):
        """{input: its value for the next call}, to be given to set_state."""
        with self._lock:
            return {i: self._view(i, about, True) for i, about in enumerate(self._inputs) if i not in self._given}

    def set_state(self, state):
        """Gives the inputs of state these values."""
        views = {i: self._check(x, i) for i, x in state.items()}
        with self._lock:
            for i, view in views.items():
                _situ.session_put(self._handle, i, view)
