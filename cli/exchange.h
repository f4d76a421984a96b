/* How long the cards of a cluster take for an exchange: situ's own ways, and those of NCCL. */
#ifndef CLI_EXCHANGE_H
#define CLI_EXCHANGE_H

#include "backend/sim/cluster.h"

/* Of the bytes of an exchange: each card has so many before a sum or a reduce-scatter, and after an all-gather or a
 * broadcast; each sends so many, in equal parts, in an all-to-all. */
typedef enum cli_collective {
    CLI_ALL_REDUCE,
    CLI_REDUCE_SCATTER,
    CLI_ALL_GATHER,
    CLI_ALL_TO_ALL,
    CLI_BROADCAST,
    CLI_SEND, /* from the first card to the second */
    CLI_COLLECTIVES
} cli_collective;
extern const char *const cli_collective_names[CLI_COLLECTIVES];

typedef enum cli_way {
    CLI_DIRECT, /* each card sums a part, and sends it to all */
    CLI_RING,
    CLI_CARD, /* one card sums */
    CLI_HOST, /* the first node's host sums */
    CLI_NCCL, /* the quickest of the four that follow */
    CLI_NCCL_RING,
    CLI_NCCL_TREE,
    CLI_NVLS,         /* switches add, within a node */
    CLI_NVLS_TREE,    /* ... and a tree joins the nodes */
    CLI_HIERARCHICAL, /* within nodes, then between cards of the same place; situ and NCCL have no such sum: planned only */
    CLI_WAYS
} cli_way;
extern const char *const cli_way_names[CLI_WAYS];

typedef struct cli_exchange {
    double seconds, latency; /* latency: the part of it that does not grow with the bytes */
    cli_way way;             /* the way that was taken */
    const char *protocol;    /* of NCCL; "" */
    int line;                /* of the text: the link or the switch that limits it; 0: none does */
} cli_exchange;

/* Of the first n cards. Seconds are negative if it cannot be done: no host, or no switch that adds. */
cli_exchange cli_exchange_time(const situ_cluster *c, cli_way way, cli_collective what, int n, double bytes);
/* Bytes/s in one direction that a ring over the first k cards of a node can carry, and that they can send to the
 * network. */
double cli_inside(const situ_cluster *c, int k);
double cli_outside(const situ_cluster *c, int k);

#endif
