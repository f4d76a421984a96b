/* This process and others on the machine: identity, whether they run, how this one ends; and sockets and terminals that
 * were passed to it. What the system does not tell is 0 or false. */
#ifndef SITU_OS_PROCESS_H
#define SITU_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Number of this process. */
int64_t situ_process_id(void);
/* Whether a process with this number exists; true if unknown. */
bool situ_process_runs(int64_t pid);
/* Calls `function` when this process ends by exit, with the exit status if the system reports it, else 0; before
 * functions registered earlier. For one caller only. */
void situ_process_at_exit(void (*function)(int status));
/* Ends this process immediately: exit handlers are not called. */
_Noreturn void situ_process_end(int status);

/* ---- others of this machine ---------------------------------------------------------------------------------------------- */

/* Number of the process that started it. */
int64_t situ_process_parent(int64_t pid);
/* Name of a process; "" for one in another container. */
void situ_process_name(int64_t pid, char *name, size_t size);
/* Path of the program that a process runs. For this process, a path that works even if the file was renamed. */
bool situ_process_program(int64_t pid, char *path, size_t size);
/* Whether a process was started with this environment variable, "NAME=value". */
bool situ_process_has_variable(int64_t pid, const char *variable);
/* Whether a process has mapped a file whose path contains this text. */
bool situ_process_maps(int64_t pid, const char *path);
/* Start time in clock ticks since the kernel's start; distinguishes a process from a later one with the same number. */
int64_t situ_process_started(int64_t pid);
/* Identifies the kernel run and PID namespace: equal for two processes that can see each other's numbers. */
bool situ_process_space(char *text, size_t size);
/* situ_process_watch: a descriptor (not 0) by which the kernel reports a process's end. */
int situ_process_watch(int64_t pid);
void situ_process_unwatch(int watch);
bool situ_process_ended(int watch);

/* ---- notices: memory that other processes of this user can read while this one runs -------------------------------------- */

/* A new notice of zeros, which lasts as long as the process; NULL: the system has no such thing. */
void *situ_notice_new(size_t size);
/* Visits the notices of all processes of this user. A child that was forked has its parent's as well. */
void situ_notice_visit(void (*visit)(void *self, int64_t pid, const void *notice), void *self, size_t size);

/* ---- sockets and terminals ----------------------------------------------------------------------------------------------- */

/* Sends all bytes to a connected socket; false on failure. A lost reader raises no signal. */
bool situ_socket_send(int socket, const char *bytes, size_t size);
/* Waits at most a millisecond for a byte: 1: it is in *byte; 0: none came; -1: the connection has ended. */
int situ_socket_receive(int socket, char *byte);

bool situ_is_terminal(FILE *file);
/* Size of a terminal in characters; false if unknown. */
bool situ_terminal_size(FILE *file, int *columns, int *rows);

#endif
