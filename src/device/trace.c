/* The trace: a ring buffer of events, and its file in the Trace Event Format that Perfetto and Chrome read. */
#include "device/trace.h"
#include "os/env.h"
#include "os/plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "os/file.h"
#include "os/lock.h"

enum { USUAL = 1 << 18, MOST = 1 << 26, LANES = 64, HOST_PROCESS = 1, SIMULATED_PROCESS = 2 };

_Atomic bool situ_trace_on;
SITU_LOCK(lock);
static struct {
    situ_trace_event *event;
    int64_t added;
    int most;
} ring;
static _Atomic uint64_t launches;
static const char *file_at_end; /* value of SITU_TRACE */

static void after_fork(void) { file_at_end = NULL; /* the parent process writes it */ }

static int set_ring(int most)
{
    situ_trace_event *event = most ? situ_malloc((size_t)most * sizeof *event) : NULL;
    if (most && !event) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a trace of %d events; ask for fewer", most);
    situ_mutex_lock(&lock);
    situ_trace_event *old = ring.event;
    ring.event = event;
    ring.most = most;
    ring.added = 0;
    situ_mutex_unlock(&lock);
    situ_free(old);
    return 0;
}

static void close_trace(void)
{
    if (file_at_end && situ_trace_on && situ_profile_save(file_at_end)) {
        situ_error error;
        situ_error_take(&error);
        fprintf(stderr, "SITU_TRACE: %s\n", error.message);
    }
    file_at_end = NULL;
    situ_profile_stop();
}

int situ_profile_start(int most)
{
    SITU_SPEAK_AT("situ_profile_start");
    if (most < 0 || most > MOST) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_profile_start: %d events; 0..%d", most, MOST);
    if (situ_at_shutdown(SITU_END_RECORDS, close_trace) || situ_at_fork_reset(after_fork) || set_ring(most ? most : USUAL))
        return -situ_error_code;
    situ_trace_on = true;
    return 0;
}

void situ_profile_stop(void)
{
    situ_trace_on = false;
    set_ring(0);
}

/* SITU_TRACE only enables the trace; memory is allocated with the first event, when the program has set its options. */
__attribute__((constructor)) static void from_environment(void)
{
    const char *path = situ_env("SITU_TRACE");
    if (!path || !*path) return;
    file_at_end = path;
    situ_trace_on = true;
}

static void start_from_environment(void)
{
    static _Atomic bool begun;
    if (!file_at_end || atomic_exchange(&begun, true)) return;
    if (situ_profile_start(0)) situ_trace_on = false;
    else atexit(close_trace);
}

uint64_t situ_trace_launch(void) { return situ_tracing() ? atomic_fetch_add(&launches, 1) + 1 : 0; }

void situ_trace_add(const situ_trace_event *event)
{
    if (file_at_end) start_from_environment();
    situ_trace_event e = *event;
    e.name = situ_site_intern(e.name);
    if (!e.thread) e.thread = situ_thread_number();
    situ_mutex_lock(&lock);
    if (ring.most) ring.event[ring.added++ % ring.most] = e;
    situ_mutex_unlock(&lock);
}

void situ_trace_visit(void (*visit)(void *self, const situ_trace_event *e), void *self)
{
    situ_mutex_lock(&lock);
    int64_t n = ring.added < ring.most ? ring.added : ring.most;
    for (int64_t i = 0; i < n; i++) visit(self, &ring.event[(ring.added - n + i) % ring.most]);
    situ_mutex_unlock(&lock);
}

/* ---- the file ------------------------------------------------------------------------------------------------------- */

static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', f);
        if (*c < 32) fprintf(f, "\\u%04x", *c);
        else fputc(*c, f);
    }
    fputc('"', f);
}

/* The row of an event in the picture: one for each thread, and for each device's track and lane. */
static int64_t row_of(const situ_trace_event *e)
{
    if (e->track == SITU_TRACK_HOST) return (int64_t)e->thread;
    int64_t device = ((int64_t)e->device.kind * SITU_DEVICES_EACH + e->device.index) * SITU_TRACKS + e->track;
    return 1000000 + device * LANES + e->lane % LANES;
}

static void put_row_name(FILE *f, const situ_trace_event *e, int process)
{
    static const char *const what[SITU_TRACKS] = {
        "", "", ": copies to it", ": copies to the host", ": copies to and from devices", ""};
    char name[96], device[32];
    if (e->track == SITU_TRACK_HOST) snprintf(name, sizeof name, "thread %llu", (unsigned long long)e->thread);
    else if (e->lane) snprintf(name, sizeof name, "%s: side by side, %d", situ_device_name(e->device, device), e->lane % LANES);
    else snprintf(name, sizeof name, "%s%s", situ_device_name(e->device, device), what[e->track]);
    fprintf(
        f, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%lld,\"args\":{\"name\":", process, (long long)row_of(e));
    put_text(f, name);
    fprintf(f, "}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%lld,\"args\":{\"sort_index\":%lld}}", process,
        (long long)row_of(e), (long long)row_of(e));
}

