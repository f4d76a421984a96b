/* Shared by `situ generate` and `situ finetune`: vocabularies, and low-rank adapters in files. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "os/plain.h"

/* ---- vocabularies ---------------------------------------------------------------------------------------------------------- */

situ_tokenizer *cli_tokenizer(const char *model, const char *given)
{
    const char *end = strrchr(model, '.'), *slash = strrchr(model, '/');
    if (given || !end || (strcmp(end, ".safetensors") && strcmp(end, ".json"))) return situ_tokenizer_open(given ? given : model);
    char beside[4096];
    snprintf(beside, sizeof beside, "%.*stokenizer.json", slash ? (int)(slash + 1 - model) : 0, model);
    if (!access(beside, F_OK)) return situ_tokenizer_open(beside);
    situ_fail(SITU_BAD_ARGUMENT, NULL,
        "%s has no vocabulary, and there is no tokenizer.json beside it; name a GGUF or a tokenizer.json with --tokenizer", model);
    return NULL;
}

int cli_tokens_fit(situ_module *model, int64_t largest)
{
    int64_t count = situ_dim(situ_module_find(model, "model.embed_tokens.weight"), 0);
    if (situ_failed() || largest < count) return -situ_failed();
    return situ_fail(SITU_BAD_ARGUMENT, NULL,
        "the text has token %lld, and the model knows %lld tokens: the vocabulary is another model's; name its own with "
        "--tokenizer",
        (long long)largest, (long long)count);
}

/* ---- adapters -------------------------------------------------------------------------------------------------------------- */

int cli_take_adapter(situ_module *model, const char *path)
{
    situ_archive *a = situ_archive_open(path);
    const char *alpha = a ? situ_archive_metadata(a, "alpha") : NULL, *rank = a ? situ_archive_metadata(a, "rank") : NULL;
    int rc = 0, parts = 0, loaded = 0;
    if (a && !(alpha && rank))
        situ_fail(SITU_BAD_FORMAT, NULL, "%s is no adapter of `situ finetune --lora`: it does not tell rank and alpha", path);
    if (!alpha || !rank) rc = -1;
    else rc = situ_llama_adapt(model, strtoll(rank, NULL, 10), .alpha = situ_plain_number(alpha, NULL));
    situ_archive_close(a);
    if (rc < 0 || (loaded = situ_module_load(model, path, .strict = false)) < 0) return -1;
    for (int i = 0, n = situ_module_count(model); i < n; i++) parts += strstr(situ_module_name(model, i), ".lora_") != NULL;
    if (loaded == parts) return 0;
    return situ_fail(SITU_BAD_FORMAT, NULL,
        "%s does not fit the model: it has %d of the %d matrices of an adapter for it, by their names", path, loaded, parts);
}

int cli_save_adapter(situ_module *model, double alpha, const char *path)
{
    int n = situ_module_count(model), used = 0, rc = -1;
    size_t length = 1;
    for (int i = 0; i < n; i++) length += strlen(situ_module_name(model, i)) + 1;
    situ_tensor **t = malloc(((size_t)n + 1) * sizeof *t);
    char *names = calloc(length, 1), about[96] = "";
    for (int i = 0; t && names && i < n; i++) {
        const char *name = situ_module_name(model, i);
        if (!strstr(name, ".lora_")) continue;
        t[used] = situ_module_parameter(model, i);
        if (!used) situ_plain_format(about, sizeof about, "rank=%lld\nalpha=%.17g\n", (long long)situ_dim(t[0], 0), alpha);
        if (used++) strcat(names, ",");
        strcat(names, name);
    }
    if (t && names) rc = situ_save(path, TENSORS_OF(t, used), .names = names, .metadata = about);
    free(t);
    free(names);
    return rc;
}
