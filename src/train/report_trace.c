/* Writes what a report shows of a few steps: when each device did what, the memory of the step's plan; and all copies
 * and waits of the training, by line. */
#include "train/report.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/pages.h"
#include "device/trace.h"
#include "optim/optimizer.h"
#include "run/enqueue.h"

enum { EVENTS = 1 << 13, BARS = 3000, VALUES = 400, KEPT = 16, LINES = 200 };

int64_t situ_fit_peak(const situ_fit *f, int i)
{
    situ_dev *d = situ_dev_opened(f->t->device[i]);
    return d ? situ_peak_bytes(d, &f->peak[i]) : 0;
}

/* ---- memory of a plan --------------------------------------------------------------------------------------------- */

/* Writes the tensor (or the operation that made the value) and its source line. */
static void value_text(situ_source *s, const situ_tensor *t, const char *maker)
{
    char text[200], shape[SITU_SHAPE_TEXT];
    const char *name = t ? situ_node_aside(t)->name : NULL;
    if (maker) snprintf(text, sizeof text, "%s", maker);
    else
        snprintf(text, sizeof text, "%.60s %s%s", name ? name : t->op->name, situ_dtype_name((situ_dtype)t->dtype),
            situ_shape_text((int)t->ndim, t->dim, shape, sizeof shape));
    situ_json_text(s, text);
    situ_source_append(s, ",");
    situ_json_text(s, t ? t->site : NULL);
}

/* The lifetime of an intermediate in the arena, from a first to a last step: bytes [offset, offset + bytes). */
typedef struct lying {
    int64_t bytes;
    uint32_t first, last;
} lying;

static void note_lives(const situ_plan *p, lying *of)
{
    for (uint32_t i = 0; i < p->nstep; i++) {
        const situ_plan_step *s = &p->step[i];
        for (uint32_t k = s->address; k < s->address + s->naddress; k++) {
            const situ_address *a = &p->address[k];
            lying *v = &of[a->place];
            if (p->place[a->place].kind != SITU_PLACE_ARENA) continue;
            if (!v->bytes) v->first = i;
            v->last = i;
            if (a->offset + a->written > v->bytes) v->bytes = a->offset + a->written;
        }
    }
}

/* Called under the planner's lock. The largest plan during the trace is taken for the plan of the step. */
static void watch(const situ_plan *p, const situ_walk *w, void *self)
{
    situ_report *r = self;
    situ_source *s = &r->plan;
    lying *of = p->nstep > r->plan_steps ? situ_calloc(p->nplace + 1, sizeof *of) : NULL;
    char name[32];
    int n = 0;
    if (!of) return;
    note_lives(p, of);
    r->plan_steps = p->nstep;
    s->length = 0;
    situ_source_append(s, "{\"k\":\"plan\",\"steps\":[");
    for (uint32_t i = 0; i < p->nstep; i++) {
        situ_source_append(s, i ? "," : "");
        situ_json_text(s, p->step[i].name);
    }
    situ_source_append(s, "],\"devices\":[");
    for (int i = 0; i < p->ndev; i++) {
        situ_source_append(s, i ? "," : "");
        situ_json_text(s, situ_device_name(p->dev[i]->device, name));
    }
    situ_source_append(s, "],\"values\":[");
    for (uint32_t i = 0; i < p->nplace; i++) {
        if (!of[i].bytes || n == VALUES) continue;
        int32_t node = p->step[of[i].first].node;
        situ_source_add(s, "%s[%d,%lld,%lld,%u,%u,", n++ ? "," : "", p->place[i].device, (long long)of[i].bytes,
            (long long)p->place[i].offset, of[i].first, of[i].last);
        const situ_tensor *t = node >= 0 ? w->node[node] : NULL;
        bool whole = t && situ_node_count(t) * (int64_t)situ_dtype_size((situ_dtype)t->dtype) == of[i].bytes;
        value_text(s, t, whole ? NULL : p->step[of[i].first].name); /* a step may write other values than that of its node */
        situ_source_append(s, "]");
    }
    situ_source_append(s, "]}\n");
    situ_free(of);
}

static bool lies_in(const situ_tensor *variable, const situ_buffer *b) { return variable && situ_slot_of(variable)->buffer == b; }

