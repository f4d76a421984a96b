"""The library's errors as exceptions; each is also what Python would raise for such a mistake."""


class Error(Exception):
    """An error of situ; the message names the operation, what was wrong, the line, and what to write instead."""

    code = 0


def _make(code, name, base, doc):
    return type(name, (Error, base), {"code": code, "__doc__": doc, "__module__": "situ"})


_ROWS = [(101, "HostMemoryError", MemoryError, "The machine is out of memory."),
         (102, "LibraryError", OSError, "A library that is opened at run time was not found."),
         (103, "ForkError", RuntimeError, "The process was forked after situ was used; call situ.after_fork() in the child."),
         (104, "ThreadError", RuntimeError, "A thread could not be started."),
         (201, "ArgumentError", ValueError, "An argument that makes no sense."),
         (202, "ShapeError", ValueError, "Shapes that do not fit."),
         (203, "DTypeError", TypeError, "A dtype that the operation has no rule for."),
         (204, "DeviceMismatchError", ValueError, "Operands on several devices."),
         (205, "OutOfRangeError", IndexError, "An index out of range, found while computing."),
         (206, "OptionError", ValueError, "An option out of its range."),
         (207, "OverwrittenError", RuntimeError, "A tensor that needs the old value of a variable."),
         (208, "BudgetError", RuntimeError, "A guard forbids this copy or wait."),
         (209, "SingularError", ArithmeticError, "A matrix that is singular or not positive definite."),
         (210, "NumberError", OverflowError, "A number that the dtype does not hold."),
         (301, "UnsupportedError", NotImplementedError, "A valid request that this build has no code for."),
         (302, "GradientError", TypeError, "A gradient through an operation that has none."),
         (401, "NoDeviceError", RuntimeError, "The device does not exist; the message says why."),
         (402, "DeviceMemoryError", MemoryError, "The device's memory limit is reached."),
         (403, "DeviceLostError", RuntimeError, "The device stopped answering."),
         (501, "FileError", OSError, "A file or a stream could not be read or written."),
         (502, "FormatError", ValueError, "A file that is not what it should be.")]
BY_CODE = {code: _make(code, name, base, doc) for code, name, base, doc in _ROWS}
globals().update({c.__name__: c for c in BY_CODE.values()})
__all__ = ["Error"] + [row[1] for row in _ROWS]
