/* What the copies of a pattern of all cards put on the links of a cluster. */
#ifndef CLI_LOADS_H
#define CLI_LOADS_H

#include "backend/sim/cluster.h"

typedef enum cli_pattern {
    CLI_TO_ALL,       /* each card sends equal parts of its bytes to all others */
    CLI_TO_NEIGHBOUR, /* ... all of them to the next one */
    CLI_FROM_ONE,     /* the first card sends equal parts of its bytes to all others */
    CLI_TO_ONE,       /* all others send their bytes to the first */
    CLI_TO_HOST,
    CLI_FROM_HOST,
    CLI_PATTERNS
} cli_pattern;

/* By one choice of ways: the busiest link is busy for so many seconds for each byte; and the longest latency. */
typedef struct cli_fit {
    double per_byte, latency;
    int line; /* of the busiest link, or switch over nodes */
} cli_fit;

/* The choices of ways for the first n cards, of which `count` are given; NULL: out of memory, or no host. They stay
 * valid until the next call. */
const cli_fit *cli_loads(const situ_cluster *c, cli_pattern pattern, int n, int *count);
/* The latency of the switches over nodes between so many of these. */
double cli_level_latency(const situ_cluster *c, int nodes);

#endif
