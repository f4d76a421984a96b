/* What the parts of `situ simulate` share. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "exchange.h"
#include "train/timeline.h"

/* ---- the training steps of a trace (simulate_trace.c) ---------------------------------------------------------------------- */

enum { CLI_STEPS_TOGETHER = 8, CLI_MOST_COUNTS = 32 };
typedef enum cli_bar_kind { BAR_WORK, BAR_EXCHANGE, BAR_WAIT, BAR_STEP } cli_bar_kind;
typedef struct cli_bar {
    cli_bar_kind kind;
    double start, end; /* in seconds */
    int64_t bytes;     /* sent by an exchange */
    const char *name;  /* the trace's */
} cli_bar;

typedef struct cli_steps {
    situ_trace_view trace;
    cli_bar *bar; /* sorted by start */
    int bars;
    int *first;  /* index of the first bar of each step */
    int windows; /* number of windows; each consists of several steps, since the host may be that far ahead of the work */
    bool waits;  /* exchanges run beside the work until something waits for them */
    int beside;  /* number of copies of the program that ran at the same time, on the cores of a node */
    int ranks;   /* of so many it was one */
} cli_steps;

/* Reads the file written by SITU_TRACE; false with a message in `why`. */
bool cli_steps_read(const char *path, cli_steps *out, char *why, int size);
void cli_steps_free(cli_steps *s);

/* ---- data, tensors and layers (simulate_plan.c) ---------------------------------------------------------------------------- */

typedef struct cli_plan {
    double data, tensor, pipeline, interleaved, zero, micro; /* numbers of parts; ZeRO's stage; rows of a batch in the pipeline */
    double layers, hidden, sequence, vocabulary, batch;      /* of a Transformer */
} cli_plan;

typedef struct cli_planned {
    double step, computing, tensor, pipeline, bubble, data; /* seconds; of a step */
    double parameters, flops, memory;                       /* flops: of a card, in each second */
} cli_planned;

bool cli_read_plan(cli_plan *p, const char *text);
bool cli_read_model(cli_plan *p, const char *text);
/* What is wrong with it on this cluster; NULL: nothing. */
const char *cli_plan_wrong(const cli_plan *p, const situ_cluster *c);
cli_planned cli_predict_plan(const cli_plan *p, const situ_cluster *c, bool recompute);

/* ---- what is asked for ------------------------------------------------------------------------------------------------------- */

typedef struct cli_simulation {
    const char *cluster, *beside, *trace, *save, *from; /* paths */
    situ_cluster *c;
    int cards[CLI_MOST_COUNTS], counts;
    cli_way way;
    cli_collective what;
    double bytes;
    char **program;
    bool grows, json; /* grows: the batch grows with the number of cards */
    /* a step that was measured elsewhere */
    double step, gradient, backward; /* seconds; bytes; the share of the step in which gradients come */
    int64_t accumulate, rows, steps; /* batches summed before an exchange; rows of a card; steps of the training */
    double row, spread;              /* bytes of a line that is read; largest distance of the quartiles of steps, in percent */
    bool halves, recompute;          /* gradients of 16 bits; the forward pass is done again */
    double parameters;               /* for the memory that a card needs */
    cli_plan plan;
    bool planned; /* a plan is given */
    int64_t zero; /* what cards share of the optimizer's state, gradients and parameters: ZeRO's stages 0 to 3 */
} cli_simulation;

/* Cards of a node. */
static inline int cli_on_node(const cli_simulation *s, int n) { return n < s->c->cards ? n : s->c->cards; }

/* ---- running the program (simulate_run.c) ---------------------------------------------------------------------------------- */

bool cli_has_brace(const char *argument); /* such as {32} */
/* Number of processes of a node to run at the same time: all, if there are as many cores here as they share. */
int cli_together(const cli_simulation *s, int n);
/* Runs the program as the first of `ranks` ranks, `beside` copies at the same time, and reads the trace of one. */
bool cli_measure(const cli_simulation *s, int ranks, int beside, cli_steps *out);

/* ---- predictions (simulate_step.c) ----------------------------------------------------------------------------------------- */

typedef struct cli_prediction {
    double step, work, exchange; /* seconds */
    double usual, late;          /* the median, and what 95 of 100 steps do not exceed, with jitter; equal to step without */
    double spread;               /* the distance of the quartiles of the measured steps, as a share of the median */
    int which, line;             /* index of the window; of the text: what limits the exchange */
    cli_way taken;
} cli_prediction;

/* From a trace; `drawn` cards are drawn of the window `which`, -1: of none. */
bool cli_predict(const cli_simulation *s, const cli_steps *t, int n, cli_prediction *out);
void cli_draw(const cli_simulation *s, const cli_steps *t, int which, int n, int drawn);
/* From a step that was measured. */
cli_prediction cli_predict_step(const cli_simulation *s, int n);

/* What a training needs beside its steps. */
typedef struct cli_totals {
    double seconds, useful; /* of the whole training; the share that is not lost to failures and checkpoints */
    double interval;        /* seconds between checkpoints, the best */
    double energy, price;   /* kWh; as the text counts money */
    double memory;          /* bytes of a card: parameters, gradients and the optimizer's state */
} cli_totals;
cli_totals cli_total(const cli_simulation *s, int n, double step);
/* Seconds between checkpoints that lose least (Daly), and the share of the time that is then useful. */
double cli_best_interval(double failures, double checkpoint);
double cli_useful(double failures, double checkpoint, double restart, double interval);

#endif
