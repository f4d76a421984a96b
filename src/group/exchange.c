/* Headers: each rank sends every other one what it calls, and compares what it receives. All of it runs in the MPI
 * thread. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "group/link.h"
#include "os/plain.h"
#include "os/process.h"
#include "os/wait.h"
#include "tensor/dtype.h"

enum { ALIVE_EVERY = 500000000, SILENT_AFTER = 1700000000 };
enum {
    LOOK_EVERY = 100000000,
    IN_FLIGHT = 300000000
}; /* nanoseconds; IN_FLIGHT: a message of a process may arrive this long after
                                                         * the process was seen to have ended */

static const char *const names[] = {
    [SITU_CALL_NONE] = "nothing",
    [SITU_CALL_HELLO] = "situ_group_open",
#define CALL(kind, name, ...) [SITU_CALL_##kind] = "situ_group_" #name,
#include "group/calls.def"
#undef CALL
    [SITU_CALL_END] = "the end of its program",
};

const char *situ_call_name(situ_call_kind call) { return call <= SITU_CALL_END ? names[call] : "an unknown call"; }

/* Receives heartbeats of rank i. `last`: also after the link is broken. */
static void hear_alive(situ_link *l, int i, bool last)
{
    situ_peer *p = &l->peer[i];
    if (situ_message_done(l, &p->alive_in_message, i)) {
        p->heard = situ_link_now();
        p->last_words = p->alive_in;
    }
    if (!p->alive_in_message.open && !p->last_words && (last || !l->code))
        situ_message_receive(l, &p->alive_in_message, &p->alive_in, sizeof p->alive_in, i, SITU_TAG_ALIVE);
    situ_message_done(l, &p->alive_out_message, i);
}

static void say_alive(situ_link *l, int i, int64_t words)
{
    situ_peer *p = &l->peer[i];
    p->alive_out = words;
    situ_message_send(l, &p->alive_out_message, &p->alive_out, sizeof p->alive_out, i, SITU_TAG_ALIVE);
}

/* True if the process of rank i has ended and its last messages have had time to arrive. */
static bool is_gone(situ_peer *p, int64_t now)
{
    if (p->watch && !p->gone && now - p->looked > LOOK_EVERY) {
        p->looked = now;
        if (situ_process_ended(p->watch)) p->gone = now;
    }
    return p->gone && now - p->gone > IN_FLIGHT;
}

static void pump_alive(situ_link *l, int i, int64_t now)
{
    situ_peer *p = &l->peer[i];
    hear_alive(l, i, false);
    if (!l->code && is_gone(p, now) && !p->last_words && !(p->header_arrived && p->in.head.call == SITU_CALL_END))
        situ_link_break(l, SITU_RANK_LOST, "rank %d died: its process on this machine ended without a word to the others", i);
    if (p->alive_out_message.open || p->alive_out || now - p->last_sent < ALIVE_EVERY || l->code) return;
    p->last_sent = now;
    say_alive(l, i, 0);
}

enum { ENDS_WELL = 1, ENDS_BADLY };

/* Sends rank i the end of this process, with the message of an error, after the header of its last call. That header
 * may still be under way. */
static void tell_end(situ_link *l, int i)
{
    situ_peer *p = &l->peer[i];
    if (!l->ends || p->end_told || p->out_message.open) return;
    size_t length = l->code ? strlen(l->why) : 0;
    p->end_told = true;
    p->out.head =
        (situ_head){.call = SITU_CALL_END, .sequence = l->sequence, .root = l->ends == ENDS_BADLY, .ride = (uint32_t)length};
    memcpy(p->out.ride, l->why, length);
    situ_message_send(l, &p->out_message, &p->out, sizeof p->out.head + length, i, SITU_TAG_HEAD);
}

bool situ_link_pump(situ_link *l, bool alive)
{
    bool came = false;
    int64_t now = situ_link_now();
    for (int i = 0; i < l->size; i++) {
        situ_peer *p = &l->peer[i];
        if (i == l->rank) continue;
        if (alive) pump_alive(l, i, now);
        if (situ_message_done(l, &p->in_message, i)) {
            p->header_arrived = came = true;
            p->heard = now;
        }
        situ_message_done(l, &p->out_message, i);
        tell_end(l, i);
        if (!p->header_arrived && !p->in_message.open && !l->code)
            situ_message_receive(l, &p->in_message, &p->in, sizeof p->in, i, SITU_TAG_HEAD);
    }
    return came;
}

/* ---- what was called -------------------------------------------------------------------------------------------------- */

static int append(char *text, int n, int used, const char *format, ...) SITU_PRINTF(4, 5);
static int append(char *text, int n, int used, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int k = situ_plain_list(text + used, (size_t)(n - used), format, list);
    va_end(list);
    return k < 0 ? used : used + k < n ? used + k : n - 1;
}

