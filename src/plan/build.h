/* Making a plan: the passes and what they hand to each other. Each pass is a file of its name.
 *
 *   import   the walk's nodes become values; views become strides, composites are expanded, equal values are one
 *   fuse     values are given to steps: groups of pointwise work with a reduction, calls, copies
 *   order    updates of variables go last, with large gradients
 *   rows     neighbouring groups over the same rows become row programs
 *   beside   small steps that do not read each other get lanes
 *   post_op  a group behind a small product becomes its post-op
 *   memory   every value that needs memory gets a place; what is concatenated or scattered into, that of the result, and so
 *            does an operand that a group reads last
 *   emit     steps become kernels, addresses and words (their groups: emit_group.c) */
#ifndef SITU_PLAN_BUILD_H
#define SITU_PLAN_BUILD_H

#include <string.h>

#include "plan/plan.h"
#include "tensor/shape.h"

enum { SITU_NO_STEP = -1, SITU_REPEATS = 2 /* number of products that share an operand from which on a packed copy of it pays */ };

typedef struct situ_val {
    const situ_op *op;
    const situ_tensor *node;   /* node that gives its shape, attributes and words */
    const int64_t *dim;        /* sizes of the node */
    situ_family family;        /* LEAF, VIEW, REDUCE, CALL, COPY; pointwise values are ELEMENTWISE, CAST or GENERATE */
    uint8_t dtype, ndim, kind; /* kind: for a scalar */
    bool scalar, stored, asked, assigned, donated, cone, foreign; /* foreign: read by another device */
    bool local;          /* used only within its step: in a row program, or before a post-op */
    uint8_t late;        /* fuse: number of values that are deferred with it to its only reader, 0: it is not deferred */
    int32_t walk;        /* its index in the walk, or -1 if it comes from an expansion */
    int32_t reported_as; /* index of the node that messages name: its own, or the composite it belongs to */
    int32_t dev;         /* index into plan->dev */
    uint32_t base;       /* the value that owns its memory: itself, unless it is a view */
    uint32_t nin, *in;
    int64_t offset;     /* in elements */
    int32_t dynamic;    /* index of a run-time offset, or -1 */
    int32_t step, last; /* the step that computes it, the last step that reads its memory */
    int32_t member;     /* its register while its group is emitted */
    int32_t place;
    uint32_t consumers, reader; /* number of its readers; the first of them */
    uint32_t used;              /* fuse: number of steps when a step other than its own last read it, or 0 */
    uint32_t equal;             /* 1 + the next value in its hash bucket */
    uint32_t merged;            /* import: number of later nodes that are equal to it */
    uint8_t multiplied;         /* import: number of products with it as second operand, up to SITU_REPEATS */
    uint64_t hash;
    int64_t stride[]; /* [ndim] in elements of the base's memory */
} situ_val;

typedef struct situ_work { /* a step that is being planned */
    enum { SITU_WORK_GROUP, SITU_WORK_CALL, SITU_WORK_COPY, SITU_WORK_NONE /* it became a post-op */ } kind;
    uint32_t called; /* for a call: the value that it computes itself; members and reduction are its post-op (post_op.c) */
    uint32_t domain; /* the value that has the group's shape; for a call its result */
    int32_t dev;
    bool update, final;
    int32_t reduction; /* the reduced value, or -1 */
    uint32_t *member, count, capacity;
    uint32_t external[SITU_FUSED_LOADS], externals;
    uint32_t words, budget;
    int32_t position;    /* its position in the order of execution */
    int32_t until;       /* a row program of the steps from here to this position, exclusive; 0: none */
    int32_t lane, lanes; /* concurrent steps: its lane, and for the first of them the number of lanes */
    uint32_t beside;     /* ... and the number of concurrent steps; 0 for other steps */
} situ_work;

typedef struct situ_build {
    const situ_walk *walk;
    situ_plan *plan;
    situ_dev *only;   /* NULL, or the device for which all of it is planned */
    situ_arena arena; /* freed when the plan is complete */
    situ_site site;
    bool fusing, failed;
    situ_val **val;
    uint32_t count, capacity;
    uint32_t *value_of; /* [walk index] value */
    bool *assigned;     /* [walk index] it is the next value of a variable */
    int32_t within;     /* import: the composite that is being expanded, or -1 */
    uint32_t *bucket;   /* hash table: 1 + index of a value */
    uint32_t buckets;
    struct situ_emitter *spare; /* the last group's, for reuse */
    struct situ_made *made;     /* hash table of compiled kernels of groups */
    situ_work *work;
    uint32_t nwork, work_capacity;
    int32_t newest_call; /* fuse: the last call or copy so far, or -1 */
    uint32_t *order;     /* [position] step */
    uint8_t *read;       /* [value] another step than its own reads its memory */
} situ_build;

