/* Optimizers inside. A rule says how one parameter changes; everything else is common. */
#ifndef SITU_OPTIM_OPTIMIZER_H
#define SITU_OPTIM_OPTIMIZER_H

#include "nn/module.h"

#include "nn/hyper.h"

enum { SITU_OPTIMIZER_SLOTS = 2 };

typedef union situ_optimizer_options {
    situ_sgd_options sgd;
    situ_adam_options adam;
} situ_optimizer_options;

/* What a rule computes from: all on the parameter's device. */
typedef struct situ_update_of {
    const situ_optimizer_options *options;
    double lr;
    int64_t step; /* from 1                                     */
    situ_tensor *p, *g;
    situ_tensor *slot[SITU_OPTIMIZER_SLOTS]; /* the moments, as they are                   */
    situ_tensor *next[SITU_OPTIMIZER_SLOTS]; /* filled in: as they shall be                */
    situ_site site;
} situ_update_of;

typedef struct situ_rule {
    const char *name;
    const situ_hyper_row *rows;
    int count;
    int (*slots)(const situ_optimizer_options *o);
    situ_tensor *(*update)(situ_update_of *u); /* the parameter's next value                 */
} situ_rule;

/* The moments of one parameter on one device. */
typedef struct situ_moments {
    situ_tensor *slot[SITU_OPTIMIZER_SLOTS]; /* variables, NULL: not made                  */
} situ_moments;

struct situ_optimizer {
    situ_handle handle;
    const situ_rule *rule;
    situ_module *net;
    situ_optimizer_options options;
    double lr, clip;
    int64_t steps;
    int rows, last;        /* parameters that have moments; the row found last */
    situ_moments *moments; /* [row][SITU_MIRRORS]                        */
    int64_t *owner;        /* [row]: the parameter's id; its number changes where parts come and go */
};

situ_optimizer *situ_optimizer_new(
    const situ_rule *rule, situ_module *net, const situ_optimizer_options *o, double lr, double clip, situ_site site);
/* The moments of parameter p on device `place` of the network, made or moved there if need be; NULL with an error. */
situ_moments *situ_optimizer_moments(situ_optimizer *opt, const situ_parameter *p, int place, situ_site site);
/* Sum of n tensors by adjacent pairs, level by level; each pair on the device of its left one. */
situ_tensor *situ_tree_sum(situ_tensor **value, int n, situ_site site);

#endif
