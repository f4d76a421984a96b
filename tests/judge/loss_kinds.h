#ifndef JUDGE_LOSS_KINDS_H
#define JUDGE_LOSS_KINDS_H

/* Of two or three numbers; of rows. */
enum { P_MSE, P_L1, P_SMOOTH, P_HUBER, P_HINGE, P_HINGE_EMBEDDING, P_RANKING, P_SHARE, P_LOGIT, P_DIVERGENCE, P_COSINE, P_TRIPLET };

#endif
