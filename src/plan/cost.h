/* The cost model: rough estimates in seconds. It decides how steps are started, and never changes a result. */
#ifndef SITU_PLAN_COST_H
#define SITU_PLAN_COST_H

#include <stdbool.h>

/* Any step with operands in memory. Decides whether a launch is small (run/launch.c), and how far a thread is ahead
 * (run/ahead.c). */
static inline double situ_cost_step(double flops, double bytes) { return flops / 2e10 + bytes / 2e10 + 2e-7; }

/* A small group, and a small product, on one core with operands in the cache. Decides whether lanes pay (beside.c). */
static inline double situ_cost_group(double elements, double members) { return elements * members * 1e-10 + 3e-7; }
static inline double situ_cost_matmul(double flops) { return flops / 8e10 + 3e-7; }

/* True for products large enough for two threads, yet so small that saving one barrier matters (post_op.c). */
static inline bool situ_cost_barrier_shows(double flops) { return flops >= 1.2e6 && flops <= 4.2e6; }

#endif
