/* The laws of docs/simulate.md on 1,000 random clusters each. SITU_JOB_SEED gives the seed, SITU_LAW_CLUSTERS another
 * number. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "../../cli/exchange.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { CLUSTERS = 50 };
#else
enum { CLUSTERS = 1000 };
#endif
enum { LINES = 40, FLOWS = 12 };

/* ---- random clusters --------------------------------------------------------------------------------------------------------- */

typedef struct text_link {
    char from[16], to[16], rest[32];
    double bandwidth, latency; /* GB/s, us */
} text_link;

typedef struct text {
    int nodes, cards, links;
    double message; /* us */
    text_link link[LINES];
    int level_nodes; /* of a switch over nodes; 0: none */
    double level_bandwidth, level_latency;
    bool sums;
} text;

static uint64_t state, seed;
static double uniform(void)
{
    state += 0x9e3779b97f4a7c15; /* splitmix64 */
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.;
}
static int below(int n) { return (int)(uniform() * n); }
static double between(double least, double most) { return least * pow(most / least, uniform()); }

/* `card` is each card. */
static bool meet(const char *a, const char *b)
{
    return !strcmp(a, b) || (!strcmp(a, "card") && !strncmp(b, "card", 4)) || (!strcmp(b, "card") && !strncmp(a, "card", 4));
}

static void add_link(text *t, const char *from, const char *to)
{
    static const char *const kinds[] = {"", "", "", "shared", "nvlink", "pcie", "infiniband", "ethernet", "efficiency 0.7"};
    for (int i = 0; i < t->links; i++)
        if ((meet(t->link[i].from, from) && meet(t->link[i].to, to)) || (meet(t->link[i].from, to) && meet(t->link[i].to, from))) return;
    if (t->links == LINES || !strcmp(from, to)) return;
    text_link *l = &t->link[t->links++];
    snprintf(l->from, sizeof l->from, "%s", from);
    snprintf(l->to, sizeof l->to, "%s", to);
    snprintf(l->rest, sizeof l->rest, "%s", kinds[below(9)]);
    l->bandwidth = below(3) ? between(1, 600) : 25;
    l->latency = below(4) ? between(.1, 20) : 0;
}

/* One switch that joins all cards, perhaps a second one, links between cards, a host; the network from a switch or
 * from each card. */
static text random_text(void)
{
    text t = {.nodes = below(3) ? 1 + below(5) : 1, .cards = 1 + below(8), .message = below(2) ? between(.1, 3) : 0};
    char name[2][16];
    add_link(&t, "card", "s0");
    if (below(2)) add_link(&t, "card", "s1");
    if (below(2)) add_link(&t, "s0", "s1");
    for (int i = below(4); i-- > 0;) {
        for (int k = 0; k < 2; k++) snprintf(name[k], sizeof name[k], below(2) ? "card%d" : "s%d", below(below(2) ? t.cards : 2) % t.cards);
        add_link(&t, name[0], name[1]);
    }
    add_link(&t, below(2) ? "s0" : "card", "host");
    if (t.nodes > 1 || below(2)) add_link(&t, below(2) ? "s0" : "card", "network");
    if (t.nodes > 1 && !below(3)) add_link(&t, below(2) ? "s0" : "card0", "network");
    if (t.nodes > 1 && !below(3)) t.level_nodes = 1 + below(t.nodes), t.level_bandwidth = between(5, 600), t.level_latency = below(5);
    t.sums = !below(3);
    return t;
}

static void write_text(const text *t, char out[4096])
{
    int n = snprintf(out, 4096, "nodes %d\ncards %d\nmessage %.17g us\n", t->nodes, t->cards, t->message);
    for (int i = 0; i < t->links; i++) {
        const text_link *l = &t->link[i];
        n += snprintf(out + n, 4096 - (size_t)n, "link %s %s %.17g GB/s %.17g us %s\n", l->from, l->to, l->bandwidth, l->latency, l->rest);
    }
    if (t->level_nodes) n += snprintf(out + n, 4096 - (size_t)n, "switch leaf %d nodes %.17g GB/s %.17g us\n", t->level_nodes, t->level_bandwidth, t->level_latency);
    if (t->sums) snprintf(out + n, 4096 - (size_t)n, "sums s0\n");
}

