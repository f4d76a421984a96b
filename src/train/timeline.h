/* A trace (situ/profile.h, or another program's file in the Trace Event Format) as bars in lanes. */
#ifndef SITU_TRAIN_TIMELINE_H
#define SITU_TRAIN_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum situ_bar_kind { SITU_BAR_HOST, SITU_BAR_WAIT, SITU_BAR_COMPUTE, SITU_BAR_COPY, SITU_BAR_KINDS } situ_bar_kind;

typedef struct situ_timeline_bar {
    double from, to; /* seconds since the first bar */
    int lane;
    situ_bar_kind kind;
    int64_t bytes;           /* copied; 0: unknown */
    const char *name, *line; /* line: of the program, or NULL */
} situ_timeline_bar;

typedef struct situ_timeline_lane {
    int64_t process, row; /* of the file */
    const char *name;
} situ_timeline_lane;

typedef enum situ_clock { SITU_CLOCK_BEST, SITU_CLOCK_HERE, SITU_CLOCK_SIMULATED } situ_clock;

typedef struct situ_trace_view {
    const char *name;
    bool simulated; /* of the simulator's clock, not of this machine's */
    double seconds; /* from the first bar to the end of the last */
    int bars, lanes;
    situ_timeline_bar *bar;   /* by lane, then by start; an outer bar precedes those inside it */
    situ_timeline_lane *lane; /* threads of the program first, then devices */
    char *space;
} situ_trace_view;

/* Takes the bars of one clock from a trace; SITU_CLOCK_BEST: simulated time where the trace has any. `name` is kept,
 * the text ends with a zero. 0 or a negative code
 * with an error; situ_timeline_free is to be called in either case. */
int situ_timeline_read(situ_trace_view *t, const char *name, const char *text, size_t size, situ_clock clock);
/* The same of a file. */
int situ_timeline_open(situ_trace_view *t, const char *path, situ_clock clock);
void situ_timeline_free(situ_trace_view *t);
/* Writes it as a line of a report (train/page.h). */
int situ_timeline_write(const situ_trace_view *t, FILE *f);
/* "simulated time" or "time here". */
const char *situ_timeline_clock(const situ_trace_view *t);

/* The waits of one line of the program. */
typedef struct situ_timeline_waits {
    const char *line;
    int64_t count;
    double seconds;
} situ_timeline_waits;
/* The `most` lines that waited longest; returns how many there are. */
int situ_timeline_waited(const situ_trace_view *t, situ_timeline_waits *out, int most);

#endif
