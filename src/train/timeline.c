#include "train/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "file/json.h"
#include "os/plain.h"
#include "train/json.h"

enum { SIMULATED = 2, DEVICES = 1000000, LANES = 1024 }; /* as device/trace.c numbers processes and rows */

#define MOST 1e15 /* microseconds: thirty years */

typedef struct event {
    char kind; /* 'X': a bar; 'N': the name of a row; 0: anything else */
    int64_t process, row;
    double start, length;
    int64_t bytes;
    const char *name, *line;
} event;

static double number(situ_json *j)
{
    situ_json_peek(j);
    const char *at = j->p;
    situ_json_skip(j);
    return j->error ? 0 : situ_plain_number(at, NULL);
}

/* Rows may be named by numbers alone. */
static int64_t whole(situ_json *j)
{
    double v = number(j);
    return v > -0x1p53 && v < 0x1p53 ? (int64_t)v : 0;
}

static void read_arguments(situ_json *j, char **space, event *e, const char **row_name)
{
    for (bool more = situ_json_open(j, '{'); more && !j->error; more = situ_json_next(j, '}')) {
        const char *key = situ_json_key(j, space);
        if (!key) return;
        bool text = situ_json_peek(j) == '"';
        if (text && !strcmp(key, "line")) e->line = situ_json_string(j, space);
        else if (text && !strcmp(key, "name")) *row_name = situ_json_string(j, space);
        else if (!text && !strcmp(key, "bytes")) e->bytes = whole(j);
        else situ_json_skip(j);
    }
}

static event read_event(situ_json *j, char **space)
{
    event e = {0};
    const char *phase = "", *row_name = NULL;
    for (bool more = situ_json_open(j, '{'); more && !j->error; more = situ_json_next(j, '}')) {
        const char *key = situ_json_key(j, space);
        if (!key) return e;
        char next = situ_json_peek(j);
        if (!strcmp(key, "ph") && next == '"') phase = situ_json_string(j, space);
        else if (!strcmp(key, "name") && next == '"') e.name = situ_json_string(j, space);
        else if (!strcmp(key, "pid") && next != '"') e.process = whole(j);
        else if (!strcmp(key, "tid") && next != '"') e.row = whole(j);
        else if (!strcmp(key, "ts")) e.start = number(j);
        else if (!strcmp(key, "dur")) e.length = number(j);
        else if (!strcmp(key, "args") && next == '{') read_arguments(j, space, &e, &row_name);
        else situ_json_skip(j);
    }
    if (j->error || !phase) return e;
    if (!strcmp(phase, "X") && fabs(e.start) < MOST && e.length >= 0 && e.length < MOST) e.kind = 'X';
    if (!strcmp(phase, "M") && e.name && !strcmp(e.name, "thread_name") && row_name) e.kind = 'N', e.name = row_name;
    return e;
}

static situ_timeline_lane *lane_of(situ_trace_view *t, const event *e)
{
    for (int i = 0; i < t->lanes; i++)
        if (t->lane[i].row == e->row && t->lane[i].process == e->process) return &t->lane[i];
    if (t->lanes == LANES) return NULL;
    t->lane[t->lanes] = (situ_timeline_lane){e->process, e->row, NULL};
    return &t->lane[t->lanes++];
}

static situ_bar_kind kind_of(const event *e, const char *lane)
{
    static const char *const copies[] = {"upload", "download", "copy"};
    if (e->name && !strncmp(e->name, "wait for ", 9)) return SITU_BAR_WAIT;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (e->name && !strcmp(e->name, copies[i])) return SITU_BAR_COPY;
    return lane && strstr(lane, ": copies") ? SITU_BAR_COPY : e->row < DEVICES ? SITU_BAR_HOST : SITU_BAR_COMPUTE;
}

