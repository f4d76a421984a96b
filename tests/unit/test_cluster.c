/* The simulated cluster: its description file, fair sharing of links, and the textbook's figures. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "../../cli/exchange.h"
#include "backend/sim/card.h"
#include "backend/sim/cluster.h"

/* Four cards and the host behind one switch. */
static const char book[] = "cards 4\nlink card switch 16 GB/s\nlink switch host 16 GB/s\n";

static double seconds_of(const situ_cluster *c, cli_way way, cli_collective what, int n, double bytes)
{
    return cli_exchange_time(c, way, what, n, bytes).seconds;
}

static situ_cluster *read(const char *text)
{
    situ_cluster *c = situ_cluster_read(text, "c.txt", "here");
    if (!CHECK(c)) printf("  %s\n", situ_error_message());
    return c;
}

/* Sums 160 MB of each of four cards: on the host, on one card, a quarter on each card, and around a ring. */
TEST(the_figures_of_the_book)
{
    situ_cluster *c = read(book);
    if (!c) return;
    double b = 160e6;
    static const double seconds[] = {[CLI_HOST] = .080, [CLI_CARD] = .060, [CLI_DIRECT] = .015, [CLI_RING] = .015};
    for (int way = CLI_DIRECT; way <= CLI_HOST; way++) CHECK_NEAR(seconds_of(c, (cli_way)way, CLI_ALL_REDUCE, 4, b), seconds[way], 1e-12);
    situ_cluster_free(c);
}