static void put_bar(FILE *f, const situ_trace_event *e, int process, double start, double end)
{
    situ_plain_print(f, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%lld,\"ts\":%.3f,\"dur\":%.3f,\"name\":", process,
        (long long)row_of(e), 1e6 * start, 1e6 * (end - start));
    put_text(f, e->name ? e->name : "?");
    fprintf(f, ",\"args\":{");
    if (e->site) {
        fprintf(f, "\"line\":");
        put_text(f, e->site);
    }
    if (e->bytes) fprintf(f, "%s\"bytes\":%lld", e->site ? "," : "", (long long)e->bytes);
    fprintf(f, "}}");
}

static void put_arrow(FILE *f, const situ_trace_event *e, const char *end, uint64_t number)
{
    situ_plain_print(f,
        ",\n{\"ph\":\"%s\",\"bp\":\"e\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":%llu,\"pid\":%d,\"tid\":%lld,\"ts\":%.3f}",
        end, (unsigned long long)number, HOST_PROCESS, (long long)row_of(e), 1e6 * e->start);
}

static void put_memory(FILE *f, const situ_trace_event *e)
{
    char device[32];
    situ_plain_print(f, ",\n{\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"name\":\"memory of %s\",\"args\":{\"bytes\":%lld}}",
        HOST_PROCESS, 1e6 * e->start, situ_device_name(e->device, device), (long long)e->bytes);
}

static void put_event(FILE *f, const situ_trace_event *e)
{
    if (e->track == SITU_TRACK_MEMORY) {
        put_memory(f, e);
        return;
    }
    if (e->start <= e->end) put_bar(f, e, HOST_PROCESS, e->start, e->end); /* else it is only simulated */
    if (e->virtual_end > e->virtual_start) put_bar(f, e, SIMULATED_PROCESS, e->virtual_start, e->virtual_end);
    if (e->starts) put_arrow(f, e, "s", e->starts);
    if (e->started_by) put_arrow(f, e, "f", e->started_by);
}

/* Is this the first event of its row? There are few rows, so a short list is searched. */
static bool is_new(const situ_trace_event *e, int process, int64_t *seen, int *count, int most)
{
    int64_t row = row_of(e) * 4 + process;
    for (int i = 0; i < *count; i++)
        if (seen[i] == row) return false;
    if (*count < most) seen[(*count)++] = row;
    return true;
}

static void put_all(FILE *f)
{
    enum { ROWS = 1024 };
    int64_t seen[ROWS];
    int rows = 0;
    int64_t n = ring.added < ring.most ? ring.added : ring.most;
    fprintf(
        f, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost events\":\"%lld\"},\"traceEvents\":[\n", (long long)(ring.added - n));
    fprintf(f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"time here\"}},\n", HOST_PROCESS);
    fprintf(f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"simulated time\"}}", SIMULATED_PROCESS);
    for (int64_t i = 0; i < n; i++) {
        const situ_trace_event *e = &ring.event[(ring.added - n + i) % ring.most];
        if (e->track != SITU_TRACK_MEMORY) {
            if (e->start <= e->end && is_new(e, HOST_PROCESS, seen, &rows, ROWS)) put_row_name(f, e, HOST_PROCESS);
            if (e->virtual_end > e->virtual_start && is_new(e, SIMULATED_PROCESS, seen, &rows, ROWS))
                put_row_name(f, e, SIMULATED_PROCESS);
        }
        put_event(f, e);
    }
    fprintf(f, "\n]}\n");
}

int situ_profile_save(const char *path)
{
    SITU_SPEAK_AT("situ_profile_save");
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_profile_save: no path was given");
    if (!situ_trace_on)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_profile_save: no trace is being taken; call " SITU_SAY(
                "situ_profile_start before the work", "situ.profile around the work"));
    situ_file file;
    if (!situ_file_begin(&file, path, false))
        return situ_fail(SITU_IO, NULL, "situ_profile_save: \"%s\" cannot be written: %s", path, situ_file_why(errno));
    situ_mutex_lock(&lock);
    put_all(file.stream);
    situ_mutex_unlock(&lock);
    int code = situ_file_end(&file, true);
    return code ? situ_fail(SITU_IO, NULL, "situ_profile_save: \"%s\" cannot be written: %s", path, situ_file_why(code)) : 0;
}
