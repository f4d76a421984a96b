/* Named options of public functions: the caller's struct is merged with the defaults. */
#ifndef SITU_BASE_OPTIONS_H
#define SITU_BASE_OPTIONS_H

#include <situ/error.h>

/* Merges the caller's options (NULL: none) into `own`, which holds the defaults. False, with an error, if the caller
 * passed a value without a name. */
bool situ_take_options(void *own, size_t own_size, const void *given, const char *operation, situ_site site);
/* Merges the caller's options into o, which was defined as T o = {SITU_DEFAULTS(SITU_T_DEFAULTS)}. Result as above. */
#define SITU_TAKE_OPTIONS(o, given, operation, site) situ_take_options(&(o), sizeof(o), (given), (operation), (site))

#endif
