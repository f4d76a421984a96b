/* beside: runs small independent steps concurrently, one lane for each chain of them, because a single small step
 * could not use several threads. Example: a thousand products of small matrices and their norms. Lanes change no bit.
 * A value whose last reader is in such a stretch keeps its memory until the stretch ends. */
#include "op/table.h"
#include "plan/build.h"
#include "plan/cost.h"

enum { MOST_LANES = 64, MOST_BYTES = 8 << 20 };
static const double most_seconds = 200e-6 /* of one step: longer ones use all threads already */, least_seconds = 25e-6 /* saved */;

typedef struct stretch {
    int32_t first, lanes;
    int64_t bytes;
    double seconds[MOST_LANES], all;
} stretch;

static double seconds_of(const situ_build *b, const situ_work *w)
{
    const situ_val *v = b->val[w->domain];
    double count = (double)situ_val_count(v);
    if (w->kind == SITU_WORK_CALL && v->op == &situ_op_concat) return situ_cost_group(count, 1);
    return w->kind == SITU_WORK_GROUP ? situ_cost_group(count, w->count) : situ_cost_matmul(situ_matmul_flops(b, v));
}

static bool fits(const situ_build *b, const situ_work *w, int32_t at, int32_t *busy_until)
{
    if (w->until) *busy_until = w->until;
    if (at < *busy_until || w->final || w->update || w->kind == SITU_WORK_COPY) return false;
    const situ_op *op = w->kind == SITU_WORK_CALL ? b->val[w->domain]->op : NULL;
    if (op && (w->count || (op != &situ_op_matmul && op != &situ_op_concat))) return false;
    return seconds_of(b, w) <= most_seconds;
}

/* The lane of the step that computes x; -1: x was computed before the stretch. */
static int32_t lane_of(const situ_build *b, const stretch *s, uint32_t x)
{
    const situ_val *v = b->val[b->val[x]->base];
    if (v->step < 0 || b->work[v->step].position < s->first) return -1;
    return b->work[v->step].lane;
}

/* The lane that w continues, or a new one; -1: w reads from two lanes. */
static int32_t choose_lane(const situ_build *b, const stretch *s, const situ_work *w)
{
    uint32_t n;
    const uint32_t *reads = situ_work_reads(b, w, &n);
    int32_t lane = -1;
    for (uint32_t i = 0; i < n; i++) {
        int32_t other = lane_of(b, s, reads[i]);
        if (other < 0 || other == lane) continue;
        if (lane >= 0) return -1;
        lane = other;
    }
    return lane >= 0 ? lane : s->lanes;
}

static void keep_until(situ_build *b, uint32_t x, int32_t first, int32_t end)
{
    situ_val *v = b->val[b->val[x]->base];
    if (v->last >= first && v->last < end) v->last = end - 1;
}

/* Ends the stretch before position `end`, and decides whether lanes pay for it. */
static void close_stretch(situ_build *b, stretch *s, int32_t end)
{
    double longest = 0;
    for (int32_t i = 0; i < s->lanes; i++)
        if (s->seconds[i] > longest) longest = s->seconds[i];
    if (s->lanes > 1 && s->all - longest >= least_seconds) {
        situ_work *w = &b->work[b->order[s->first]];
        w->lanes = s->lanes;
        w->beside = (uint32_t)(end - s->first);
        for (int32_t at = s->first; at < end; at++) {
            uint32_t n;
            const uint32_t *reads = situ_work_reads(b, &b->work[b->order[at]], &n);
            for (uint32_t i = 0; i < n; i++) keep_until(b, reads[i], s->first, end);
        }
    }
    *s = (stretch){.first = end};
}

static void take(const situ_build *b, stretch *s, situ_work *w, int32_t lane)
{
    const situ_val *v = b->val[w->domain];
    w->lane = lane;
    s->lanes += lane == s->lanes;
    s->seconds[lane] += seconds_of(b, w);
    s->all += seconds_of(b, w);
    s->bytes += situ_val_count(v) * 8;
}

int situ_build_beside(situ_build *b)
{
    if (b->plan->ndev != 1 || !b->plan->dev[0]->backend->shares_threads || !b->fusing) return 0;
    stretch *s = situ_build_alloc(b, sizeof *s);
    if (!s) return -1;
    int32_t busy_until = 0;
    for (int32_t at = 0; at < (int32_t)b->nwork; at++) {
        situ_work *w = &b->work[b->order[at]];
        bool ok = fits(b, w, at, &busy_until);
        int32_t lane = ok && s->bytes <= MOST_BYTES ? choose_lane(b, s, w) : -1;
        if (lane < 0 || lane == MOST_LANES) {
            close_stretch(b, s, at);
            if (!ok) s->first = at + 1;
            lane = 0;
        }
        if (ok) take(b, s, w, lane);
    }
    close_stretch(b, s, (int32_t)b->nwork);
    return 0;
}
