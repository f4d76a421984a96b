"""Made by scripts/generate.py from include/situ: change that."""
from .. import _situ
from ..data import Dataset


def digits() -> Dataset:
    """1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, CC BY 4.0)."""
    return Dataset(_handle=_situ.digits())


def idx_folder(folder: str, prefix: str | None = None) -> Dataset:
    """IDX files of a folder, plain or gzip: <prefix>*images-idx3-ubyte[gz] and the labels of the same name
    (<prefix>*labels-idx1-ubyte[gz]); pixels 0 to 255 become 0 to 1. None prefix: the first pair in order of names,
    but one that begins with 'train' before others."""
    return Dataset(_handle=_situ.idx_folder(folder, prefix))


__all__ = ["digits", "idx_folder"]
