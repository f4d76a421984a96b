/* Calls of situ/profile.h. Made by scripts/generate.py from include/situ/profile.h: change that. */
#ifndef SITU_CALL_PROFILE_H
#define SITU_CALL_PROFILE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_profile_start(most) SITU_AT_(situ_profile_start, SITU_INTEGER(most))
#define situ_profile_save(path) SITU_AT_(situ_profile_save, (path))
#endif

#endif
