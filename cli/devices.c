/* situ devices: what there is, and why something is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "command.h"

enum { COLUMNS = 7, MOST_ROWS = 256 };

typedef struct table {
    char cell[MOST_ROWS][COLUMNS][160];
    int rows;
    char absent[32][640];
    int absents;
} table;

static void size_text(int64_t bytes, char *text, size_t size)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int u = 0;
    for (; value >= 1000 && u < 4; u++) value /= 1024;
    snprintf(text, size, u ? "%.1f %s" : "%.0f %s", value, unit[u]);
}

static void visit(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    table *t = self;
    if (!info) {
        if (t->absents < 32) snprintf(t->absent[t->absents++], sizeof *t->absent, "%s: %s", backend, reason);
        return;
    }
    if (t->rows == MOST_ROWS) return;
    char used[32], total[32], (*cell)[160] = t->cell[t->rows++];
    size_text(info->memory_used, used, sizeof used);
    size_text(info->memory_total, total, sizeof total);
    situ_device_name(d, cell[0]);
    snprintf(cell[1], sizeof *cell, "%s", backend);
    snprintf(cell[2], sizeof *cell, "%s", info->name);
    if (info->memory_total) snprintf(cell[3], sizeof *cell, "%s / %s", used, total);
    else snprintf(cell[3], sizeof *cell, "%s", info->memory_used ? used : "-");
    if (info->utilization >= 0) snprintf(cell[4], sizeof *cell, "%.0f %%", 100 * info->utilization);
    else snprintf(cell[4], sizeof *cell, "-");
    snprintf(cell[5], sizeof *cell, "%s", info->driver[0] ? info->driver : "-");
    snprintf(cell[6], sizeof *cell, "%s%s", info->bit_equal ? "bit-equal" : "not bit-equal", info->simulated ? ", simulated" : "");
}

static void print(const table *t)
{
    static const char *const head[COLUMNS] = {"device", "backend", "name", "memory used / total", "busy", "driver and runtime", "results"};
    int width[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        width[c] = (int)strlen(head[c]);
        for (int r = 0; r < t->rows; r++)
            if ((int)strlen(t->cell[r][c]) > width[c]) width[c] = (int)strlen(t->cell[r][c]);
    }
    for (int r = -1; r < t->rows; r++) {
        for (int c = 0; c < COLUMNS - 1; c++) printf("%-*s  ", width[c], r < 0 ? head[c] : t->cell[r][c]);
        printf("%s\n", r < 0 ? head[COLUMNS - 1] : t->cell[r][COLUMNS - 1]);
    }
}

static int run(int argc, char **argv);

const cli_command cli_devices = {
    .name = "devices",
    .summary = "the devices of this machine: memory, load, driver; and why others are absent",
    .usage = "devices [options]",
    .text = "Shows every device of every backend: the name to use in programs and options, the model, memory in use\n"
            "(by everybody, where the device tells) and in all, how busy it is, and the driver and runtime. Results are\n"
            "bit-equal where elementwise work and sums give the CPU's bits. Below the table: what is absent, and why.\n",
    .run = run,
};

static int run(int argc, char **argv)
{
    const char *value;
    int rest, got = cli_next_option(&cli_devices, argc, argv, &value, &rest);
    if (got == -3) return EXIT_DONE;
    if (got != -1) return EXIT_USAGE;
    if (rest < argc) {
        fprintf(stderr, "situ devices: takes no arguments, but got %s\n", argv[rest]);
        return EXIT_USAGE;
    }
    table *t = calloc(1, sizeof *t);
    if (!t) {
        fprintf(stderr, "situ devices: out of memory\n");
        return EXIT_FAILED;
    }
    situ_devices_visit(visit, t);
    print(t);
    if (t->absents) printf("\nabsent:\n");
    for (int i = 0; i < t->absents; i++) printf("  %s\n", t->absent[i]);
    free(t);
    return situ_failed() ? cli_fail("devices") : EXIT_DONE;
}
