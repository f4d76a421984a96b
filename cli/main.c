/* The `situ` command. */
#include <situ.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "os/plain.h"

static const cli_command *const commands[] = {&cli_devices, &cli_train, &cli_report, &cli_tune, &cli_chapter, &cli_diff, &cli_data,
    &cli_info, &cli_generate, &cli_finetune, &cli_simulate, &cli_timeline, &cli_verify, &cli_emit};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct {
    bool common;
    const char *name, *values, *initial, *meaning;
} variables[] = {
#define VARIABLE(common, name, values, initial, meaning) {common, #name, values, initial, meaning},
#define DEBUG_WORD(word, bit, meaning) {true, NULL, #word, "", meaning},
#include "base/environment.def"
};

/* Lists environment variables: all, with values and defaults, or the common ones. Rows without a name are values of
 * the row before. */
static void environment(FILE *to, bool all)
{
    fprintf(to, all ? "" : "environment:\n");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (!all && !variables[i].common) continue;
        if (!variables[i].name) fprintf(to, all ? "    %-7s %s\n" : "    %-16s %s\n", variables[i].values, variables[i].meaning);
        else if (!all) fprintf(to, "  %-18s %s\n", variables[i].name, variables[i].meaning);
        else {
            fprintf(to, "%s=%s", variables[i].name, variables[i].values);
            if (*variables[i].initial) fprintf(to, "   (default: %s)", variables[i].initial);
            fprintf(to, "\n    %s\n", variables[i].meaning);
        }
    }
}

static void help(FILE *to)
{
    fprintf(to, "usage: situ COMMAND [options]\n\nsitu: deep learning in C. The commands:\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "  %-10s %s\n\n", "help",
        "this text, or that of a command (situ help train), a function of C (situ help softmax) or the environment");
    fprintf(to, "Options: --help, --version. `situ COMMAND --help` tells about a command.\n\n");
    environment(to, false);
    fprintf(to,
        "  `situ help environment` lists all of them\n\n"
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
    fprintf(stderr, "situ: there is no command %s%s%s%s\n`situ help` lists them\n", name, near ? "; did you mean " : "",
        near ? near : "", near ? "?" : "");
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
    if (asked && !strcmp(argv[2], "environment")) {
        environment(stdout, true);
        return EXIT_DONE;
    }
    bool is_command = false;
    for (int i = 0; i < COMMANDS; i++) is_command |= asked && !strcmp(commands[i]->name, argv[2]);
    if (asked && !is_command && cli_describe(argv[2])) return EXIT_DONE;
    const cli_command *command = find(asked ? argv[2] : first);
    if (!command) return EXIT_USAGE;
    if (asked) {
        cli_help(command);
        return EXIT_DONE;
    }
    int status = command->run(argc - 1, argv + 1);
    situ_shutdown(); /* so that a leak checker sees only leaks of the command */
    return status;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (!fflush(stdout) && !failed) return status;
    fprintf(stderr, "situ: the output could not be written%s%s\n", errno ? ": " : "", errno ? situ_plain_reason(errno) : "");
    return status ? status : EXIT_FAILED;
}