/* Name of the parameter or optimizer moment that lies in this buffer; NULL: none. */
static const char *owner(const situ_fit *f, const situ_buffer *b, char *text, size_t size)
{
    const situ_module *root = situ_module_root(f->net);
    for (int i = 0; i < root->total; i++)
        for (int k = 0; k < root->devices; k++)
            if (root->all[i]->made && lies_in(root->all[i]->copy[k], b)) return root->all[i]->path;
    for (int i = 0; f->opt && i < f->opt->rows; i++)
        for (int k = 0; k < SITU_MIRRORS * SITU_SLOTS; k++) {
            if (!lies_in(f->opt->moments[i * SITU_MIRRORS + k / SITU_SLOTS].slot[k % SITU_SLOTS], b)) continue;
            for (int p = 0; p < root->total; p++)
                if (root->all[p]->id == f->opt->owner[i])
                    return snprintf(text, size, "%s of %s", situ_optimizer_name(f->opt), root->all[p]->path), text;
        }
    return NULL;
}

/* Writes the largest live tensors of a device, their number and their bytes. Takes the device's lock. */
static void write_held(situ_fit *f, situ_dev *d, int64_t peak)
{
    const situ_buffer *found[KEPT];
    situ_source *s = &f->t->report->text;
    char name[32], text[400], shape[SITU_SHAPE_TEXT], of[160];
    int n = 0;
    situ_mutex_lock(&d->pages->lock);
    for (const situ_buffer *b = d->pages->live_first; b; b = b->next) {
        if (n == KEPT && b->bytes <= found[KEPT - 1]->bytes) continue;
        int at = n < KEPT ? n++ : KEPT - 1;
        for (; at && found[at - 1]->bytes < b->bytes; at--) found[at] = found[at - 1];
        found[at] = b;
    }
    situ_source_append(s, "{\"k\":\"held\",\"device\":");
    situ_json_text(s, situ_device_name(d->device, name));
    situ_source_add(s, ",\"live\":%lld,\"bytes\":%lld,\"peak\":%lld,\"largest\":[", (long long)d->pages->live,
        (long long)d->pages->count.in_use, (long long)peak);
    for (int i = 0; i < n; i++) {
        const situ_label *l = &found[i]->label;
        const char *who = owner(f, found[i], of, sizeof of);
        situ_source_add(s, "%s[%lld,", i ? "," : "", (long long)found[i]->bytes);
        snprintf(text, sizeof text, "%.150s %s%s",
            who         ? who :
                l->name ? l->name :
                          "tensor",
            situ_dtype_name((situ_dtype)l->dtype), situ_shape_text(l->ndim, l->dim, shape, sizeof shape));
        situ_json_text(s, text);
        situ_source_append(s, ",");
        situ_json_text(s, l->site);
        situ_source_append(s, "]");
    }
    situ_mutex_unlock(&d->pages->lock);
    situ_source_append(s, "]}\n");
}

/* ---- the timeline -------------------------------------------------------------------------------------------------- */

void situ_report_trace_begin(situ_report *r)
{
    r->owns_trace = !situ_tracing();
    if (r->owns_trace && situ_profile_start(EVENTS)) { /* no memory for a trace: no timeline */
        situ_error_take(NULL);
        r->trace_at = -1;
        return;
    }
    r->tracing = true;
    r->traced = situ_seconds();
    r->watcher = (situ_launch_watcher){watch, r};
    situ_launch_watch = &r->watcher;
}

typedef struct writing {
    situ_source *to;
    double since;
    int bars;
} writing;

static void write_bar(void *self, const situ_trace_event *e)
{
    static const char *const track[SITU_TRACKS] = {"", "", " to it", " to host", " peer", ""};
    writing *w = self;
    char lane[64], device[32];
    if (e->track == SITU_TRACK_MEMORY || e->start < w->since || e->end < e->start || w->bars == BARS) return;
    if (e->track == SITU_TRACK_HOST) snprintf(lane, sizeof lane, "thread %llu", (unsigned long long)e->thread);
    else if (e->lane) snprintf(lane, sizeof lane, "%s, %d", situ_device_name(e->device, device), e->lane);
    else snprintf(lane, sizeof lane, "%s%s", situ_device_name(e->device, device), track[e->track]);
    situ_source_append(w->to, w->bars++ ? ",[" : "[");
    situ_json_text(w->to, lane);
    situ_source_append(w->to, ",");
    situ_json_text(w->to, e->name);
    situ_source_append(w->to, ",");
    situ_json_number(w->to, 1e6 * (e->start - w->since));
    situ_source_append(w->to, ",");
    situ_json_number(w->to, 1e6 * (e->end - e->start));
    situ_source_append(w->to, ",");
    situ_json_text(w->to, e->site);
    situ_source_add(w->to, ",%lld]", (long long)e->bytes);
}

