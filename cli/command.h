/* What the parts of the command share. Each subcommand is one file with one function; main.c lists them. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* An option of a subcommand; a table of options ends with a row without name. */
typedef struct cli_option {
    const char *name;     /* such as "epochs" */
    const char *argument; /* name of its argument in the help, NULL: it has none */
    const char *help;
    char letter; /* one-letter form, or 0 */
} cli_option;

typedef struct cli_command {
    const char *name, *summary, *usage, *text; /* parts of the help: usage line, then text, options, end */
    const cli_option *options;                 /* NULL: no options of its own */
    bool takes_arguments;                      /* parsing of options ends at the first argument */
    int (*run)(int argc, char **argv);         /* argv[0] is the subcommand's name */
} cli_command;

extern const cli_command cli_devices, cli_train, cli_report, cli_tune, cli_chapter, cli_diff, cli_data, cli_info, cli_generate,
    cli_finetune, cli_simulate, cli_timeline, cli_verify, cli_emit;

/* Parses the next option of argv. Returns its index in command->options, with its argument in *value; -1 at the end
 * (argv[*rest] is the first argument that is no option); -2 after a mistake, already reported: EXIT_USAGE; -3 after
 * --help: EXIT_DONE. */
int cli_next_option(const cli_command *command, int argc, char **argv, const char **value, int *rest);
/* Parses a number in a range; false with a message on stderr. */
bool cli_read_int(const char *command, const char *option, const char *text, int64_t least, int64_t most, int64_t *out);
bool cli_read_double(const char *command, const char *option, const char *text, double least, double most, double *out);
/* The most similar of names[0..count-1] to text, or NULL if none is similar. */
const char *cli_nearest(const char *text, const char *const *names, int count);
/* Prints the library's error on stderr and clears it: EXIT_FAILED. */
int cli_fail(const char *command);
void cli_help(const cli_command *command);
/* Prints what the reference says about a function, with or without the prefix situ_; false: it is unknown. */
bool cli_describe(const char *name);

/* situ tune --profile FILE (tune_profile.c). */
int cli_tune_profile(const char *path);

/* The least size from `low` on at which the ratio of two times is 1 at most, by halving: the sizes below have greater
 * ones. It is found to that size, or to a factor `within`; 0: `low` has it already, or `high` has not (crossing.c). */
int64_t row_crossing(double (*ratio)(int64_t size), int64_t low, int64_t high, double within);

/* situ chapter --times (chapter_times.c): runs a row so often, prints its figures, and returns how many do not hold. */
int cli_chapter_times(int runs, int row, bool (*run)(int row), void (*print_title)(int row));

#endif
