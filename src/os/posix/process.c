#define _GNU_SOURCE /* on_exit */
#include "os/process.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

int64_t situ_process_id(void) { return getpid(); }

bool situ_process_runs(int64_t pid) { return getpgid((pid_t)pid) >= 0 || errno != ESRCH; }

static void (*at_exit)(int status);

#ifdef __GLIBC__
static void call_at_exit(int status, void *unused)
{
    (void)unused;
    at_exit(status);
}

void situ_process_at_exit(void (*function)(int status))
{
    at_exit = function;
    on_exit(call_at_exit, NULL);
}
#else
static void call_at_exit(void) { at_exit(0); }

void situ_process_at_exit(void (*function)(int status))
{
    at_exit = function;
    atexit(call_at_exit);
}
#endif

void situ_process_end(int status) { _exit(status); }

bool situ_socket_send(int socket, const char *bytes, size_t size)
{
    return send(socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

int situ_socket_receive(int socket, char *byte)
{
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    if (poll(&ready, 1, 1) <= 0) return 0;
    return read(socket, byte, 1) == 1 ? 1 : -1;
}

bool situ_is_terminal(FILE *file) { return isatty(fileno(file)); }

bool situ_terminal_size(FILE *file, int *columns, int *rows)
{
    struct winsize size = {0};
    if (ioctl(fileno(file), TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}
