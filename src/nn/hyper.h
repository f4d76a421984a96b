/* Hyper-parameters in the options of optimizers and the trainer: their ranges, errors and reports. */
#ifndef SITU_NN_HYPER_H
#define SITU_NN_HYPER_H

#include <situ/optim.h>

double situ_hyper_get(const situ_hyper *row, const void *options);
void situ_hyper_set(const situ_hyper *row, void *options, double value);
/* The row with this name and type, or NULL. */
const situ_hyper *situ_hyper_find(const situ_hyper *rows, int count, const char *name, situ_hyper_type type);
/* Checks that each value is in its range: 0, or SITU_BAD_OPTION with option, value and range. */
int situ_hyper_check(const situ_hyper *rows, int count, const void *options, const char *operation, situ_site site);
/* Lists them, for the public functions. */
int situ_hyper_list(const situ_hyper *rows, int count, const void *options, situ_hyper *out, int most);

#endif
