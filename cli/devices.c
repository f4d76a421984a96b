/* situ devices: lists the devices, and why others are missing. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <situ.h>

#include "command.h"
#include "diff.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/nccl.h"
#include "backend/sim/sim.h"
#include "group/mpi.h"
#include "os/env.h"
#include "os/plain.h"
#include "os/process.h"
#include "os/wait.h"

enum { COLUMNS = 8, MOST_ROWS = 256 };

typedef struct table {
    char cell[MOST_ROWS][COLUMNS][160];
    int rows;
    char absent[32][640];
    int absents;
    char process[MOST_ROWS][160];
    int processes;
} table;

static void size_text(int64_t bytes, char *text, size_t size)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int u = 0;
    for (; value >= 1000 && u < 4; u++) value /= 1024;
    situ_plain_format(text, size, u ? "%.1f %s" : "%.0f %s", value, unit[u]);
}

static void list_processes(table *t, situ_device d)
{
    enum { MOST = 64 };
    situ_device_process process[MOST];
    char device[32], size[32];
    int n = situ_device_processes(d, process, MOST);
    for (int i = 0; i < n && i < MOST && t->processes < MOST_ROWS; i++) {
        size_text(process[i].memory, size, sizeof size);
        snprintf(t->process[t->processes++], sizeof *t->process, "%-10s %8lld  %10s  %s", situ_device_name(d, device),
            (long long)process[i].pid, process[i].memory < 0 ? "-" : size, process[i].name[0] ? process[i].name : "-");
    }
    if (n < 0) situ_error_take(NULL); /* the table shows the device, or why it does not answer */
}

/* What the device's driver says of its power and its temperature; nothing is made up. */
static void sense(situ_device d, char *text, size_t size)
{
    double watts = NAN, celsius = NAN;
    char degrees[32] = "";
    situ_dev *dev = situ_dev_opened(d);
    if (dev) situ_cuda_sense(dev, &watts, &celsius);
    if (celsius > -300) situ_plain_format(degrees, sizeof degrees, "%s%.0f C", watts >= 0 ? ", " : "", celsius);
    if (watts >= 0) situ_plain_format(text, size, "%.0f W%s", watts, degrees);
    else snprintf(text, size, "%s", *degrees ? degrees : "-");
}

/* A simulated card of this process or of another one. */
static void list_simulated(void *self, int64_t pid, int index, const situ_sim_shown *card)
{
    table *t = self;
    char used[32], total[32], device[32], name[64];
    int64_t bytes = card->used;
    double clock = card->clock;
    if (t->processes == MOST_ROWS || (pid == situ_process_id() && !bytes)) return;
    size_text(bytes, used, sizeof used);
    size_text(card->total, total, sizeof total);
    situ_process_name(pid, name, sizeof name);
    situ_plain_format(t->process[t->processes++], sizeof *t->process,
        "%-10s %8lld  %10s  %s (simulated; of %s, busy %.0f %% of %.4g s)", situ_device_name(situ_gpu(index), device),
        (long long)pid, used, name[0] ? name : "-", total, clock > 0 ? 100 * card->busy / clock : 0, clock);
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
    if (info->utilization >= 0) situ_plain_format(cell[4], sizeof *cell, "%.0f %%", 100 * info->utilization);
    else snprintf(cell[4], sizeof *cell, "-");
    sense(d, cell[5], sizeof *cell);
    snprintf(cell[6], sizeof *cell, "%s", info->driver[0] ? info->driver : "-");
    if (d.kind != SITU_CPU && !info->simulated) list_processes(t, d);
    char known[128];
    bool measured = !info->bit_equal && cli_diff_known(info, known, sizeof known);
    snprintf(cell[7], sizeof *cell, "%s%s%s%s", info->bit_equal ? "bit-equal" : "not bit-equal", measured ? ": " : "",
        measured ? known : "", info->simulated ? ", simulated" : "");
}

static void print(const table *t)
{
    static const char *const head[COLUMNS] = {
        "device", "backend", "name", "memory used / total", "busy", "power", "driver and runtime", "results"};
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
    printf("\nprocesses on accelerators%s\n", t->processes ? ":" : ": none");
    if (t->processes) printf("  %-10s %8s  %10s  %s\n", "device", "process", "memory", "name");
    for (int i = 0; i < t->processes; i++) printf("  %s\n", t->process[i]);
}

/* Asks this MPI library for its version, in a process of its own: two MPIs have dependencies with the same names, so
 * the second one would get parts of the first. */
