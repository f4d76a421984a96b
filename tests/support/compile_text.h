/* Compiles source text with the system's C compiler and opens it, for tests of the text generator.
 *
 *     void *library = compile_text(text, "name");     // NULL: the test has failed
 *     kernel_function run = compiled_function(library, "k0");
 *     dlclose(library);
 */
#ifndef SITU_TEST_COMPILE_TEXT_H
#define SITU_TEST_COMPILE_TEXT_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/dialect_c.h"
#include "test.h"

typedef void (*kernel_function)(char *const *address, const uint64_t *argument);

static inline bool have_compiler(void) { return system("${SITU_TEST_CC:-cc} --version >/dev/null 2>&1") == 0; }

static inline void *compile_text(const char *text, const char *name)
{
    char source[512], library[512], command[2048];
    snprintf(source, sizeof source, "%s.c", test_path(name));
    snprintf(library, sizeof library, "%s.so", test_path(name));
    FILE *file = fopen(source, "w");
    if (!CHECK(file != NULL)) return NULL;
    bool written = fputs(text, file) >= 0;
    if (!CHECK(!fclose(file) && written)) return NULL;
    snprintf(command, sizeof command, "${SITU_TEST_CC:-cc} -O2 -w %s -shared -fPIC -o '%s' '%s' -lm", dialect_c.options, library,
             source);
    if (!CHECK(system(command) == 0)) return NULL;
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!opened) printf("  %s\n", dlerror());
    CHECK(opened != NULL);
    return opened;
}

static inline kernel_function compiled_function(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    kernel_function function = NULL;
    if (CHECK(symbol != NULL)) memcpy(&function, &symbol, sizeof function);
    return function;
}

#endif