/* "situ_group_all_reduce of f32[2,3] at main.c:12" */
static const char *describe(const situ_head *h, char *text, int n)
{
    int used = append(text, n, 0, "%s", situ_call_name((situ_call_kind)h->call));
    if (h->dtype) {
        used = append(text, n, used, " of %s[", situ_dtype_name((situ_dtype)(h->dtype - 1)));
        for (int i = 0; i < h->ndim && i < 8; i++) used = append(text, n, used, "%s%lld", i ? "," : "", (long long)h->dim[i]);
        used = append(text, n, used, "]");
    }
    if (h->card) used = append(text, n, used, " on a card");
    if (h->call == SITU_CALL_BROADCAST) used = append(text, n, used, " from rank %d", h->root);
    if (h->call == SITU_CALL_TREE_SUM) used = append(text, n, used, " over %lld shards", (long long)h->shards);
    if (h->reduction) used = append(text, n, used, " by %s", h->reduction == 1 ? "mean" : h->reduction == 2 ? "max" : "min");
    if (h->line[0]) append(text, n, used, " at %.*s", (int)sizeof h->line, h->line);
    return text;
}

static bool same(const situ_head *a, const situ_head *b)
{
    bool pair =
        (a->call == SITU_CALL_SEND && b->call == SITU_CALL_RECEIVE) || (a->call == SITU_CALL_RECEIVE && b->call == SITU_CALL_SEND);
    if (!pair && (a->call != b->call || a->call == SITU_CALL_SEND || a->call == SITU_CALL_RECEIVE)) return false;
    if (!pair && (a->sequence != b->sequence || a->root != b->root)) return false;
    return a->dtype == b->dtype && a->ndim == b->ndim && a->reduction == b->reduction && a->shards == b->shards &&
        a->card == b->card && !memcmp(a->dim, b->dim, sizeof a->dim);
}

static const situ_head *head_of(const situ_link *l, const situ_head *own, int i)
{
    return i == l->rank ? own : &l->peer[i].in.head;
}

/* The first rank whose call differs from what most ranks call; -1: all agree. *of_most: a rank of the majority. If two
 * groups have the same size, rank 0's counts as the majority. */
static int odd_one(const situ_link *l, const situ_head *own, int *of_most)
{
    int best = 0, most = 0, alike = 0;
    while (alike < l->size && same(head_of(l, own, alike), own)) alike++;
    if (alike == l->size) return -1; /* the usual case takes n comparisons, not n squared */
    for (int i = 0; i < l->size; i++) {
        int n = 0;
        for (int j = 0; j < l->size; j++) n += same(head_of(l, own, i), head_of(l, own, j));
        if (n > most) best = i, most = n;
    }
    *of_most = best;
    for (int i = 0; i < l->size; i++)
        if (!same(head_of(l, own, i), head_of(l, own, best))) return i;
    return -1;
}

static int fail_mismatch(situ_link *l, const situ_head *own, int odd, int most)
{
    char a[400], b[400];
    const situ_head *ended = head_of(l, own, odd);
    if (ended->call == SITU_CALL_END && odd != l->rank) {
        const situ_packet *p = &l->peer[odd].in;
        return situ_link_break(l, SITU_RANK_LOST, "rank %d has %s%.*s, while rank %d calls %s (call %llu of the group)", odd,
            p->head.ride ? "failed: " : "ended", (int)p->head.ride, p->ride, l->rank, describe(own, a, sizeof a),
            (unsigned long long)own->sequence);
    }
    bool two = l->now->partner != SITU_EVERYBODY;
    situ_head moved = *ended;
    moved.card = head_of(l, own, most)->card;
    bool alike = same(&moved, head_of(l, own, most)); /* they differ only in where the tensor lies */
    return situ_link_break(l, SITU_MISMATCH, "rank %d calls %s, but rank %d calls %s (calls %llu and %llu of the group); %s", odd,
        describe(head_of(l, own, odd), a, sizeof a), most, describe(head_of(l, own, most), b, sizeof b),
        (unsigned long long)head_of(l, own, odd)->sequence, (unsigned long long)head_of(l, own, most)->sequence,
        alike   ? "its tensor is on the card on all ranks, or on none" :
            two ? "of two ranks one sends what the other one receives, of one shape and dtype" :
                  "all ranks make the same calls, in the same order");
}

