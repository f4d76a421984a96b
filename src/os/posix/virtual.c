/* Virtual files: their paths, and streams that write to them. */
#define _GNU_SOURCE
#include "os/file.h"

#include "os/lock.h"

#include <errno.h>
#include <string.h>

SITU_LOCK(files_lock);
static situ_virtual_entry *files;

void situ_virtual_add(situ_virtual_entry *v)
{
    v->holders = 1;
    situ_mutex_lock(&files_lock);
    v->next = files;
    files = v;
    situ_mutex_unlock(&files_lock);
}

void situ_virtual_remove(situ_virtual_entry *v)
{
    situ_mutex_lock(&files_lock);
    for (situ_virtual_entry **at = &files; *at; at = &(*at)->next)
        if (*at == v) {
            *at = v->next;
            break;
        }
    situ_mutex_unlock(&files_lock);
    situ_virtual_let_go(v);
}

situ_virtual_entry *situ_virtual_hold(const char *path)
{
    if (strncmp(path, SITU_VIRTUAL, sizeof SITU_VIRTUAL - 1)) return NULL;
    situ_mutex_lock(&files_lock);
    situ_virtual_entry *v = files;
    while (v && strcmp(v->path, path)) v = v->next;
    if (v) v->holders++;
    situ_mutex_unlock(&files_lock);
    return v;
}

void situ_virtual_let_go(situ_virtual_entry *v)
{
    situ_mutex_lock(&files_lock);
    bool last = !--v->holders;
    situ_mutex_unlock(&files_lock);
    if (last) v->done(v);
}

situ_file_kind situ_virtual_look(const situ_virtual_entry *v, situ_file_about *about)
{
    if (about) *about = (situ_file_about){.number = (uintptr_t)v, .size = v->bytes ? (int64_t)v->size : 0};
    return v->bytes ? SITU_FILE_REGULAR : SITU_FILE_PIPE;
}

/* The C library names EIO, whatever errno the program's writer left. */
static bool put(situ_virtual_entry *v, const char *from, size_t size)
{
    if (!v->write(v->self, from, size)) return true;
    errno = EIO;
    return false;
}

static int end(void *file)
{
    situ_virtual_let_go(file);
    return 0;
}

#ifdef __APPLE__
static int put_all(void *file, const char *from, int size) { return put(file, from, (size_t)size) ? size : -1; }
#else
static ssize_t put_all(void *file, const char *from, size_t size) { return put(file, from, size) ? (ssize_t)size : 0; }
#endif

FILE *situ_virtual_stream(situ_virtual_entry *v)
{
    if (!v->write) return errno = EACCES, NULL;
#ifdef __APPLE__
    return funopen(v, NULL, put_all, NULL, end);
#else
    return fopencookie(v, "w", (cookie_io_functions_t){.write = put_all, .close = end});
#endif
}
