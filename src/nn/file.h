/* Networks and the files they come from, for those who read more than a network of one. */
#ifndef SITU_NN_FILE_H
#define SITU_NN_FILE_H

#include "file/archive.h"
#include "nn/module.h"

/* Tensors of a file whose names begin so are no parameters. */
#define SITU_ASIDE_NAMES "situ/"

typedef struct situ_module_take_options {
    bool strict;          /* what either lacks is an error */
    bool exact;           /* parameters that were not made yet get the file's dtype, and memory of their own */
    bool check;           /* only looks whether it fits */
    const char *function; /* that messages speak of */
} situ_module_take_options;
/* Gives the network the values of an archive, or nothing. How many parameters, or a negative code. */
int situ_module_take(situ_module *net, situ_archive *a, const situ_module_take_options *o, situ_site site);
/* Closes an archive; an error that sticks goes on sticking. */
void situ_archive_done(situ_archive *a);

#endif
