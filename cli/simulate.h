/* The training steps that `situ simulate` reads from the trace of one rank. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

enum { CLI_STEPS_TOGETHER = 8 };
typedef enum cli_bar_kind { BAR_WORK, BAR_EXCHANGE, BAR_WAIT, BAR_STEP } cli_bar_kind;
typedef struct cli_bar {
    cli_bar_kind kind;
    double start, end; /* in seconds */
    int64_t bytes;     /* sent by an exchange */
    char name[64];
} cli_bar;

typedef struct cli_steps {
    cli_bar *bar; /* sorted by start */
    int bars;
    int *first;  /* index of the first bar of each step */
    int windows; /* number of windows; each consists of several steps, since the host may be that far ahead of the work */
    bool waits;  /* exchanges run beside the work until something waits for them */
    int beside;  /* number of copies of the program that ran at the same time, on the cores of a node */
} cli_steps;

/* Reads the file written by SITU_TRACE; false with a message in `why`. */
bool cli_steps_read(const char *path, cli_steps *out, char *why, int size);
void cli_steps_free(cli_steps *s);

#endif
