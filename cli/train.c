/* situ train: trains a small network on real data. */
#include <stdio.h>
#include <stdlib.h>

#include <situ.h>

#include "base/byte_order.h"
#include "base/sha256.h"
#include "command.h"
#include "device/device.h"
#include "os/plain.h"

enum {
    DATA,
    DEVICE,
    GPUS,
    EPOCHS,
    KEY,
    BATCH,
    HIDDEN,
    DROPOUT,
    RATE,
    CLIP,
    DETERMINISTIC,
    HASH,
    PLOT,
    REPORT,
    CHECKPOINT,
    EVERY,
    KEEP,
    RESUME,
    PROOF,
    PROOF_EVERY,
    QUIET
};

static const cli_option options[] = {
    [DATA] = {"data", "DIR", "a folder with IDX files, as MNIST's, plain or gzip (default: the embedded digits)", 0},
    [DEVICE] = {"device", "D", "cpu, gpu(0), cuda:1, ... (default: the first GPU that is real, else the CPU)", 'd'},
    [GPUS] = {"gpus", "N", "train on GPUs 0 to N-1 together, each with a part of every batch", 'g'},
    [EPOCHS] = {"epochs", "N", "passes over the training data (default: 60; 15 with --data)", 'e'},
    [KEY] = {"key", "K", "the number that everything random comes from (default 0)", 'k'},
    [BATCH] = {"batch", "N", "rows of a batch over all devices (default: 32; 64 with --data)", 'b'},
    [HIDDEN] = {"hidden", "N", "width of the hidden layer (default 256)", 0},
    [DROPOUT] = {"dropout", "P", "share of hidden values that a step leaves out (default 0.4)", 0},
    [RATE] = {"lr", "X", "the learning rate at the start; it falls to 0 along half a cosine (default: 0.005; 0.003 with --data)",
        0},
    [CLIP] = {"clip", "X", "largest global norm of the gradients (default: any)", 0},
    [DETERMINISTIC] = {"deterministic", NULL, "the same weights, bit for bit, on any number of devices and processes (slower)", 0},
    [HASH] = {"hash", NULL, "end with the SHA-256 of the final weights, by which trainings are compared", 0},
    [PLOT] = {"plot", "FILE", "write the curves there, as one SVG file", 'p'},
    [REPORT] = {"report", "FILE", "write a report there, one HTML file that needs nothing else; it can be looked at meanwhile",
        'r'},
    [CHECKPOINT] = {"checkpoint", "DIR", "keep the state of the training in this folder: the last ones and that of the best epoch",
        0},
    [EVERY] = {"checkpoint-every", "N", "steps from one checkpoint to the next (default: one at the end of each epoch)", 0},
    [KEEP] = {"keep", "N", "how many of the last checkpoints stay (default 3)", 0},
    [RESUME] = {"resume", NULL, "go on from the last checkpoint of the folder, bit for bit, if there is one", 0},
    [PROOF] = {"proof", "DIR", "write a log of hashes into this folder, by which `situ verify` checks the training", 0},
    [PROOF_EVERY] = {"proof-every", "N", "also keep a state there each N steps, from which verifying can start (default: none)", 0},
    [QUIET] = {"quiet", NULL, "no board: only the last line", 'q'},
    {0},
};

typedef struct settings {
    const char *data, *plot, *report, *checkpoint, *proof;
    situ_device device;
    int64_t gpus, epochs, key, batch, hidden, every, keep, states;
    double dropout, rate, clip;
    bool deterministic, quiet, resume, hash;
} settings;

static int run(int argc, char **argv);

const cli_command cli_train = {
    .name = "train",
    .summary = "trains a small network on real data and tells its accuracy on held-out data",
    .usage = "train [options]",
    .text = "Trains a network with one hidden layer: on 1,797 handwritten digits of 8 by 8 pixels that come with this\n"
            "program (a fifth of each digit held out), or on the IDX files of a folder. A folder with files train-* and\n"
            "t10k-* is trained on the first and measured on the second; of any other a tenth is held out. Which rows are\n"
            "held out, their order and the first weights come from the key alone. Curves are drawn while it runs; the\n"
            "last line of output has the accuracy on the held-out data as NN.NN %. Started by mpirun -n N, N processes\n"
            "train it together, each with its part of every batch; the first one draws and writes.\n",
    .options = options,
    .run = run,
};

