/* A cluster as a small text describes it: equal nodes with cards, and links between the points of a node.
 *
 *     nodes 2
 *     cards 4                              # of each node: card0 to card3
 *     link card switch 16 GB/s 2 us        # each card to its switch; `host`, `switch`, ... are points of every node
 *     link switch host 16 GB/s 2 us
 *     link switch network 25 GB/s 5 us     # `network` is the one point that all nodes share
 *
 * A link carries its bandwidth in each direction at once, or in both together (`shared`). Of a datasheet's bandwidth
 * each kind of link gives a share (cards.def). What crosses a link at the same time shares it: each gets as much as
 * the others, and what one cannot use for want of bandwidth elsewhere the others get. */
#ifndef SITU_BACKEND_SIM_CLUSTER_H
#define SITU_BACKEND_SIM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum {
    SITU_CLUSTER_CARDS = 64,
    SITU_CLUSTER_POINTS = SITU_CLUSTER_CARDS + 32,
    SITU_CLUSTER_NAME = 24,
    SITU_CLUSTER_HOPS = 16,
    SITU_CLUSTER_LEVELS = 4,
    SITU_CLUSTER_SLOWER = 32
};

typedef enum situ_link_kind {
    SITU_LINK_PLAIN,
#define LINK(NAME, name, share, latency, how, source) SITU_LINK_##NAME,
#include "backend/sim/cards.def"
    SITU_LINK_KINDS
} situ_link_kind;

typedef struct situ_cluster_link {
    int from, to;              /* points of a node */
    double bandwidth, latency; /* in bytes/s, what can be used of it; in seconds */
    situ_link_kind kind;
    bool shared, used; /* used: by the way of a copy between cards, to the host or to the network */
    int line;          /* of the text */
} situ_cluster_link;

/* One way from a point of a node to another. Of two ways neither has both more bandwidth and less latency. */
typedef struct situ_cluster_way {
    double latency, bandwidth;
    int hops;
    int16_t hop[SITU_CLUSTER_HOPS]; /* 2 * link + direction */
} situ_cluster_way;

/* Switches that join so many nodes each; what leaves them shares their bandwidth. */
typedef struct situ_cluster_level {
    char name[SITU_CLUSTER_NAME];
    int nodes, line;
    double bandwidth, latency;
} situ_cluster_level;

/* A card of every node, or all cards of a node, take so many times as long. */
typedef struct situ_cluster_slower {
    int card, node; /* -1: every */
    double times;
} situ_cluster_slower;

/* What only `situ simulate` reads; 0: not said. Times in seconds, memory in bytes. */
typedef struct situ_cluster_plan {
    double step, memory, jitter;          /* a step of one card; memory of a card; standard deviation of a step, as a share of it */
    double failures, checkpoint, restart; /* time between failures of a node; to write a checkpoint; to begin again */
    double watts, price, energy;          /* of a card; of a card and hour; of a kilowatt hour */
    double data, flops;                   /* bytes/s that a node reads; peak of a card's products */
} situ_cluster_plan;

typedef struct situ_cluster {
    uint64_t identity;     /* another one whenever ways were found */
    int nodes, cards;      /* cards of each node */
    int cores;             /* number of CPU cores of a node, if cards are processes that share them; 0: they do not */
    double speed, message; /* speed of computing relative to this machine; seconds for a message */
    int points, network;   /* the first points are the cards; network -1: none */
    char point[SITU_CLUSTER_POINTS][SITU_CLUSTER_NAME];
    double capacity[SITU_CLUSTER_POINTS]; /* bytes/s that an exchange may send through the point; 0: any */
    int capacity_line[SITU_CLUSTER_POINTS];
    bool sums[SITU_CLUSTER_POINTS]; /* the point is a switch that adds what it forwards */
    int levels;
    situ_cluster_level level[SITU_CLUSTER_LEVELS]; /* switches over nodes, the lowest first */
    bool rails;                                    /* adapters of one place have switches of their own */
    int slower;
    situ_cluster_slower slow[SITU_CLUSTER_SLOWER];
    situ_cluster_plan plan;
    int links;
    situ_cluster_link *link;
    int ways;
    situ_cluster_way *way;                                     /* those of a pair of points lie together, the widest first */
    int32_t at[SITU_CLUSTER_POINTS][SITU_CLUSTER_POINTS];      /* index of the first */
    int16_t choices[SITU_CLUSTER_POINTS][SITU_CLUSTER_POINTS]; /* number of ways; 0: none; -1: only too long ones */
} situ_cluster;

/* Parses the text; messages call it `name`. NULL with an error: "cluster.txt:3:12: ...". */
situ_cluster *situ_cluster_read(const char *text, const char *name, situ_site site);
situ_cluster *situ_cluster_open(const char *path, situ_site site);
void situ_cluster_free(situ_cluster *c);
/* Finds the ways between all points (routes.c), also after a change of links; false: out of memory. Ways of more hops
 * than a copy may have are left out. */
bool situ_cluster_routes(situ_cluster *c);
/* Index of the point with this name in a node, or -1. */
int situ_cluster_point(const situ_cluster *c, const char *name);
/* Index of a point of a node in the whole cluster. Card i of all is card i mod cards of node i / cards. */
static inline int situ_cluster_place(const situ_cluster *c, int node, int point) { return node * c->points + point; }
static inline int situ_cluster_card(const situ_cluster *c, int i) { return situ_cluster_place(c, i / c->cards, i % c->cards); }
/* The quickest way for so many bytes: its directed links, each below situ_cluster_ways(c), and its latency; returns
 * their number, or -1: there is no way. */
int situ_cluster_path(const situ_cluster *c, int from, int to, double bytes, int way[SITU_CLUSTER_HOPS], double *latency);
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
    int settled;               /* so many of the first transfers are done, and are not looked at again */
    double *bandwidth, *spare; /* [ways] in bytes/s */
} situ_network;
bool situ_network_open(situ_network *net, int ways);
void situ_network_close(situ_network *net);
/* Advances from `now` until the next transfer starts or ends, and returns that time. At least one is not done, and not
 * fixed. */
double situ_flows_step(situ_network *net, situ_flow *flow, int n, double now);

#endif