/* Compares the headers once all of them have arrived. */
static int compare(situ_link *l, const situ_head *own)
{
    int odd, most = l->rank;
    if (l->now->partner == SITU_EVERYBODY) {
        for (odd = 0; odd < l->size; odd++)
            if (odd != l->rank && l->peer[odd].in.head.call == SITU_CALL_END) return fail_mismatch(l, own, odd, most);
        odd = odd_one(l, own, &most);
    } else {
        odd = same(&l->peer[l->now->partner].in.head, own) ? -1 : l->now->partner;
    }
    return odd < 0 ? 0 : fail_mismatch(l, own, odd, most);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------------- */

static int fail_deadline(situ_link *l, const situ_head *own, const int *late, int count)
{
    char text[400], who[200] = "", silent[200] = "";
    int64_t now = situ_link_now();
    int who_used = 0, silent_used = 0;
    for (int i = 0; i < l->size; i++)
        if (i != l->rank && now - l->peer[i].heard > SILENT_AFTER)
            silent_used = append(silent, sizeof silent, silent_used, "%s%d", silent_used ? ", " : "", i);
    for (int i = 0; i < count; i++) who_used = append(who, sizeof who, who_used, "%s%d", i ? ", " : "", late[i]);
    double seconds = (double)l->deadline / 1e9;
    describe(own, text, sizeof text);
    if (silent[0])
        return situ_link_break(l, SITU_RANK_LOST,
            "no message from rank %s for %g s, while rank %d calls %s (call %llu of the group)", silent, seconds, l->rank, text,
            (unsigned long long)own->sequence);
    return situ_link_break(l, SITU_RANK_LOST,
        "rank %s is alive, but did not reach %s (call %llu of the group) within %g s; all ranks must make the same calls, and "
        "SITU_GROUP_DEADLINE=SECONDS gives them longer",
        who, text, (unsigned long long)own->sequence, seconds);
}

static bool counts(const situ_link *l, int i)
{
    return i != l->rank && (l->now->partner == SITU_EVERYBODY || i == l->now->partner);
}

/* Rests between two attempts; at the deadline raises an error that names the ranks that are late. */
static int wait_on(situ_link *l, const situ_head *own, int *idle)
{
    situ_rest(idle);
    if (*idle & 63) return l->code;
    l->beat = situ_link_now();
    situ_link_pump(l, true);
    if (situ_link_now() - l->moved < l->deadline) return l->code;
    int late[16], n = 0;
    for (int i = 0; i < l->size && n < 16; i++)
        if (counts(l, i) && !l->peer[i].header_arrived) late[n++] = i;
    for (int i = 0; i < n; i++) { /* wait a little longer: soon it is known whether the rank is late or gone */
        int64_t silent = situ_link_now() - l->peer[late[i]].heard;
        if (silent > ALIVE_EVERY + ALIVE_EVERY / 2 && silent <= SILENT_AFTER) return l->code;
    }
    return fail_deadline(l, own, late, n);
}

int situ_link_meanwhile(situ_link *l, int idle, char *why, size_t size)
{
    if (idle & 63) return 0;
    l->beat = situ_now();
    situ_link_pump(l, true);
    for (int i = 0; i < l->size && !l->code; i++)
        if (i != l->rank && l->peer[i].header_arrived && l->peer[i].in.head.call == SITU_CALL_END && l->peer[i].in.head.ride)
            fail_mismatch(l, &l->now->head, i, l->rank);
    if (l->code) snprintf(why, size, "%s", l->why);
    return l->code;
}

/* A failed transfer may mean that a rank died. If MPI reports deaths (ULFM), waits until it reports this one. */
static void wait_for_death(situ_link *l)
{
    int64_t until = situ_now() + SILENT_AFTER;
    for (int idle = 0; l->survives && !l->code && situ_now() < until; situ_rest(&idle)) situ_link_pump(l, true);
}

/* Transfers the bytes that did not fit into the headers. */
static void move_bytes(situ_link *l, situ_exchange *e)
{
    int idle = 0;
    char why[1600] = "";
    if (e->more) e->more(e);
    while (!e->instead && !l->code && situ_streams_move(l, e, &idle)) wait_on(l, &e->head, &idle);
    int code = e->instead ? e->instead(e, why, sizeof why) : 0;
    if (code) wait_for_death(l);
    if (code) situ_link_break(l, code, "%s", why);
    l->moved = situ_now();
}

static bool heads_there(const situ_link *l)
{
    for (int i = 0; i < l->size; i++)
        if (counts(l, i) && !l->peer[i].header_arrived) return false;
    return true;
}

/* The stream whose bytes travel with the header between this rank and `peer`, or NULL. */
static situ_stream *rider(situ_link *l, int peer, bool out)
{
    situ_exchange *e = l->now;
    for (int i = 0; i < e->streams; i++)
        if (e->stream[i].peer == peer && e->stream[i].out == out && situ_stream_rides(&e->stream[i])) return &e->stream[i];
    return NULL;
}

static int send_heads(situ_link *l, const situ_head *own)
{
    for (int i = 0; i < l->size && !l->code; i++) {
        situ_peer *p = &l->peer[i];
        if (!counts(l, i)) continue;
        situ_stream *s = rider(l, i, true);
        p->out.head = *own;
        p->out.head.ride = s ? (uint32_t)s->bytes : 0;
        if (s) situ_stream_ride(s, p->out.ride);
        situ_message_send(l, &p->out_message, &p->out, sizeof p->out.head + p->out.head.ride, i, SITU_TAG_HEAD);
    }
    return l->code;
}

/* All headers match: copies the payloads that came with them, and lets the next headers arrive. */
static int take_heads(situ_link *l)
{
    for (int i = 0; i < l->size; i++) {
        situ_peer *p = &l->peer[i];
        if (!counts(l, i)) continue;
        situ_stream *s = rider(l, i, false);
        size_t expected = s ? s->bytes : 0;
        if (p->in.head.ride != expected)
            return situ_link_break(l, SITU_MISMATCH, "rank %d sends %u bytes where %zu were to come; are all ranks of one version?",
                i, p->in.head.ride, expected);
        if (s) situ_stream_ride(s, p->in.ride);
        if (l->now->clock < p->in.head.clock) l->now->clock = p->in.head.clock;
        p->header_arrived = false;
    }
    return 0;
}

static bool heads_out(const situ_link *l)
{
    for (int i = 0; i < l->size; i++)
        if (counts(l, i) && l->peer[i].out_message.open) return false;
    return true;
}

static int call(situ_link *l, situ_exchange *e)
{
    int idle = 0;
    situ_head *head = &e->head;
    l->now = e;
    l->beat = l->moved = situ_link_now();
    if (e->lost) return situ_link_break(l, SITU_RANK_LOST, "this rank had nothing to give: %.1200s", e->lost);
    head->sequence = l->sequence += e->partner == SITU_EVERYBODY;
    if (send_heads(l, head)) return l->code;
    while (!heads_there(l) && !l->code)
        if (!situ_link_pump(l, false)) wait_on(l, head, &idle);
    if (l->code || compare(l, head) || take_heads(l)) return l->code;
    move_bytes(l, e);
    idle = 0;
    while (!l->code && !heads_out(l))
        if (!situ_link_pump(l, false)) wait_on(l, head, &idle);
    return l->code;
}

int situ_link_call(situ_link *l, situ_exchange *e)
{
    if (l->code) return l->code;
    if (call(l, e) && l->died) situ_link_leave(l, e);
    else if (l->code)
        situ_link_end(l, false); /* ranks that cannot see the mismatch themselves hear of it now, not at the deadline
                                                */
    return l->code;
}

/* ---- the end ------------------------------------------------------------------------------------------------------------- */

static bool all_ended(const situ_link *l)
{
    for (int i = 0; i < l->size; i++) {
        const situ_peer *p = &l->peer[i];
        if (i == l->rank) continue;
        if (!p->end_told || p->out_message.open || p->alive_out_message.open) return false;
        if (!p->header_arrived || p->in.head.call != SITU_CALL_END || p->last_words != 1 || p->alive_out != 1) return false;
    }
    return true;
}

int situ_link_end(situ_link *l, bool wait)
{
    int idle = 0;
    if (l->ends) return l->code;
    l->ends = wait ? ENDS_WELL : ENDS_BADLY;
    for (int i = 0; i < l->size; i++)
        if (i != l->rank) tell_end(l, i);
    l->moved = situ_link_now();
    while (wait && !l->code && !all_ended(l)) {
        situ_link_pump(l, true);
        situ_rest(&idle);
        l->beat = situ_link_now();
        for (int i = 0; i < l->size; i++) {
            situ_peer *p = &l->peer[i];
            if (i == l->rank) continue;
            if (p->header_arrived && p->in.head.call != SITU_CALL_END)
                return situ_link_break(l, SITU_MISMATCH, "rank %d still calls", i);
            if (p->header_arrived && p->in.head.root) return situ_link_break(l, SITU_RANK_LOST, "rank %d has failed", i);
            /* Its header is the last message to this rank, so nothing of it is outstanding. */
            if (p->header_arrived && !p->alive_out_message.open && p->alive_out != 1) say_alive(l, i, 1);
            if (!p->header_arrived && situ_link_now() - p->heard > l->deadline)
                return situ_link_break(l, SITU_RANK_LOST, "rank %d is silent", i);
        }
    }
    return l->code;
}

bool situ_link_last_words(situ_link *l)
{
    bool all = true;
    for (int i = 0; i < l->size; i++) {
        situ_peer *p = &l->peer[i];
        if (i == l->rank) continue;
        hear_alive(l, i, true);
        if (!p->alive_out_message.open && !p->alive_out) say_alive(l, i, 2);
        all &= is_gone(p, situ_link_now()) || (p->last_words && !p->alive_out_message.open);
    }
    return all;
}
