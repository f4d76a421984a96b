/* Shared by `situ generate` and `situ finetune`. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include <situ.h>

/* The vocabulary in the given file; NULL: that of the model's file, or of a tokenizer.json beside it. NULL with an
 * error. */
situ_tokenizer *cli_tokenizer(const char *model, const char *given);
/* Checks that the model knows the largest token of a text. 0 or a negative code. */
int cli_tokens_fit(situ_module *model, int64_t largest);

/* Adds an adapter and loads its values from a file. 0 or a negative code. */
int cli_take_adapter(situ_module *model, const char *path);
int cli_save_adapter(situ_module *model, double alpha, const char *path);

#endif
