/* This process and others of the machine: what they are, whether they run, how this one ends; and sockets and terminals that it was
 * given. What the system does not say is 0 or false. */
#ifndef SITU_OS_PROCESS_H
#define SITU_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* This one's number. */
int64_t situ_process_id(void);
/* Is there a process of that number? True if nobody can say. */
bool situ_process_runs(int64_t pid);
/* Calls the function once when this process ends by exit, with its status where the system tells it, else 0; before what was asked
 * for earlier. For one caller. */
void situ_process_at_exit(void (*function)(int status));
/* Ends this process at once: no function that waits for its end is called. */
_Noreturn void situ_process_end(int status);

/* ---- others of this machine ---------------------------------------------------------------------------------------------- */

/* The process that started it. */
int64_t situ_process_parent(int64_t pid);
/* What the system calls it; "" for one of another container. */
void situ_process_name(int64_t pid, char *name, size_t size);
/* The path of the program that it runs; of this process, one that leads there also where its file has another name by now. */
bool situ_process_program(int64_t pid, char *path, size_t size);
/* Was it started with this variable, "NAME=value"? */
bool situ_process_has_variable(int64_t pid, const char *variable);
/* Has it a file whose path contains this text in its memory? */
bool situ_process_maps(int64_t pid, const char *path);
/* When it began, in ticks since the kernel did, which tells it from a later one of its number. */
int64_t situ_process_started(int64_t pid);
/* Text that two processes have in common if they see each other's numbers: of the same run of a kernel. */
bool situ_process_space(char *text, size_t size);
/* A descriptor, not 0, by which the kernel tells its end; and has it? */
int situ_process_watch(int64_t pid);
void situ_process_unwatch(int watch);
bool situ_process_ended(int watch);

/* ---- sockets and terminals ----------------------------------------------------------------------------------------------- */

/* Sends all of it to a connected socket; false: that failed. No signal comes if the reader is gone. */
bool situ_socket_send(int socket, const char *bytes, size_t size);
/* Waits for a byte, a millisecond at most: 1, it is in *byte; 0: none came; -1: there will be no more. */
int situ_socket_receive(int socket, char *byte);

bool situ_is_terminal(FILE *file);
/* How many characters it shows; false: nobody says. */
bool situ_terminal_size(FILE *file, int *columns, int *rows);

#endif
