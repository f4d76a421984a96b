/* Loading of networks, for code that reads more than a network from one file. */
#ifndef SITU_FILE_NETWORK_H
#define SITU_FILE_NETWORK_H

#include "file/archive.h"
#include "nn/module.h"

/* Tensors of a file with this prefix are no parameters. */
#define SITU_ASIDE_NAMES "situ/"

typedef struct situ_module_take_options {
    bool strict;          /* missing and surplus tensors are errors */
    bool exact;           /* new parameters get the file's dtype and their own memory */
    bool check;           /* only checks whether the file fits */
    const char *function; /* public function that messages name */
} situ_module_take_options;
/* Loads the archive into the network, all of it or nothing. Returns the number of parameters, or a negative code. */
int situ_module_take(situ_module *net, situ_archive *a, const situ_module_take_options *o, situ_site site);
/* The same in three steps, for code that loads other state at the same time: reading; listing the variables with new
 * values (at most one for each parameter and device), which the caller assigns; and everything else, which cannot
 * fail. Reading is always followed by freeing. */
typedef struct situ_taken {
    situ_module *net;
    int64_t *place;        /* [parameter] index in the archive; -1: none */
    situ_tensor **value;   /* [parameter][device] new values */
    situ_parameter **rows; /* [parameter] for a quantised layer: its rows, which replace the parameter */
    bool *variable;        /* [parameter] its value is a variable already: the parameter is new, or it is given as rows */
    int count;
    bool placed, given; /* placed: the network got its device by this load; given: the third step was done */
} situ_taken;
int situ_module_read(situ_taken *t, situ_module *net, const situ_archive *a, const situ_module_take_options *o, situ_site site);
int situ_taken_changes(const situ_taken *t, situ_tensor **variable, situ_tensor **value);
void situ_taken_give(situ_taken *t);
void situ_taken_free(situ_taken *t);
/* Closes an archive and keeps a pending error pending. */
void situ_archive_done(situ_archive *a);

#endif
