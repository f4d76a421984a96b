/* Virtual files: bytes, readers and writers of the program under a path. */
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <situ/file.h>

#include "base/handle.h"
#include "base/memory.h"
#include "base/options.h"
#include "os/file.h"

struct situ_virtual_file {
    situ_handle handle;
    situ_virtual_entry file;
    situ_virtual_file_open_options o;
};

static ptrdiff_t read_more(void *self, void *to, size_t size)
{
    const situ_virtual_file *f = self;
    return (ptrdiff_t)f->o.read(f->o.self, to, (int64_t)size);
}

static int write_more(void *self, const void *from, size_t size)
{
    const situ_virtual_file *f = self;
    return f->o.write(f->o.self, from, (int64_t)size);
}

static void done(situ_virtual_entry *v)
{
    situ_virtual_file *f = v->self;
    if (f->o.release) f->o.release(f->o.self);
    situ_free((char *)(uintptr_t)v->path);
    situ_retire(f);
}

static char *path_of(const char *name)
{
    static _Atomic uint64_t made;
    size_t size = sizeof SITU_VIRTUAL + 24 + strlen(name);
    char *path = situ_malloc(size);
    if (path) snprintf(path, size, SITU_VIRTUAL "%llu/%s", (unsigned long long)atomic_fetch_add(&made, 1) + 1, name);
    return path;
}

static int check(const char *name, const situ_virtual_file_open_options *o, situ_site site)
{
    const char *wrong = NULL;
    if (!name || !*name || strchr(name, '/')) wrong = "the name is that of one file, such as \"net.safetensors\", without a folder";
    else if (o->bytes_size < 0 || (o->bytes_size && !o->bytes)) wrong = ".bytes_size says how many .bytes there are";
    else if (o->bytes && o->read) wrong = "it has .bytes or a .read, not both";
    else if (!o->bytes && !o->read && !o->write) wrong = "it needs .bytes or .read to be read, or .write to be written";
    return wrong ? situ_fail(SITU_BAD_ARGUMENT, site, "situ_virtual_file_open: %s", wrong) : 0;
}

situ_virtual_file *(situ_virtual_file_open)(const char *name, const situ_virtual_file_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_virtual_file_open", site);
    situ_virtual_file_open_options o = {SITU_DEFAULTS(SITU_VIRTUAL_FILE_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_virtual_file_open", site) || check(name, &o, site)) return NULL;
    situ_virtual_file *f = situ_calloc(1, sizeof *f);
    char *path = f ? path_of(name) : NULL;
    if (!path) {
        situ_free(f);
        return situ_fail(SITU_NO_MEMORY, site, "situ_virtual_file_open: out of host memory"), NULL;
    }
    f->handle = (situ_handle)SITU_HANDLE_NEW(VIRTUAL_FILE);
    f->o = o;
    f->file = (situ_virtual_entry){.path = path,
        .bytes = o.bytes,
        .size = (size_t)o.bytes_size,
        .lent = o.bytes && o.borrow,
        .read = o.read ? read_more : NULL,
        .write = o.write ? write_more : NULL,
        .self = f,
        .done = done};
    situ_virtual_add(&f->file);
    return f;
}

const char *situ_virtual_file_path(const situ_virtual_file *f)
{
    SITU_SPEAK_AT("situ_virtual_file_path");
    if (!f) situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_virtual_file_path: the virtual file is NULL");
    return !f || situ_ended(f, "situ_virtual_file_path", "virtual file", NULL) ? "" : f->file.path;
}

void situ_virtual_file_close(situ_virtual_file *f)
{
    situ_site site = situ_passed_site();
    SITU_SPEAK_AT("situ_virtual_file_close");
    if (!f || situ_ended(f, "situ_virtual_file_close", "virtual file", site)) return;
    if (situ_handle_end(f, site)) situ_virtual_remove(&f->file);
}
