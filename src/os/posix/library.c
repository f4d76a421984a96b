#define _GNU_SOURCE /* dladdr */
#include "os/library.h"

#include "os/fp.h"
#include "os/plain.h"
#include "os/thread.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void append(char *text, size_t n, size_t *used, const char *more)
{
    if (*used + 1 >= n) return;
    int k = snprintf(text + *used, n - *used, "%s%s", *used ? "; " : "", more);
    if (k > 0) *used += (size_t)k < n - *used ? (size_t)k : n - *used - 1;
}

void *situ_library_open(const char *const *names, char *reason, size_t n)
{
    size_t used = 0;
    if (n) reason[0] = 0;
    for (; *names; names++) {
        struct stat found;
        if (strchr(*names, '/') && !stat(*names, &found) && !S_ISREG(found.st_mode)) { /* opening a pipe would wait for ever */
            append(reason, n, &used, *names);
            append(reason, n, &used, "is no regular file");
            continue;
        }
        uint64_t word = situ_fp_save();
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        situ_fp_restore(word);
        if (library) return library;
        const char *why = situ_plain_library_reason();
        append(reason, n, &used, why ? why : *names);
    }
    return NULL;
}

static void stay(void)
{
    Dl_info info;
    if (dladdr((const void *)(uintptr_t)situ_library_stay, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void situ_library_stay(void)
{
    static situ_once once = SITU_ONCE_INIT;
    situ_call_once(&once, stay);
}

void situ_library_close(void *library)
{
    if (library) dlclose(library);
}

bool situ_library_path(const void *function, char *path, size_t n)
{
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname && snprintf(path, n, "%s", info.dli_fname) < (int)n;
}

void *situ_library_loaded(const char *name) { return dlopen(name, name ? RTLD_NOW | RTLD_NOLOAD : RTLD_NOW); }

void *situ_library_symbol(void *library, const char *name) { return dlsym(library ? library : RTLD_DEFAULT, name); }

int situ_library_symbols(void *library, const situ_symbol *list, void *table, char *reason, size_t n)
{
    size_t used = 0;
    int status = 0;
    if (n) reason[0] = 0;
    for (; list->name; list++) {
        void *symbol = dlsym(library, list->name);
        memcpy((char *)table + list->offset, &symbol, sizeof symbol);
        if (symbol || list->optional) continue;
        append(reason, n, &used, list->name);
        status = -1;
    }
    return status;
}

bool situ_library_absent(const char *reason)
{
    return strstr(reason, "No such file") || strstr(reason, "cannot open shared object");
}
