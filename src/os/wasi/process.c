/* A module knows of no process but itself. */
#include "os/process.h"

#include <stdlib.h>
#include <unistd.h>

int64_t situ_process_id(void) { return 1; }
bool situ_process_runs(int64_t pid) { return (void)pid, true; }

static void (*at_exit)(int status);
static void call_at_exit(void) { at_exit(0); }

void situ_process_at_exit(void (*function)(int status))
{
    at_exit = function;
    atexit(call_at_exit);
}

void situ_process_end(int status) { _Exit(status); }

bool situ_socket_send(int socket, const char *bytes, size_t size) { return (void)socket, (void)bytes, (void)size, false; }
int situ_socket_receive(int socket, char *byte) { return (void)socket, (void)byte, -1; }
bool situ_is_terminal(FILE *file) { return isatty(fileno(file)); }
bool situ_terminal_size(FILE *file, int *columns, int *rows) { return (void)file, (void)columns, (void)rows, false; }
