/* What the elements of a leaf are like. */
#ifndef JUDGE_LEAF_STYLES_H
#define JUDGE_LEAF_STYLES_H

enum {
    LEAF_SMALL,   /* small numbers                                                                                      */
    LEAF_FEW,     /* few different ones                                                                                 */
    LEAF_EDGES,   /* some at the ends of dtypes, infinities and NaN                                                      */
    LEAF_ANY,     /* of any size                                                                                         */
    LEAF_RANGE,   /* integers from attr [10] to [11]                                                                     */
    LEAF_CORNERS, /* where functions have corners, poles and limits                                                      */
    LEAF_SHARES,  /* from 0 to 1, some of them 0 and 1; integers 0 and 1                                                 */
    LEAF_SIGNS,   /* -1 and 1                                                                                            */
    LEAF_SCALED,  /* small numbers, all times one power of two whose square the dtype has no room for                    */
    LEAF_ALIKE,   /* near each other, so that a sum that stops shows                                                     */
    LEAF_WEIGHTS, /* from -1 to 1                                                                                        */
    LEAF_LABELS   /* integers from 0 to attr [11], some of them attr [10]                                                */
};

#endif
