/* The kinds of reductions: the code of a reduction. */
#ifndef SITU_OP_REDUCE_KIND_H
#define SITU_OP_REDUCE_KIND_H

typedef enum situ_reduce_kind {
    SITU_REDUCE_SUM,
    SITU_REDUCE_PROD,
    SITU_REDUCE_MAX, /* NaN propagates; starts at -inf or the type's lowest value */
    SITU_REDUCE_MIN, /* NaN propagates; starts at +inf or the type's highest value */
    SITU_REDUCE_ANY, /* bool only */
    SITU_REDUCE_ALL, /* bool only */
    SITU_REDUCE_KINDS
} situ_reduce_kind;

#endif
