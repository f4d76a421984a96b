/* Libraries opened at run time. */
#ifndef SITU_OS_LIBRARY_H
#define SITU_OS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The names of a library's file, of one version of its interface or of any: "libz.so.1", "libz.so". */
#ifdef __APPLE__
#define SITU_LIBRARY(name, version) "lib" name "." version ".dylib"
#define SITU_LIBRARY_ANY(name) "lib" name ".dylib"
#else
#define SITU_LIBRARY(name, version) "lib" name ".so." version
#define SITU_LIBRARY_ANY(name) "lib" name ".so"
#endif

/* Opens the first of `names` (ends with NULL) that loads. NULL: `reason` (n bytes) says why each one did not. The
 * floating-point control word is as before, whatever the library's constructors did. */
void *situ_library_open(const char *const *names, char *reason, size_t n);
void situ_library_close(void *library);
/* From now on whatever this code was linked into stays in memory, also where a program closes it: threads that sleep, and what runs
 * when a thread ends, are in it. A plugin with the static library is closed so; the shared library is linked to stay. */
void situ_library_stay(void);
/* The file of the library, or of the program, that a function is in; false: not known. */
bool situ_library_path(const void *function, char *path, size_t n);
/* A library of that name, or for NULL the program with all its libraries, that is loaded already; NULL: there is none. */
void *situ_library_loaded(const char *name);
/* The function or variable of this name in a library, for NULL in any that the program has; NULL: there is none. */
void *situ_library_symbol(void *library, const char *name);
/* Is that reason that there is no such file, rather than one that does not load? */
bool situ_library_absent(const char *reason);

/* One row per function: where its pointer goes (offset in a table of function pointers) and whether it may miss. */
typedef struct situ_symbol {
    const char *name;
    size_t offset;
    bool optional;
} situ_symbol;

/* Fills the table from a list that ends with a NULL name; optional ones that miss become NULL. Returns 0, or -1 with
 * the missing names in `reason`. */
int situ_library_symbols(void *library, const situ_symbol *list, void *table, char *reason, size_t n);

#endif