static inline bool situ_is_pointwise(const situ_val *v)
{
    return v->family == SITU_ELEMENTWISE || v->family == SITU_CAST || v->family == SITU_GENERATE;
}
static inline int64_t situ_val_count(const situ_val *v)
{
    int64_t n = 1;
    for (int i = 0; i < v->ndim; i++) n *= v->dim[i];
    return n;
}
static inline int64_t situ_val_bytes(const situ_val *v)
{
    return situ_val_count(v) * (int64_t)situ_dtype_size((situ_dtype)v->dtype);
}
static inline situ_layout situ_val_layout(const situ_val *v)
{
    situ_layout l = {.dtype = v->dtype, .ndim = v->ndim};
    memcpy(l.dim, v->dim, 8 * (size_t)v->ndim);
    memcpy(l.stride, v->stride, 8 * (size_t)v->ndim);
    return l;
}
static inline bool situ_same_shape(const situ_val *a, const situ_val *c)
{
    return situ_shape_equal(a->ndim, a->dim, c->ndim, c->dim);
}
/* The values that a step computes: a call's or copy's own, the members, the reduced one. */
static inline uint32_t situ_work_values(const situ_work *w)
{
    return (w->kind == SITU_WORK_CALL || w->kind == SITU_WORK_COPY) + w->count + (w->reduction >= 0);
}
static inline uint32_t situ_work_value(const situ_work *w, uint32_t k)
{
    bool own = w->kind == SITU_WORK_CALL || w->kind == SITU_WORK_COPY;
    return own && !k ? w->called : k - own < w->count ? w->member[k - own] : (uint32_t)w->reduction;
}
/* The *count values that it reads, without a post-op's operands. */
static inline const uint32_t *situ_work_reads(const situ_build *b, const situ_work *w, uint32_t *count)
{
    bool group = w->kind == SITU_WORK_GROUP;
    *count = group ? w->externals : b->val[w->called]->nin;
    return group ? w->external : b->val[w->called]->in;
}
static inline double situ_matmul_flops(const situ_build *b, const situ_val *v)
{
    const situ_val *a = b->val[v->in[0]];
    return 2 * (double)situ_val_count(v) * (double)a->dim[a->ndim - 1];
}
/* Index of the step that computes x, in the order of creation; -1: x is in memory before the plan starts. */
static inline int32_t situ_birth_of(const situ_build *b, uint32_t x)
{
    const situ_val *v = b->val[x];
    return v->scalar ? -1 : b->val[v->base]->step;
}
/* The dtype in which v is computed: for comparisons the operands' promoted dtype, else its own. */
situ_dtype situ_val_compute(const situ_build *b, const situ_val *v);

/* build.c. Zeroed memory; NULL marks the build as failed. */
void *situ_build_alloc(situ_build *b, size_t bytes);
/* Makes room for another member. */
bool situ_build_member_room(situ_build *b, situ_work *w);
/* Appends a zeroed element to an array in the plan's arena, which grows by doubling; returns it. */
void *situ_plan_push(situ_build *b, void **array, uint32_t *count, size_t size);
int situ_build_import(situ_build *b);
int situ_build_fuse(situ_build *b);
/* post_op.c, called by fuse: makes a pointwise value part of the post-op of the call that made its operand, if that is
 * allowed. */
bool situ_build_join_call(situ_build *b, uint32_t self);
/* emit.c: does the device accept call `work` with its present post-op? */
bool situ_build_takes(situ_build *b, int32_t work);
int situ_build_order(situ_build *b);
int situ_build_rows(situ_build *b);
/* Number of rows of the row program that begins with this step. */
int64_t situ_build_program_rows(const situ_build *b, const situ_work *first);
int situ_build_beside(situ_build *b);
int situ_build_post_op(situ_build *b);
int situ_build_memory(situ_build *b);
int situ_build_emit(situ_build *b);

extern const situ_op situ_op_concat, situ_op_contiguous, situ_op_packed, situ_op_update_slice;

#endif
