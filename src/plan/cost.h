/* The cost model: seconds of a step, roughly. It decides how steps are started, and changes no result. */
#ifndef SITU_PLAN_COST_H
#define SITU_PLAN_COST_H

#include <stdbool.h>

/* Of any step, its operands in memory: is a launch small (run/launch.c), how far is a thread ahead (run/ahead.c)? */
static inline double situ_cost_step(double flops, double bytes) { return flops / 2e10 + bytes / 2e10 + 2e-7; }

/* Of a small group and a small product on one core, operands in the cache: do lanes pay (beside.c)? */
static inline double situ_cost_group(double elements, double members) { return elements * members * 1e-10 + 3e-7; }
static inline double situ_cost_matmul(double flops) { return flops / 8e10 + 3e-7; }

/* A product of so many operations is worth two threads, yet so small that one barrier less shows (post_op.c). */
static inline bool situ_cost_barrier_shows(double flops) { return flops >= 1.2e6 && flops <= 4.2e6; }

#endif