/* The events of the list "traceEvents"; false: there is none. */
static bool find_events(situ_json *j, char **space)
{
    for (bool more = situ_json_open(j, '{'); more && !j->error; more = situ_json_next(j, '}')) {
        const char *key = situ_json_key(j, space);
        if (key && !strcmp(key, "traceEvents")) return situ_json_peek(j) == '[';
        situ_json_skip(j);
    }
    return false;
}

static size_t count_events(const char *text)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, "\"ph\"")); at++) n++;
    return n;
}

static int read_events(situ_json *j, char **space, event *out, size_t most)
{
    size_t n = 0;
    for (bool more = situ_json_open(j, '['); more && !j->error; more = situ_json_next(j, ']')) {
        event e = read_event(j, space);
        if (e.kind && n < most) out[n++] = e;
    }
    return j->error ? -1 : (int)n;
}

static int by_row(const void *a, const void *b)
{
    const situ_timeline_lane *x = a, *y = b;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int by_lane(const void *a, const void *b)
{
    const situ_timeline_bar *x = a, *y = b;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to > y->to ? -1 : x->to < y->to;
}

/* Takes the events of one process, or of all but the simulated time. */
static void take_bars(situ_trace_view *t, const event *e, int count)
{
    double first = INFINITY;
    for (int i = 0; i < count; i++) {
        bool bar = e[i].kind == 'X' && (e[i].process == SIMULATED) == t->simulated;
        if (!bar || !lane_of(t, &e[i])) continue;
        first = fmin(first, e[i].start);
    }
    for (int i = 0; i < count; i++) { /* names of rows precede or follow their bars */
        if (e[i].kind != 'N') continue;
        for (int k = 0; k < t->lanes; k++)
            if (t->lane[k].row == e[i].row && t->lane[k].process == e[i].process) t->lane[k].name = e[i].name;
    }
    if (t->lanes) qsort(t->lane, (size_t)t->lanes, sizeof *t->lane, by_row);
    for (int i = 0; i < count; i++) {
        if (e[i].kind != 'X' || (e[i].process == SIMULATED) != t->simulated) continue;
        const situ_timeline_lane *lane = lane_of(t, &e[i]);
        if (!lane) continue;
        double from = 1e-6 * (e[i].start - first);
        t->bar[t->bars++] = (situ_timeline_bar){.from = from,
            .to = from + 1e-6 * e[i].length,
            .lane = (int)(lane - t->lane),
            .kind = kind_of(&e[i], lane->name),
            .bytes = e[i].bytes,
            .name = e[i].name ? e[i].name : "?",
            .line = e[i].line && *e[i].line ? e[i].line : NULL};
        t->seconds = fmax(t->seconds, t->bar[t->bars - 1].to);
    }
    if (t->bars) qsort(t->bar, (size_t)t->bars, sizeof *t->bar, by_lane);
}

int situ_timeline_read(situ_trace_view *t, const char *name, const char *text, size_t size, situ_clock clock)
{
    size_t most = count_events(text);
    *t = (situ_trace_view){.name = name};
    event *e = situ_malloc((most + 1) * sizeof *e);
    t->bar = situ_malloc((most + 1) * sizeof *t->bar);
    t->lane = situ_malloc(LANES * sizeof *t->lane);
    char *space = t->space = situ_malloc(size + 1);
    situ_json j = situ_json_of(text, size);
    int rc = 0, n = -1;
    if (!e || !t->bar || !t->lane || !space) rc = situ_fail(SITU_NO_MEMORY, NULL, "%s: no memory for its %zu events", name, most);
    else if (!find_events(&j, &space) || (n = read_events(&j, &space, e, most)) < 0)
        rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s is no trace: %s; SITU_TRACE=FILE writes one", name,
            j.error ? j.error : "it has no list traceEvents");
    bool simulated = false, here = false;
    for (int i = 0; i < n; i++)
        if (e[i].kind == 'X') *(e[i].process == SIMULATED ? &simulated : &here) = true;
    t->simulated = clock == SITU_CLOCK_SIMULATED || (clock == SITU_CLOCK_BEST && simulated);
    if (!rc && !(t->simulated ? simulated : here))
        rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s has no bars of %s", name, situ_timeline_clock(t));
    if (!rc) take_bars(t, e, n);
    situ_free(e);
    return rc;
}