static situ_cluster *read_text(const text *t)
{
    char out[4096];
    write_text(t, out);
    situ_cluster *c = situ_cluster_read(out, "c.txt", NULL);
    if (!CHECK(c)) printf("  %s of\n%s", situ_error_message(), out), situ_error_take(NULL);
    return c;
}

/* ---- a law ------------------------------------------------------------------------------------------------------------------- */

typedef struct trial {
    text t, after; /* the text, and the one that the law makes of it */
    situ_cluster *c, *changed;
    int n; /* of so many cards */
    double bytes, k;
} trial;

static bool above(double a, double b) { return a >= b * (1 - 1e-9) - 1e-15; }
static bool same(double a, double b) { return above(a, b) && above(b, a); }

static double sum(const situ_cluster *c, cli_way way, int n, double bytes) { return cli_exchange_time(c, way, CLI_ALL_REDUCE, n, bytes).seconds; }

/* Runs a law on random clusters; it changes `after`, if `change` is given. The first failure is told, and how to see
 * it again. */
static void run(const char *name, void (*change)(trial *), bool (*holds)(const trial *))
{
    const char *wished = getenv("SITU_JOB_SEED"), *number = getenv("SITU_LAW_CLUSTERS");
    int clusters = number ? atoi(number) : CLUSTERS, failed = 0;
    for (int i = 0; i < clusters && !failed; i++) {
        seed = (wished ? strtoull(wished, NULL, 10) : 1) * 1000003 + (uint64_t)i;
        state = seed;
        trial r = {.t = random_text(), .bytes = between(1, 4e9), .k = 1 + 7 * uniform()};
        r.after = r.t;
        r.n = 1 + below(r.t.nodes * r.t.cards);
        if (change) change(&r);
        r.c = read_text(&r.t);
        r.changed = change ? read_text(&r.after) : NULL;
        bool ran = r.c && (!change || r.changed);
        failed = !ran || !holds(&r);
        if (failed) {
            char out[4096];
            write_text(&r.t, out);
            printf("  law %s: cluster %d of seed %s, %d cards, %g bytes, k %g:\n%s", name, i, wished ? wished : "1", r.n, r.bytes, r.k, out);
            if (change) write_text(&r.after, out), printf("  and then\n%s", out);
        }
        situ_cluster_free(r.c);
        situ_cluster_free(r.changed);
    }
    CHECK(!failed);
}

