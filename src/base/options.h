/* Options by name, as the public functions take them: a caller's struct over the defaults. */
#ifndef SITU_BASE_OPTIONS_H
#define SITU_BASE_OPTIONS_H

#include <situ/error.h>

/* Lays the caller's options (NULL: none) over the defaults in `own`. False, with an error, if a value has no name. */
bool situ_take_options(void *own, size_t own_size, const void *given, const char *operation, situ_site site);
/* T o = {SITU_DEFAULTS(SITU_T_DEFAULTS)}; then the caller's: false as above. */
#define SITU_TAKE_OPTIONS(o, given, operation, site) situ_take_options(&(o), sizeof(o), (given), (operation), (site))

#endif
