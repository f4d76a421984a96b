/* The report of a training: one HTML file that needs no other file. It is a page (page/, packed into page.bin by
 * scripts/generate.py), followed by lines of JSON in an open script element, to which the training appends. So the
 * file is a complete page at each moment, even if the process is killed. docs/report.md describes the lines. */
#ifndef SITU_TRAIN_REPORT_H
#define SITU_TRAIN_REPORT_H

#include <situ/metric.h>

#include "run/watch.h"
#include "train/fit.h"
#include "train/json.h"

typedef struct situ_report situ_report;

/* Opens a report at the path of f's trainer, or continues the open one, and writes what is trained. 0 or a negative
 * code. */
int situ_report_begin(situ_fit *f);
/* Called when a step was recorded. 1: the log should be read now. */
int situ_report_step(situ_fit *f);
/* Called when row i of the log was read; it belongs to batch number `end` of the epoch. */
void situ_report_row(situ_fit *f, int64_t i, int64_t end);
/* Makes a point of the rows that have none yet. */
void situ_report_rest(situ_fit *f);
/* Called when the whole log was read: writes the lines collected so far. */
void situ_report_read(situ_fit *f);
/* Counts held-out rows by label and largest score. */
void situ_report_confusion(situ_fit *f, situ_tensor *prediction, situ_tensor *target);
/* Called at the end of an epoch; `last`: the training ends with it. */
void situ_report_epoch(situ_fit *f, bool last);
/* For a binding that took the error, or has one of its own: the end of the report then shows it. */
void situ_report_failed(situ_trainer *t, const char *text);
/* Called when the training ended. 0, or the code of a failed write. */
int situ_report_end(situ_fit *f);
void situ_report_free(situ_report *r);

/* Private to the report's files. */
struct situ_report {
    char *path;
    situ_launch_watcher watcher;
    situ_source text; /* text that is not written yet */
    char *error;
    int failed; /* an errno: nothing more is written */
    int64_t opened_at, written_at;
    bool fresh;            /* this fit has not recorded a step yet */
    float *rate;           /* learning rate of each batch in the log */
    double sum[SITU_LOGS]; /* sums of the values for the next point ... */
    int64_t points;        /* ... and the number of batches in them */
    int64_t point_at;      /* step number of the last point */
    int64_t row_at;        /* last row that was read: its step, its learning rate, its position in epochs */
    double row_rate, row_x;
    int epoch_at;     /* epoch of the last line */
    int columns;      /* number of columns that were written */
    int64_t trace_at; /* step after which the timeline begins, -1: none */
    bool tracing;     /* the trace is being recorded now ... */
    bool owns_trace;  /* ... and this report started it */
    double traced;    /* start time of the trace */
    situ_source plan; /* memory lines of the largest plan that ran during the trace */
    uint32_t plan_steps;
    bool owns_ledger;
    double ledger_at; /* ledger entries before this time are counted */
    struct situ_ledger_line *line;
    int lines;
    situ_metric *confusion;
    int64_t classes;
    situ_source matrix; /* confusion matrix of the last epoch */
};

/* What the devices did (report_trace.c): starts the trace, ends and writes it, or drops it after an error. */
void situ_report_trace_begin(situ_report *r);
void situ_report_trace_end(situ_fit *f);
void situ_report_trace_drop(situ_report *r);
void situ_report_count(situ_report *r);
void situ_report_ledger(situ_report *r);

#endif