static bool probe(const char *name, char *text, size_t size)
{
    int end[2], status = 0;
    if (pipe(end)) return false;
    pid_t child = fork();
    if (!child) {
        situ_mpi mpi;
        char reason[200];
        bool there = situ_mpi_try(&mpi, name, reason, sizeof reason);
        char say[300];
        bool left = there && situ_mpi_has_survivors(&mpi);
        snprintf(say, sizeof say, "%s%s", there ? mpi.version : reason,
            left ? "; under mpirun --with-ft ulfm a training goes on when a rank dies" : "");
        ssize_t told = write(end[1], say, strlen(say));
        _exit(there && told > 0 ? 0 : 1);
    }
    close(end[1]);
    ssize_t length = child > 0 ? read(end[0], text, size - 1) : 0;
    text[length > 0 ? length : 0] = 0;
    close(end[0]);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void print_processes(void)
{
    char text[256];
    int found = 0;
    situ_launcher launcher = situ_launcher_of();
    const char *named = situ_env("SITU_MPI");
    printf("\nprocesses together (mpirun -n 4 PROGRAM), by MPI:\n");
    if (launcher.family) printf("  this one was started by the %s, as one of %d\n", launcher.name, launcher.size);
    if (named && strcmp(named, "none")) {
        found = 1;
        printf("  %s: %s (SITU_MPI)\n", named,
            probe(named, text, sizeof text) || text[0] ? text : "it ended the process that opened it");
    }
    for (const char *const *name = situ_mpi_names(SITU_MPI_NONE); *name; name++)
        if (probe(*name, text, sizeof text)) printf("  %s: %s\n", *name, text), found = 1;
    if (!found) {
        printf("  none: there is no");
        for (const char *const *name = situ_mpi_names(SITU_MPI_NONE); *name; name++) printf("%s%s", name[1] ? " " : " or ", *name);
        printf("; a program still finds that of the mpirun that starts it, or SITU_MPI=FILE\n");
    }
    const char *why, *nccl = situ_nccl_name(&why);
    printf("cards of processes together, by NCCL:\n  %s\n", nccl ? nccl : why);
    fflush(stdout);
}

/* What does not change while --watch looks. */
static void print_rest(const table *t)
{
    print_processes();
    if (t->absents) printf("\nabsent:\n");
    for (int i = 0; i < t->absents; i++) printf("  %s\n", t->absent[i]);
}

enum { WATCH, EVERY, TIMES };
static const cli_option options[] = {
    [WATCH] = {"watch", NULL, "shows devices and processes again and again, until Ctrl-C", 'w'},
    [EVERY] = {"every", "SECONDS", "how often --watch looks (default 1)", 0},
    [TIMES] = {"times", "N", "how many times --watch looks (default: without end)", 0},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_devices = {
    .name = "devices",
    .summary = "the devices of this machine: memory, load, driver; and why others are absent",
    .usage = "devices [options]",
    .text = "Shows every device of every backend: the name to use in programs and options, the model, memory in use\n"
            "(by everybody, where the device tells) and in all, how busy it is, power and temperature where its driver says,\n"
            "and the driver and runtime. Results are bit-equal where elementwise work and sums give the CPU's bits;\n"
            "`situ diff --operations` measures every operation. Below the table: the processes that work on accelerators\n"
            "(everybody's on NVIDIA cards, this user's on simulated ones, each of which is in its own process), which MPI there\n"
            "is for programs of several processes, which NCCL for their NVIDIA cards, and what is absent, and why.\n",
    .options = options,
    .run = run,
};

static void look(table *t)
{
    memset(t, 0, sizeof *t);
    situ_devices_visit(visit, t);
    situ_sim_boards(list_simulated, t);
}

/* Looks again, `times` times in all. */
static void watch(table *t, double every, int64_t times)
{
    for (int64_t i = 1; i < times && !fflush(stdout); i++) {
        situ_sleep((int64_t)(1e9 * every));
        look(t);
        printf(situ_is_terminal(stdout) ? "\033[H\033[2J" : "\n");
        print(t);
    }
}

static int run(int argc, char **argv)
{
    const char *value;
    int rest, got;
    bool watches = false;
    double every = 1;
    int64_t times = INT64_MAX;
    while ((got = cli_next_option(&cli_devices, argc, argv, &value, &rest)) >= 0) {
        if (got == WATCH) watches = true;
        if (got == EVERY && !cli_read_double("devices", "every", value, .01, 3600, &every)) return EXIT_USAGE;
        if (got == TIMES && !cli_read_int("devices", "times", value, 1, INT64_MAX, &times)) return EXIT_USAGE;
    }
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
    look(t);
    print(t);
    if (watches) watch(t, every, times);
    else print_rest(t);
    free(t);
    return situ_failed() ? cli_fail("devices") : EXIT_DONE;
}
