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
/* The same in three steps, for those who give more at the same time: what is read; the variables that get a value by it (at most
 * one for each parameter and device; how many), which the caller assigns; all else, which cannot fail. What was read is freed in
 * any case. */
typedef struct situ_taken {
    situ_module *net;
    int64_t *place;        /* in the archive, of each parameter; -1: none */
    situ_tensor **value;   /* [parameter][device] */
    situ_parameter **rows; /* of a quantised layer, instead of its parameter */
    bool *variable;        /* the values are variables, of a parameter that was not made or as rows */
    int count;
    bool placed, given; /* it has a device by this alone */
} situ_taken;
int situ_module_read(situ_taken *t, situ_module *net, const situ_archive *a, const situ_module_take_options *o, situ_site site);
int situ_taken_changes(const situ_taken *t, situ_tensor **variable, situ_tensor **value);
void situ_taken_give(situ_taken *t);
void situ_taken_free(situ_taken *t);
/* Closes an archive; an error that sticks goes on sticking. */
void situ_archive_done(situ_archive *a);

#endif
