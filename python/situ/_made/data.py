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
    """From tensors [n, ...] of any dtypes with the same number of rows: inputs, then targets. Their values are read.

    targets: how many of the tensors, counted from the end, are targets
    classes: the first target holds labels below this number; None: found out, if it has integers [n] from 0 on
    names: names of the tensors, separated by commas
    name: name of the data set"""
    return Dataset(_handle=_situ.tensor_dataset(tensors, targets, classes, names, name))


def ragged_dataset(values: Operand, lengths: Operand, tensors: Sequence[Tensor], *, targets: int = 1, classes: int =
        0, fill: float = 0.0, names: str | None = None, name: str | None = None) -> Dataset:
    """Rows of different lengths: `values` [total, ...] has all rows one after the other, `lengths` [n] (integers) the length of each. A
    batch pads them to its longest row: its first input is [rows, longest, ...], its second one their lengths, i32 [rows]. Then come
    the tensors [n, ...], the last of which are targets.

    targets: how many of the tensors, counted from the end, are targets
    classes: as in tensor_dataset
    fill: value for padding shorter rows
    names: names of the rows' values and of the tensors, separated by commas
    name: name of the data set"""
    return Dataset(_handle=_situ.ragged_dataset(values, lengths, tensors, targets, classes, fill, names, name))


def window_dataset(sequence: Operand, length: int, *, stride: int | None = None, name: str | None = None) -> Dataset:
    """Windows of a sequence [n, ...], for learning to predict the next element: the input of row i has the `length` elements from i *
    stride on, its target the same elements shifted by one. They share one copy of the sequence.

    stride: distance between windows; None: the length of a window
    name: name of the data set"""
    return Dataset(_handle=_situ.window_dataset(sequence, length, stride, name))


def digits() -> Dataset:
    """1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, CC BY 4.0)."""
    return Dataset(_handle=_situ.digits())


def idx_folder(folder: str, prefix: str | None = None) -> Dataset:
    """IDX files in a folder, plain or gzip: <prefix>*images-idx3-ubyte[gz] and the labels with the same name
    (<prefix>*labels-idx1-ubyte[gz]); pixels 0 to 255 become 0 to 1. None prefix: the first pair in alphabetical order, preferably
    one that begins with 'train'."""
    return Dataset(_handle=_situ.idx_folder(folder, prefix))


def csv(path: str, *, inputs: str | None = None, targets: str | None = None, categories: str | None = None, header:
        bool = True, skip_empty: bool = False, separator: str | None = None) -> Dataset:
    """A CSV file, plain or gzip, with quotes as in RFC 4180. All input columns of numbers together are one field, f32 [n, columns].
    Each input column of text is another field, i32 [n]: the index of its category in alphabetical order. The same holds for targets;
    a first target of categories has labels.

    inputs: columns by name, or by number from 0, separated by commas; none: all columns that are not targets
    targets: columns, as above; none: the last one
    categories: columns of numbers that are categories, as text always is
    header: the first line names the columns
    skip_empty: skips rows with an empty cell; false: they are an error
    separator: the character between cells; none: a comma"""
    return Dataset(_handle=_situ.csv(path, inputs, targets, categories, header, skip_empty, separator))


def numpy(path: str, *, inputs: str | None = None, targets: str | None = None, f64: bool = False) -> Dataset:
    """A NumPy file, npy (one input named 'input') or npz: arrays [n, ...] of numbers with the same number of rows.

    inputs: names of arrays, separated by commas; none: all that are not targets, in their order
    targets: names of arrays; none: there are no targets
    f64: keeps arrays of f64; false: they become f32"""
    return Dataset(_handle=_situ.numpy(path, inputs, targets, f64))


def cifar(folder: str, *, test: bool = False) -> Dataset:
    """The binary files of CIFAR-10 (data_batch_1.bin to 5, test_batch.bin) or CIFAR-100 (train.bin, test.bin; the fine labels) in a
    folder: images of [3, 32, 32], which batches have as f32 from 0 to 1.

    test: the test images, instead of the training images"""
    return Dataset(_handle=_situ.cifar(folder, test))


def image_folder(folder: str, *, height: int | None = None, width: int | None = None, crop: bool = False, grey: bool =
        False) -> Dataset:
    """A folder with one subfolder of images for each class: PNG (read by libpng) and JPEG (by libturbojpeg); both libraries are opened
    at run time. Classes are numbered in the order of their names' bytes; dataset_token gives the names. Images are all files
    with such extensions in a class's folder and below, in that order, too; names that begin with a dot are skipped. In memory they
    are u8 [n, channels, height, width]; batches have them as f32 from 0 to 1. Transparent pixels are put on black, 16 bits are
    reduced to 8, and the orientation tag of cameras is ignored. To shrink, pixels are averaged (triangle filter).

    height: height of all images in pixels; None: images keep their size, and must all have the same
    width: width, as height; None: images keep it
    crop: keeps proportions and crops both sides; false: stretches
    grey: one channel instead of red, green and blue"""
    return Dataset(_handle=_situ.image_folder(folder, height, width, crop, grey))


def text_dataset(path: str, length: int, *, words: bool = False, most: int | None = None, stride: int = 0, pairs: bool
        = False, vocabulary: str | None = None) -> Dataset:
    """Windows of a text file, plain or gzip, as window_dataset makes them from the token numbers, i32. The vocabulary is sorted by
    bytes; dataset_classes gives its size. With pairs (byte-pair encoding; R. Sennrich, B. Haddow and A. Birch, Neural machine
    translation of rare words with subword units, 2016) it begins with the 256 bytes. Then the most frequent pair becomes a token,
    repeatedly, as long as a pair occurs twice. A pair never crosses the end of a word, to which the space before it belongs. So
    every text can be encoded, and dataset_decode restores all of its bytes.

    words: tokens are words and punctuation, without white space; false: characters of UTF-8
    most: largest size of the vocabulary: the most frequent tokens are kept, the others are token 0, ''; None: all
    stride: as in window_dataset
    pairs: tokens are bytes and pairs of tokens, learned from the text until there are most (0: 1,024) of them
    vocabulary: a file of dataset_save_vocabulary, whose tokens are used with the same numbers; an unknown token is token 0, '', or an error if the vocabulary has no such token. none: the vocabulary of the text"""
    return Dataset(_handle=_situ.text_dataset(path, length, words, most, stride, pairs, vocabulary))


def vocabulary_dataset(path: str) -> Dataset:
    """A data set without rows that has the vocabulary of such a file, for dataset_encode, dataset_decode and
    dataset_token without a text."""
    return Dataset(_handle=_situ.vocabulary_dataset(path))


__all__ = ["tensor_dataset", "ragged_dataset", "window_dataset", "digits", "idx_folder", "csv", "numpy", "cifar",
           "image_folder", "text_dataset", "vocabulary_dataset"]
