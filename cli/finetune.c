/* situ finetune: trains a language model on a text. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/counted.h"
#include "command.h"
#include "file/format.h"
#include "file/gzip.h"
#include "model.h"

enum { MODEL, TOKENIZER, TEXT, OUT, LORA, ALPHA, LENGTH, BATCH, EPOCHS, STEPS, RATE, CHECKPOINT, EVERY, RESUME, KEY };

static const cli_option options[] = {
    [MODEL] = {"model", "FILE", "GGUF, or safetensors with config.json beside it or from here", 'm'},
    [TOKENIZER] = {"tokenizer", "FILE", "where the vocabulary is, if not in the model's file or in a tokenizer.json beside it", 0},
    [TEXT] = {"text", "FILE", "what it learns to go on with", 't'},
    [OUT] = {"out", "FILE", "the model, or with --lora the adapter, as safetensors (default: finetuned.safetensors)", 'o'},
    [LORA] = {"lora", "N", "train an adapter of this rank for queries and values, and nothing else", 0},
    [ALPHA] = {"alpha", "X", "of the adapter: what it gives is multiplied by alpha / rank (default 16)", 0},
    [LENGTH] = {"length", "N", "tokens of a row (default 256)", 0},
    [BATCH] = {"batch", "N", "rows of a step (default 1)", 'b'},
    [EPOCHS] = {"epochs", "N", "passes over the text (default 1)", 'e'},
    [STEPS] = {"steps", "N", "steps of a pass at most (default: all of the text)", 0},
    [RATE] = {"lr", "X", "the learning rate at the start; it falls to 0 (default: 2e-5; 2e-4 with --lora)", 0},
    [CHECKPOINT] = {"checkpoint", "DIR", "keep the state of the training in this folder", 0},
    [EVERY] = {"checkpoint-every", "N", "steps from one checkpoint to the next (default: one at the end of each pass)", 0},
    [RESUME] = {"resume", NULL, "go on from the last checkpoint of the folder, bit for bit, if there is one", 0},
    [KEY] = {"key", "N", "what is random comes from this number (default 0)", 'k'},
    {0},
};

typedef struct settings {
    const char *model, *tokenizer, *text, *out, *checkpoint;
    int64_t lora, length, batch, epochs, steps, every, key;
    double alpha, rate;
    bool resume;
} settings;

static int run(int argc, char **argv);

const cli_command cli_finetune = {
    .name = "finetune",
    .summary = "a language model (Llama family) learns from a text: all of it, or an adapter of low rank",
    .usage = "finetune --model FILE --text FILE [options]",
    .text = "Trains on rows of tokens of the text in random order, and prints the loss in nats a token.\n",
    .options = options,
    .run = run,
};

static bool read_setting(settings *s, int option, const char *value)
{
    switch (option) {
    case MODEL: s->model = value; return true;
    case TOKENIZER: s->tokenizer = value; return true;
    case TEXT: s->text = value; return true;
    case OUT: s->out = value; return true;
    case CHECKPOINT: s->checkpoint = value; return true;
    case LORA: return cli_read_int("finetune", "lora", value, 1, 1 << 20, &s->lora);
    case ALPHA: return cli_read_double("finetune", "alpha", value, 1e-6, 1e6, &s->alpha);
    case LENGTH: return cli_read_int("finetune", "length", value, 1, 1 << 20, &s->length);
    case BATCH: return cli_read_int("finetune", "batch", value, 1, 1 << 20, &s->batch);
    case EPOCHS: return cli_read_int("finetune", "epochs", value, 1, 1 << 20, &s->epochs);
    case STEPS: return cli_read_int("finetune", "steps", value, 1, 1 << 30, &s->steps);
    case EVERY: return cli_read_int("finetune", "checkpoint-every", value, 1, 1 << 30, &s->every);
    case KEY: return cli_read_int("finetune", "key", value, 0, INT64_MAX, &s->key);
    case RATE: return cli_read_double("finetune", "lr", value, 1e-12, 1e3, &s->rate);
    default: s->resume = true; return true;
    }
}

/* ---- training --------------------------------------------------------------------------------------------------------------- */

/* The rows, and the largest token in them. */
static situ_dataset *rows_of(const settings *s, int64_t *largest)
{
    size_t size;
    void *text = NULL;
    situ_tokenizer *tokenizer = cli_tokenizer(s->model, s->tokenizer);
    situ_dataset *rows = NULL;
    situ_scope *scope = situ_scope_open();
    if (tokenizer && !situ_read_file(s->text, &text, &size)) {
        situ_tensor *tokens = situ_tokenizer_encode(tokenizer, text, .bytes = (int64_t)size, .frame = false, .device = situ_cpu());
        rows = situ_window_dataset(tokens, s->length, .name = s->text);
        if (rows) *largest = situ_item_int(situ_max(tokens));
    }
    situ_scope_close(scope);
    situ_counted_free(text);
    situ_tokenizer_close(tokenizer);
    return rows;
}

static int train(const settings *s, situ_module *model, const situ_dataset *rows)
{
    situ_optimizer *adam = situ_adamw(model, .lr = s->rate);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = (int32_t)s->epochs, .batch = s->batch, .key = s->key, .clip_norm = 1,
        .cosine = true, .device = situ_module_device(model), .epoch_batches = s->steps, .progress = stdout,
        .checkpoint = s->checkpoint, .checkpoint_every = s->every, .resume = s->resume);
    int rc = situ_trainer_fit(trainer, model, adam, rows, NULL);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    if (rc || situ_failed()) return cli_fail("finetune");
    if (s->lora ? cli_save_adapter(model, s->alpha, s->out) : situ_llama_save(model, s->out)) return cli_fail("finetune");
    printf("saved %s\n", s->out);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    settings s = {.out = "finetuned.safetensors", .alpha = 16, .length = 256, .batch = 1, .epochs = 1};
    const char *value;
    int rest, option;
    while ((option = cli_next_option(&cli_finetune, argc, argv, &value, &rest)) >= 0)
        if (!read_setting(&s, option, value)) return EXIT_USAGE;
    if (option != -1) return option == -3 ? EXIT_DONE : EXIT_USAGE;
    bool nowhere = (s.resume || s.every) && !s.checkpoint;
    if (rest < argc || !s.model || !s.text || nowhere) {
        fprintf(stderr, "situ finetune: %s; `situ finetune --help` tells more\n",
            !nowhere     ? "give --model FILE and --text FILE" :
                s.resume ? "--resume needs --checkpoint DIR" :
                           "--checkpoint-every needs --checkpoint DIR");
        return EXIT_USAGE;
    }
    if (s.rate == 0) s.rate = s.lora ? 2e-4 : 2e-5;
    if (situ_file_may_save(s.out, "--out", NULL)) return cli_fail("finetune"); /* checked now rather than after hours of training */
    int64_t largest = 0;
    situ_dataset *rows = rows_of(&s, &largest);
    situ_module *model = rows ? situ_llama_open(s.model, .keep = s.lora > 0) : NULL;
    int status = EXIT_FAILED;
    if (!model || cli_tokens_fit(model, largest) || (s.lora && situ_llama_adapt(model, s.lora, .alpha = s.alpha) < 0))
        cli_fail("finetune");
    else status = train(&s, model, rows);
    situ_module_free(model);
    situ_dataset_free(rows);
    return status;
}