#define LAW(name, change) \
    static bool name##_holds(const trial *r); \
    TEST(name) { run(#name, change, name##_holds); } \
    static bool name##_holds(const trial *r)
/* Every way and collective; `T` is the time, negative if there is none. */
#define EACH_TIME(cluster, n_, bytes_) \
    for (int way = 0; way < CLI_WAYS; way++) \
        for (int what = 0; what < CLI_COLLECTIVES; what++) \
            for (double T = cli_exchange_time(cluster, (cli_way)way, (cli_collective)what, n_, bytes_).seconds, once = 1; once > 0 && T >= 0; once = 0)
static double again(const situ_cluster *c, int way, int what, int n, double bytes) { return cli_exchange_time(c, (cli_way)way, (cli_collective)what, n, bytes).seconds; }
static bool told(int way, int what, double a, double b)
{
    printf("  %s, %s: %.9g, %.9g\n", cli_way_names[way], cli_collective_names[what], a, b);
    return false;
}

/* ---- copies ------------------------------------------------------------------------------------------------------------------- */

/* The quickest of all ways without a point twice, by trying each: the time of a copy from a to b. */
static double quickest(const situ_cluster *c, int at, int to, double bytes, double latency, double width, bool *seen, int hops)
{
    if (at == to) return latency + bytes / width;
    double best = INFINITY;
    if ((at < c->cards && hops) || hops == SITU_CLUSTER_HOPS) return best;
    seen[at] = true;
    for (int k = 0; k < c->links; k++) {
        const situ_cluster_link *l = &c->link[k];
        int next = l->from == at ? l->to : l->to == at ? l->from : -1;
        if (next >= 0 && !seen[next]) best = fmin(best, quickest(c, next, to, bytes, latency + l->latency, fmin(width, l->bandwidth), seen, hops + 1));
    }
    seen[at] = false;
    return best;
}

static double copy_time(const situ_cluster *c, int from, int to, double bytes)
{
    situ_flow f = {.from = situ_cluster_card(c, from), .to = situ_cluster_card(c, to), .bytes = bytes};
    return situ_flows_run(c, &f, 1, NULL) ? -1 : f.end;
}

LAW(law_1_a_copy_alone, NULL)
{
    bool seen[SITU_CLUSTER_POINTS] = {false};
    for (int i = 1; i < r->t.cards; i++)
        if (!same(copy_time(r->c, 0, i, r->bytes), quickest(r->c, 0, i, r->bytes, 0, INFINITY, seen, 0))) return false;
    return true;
}

static void widen_one(trial *r) { r->after.link[below(r->t.links)].bandwidth *= r->k; }
static void add_one(trial *r) { add_link(&r->after, below(2) ? "card" : "s1", below(2) ? "s2" : "network"), add_link(&r->after, "s2", "s0"); }

static bool no_copy_is_slower(const trial *r)
{
    for (int i = 0; i < r->t.nodes * r->t.cards; i++)
        if (i && !above(copy_time(r->c, 0, i, r->bytes), copy_time(r->changed, 0, i, r->bytes))) return false;
    return true;
}
LAW(law_2_a_wider_link_slows_no_copy, widen_one) { return no_copy_is_slower(r); }
LAW(law_3_one_more_link_slows_no_copy, add_one) { return no_copy_is_slower(r); }

/* Random copies between the cards, each of its own bytes and start. */
static int random_flows(const trial *r, situ_flow *f, double alone[FLOWS], double *in_turn)
{
    int cards = r->t.nodes * r->t.cards, n = cards > 1 ? 2 + below(FLOWS - 1) : 0;
    *in_turn = 0;
    for (int i = 0; i < n; i++) {
        int from = below(cards), to = (from + 1 + below(cards - 1)) % cards;
        double bytes = between(1e3, 1e9), start = 0;
        f[i] = (situ_flow){.from = situ_cluster_card(r->c, from), .to = situ_cluster_card(r->c, to), .bytes = bytes, .start = start};
        alone[i] = copy_time(r->c, from, to, bytes);
        *in_turn += alone[i];
    }
    if (n && situ_flows_run(r->c, f, n, NULL)) return -1;
    return n;
}
#define TOGETHER \
    situ_flow f[FLOWS]; \
    double alone[FLOWS], in_turn, last = 0; \
    state = seed + 7; \
    int n = random_flows(r, f, alone, &in_turn); \
    for (int i = 0; i < n; i++) last = fmax(last, f[i].end)

LAW(law_4_other_copies_quicken_none, NULL)
{
    TOGETHER;
    for (int i = 0; i < n; i++)
        if (!above(f[i].end, alone[i])) return false;
    return n >= 0;
}
LAW(law_5_together_is_no_slower_than_in_turn, NULL)
{
    TOGETHER;
    return n >= 0 && above(in_turn, last);
}
LAW(law_6_no_link_carries_more_than_its_bandwidth, NULL)
{
    TOGETHER;
    for (int w = 0; w < situ_cluster_ways(r->c); w++) {
        double bytes = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < f[i].hops; k++) bytes += f[i].way[k] == w ? f[i].bytes : 0;
        if (!above(last, bytes / situ_cluster_bandwidth(r->c, w))) return false;
    }
    return n >= 0;
}
LAW(law_7_what_shares_no_link_is_as_if_alone, NULL)
{
    TOGETHER;
    for (int i = 0; i < n; i++) {
        bool shares = false;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < f[i].hops * f[j].hops; k++) shares |= i != j && f[i].way[k % f[i].hops] == f[j].way[k / f[i].hops];
        if (!shares && !same(f[i].end, alone[i])) return false;
    }
    return n >= 0;
}

