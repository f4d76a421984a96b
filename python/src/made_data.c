/* situ/data.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

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

MADE(loader_new)
{
    TAKE("Loader", 7, 1, 7, {"data", "batch", "shuffle", "key", "drop_last", "resident", "device"}, {NULL});
    const situ_dataset *data_ = arg_dataset(c, 0);
    situ_loader_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.batch = arg_int(c, 1, 64);
    o.shuffle = arg_bool(c, 2, false);
    o.key = arg_int(c, 3, 0);
    o.drop_last = arg_bool(c, 4, false);
    o.resident = arg_bool(c, 5, true);
    o.device = arg_device(c, 6);
    return end_handle(c, c->failed ? NULL : (situ_loader_new)(data_, &o, c->site), LOADER, loader_end);
}

PyMethodDef made_data_methods[] = {
    MADE_ROW(digits, digits,
        "digits()\n--\n\n1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, "
        "CC BY 4.0)."),
    MADE_ROW(idx_folder, idx_folder,
        "idx_folder(folder, prefix=None)\n--\n\nIDX files of a folder, plain or gzip: "
        "<prefix>*images-idx3-ubyte[gz] and the labels of the same name\n(<prefix>*labels-idx1-ubyte[gz]); pixels 0 "
        "to 255 become 0 to 1. None prefix: the first pair in order of names,\nbut one that begins with \"train\" "
        "before others."),
    MADE_ROW(loader_new, loader_new,
        "loader_new(data, *, batch=64, shuffle=False, key=0, drop_last=False, resident=True, device=None)\n--\n\n"
        "The data set must outlive the loader.\n\nbatch: rows of a batch; the last one of an epoch may have fewer\n"
        "shuffle: a new order in each epoch, by key and epoch\nkey: of the order of rows\ndrop_last: leaves a short "
        "last batch out; an error if none is left\nresident: the set lies on the device and batches are slices of "
        "it; false: a thread gathers the next batches on the host while the device works\ndevice: where batches "
        "are; default: the thread's default device"),
    {NULL, NULL, 0, NULL}};
