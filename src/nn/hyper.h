/* Tables of hyper-parameters: one row each, for range errors, help texts and reports. Defaults are those of the
 * option structs. */
#ifndef SITU_NN_HYPER_H
#define SITU_NN_HYPER_H

#include <stdio.h>

#include <situ/optim.h>

typedef enum situ_hyper_type { SITU_HYPER_DOUBLE, SITU_HYPER_INT, SITU_HYPER_INT64, SITU_HYPER_BOOL } situ_hyper_type;

typedef struct situ_hyper_row {
    const char *name, *help;
    situ_hyper_type type;
    size_t offset;               /* in the options struct               */
    double initial, least, most; /* the default and the range, both in  */
    bool open;                   /* `most` itself is out                */
} situ_hyper_row;

double situ_hyper_get(const situ_hyper_row *row, const void *options);
/* Every value in its range? 0, or SITU_BAD_OPTION naming option, value and range. */
int situ_hyper_check(const situ_hyper_row *rows, int count, const void *options, const char *operation, situ_site site);
/* As in the public calls that list them. */
int situ_hyper_list(const situ_hyper_row *rows, int count, const void *options, situ_hyper *out, int most);

#endif
