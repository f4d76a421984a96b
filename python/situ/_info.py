"""__array_namespace_info__."""
from . import _situ
from ._device import cpu, gpu, num_gpus
from ._dtypes import ALL, _KINDS, complex64, float32, int64

_STANDARD = {d.name: d for d in ALL if d.name not in ("float16", "bfloat16")}


class Info:
    """Capabilities of this namespace, as the array API standard asks for them."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        return _situ.default_device()

    def default_dtypes(self, *, device=None):
        return {"real floating": float32, "complex floating": complex64, "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        if kind is None:
            return dict(_STANDARD)
        kinds = set()
        for k in kind if isinstance(kind, tuple) else (kind,):
            if k not in _KINDS:
                raise ValueError(f"{k!r} is no kind of dtypes; write one of {', '.join(map(repr, _KINDS))}")
            kinds |= _KINDS[k]
        return {name: d for name, d in _STANDARD.items() if d.kind in kinds}

    def devices(self):
        return (cpu(),) + tuple(gpu(i) for i in range(num_gpus()))


def __array_namespace_info__():
    """The namespace's capabilities, dtypes, devices and defaults."""
    return Info()
