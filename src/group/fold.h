/* Sums over processes, computed in the MPI thread while the bytes arrive: elementwise, in the order of one fixed tree. */
#ifndef SITU_GROUP_FOLD_H
#define SITU_GROUP_FOLD_H

#include "group/link.h"
#include "group/tree.h"
#include "op/elementwise.h"
#include "plan/kernel.h"

/* One addition of the tree: value[a] += value[b]. */
typedef struct situ_fold_join {
    int a, b;
} situ_fold_join;

/* The state of such a sum: a range of elements is cut into pieces, and each piece has one value from every root of the
 * tree. */
typedef struct situ_folding {
    int roots, joins, window; /* window: number of pieces in memory at once */
    int *from;                /* [roots] the process that holds this root */
    char **own;               /* [roots] this process's own values of the range, else NULL; this allocation also holds the other
                               * lists */
    char **now;               /* [roots] scratch: the current addresses */
    situ_fold_join *join;     /* [joins] the additions, in order */
    situ_buffer *scratch;     /* [window][roots][piece] received values */
    char *out;
    size_t piece, bytes; /* bytes of a piece, and of the whole range */
    int pieces, done;
    void *kernel[2]; /* for a full piece, and for the last, shorter one */
} situ_folding;

/* Writes the additions of the tree over these roots and returns their number. Overwrites `root`. at: scratch, one
 * number a root. */
int situ_fold_joins(situ_root *root, int roots, int *at, situ_fold_join *out);
/* Compiles the kernels for full pieces and for the rest. 0 or a negative code. */
int situ_fold_compile(situ_folding *f, situ_dtype dtype, situ_el el, situ_site site);
/* The address where a root's values of a piece are stored. */
char *situ_fold_place(const situ_folding *f, int piece, int root);
static inline size_t situ_fold_length(const situ_folding *f, int piece)
{
    return piece + 1 < f->pieces ? f->piece : f->bytes - (size_t)piece * f->piece;
}
/* Does all additions of the next piece, whose values have arrived. */
void situ_fold_next(situ_folding *f);
void situ_fold_free(situ_folding *f);

#endif
