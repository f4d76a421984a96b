/* situ report: joins several training reports, and traces, into one. */
#include <stdio.h>

#include <situ.h>

#include "command.h"

enum { OUTPUT };

static const cli_option options[] = {
    [OUTPUT] = {"output", "FILE", "the report to write", 'o'},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_report = {
    .name = "report",
    .summary = "puts reports of several trainings into one, which compares them",
    .usage = "report FILE... -o FILE",
    .text =
        "Takes reports as `situ train --report FILE` and trainers write them, also of trainings that still run or were killed,\n"
        "and writes one HTML file with all of them: their curves in common charts, their settings side by side. Traces of\n"
        "programs (SITU_TRACE) may be among them: their timelines come one above the other, on one scale.\n",
    .options = options,
    .run = run,
};

static int run(int argc, char **argv)
{
    const char *value, *output = NULL;
    int rest, got;
    while ((got = cli_next_option(&cli_report, argc, argv, &value, &rest)) >= 0) output = value;
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    if (!output || rest == argc) {
        fprintf(stderr, "situ report: %s; `situ report --help` shows how\n",
            output ? "which reports?" : "where to? -o FILE says which file to write");
        return EXIT_USAGE;
    }
    if (situ_report_join(output, (const char *const *)argv + rest, argc - rest)) return cli_fail("report");
    return EXIT_DONE;
}
