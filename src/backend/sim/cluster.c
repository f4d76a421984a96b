/* Parses the description of a cluster, and finds the routes in it. */
#include "backend/sim/cluster.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A line `link A B ...`, kept until all cards are known. */
typedef struct wish {
    char end[2][SITU_CLUSTER_NAME];
    double bandwidth, latency;
    bool shared;
    int line, column[2];
} wish;

typedef struct reader {
    situ_cluster *c;
    const char *name, *start, *at; /* name of the text; start of the line; position in it */
    int line, nodes_at, cards_at;  /* lines where they are declared */
    int cores_at, speed_at, message_at;
    wish *link;
    int links;
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
static const unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {NULL, 0}};

static bool read_unit(reader *r, const char *what, const char *example, const unit *list, double *value)
{
    char text[40];
    for (; list->name; list++)
        if (is_word(r, list->name)) return *value *= list->value, true;
    return FAIL("%s: a number with its unit, as in %s; %s", what, example, found(r, text));
}

static bool read_link(reader *r)
{
    wish w = {.line = r->line};
    for (int i = 0; i < 2; i++) {
        w.column[i] = column(r);
        if (!read_name(r, w.end[i])) return false;
    }
    if (!read_number(r, "the bandwidth of a link", 1e-3, 1e15, false, &w.bandwidth) ||
        !read_unit(r, "the bandwidth of a link", "16 GB/s or 100 Gbit/s", speeds, &w.bandwidth))
        return false;
    if (!at_end(r) && strncmp(r->at, "shared", 6) &&
        (!read_number(r, "the latency of a link", 0, 1e9, false, &w.latency) ||
            !read_unit(r, "the latency of a link", "2 us", times, &w.latency)))
        return false;
    w.shared = is_word(r, "shared");
    if (r->links == MOST_LINES) return FAIL("there are %d links at most", MOST_LINES);
    wish *more = situ_realloc(r->link, ((size_t)r->links + 1) * sizeof *more);
    if (!more) return situ_fail(SITU_NO_MEMORY, r->site, "%s: out of host memory", r->name), false;
    r->link = more;
    r->link[r->links++] = w;
    return true;
}

static bool is_first(reader *r, int *line, const char *what)
{
    if (*line) return FAIL("%s was said in line %d already", what, *line);
    *line = r->line;
    return true;
}

static bool read_count(reader *r, int *line, const char *what, int most, int *out)
{
    double value = 0;
    if (!is_first(r, line, what) || !read_number(r, what, 1, most, true, &value)) return false;
    *out = (int)value;
    return true;
}

