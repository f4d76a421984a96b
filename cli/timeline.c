/* situ timeline: draws traces. */
#include <stdio.h>
#include <string.h>

#include <situ.h>

#include "command.h"
#include "train/page.h"

enum { OUTPUT, CLOCK, TITLE };

static const cli_option options[] = {
    [OUTPUT] = {"output", "FILE", "the page (.html) or the picture (.svg) to write", 'o'},
    [CLOCK] = {"clock", "CLOCK", "here: the time that this machine took; simulated: the simulator's, where the trace has it", 0},
    [TITLE] = {"title", "TEXT", "the title of a picture", 0},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_timeline = {
    .name = "timeline",
    .summary = "draws what each device and thread did when, from a trace",
    .usage = "timeline TRACE... -o FILE",
    .text = "Takes files that SITU_TRACE=FILE, situ_profile_save and situ.profile write, and makes one file of them that\n"
            "needs nothing else: a page (.html) to zoom into, or a picture (.svg). Each thread of the program, each device and\n"
            "its copies have a lane; waits are red and have the line that waited. Several traces come one above the other, on\n"
            "one scale.\n",
    .options = options,
    .run = run,
};

static int run(int argc, char **argv)
{
    const char *value, *output = NULL, *title = "timeline";
    situ_clock clock = SITU_CLOCK_BEST;
    int rest, got;
    while ((got = cli_next_option(&cli_timeline, argc, argv, &value, &rest)) >= 0) {
        if (got == OUTPUT) output = value;
        if (got == TITLE) title = value;
        if (got != CLOCK) continue;
        clock = !strcmp(value, "here") ? SITU_CLOCK_HERE : !strcmp(value, "simulated") ? SITU_CLOCK_SIMULATED : SITU_CLOCK_BEST;
        if (clock != SITU_CLOCK_BEST) continue;
        fprintf(stderr, "situ timeline: --clock %s; here or simulated\n", value);
        return EXIT_USAGE;
    }
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    int count = argc - rest;
    if (!output || count < 1) {
        fprintf(stderr, "situ timeline: %s; `situ timeline --help` shows how\n",
            output ? "which traces?" : "where to? -o FILE says which file to write");
        return EXIT_USAGE;
    }
    return situ_traces_draw(output, title, (const char *const *)argv + rest, count, clock) ? cli_fail("timeline") : EXIT_DONE;
}
