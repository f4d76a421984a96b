/* The command: what its parts share. Each command is one file with one function; main.c lists them. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One option of a command; the table of a command ends with a row without name. */
typedef struct cli_option {
    const char *name;     /* "epochs"                                                */
    const char *argument; /* "N" in the help, NULL: takes none                       */
    const char *help;
    char letter; /* its short form, or 0                                    */
} cli_option;

typedef struct cli_command {
    const char *name, *summary, *usage, *text; /* the help: usage line, then text, options, end */
    const cli_option *options;                 /* NULL: none of its own                         */
    bool arguments_follow;                     /* options end at the first argument             */
    int (*run)(int argc, char **argv);         /* argv[0] is the command's name                 */
} cli_command;

extern const cli_command cli_devices, cli_train, cli_report, cli_tune, cli_chapter, cli_diff, cli_data, cli_info, cli_generate,
    cli_finetune, cli_simulate;

/* Goes through the options of argv: index of the next one in command->options with *value its argument, -1 at the end
 * (argv[*rest] is then the first argument that is no option), -2 after a mistake that is already told: EXIT_USAGE,
 * -3 after --help: EXIT_DONE. */
int cli_next_option(const cli_command *command, int argc, char **argv, const char **value, int *rest);
/* Reads a number in a range; false with a message on stderr. */
bool cli_read_int(const char *command, const char *option, const char *text, int64_t least, int64_t most, int64_t *out);
bool cli_read_double(const char *command, const char *option, const char *text, double least, double most, double *out);
/* The name among names[0..count-1] that looks most like text, or NULL if none does. */
const char *cli_nearest(const char *text, const char *const *names, int count);
/* Prints the library's error on stderr and clears it: EXIT_FAILED. */
int cli_fail(const char *command);
void cli_help(const cli_command *command);

#endif
