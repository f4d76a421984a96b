/* Sums of what several processes have, made while it comes: in the thread of MPI, element by element in the order of one tree. */
#ifndef SITU_GROUP_FOLD_H
#define SITU_GROUP_FOLD_H

#include "group/link.h"
#include "group/tree.h"
#include "op/elementwise.h"
#include "plan/kernel.h"

/* Two of the values that are there become one, in the place of the first. */
typedef struct situ_fold_join {
    int a, b;
} situ_fold_join;

/* Pieces of one range of elements, each with a value from every root of the tree. */
typedef struct situ_folding {
    int roots, joins, window; /* window: pieces that may be there at once */
    int *from;                /* [roots] which process has it             */
    char **own;               /* [roots] the range of those of this process, else NULL; one block with all lists */
    char **now;               /* [roots] scratch */
    situ_fold_join *join;     /* [joins] */
    situ_buffer *scratch;     /* [window][roots][piece] */
    char *out;
    size_t piece, bytes; /* of a piece, of the range */
    int pieces, done;
    void *kernel[2]; /* of a piece, of the last one */
} situ_folding;

/* The joins of a tree over these roots, which change; returns how many. at: room for a number of each. */
int situ_fold_joins(situ_root *root, int roots, int *at, situ_fold_join *out);
/* Kernels for a piece and for the rest. 0 or a negative code. */
int situ_fold_compile(situ_folding *f, situ_dtype dtype, situ_el el, situ_site site);
/* Where a root's part of a piece is put. */
char *situ_fold_place(const situ_folding *f, int piece, int root);
static inline size_t situ_fold_length(const situ_folding *f, int piece)
{
    return piece + 1 < f->pieces ? f->piece : f->bytes - (size_t)piece * f->piece;
}
/* Joins all of the next piece, which is there. */
void situ_fold_next(situ_folding *f);
void situ_fold_free(situ_folding *f);

#endif
