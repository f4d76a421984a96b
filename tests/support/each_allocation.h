/* Runs a program repeatedly with its n-th allocation failing, for n = 1, 2, ... until none fails. Each run must end
 * like the undisturbed one, or with an out-of-memory error; and the next undisturbed run must be as before. */
#ifndef SITU_TEST_EACH_ALLOCATION_H
#define SITU_TEST_EACH_ALLOCATION_H

#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/settled.h"
#include "test.h"

typedef struct outcome {
    int code;
    size_t length;
    char text[4096]; /* values read, or the error's message */
} outcome;

/* Adds the value of t to the values read. */
static inline void outcome_add(outcome *o, situ_tensor *t)
{
    char *text = situ_text(t);
    if (text) o->length += (size_t)snprintf(o->text + o->length, sizeof o->text - o->length, "%.300s;", text);
    if (o->length > sizeof o->text - 1) o->length = sizeof o->text - 1;
    free(text);
}

typedef struct program {
    const char *name;
    void (*run)(outcome *o, const void *data); /* called inside a scope of its own */
    void (*before)(const void *data), (*after)(const void *data); /* called without failing allocations */
    const void *data;
} program;

enum { EACH_TO = 24 }; /* allocations that fail one by one; beyond, n grows by increasing steps */

static inline outcome run_failing(const program *p, void (*fail)(int64_t), int64_t n)
{
    outcome o = {0};
    situ_scope *scope = situ_scope_open();
    if (p->before) p->before(p->data);
    fail(n);
    p->run(&o, p->data);
    int waited = situ_wait(NULL); /* also waits for what was not read */
    fail(0);
    situ_error e;
    o.code = situ_error_take(&e);
    if (!o.code && waited < 0) o.code = -waited;
    if (o.code) memcpy(o.text, e.message, sizeof o.text < sizeof e.message ? sizeof o.text : sizeof e.message);
    if (p->after) p->after(p->data);
    situ_scope_close(scope);
    situ_wait(NULL); /* what depended on something that failed must have failed, too */
    situ_error_take(NULL);
    return o;
}

static inline bool says_no_memory(const outcome *o)
{
    return (o->code == SITU_NO_MEMORY || o->code == SITU_DEVICE_MEMORY || o->code == SITU_NO_THREAD) && o->text[0];
}

static inline bool same_outcome(const outcome *a, const outcome *b) { return a->code == b->code && !strcmp(a->text, b->text); }

static inline void each_allocation_of(const program *p, void (*fail)(int64_t), bool (*struck)(void))
{
    forget_plans(); /* plans of other tests */
    for (int i = 0; i < 2; i++) run_failing(p, fail, 0);
    outcome usual = run_failing(p, fail, 0);
    int64_t buffers = situ_test_live_buffers();
    bool more = true;
    for (int64_t n = 1; more && n < 100000; n += n < EACH_TO ? 1 : n / 4) {
        if (getenv("SITU_TEST_CALLS")) fprintf(stderr, "%s, allocation %lld\n", p->name, (long long)n);
        outcome o = run_failing(p, fail, n);
        more = struck();
        bool good = CHECK(says_no_memory(&o) || same_outcome(&o, &usual)) && CHECK_EQ(situ_test_live_buffers(), buffers);
        outcome again = run_failing(p, fail, 0);
        good &= CHECK(same_outcome(&again, &usual));
        if (good) continue;
        printf("  %s, allocation %lld: %d \"%.300s\", then %d \"%.300s\"; usually %d \"%s\"\n", p->name, (long long)n, o.code, o.text,
               again.code, again.text, usual.code, usual.text);
        return;
    }
}

/* The same for something that is created, and must leave nothing behind:
 *
 *     for (failing f = {0}; fails_next(&f);) {
 *         thing *t = thing_new();
 *         fails_end(&f, t != NULL);
 *         thing_free(t);
 *     } */
typedef struct failing {
    int64_t n, blocks; /* number of the failing allocation; blocks allocated before */
    bool whole;
} failing;

static inline bool fails_next(failing *f)
{
    if (!f->n) {
        f->blocks = settled_blocks();
    }
    if (!CHECK_EQ(situ_test_live_blocks(), f->blocks) || f->whole) return false;
    situ_test_fail_alloc(++f->n);
    return true;
}

static inline void fails_end(failing *f, bool made)
{
    f->whole = !situ_test_fail_struck();
    situ_test_fail_alloc(-1);
    situ_error e = {0};
    outcome o = {.code = situ_error_take(&e)};
    snprintf(o.text, sizeof o.text, "%s", e.message);
    if (!CHECK(f->whole ? made && !o.code : !made && says_no_memory(&o))) printf("  allocation %lld: %s\n", (long long)f->n, o.text);
}

#endif
