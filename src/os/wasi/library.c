/* A WebAssembly module loads no libraries. */
#include "os/library.h"

#include <stdio.h>

void *situ_library_open(const char *const *names, char *reason, size_t n)
{
    (void)names;
    if (n) snprintf(reason, n, "WebAssembly loads no libraries");
    return NULL;
}

void situ_library_stay(void) {}
void situ_library_close(void *library) { (void)library; }
bool situ_library_path(const void *function, char *path, size_t n) { return (void)function, (void)path, (void)n, false; }
void *situ_library_loaded(const char *name) { return (void)name, NULL; }
void *situ_library_symbol(void *library, const char *name) { return (void)library, (void)name, NULL; }
bool situ_library_absent(const char *reason) { return (void)reason, true; }

int situ_library_symbols(void *library, const situ_symbol *list, void *table, char *reason, size_t n)
{
    (void)library, (void)table;
    if (n) snprintf(reason, n, "%s", list->name ? list->name : "");
    return list->name ? -1 : 0;
}
