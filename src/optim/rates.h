/* Numbers of an update rule that change from step to step. A plan has them as arguments. Who writes a step as a program needs to
 * know how each follows from the number of the step: a rule computes them by functions of rates.inc, called by SITU_RATE.
 *
 *     double rate = SITU_RATE(rate_corrected, u->step, o->lr, o->beta1);
 */
#ifndef SITU_OPTIM_RATES_H
#define SITU_OPTIM_RATES_H

#include <math.h>
#include <stdbool.h>

#include "math/f64.h"

typedef struct situ_rate {
    const char *function; /* of rates.inc */
    int arguments;
    double argument[3], value;
} situ_rate;

/* Who listens is told of each rate of this thread's steps, in their order. */
typedef struct situ_rates {
    situ_rate *rate;
    int count, capacity;
    bool failed; /* out of memory */
} situ_rates;
extern __thread situ_rates *situ_rates_heard; /* NULL: nobody listens */

double situ_rate_by(const char *function, double (*of)(const double *a, double t), const double *a, int arguments, double t);
#define SITU_RATE(function, t, ...) \
    situ_rate_by( \
        #function, function, (const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double)(t))

#define FN static inline
#define f64_pow(x, y) situ_f64_pow(x, y)
#define ROOT(x) sqrt(x)
#include "optim/rates.inc"
#undef FN
#undef f64_pow
#undef ROOT

#endif
