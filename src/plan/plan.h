/* A plan: the steps that compute one graph structure; immutable and shared. What changes from run to run (addresses,
 * numbers) is bound by index: node i here is node i of any walk with the same key. */
#ifndef SITU_PLAN_PLAN_H
#define SITU_PLAN_PLAN_H

#include "base/arena.h"
#include "plan/kernel.h"
#include "graph/walk.h"

enum { SITU_PLAN_DEVICES = 32 };

/* The location of a value when the plan runs. */
typedef struct situ_place {
    enum { SITU_PLACE_LEAF, SITU_PLACE_ARENA, SITU_PLACE_OUTPUT, SITU_PLACE_SLOT } kind;
    uint32_t of;    /* leaf: node index; output, slot: their index */
    uint8_t device; /* arena: index into plan->dev */
    int64_t offset; /* arena: position in bytes */
} situ_place;

/* An address of a step: location + offset + a run-time part. All in bytes. */
typedef struct situ_address {
    uint32_t place;
    int32_t dynamic; /* index into plan->dynamic, or -1 */
    int64_t offset;
    int64_t written; /* number of bytes of `dtype` written there; 0: only read, or workspace */
    uint8_t dtype;
} situ_address;

/* A run-time offset: another one (or -1), plus the products of a node's words with coefficients. */
typedef struct situ_dynamic {
    int32_t base;
    uint32_t node;
    int32_t count;
    int64_t coefficient[8];
} situ_dynamic;

typedef struct situ_word_source {
    int32_t node;
    uint32_t index;
    uint64_t constant;
} situ_word_source; /* node -1: a constant */

typedef struct situ_plan_step {
    enum { SITU_PLAN_KERNEL, SITU_PLAN_COPY } kind;
    uint8_t device, from_device; /* indices into plan->dev */
    bool update;                 /* it overwrites variables: skipped after a fault */
    bool can_fail;
    bool signals;               /* another device waits for it */
    int32_t waits_for;          /* a step of another device, or -1 */
    int32_t node;               /* for messages: a node of the walk, or -1 */
    uint32_t address, naddress; /* range in plan->address */
    uint32_t word, nword;       /* range in plan->word */
    int64_t bytes;              /* for copies */
    uint32_t beside;            /* this and the following steps, this many in all, run concurrently in `lanes` lanes; 0: no */
    int32_t lane, lanes;
    void *kernel;
    bool lent; /* the kernel belongs to an earlier step */
    char *name;
    double flops, traffic;
    struct situ_dims {
        int ndim;
        int64_t dim[8];
    } * result;                /* shape of its result, if plans are compared (`situ diff`), else NULL */
    struct situ_dims *indices; /* shape of indices that it may refuse, or NULL */
    bool labels;               /* the indices are labels, with an additional axis of 1 */
    bool large;                /* the indices are u64, so a refused one is not negative */
    uint32_t merged;           /* number of recorded operations that equal one of its own, and are computed by it */
    uint32_t ordinal;          /* its number among the steps that compute; 0: it only moves data */
} situ_plan_step;

/* A node that gets memory: a buffer of its own, or a view of another node's. */
typedef struct situ_output {
    uint32_t node;
    int32_t place;  /* location (OUTPUT or SLOT) that it owns or shares; -1: a view of a leaf */
    uint32_t leaf;  /* place -1: the leaf with the memory */
    int64_t offset; /* in bytes */
    int32_t dynamic;
    bool strided;
    int64_t stride[8];
} situ_output;

/* An output buffer, allocated at each run. */
typedef struct situ_persistent {
    uint32_t node;
    uint8_t device;
    int64_t bytes;
} situ_persistent;

/* A variable's next value: written in place, or to an output buffer that becomes its memory. */
typedef struct situ_update {
    uint32_t assignment;
    int32_t persistent;
    int64_t bytes;
} situ_update;

typedef struct situ_plan {
    situ_hash key;
    _Atomic int refs;
    void *_Atomic launch; /* memory of a finished launch, kept for the next one; NULL: none */
    struct situ_plan *newer, *older, *chain;
    size_t bytes;
    situ_arena arena; /* owns everything that follows */
    uint32_t nnode;
    int ndev;
    situ_dev *dev[SITU_PLAN_DEVICES];
    int64_t arena_bytes[SITU_PLAN_DEVICES];
    situ_plan_step *step;
    uint32_t nstep;
    situ_place *place;
    uint32_t nplace;
    situ_address *address;
    uint32_t naddress;
    situ_dynamic *dynamic;
    uint32_t ndynamic;
    situ_word_source *word;
    uint32_t nword;
    situ_output *output;
    uint32_t noutput;
    situ_persistent *persistent;
    uint32_t npersistent;
    situ_update *update;
    uint32_t nupdate;
    uint32_t *merged; /* the nodes whose value an equal operation of the plan computes */
    uint32_t nmerged;
    uint32_t ordinals;
    bool can_fail;
    bool apart;   /* one operation for each step, one step after the other, since the results are examined ... */
    bool watches; /* ... for NaN, which makes the launch fail */
    bool alone;   /* each step is compiled as a program of its own, because bits depend on what is compiled together */
    double cost;  /* estimate in seconds */
} situ_plan;

/* Plans whose results are compared step by step (run/digest.c): one operation for each step, composites expanded, no
 * concurrency. Set before the first plan is made. */
extern bool situ_plan_comparable;
enum {
    SITU_PLAN_FUSES = 1,
    SITU_PLAN_WATCHES = 2, /* results are checked for NaN */
    SITU_PLAN_ALONE = 4    /* for a device that is not bit-equal: each operation is a step and a program of its own, because
                            * operations that are compiled together may be contracted, or summed in another order */
};
/* Makes the plan of a walk; NULL with an error. mode: a combination of these flags. */
situ_plan *situ_plan_make(const situ_walk *w, unsigned mode, situ_site site);
/* The same for a device that the values need not be on: `dev` plans and compiles all of it. */
situ_plan *situ_plan_make_for(const situ_walk *w, situ_dev *dev, unsigned mode, situ_site site);
void situ_plan_free(situ_plan *p);
/* The cached plan with this key and a reference to it, or NULL. */
situ_plan *situ_plan_find(situ_hash key);
/* Adds p to the cache (evicting the least recently used plan), and a reference for the caller. */
void situ_plan_keep(situ_plan *p);
void situ_plan_unref(situ_plan *p);
void situ_plan_cache_free(void);
/* Prints a plan's steps. */
void situ_plan_print(FILE *f, const situ_plan *p);
/* Checks the invariants of a plan (SITU_DEBUG=plan and the tests). */
int situ_plan_verify(const situ_plan *p);

#endif
