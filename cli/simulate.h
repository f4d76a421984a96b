/* What `situ simulate` takes from the trace of a program: one step of its training, as one rank did it. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

enum { CLI_STEPS_TOGETHER = 8 };
typedef enum cli_bar_kind { BAR_WORK, BAR_EXCHANGE, BAR_WAIT, BAR_STEP } cli_bar_kind;
typedef struct cli_bar {
    cli_bar_kind kind;
    double start, end; /* seconds */
    int64_t bytes;     /* that an exchange sent */
    char name[64];
} cli_bar;

typedef struct cli_steps {
    cli_bar *bar; /* by start */
    int bars;
    int *first;  /* the bar with which each step begins */
    int windows; /* of so many steps together: the host may be as far ahead of the work */
    bool waits;  /* exchanges go on beside the work, until somebody waits for them */
    int beside;  /* so many of the program ran at the same time, on the cores of a node */
} cli_steps;

/* Reads the file that SITU_TRACE wrote; false with a message in `why`. */
bool cli_steps_read(const char *path, cli_steps *out, char *why, int size);
void cli_steps_free(cli_steps *s);

#endif
