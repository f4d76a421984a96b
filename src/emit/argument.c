/* Arguments of kernels. Those of a training step may follow from its number t: a count that grows with t, as in the key of a
 * dropout, or a rate of the update rule, such as a bias correction. The step is recorded for three numbers; what differs has to be
 * one of the two for each of them. */
#include <string.h>

#include "base/memory.h"
#include "emit/emit.h"

int situ_emit_hear(situ_emitted *e, int number, const situ_walk *w)
{
    situ_emit_words *to = &e->words[number];
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) count += w->node[i]->nword;
    to->word = situ_malloc((count + 1u) * sizeof *to->word);
    to->first = situ_malloc((w->count + 1u) * sizeof *to->first);
    if (!to->word || !to->first || to->rates.failed) return situ_fail(SITU_NO_MEMORY, e->site, "situ_emit: out of host memory");
    to->count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const situ_tensor *t = w->node[i];
        to->first[i] = to->count;
        memcpy(to->word + to->count, situ_node_word(t), t->nword * sizeof *to->word);
        to->count += t->nword;
    }
    to->key = situ_walk_key(w, 0);
    if (number) return 0;
    for (int i = 1; i < SITU_EMIT_RECORDED; i++)
        if (memcmp(&e->words[i].key, &to->key, sizeof to->key) || e->words[i].count != to->count ||
            e->words[i].rates.count != to->rates.count)
            return situ_fail(SITU_UNSUPPORTED, e->site,
                "situ_emit: step %lld of this training does other operations than later ones, as the first ones of some rules "
                "do; make more steps before it is written",
                (long long)to->step + 1);
    e->rate_used = situ_calloc((size_t)to->rates.count + 1, sizeof *e->rate_used);
    return e->rate_used ? 0 : situ_fail(SITU_NO_MEMORY, e->site, "situ_emit: out of host memory");
}

/* An argument in each recording. */
typedef struct heard {
    uint64_t word[SITU_EMIT_RECORDED];
} heard;

static bool is_constant(const heard *h) { return h->word[0] == h->word[1] && h->word[0] == h->word[2]; }

static bool is_count(const situ_emitted *e, const heard *h)
{
    bool counts = true;
    for (int i = 1; i < SITU_EMIT_RECORDED; i++)
        counts &= h->word[i] - h->word[0] == (uint64_t)(e->words[i].step - e->words[0].step);
    return counts;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The first rate before `end` that has these values; -1: none. */
static int rate_of(const situ_emitted *e, const heard *h, int end)
{
    for (int k = 0; k < end; k++) {
        bool same = true;
        for (int i = 0; i < SITU_EMIT_RECORDED; i++) same &= bits_of(e->words[i].rates.rate[k].value) == h->word[i];
        if (same) return k;
    }
    return -1;
}

static heard argument_of(const situ_emitted *e, int rate, int k)
{
    heard h;
    for (int i = 0; i < SITU_EMIT_RECORDED; i++) h.word[i] = bits_of(e->words[i].rates.rate[rate].argument[k]);
    return h;
}

/* Notes that this rate is needed, and those that it is computed from; false: one of these is unknown. */
static bool use_rate(situ_emitted *e, int rate)
{
    if (rate < 0) return false;
    e->rate_used[rate] = e->rated = true;
    for (int k = 0; k < e->words[0].rates.rate[rate].arguments; k++) {
        heard h = argument_of(e, rate, k);
        if (!is_constant(&h) && !use_rate(e, rate_of(e, &h, rate))) return false;
    }
    return true;
}

static heard word_at(const situ_emitted *e, uint32_t node, uint32_t index)
{
    heard h;
    for (int i = 0; i < SITU_EMIT_RECORDED; i++)
        h.word[i] = e->f->trains ? e->words[i].word[e->words[i].first[node] + index] : situ_node_word(e->walk->node[node])[index];
    return h;
}

static heard source_at(const situ_emitted *e, const situ_word_source *w)
{
    if (w->node >= 0) return word_at(e, (uint32_t)w->node, w->index);
    return (heard){{w->constant, w->constant, w->constant}};
}

bool situ_emit_varies(const situ_emitted *e)
{
    for (uint32_t i = 0; i < e->step->nword; i++) {
        heard h = source_at(e, &e->plan->word[e->step->word + i]);
        if (!is_constant(&h)) return true;
    }
    return false;
}

uint64_t situ_emit_word_at(situ_emitted *e, uint32_t node, uint32_t index)
{
    heard h = word_at(e, node, index);
    if (!is_constant(&h)) situ_emit_refuse(e, "it reads from another place in each step");
    return h.word[0];
}

static void write_word(situ_emitted *e, situ_source *t, const situ_word_source *w)
{
    heard h = source_at(e, w);
    if (is_constant(&h)) {
        situ_source_add(t, "0x%llxu", (unsigned long long)h.word[0]);
    } else if (is_count(e, &h)) {
        situ_source_add(t, "(u64_F)context->step + 0x%llxu", (unsigned long long)(h.word[0] - (uint64_t)e->words[0].step));
    } else {
        int rate = rate_of(e, &h, e->words[0].rates.count);
        if (!use_rate(e, rate))
            situ_emit_refuse(e, "a number in it changes from step to step, and not by a rule or a schedule that is known as text");
        situ_source_add(t, "f64_bits(rate_%d)", rate);
    }
}

void situ_emit_arguments(situ_emitted *e, situ_source *t, bool constant)
{
    if (!e->step->nword || situ_emit_varies(e) == constant) return;
    situ_source_append(t, constant ? "    static const u64_F argument[] = {" : "{ const u64_F argument[] = {");
    for (uint32_t i = 0; i < e->step->nword; i++) {
        if (i) situ_source_append(t, ", ");
        write_word(e, t, &e->plan->word[e->step->word + i]);
    }
    situ_source_append(t, constant ? "};\n" : "};\n    ");
}

void situ_emit_rates(const situ_emitted *e, situ_source *t)
{
    if (e->rated) situ_source_append(t, "    const double t = (double)(context->step + 1);\n");
    for (int i = 0; i < e->words[0].rates.count && e->rated; i++)
        if (e->rate_used[i]) situ_source_add(t, "    double rate_%d;\n", i);
    for (int i = 0; i < e->words[0].rates.count && e->rated; i++) {
        const situ_rate *r = &e->words[0].rates.rate[i];
        if (!e->rate_used[i]) continue;
        situ_source_append(t, "    {\n        const double a[] = {");
        for (int k = 0; k < r->arguments; k++) {
            heard h = argument_of(e, i, k);
            if (k) situ_source_append(t, ", ");
            if (is_constant(&h)) situ_source_add(t, "f64_from_bits(0x%llxu)", (unsigned long long)h.word[0]);
            else situ_source_add(t, "rate_%d", rate_of(e, &h, i));
        }
        situ_source_add(t, "};\n        rate_%d = %s(a, t);\n    }\n", i, r->function);
    }
}