/* The same, flow by flow. */
TEST(flows_take_what_the_patterns_say)
{
    situ_cluster *c = read(book);
    if (!c) return;
    int host = situ_cluster_place(c, 0, situ_cluster_point(c, "host"));
    situ_flow in[4], to[3], all[12];
    int n = 0;
    for (int i = 0; i < 4; i++) in[i] = (situ_flow){.from = situ_cluster_card(c, i), .to = host, .bytes = 160e6};
    for (int i = 0; i < 3; i++) to[i] = (situ_flow){.from = situ_cluster_card(c, i + 1), .to = situ_cluster_card(c, 0), .bytes = 160e6};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            if (i != k) all[n++] = (situ_flow){.from = situ_cluster_card(c, i), .to = situ_cluster_card(c, k), .bytes = 40e6};
    CHECK_EQ(situ_flows_run(c, in, 4, NULL), 0);
    CHECK_EQ(situ_flows_run(c, to, 3, NULL), 0);
    CHECK_EQ(situ_flows_run(c, all, n, NULL), 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(in[i].end, 0.040, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(to[i].end, 0.030, 1e-12);
    for (int i = 0; i < n; i++) CHECK_NEAR(all[i].end, 0.0075, 1e-12);
    situ_cluster_free(c);
}

/* A line `card` gives what lines of links and of memory leave out; cards.def has these figures. */
TEST(a_card_of_the_table_gives_its_links_and_memory)
{
    situ_cluster *c = read("link card s nvlink\ncards 2\ncard h100\nlink card host pcie\n");
    if (!c) return;
    const situ_card *h100 = NULL;
    for (int i = 0; situ_card_nth(i); i++)
        if (!strcmp(situ_card_nth(i)->name, "h100")) h100 = situ_card_nth(i);
    if (!CHECK(h100 && h100->peer_bandwidth > 0)) return;
    CHECK(c->plan.memory == h100->memory && c->links == 4);
    for (int i = 0; i < c->links; i++) {
        bool peer = c->link[i].kind == SITU_LINK_NVLINK;
        CHECK_NEAR(c->link[i].bandwidth, peer ? h100->peer_bandwidth : h100->link_bandwidth, 1);
        CHECK_NEAR(c->link[i].latency, peer ? .3e-6 : .5e-6, 1e-12);
    }
    situ_cluster_free(c);
    if (!(c = read("cards 1\ncard h100\nmemory 96 GB\n"))) return;
    CHECK_NEAR(c->plan.memory, 96e9, 1);
    situ_cluster_free(c);
    static const struct {
        const char *text, *says;
    } wrong[] = {{"cards 2\nlink card s nvlink\n", "c.txt:2:11: the link has no bandwidth"},
        {"cards 2\ncard h100\nlink card s ethernet\n", "by ethernet carries is not among the figures of h100"},
        {"cards 2\ncard laptop\nlink card s nvlink\n", "by nvlink carries is not among the figures of laptop"},
        {"cards 2\ncard h101\n", "c.txt:2:6: the card is one of laptop, workstation, a100, h100, h200; here is \"h101\""},
        {"cards 2\ncard h100\ncard h100\n", "h100 already"},
        {"cards 2\ncard h100\nlink card s nvlink efficiency .9\n", "efficiency is a share"},
        {"cards 2\ncard h100\nlink card s GB/s\n", "the bandwidth of a link"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(SITU_BAD_FORMAT, situ_cluster_read(wrong[i].text, "c.txt", NULL), wrong[i].says);
}

/* Two copies over one link slow each other; the second begins while the first is half done. */
TEST(two_copies_over_one_link_share_it)
{
    situ_cluster *c = read("cards 2\nlink card0 card1 10 GB/s 1 ms\n");
    if (!c) return;
    situ_flow f[2] = {{.from = 0, .to = 1, .bytes = 100e6}, {.from = 0, .to = 1, .bytes = 100e6, .start = 0.005}};
    CHECK_EQ(situ_flows_run(c, f, 2, NULL), 0);
    CHECK_NEAR(f[0].end, 0.001 + 0.005 + 0.010, 1e-12); /* half alone, half at half the speed */
    CHECK_NEAR(f[1].end, 0.006 + 0.010 + 0.005, 1e-12);
    f[1] = (situ_flow){.from = 1, .to = 0, .bytes = 100e6}; /* the other direction is free */
    CHECK_EQ(situ_flows_run(c, f, 2, NULL), 0);
    CHECK_NEAR(f[0].end, 0.011, 1e-12);
    CHECK_NEAR(f[1].end, 0.011, 1e-12);
    situ_cluster_free(c);
    if (!(c = read("cards 2\nlink card0 card1 10 GB/s 1 ms shared\n"))) return;
    CHECK_EQ(situ_flows_run(c, f, 2, NULL), 0);
    CHECK_NEAR(f[0].end, 0.021, 1e-12);
    CHECK_NEAR(f[1].end, 0.021, 1e-12);
    situ_cluster_free(c);
}

/* If a narrow link limits one flow, the rest of a wide link goes to the other flow. */
TEST(what_one_cannot_use_the_other_gets)
{
    situ_cluster *c = read("cards 3\nlink card0 s 10 GB/s\nlink card1 s 100 GB/s\nlink card2 s 2 GB/s\n");
    if (!c) return;
    situ_flow f[2] = {{.from = 0, .to = 1, .bytes = 80e6}, {.from = 0, .to = 2, .bytes = 20e6}};
    CHECK_EQ(situ_flows_run(c, f, 2, NULL), 0);
    CHECK_NEAR(f[0].end, 0.010, 1e-12); /* 8 of 10 GB/s */
    CHECK_NEAR(f[1].end, 0.010, 1e-12);
    situ_cluster_free(c);
}

/* 1,024 cards: the network of a node carries what its eight cards send to those of other nodes. */
TEST(many_nodes)
{
    situ_cluster *c = read("nodes 128\ncards 8\nlink card nvswitch 300 GB/s 1 us\nlink nvswitch network 50 GB/s 5 us\n");
    if (!c) return;
    double b = 1e9, part = b * 1023 / 1024;
    CHECK_NEAR(seconds_of(c, CLI_DIRECT, CLI_REDUCE_SCATTER, 1024, b), 8 * b * 1016 / 1024 / 50e9 + 12e-6, 1e-9);
    CHECK_NEAR(seconds_of(c, CLI_RING, CLI_REDUCE_SCATTER, 1024, b), part / 50e9 + 1023 * 12e-6, 1e-9);
    CHECK_NEAR(seconds_of(c, CLI_DIRECT, CLI_REDUCE_SCATTER, 8, 8e8), 7e8 / 300e9 + 2e-6, 1e-12);
    int way[SITU_CLUSTER_HOPS];
    double latency;
    CHECK_EQ(situ_cluster_path(c, situ_cluster_card(c, 0), situ_cluster_card(c, 1023), 1e6, way, &latency), 4);
    CHECK_NEAR(latency, 12e-6, 1e-15);
    situ_cluster_free(c);
}

/* From each card to each other one, computed pair by pair. */
static double by_pairs(const situ_cluster *c, int n, double bytes)
{
    double *load = calloc((size_t)situ_cluster_ways(c), sizeof *load), latest = 0, busiest = 0;
    for (int i = 0; i < n && load; i++)
        for (int k = 0; k < n; k++) {
            int way[SITU_CLUSTER_HOPS], hops = 0;
            double latency = 0;
            if (i != k) hops = situ_cluster_path(c, situ_cluster_card(c, i), situ_cluster_card(c, k), bytes / (n - 1), way, &latency);
            for (int h = 0; h < hops; h++) load[way[h]] += bytes / (n - 1);
            latest = fmax(latest, latency);
        }
    for (int w = 0; w < situ_cluster_ways(c) && load; w++) busiest = fmax(busiest, load[w] / situ_cluster_bandwidth(c, w));
    free(load);
    return busiest + latest + (n - 1) * c->message;
}

/* Whole nodes and such as have not all of their cards; where there are several ways, together they are as quick as
 * each pair by its own quickest way, or quicker. */
TEST(all_to_all_is_the_sum_of_its_pairs)
{
    situ_cluster *tree = read("nodes 5\ncards 4\nmessage 1 us\nlink card s 100 GB/s 1 us\nlink s t 70 GB/s 7 us\nlink t network 30 GB/s 5 us\n");
    situ_cluster *c = read("nodes 5\ncards 4\nmessage 1 us\nlink card s 100 GB/s 1 us\nlink card0 network 9 GB/s 7 us\nlink card1 network 30 GB/s 5 us\n"
                           "link s network 10 GB/s 20 us\nlink card2 card3 300 GB/s\n");
    for (int n = 2; n <= 20 && tree && c; n++) {
        CHECK_NEAR(seconds_of(tree, CLI_DIRECT, CLI_REDUCE_SCATTER, n, 1e9 * n / (n - 1)), by_pairs(tree, n, 1e9), 1e-9);
        CHECK(seconds_of(c, CLI_DIRECT, CLI_REDUCE_SCATTER, n, 1e9 * n / (n - 1)) <= by_pairs(c, n, 1e9) + 1e-9);
    }
    situ_cluster_free(tree);
    situ_cluster_free(c);
}

/* 65,536 cards have 4 billion pairs. */
TEST(all_to_all_of_many_takes_no_time)
{
    situ_cluster *c = read("nodes 1024\ncards 64\nlink card network 50 GB/s 5 us\n");
    if (!c) return;
    CHECK_NEAR(seconds_of(c, CLI_DIRECT, CLI_REDUCE_SCATTER, 65536, 1e9 * 65536 / 65535), 1e9 / 50e9 + 10e-6, 1e-9);
    situ_cluster_free(c);
}

/* A ring leaves the nodes of a switch once, and all to all with what each card sends beyond; what goes through a
 * switch has a limit. */
TEST(switches_over_nodes)
{
    situ_cluster *c = read("nodes 8\ncards 2\nlink card s 100 GB/s\nlink s network 100 GB/s\nswitch leaf 4 nodes 10 GB/s 3 us\n");
    if (!c) return;
    CHECK_NEAR(seconds_of(c, CLI_RING, CLI_REDUCE_SCATTER, 16, 1e9), 1e9 * 15 / 16 / 10e9 + 15 * 6e-6, 1e-9);
    CHECK_NEAR(seconds_of(c, CLI_DIRECT, CLI_REDUCE_SCATTER, 16, 1e9), 8 * 8 * 1e9 / 16 / 10e9 + 6e-6, 1e-9);
    CHECK_NEAR(seconds_of(c, CLI_DIRECT, CLI_REDUCE_SCATTER, 8, 1e9), 12e9 / 8 / 100e9, 1e-9); /* a leaf's own */
    situ_cluster_free(c);
    if (!(c = read("cards 8\nlink card s 100 GB/s\ncapacity s 400 GB/s\n"))) return;
    CHECK_NEAR(seconds_of(c, CLI_RING, CLI_REDUCE_SCATTER, 4, 1e9), 3e9 / 4 / 100e9, 1e-9);
    CHECK_NEAR(seconds_of(c, CLI_RING, CLI_REDUCE_SCATTER, 8, 1e9), 7e9 / 8 / 50e9, 1e-9);
    situ_cluster_free(c);
}

/* A path longer than a copy can describe would have no cost. */
TEST(ways_have_an_end)
{
    char text[2000];
    int n = snprintf(text, sizeof text, "nodes 2\ncards 2\nlink card0 a 1 GB/s\nlink card1 b0 1 GB/s\n");
    for (int i = 0; i < 15; i++) n += snprintf(text + n, sizeof text - (size_t)n, "link b%d b%d 1 GB/s\n", i, i + 1);
    snprintf(text + n, sizeof text - (size_t)n, "link b14 a 1 GB/s\nlink a network 1 GB/s\n");
    situ_cluster *c = situ_cluster_read(text, "c.txt", NULL);
    CHECK(!c && strstr(situ_error_message(), "c.txt:2:1: more than 16 links lie between card0 and card1"));
    situ_cluster_free(c);
    situ_error_take(NULL);
}

/* NVLink beside PCIe: uses the faster path, and never one through another card. */
TEST(ways)
{
    situ_cluster *c = read("cards 4 # of one server\n\nlink card switch 16 GB/s, 2 us\nlink card0 card1 400 Gbit/s 1 us\nlink card1 card2 50 GB/s 1 us\n");
    if (!c) return;
    int way[SITU_CLUSTER_HOPS];
    double latency;
    CHECK_EQ(situ_cluster_path(c, 0, 1, 1e6, way, &latency), 1);
    CHECK_EQ(situ_cluster_bandwidth(c, way[0]), 50e9);
    CHECK_EQ(situ_cluster_path(c, 0, 2, 1e6, way, &latency), 2);
    CHECK_EQ(situ_cluster_bandwidth(c, way[0]), 16e9);
    CHECK_NEAR(latency, 4e-6, 1e-15);
    situ_cluster_free(c);
}

static void refused(const char *text, const char *message)
{
    situ_cluster *c = situ_cluster_read(text, "c.txt", "main.c:7");
    CHECK(!c && strstr(situ_error_message(), message));
    if (!strstr(situ_error_message(), message)) printf("  of %s: %s\n  not: %s\n", text, situ_error_message(), message);
    situ_error_take(NULL);
    situ_cluster_free(c);
}

TEST(wrong_texts_say_where_and_what)
{
    refused("", "c.txt:0:1: it does not say how many cards a node has: cards 4");
    refused("cards\n", "c.txt:1:6: cards: a number from 1 to 64; the line ends");
    refused("nodes 2\ncards 0\n", "c.txt:2:7: cards: a number from 1 to 64; here is \"0\"");
    refused("cards four\n", "c.txt:1:7: cards: a number from 1 to 64; here is \"four\"");
    refused("cards 4.5\n", "c.txt:1:7: cards: a number");
    refused("cards 4 cards\n", "c.txt:1:9: nothing more is expected in this line; here is \"cards\"");
    refused("cards 4\ncards 8\n", "c.txt:2:7: cards was said in line 1 already");
    refused("gpus 4\n", "c.txt:1:1: a line begins with nodes, cards, cores, speed, message, link or another word of `situ help simulate`; here is \"gpus\"");
    refused("cards 2\nlink card\n", "c.txt:2:10: a link joins two points: link card switch 16 GB/s 2 us; the line ends");
    refused("cards 2\nlink card switch\n", "c.txt:2:17: the bandwidth of a link: a number");
    refused("cards 2\nlink card switch 16\n", "c.txt:2:20: the bandwidth of a link: a number with its unit, as in 16 GB/s or 100 Gbit/s; the line ends");
    refused("cards 2\nlink card switch 16 Gb/s\n", "c.txt:2:21: the bandwidth of a link: a number with its unit, as in 16 GB/s or 100 Gbit/s; here is \"Gb/s\"");
    refused("cards 2\nlink card switch 16 GB/s 2 GB/s\n", "c.txt:2:28: the latency of a link: a number with its unit, as in 2 us; here is \"GB/s\"");
    refused("cards 2\nlink card switch 0 GB/s\n", "c.txt:2:18: the bandwidth of a link: a number from");
    refused("cards 2\nlink card switch -1 GB/s\n", "here is \"-1\"");
    refused("cards 2\nlink card switch nan GB/s\n", "here is \"nan\"");
    refused("cards 2\nlink card2 switch 1 GB/s\n", "c.txt:2:6: there is no card2: a node has 2 cards, card0 to card1");
    refused("cards 2\nlink s s 1 GB/s\n", "c.txt:2:8: a link joins two points, not s with itself");
    refused("cards 2\nlink 1 s 1 GB/s\n", "c.txt:2:6: a point's name begins with a letter");
    refused("cards 2\nlink card0 s 1 GB/s\n", "c.txt:1:1: no link leads from card0 to card1; link card switch 16 GB/s 2 us joins all cards");
    refused("nodes 3\ncards 2\nlink card s 1 GB/s\n", "c.txt:1:1: 3 nodes, but no link leads from card0 to the network; link switch network");
    refused("cards 2\nlink card s 1 GB/s\nsums t\n", "c.txt:3:1: no link leads to a switch t; link card t 450 GB/s does");
    refused("cards 2\nlink card s 1 GB/s 11 s\n", "c.txt:2:20: the latency of a link is 10 s at most; here are 11 s");
    refused("cards 2\nlink card s 1 GB/s\nswitch leaf 4 800 GB/s\n", "how many nodes each of these switches joins: switch leaf 16 nodes 800 GB/s");
    refused("cards 2\nlink card s 1 GB/s\nslower rack 2\n", "a card of each node or a node can be slower: slower card3 1.2, slower node5 1.5; here is \"rack\"");
    refused("cards 2\nlink card s 1 GB/s\nslower card2 2\n", "there is no card2 to be slower: 1 nodes of 2 cards");
    refused("cards 2\nspeed 2\nspeed 3\n", "c.txt:3:7: speed was said in line 2 already");
    refused("cores 2\ncores 3\n", "c.txt:2:7: cores was said in line 1 already");
    refused("cards 2\nmessage 1 us\nmessage 2 us\n", "c.txt:3:9: message was said in line 2 already");
    refused("nodes 1025\ncards 64\nlink card network 1 GB/s\n", "c.txt:2:1: all nodes together have 65536 cards and 1048576 points at most: 1025 nodes of 64 and 65 have more");
    refused("cards 1\nlink card s 1 GB/s\nlink a host 1 GB/s\n", "c.txt:1:1: no link leads from card0 to the host; link switch host 16 GB/s 2 us does");
    refused("cards 2\nlink card s 1 GB/s\nlink s card1 2 GB/s\n", "c.txt:3:1: line 2 links s and card1 already; for several links write one with the sum");
    CHECK_FAILS(SITU_IO, situ_cluster_open("/nowhere/c.txt", NULL), "\"/nowhere/c.txt\" cannot be read: No such file");
}
