/* Libraries opened at run time. */
#ifndef SITU_OS_LIBRARY_H
#define SITU_OS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* File names of a library: of one version of its interface ("libz.so.1"), or of any ("libz.so"). */
#ifdef __APPLE__
#define SITU_LIBRARY(name, version) "lib" name "." version ".dylib"
#define SITU_LIBRARY_ANY(name) "lib" name ".dylib"
#else
#define SITU_LIBRARY(name, version) "lib" name ".so." version
#define SITU_LIBRARY_ANY(name) "lib" name ".so"
#endif

/* Opens the first of `names` (ends with NULL) that loads. NULL if none does: `reason` (n bytes) says why, for each. The
 * floating-point control word is unchanged, whatever the library's constructors did. */
void *situ_library_open(const char *const *names, char *reason, size_t n);
void situ_library_close(void *library);
/* From now on the binary that contains this code stays in memory, even if the program closes it, because sleeping
 * threads and the destructors of thread-locals execute it. Needed for plugins that contain the static library; the
 * shared library is linked so that it stays. */
void situ_library_stay(void);
/* Path of the library or program that contains a function; false if unknown. */
bool situ_library_path(const void *function, char *path, size_t n);
/* Handle of a library that is loaded already, by its name; NULL as name: the program with all its libraries. NULL if it
 * is not loaded. */
void *situ_library_loaded(const char *name);
/* A function or variable of a library; library NULL: of anything loaded in the program. NULL if there is none. */
void *situ_library_symbol(void *library, const char *name);
/* Whether a reason of situ_library_open means that the file does not exist, rather than that it does not load. */
bool situ_library_absent(const char *reason);

/* One function to look up: where its pointer goes (offset in a table of function pointers), and whether it may be
 * missing. */
typedef struct situ_symbol {
    const char *name;
    size_t offset;
    bool optional;
} situ_symbol;

/* Fills the table from a list that ends with a NULL name. Missing optional functions become NULL. Returns 0, or -1 with
 * the names of the missing ones in `reason`. */
int situ_library_symbols(void *library, const situ_symbol *list, void *table, char *reason, size_t n);

#endif