/* ---- exchanges ---------------------------------------------------------------------------------------------------------------- */

LAW(law_8_more_bytes_are_not_quicker, NULL)
{
    EACH_TIME(r->c, r->n, r->bytes) {
        double twice = again(r->c, way, what, r->n, 2 * r->bytes);
        if (!above(twice, T) || !above(2 * T, twice)) return told(way, what, T, twice);
    }
    return true;
}

static void widen(trial *r)
{
    for (int i = 0; i < r->t.links; i++) r->after.link[i].bandwidth *= r->k;
    r->after.level_bandwidth *= r->k;
}
static void scale(trial *r)
{
    widen(r);
    for (int i = 0; i < r->t.links; i++) r->after.link[i].latency /= r->k;
    r->after.level_latency /= r->k;
    r->after.message /= r->k;
}
LAW(law_9_all_scaled, scale)
{
    EACH_TIME(r->c, r->n, r->bytes) {
        double after = again(r->changed, way, what, r->n, r->bytes);
        if (way <= CLI_HOST && !same(after, T / r->k)) return told(way, what, T / r->k, after);
    }
    return true;
}
LAW(law_10_all_links_wider, widen)
{
    EACH_TIME(r->c, r->n, r->bytes) {
        double after = again(r->changed, way, what, r->n, r->bytes);
        if (!above(T, after) || !above(after, T / r->k)) return told(way, what, T, after);
    }
    return true;
}

static bool no_slower(const trial *r)
{
    EACH_TIME(r->c, r->n, r->bytes) {
        double after = again(r->changed, way, what, r->n, r->bytes);
        if (!above(T, after)) return told(way, what, T, after);
    }
    return true;
}
LAW(law_11_one_link_wider, widen_one) { return no_slower(r); }
static void quicken(trial *r)
{
    for (int i = 0; i < r->t.links; i++) r->after.link[i].latency *= uniform();
    r->after.message *= uniform();
}
LAW(law_12_less_latency, quicken) { return no_slower(r); }

LAW(law_13_the_halves_of_a_sum, NULL)
{
    for (int way = 0; way < CLI_WAYS; way++) {
        double all = again(r->c, way, CLI_ALL_REDUCE, r->n, r->bytes);
        double halves = again(r->c, way, CLI_REDUCE_SCATTER, r->n, r->bytes) + again(r->c, way, CLI_ALL_GATHER, r->n, r->bytes);
        if (way == CLI_NVLS || way == CLI_NVLS_TREE || way == CLI_NCCL_TREE || all < 0) continue; /* have no halves */
        if (!above(halves, all) || (way <= CLI_RING && !same(halves, all))) return told(way, CLI_ALL_REDUCE, all, halves);
    }
    return true;
}

LAW(law_14_no_sum_is_quicker_than_a_card, NULL)
{
    double narrowest = INFINITY, least;
    for (int i = 0; i < r->n && i < r->t.cards; i++) {
        double width = 0;
        for (int k = 0; k < r->c->links; k++) width += r->c->link[k].from == i || r->c->link[k].to == i ? r->c->link[k].bandwidth : 0;
        narrowest = fmin(narrowest, width);
    }
    for (int way = 0; way < CLI_WAYS && r->n > 1; way++) {
        int here = r->n < r->t.cards ? r->n : r->t.cards;
        bool sums = way == CLI_NVLS || way == CLI_NVLS_TREE || way == CLI_NCCL || way == CLI_NCCL_TREE;
        double T = sum(r->c, (cli_way)way, r->n, r->bytes);
        least = sums ? r->bytes * (r->t.sums ? 1. : 1 - 1. / here + 1. / r->n) : 2 * r->bytes * (r->n - 1) / r->n;
        if (way == CLI_CARD || way == CLI_HOST) least = r->bytes;
        if (T >= 0 && !above(T, least / narrowest)) return told(way, CLI_ALL_REDUCE, T, least / narrowest);
    }
    return true;
}