static bool read_option(int which, const char *value, settings *s)
{
    switch (which) {
    case DATA: s->data = value; return true;
    case PLOT: s->plot = value; return true;
    case REPORT: s->report = value; return true;
    case CHECKPOINT: s->checkpoint = value; return true;
    case RESUME: return s->resume = true;
    case PROOF: s->proof = value; return true;
    case PROOF_EVERY: return cli_read_int("train", "proof-every", value, 1, 1000000000, &s->states);
    case EVERY: return cli_read_int("train", "checkpoint-every", value, 1, 1000000000, &s->every);
    case KEEP: return cli_read_int("train", "keep", value, 1, 1000000000, &s->keep);
    case QUIET: return s->quiet = true;
    case DETERMINISTIC: return s->deterministic = true;
    case HASH: return s->hash = true;
    case GPUS: return cli_read_int("train", "gpus", value, 1, 32, &s->gpus);
    case EPOCHS: return cli_read_int("train", "epochs", value, 1, 1000000, &s->epochs);
    case KEY: return cli_read_int("train", "key", value, INT64_MIN, INT64_MAX, &s->key);
    case BATCH: return cli_read_int("train", "batch", value, 1, 1 << 24, &s->batch);
    case HIDDEN: return cli_read_int("train", "hidden", value, 1, 1 << 20, &s->hidden);
    case DROPOUT: return cli_read_double("train", "dropout", value, 0, 0.99, &s->dropout);
    case RATE: return cli_read_double("train", "lr", value, 0, 1000, &s->rate);
    case CLIP: return cli_read_double("train", "clip", value, 0, 1e30, &s->clip);
    default: break;
    }
    if (!situ_device_parse(value, &s->device)) return true;
    cli_fail("train");
    return false;
}

static situ_device best_device(void)
{
    situ_device_info info;
    if (situ_default_device().kind != SITU_CPU) return situ_default_device(); /* the device of SITU_DEVICE */
    for (int i = 0; i < situ_num_gpus(); i++)
        if (!situ_device_describe(situ_gpu(i), &info) && !info.simulated) return situ_gpu(i);
    return situ_cpu();
}

static int load(const settings *s, situ_dataset **train, situ_dataset **held_out)
{
    *train = *held_out = NULL;
    if (!s->data) {
        situ_dataset *digits = situ_digits();
        if (digits) situ_dataset_split(digits, s->key, train, held_out, .share = 0.2, .stratified = true);
        situ_dataset_free(digits);
    } else if (situ_idx_folder_has(s->data, "train") && situ_idx_folder_has(s->data, "t10k")) {
        *train = situ_idx_folder(s->data, "train");
        *held_out = situ_idx_folder(s->data, "t10k");
    } else {
        situ_dataset *all = situ_idx_folder(s->data, NULL);
        if (all) situ_dataset_split(all, s->key, train, held_out, .share = 0.1);
        situ_dataset_free(all);
    }
    return situ_failed();
}

static situ_module *network(const settings *s, int classes)
{
    return situ_sequential(situ_flatten_layer(), situ_linear_layer(s->hidden), situ_relu_layer(), situ_dropout_layer(s->dropout),
        situ_linear_layer(classes));
}

static int64_t features(const situ_dataset *data)
{
    situ_shape shape = situ_dataset_shape(data);
    int64_t n = 1;
    for (int i = 1; i < shape.ndim; i++) n *= shape.dim[i];
    return n;
}

/* SHA-256 of the parameters' bytes, in the order of the network; little-endian, so that all machines agree. */
static bool take_hash(situ_module *net, char hash[SITU_SHA256_TEXT])
{
    situ_sha256 h;
    situ_sha256_start(&h);
    bool good = true;
    for (int i = 0; good && i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        size_t bytes = (size_t)situ_count(p) * situ_dtype_size(situ_dtype_of(p));
        void *data = malloc(bytes + 1), *little = malloc(bytes + 1);
        good = data && little && !situ_read(p, data, bytes);
        if (good) situ_little_numbers(little, data, bytes, situ_dtype_size(situ_dtype_of(p)));
        if (good) situ_sha256_add(&h, little, bytes);
        free(data);
        free(little);
    }
    situ_sha256_end(&h, hash);
    if (!good) fprintf(stderr, "situ train: the weights could not be hashed\n");
    return good;
}

/* The options on which the weights depend, for the proof: `situ verify` starts this command with them. */
static void take_note(situ_trainer *trainer, const settings *s)
{
    char note[6000], dropout[SITU_SHORTEST], rate[SITU_SHORTEST], clip[SITU_SHORTEST];
    situ_plain_shortest(dropout, 1, s->dropout);
    situ_plain_shortest(rate, 1, s->rate);
    situ_plain_shortest(clip, 1, s->clip);
    int n = snprintf(note, sizeof note,
        "situ train --epochs %lld --key %lld --batch %lld --hidden %lld --dropout %s --lr %s --clip %s%s", (long long)s->epochs,
        (long long)s->key, (long long)s->batch, (long long)s->hidden, dropout, rate, clip,
        s->deterministic ? " --deterministic" : "");
    if (s->data && n > 0) snprintf(note + n, sizeof note - (size_t)n, " --data %.4096s", s->data);
    situ_trainer_note(trainer, note);
}

static void tell_proof(const situ_trainer *trainer, const settings *s)
{
    char size[24];
    situ_trainer_proof p = situ_trainer_proof_of(trainer);
    situ_plain_print(stdout, "proof: %s/proof.log, %lld entries", s->proof, (long long)p.entries);
    if (p.steps) printf(", one each %lld steps", (long long)p.steps);
    situ_plain_print(stdout, ", %.2g %% of the time", 100 * p.share);
    if (p.bytes) printf("; states of %s", situ_bytes_text(p.bytes, size));
    printf("\ncommitment: %s\n", situ_trainer_commitment(trainer));
}