static bool read_line(reader *r)
{
    situ_cluster *c = r->c;
    char text[40];
    double value = 0;
    bool good;
    if (at_end(r)) return true;
    if (is_word(r, "nodes")) good = read_count(r, &r->nodes_at, "nodes", MOST_NODES, &c->nodes);
    else if (is_word(r, "cards")) good = read_count(r, &r->cards_at, "cards", SITU_CLUSTER_CARDS, &c->cards);
    else if (is_word(r, "cores")) good = read_count(r, &r->cores_at, "cores", 1 << 16, &c->cores);
    else if (is_word(r, "speed")) good = is_first(r, &r->speed_at, "speed") && read_number(r, "speed", 1e-6, 1e9, false, &c->speed);
    else if (is_word(r, "message"))
        good = is_first(r, &r->message_at, "message") && read_number(r, "message", 0, 1e9, false, &value) &&
            read_unit(r, "message", "1 us", times, &value);
    else if (is_word(r, "link")) good = read_link(r);
    else return FAIL("a line begins with nodes, cards, cores, speed, message or link; %s", found(r, text));
    if (value > 0) c->message = value;
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
    c->link[c->links++] = (situ_cluster_link){from, to, w->bandwidth, w->latency, w->shared, w->line};
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

/* Finds the fastest route for a megabyte from each point to `to`; it does not pass through other cards. */
static void find_ways(situ_cluster *c, int to)
{
    double best[SITU_CLUSTER_POINTS];
    bool fixed[SITU_CLUSTER_POINTS] = {false};
    for (int i = 0; i < c->points; i++) best[i] = i == to ? 0 : INFINITY;
    for (;;) {
        int near = -1;
        for (int i = 0; i < c->points; i++)
            if (!fixed[i] && isfinite(best[i]) && (near < 0 || best[i] < best[near])) near = i;
        if (near < 0) return;
        fixed[near] = true;
        if (near != to && near < c->cards) continue;
        for (int k = 0; k < c->links; k++) {
            const situ_cluster_link *l = &c->link[k];
            bool forward = l->to == near;
            int other = forward ? l->from : l->to;
            double cost = best[near] + l->latency + 1e6 / l->bandwidth;
            if ((!forward && l->from != near) || cost >= best[other]) continue;
            best[other] = cost;
            c->way[other][to] = (int16_t)(1 + 2 * k + !(forward || l->shared));
        }
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
            if (b / c->cards < c->nodes && situ_cluster_path(c, a, situ_cluster_card(c, b), way, &latency) < 0)
                return fail(r, r->cards_at, 1, "more than %d links lie between card%d and card%d%s", SITU_CLUSTER_HOPS, a,
                    b % c->cards, b < c->cards ? "" : " of another node");
    for (int a = 0; a < c->cards && host >= 0; a++) {
        if (!c->way[a][host])
            return fail(r, r->cards_at, 1, "no link leads from card%d to the host; link switch host 16 GB/s 2 us does", a);
        if (situ_cluster_path(c, a, host, way, &latency) < 0)
            return fail(r, r->cards_at, 1, "more than %d links lie between card%d and the host", SITU_CLUSTER_HOPS, a);
    }
    return true;
}

static bool finish(reader *r)
{
    situ_cluster *c = r->c;
    if (!r->cards_at) return fail(r, r->line, 1, "it does not say how many cards a node has: cards 4");
    for (; c->points < c->cards; c->points++) snprintf(c->point[c->points], SITU_CLUSTER_NAME, "card%d", c->points);
    for (int i = 0; i < r->links; i++)
        if (!add_links(r, &r->link[i])) return false;
    if (c->nodes * c->cards > MOST_CARDS || (int64_t)c->nodes * c->points > MOST_PLACES)
        return fail(r, r->cards_at, 1, "all nodes together have %d cards and %d points at most: %d nodes of %d and %d have more",
            MOST_CARDS, MOST_PLACES, c->nodes, c->cards, c->points);
    for (int i = 0; i < c->points; i++) find_ways(c, i);
    for (int a = 0; a < c->cards; a++)
        for (int b = 0; b < c->cards; b++)
            if (a != b && !c->way[a][b])
                return fail(
                    r, r->cards_at, 1, "no link leads from card%d to card%d; link card switch 16 GB/s 2 us joins all cards", a, b);
    for (int a = 0; a < c->cards && c->nodes > 1; a++)
        if (c->network < 0 || !c->way[a][c->network])
            return fail(r, r->nodes_at, 1,
                "%d nodes, but no link leads from card%d to the network; link switch network 25 GB/s 5 us does", c->nodes, a);
    return are_near(r);
}

situ_cluster *situ_cluster_read(const char *text, const char *name, situ_site site)
{
    situ_cluster *c = situ_calloc(1, sizeof *c);
    if (!c) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", name), NULL;
    *c = (situ_cluster){.nodes = 1, .speed = 1, .network = -1};
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
    situ_free(c);
}

/* Appends the hops within a node. */
static bool walk(const situ_cluster *c, int node, int from, int to, int *way, int *n, double *latency)
{
    while (from != to) {
        int w = c->way[from][to] - 1;
        if (w < 0 || *n == SITU_CLUSTER_HOPS) return false;
        const situ_cluster_link *l = &c->link[w / 2];
        way[(*n)++] = 2 * node * c->links + w;
        *latency += l->latency;
        from = l->from == from ? l->to : l->from;
    }
    return true;
}

int situ_cluster_path(const situ_cluster *c, int from, int to, int way[SITU_CLUSTER_HOPS], double *latency)
{
    int n = 0, a = from / c->points, b = to / c->points;
    *latency = 0;
    if (a == b) return walk(c, a, from % c->points, to % c->points, way, &n, latency) ? n : -1;
    if (c->network < 0 || !walk(c, a, from % c->points, c->network, way, &n, latency)) return -1;
    return walk(c, b, c->network, to % c->points, way, &n, latency) ? n : -1;
}
