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
        "any dtypes and as many rows each: inputs, then targets. Their values are read.\n\ntargets: how many of the "
        "tensors, the last ones, are targets\nclasses: the first target holds labels below this; None: finds that "
        "out of integers [n] from 0 on\nnames: of the tensors, with commas between them\nname: of the data set"),
    MADE_ROW(ragged_dataset, ragged_dataset,
        "ragged_dataset(values, lengths, tensors, *, targets=1, classes=0, fill=0.0, names=None, name=None)\n--\n\n"
        "Rows of different lengths: `values` [total, ...] has them one after the other, `lengths` [n] (integers) "
        "says how long each is.\nA batch has them padded to its longest one, [rows, longest, ...], as its first "
        "input, and their lengths, i32 [rows], as its\nsecond one; then the tensors [n, ...], of which the last "
        "ones are targets.\n\ntargets: how many of the tensors, the last ones, are targets\nclasses: as in "
        "tensor_dataset\nfill: what shorter rows are padded with\nnames: of the rows' values and of the tensors, "
        "with commas between them\nname: of the data set"),
    MADE_ROW(window_dataset, window_dataset,
        "window_dataset(sequence, length, *, stride=None, name=None)\n--\n\nWindows of a sequence [n, ...]: the "
        "input of row i is the elements from i stride on, `length` of them, its target the same one\nelement later: "
        "what a model of the next element learns from. They share the memory of one copy.\n\nstride: from one "
        "window to the next; None: as far as a window is long\nname: of the data set"),
    MADE_ROW(digits, digits,
        "digits()\n--\n\n1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, "
        "CC BY 4.0)."),
    MADE_ROW(idx_folder, idx_folder,
        "idx_folder(folder, prefix=None)\n--\n\nIDX files of a folder, plain or gzip: "
        "<prefix>*images-idx3-ubyte[gz] and the labels of the same name\n(<prefix>*labels-idx1-ubyte[gz]); pixels 0 "
        "to 255 become 0 to 1. None prefix: the first pair in order of names,\nbut one that begins with \"train\" "
        "before others."),
    MADE_ROW(csv, csv,
        "csv(path, *, inputs=None, targets=None, categories=None, header=True, skip_empty=False, separator=None)\n"
        "--\n\nA text file of columns, plain or gzip, quoted as in RFC 4180. The input columns of numbers are one "
        "field, f32 [n, columns], and\neach one of text is another, i32 [n]: the number of its category in the "
        "order of the alphabet. So are the targets; a first one of\ncategories are labels.\n\ninputs: columns by "
        "name, or number from 0, with commas between them; none: all that are no targets\ntargets: columns, as "
        "above; none: the last one\ncategories: columns whose numbers are categories, as text always is\nheader: "
        "the first line names the columns\nskip_empty: rows with an empty cell are left out; false: they are an "
        "error\nseparator: one character between cells; none: a comma"),
    MADE_ROW(numpy, numpy,
        "numpy(path, *, inputs=None, targets=None, f64=False)\n--\n\nA NumPy file, npy (an input of the name "
        "\"input\") or npz: arrays [n, ...] of numbers, as many rows each.\n\ninputs: names of arrays, with commas "
        "between them; none: all that are no targets, as they come\ntargets: names of arrays; none: there are no "
        "targets\nf64: arrays of f64 stay so; false: they become f32"),
    MADE_ROW(cifar, cifar,
        "cifar(folder, *, test=False)\n--\n\nThe binary files of CIFAR-10 (data_batch_1.bin to 5, test_batch.bin) "
        "or CIFAR-100 (train.bin, test.bin; the fine labels) in a\nfolder: images of [3, 32, 32], which batches "
        "have as f32 from 0 to 1.\n\ntest: the images to test with, instead of those to train with"),
    MADE_ROW(image_folder, image_folder,
        "image_folder(folder, *, height=None, width=None, crop=False, grey=False)\n--\n\nA folder of a folder for "
        "each class with its images: PNG (read by libpng) and JPEG (by libturbojpeg); both are looked for at run\n"
        "time. Classes are numbered in the order of their names' bytes, dataset_token has those; images are all "
        "files that end as\nsuch in a class's folder and those within, in that order, too; names that begin with a "
        "dot are left out. They lie in memory as u8\n[n, channels, height, width], which batches have as f32 from 0 "
        "to 1. What is transparent lies on black, 16 bits become 8,\nand the camera's note how it was held is not "
        "looked at. To shrink, pixels are averaged (triangle filter).\n\nheight: of all images, in pixels; None: "
        "they are left as they are and have to have one size\nwidth: as height; None: as they are\ncrop: keeps "
        "proportions and cuts what is left over at both sides; false: stretches\ngrey: one channel instead of red, "
        "green and blue"),
    MADE_ROW(text_dataset, text_dataset,
        "text_dataset(path, length, *, words=False, most=None, stride=0, pairs=False, vocabulary=None)\n--\n\n"
        "Windows of a text file, plain or gzip, as window_dataset makes them of the numbers of its tokens, i32. The "
        "vocabulary is in\nthe order of bytes; dataset_classes says how large it is. With pairs (byte-pair "
        "encoding; R. Sennrich, B. Haddow and A.\nBirch, Neural machine translation of rare words with subword "
        "units, 2016) it begins with the 256 bytes; then the pair that occurs\nmost becomes a token, again and "
        "again, while one occurs twice; it never reaches over the end of a word, to which the space in\nfront "
        "belongs. So each text has tokens, and dataset_decode gives back all of its bytes.\n\nwords: tokens are "
        "words and marks between them, without white space; false: characters of UTF-8\nmost: the vocabulary has "
        "this many tokens at most, the most frequent; the others are token 0, \"\"; None: all\nstride: as in "
        "window_dataset\npairs: tokens are bytes and pairs of tokens, learned from the text until there are most "
        "(0: 1,024) of them\nvocabulary: a file of dataset_save_vocabulary, whose tokens the text has, with the "
        "same numbers; a token that is not in it is token 0, \"\", or where it has none, an error. none: the "
        "vocabulary of the text"),
    MADE_ROW(vocabulary_dataset, vocabulary_dataset,
        "vocabulary_dataset(path)\n--\n\nA data set without rows that has the vocabulary of such a file: for "
        "dataset_encode, dataset_decode and\ndataset_token where there is no text to learn from."),
    MADE_ROW(loader_new, loader_new,
        "loader_new(data, *, batch=64, shuffle=False, key=0, drop_last=False, resident=True, device=None, "
        "workers=1, batches=None, stratified=False, buckets=False, multiple=1)\n--\n\nThe data set must outlive the "
        "loader. Rows that are changed, made or padded on their way, and windows, are gathered by threads\nalso "
        "where resident is set.\n\nbatch: rows of a batch; the last one of an epoch may have fewer\nshuffle: a new "
        "order in each epoch, by key and epoch\nkey: of the order of rows\ndrop_last: leaves a short last batch "
        "out; an error if none is left\nresident: the set lies on the device and batches are slices of it; false: a "
        "thread gathers the next batches on the host while the device works\ndevice: where batches are; default: "
        "the thread's default device\nworkers: threads that gather batches (of a stream: one)\nbatches: of an epoch "
        "at most; None: all (of a stream: until it ends)\nstratified: each batch has about the same share of each "
        "label\nbuckets: rows of about one length come together, so that less is padded\nmultiple: padded lengths "
        "are multiples of this: fewer plans are made"),
    {NULL, NULL, 0, NULL}};
