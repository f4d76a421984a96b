/* situ/data.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(tensor_dataset)
{
    TAKE("tensor_dataset", 5, 1, 5, {"tensors", "targets", "classes", "names", "name"}, {NULL});
    situ_list tensors_ = arg_list(c, 0);
    situ_tensor_dataset_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.targets = arg_int32(c, 1, 1);
    o.classes = (int32_t)arg_count(c, 2, "classes");
    o.names = arg_text(c, 3, "names");
    o.name = arg_text(c, 4, "name");
    return end_handle(c, c->failed ? NULL : (situ_tensor_dataset)(tensors_, &o, c->site), DATASET, dataset_end);
}

MADE(ragged_dataset)
{
    TAKE("ragged_dataset", 8, 3, 8, {"values", "lengths", "tensors", "targets", "classes", "fill", "names", "name"}, {NULL});
    situ_tensor *values_ = arg_tensor(c, 0);
    situ_tensor *lengths_ = arg_tensor(c, 1);
    situ_list tensors_ = arg_list(c, 2);
    situ_ragged_dataset_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.targets = arg_int32(c, 3, 1);
    o.classes = arg_int32(c, 4, 0);
    o.fill = arg_double(c, 5, 0);
    o.names = arg_text(c, 6, "names");
    o.name = arg_text(c, 7, "name");
    return end_handle(c, c->failed ? NULL : (situ_ragged_dataset)(values_, lengths_, tensors_, &o, c->site), DATASET, dataset_end);
}

MADE(window_dataset)
{
    TAKE("window_dataset", 4, 2, 4, {"sequence", "length", "stride", "name"}, {NULL});
    situ_tensor *sequence_ = arg_tensor(c, 0);
    int64_t length_ = arg_int(c, 1, 0);
    situ_window_dataset_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_count(c, 2, "stride");
    o.name = arg_text(c, 3, "name");
    return end_handle(c, c->failed ? NULL : (situ_window_dataset)(sequence_, length_, &o, c->site), DATASET, dataset_end);
}

MADE(digits)
{
    TAKE("digits", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_digits)(), DATASET, dataset_end);
}

MADE(idx_folder)
{
    TAKE("idx_folder", 2, 1, 2, {"folder", "prefix"}, {NULL});
    const char *folder_ = arg_text(c, 0, "folder");
    const char *prefix_ = arg_text(c, 1, "prefix");
    return end_handle(c, c->failed ? NULL : (situ_idx_folder)(folder_, prefix_), DATASET, dataset_end);
}

MADE(csv)
{
    TAKE("csv", 7, 1, 7, {"path", "inputs", "targets", "categories", "header", "skip_empty", "separator"}, {NULL});
    const char *path_ = arg_text(c, 0, "path");
    situ_csv_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.inputs = arg_text(c, 1, "inputs");
    o.targets = arg_text(c, 2, "targets");
    o.categories = arg_text(c, 3, "categories");
    o.header = arg_bool(c, 4, true);
    o.skip_empty = arg_bool(c, 5, false);
    o.separator = arg_text(c, 6, "separator");
    return end_handle(c, c->failed ? NULL : (situ_csv)(path_, &o, c->site), DATASET, dataset_end);
}

MADE(numpy)
{
    TAKE("numpy", 4, 1, 4, {"path", "inputs", "targets", "f64"}, {NULL});
    const char *path_ = arg_text(c, 0, "path");
    situ_numpy_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.inputs = arg_text(c, 1, "inputs");
    o.targets = arg_text(c, 2, "targets");
    o.f64 = arg_bool(c, 3, false);
    return end_handle(c, c->failed ? NULL : (situ_numpy)(path_, &o, c->site), DATASET, dataset_end);
}

MADE(cifar)
{
    TAKE("cifar", 2, 1, 2, {"folder", "test"}, {NULL});
    const char *folder_ = arg_text(c, 0, "folder");
    situ_cifar_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.test = arg_bool(c, 1, false);
    return end_handle(c, c->failed ? NULL : (situ_cifar)(folder_, &o, c->site), DATASET, dataset_end);
}

MADE(image_folder)
{
    TAKE("image_folder", 5, 1, 5, {"folder", "height", "width", "crop", "grey"}, {NULL});
    const char *folder_ = arg_text(c, 0, "folder");
    situ_image_folder_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.height = (int32_t)arg_count(c, 1, "height");
    o.width = (int32_t)arg_count(c, 2, "width");
    o.crop = arg_bool(c, 3, false);
    o.grey = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_image_folder)(folder_, &o, c->site), DATASET, dataset_end);
}

MADE(text_dataset)
{
    TAKE("text_dataset", 7, 2, 7, {"path", "length", "words", "most", "stride", "pairs", "vocabulary"}, {NULL});
    const char *path_ = arg_text(c, 0, "path");
    int64_t length_ = arg_int(c, 1, 0);
    situ_text_dataset_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.words = arg_bool(c, 2, false);
    o.most = (int32_t)arg_count(c, 3, "most");
    o.stride = arg_int(c, 4, 0);
    o.pairs = arg_bool(c, 5, false);
    o.vocabulary = arg_text(c, 6, "vocabulary");
    return end_handle(c, c->failed ? NULL : (situ_text_dataset)(path_, length_, &o, c->site), DATASET, dataset_end);
}

MADE(vocabulary_dataset)
{
    TAKE("vocabulary_dataset", 1, 1, 1, {"path"}, {NULL});
    const char *path_ = arg_text(c, 0, "path");
    return end_handle(c, c->failed ? NULL : (situ_vocabulary_dataset)(path_), DATASET, dataset_end);
}

MADE(loader_new)
{
    TAKE("Loader", 12, 1, 12, {"data", "batch", "shuffle", "key", "drop_last", "resident", "device", "workers", "batches", "stratified", "buckets", "multiple"}, {NULL});
    const situ_dataset *data_ = arg_dataset(c, 0);
    situ_loader_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.batch = arg_int(c, 1, 64);
    o.shuffle = arg_bool(c, 2, false);
    o.key = arg_int(c, 3, 0);
    o.drop_last = arg_bool(c, 4, false);
    o.resident = arg_bool(c, 5, true);
    o.device = arg_device(c, 6);
    o.workers = arg_int32(c, 7, 1);
    o.batches = arg_count(c, 8, "batches");
    o.stratified = arg_bool(c, 9, false);
    o.buckets = arg_bool(c, 10, false);
    o.multiple = arg_int(c, 11, 1);
    return end_handle(c, c->failed ? NULL : (situ_loader_new)(data_, &o, c->site), LOADER, loader_end);
}

PyMethodDef made_data_methods[] = {
    MADE_ROW(tensor_dataset, tensor_dataset,
        "tensor_dataset(tensors, *, targets=1, classes=None, names=None, name=None)\n--\n\nFrom tensors [n, ...] of "
        "any dtypes with the same number of rows: inputs, then targets. Their values are read.\n\ntargets: how many "
        "of the tensors, counted from the end, are targets\nclasses: the first target holds labels below this "
        "number; None: found out, if it has integers [n] from 0 on\nnames: names of the tensors, separated by "
        "commas\nname: name of the data set"),
    MADE_ROW(ragged_dataset, ragged_dataset,
        "ragged_dataset(values, lengths, tensors, *, targets=1, classes=0, fill=0.0, names=None, name=None)\n--\n\n"
        "Rows of different lengths: `values` [total, ...] has all rows one after the other, `lengths` [n] "
        "(integers) the length of each. A\nbatch pads them to its longest row: its first input is [rows, longest, "
        "...], its second one their lengths, i32 [rows]. Then come\nthe tensors [n, ...], the last of which are "
        "targets.\n\ntargets: how many of the tensors, counted from the end, are targets\nclasses: as in "
        "tensor_dataset\nfill: value for padding shorter rows\nnames: names of the rows' values and of the tensors, "
        "separated by commas\nname: name of the data set"),
    MADE_ROW(window_dataset, window_dataset,
        "window_dataset(sequence, length, *, stride=None, name=None)\n--\n\nWindows of a sequence [n, ...], for "
        "learning to predict the next element: the input of row i has the `length` elements from i *\nstride on, "
        "its target the same elements shifted by one. They share one copy of the sequence.\n\nstride: distance "
        "between windows; None: the length of a window\nname: name of the data set"),
    MADE_ROW(digits, digits,
        "digits()\n--\n\n1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, "
        "CC BY 4.0)."),
    MADE_ROW(idx_folder, idx_folder,
        "idx_folder(folder, prefix=None)\n--\n\nIDX files in a folder, plain or gzip: "
        "<prefix>*images-idx3-ubyte[gz] and the labels with the same name\n(<prefix>*labels-idx1-ubyte[gz]); pixels "
        "0 to 255 become 0 to 1. None prefix: the first pair in alphabetical order, preferably\none that begins "
        "with \"train\"."),
    MADE_ROW(csv, csv,
        "csv(path, *, inputs=None, targets=None, categories=None, header=True, skip_empty=False, separator=None)\n"
        "--\n\nA CSV file, plain or gzip, with quotes as in RFC 4180. All input columns of numbers together are one "
        "field, f32 [n, columns].\nEach input column of text is another field, i32 [n]: the index of its category "
        "in alphabetical order. The same holds for targets;\na first target of categories has labels.\n\ninputs: "
        "columns by name, or by number from 0, separated by commas; none: all columns that are not targets\n"
        "targets: columns, as above; none: the last one\ncategories: columns of numbers that are categories, as "
        "text always is\nheader: the first line names the columns\nskip_empty: skips rows with an empty cell; "
        "false: they are an error\nseparator: the character between cells; none: a comma"),
    MADE_ROW(numpy, numpy,
        "numpy(path, *, inputs=None, targets=None, f64=False)\n--\n\nA NumPy file, npy (one input named \"input\") "
        "or npz: arrays [n, ...] of numbers with the same number of rows.\n\ninputs: names of arrays, separated by "
        "commas; none: all that are not targets, in their order\ntargets: names of arrays; none: there are no "
        "targets\nf64: keeps arrays of f64; false: they become f32"),
    MADE_ROW(cifar, cifar,
        "cifar(folder, *, test=False)\n--\n\nThe binary files of CIFAR-10 (data_batch_1.bin to 5, test_batch.bin) "
        "or CIFAR-100 (train.bin, test.bin; the fine labels) in a\nfolder: images of [3, 32, 32], which batches "
        "have as f32 from 0 to 1.\n\ntest: the test images, instead of the training images"),
    MADE_ROW(image_folder, image_folder,
        "image_folder(folder, *, height=None, width=None, crop=False, grey=False)\n--\n\nA folder with one "
        "subfolder of images for each class: PNG (read by libpng) and JPEG (by libturbojpeg); both libraries are "
        "opened\nat run time. Classes are numbered in the order of their names' bytes; dataset_token gives the "
        "names. Images are all files\nwith such extensions in a class's folder and below, in that order, too; names "
        "that begin with a dot are skipped. In memory they\nare u8 [n, channels, height, width]; batches have them "
        "as f32 from 0 to 1. Transparent pixels are put on black, 16 bits are\nreduced to 8, and the orientation "
        "tag of cameras is ignored. To shrink, pixels are averaged (triangle filter).\n\nheight: height of all "
        "images in pixels; None: images keep their size, and must all have the same\nwidth: width, as height; None: "
        "images keep it\ncrop: keeps proportions and crops both sides; false: stretches\ngrey: one channel instead "
        "of red, green and blue"),
    MADE_ROW(text_dataset, text_dataset,
        "text_dataset(path, length, *, words=False, most=None, stride=0, pairs=False, vocabulary=None)\n--\n\n"
        "Windows of a text file, plain or gzip, as window_dataset makes them from the token numbers, i32. The "
        "vocabulary is sorted by\nbytes; dataset_classes gives its size. With pairs (byte-pair encoding; R. "
        "Sennrich, B. Haddow and A. Birch, Neural machine\ntranslation of rare words with subword units, 2016) it "
        "begins with the 256 bytes. Then the most frequent pair becomes a token,\nrepeatedly, as long as a pair "
        "occurs twice. A pair never crosses the end of a word, to which the space before it belongs. So\nevery text "
        "can be encoded, and dataset_decode restores all of its bytes.\n\nwords: tokens are words and punctuation, "
        "without white space; false: characters of UTF-8\nmost: largest size of the vocabulary: the most frequent "
        "tokens are kept, the others are token 0, \"\"; None: all\nstride: as in window_dataset\npairs: tokens are "
        "bytes and pairs of tokens, learned from the text until there are most (0: 1,024) of them\nvocabulary: a "
        "file of dataset_save_vocabulary, whose tokens are used with the same numbers; an unknown token is token 0, "
        "\"\", or an error if the vocabulary has no such token. none: the vocabulary of the text"),
    MADE_ROW(vocabulary_dataset, vocabulary_dataset,
        "vocabulary_dataset(path)\n--\n\nA data set without rows that has the vocabulary of such a file, for "
        "dataset_encode, dataset_decode and\ndataset_token without a text."),
    MADE_ROW(loader_new, loader_new,
        "loader_new(data, *, batch=64, shuffle=False, key=0, drop_last=False, resident=True, device=None, "
        "workers=1, batches=None, stratified=False, buckets=False, multiple=1)\n--\n\nThe data set must outlive the "
        "loader. Rows that are augmented, made by a function or padded, and windows, are gathered by threads\neven "
        "if resident is set.\n\nbatch: rows of a batch; the last one of an epoch may have fewer\nshuffle: a new "
        "order in each epoch, by key and epoch\nkey: key for the order of rows\ndrop_last: drops an incomplete last "
        "batch; an error if no batch is left\nresident: the set is on the device, and batches are slices of it; "
        "false: a thread gathers the next batches on the host while the device works\ndevice: where batches are; "
        "default: the thread's default device\nworkers: number of threads that gather batches (a stream has one)\n"
        "batches: largest number of batches in an epoch; None: all (a stream: until it ends)\nstratified: each "
        "batch has about the same share of each label\nbuckets: puts rows of similar length into one batch, which "
        "saves padding\nmultiple: padded lengths are multiples of this, so that fewer plans are made"),
    {NULL, NULL, 0, NULL}};
