/* situ/train.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(trainer_new)
{
    TAKE("Trainer", 33, 0, 33, {"max_epochs", "num_gpus", "gradient_clip_val", "deterministic", "batch", "key", "cosine", "device", "plot", "title", "board", "resident", "xlim", "patience", "min_delta", "keep_best", "monitor", "maximize", "log_every", "epoch_batches", "accumulate", "workers", "nan", "progress", "report", "checkpoint", "checkpoint_every", "keep", "resume", "group", "precision", "proof", "proof_every"}, {NULL});
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
    o.patience = (int32_t)arg_count(c, 13, "patience");
    o.min_delta = arg_double(c, 14, 0);
    o.keep_best = arg_bool(c, 15, false);
    o.monitor = arg_text(c, 16, "monitor");
    o.maximize = arg_bool(c, 17, false);
    o.log_every = arg_count(c, 18, "log_every");
    o.epoch_batches = arg_count(c, 19, "epoch_batches");
    o.accumulate = arg_int32(c, 20, 1);
    o.workers = arg_int32(c, 21, 1);
    o.nan = arg_bool(c, 22, false);
    o.progress = arg_bool(c, 23, false) ? stdout : NULL;
    o.report = arg_text(c, 24, "report");
    o.checkpoint = arg_text(c, 25, "checkpoint");
    o.checkpoint_every = arg_count(c, 26, "checkpoint_every");
    o.keep = arg_int32(c, 27, 3);
    o.resume = arg_bool(c, 28, false);
    o.group = arg_group(c, 29);
    o.precision = arg_dtype(c, 30);
    o.proof = arg_text(c, 31, "proof");
    o.proof_every = arg_count(c, 32, "proof_every");
    return end_handle(c, c->failed ? NULL : (situ_trainer_new)(&o, c->site), TRAINER, trainer_end);
}

PyMethodDef made_train_methods[] = {
    MADE_ROW(trainer_new, trainer_new,
        "trainer_new(*, max_epochs=10, num_gpus=0, gradient_clip_val=0.0, deterministic=False, batch=64, key=0, "
        "cosine=False, device=None, plot=None, title=None, board=False, resident=-1, xlim=-1.0, patience=None, "
        "min_delta=0.0, keep_best=False, monitor=None, maximize=False, log_every=None, epoch_batches=None, "
        "accumulate=1, workers=1, nan=False, progress=False, report=None, checkpoint=None, checkpoint_every=None, "
        "keep=3, resume=False, group=None, precision=None, proof=None, proof_every=None)\n--\n\nAs in C.\n\n"
        "max_epochs: passes over the training data\nnum_gpus: GPUs to train on\ngradient_clip_val: largest global "
        "norm of the gradients, 0: any\ndeterministic: the same bits on any number of devices\nbatch: rows of a "
        "batch over all devices\nkey: key for the order of rows\ncosine: the learning rate falls to 0 along half a "
        "cosine\ndevice: where it trains; default: the thread's default device\nplot: writes the curves to this SVG "
        "file at the end\ntitle: title of the drawings; none: the name of the data\nboard: draws curves here while "
        "training: a terminal or a file\nresident: 1: data on the device, 0: prefetched, -1: depends on its size\n"
        "xlim: end of the board's horizontal axis in epochs, 0: it grows, -1: max_epochs\npatience: ends after this "
        "many epochs without a better monitored value; None: never\nmin_delta: least improvement that counts as "
        "better\nkeep_best: restores the weights of the best epoch at the end\nmonitor: \"validation loss\" or "
        "another value's name; none: that, or the loss if there is no held-out data\nmaximize: larger values are "
        "better, as for an accuracy\nlog_every: steps between two readings of the logged values; None: an epoch, or "
        "with a board a second\nepoch_batches: batches of an epoch; None: all rows (a stream needs it)\naccumulate: "
        "number of pieces in which a batch is computed, one after the other, for one step\nworkers: threads that "
        "gather batches of data that is not on the device\nnan: stops at the first NaN and names the operation that "
        "made it (slow); false: a NaN loss stops the training when it is read\nprogress: writes lines of progress "
        "there: position, rows per second, and where the time went\nreport: path of a report, one HTML file that "
        "needs no other file and is complete at each moment\ncheckpoint: a folder for checkpoints "
        "(situ/checkpoint.h), which is created if necessary\ncheckpoint_every: steps between checkpoints; None: one "
        "at the end of each epoch\nkeep: number of last checkpoints that are kept, besides that of the best epoch\n"
        "resume: continues from the last checkpoint in the folder, if there is one, with its hyper-parameters\n"
        "group: processes that train together, each with its part of every batch\nprecision: precision of products, "
        "convolutions and attention (precision): bf16, or f16, which includes a loss scale "
        "(optimizer_set_loss_scale)\nproof: a folder for a proof, a log of hashes by which `situ verify` checks the "
        "training (docs/proof.md)\nproof_every: steps between states from which verifying can start; None: it "
        "starts at the first step"),
    {NULL, NULL, 0, NULL}};
