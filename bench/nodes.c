/* What an operation costs besides its arithmetic, by the size of the graph: run nodes.
 *
 * A chain of additions of one number is recorded; recorded and planned for the first time; planned again from the
 * cache; and run. Planning is timed on the null device, which checks and binds everything and computes nothing, so
 * that running is what the CPU takes longer. Beyond 65,536 pending operations a scope enqueues the older half by
 * itself, and recording would include that: a longer chain is recorded in two scopes, one inside the other, and
 * planned as a whole. The last line is one of 100,000 in a single scope from its first operation to its value. */
#include <stdio.h>

#include <situ.h>

#include "bench.h"

enum { OF_A_SCOPE = 60000 };
typedef struct costs { double record, cold, cached, run; } costs;

/* Seconds to record n additions, so many to a scope, and, if wanted, to have them done. */
static double chain_in(situ_tensor *x, int n, int each, bool evaluate)
{
    situ_scope *scope = situ_scope_open();
    double start = bench_clock();
    situ_tensor *t = x;
    for (int first = 0; first < n; first += each) {
        if (first) situ_scope_open();
        for (int i = first; i < n && i < first + each; i++) t = situ_add(t, x);
    }
    if (evaluate) situ_wait(t);
    double seconds = bench_clock() - start;
    situ_scope_close(scope);
    return seconds;
}

static double chain(situ_tensor *x, int n, bool evaluate) { return chain_in(x, n, OF_A_SCOPE, evaluate); }

static double less(double a, double b) { return a < b ? a : b; }

/* Chains of about n; c: the shortest times of an operation so far, of recording, of planning with it, of all. */
static void measure(situ_tensor *x, situ_tensor *nothing, int n, int round, costs *c)
{
    int turns = n < 5000 ? 40 : 10;
    for (int t = 0; t < turns; t++) {
        int length = n + 1 + t + turns * round; /* a structure of its own: never planned before */
        double record = chain(nothing, length, false) / length;
        double cold = chain(nothing, length, true) / length;
        double cached = 1e9; /* the first finds in the processor's caches what planning left there */
        for (int again = 0; again < 3; again++) cached = less(cached, chain(nothing, length, true) / length);
        double whole = chain(x, length, true) / length;
        whole = less(whole, chain(x, length, true) / length); /* the first of these makes the CPU's plan */
        c->record = less(c->record, record);
        c->cold = less(c->cold, cold);
        c->cached = less(c->cached, cached);
        c->run = less(c->run, whole);
    }
}

/* The sizes take turns: the processor is not equally fast at all times. */
int bench_nodes(void)
{
    enum { SIZES = 4, ROUNDS = 8 };
    static const int size[SIZES] = {100, 1000, 10000, 100000};
    costs c[SIZES];
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_keep(situ_ones(SHAPE(1))), *nothing = situ_keep(situ_ones(SHAPE(1), .device = situ_null()));
    situ_eval(TENSORS(x, nothing));
    situ_scope_close(scope);
    for (int i = 0; i < SIZES; i++) c[i] = (costs){1e9, 1e9, 1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < SIZES; i++) measure(x, nothing, size[i], round, &c[i]);
    puts("ns an operation: recording, planning for the first time, planning from the cache, running");
    for (int i = 0; i < SIZES; i++)
        printf("nodes %6d  %7.1f %7.1f %7.1f %7.1f\n", size[i], c[i].record * 1e9, (c[i].cold - c[i].record) * 1e9, (c[i].cached - c[i].record) * 1e9,
               (c[i].run - c[i].cached) * 1e9);
    double whole = 1e9;
    for (int t = 0; t < 12; t++) whole = less(whole, chain_in(x, 100000, 100000, true) / 100000);
    printf("one scope %6d  %7.1f\n", 100000, whole * 1e9);
    situ_release(x);
    situ_release(nothing);
    return -situ_failed();
}
