/* Calls of situ/profile.h. Made by scripts/generate.py from include/situ/profile.h: change that. */
#ifndef SITU_CALL_PROFILE_H
#define SITU_CALL_PROFILE_H

#ifdef SITU_LINES_ /* the line of the call */
#define situ_profile_start(...) SITU_AT_(situ_profile_start, __VA_ARGS__)
#define situ_profile_save(...) SITU_AT_(situ_profile_save, __VA_ARGS__)
#endif

#endif
