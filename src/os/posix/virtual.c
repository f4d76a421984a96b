/* Virtual files: their paths, what reads them or files, and streams that write to them. */
#define _GNU_SOURCE
#include "os/file.h"

#include "os/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

bool situ_input_open(situ_input *s, const char *path, bool wait)
{
    *s = (situ_input){.file = -1, .virtual = situ_virtual_hold(path)};
    if (!s->virtual) return (s->file = open(path, O_RDONLY | O_CLOEXEC | (wait ? 0 : O_NONBLOCK))) >= 0;
    if (s->virtual->bytes || s->virtual->read) return true;
    situ_input_close(s);
    return errno = EACCES, false;
}

void situ_input_close(situ_input *s)
{
    if (s->virtual) situ_virtual_let_go(s->virtual);
    else close(s->file);
}

situ_file_kind situ_input_look(const situ_input *s, situ_file_about *about)
{
    return s->virtual ? situ_virtual_look(s->virtual, about) : situ_fd_look(s->file, about);
}

static ptrdiff_t read_virtual(situ_input *s, void *to, size_t size)
{
    const situ_virtual_entry *v = s->virtual;
    if (!v->bytes) {
        errno = EIO;
        ptrdiff_t n = v->read(v->self, to, size);
        return n <= (ptrdiff_t)size ? n : -1;
    }
    size_t n = v->size - s->at < size ? v->size - s->at : size;
    memcpy(to, (const char *)v->bytes + s->at, n);
    s->at += n;
    return (ptrdiff_t)n;
}

ptrdiff_t situ_input_read(situ_input *s, void *to, size_t size)
{
    if (s->virtual) return read_virtual(s, to, size);
    ssize_t n;
    while ((n = read(s->file, to, size)) < 0 && errno == EINTR) continue;
    return n;
}
