/* situ/train.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(trainer_new)
{
    TAKE("Trainer", 13, 0, 13, {"max_epochs", "num_gpus", "gradient_clip_val", "deterministic", "batch", "key", "cosine", "device", "plot", "title", "board", "resident", "xlim"}, {NULL});
    situ_trainer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.max_epochs = arg_int32(c, 0, 10);
    o.num_gpus = arg_int32(c, 1, 0);
    o.clip_norm = arg_double(c, 2, 0);
    o.deterministic = arg_bool(c, 3, false);
    o.batch = arg_int(c, 4, 64);
    o.key = arg_int(c, 5, 0);
    o.cosine = arg_bool(c, 6, false);
    o.device = arg_device(c, 7);
    o.plot = arg_text(c, 8, "plot");
    o.title = arg_text(c, 9, "title");
    o.board = arg_bool(c, 10, false) ? stdout : NULL;
    o.resident = arg_int32(c, 11, -1);
    o.xlim = arg_double(c, 12, -1);
    return end_handle(c, c->failed ? NULL : (situ_trainer_new)(&o, c->site), TRAINER, trainer_end);
}

PyMethodDef made_train_methods[] = {
    MADE_ROW(trainer_new, trainer_new,
        "trainer_new(*, max_epochs=10, num_gpus=0, gradient_clip_val=0.0, deterministic=False, batch=64, key=0, "
        "cosine=False, device=None, plot=None, title=None, board=False, resident=-1, xlim=-1.0)\n--\n\nAs in C.\n\n"
        "max_epochs: passes over the training data\nnum_gpus: GPUs to train on\ngradient_clip_val: largest global "
        "norm of the gradients, 0: any\ndeterministic: the same bits on any number of devices\nbatch: rows of a "
        "batch over all devices\nkey: of the order of rows\ncosine: the learning rate falls to 0 along half a "
        "cosine\ndevice: where it trains; default: the thread's default device\nplot: writes them here at the end, "
        "as SVG\ntitle: of the drawings; none: the name of the data\nboard: draws curves here while training: a "
        "terminal or a file\nresident: 1: data on the device, 0: prefetched, -1: by its size\nxlim: end of the "
        "board's horizontal axis in epochs, 0: it grows, -1: max_epochs"),
    {NULL, NULL, 0, NULL}};
