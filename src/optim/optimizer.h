/* Optimizers inside. A rule says how one parameter changes; everything else is common. */
#ifndef SITU_OPTIM_OPTIMIZER_H
#define SITU_OPTIM_OPTIMIZER_H

#include <stddef.h>

#include "nn/hyper.h"
#include "nn/module.h"

/* The moments of one parameter on one device. */
typedef struct situ_moments {
    situ_tensor *slot[SITU_OPTIMIZER_SLOTS]; /* variables, NULL: not made                  */
} situ_moments;

struct situ_optimizer {
    situ_handle handle;
    const situ_optimizer_rule *rule;
    bool foreign; /* the rule is the user's */
    situ_module *net;
    double *lr, *clip_norm; /* in the options */
    double no_clip_norm;    /* where they have none */
    int64_t steps;
    int slots;             /* of each parameter */
    int rows, last;        /* parameters that have moments; the row found last */
    situ_moments *moments; /* [row][SITU_MIRRORS]                        */
    int64_t *owner;        /* [row]: the parameter's id; its number changes where parts come and go */
    _Alignas(max_align_t) char options[];
};

/* An optimizer by this rule; options NULL: its defaults. */
situ_optimizer *situ_optimizer_new(
    situ_module *net, const situ_optimizer_rule *rule, const void *options, bool foreign, const char *operation, situ_site site);
/* The constructor situ_NAME with options T, by the rule NAME_rule; T's defaults are SITU_WORD_DEFAULTS. */
#define SITU_OPTIMIZER(name, WORD, T) \
    situ_optimizer *(situ_##name)(situ_module * net, const T *options, situ_site site) \
    { \
        SITU_SPEAK("situ_" #name, site); \
        T o = {SITU_DEFAULTS(SITU_##WORD##_DEFAULTS)}; \
        if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_" #name, site)) return NULL; \
        return situ_optimizer_new(net, &name##_rule, &o, false, "situ_" #name, site); \
    }
/* The moments of parameter p on device `place` of the network, made or moved there if need be; NULL with an error. */
situ_moments *situ_optimizer_moments(situ_optimizer *opt, const situ_parameter *p, int place, situ_site site);
/* Sum of n tensors by adjacent pairs, level by level; each pair on the device of its left one. */
situ_tensor *situ_tree_sum(situ_tensor **value, int n, situ_site site);

#endif
