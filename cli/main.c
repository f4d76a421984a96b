/* situ: the command. */
#include <situ.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

#ifndef SITU_VERSION
#define SITU_VERSION "0.1.0"
#endif

static const cli_command *const commands[] = {&cli_devices, &cli_train, &cli_tune, &cli_chapter, &cli_diff};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *to)
{
    fprintf(to, "usage: situ COMMAND [options]\n\nsitu: deep learning in C. The commands:\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "  %-10s %s\n\n", "help", "this text, or that of a command: situ help train");
    fprintf(to, "Options: --help, --version. `situ COMMAND --help` tells about a command.\n\n"
                "environment:\n"
                "  SITU_THREADS=N     threads of the CPU (default: all that this process may use)\n"
                "  SITU_DEVICE=D      the default device, as gpu(1) (default: cpu)\n"
                "  SITU_BLAS=NAME     what multiplies matrices: own, onednn, blis, openblas, mkl (default: see `situ tune`)\n"
                "  SITU_TUNING=FILE   the tuning file that `situ tune` writes and programs read\n"
                "  SITU_SIM_GPUS=N    adds N simulated GPUs\n"
                "  SITU_GPUS=NAME     gpu(i) are the devices of this backend alone: cuda, sim, opencl\n"
                "  SITU_TF32=1        products and convolutions of f32 on NVIDIA cards keep 10 bits of each factor (default: all)\n"
                "  SITU_CUBLASLT=FILE, SITU_CUDNN=FILE   what multiplies and convolves on NVIDIA cards, or none (default: where found)\n"
                "  SITU_TRACE=FILE    what ran when and where, for ui.perfetto.dev\n"
                "  SITU_DEBUG=plan    prints every plan that is made\n"
                "  SITU_DEBUG=errors  prints the first error that a program never looked at, when it ends (words may be joined: errors,plan)\n"
                "  SITU_DEBUG=nan     says which operation, at which line, made the first NaN (slow: each operation is a step of its own)\n"
                "  SITU_DEBUG=scopes  memory of closed scopes and released handles is not used again: finds who still uses them\n"
                "  NO_COLOR=1         draws without colours\n\n"
                "exit status: 0 done, 1 failed (the reason is on stderr), 2 not understood\n");
}

static const cli_command *find(const char *name)
{
    const char *names[COMMANDS + 1];
    for (int i = 0; i < COMMANDS; i++) {
        if (!strcmp(commands[i]->name, name)) return commands[i];
        names[i] = commands[i]->name;
    }
    names[COMMANDS] = "help";
    const char *near = cli_nearest(name, names, COMMANDS + 1);
    fprintf(stderr, "situ: there is no command %s%s%s%s\n`situ help` lists them\n", name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    const char *first = argv[1];
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        printf("situ %s\n", SITU_VERSION);
        return EXIT_DONE;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || (!strcmp(first, "help") && argc == 2)) {
        help(stdout);
        return EXIT_DONE;
    }
    bool asked = !strcmp(first, "help");
    const cli_command *command = find(asked ? argv[2] : first);
    if (!command) return EXIT_USAGE;
    if (asked) {
        cli_help(command);
        return EXIT_DONE;
    }
    int status = command->run(argc - 1, argv + 1);
    situ_shutdown(); /* a leak checker sees what the command left, and nothing of the library */
    return status;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (!fflush(stdout) && !failed) return status;
    fprintf(stderr, "situ: the output could not be written%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    return status ? status : EXIT_FAILED;
}
