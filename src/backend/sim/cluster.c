/* Parses the description of a cluster, and finds the routes in it. */
#include "backend/sim/cluster.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sim/card.h"
#include "base/memory.h"
#include "os/file.h"
#include "os/plain.h"

enum {
    MOST_NODES = 1 << 16,
    MOST_CARDS = 1 << 16, /* over all nodes */
    MOST_PLACES = 1 << 20,
    MOST_LINES = 1000,
    MOST_LINKS = 4096,
    MOST_BYTES = 1 << 20
};

/* What is said once, by a word and a value. */
enum {
    NODES,
    CARDS,
    CORES,
    SPEED,
    MESSAGE,
    STEP,
    MEMORY,
    JITTER,
    FAILURES,
    CHECKPOINT,
    RESTART,
    WATTS,
    PRICE,
    ENERGY,
    DATA,
    FLOPS,
    SETTINGS
};

/* A line `link A B ...`, kept until all cards are known. */
typedef struct wish {
    char end[2][SITU_CLUSTER_NAME];
    double bandwidth, latency; /* bandwidth 0: the card's */
    situ_link_kind kind;
    bool shared;
    int line, column[2];
} wish;

typedef struct reader {
    situ_cluster *c;
    const char *name, *start, *at; /* name of the text; start of the line; position in it */
    int line, said[SETTINGS];      /* lines of the settings; 0: not said */
    const situ_card *card;
    wish *link;
    int links, sums[SITU_CLUSTER_POINTS], summing; /* lines `sums`, kept until all points are known */
    char sum[SITU_CLUSTER_POINTS][SITU_CLUSTER_NAME];
    double capacity[SITU_CLUSTER_POINTS]; /* 0: the line says `sums` */
    situ_site site;
} reader;

static bool fail(reader *r, int line, int column, const char *format, ...) SITU_PRINTF(4, 5);
static bool fail(reader *r, int line, int column, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    situ_plain_list(text, sizeof text, format, list);
    va_end(list);
    situ_fail(SITU_BAD_FORMAT, r->site, "%s:%d:%d: %s", r->name, line, column, text);
    return false;
}
static int column(const reader *r) { return (int)(r->at - r->start) + 1; }
#define FAIL(...) fail(r, r->line, column(r), __VA_ARGS__)

static void skip(reader *r) { r->at += strspn(r->at, " \t\r,"); }
static bool at_end(const reader *r) { return !*r->at || *r->at == '\n' || *r->at == '#'; }
static int word_length(const reader *r) { return (int)strcspn(r->at, " \t\r\n,#"); }
/* The text at the position, for a message. */
static const char *found(const reader *r, char text[40])
{
    int n = word_length(r);
    if (at_end(r)) snprintf(text, 40, "the line ends");
    else snprintf(text, 40, "here is \"%.*s\"", n > 24 ? 24 : n, r->at);
    return text;
}

static bool is_word(reader *r, const char *word)
{
    int n = word_length(r);
    if (n != (int)strlen(word) || memcmp(r->at, word, (size_t)n)) return false;
    r->at += n;
    skip(r);
    return true;
}

static bool read_name(reader *r, char out[SITU_CLUSTER_NAME])
{
    int n = word_length(r);
    char text[40];
    if (at_end(r)) return FAIL("a link joins two points: link card switch 16 GB/s 2 us; %s", found(r, text));
    bool good = n < SITU_CLUSTER_NAME && situ_is_letter(*r->at);
    for (int i = 0; i < n; i++) good &= situ_is_letter(r->at[i]) || situ_is_digit(r->at[i]) || r->at[i] == '_' || r->at[i] == '-';
    if (!good)
        return FAIL("a point's name begins with a letter and has letters, digits, - and _, %d at most; %s", SITU_CLUSTER_NAME - 1,
            found(r, text));
    snprintf(out, SITU_CLUSTER_NAME, "%.*s", n, r->at);
    r->at += n;
    skip(r);
    return true;
}

static bool read_number(reader *r, const char *what, double least, double most, bool whole, double *out)
{
    char *end, text[40];
    double value = situ_is_digit(*r->at) || *r->at == '.' ? situ_plain_number(r->at, &end) : NAN;
    if (!(value >= least && value <= most) || (whole && value != floor(value)))
        return FAIL("%s: a number from %g to %g; %s", what, least, most, found(r, text));
    *out = value;
    r->at = end;
    if (whole && word_length(r)) return FAIL("%s: a whole number, and nothing after it; %s", what, found(r, text));
    skip(r);
    return true;
}

