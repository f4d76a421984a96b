/* Adapters of low rank as files, for `situ generate` and `situ finetune`. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include <situ.h>

/* Adds an adapter and gives it the values of a file. 0 or a negative code. */
int cli_take_adapter(situ_module *model, const char *path);
int cli_save_adapter(situ_module *model, double alpha, const char *path);

#endif
