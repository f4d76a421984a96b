/* A plugin of PJRT for tests, which is broken as the environment says:
 *
 *   FAKEPJRT=null     GetPjrtApi gives nothing           FAKEPJRT=short    the table ends too early
 *   FAKEPJRT=major    another major version              FAKEPJRT=old      a version before the oldest
 *   FAKEPJRT=missing  a function is missing              FAKEPJRT=bare     the table has no room for a version
 *   FAKEPJRT=empty    a client without devices
 *
 * With FAKEPJRT_REAL=FILE it is that plugin, of which objects are counted (count.h), without function
 * FAKEPJRT_WITHOUT, in version 0. FAKEPJRT_MINOR, and but for call number FAKEPJRT_AT (from 1 on) of function
 * FAKEPJRT_FAIL, which fails: the arguments of that call say a size of 1, which every plugin refuses. With
 * FAKEPJRT_ALWAYS all calls after it fail, too: the device is lost. FAKEPJRT_SILENT=n: function n does nothing, and
 * says that all is well. FAKEPJRT_STRICT: only structs of exactly the version's sizes (strict.h).
 * FAKEPJRT_DIALECT=chlo: texts with this dialect are not compiled, and FAKEPJRT_OPTION=NAME: none with this option.
 * FAKEPJRT_SLOW: they take a while, and the process ends with 77 if it is not over when the plugin's objects go. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count.h"
#include "strict.h"

enum { MOST = 512 };
static union {
    pjrt_table table;
    char bytes[sizeof(void *) * MOST];
} own;
static pjrt_function *real;
static int calls, fails_at;

static const char *wish(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

static pjrt_error failing(void *arguments)
{
    if (++calls == fails_at || (calls > fails_at && *wish("FAKEPJRT_ALWAYS"))) *(size_t *)arguments = 1;
    return real(arguments);
}

static pjrt_function *compiler;
static _Atomic int compiles;
static void objects_go(void)
{
    if (compiles) _exit(77);
}

static pjrt_error compile_slowly(void *arguments)
{
    static bool known;
    compiles++;
    if (!known) atexit(objects_go);
    known = true;
    usleep(300000);
    pjrt_error error = compiler(arguments);
    compiles--;
    return error;
}

static pjrt_error compile_some(void *arguments)
{
    pjrt_compile *a = arguments;
    char dialect[32];
    snprintf(dialect, sizeof dialect, "\"%.20s.", wish("FAKEPJRT_DIALECT"));
    if (memmem(a->source->code, a->source->length, dialect, strlen(dialect))) a->size = 1;
    return compiler(arguments);
}

static pjrt_error compile_without(void *arguments)
{
    pjrt_compile *a = arguments;
    const char *option = wish("FAKEPJRT_OPTION");
    if (memmem(a->options, a->options_length, option, strlen(option))) a->size = 1;
    return compiler(arguments);
}

static pjrt_error nothing(void *arguments)
{
    (void)arguments;
    return NULL;
}

static pjrt_error some_client(void *arguments)
{
    ((pjrt_client_create *)arguments)->client = (pjrt_client)(void *)&own;
    return NULL;
}

static const pjrt_table *shim(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    pjrt_get_table *get = NULL;
    void *symbol = library ? dlsym(library, "GetPjrtApi") : NULL;
    memcpy(&get, &symbol, sizeof get);
    const pjrt_table *t = get ? get() : NULL;
    if (!t || t->size > sizeof own) return NULL;
    memcpy(&own, t, t->size);
    int without = atoi(wish("FAKEPJRT_WITHOUT")), silent = atoi(wish("FAKEPJRT_SILENT")), which = atoi(wish("FAKEPJRT_FAIL"));
    strict_minor = atoi(wish("FAKEPJRT_MINOR"));
    fails_at = atoi(wish("FAKEPJRT_AT"));
    if (strict_minor) own.table.version.minor = strict_minor;
    if (*wish("FAKEPJRT_STRICT")) check_sizes(&own.table);
    count_all(&own.table);
    if (without > 0 && without < PJRT_FUNCTIONS) own.table.function[without] = NULL;
    if (silent > 0 && silent < PJRT_FUNCTIONS) own.table.function[silent] = nothing;
    compiler = own.table.function[PJRT_CLIENT_COMPILE];
    if (*wish("FAKEPJRT_DIALECT")) own.table.function[PJRT_CLIENT_COMPILE] = compile_some;
    if (*wish("FAKEPJRT_OPTION")) own.table.function[PJRT_CLIENT_COMPILE] = compile_without;
    if (*wish("FAKEPJRT_SLOW")) own.table.function[PJRT_CLIENT_COMPILE] = compile_slowly;
    if (which > 0 && which < PJRT_FUNCTIONS) {
        real = own.table.function[which];
        own.table.function[which] = failing;
    }
    return &own.table;
}

__attribute__((visibility("default"))) const pjrt_table *GetPjrtApi(void);
const pjrt_table *GetPjrtApi(void)
{
    const char *kind = wish("FAKEPJRT"), *file = wish("FAKEPJRT_REAL");
    if (*file) return shim(file);
    if (!strcmp(kind, "null")) return NULL;
    own.table = (pjrt_table){.size = sizeof own.table, .version = {sizeof own.table.version, NULL, 0, 81}};
    for (int i = 0; i < PJRT_FUNCTIONS; i++) own.table.function[i] = nothing;
    if (!strcmp(kind, "major")) own.table.version.major = 1;
    if (!strcmp(kind, "old")) own.table.version.minor = 53;
    if (!strcmp(kind, "short")) own.table.size = offsetof(pjrt_table, function) + 40;
    if (!strcmp(kind, "bare")) own.table.size = 16;
    if (!strcmp(kind, "empty")) own.table.function[PJRT_CLIENT_CREATE] = some_client;
    if (!strcmp(kind, "missing")) own.table.function[PJRT_PROGRAM_EXECUTE] = NULL;
    return &own.table;
}