typedef struct unit {
    const char *name;
    double value;
} unit;
static const unit speeds[] = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {"Mbit/s", 1e6 / 8},
    {"Gbit/s", 1e9 / 8}, {"Tbit/s", 1e12 / 8}, {NULL, 0}};
static const unit times[] = {
    {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"hours", 3600}, {"days", 86400}, {NULL, 0}};
static const unit sizes[] = {{"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {NULL, 0}};
static const unit shares[] = {{"%", .01}, {NULL, 0}};
static const unit powers[] = {{"W", 1}, {"kW", 1e3}, {NULL, 0}};
static const unit rates[] = {{"Tflop/s", 1e12}, {"Gflop/s", 1e9}, {NULL, 0}};
enum { LATENCY_MOST = 10 }; /* seconds */

static const struct kind {
    const char *name;
    double share, latency;
} kinds[SITU_LINK_KINDS] = {
    {"plain", 1, 0},
#define LINK(NAME, name, share, latency, how, source) {#name, share, latency},
#include "backend/sim/cards.def"
};

static bool read_unit(reader *r, const char *what, const char *example, const unit *list, double *value)
{
    char text[40];
    for (; list->name; list++)
        if (is_word(r, list->name)) return *value *= list->value, true;
    return FAIL("%s: a number with its unit, as in %s; %s", what, example, found(r, text));
}

static bool read_latency(reader *r, double *out)
{
    int at = column(r);
    if (!read_number(r, "the latency of a link", 0, 1e9, false, out) || !read_unit(r, "the latency of a link", "2 us", times, out))
        return false;
    return *out <= LATENCY_MOST || fail(r, r->line, at, "the latency of a link is %d s at most; here are %g s", LATENCY_MOST, *out);
}

static bool read_bandwidth(reader *r, double *out)
{
    return read_number(r, "the bandwidth of a link", 1e-3, 1e15, false, out) &&
        read_unit(r, "the bandwidth of a link", "16 GB/s or 100 Gbit/s", speeds, out);
}

static int kind_here(reader *r)
{
    for (int i = 1; i < SITU_LINK_KINDS; i++)
        if (is_word(r, kinds[i].name)) return i;
    return 0;
}

/* The rest of a link's line: a latency, and in any order `shared`, a kind, and the share of the bandwidth that can be
 * used. */
static bool read_rest(reader *r, wish *w)
{
    bool timed = situ_is_digit(*r->at) || *r->at == '.';
    double share = 0;
    if (timed && !read_latency(r, &w->latency)) return false;
    for (int kind; !at_end(r);) {
        if (is_word(r, "shared")) w->shared = true;
        else if ((kind = kind_here(r))) w->kind = (situ_link_kind)kind;
        else if (!is_word(r, "efficiency")) break;
        else if (!read_number(r, "the efficiency of a link", 1e-3, 1, false, &share)) return false;
    }
    if (share > 0 && !(w->bandwidth > 0)) return FAIL("efficiency is a share of a bandwidth that the line says");
    w->bandwidth *= share > 0 ? share : kinds[w->kind].share;
    if (!timed) w->latency = kinds[w->kind].latency;
    return true;
}

static bool read_link(reader *r)
{
    wish w = {.line = r->line};
    for (int i = 0; i < 2; i++) {
        w.column[i] = column(r);
        if (!read_name(r, w.end[i])) return false;
    }
    const char *rest = r->at;
    bool of_card = (!strcmp(w.end[0], "card") || !strcmp(w.end[1], "card")) && kind_here(r);
    r->at = rest;
    if ((!of_card && !read_bandwidth(r, &w.bandwidth)) || !read_rest(r, &w)) return false;
    if (r->links == MOST_LINES) return FAIL("there are %d links at most", MOST_LINES);
    wish *more = situ_realloc(r->link, ((size_t)r->links + 1) * sizeof *more);
    if (!more) return situ_fail(SITU_NO_MEMORY, r->site, "%s: out of host memory", r->name), false;
    r->link = more;
    r->link[r->links++] = w;
    return true;
}

/* card h100: its figures are those of cards.def. */
static bool read_card(reader *r)
{
    char text[40], names[160] = "";
    if (r->card) return FAIL("the card is said to be %s already", r->card->name);
    for (int i = 0; situ_card_nth(i) && !r->card; i++) {
        const char *name = situ_card_nth(i)->name;
        if (is_word(r, name)) r->card = situ_card_nth(i);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
    }
    return r->card || FAIL("the card is one of %s; %s", names, found(r, text));
}

/* What the lines leave to the card: its memory, and the bandwidth of its links. */
static bool take_card(reader *r)
{
    for (int i = 0; i < r->links; i++) {
        wish *w = &r->link[i];
        if (w->bandwidth > 0) continue;
        if (!r->card)
            return fail(
                r, w->line, w->column[1], "the link has no bandwidth: write it, as 16 GB/s, or the card, in a line card h100");
        if (w->kind == SITU_LINK_NVLINK) w->bandwidth = r->card->peer_bandwidth;
        if (w->kind == SITU_LINK_PCIE) w->bandwidth = r->card->link_bandwidth;
        if (!(w->bandwidth > 0))
            return fail(r, w->line, w->column[1], "what a link by %s carries is not among the figures of %s: write it, as 16 GB/s",
                w->kind ? kinds[w->kind].name : "no kind", r->card->name);
    }
    if (r->card && !r->said[MEMORY]) r->c->plan.memory = r->card->memory;
    return true;
}

/* switch leaf 16 nodes 800 GB/s 1 us */
static bool read_level(reader *r)
{
    situ_cluster *c = r->c;
    situ_cluster_level *v = &c->level[c->levels], *below = c->levels ? v - 1 : NULL;
    double nodes;
    char text[40];
    if (c->levels == SITU_CLUSTER_LEVELS) return FAIL("there are %d levels of switches at most", SITU_CLUSTER_LEVELS);
    *v = (situ_cluster_level){.line = r->line};
    if (!read_name(r, v->name)) return false;
    int at = column(r);
    if (!read_number(r, "the nodes of a switch", 1, MOST_NODES, true, &nodes)) return false;
    if (!is_word(r, "nodes"))
        return FAIL("how many nodes each of these switches joins: switch leaf 16 nodes 800 GB/s; %s", found(r, text));
    v->nodes = (int)nodes;
    if (below && (v->nodes <= below->nodes || v->nodes % below->nodes))
        return fail(r, r->line, at, "a switch over %s joins whole ones of its %d nodes, and more than one; here are %d nodes",
            below->name, below->nodes, v->nodes);
    if (!read_bandwidth(r, &v->bandwidth)) return false;
    if (!at_end(r) && !read_latency(r, &v->latency)) return false;
    c->levels++;
    return true;
}

/* slower card3 1.2, slower node5 1.5 */
static bool read_slower(reader *r)
{
    situ_cluster *c = r->c;
    situ_cluster_slower *s = &c->slow[c->slower];
    char name[SITU_CLUSTER_NAME], *end = name, text[40];
    int at = column(r);
    if (c->slower == SITU_CLUSTER_SLOWER) return FAIL("there are %d slower cards and nodes at most", SITU_CLUSTER_SLOWER);
    if (at_end(r)) return FAIL("what is slower, and how many times: slower card3 1.2; %s", found(r, text));
    if (!read_name(r, name)) return false;
    *s = (situ_cluster_slower){-1, -1, 1};
    bool card = !strncmp(name, "card", 4), node = !strncmp(name, "node", 4);
    long which = situ_is_digit(name[4]) ? strtol(name + 4, &end, 10) : -1;
    if ((!card && !node) || which < 0 || which >= MOST_NODES || *end)
        return fail(r, r->line, at,
            "a card of each node or a node can be slower: slower card3 1.2, slower node5 1.5; here is \"%s\"", name);
    *(card ? &s->card : &s->node) = (int)which;
    if (!read_number(r, "how many times as long it takes", 1, 1e6, false, &s->times)) return false;
    c->slower++;
    return true;
}

/* ---- settings ----------------------------------------------------------------------------------------------------------- */

#define PLACE(member) offsetof(situ_cluster, member)
static const struct setting {
    const char *name, *example;
    size_t place;
    double least, most;
    const unit *unit;
    bool whole;
    double limit; /* after its unit; 0: none */
} settings[SETTINGS] = {
    [NODES] = {"nodes", "", PLACE(nodes), 1, MOST_NODES, NULL, true, 0},
    [CARDS] = {"cards", "", PLACE(cards), 1, SITU_CLUSTER_CARDS, NULL, true, 0},
    [CORES] = {"cores", "", PLACE(cores), 1, 1 << 16, NULL, true, 0},
    [SPEED] = {"speed", "", PLACE(speed), 1e-6, 1e9, NULL, false, 0},
    [MESSAGE] = {"message", "1 us", PLACE(message), 0, 1e9, times, false, LATENCY_MOST},
    [STEP] = {"step", "273 ms", PLACE(plan.step), 1e-9, 1e9, times, false, 0},
    [MEMORY] = {"memory", "80 GB", PLACE(plan.memory), 1, 1e6, sizes, false, 0},
    [JITTER] = {"jitter", "3 %", PLACE(plan.jitter), 0, 100, shares, false, 0},
    [FAILURES] = {"failures", "200 days", PLACE(plan.failures), 1e-3, 1e9, times, false, 0},
    [CHECKPOINT] = {"checkpoint", "30 s", PLACE(plan.checkpoint), 1e-3, 1e9, times, false, 0},
    [RESTART] = {"restart", "5 min", PLACE(plan.restart), 0, 1e9, times, false, 0},
    [WATTS] = {"power", "700 W", PLACE(plan.watts), 0, 1e6, powers, false, 0},
    [PRICE] = {"price", "", PLACE(plan.price), 0, 1e9, NULL, false, 0},
    [ENERGY] = {"energy", "", PLACE(plan.energy), 0, 1e9, NULL, false, 0},
    [DATA] = {"data", "2 GB/s", PLACE(plan.data), 1e-3, 1e12, speeds, false, 0},
    [FLOPS] = {"flops", "312 Tflop/s", PLACE(plan.flops), 1e-3, 1e9, rates, false, 0},
};

static bool read_setting(reader *r, int which)
{
    const struct setting *s = &settings[which];
    char *place = (char *)r->c + s->place;
    double value = 0;
    int at = column(r);
    if (r->said[which]) return FAIL("%s was said in line %d already", s->name, r->said[which]);
    r->said[which] = r->line;
    if (!read_number(r, s->name, s->least, s->most, s->whole, &value)) return false;
    if (s->unit && !read_unit(r, s->name, s->example, s->unit, &value)) return false;
    if (s->limit > 0 && value > s->limit)
        return fail(r, r->line, at, "%s is %g s at most; here are %g s", s->name, s->limit, value);
    if (s->whole) *(int *)(void *)place = (int)value;
    else *(double *)(void *)place = value;
    return true;
}

/* sums nvswitch, capacity nvswitch 3.6 TB/s */
static bool read_point(reader *r, bool capacity)
{
    if (r->summing == SITU_CLUSTER_POINTS) return FAIL("there are %d such lines at most", SITU_CLUSTER_POINTS);
    r->sums[r->summing] = r->line;
    if (!read_name(r, r->sum[r->summing])) return false;
    return !capacity ? ++r->summing : read_bandwidth(r, &r->capacity[r->summing]) && ++r->summing;
}

static bool read_line(reader *r)
{
    char text[40];
    bool good = false;
    int which = 0;
    if (at_end(r)) return true;
    while (which < SETTINGS && !is_word(r, settings[which].name)) which++;
    if (which < SETTINGS) good = read_setting(r, which);
    else if (is_word(r, "link")) good = read_link(r);
    else if (is_word(r, "card")) good = read_card(r);
    else if (is_word(r, "switch")) good = read_level(r);
    else if (is_word(r, "slower")) good = read_slower(r);
    else if (is_word(r, "sums")) good = read_point(r, false);
    else if (is_word(r, "capacity")) good = read_point(r, true);
    else if (is_word(r, "rails")) good = r->c->rails = true;
    else
        return FAIL("a line begins with nodes, cards, cores, speed, message, link or another word of `situ help simulate`; %s",
            found(r, text));
    if (!good) return false;
    return at_end(r) || FAIL("nothing more is expected in this line; %s", found(r, text));
}

/* ---- points and routes ---------------------------------------------------------------------------------------- */

int situ_cluster_point(const situ_cluster *c, const char *name)
{
    for (int i = 0; i < c->points; i++)
        if (!strcmp(c->point[i], name)) return i;
    return -1;
}

/* The index of the point with that name, which is added unless it is a card's; -1 with an error. */
static int point_of(reader *r, const wish *w, int which)
{
    situ_cluster *c = r->c;
    const char *name = w->end[which];
    int i = situ_cluster_point(c, name);
    if (i >= 0) return i;
    if (!strncmp(name, "card", 4) && situ_is_digit(name[4]))
        return fail(r, w->line, w->column[which], "there is no %s: a node has %d cards, card0 to card%d", name, c->cards,
                   c->cards - 1),
               -1;
    if (c->points == SITU_CLUSTER_POINTS)
        return fail(r, w->line, w->column[which], "a node has %d points beside its cards at most",
                   SITU_CLUSTER_POINTS - SITU_CLUSTER_CARDS),
               -1;
    snprintf(c->point[c->points], SITU_CLUSTER_NAME, "%s", name);
    if (!strcmp(name, "network")) c->network = c->points;
    return c->points++;
}

static bool add_link(reader *r, int from, int to, const wish *w)
{
    situ_cluster *c = r->c;
    if (from == to) return fail(r, w->line, w->column[1], "a link joins two points, not %s with itself", w->end[1]);
    for (int i = 0; i < c->links; i++)
        if ((c->link[i].from == from && c->link[i].to == to) || (c->link[i].from == to && c->link[i].to == from))
            return fail(r, w->line, 1,
                "line %d links %s and %s already; for several links write one with the sum of their bandwidths", c->link[i].line,
                c->point[from], c->point[to]);
    if (c->links == MOST_LINKS) return fail(r, w->line, 1, "a node has %d links at most", MOST_LINKS);
    situ_cluster_link *more = situ_realloc(c->link, ((size_t)c->links + 1) * sizeof *more);
    if (!more) return situ_fail(SITU_NO_MEMORY, r->site, "%s: out of host memory", r->name), false;
    c->link = more;
    c->link[c->links++] = (situ_cluster_link){.from = from,
        .to = to,
        .bandwidth = w->bandwidth,
        .latency = w->latency,
        .kind = w->kind,
        .shared = w->shared,
        .line = w->line};
    return true;
}

/* Adds the links of a line; `card` stands for each card. */
static bool add_links(reader *r, const wish *w)
{
    situ_cluster *c = r->c;
    bool each[2] = {!strcmp(w->end[0], "card"), !strcmp(w->end[1], "card")};
    int point[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        if (!each[i] && (point[i] = point_of(r, w, i)) < 0) return false;
    for (int a = 0; a < (each[0] ? c->cards : 1); a++)
        for (int b = each[0] && each[1] ? a + 1 : 0; b < (each[1] ? c->cards : 1); b++)
            if (!add_link(r, each[0] ? a : point[0], each[1] ? b : point[1], w)) return false;
    return true;
}

/* Marks the links that copies between cards, to the host or to the network use. */
static void mark_used(situ_cluster *c)
{
    int host = situ_cluster_point(c, "host");
    for (int a = 0; a < c->points; a++)
        for (int b = 0; b < c->points; b++) {
            bool card = a < c->cards || b < c->cards;
            bool end = (a < c->cards || a == host || a == c->network) && (b < c->cards || b == host || b == c->network);
            for (int i = 0; card && end && i < c->choices[a][b]; i++)
                for (int k = 0; k < c->way[c->at[a][b] + i].hops; k++) c->link[c->way[c->at[a][b] + i].hop[k] / 2].used = true;
        }
}

/* Checks that routes between cards, or to the host, have no more links than a copy may use. */
static bool are_near(reader *r)
{
    const situ_cluster *c = r->c;
    int way[SITU_CLUSTER_HOPS], host = situ_cluster_point(c, "host");
    double latency;
    for (int a = 0; a < c->cards; a++)
        for (int b = 0; b < 2 * c->cards; b++)
            if (b / c->cards < c->nodes && situ_cluster_path(c, a, situ_cluster_card(c, b), 0, way, &latency) < 0)
                return fail(r, r->said[CARDS], 1, "more than %d links lie between card%d and card%d%s", SITU_CLUSTER_HOPS, a,
                    b % c->cards, b < c->cards ? "" : " of another node");
    for (int a = 0; a < c->cards && host >= 0; a++) {
        if (!c->choices[a][host])
            return fail(r, r->said[CARDS], 1, "no link leads from card%d to the host; link switch host 16 GB/s 2 us does", a);
        if (situ_cluster_path(c, a, host, 0, way, &latency) < 0)
            return fail(r, r->said[CARDS], 1, "more than %d links lie between card%d and the host", SITU_CLUSTER_HOPS, a);
    }
    return true;
}

/* Looks at what names points, cards or nodes that had to be known first. */
static bool resolve(reader *r)
{
    situ_cluster *c = r->c;
    for (int i = 0; i < r->summing; i++) {
        int point = situ_cluster_point(c, r->sum[i]);
        if (point < c->cards)
            return fail(r, r->sums[i], 1, "no link leads to a switch %s; link card %s 450 GB/s does", r->sum[i], r->sum[i]);
        if (r->capacity[i] > 0) c->capacity[point] = r->capacity[i], c->capacity_line[point] = r->sums[i];
        else c->sums[point] = true;
    }
    for (int i = 0; i < c->slower; i++)
        if (c->slow[i].card >= c->cards || c->slow[i].node >= c->nodes)
            return fail(r, r->line, 1, "there is no %s%d to be slower: %d nodes of %d cards",
                c->slow[i].card >= 0 ? "card" : "node", c->slow[i].card >= 0 ? c->slow[i].card : c->slow[i].node, c->nodes,
                c->cards);
    return true;
}

static bool finish(reader *r)
{
    situ_cluster *c = r->c;
    if (!r->said[CARDS]) return fail(r, r->line, 1, "it does not say how many cards a node has: cards 4");
    if (!take_card(r)) return false;
    for (; c->points < c->cards; c->points++) snprintf(c->point[c->points], SITU_CLUSTER_NAME, "card%d", c->points);
    for (int i = 0; i < r->links; i++)
        if (!add_links(r, &r->link[i])) return false;
    if (!resolve(r)) return false;
    if (c->nodes * c->cards > MOST_CARDS || (int64_t)c->nodes * c->points > MOST_PLACES)
        return fail(r, r->said[CARDS], 1, "all nodes together have %d cards and %d points at most: %d nodes of %d and %d have more",
            MOST_CARDS, MOST_PLACES, c->nodes, c->cards, c->points);
    if (!situ_cluster_routes(c)) return situ_fail(SITU_NO_MEMORY, r->site, "%s: out of host memory", r->name), false;
    mark_used(c);
    for (int a = 0; a < c->cards; a++)
        for (int b = 0; b < c->cards; b++)
            if (a != b && !c->choices[a][b])
                return fail(r, r->said[CARDS], 1,
                    "no link leads from card%d to card%d; link card switch 16 GB/s 2 us joins all cards", a, b);
    for (int a = 0; a < c->cards && c->nodes > 1; a++)
        if (c->network < 0 || !c->choices[a][c->network])
            return fail(r, r->said[NODES], 1,
                "%d nodes, but no link leads from card%d to the network; link switch network 25 GB/s 5 us does", c->nodes, a);
    return are_near(r);
}

situ_cluster *situ_cluster_read(const char *text, const char *name, situ_site site)
{
    situ_cluster *c = situ_calloc(1, sizeof *c);
    if (!c) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", name), NULL;
    *c = (situ_cluster){.nodes = 1, .speed = 1, .network = -1};
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3; /* a byte-order mark, which editors of Windows write */
    reader r = {.c = c, .name = name, .start = text, .site = site};
    bool good = true;
    while (good && *r.start) {
        r.line++;
        r.at = r.start;
        skip(&r);
        good = read_line(&r);
        r.start += strcspn(r.start, "\n");
        r.start += *r.start == '\n';
    }
    good = good && finish(&r);
    situ_free(r.link);
    if (good) return c;
    situ_cluster_free(c);
    return NULL;
}

situ_cluster *situ_cluster_open(const char *path, situ_site site)
{
    FILE *file = situ_file_open(path);
    char *text = file ? situ_malloc(MOST_BYTES) : NULL;
    size_t n = text ? fread(text, 1, MOST_BYTES, file) : 0;
    bool good = text && !ferror(file);
    int why = errno;
    if (file) fclose(file);
    situ_cluster *c = NULL;
    if (!file || !good)
        situ_fail(file && !text ? SITU_NO_MEMORY : SITU_IO, site, "\"%s\" cannot be read: %s", path,
            situ_plain_reason(file && !text ? ENOMEM : why));
    else if (n == MOST_BYTES || memchr(text, 0, n))
        situ_fail(
            SITU_BAD_FORMAT, site, "\"%s\" is no description of a cluster: that is a small text of lines such as: cards 4", path);
    else text[n] = 0, c = situ_cluster_read(text, path, site);
    situ_free(text);
    return c;
}

void situ_cluster_free(situ_cluster *c)
{
    if (!c) return;
    situ_free(c->link);
    situ_free(c->way);
    situ_free(c);
}
