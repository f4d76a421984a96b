/* A cluster as a small text describes it: equal nodes with cards, and links between the points of a node.
 *
 *     nodes 2
 *     cards 4                              # of each node: card0 to card3
 *     link card switch 16 GB/s 2 us        # each card to its switch; `host`, `switch`, ... are points of every node
 *     link switch host 16 GB/s 2 us
 *     link switch network 25 GB/s 5 us     # `network` is the one point that all nodes share
 *
 * A link carries its bandwidth in each direction at once, or in both together (`shared`). What crosses it at the same time shares
 * it: each gets as much as the others, and what one cannot use for want of bandwidth elsewhere the others get. */
#ifndef SITU_BACKEND_SIM_CLUSTER_H
#define SITU_BACKEND_SIM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { SITU_CLUSTER_CARDS = 64, SITU_CLUSTER_POINTS = SITU_CLUSTER_CARDS + 32, SITU_CLUSTER_NAME = 24, SITU_CLUSTER_HOPS = 16 };

typedef struct situ_cluster_link {
    int from, to;              /* points of a node */
    double bandwidth, latency; /* in bytes/s; in seconds */
    bool shared;
    int line; /* of the text */
} situ_cluster_link;

typedef struct situ_cluster {
    int nodes, cards;      /* cards of each node */
    int cores;             /* number of CPU cores of a node, if cards are processes that share them; 0: they do not */
    double speed, message; /* speed of computing relative to this machine; seconds for a message */
    int points, network;   /* the first points are the cards; network -1: none */
    char point[SITU_CLUSTER_POINTS][SITU_CLUSTER_NAME];
    int links;
    situ_cluster_link *link;
    int16_t way[SITU_CLUSTER_POINTS][SITU_CLUSTER_POINTS]; /* [from][to] 1 + 2 * link + direction of the first hop; 0: no route */
} situ_cluster;

/* Parses the text; messages call it `name`. NULL with an error: "cluster.txt:3:12: ...". */
situ_cluster *situ_cluster_read(const char *text, const char *name, situ_site site);
situ_cluster *situ_cluster_open(const char *path, situ_site site);
void situ_cluster_free(situ_cluster *c);
/* Index of the point with this name in a node, or -1. */
int situ_cluster_point(const situ_cluster *c, const char *name);
/* Index of a point of a node in the whole cluster. Card i of all is card i mod cards of node i / cards. */
static inline int situ_cluster_place(const situ_cluster *c, int node, int point) { return node * c->points + point; }
static inline int situ_cluster_card(const situ_cluster *c, int i) { return situ_cluster_place(c, i / c->cards, i % c->cards); }
/* The directed links of a route, each below situ_cluster_ways(c), and its latency; returns their number, or -1: no route. */
int situ_cluster_path(const situ_cluster *c, int from, int to, int way[SITU_CLUSTER_HOPS], double *latency);
static inline int situ_cluster_ways(const situ_cluster *c) { return 2 * c->links * c->nodes; }
static inline double situ_cluster_bandwidth(const situ_cluster *c, int way) { return c->link[way / 2 % c->links].bandwidth; }

/* ---- flow.c --------------------------------------------------------------------------------------------------------------- */

/* A transfer between two points of the cluster. */
typedef struct situ_flow {
    int from, to;
    double bytes, start, end; /* start and end in seconds; end is the result */
    int hops, way[SITU_CLUSTER_HOPS];
    double left, rate, begin; /* bytes left, present rate in bytes/s, arrival of the first byte */
    bool done, fixed;         /* fixed: its rate does not change any more */
} situ_flow;
/* Computes when each transfer ends, if all share the links. 0 or a negative code. */
int situ_flows_run(const situ_cluster *c, situ_flow *flow, int n, situ_site site);

typedef struct situ_network {
    int ways, *users;
    double *bandwidth, *room; /* [ways] in bytes/s */
} situ_network;
bool situ_network_open(situ_network *net, int ways);
void situ_network_close(situ_network *net);
/* Advances from `now` until the next transfer starts or ends, and returns that time. At least one is not done, and not fixed. */
double situ_flows_step(const situ_network *net, situ_flow *flow, int n, double now);

/* Communication patterns of all cards. */
typedef enum situ_pattern {
    SITU_PATTERN_DIRECT, /* each card sends equal parts of its bytes to all others */
    SITU_PATTERN_RING,   /* ... to its neighbour, in n - 1 rounds */
    SITU_PATTERN_OUT,    /* the first card sends its bytes to all others */
    SITU_PATTERN_IN,     /* all others send their bytes to the first */
    SITU_PATTERN_TO_HOST,
    SITU_PATTERN_FROM_HOST
} situ_pattern;
/* Seconds until the first n cards have finished, if each sends `bytes` bytes: the time of the busiest link, which is never idle.
 * Negative with an error. */
double situ_pattern_time(const situ_cluster *c, situ_pattern pattern, int n, double bytes, situ_site site);

#endif
