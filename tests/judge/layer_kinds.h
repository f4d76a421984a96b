/* Layers and functions with parts that do not count: attr of their statements, and what the words in it mean. */
#ifndef JUDGE_LAYER_KINDS_H
#define JUDGE_LAYER_KINDS_H

/* Y_IGNORED and Y_CTC are losses, the others modules. */
enum { Y_RNN, Y_GRU, Y_LSTM, Y_BAG, Y_ATTENTION, Y_RMS, Y_BATCH, Y_SWIGLU, Y_LINEAR, Y_TIED, Y_CTC, Y_IGNORED };
/* A_COPY: whether a copy of the module is asked instead of it; A_EARLY: whether it is made before the first call.
 * A_WHAT: what comes back. A_FILLER: what lies where nothing counts. A_WIDTH, A_OPTION, A_MORE: as the kind says
 * (interpret_layer.c). A_EVALUATES: not training; A_FROZEN. */
enum { A_KIND, A_COPY, A_EARLY, A_WHAT, A_FILLER, A_WIDTH, A_OPTION, A_MORE, A_EVALUATES, A_FROZEN };
enum { BY_LENGTHS, BY_TRUTHS, BY_SUMS, BY_PLACE };
enum { COPY_NONE, COPY_CLONE, COPY_FILE };
/* Its value; the gradient of a weighed sum of it by the input, by the parameters; what the module says of itself,
 * FACTS numbers. */
enum { WHAT_VALUE, WHAT_BY_INPUT, WHAT_BY_PARAMETERS, WHAT_FACTS };
enum { FACTS = 5, IGNORED_LABEL = -100 };

/* Element i of a result counts so many times in the sum that is differentiated. */
static inline double share_of(long long i) { return (double)(i * 7 % 5) - 1.5; }

#endif