void situ_report_trace_end(situ_fit *f)
{
    situ_report *r = f->t->report;
    writing w = {.to = &r->text, .since = r->traced};
    situ_source_add(&r->text, "{\"k\":\"timeline\",\"from\":%lld,\"steps\":%lld,\"bars\":[", (long long)r->trace_at + 1,
        (long long)(f->t->steps - r->trace_at));
    situ_trace_visit(write_bar, &w);
    situ_source_append(&r->text, "]}\n");
    if (r->plan.text) situ_source_append(&r->text, r->plan.text);
    for (int i = 0; i < f->t->devices; i++) {
        situ_dev *d = situ_dev_opened(f->t->device[i]);
        if (d) write_held(f, d, situ_fit_peak(f, i));
    }
    situ_report_trace_drop(r);
}

void situ_report_trace_drop(situ_report *r)
{
    if (situ_launch_watch == &r->watcher) situ_launch_watch = NULL;
    if (r->tracing && r->owns_trace) situ_profile_stop();
    situ_source_drop(&r->plan);
    r->plan_steps = 0;
    r->tracing = false;
    r->trace_at = -1;
}

/* ---- copies and waits ------------------------------------------------------------------------------------------------ */

typedef struct situ_ledger_line {
    situ_site site;
    situ_transfer transfer;
    situ_reason reason;
    int64_t count, bytes;
    double seconds;
} situ_ledger_line;

static void count_entry(situ_report *r, const situ_ledger_entry *e)
{
    int i = 0;
    for (; i < r->lines; i++) {
        const situ_ledger_line *l = &r->line[i];
        if (l->transfer == e->transfer && l->reason == e->reason &&
            (l->site == e->site || (l->site && e->site && !strcmp(l->site, e->site))))
            break;
    }
    if (i == LINES) return;
    if (i == r->lines) r->line[r->lines++] = (situ_ledger_line){.site = e->site, .transfer = e->transfer, .reason = e->reason};
    bool merge = e->transfer == SITU_TRANSFER_MERGE; /* its bytes are a number of operations */
    r->line[i].count += merge ? e->bytes : 1;
    r->line[i].bytes += merge ? 0 : e->bytes;
    r->line[i].seconds += e->seconds;
}

/* Adds the ledger's entries since the last call. */
void situ_report_count(situ_report *r)
{
    int most = situ_ledger_kept();
    situ_ledger_entry *all = most ? situ_malloc((size_t)most * sizeof *all) : NULL;
    if (!r->line) r->line = situ_calloc(LINES, sizeof *r->line);
    int n = all && r->line ? situ_ledger_list(all, most) : 0;
    double since = r->ledger_at;
    for (int i = 0; i < n; i++) {
        if (all[i].time <= since) continue;
        r->ledger_at = all[i].time;
        count_entry(r, &all[i]);
    }
    situ_free(all);
}

/* Writes the table; the page shows the last line of this kind. */
void situ_report_ledger(situ_report *r)
{
    situ_source_append(&r->text, "{\"k\":\"ledger\",\"rows\":[");
    for (int i = 0; i < r->lines; i++) {
        const situ_ledger_line *l = &r->line[i];
        situ_source_append(&r->text, i ? ",[" : "[");
        situ_json_text(&r->text, l->site);
        situ_source_add(&r->text, ",\"%s\",\"%s\",%lld,%lld,", situ_transfer_name(l->transfer), situ_reason_name(l->reason),
            (long long)l->count, (long long)l->bytes);
        situ_json_number(&r->text, l->seconds);
        situ_source_append(&r->text, "]");
    }
    situ_source_append(&r->text, "]}\n");
}