LAW(law_15_nccl_takes_its_quickest_way, NULL)
{
    double best = sum(r->c, CLI_NCCL, r->n, r->bytes);
    for (int way = CLI_NCCL_RING; way < CLI_HIERARCHICAL; way++) {
        double T = sum(r->c, (cli_way)way, r->n, r->bytes);
        if (T >= 0 && !above(T, best)) return told(way, CLI_ALL_REDUCE, best, T);
    }
    return true;
}

static void many_nodes(trial *r)
{
    r->t.nodes = 256;
    r->t.level_nodes = 0;
    if (r->t.links < LINES) add_link(&r->t, "card", "network");
    r->after = r->t;
}
LAW(law_16_small_sums_grow_as_the_logarithm, many_nodes)
{
    int m = 2 + (int)(r->k * 1.75);
    double few = sum(r->c, CLI_NCCL, m * r->t.cards, 8), many = sum(r->c, CLI_NCCL, m * m * r->t.cards, 8);
    return above(2 * few, many) || told(CLI_NCCL, CLI_ALL_REDUCE, few, many);
}

LAW(law_17_a_send_is_of_two_cards, NULL)
{
    for (int way = 0; way < CLI_WAYS && r->n > 1 && r->t.cards > 1; way++)
        if (!same(again(r->c, way, CLI_SEND, r->n, r->bytes), again(r->c, way, CLI_SEND, 2, r->bytes)) && r->n <= r->t.cards) return told(way, CLI_SEND, 0, 0);
    for (int way = 0; way < CLI_NCCL && r->n > 1 && r->t.cards > 1; way++)
        if (!same(again(r->c, way, CLI_SEND, r->n, r->bytes), again(r->c, way, CLI_SEND, 2, r->bytes))) return told(way, CLI_SEND, 1, 1);
    return true;
}

static void add_nodes(trial *r)
{
    r->after.nodes *= 2;
    if (r->t.links == LINES) r->after.nodes = r->t.nodes;
    else add_link(&r->t, "s0", "network"), memcpy(r->after.link, r->t.link, sizeof r->t.link), r->after.links = r->t.links;
}
static bool nothing_changes(const trial *r)
{
    EACH_TIME(r->c, r->n, r->bytes) {
        double after = again(r->changed, way, what, r->n, r->bytes);
        if (!same(T, after)) return told(way, what, T, after);
    }
    return true;
}
LAW(law_18_nodes_that_take_no_part, add_nodes) { return nothing_changes(r); }

static void shuffle(trial *r)
{
    for (int i = r->t.links; i-- > 1;) {
        int k = below(i + 1);
        text_link l = r->after.link[i];
        r->after.link[i] = r->after.link[k];
        r->after.link[k] = l;
    }
}
LAW(law_19_the_order_of_the_lines, shuffle) { return nothing_changes(r); }

static void add_switch(trial *r)
{
    r->t.level_nodes = 0;
    r->after = r->t;
    r->after.level_nodes = 1 + below(r->t.nodes);
    r->after.level_bandwidth = uniform() < .5 ? 1e6 : between(1, 600);
    r->after.level_latency = r->after.level_bandwidth < 1e6 ? below(3) : 0;
}
LAW(law_20_a_switch_over_nodes_is_no_advantage, add_switch)
{
    EACH_TIME(r->c, r->n, r->bytes) {
        double after = again(r->changed, way, what, r->n, r->bytes);
        if (!above(after, T) || (r->after.level_bandwidth >= 1e6 && !same(after, T))) return told(way, what, T, after);
    }
    return true;
}