static int train_and_tell(const settings *s)
{
    situ_dataset *train, *held_out;
    double accuracy = 0, seconds = 0;
    situ_group *group = situ_group_open(); /* a group of one, if mpirun did not start the program */
    int rank = situ_group_rank(group), ranks = situ_group_size(group);
    bool told = !s->quiet && !rank, hashed = true;
    char hash[65] = "";
    situ_scope *scope = situ_scope_open();
    load(s, &train, &held_out);
    situ_module *net = network(s, situ_dataset_classes(train));
    situ_module_init(net, situ_fold_in(situ_key(s->key), -1)); /* -1, because epochs fold in 0, 1, ... for the order of rows */
    situ_optimizer *opt = situ_adam(net, .lr = s->rate);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = (int32_t)s->epochs, .num_gpus = (int32_t)s->gpus, .device = s->device,
        .batch = s->batch, .key = s->key, .clip_norm = s->clip, .deterministic = s->deterministic, .cosine = true,
        .board = s->quiet ? NULL : stdout, .plot = s->plot, .report = s->report, .checkpoint = s->checkpoint,
        .checkpoint_every = s->every, .keep = (int32_t)s->keep, .resume = s->resume, .group = group, .proof = s->proof,
        .proof_every = s->states);
    if (s->proof && trainer) take_note(trainer, s);
    char name[32];
    situ_device first = {0, 0};
    int devices = situ_trainer_devices(trainer, &first, 1);
    if (!situ_failed()) {
        if (told)
            printf("%s: %lld rows to train on, %lld held out; a network of %lld - %lld - %d on %s%s%s\n", situ_dataset_name(train),
                (long long)situ_dataset_count(train), (long long)situ_dataset_count(held_out), (long long)features(train),
                (long long)s->hidden, situ_dataset_classes(train), situ_device_name(first, name), devices > 1 ? " and others" : "",
                ranks > 1 ? ", in each of several processes" : "");
        situ_trainer_fit(trainer, net, opt, train, held_out);
        accuracy = situ_trainer_accuracy(trainer);
        seconds = situ_trainer_seconds(trainer);
    }
    if (s->hash && !situ_failed()) hashed = take_hash(net, hash);
    rank = situ_group_rank(group), ranks = situ_group_size(group); /* some ranks may have died */
    bool proved = s->proof && !rank && *situ_trainer_commitment(trainer) && !situ_failed();
    if (proved) tell_proof(trainer, s);
    situ_trainer_free(trainer);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_scope_close(scope);
    situ_group_free(group);
    if (situ_failed()) return cli_fail("train");
    if (s->plot && told) printf("curves: %s\n", s->plot);
    if (s->report && told) printf("report: %s\n", s->report);
    if (!rank)
        situ_plain_print(stdout, "accuracy on held-out data after %lld epochs and %.1f s: %.2f %%\n", (long long)s->epochs, seconds,
            100 * accuracy);
    if (*hash && ranks > 1) printf("sha256 of the weights: %s (rank %d)\n", hash, rank);
    else if (*hash) printf("sha256 of the weights: %s\n", hash);
    return hashed ? EXIT_DONE : EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    settings s = {.dropout = 0.4, .hidden = 256, .rate = -1, .keep = 3};
    const char *value;
    int rest, got;
    while ((got = cli_next_option(&cli_train, argc, argv, &value, &rest)) >= 0)
        if (!read_option(got, value, &s)) return EXIT_USAGE;
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    if (rest < argc) {
        fprintf(stderr, "situ train: unexpected argument %s; `situ train --help` lists the options\n", argv[rest]);
        return EXIT_USAGE;
    }
    if (s.states && !s.proof) {
        fprintf(stderr, "situ train: --proof-every needs the folder, --proof DIR\n");
        return EXIT_USAGE;
    }
    if ((s.resume || s.every) && !s.checkpoint) {
        fprintf(stderr, "situ train: --resume and --checkpoint-every need the folder, --checkpoint DIR\n");
        return EXIT_USAGE;
    }
    if (s.gpus && s.device.kind) {
        fprintf(stderr, "situ train: --gpus and --device say the same thing; give one of them\n");
        return EXIT_USAGE;
    }
    if (s.gpus > situ_num_gpus()) {
        fprintf(stderr,
            "situ train: --gpus %lld, but this machine has %d; `situ devices` says why, SITU_SIM_GPUS=%lld simulates them\n",
            (long long)s.gpus, situ_num_gpus(), (long long)s.gpus);
        return EXIT_FAILED;
    }
    if (!s.epochs) s.epochs = s.data ? 15 : 60;
    if (!s.batch) s.batch = s.data ? 64 : 32;
    if (s.rate < 0) s.rate = s.data ? 0.003 : 0.005;
    if (!s.device.kind && !s.gpus) s.device = best_device();
    return train_and_tell(&s);
}
