/* How many elements become one: the code of a reduction. */
#ifndef SITU_OP_FOLD_KIND_H
#define SITU_OP_FOLD_KIND_H

typedef enum situ_fold {
    SITU_FOLD_SUM,
    SITU_FOLD_PROD,
    SITU_FOLD_MAX, /* NaN passes; starts at -inf or the type's lowest  */
    SITU_FOLD_MIN, /* NaN passes; starts at +inf or the type's highest */
    SITU_FOLD_ANY, /* bool only */
    SITU_FOLD_ALL, /* bool only */
    SITU_FOLDS
} situ_fold;

#endif
