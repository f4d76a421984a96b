"""Several processes that compute together: python programs under mpirun."""
import atexit
import os

from . import _situ


def _end(process):
    """What went wrong in a call whose result nobody has read is said at the end of the program, not at that of a child forked from it."""
    if os.getpid() == process:
        _situ.wait(None)


class Group:
    """All processes that mpirun has started: group = situ.Group(); mpirun -n 4 python program.py

    Each of them has a `rank`, from 0; there are `size`. `engine` says what carries the bytes, as "Open MPI 4.1.4"; a program that was
    started without mpirun is a group of one, with the engine "none". All ranks make the same calls in the same order. A call that is
    another one on some rank is a MismatchError on each, which names rank and line; a rank that ends or does not answer within
    `deadline` seconds (30 if none is given) is a RankLostError. There is one group in a process: a second Group() is the same."""

    def __init__(self, *, deadline=None):
        self._handle, self.engine = _situ.group_open(0.0 if deadline is None else deadline)
        atexit.unregister(_end)
        if self.size > 1:
            atexit.register(_end, os.getpid())

    @property
    def rank(self):
        """Which one this process is, from 0; another one once ranks before it are lost and a training goes on (docs/several.md)."""
        return _situ.group_place(self._handle)[0]

    @property
    def size(self):
        """How many there are, without those that are lost."""
        return _situ.group_place(self._handle)[1]

    def __repr__(self):
        return f"Group(rank={self.rank}, size={self.size}, engine={self.engine!r})"

    def __reduce_ex__(self, protocol):
        raise TypeError("Group: a group is of its process: it is not copied or pickled; make one in each")

    def all_reduce(self, x, reduction="sum"):
        """The sum of all ranks' x, on every rank the same bits; or their "mean", "max", "min", by element. It has a gradient."""
        return _situ.group(self._handle, "all_reduce", x, reduction)

    def reduce_scatter(self, x, reduction="sum"):
        """The same, of which each rank gets its part alone: of x [n * size, ...] the rows [n, ...] from rank * n on."""
        return _situ.group(self._handle, "reduce_scatter", x, reduction)

    def all_gather(self, x):
        """All ranks' x behind each other along axis 0: [n, ...] gives [n * size, ...]."""
        return _situ.group(self._handle, "all_gather", x)

    def broadcast(self, x, root=0):
        """x of rank `root`, on every rank; the others give an x of the same shape and dtype, whose values nobody reads."""
        return _situ.group(self._handle, "broadcast", x, root)

    def barrier(self):
        """Returns when all ranks have called it."""
        _situ.group(self._handle, "barrier")

    def send(self, x, to):
        """Sends x to one rank, which receives it; both wait for each other."""
        _situ.group(self._handle, "send", x, to)

    def receive(self, like, source):
        """What rank `source` sends, of the shape and dtype of `like`, on its device."""
        return _situ.group(self._handle, "receive", like, source)

    def cut(self, total):
        """(first, count): which of `total` things in a row are this rank's, for tree_sum."""
        return _situ.group_cut(self._handle, total)

    def tree_sum(self, tensors, total, like=None):
        """The sum of `total` tensors of one shape, of which this rank has those of cut(total), in order. They are added in one tree,
        whoever has them, so that the bits do not depend on the number of ranks. `like` has their shape where a rank has none."""
        return _situ.group_tree_sum(self._handle, tensors, total, like)
