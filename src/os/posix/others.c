/* POSIX says nothing about other processes, and WASI has none. */
#include "os/process.h"

#ifdef __wasi__
int64_t situ_process_parent(int64_t pid) { return (void)pid, 0; }
#else
#include <unistd.h>

int64_t situ_process_parent(int64_t pid) { return pid == getpid() ? getppid() : 0; }
#endif
int64_t situ_process_started(int64_t pid) { return (void)pid, 0; }
void situ_process_name(int64_t pid, char *name, size_t size) { (void)pid, (void)size, *name = 0; }
bool situ_process_program(int64_t pid, char *path, size_t size) { return (void)pid, (void)path, (void)size, false; }
bool situ_process_has_variable(int64_t pid, const char *variable) { return (void)pid, (void)variable, false; }
bool situ_process_maps(int64_t pid, const char *path) { return (void)pid, (void)path, false; }
bool situ_process_space(char *text, size_t size) { return (void)text, (void)size, false; }
int situ_process_watch(int64_t pid) { return (void)pid, 0; }
void situ_process_unwatch(int watch) { (void)watch; }
void *situ_notice_new(size_t size) { return (void)size, NULL; }
void situ_notice_visit(void (*visit)(void *self, int64_t pid, const void *notice), void *self, size_t size)
{
    (void)visit, (void)self, (void)size;
}
bool situ_process_ended(int watch) { return (void)watch, false; }
