"""Several processes that compute together: Python programs started by mpirun."""
import atexit
import os

from . import _situ


def _end(process):
    """At the end of the program, but not of a child forked from it, reports the error of a call whose result nobody has
    read."""
    if os.getpid() == process:
        _situ.wait(None)


class Group:
    """All processes that mpirun has started: group = situ.Group(); mpirun -n 4 python program.py

    Each has a `rank`, from 0; there are `size`. `engine` says what transfers the bytes, such as "Open MPI 4.1.4"; a
    program started without mpirun is a group of one, with the engine "none". All ranks make the same calls in the
    same order. If the calls differ, each rank gets a MismatchError that names rank and line. If a rank ends, or does
    not answer within `deadline` seconds (30 by default), the others get a RankLostError. A process has one group: a
    second Group() is the same one."""

    def __init__(self, *, deadline=None):
        self._handle, self.engine = _situ.group_open(0.0 if deadline is None else deadline)
        atexit.unregister(_end)
        if self.size > 1:
            atexit.register(_end, os.getpid())

    @property
    def rank(self):
        """This process's number, from 0. It changes if lower ranks are lost and a training goes on (docs/several.md)."""
        return _situ.group_place(self._handle)[0]

    @property
    def size(self):
        """Number of ranks, without lost ones."""
        return _situ.group_place(self._handle)[1]

    def __repr__(self):
        return f"Group(rank={self.rank}, size={self.size}, engine={self.engine!r})"

    def __reduce_ex__(self, protocol):
        raise TypeError("Group: a group is of its process: it is not copied or pickled; make one in each")

    def all_reduce(self, x, reduction="sum"):
        """The sum of x over all ranks, with the same bits on each; or the elementwise "mean", "max" or "min". It has a
        gradient."""
        return _situ.group(self._handle, "all_reduce", x, reduction)

    def reduce_scatter(self, x, reduction="sum"):
        """The same, but each rank gets only its part: of x [n * size, ...] the rows [n, ...] from rank * n on."""
        return _situ.group(self._handle, "reduce_scatter", x, reduction)

    def all_gather(self, x):
        """x of all ranks, concatenated along axis 0: [n, ...] gives [n * size, ...]."""
        return _situ.group(self._handle, "all_gather", x)

    def broadcast(self, x, root=0):
        """x of rank `root`, on every rank. The others pass an x of the same shape and dtype; its values are not read."""
        return _situ.group(self._handle, "broadcast", x, root)

    def barrier(self):
        """Returns when all ranks have called it."""
        _situ.group(self._handle, "barrier")

    def send(self, x, to):
        """Sends x to another rank, which receives it; both wait for each other."""
        _situ.group(self._handle, "send", x, to)

    def receive(self, like, source):
        """What rank `source` sends, with the shape and dtype of `like`, on its device."""
        return _situ.group(self._handle, "receive", like, source)

    def cut(self, total):
        """(first, count): which of `total` items belong to this rank, for tree_sum."""
        return _situ.group_cut(self._handle, total)

    def tree_sum(self, tensors, total, like=None):
        """The sum of `total` tensors of one shape; this rank passes those of cut(total), in order. They are added in
        one fixed tree, whichever rank has them, so the bits do not depend on the number of ranks. `like` has their
        shape, for a rank that has none."""
        return _situ.group_tree_sum(self._handle, tensors, total, like)
