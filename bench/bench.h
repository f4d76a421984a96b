/* Pieces of work to time: each is prepared once and then done again and again, from recording to the last result. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

typedef struct bench_work {
    const char *name;
    const char *what;              /* one line for --help                                                      */
    int (*prepare)(int64_t n);     /* n: the number at the end of the name, if it has one; 0 or a negative code */
    int (*run)(int64_t r);         /* the r-th time; an argument differs in each, so nothing can be remembered */
    double divide;                 /* by this many operations; 0: none                                         */
} bench_work;

/* Ends in a row without a name. */
extern const bench_work bench_numbers[], bench_networks[];

/* Wall time in seconds. */
double bench_clock(void);

#endif
