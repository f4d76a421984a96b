/* Calls of situ/sim.h. Made by scripts/generate.py from include/situ/sim.h: change that. */
#ifndef SITU_CALL_SIM_H
#define SITU_CALL_SIM_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_sim_profile(name) SITU_AT_(situ_sim_profile, (name))
#define situ_sim_host_configure(...) SITU_AT_AS_IT_IS_(situ_sim_host_configure, __VA_ARGS__)
#define situ_sim_times(...) SITU_AT_AS_IT_IS_(situ_sim_times, __VA_ARGS__)
#endif

#endif