int situ_timeline_open(situ_trace_view *t, const char *path, situ_clock clock)
{
    void *text = NULL;
    size_t size;
    *t = (situ_trace_view){.name = path};
    int rc = situ_read_file(path, &text, &size);
    if (!rc) rc = situ_timeline_read(t, path, text, size, clock);
    situ_counted_free(text);
    return rc;
}

void situ_timeline_free(situ_trace_view *t)
{
    situ_free(t->bar);
    situ_free(t->lane);
    situ_free(t->space);
    *t = (situ_trace_view){0};
}

const char *situ_timeline_clock(const situ_trace_view *t) { return t->simulated ? "simulated time" : "time here"; }

static const char *lane_name(const situ_trace_view *t, int i, char text[48])
{
    if (t->lane[i].name) return t->lane[i].name;
    snprintf(text, 48, "process %lld, row %lld", (long long)t->lane[i].process, (long long)t->lane[i].row);
    return text;
}

int situ_timeline_write(const situ_trace_view *t, FILE *f)
{
    static const char *const kinds[SITU_BAR_KINDS] = {"host", "wait", "compute", "copy"};
    situ_source s = {0};
    char text[48];
    situ_source_append(&s, "{\"k\":\"trace\",\"name\":");
    situ_json_text(&s, t->name);
    situ_source_add(&s, ",\"clock\":\"%s\",\"lanes\":[", situ_timeline_clock(t));
    for (int i = 0; i < t->lanes; i++) {
        situ_source_append(&s, i ? "," : "");
        situ_json_text(&s, lane_name(t, i, text));
    }
    situ_source_append(&s, "],\"bars\":[");
    for (int i = 0; i < t->bars; i++) {
        const situ_timeline_bar *b = &t->bar[i];
        situ_source_add(&s, "%s[%d,\"%s\",", i ? "," : "", b->lane, kinds[b->kind]);
        situ_json_text(&s, b->name);
        situ_source_append(&s, ",");
        situ_json_number(&s, 1e6 * b->from);
        situ_source_append(&s, ",");
        situ_json_number(&s, 1e6 * (b->to - b->from));
        situ_source_append(&s, ",");
        situ_json_text(&s, b->line);
        situ_source_add(&s, ",%lld]", (long long)b->bytes);
    }
    situ_source_append(&s, "]}\n");
    bool failed = s.failed;
    if (!failed) fwrite(s.text, 1, s.length, f);
    situ_source_drop(&s);
    return failed ? situ_fail(SITU_NO_MEMORY, NULL, "%s: out of host memory", t->name) : 0;
}

static int by_seconds(const void *a, const void *b)
{
    const situ_timeline_waits *x = a, *y = b;
    return x->seconds > y->seconds ? -1 : x->seconds < y->seconds;
}

int situ_timeline_waited(const situ_trace_view *t, situ_timeline_waits *out, int most)
{
    enum { LINES = 256 };
    situ_timeline_waits all[LINES];
    int n = 0;
    for (int i = 0; i < t->bars; i++) {
        const situ_timeline_bar *b = &t->bar[i];
        int k = 0;
        if (b->kind != SITU_BAR_WAIT) continue;
        const char *line = b->line ? b->line : "no line of the program";
        while (k < n && strcmp(all[k].line, line)) k++;
        if (k == LINES) continue;
        if (k == n) all[n++] = (situ_timeline_waits){.line = line};
        all[k].count++;
        all[k].seconds += b->to - b->from;
    }
    if (n) qsort(all, (size_t)n, sizeof *all, by_seconds);
    for (int i = 0; i < n && i < most; i++) out[i] = all[i];
    return n < most ? n : most;
}
