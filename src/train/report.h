/* The report of a training: one HTML file that needs nothing else. It is a page (page/, packed into page.bin by
 * scripts/generate.py), and behind it lines of JSON in an open script element, to which the training appends. So the file is a
 * whole page at each moment, also when the process was killed; docs/report.md has the lines. */
#ifndef SITU_TRAIN_REPORT_H
#define SITU_TRAIN_REPORT_H

#include <situ/metric.h>

#include "run/watch.h"
#include "train/fit.h"
#include "train/json.h"

typedef struct situ_report situ_report;

/* A report at f's trainer's path, or the one that it has; says what is trained. 0 or a negative code. */
int situ_report_begin(situ_fit *f);
/* A step was recorded. 1: what was logged should be read now. */
int situ_report_step(situ_fit *f);
/* Row i of the log was read; it ended the `end`-th batch of the epoch. */
void situ_report_row(situ_fit *f, int64_t i, int64_t end);
/* The rows so far that have no point yet get one. */
void situ_report_rest(situ_fit *f);
/* All that was logged so far was read: writes what there is. */
void situ_report_read(situ_fit *f);
/* The largest scores of held-out rows, and their labels. */
void situ_report_confusion(situ_fit *f, situ_tensor *prediction, situ_tensor *target);
/* An epoch ended; `last`: it was the last one. */
void situ_report_epoch(situ_fit *f, bool last);
/* A binding took the error, or had one of its own: the report's end says it. */
void situ_report_failed(situ_trainer *t, const char *text);
/* The training ended. 0, or the code of what could not be written. */
int situ_report_end(situ_fit *f);
void situ_report_free(situ_report *r);

/* Inside. */
struct situ_report {
    char *path;
    situ_launch_watcher watcher;
    situ_source text; /* not written yet */
    char *error;
    int failed; /* an errno: nothing more is written */
    int64_t opened_at, written_at;
    bool fresh;            /* this fit has not recorded a step yet              */
    float *rate;           /* of the learning, by batch of the log              */
    double sum[SITU_LOGS]; /* of the point that is next ... */
    int64_t points;        /* ... and so many batches                           */
    int64_t point_at;      /* the step of the last point                        */
    int64_t row_at;        /* ... of the last row, its rate, and where it is in epochs */
    double row_rate, row_x;
    int epoch_at;     /* the epoch of the last line                        */
    int columns;      /* that were told                                    */
    int64_t trace_at; /* the step after which the timeline begins, -1: none */
    bool tracing;     /* now ... */
    bool owns_trace;  /* ... by this report */
    double traced;    /* since then                                        */
    situ_source plan; /* of the largest plan that ran meanwhile            */
    uint32_t plan_steps;
    bool owns_ledger;
    double ledger_at; /* entries up to then are counted */
    struct situ_ledger_line *line;
    int lines;
    situ_metric *confusion;
    int64_t classes;
    situ_source matrix; /* of the last epoch */
};

/* What the devices did (report_trace.c): begins, ends and writes it, ends it unwritten where it goes on. */
void situ_report_trace_begin(situ_report *r);
void situ_report_trace_end(situ_fit *f);
void situ_report_trace_drop(situ_report *r);
void situ_report_count(situ_report *r);
void situ_report_ledger(situ_report *r);

#endif
