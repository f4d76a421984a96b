/* Optimizers inside. A rule says how one parameter changes; everything else is common. */
#ifndef SITU_OPTIM_OPTIMIZER_H
#define SITU_OPTIM_OPTIMIZER_H

#include <stddef.h>

#include <situ/group.h>

#include "nn/hyper.h"
#include "nn/module.h"

/* Behind a rule's slots: the sum of gradients that wait for the step, the parameter's moving average. */
enum { SITU_SLOT_HELD = SITU_OPTIMIZER_SLOTS, SITU_SLOT_AVERAGE, SITU_SLOTS };
/* The moments of one parameter on one device. */
typedef struct situ_moments {
    situ_tensor *slot[SITU_SLOTS]; /* variables, NULL: not made                  */
} situ_moments;

/* A factor of the learning rate by the number of steps made; rate NULL: 1. */
typedef struct situ_schedule {
    double (*rate)(const struct situ_schedule *s, double t);
    double a[6];    /* what it was made with */
    int64_t warmup; /* steps of it, from a factor of ... */
    double start;
    int64_t *mark; /* owned */
    int marks;
    double now;          /* the factor of this step */
    double factor, best; /* of a plateau: now; the best value so far ... */
    int64_t worse, rest; /* ... reports since; reports that do not count */
    situ_schedule_function function;
    void *user;
} situ_schedule;

/* A hyper-parameter of the parameters whose path matches. */
typedef struct situ_special {
    char *paths; /* owned */
    const situ_hyper *row;
    double value;
} situ_special;

struct situ_optimizer {
    situ_handle handle;
    const situ_optimizer_rule *rule;
    bool foreign; /* the rule is the user's */
    situ_module *net;
    double *lr, *clip_norm, *clip_value; /* in the options */
    double no_clip_norm, no_clip_value;  /* where they have none */
    int64_t steps;
    situ_schedule schedule;
    situ_special *special; /* owned: what groups have of their own */
    int specials;
    int every, held;          /* calls of a step; those since the last one */
    double average;           /* how slowly the averages move, 0: there are none */
    int64_t averaged;         /* steps that they have seen */
    double first_scale;       /* of losses, where gradients are kept from f16's ends; 0: there is none */
    situ_tensor *scale;       /* variable f32[3]: it, good steps since it changed, steps that were left out; NULL: not made */
    situ_tensor *scaled;      /* the scale of the last step, pending; its scope's */
    bool watched;             /* each step records `norm`, the global norm of its gradients before they are clipped */
    situ_tensor *norm;        /* of the last step, pending; its scope's */
    bool swapped;             /* the parameters are the averages, and the other way round */
    _Atomic uint64_t stepper; /* SITU_DEBUG=hints: the thread of the last step ... */
    _Atomic int handed;       /* ... and how often it was another one than before */
    int rows, last;           /* parameters that have moments; the row found last */
    situ_moments *moments;    /* [row][SITU_MIRRORS]                        */
    int64_t *owner;           /* [row]: the parameter's id; its number changes where parts come and go */
    int64_t newest;           /* the greatest of these: ids grow, so that one beyond has no row yet */
    char *present;            /* options as one parameter has them in this step */
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
/* One of the same kind, options and network without moments, groups, marks and scale, to be filled; NULL: no memory. Then the two
 * exchange their states, which cannot fail, and the twin is freed. */
situ_optimizer *situ_optimizer_twin(const situ_optimizer *opt);
void situ_optimizer_exchange(situ_optimizer *opt, situ_optimizer *twin);
void situ_optimizer_twin_free(situ_optimizer *twin);
/* The moments of parameter p on device `place` of the network: those of the rule for `value` (p, or all of them), made or moved
 * there if need be by what situ_optimizer_present gives (options NULL: none); NULL with an error. */
situ_moments *situ_optimizer_moments(
    situ_optimizer *opt, const situ_parameter *p, situ_tensor *value, int place, const void *options, situ_site site);
/* One more of them, SITU_SLOT_...: zeros at first. */
situ_tensor *situ_optimizer_slot(
    situ_optimizer *opt, situ_moments *m, int slot, const situ_parameter *p, int place, situ_site site);
/* The options of this parameter in the next step, by its group and the schedule. They hold until the next call. */
const void *situ_optimizer_present(situ_optimizer *opt, const situ_parameter *p);
const char *situ_schedule_name(const situ_schedule *s);
/* Makes it the one of that name; false: there is none. */
bool situ_schedule_named(situ_schedule *s, const char *name);
/* The variable `scale`, on the network's first device; NULL with an error. A file's value takes its place. */
situ_tensor *situ_scale_variable(situ_optimizer *opt, situ_site site);
int situ_scale_give(situ_optimizer *opt, situ_tensor *value, situ_site site);
/* What it becomes behind a step, which was left out if `good` is false. */
situ_tensor *situ_scale_next(situ_tensor *scale, situ_tensor *good, situ_site site);
double situ_schedule_factor(const situ_optimizer *opt, int64_t step);
/* AdamW's rule, with its options in u. */
situ_tensor *situ_adamw_update(situ_optimizer_update *u);

#endif
