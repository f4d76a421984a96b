/* Optimizers inside. A rule describes how one parameter changes; all the rest is common code. */
#ifndef SITU_OPTIM_OPTIMIZER_H
#define SITU_OPTIM_OPTIMIZER_H

#include <stddef.h>

#include <situ/group.h>

#include "nn/hyper.h"
#include "nn/module.h"

/* Slots after those of the rule: the sum of gradients held for a later step, and the parameter's moving average. */
enum { SITU_SLOT_HELD = SITU_OPTIMIZER_SLOTS, SITU_SLOT_AVERAGE, SITU_SLOTS };
/* The moments of one parameter on one device. */
typedef struct situ_moments {
    situ_tensor *slot[SITU_SLOTS]; /* variables; NULL: not created */
} situ_moments;

/* A factor of the learning rate as a function of the step number; rate NULL: always 1. */
typedef struct situ_schedule {
    double (*rate)(const struct situ_schedule *s, double t);
    double a[6];    /* arguments of the schedule */
    int64_t warmup; /* number of warm-up steps, and the factor at their start */
    double start;
    int64_t *mark; /* [marks] step numbers; owned */
    int marks;
    double now;          /* factor of this step */
    double factor, best; /* plateau schedule: present factor, best value so far ... */
    int64_t worse, rest; /* ... reports since the best one; reports left that are ignored */
    situ_schedule_function function;
    void *user;
} situ_schedule;

/* A hyper-parameter for parameters whose path matches a pattern. */
typedef struct situ_special {
    char *paths; /* owned */
    const situ_hyper *row;
    double value;
} situ_special;

struct situ_optimizer {
    situ_handle handle;
    const situ_optimizer_rule *rule;
    bool foreign; /* the rule is a user's */
    situ_module *net;
    double *lr, *clip_norm, *clip_value; /* point into the options */
    double no_clip_norm, no_clip_value;  /* used if the options do not have them */
    int64_t steps;
    situ_schedule schedule;
    situ_special *special; /* hyper-parameters of groups; owned */
    int specials;
    int every, held;          /* a step is made every so many calls; calls since the last step */
    double average;           /* decay of the moving averages; 0: none */
    int64_t averaged;         /* steps included in the averages */
    double first_scale;       /* initial loss scale, for f16 gradients; 0: no scale */
    situ_tensor *scale;       /* variable f32[3]: scale, good steps since it changed, skipped steps; NULL: not created */
    situ_tensor *scaled;      /* scale used by the last step, pending; belongs to its scope */
    bool watched;             /* each step records `norm`, the global norm of the gradients before clipping */
    situ_tensor *norm;        /* norm of the last step, pending; belongs to its scope */
    bool swapped;             /* parameters and averages are exchanged */
    _Atomic uint64_t stepper; /* SITU_DEBUG=hints: the thread of the last step ... */
    _Atomic int handed;       /* ... and how often the thread changed */
    int rows, last;           /* number of parameters with moments; the row found last */
    situ_moments *moments;    /* [row][SITU_MIRRORS] moments */
    int64_t *owner;           /* [row] the parameter's id; its index would change with the tree */
    int64_t newest;           /* largest of these ids: a larger one has no row yet */
    char *present;            /* options for one parameter in this step */
    _Alignas(max_align_t) char options[];
};

/* A new optimizer with this rule; options NULL: its defaults. */
situ_optimizer *situ_optimizer_new(
    situ_module *net, const situ_optimizer_rule *rule, const void *options, bool foreign, const char *operation, situ_site site);
/* Defines the constructor situ_NAME with options T for the rule NAME_rule; T's defaults are SITU_WORD_DEFAULTS. */
#define SITU_OPTIMIZER(name, WORD, T) \
    situ_optimizer *(situ_##name)(situ_module * net, const T *options, situ_site site) \
    { \
        SITU_SPEAK("situ_" #name, site); \
        T o = {SITU_DEFAULTS(SITU_##WORD##_DEFAULTS)}; \
        if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_" #name, site)) return NULL; \
        return situ_optimizer_new(net, &name##_rule, &o, false, "situ_" #name, site); \
    }
/* A twin: the same kind, options and network, without moments, groups, marks and scale, which the caller fills in.
 * NULL: no memory. Then the two exchange their states, which cannot fail, and the twin is freed. */
situ_optimizer *situ_optimizer_twin(const situ_optimizer *opt);
void situ_optimizer_exchange(situ_optimizer *opt, situ_optimizer *twin);
void situ_optimizer_twin_free(situ_optimizer *twin);
/* The moments of parameter p on device number `place`, for the rule. `value` is p, or all parameters as one vector.
 * Moments are created or copied there if necessary, with the options of situ_optimizer_present (NULL: none); NULL with
 * an error. */
situ_moments *situ_optimizer_moments(
    situ_optimizer *opt, const situ_parameter *p, situ_tensor *value, int place, const void *options, situ_site site);
/* One more slot, SITU_SLOT_..., initialised to zeros. */
situ_tensor *situ_optimizer_slot(
    situ_optimizer *opt, situ_moments *m, int slot, const situ_parameter *p, int place, situ_site site);
/* The options for this parameter in the next step, with its groups and the schedule. Valid until the next call. */
const void *situ_optimizer_present(situ_optimizer *opt, const situ_parameter *p);
const char *situ_schedule_name(const situ_schedule *s);
/* Sets the schedule with that name; false: there is none. */
bool situ_schedule_named(situ_schedule *s, const char *name);
/* The variable `scale` on the network's first device; NULL with an error. Loading replaces its value. */
situ_tensor *situ_scale_variable(situ_optimizer *opt, situ_site site);
int situ_scale_give(situ_optimizer *opt, situ_tensor *value, situ_site site);
/* The scale after a step; `good` is false if the step was skipped. */
situ_tensor *situ_scale_next(situ_tensor *scale, situ_tensor *good, situ_site site);
double situ_schedule_factor(const situ_optimizer *opt, int64_t step);
/* AdamW's rule, with its options in u. */
situ_tensor *situ_adamw_update(situ_optimizer_update *u);

#endif
