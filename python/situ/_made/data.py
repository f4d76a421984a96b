"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _situ
from ..data import Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._device import Device
    from .._situ import Operand, Tensor


def tensor_dataset(tensors: Sequence[Tensor], *, targets: int = 1, classes: int | None = None, names: str | None =
        None, name: str | None = None) -> Dataset:
    """From tensors [n, ...] of any dtypes and as many rows each: inputs, then targets. Their values are read.

    targets: how many of the tensors, the last ones, are targets
    classes: the first target holds labels below this; None: finds that out of integers [n] from 0 on
    names: of the tensors, with commas between them
    name: of the data set"""
    return Dataset(_handle=_situ.tensor_dataset(tensors, targets, classes, names, name))


def ragged_dataset(values: Operand, lengths: Operand, tensors: Sequence[Tensor], *, targets: int = 1, classes: int =
        0, fill: float = 0.0, names: str | None = None, name: str | None = None) -> Dataset:
    """Rows of different lengths: `values` [total, ...] has them one after the other, `lengths` [n] (integers) says how long each is.
    A batch has them padded to its longest one, [rows, longest, ...], as its first input, and their lengths, i32 [rows], as its
    second one; then the tensors [n, ...], of which the last ones are targets.

    targets: how many of the tensors, the last ones, are targets
    classes: as in tensor_dataset
    fill: what shorter rows are padded with
    names: of the rows' values and of the tensors, with commas between them
    name: of the data set"""
    return Dataset(_handle=_situ.ragged_dataset(values, lengths, tensors, targets, classes, fill, names, name))


def window_dataset(sequence: Operand, length: int, *, stride: int | None = None, name: str | None = None) -> Dataset:
    """Windows of a sequence [n, ...]: the input of row i is the elements from i stride on, `length` of them, its target the same one
    element later: what a model of the next element learns from. They share the memory of one copy.

    stride: from one window to the next; None: as far as a window is long
    name: of the data set"""
    return Dataset(_handle=_situ.window_dataset(sequence, length, stride, name))


def digits() -> Dataset:
    """1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, CC BY 4.0)."""
    return Dataset(_handle=_situ.digits())


def idx_folder(folder: str, prefix: str | None = None) -> Dataset:
    """IDX files of a folder, plain or gzip: <prefix>*images-idx3-ubyte[gz] and the labels of the same name
    (<prefix>*labels-idx1-ubyte[gz]); pixels 0 to 255 become 0 to 1. None prefix: the first pair in order of names,
    but one that begins with 'train' before others."""
    return Dataset(_handle=_situ.idx_folder(folder, prefix))


def csv(path: str, *, inputs: str | None = None, targets: str | None = None, categories: str | None = None, header:
        bool = True, skip_empty: bool = False, separator: str | None = None) -> Dataset:
    """A text file of columns, plain or gzip, quoted as in RFC 4180. The input columns of numbers are one field, f32 [n, columns], and
    each one of text is another, i32 [n]: the number of its category in the order of the alphabet. So are the targets; a first one of
    categories are labels.

    inputs: columns by name, or number from 0, with commas between them; none: all that are no targets
    targets: columns, as above; none: the last one
    categories: columns whose numbers are categories, as text always is
    header: the first line names the columns
    skip_empty: rows with an empty cell are left out; false: they are an error
    separator: one character between cells; none: a comma"""
    return Dataset(_handle=_situ.csv(path, inputs, targets, categories, header, skip_empty, separator))


def numpy(path: str, *, inputs: str | None = None, targets: str | None = None, f64: bool = False) -> Dataset:
    """A NumPy file, npy (an input of the name 'input') or npz: arrays [n, ...] of numbers, as many rows each.

    inputs: names of arrays, with commas between them; none: all that are no targets, as they come
    targets: names of arrays; none: there are no targets
    f64: arrays of f64 stay so; false: they become f32"""
    return Dataset(_handle=_situ.numpy(path, inputs, targets, f64))


def cifar(folder: str, *, test: bool = False) -> Dataset:
    """The binary files of CIFAR-10 (data_batch_1.bin to 5, test_batch.bin) or CIFAR-100 (train.bin, test.bin; the fine labels) in a
    folder: images of [3, 32, 32], which batches have as f32 from 0 to 1.

    test: the images to test with, instead of those to train with"""
    return Dataset(_handle=_situ.cifar(folder, test))


def image_folder(folder: str, *, height: int | None = None, width: int | None = None, crop: bool = False, grey: bool =
        False) -> Dataset:
    """A folder of a folder for each class with its images: PNG (read by libpng) and JPEG (by libturbojpeg); both are looked for at run
    time. Classes are numbered in the order of their names' bytes, dataset_token has those; images are all files that end as
    such in a class's folder and those within, in that order, too; names that begin with a dot are left out. They lie in memory as u8
    [n, channels, height, width], which batches have as f32 from 0 to 1. What is transparent lies on black, 16 bits become 8,
    and the camera's note how it was held is not looked at. To shrink, pixels are averaged (triangle filter).

    height: of all images, in pixels; None: they are left as they are and have to have one size
    width: as height; None: as they are
    crop: keeps proportions and cuts what is left over at both sides; false: stretches
    grey: one channel instead of red, green and blue"""
    return Dataset(_handle=_situ.image_folder(folder, height, width, crop, grey))


def text_dataset(path: str, length: int, *, words: bool = False, most: int | None = None, stride: int = 0, pairs: bool
        = False, vocabulary: str | None = None) -> Dataset:
    """Windows of a text file, plain or gzip, as window_dataset makes them of the numbers of its tokens, i32. The vocabulary is in
    the order of bytes; dataset_classes says how large it is. With pairs (byte-pair encoding; R. Sennrich, B. Haddow and A.
    Birch, Neural machine translation of rare words with subword units, 2016) it begins with the 256 bytes; then the pair that occurs
    most becomes a token, again and again, while one occurs twice; it never reaches over the end of a word, to which the space in
    front belongs. So each text has tokens, and dataset_decode gives back all of its bytes.

    words: tokens are words and marks between them, without white space; false: characters of UTF-8
    most: the vocabulary has this many tokens at most, the most frequent; the others are token 0, ''; None: all
    stride: as in window_dataset
    pairs: tokens are bytes and pairs of tokens, learned from the text until there are most (0: 1,024) of them
    vocabulary: a file of dataset_save_vocabulary, whose tokens the text has, with the same numbers; a token that is not in it is token 0, '', or where it has none, an error. none: the vocabulary of the text"""
    return Dataset(_handle=_situ.text_dataset(path, length, words, most, stride, pairs, vocabulary))


def vocabulary_dataset(path: str) -> Dataset:
    """A data set without rows that has the vocabulary of such a file: for dataset_encode, dataset_decode and
    dataset_token where there is no text to learn from."""
    return Dataset(_handle=_situ.vocabulary_dataset(path))


__all__ = ["tensor_dataset", "ragged_dataset", "window_dataset", "digits", "idx_folder", "csv", "numpy", "cifar",
           "image_folder", "text_dataset", "vocabulary_dataset"]
