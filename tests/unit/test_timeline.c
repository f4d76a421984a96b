/* Traces as timelines: which clock, which lanes, which bars; files that are none. */
#include "device/trace.h"
#include "test.h"
#include "train/timeline.h"

#include <situ/error.h>
#include <situ/profile.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char trace[] =
    "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"thread 1\"}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1000128,\"ts\":3,\"dur\":1,\"name\":\"matmul\",\"args\":{}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2,\"name\":\"plan\",\"args\":{}},\n"
    "{\"ph\":\"X\",\"pid\":2,\"tid\":1,\"ts\":140,\"dur\":30.5,\"name\":\"wait for gpu(0)\",\"args\":{\"line\":\"a.c:7\"}},\n"
    "{\"ph\":\"X\",\"pid\":2,\"tid\":1,\"ts\":100,\"dur\":20,\"name\":\"wait for gpu(0)\",\"args\":{\"line\":\"a.c:7\"}},\n"
    "{\"ph\":\"X\",\"pid\":2,\"tid\":1,\"ts\":130,\"dur\":5,\"name\":\"wait for gpu(1)\",\"args\":{\"line\":\"b \\\"c\\\":9\"}},\n"
    "{\"ph\":\"X\",\"pid\":2,\"tid\":1000130,\"ts\":150,\"dur\":10,\"name\":\"upload\",\"args\":{\"line\":\"a.c:3\",\"bytes\":4000}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":1000130,\"args\":{\"name\":\"gpu(0): copies to it\"}},\n"
    "{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":1}]}\n";

static int read_text(situ_trace_view *t, const char *text, situ_clock clock)
{
    return situ_timeline_read(t, "run.json", text, strlen(text), clock);
}

TEST(simulated_time_is_taken_where_there_is_any)
{
    situ_trace_view t;
    if (!CHECK_EQ(read_text(&t, trace, SITU_CLOCK_BEST), 0)) return;
    CHECK(t.simulated && !strcmp(situ_timeline_clock(&t), "simulated time"));
    CHECK_EQ(t.bars, 4);
    CHECK_EQ(t.lanes, 2);
    CHECK_NEAR(t.seconds, 70.5e-6, 1e-12);
    const situ_timeline_bar *b = t.bar;
    CHECK(b[0].kind == SITU_BAR_WAIT && b[0].from == 0 && !strcmp(b[0].line, "a.c:7")); /* by start */
    CHECK_NEAR(b[2].from, 40e-6, 1e-12);
    CHECK(b[3].kind == SITU_BAR_COPY && b[3].lane == 1 && b[3].bytes == 4000);
    CHECK(t.lane[0].name == NULL && !strcmp(t.lane[1].name, "gpu(0): copies to it"));
    situ_timeline_waits waits[1];
    CHECK_EQ(situ_timeline_waited(&t, waits, 1), 1);
    CHECK(!strcmp(waits[0].line, "a.c:7") && waits[0].count == 2);
    CHECK_NEAR(waits[0].seconds, 50.5e-6, 1e-12);
    situ_timeline_free(&t);
}

TEST(the_other_clock_can_be_asked_for)
{
    situ_trace_view t;
    if (!CHECK_EQ(read_text(&t, trace, SITU_CLOCK_HERE), 0)) return;
    CHECK(!t.simulated && t.bars == 2 && t.lanes == 2);
    CHECK(t.bar[0].kind == SITU_BAR_HOST && t.bar[1].kind == SITU_BAR_COMPUTE && !strcmp(t.bar[1].name, "matmul"));
    CHECK_NEAR(t.bar[1].from, 2e-6, 1e-12);
    situ_timeline_free(&t);
}

TEST(what_is_no_trace_is_refused)
{
    situ_trace_view t;
    static const char *const wrong[] = {"", "[]", "{\"a\":1}", "{\"traceEvents\":7}", "{\"traceEvents\":[{\"ph\":\"X\"",
        "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":x}]}", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":-1}]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(SITU_BAD_FORMAT, read_text(&t, wrong[i], SITU_CLOCK_BEST), "run.json");
        situ_timeline_free(&t);
    }
    const char *here = "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1}]}";
    CHECK_FAILS(SITU_BAD_FORMAT, read_text(&t, here, SITU_CLOCK_SIMULATED), "no bars of simulated time");
    situ_timeline_free(&t);
}

TEST(a_trace_is_read_from_its_file_as_from_its_text)
{
    char path[64] = "/tmp/situ-timeline-XXXXXX";
    int file = mkstemp(path);
    if (!CHECK(file >= 0)) return;
    CHECK_EQ(write(file, trace, sizeof trace - 1), (ssize_t)sizeof trace - 1);
    close(file);
    situ_trace_view t;
    CHECK_EQ(situ_timeline_open(&t, path, SITU_CLOCK_BEST), 0);
    CHECK(t.bars == 4 && !strcmp(t.lane[1].name, "gpu(0): copies to it") && !strcmp(t.bar[0].line, "a.c:7"));
    situ_timeline_free(&t);
    unlink(path);
    CHECK_FAILS(SITU_IO, situ_timeline_open(&t, path, SITU_CLOCK_BEST), path);
    situ_timeline_free(&t);
}
