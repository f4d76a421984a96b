/* Number and options of simulated GPUs. */
#ifndef SITU_BACKEND_SIM_CONFIGURE_H
#define SITU_BACKEND_SIM_CONFIGURE_H

#include "backend/sim/sim.h"

extern const situ_sim_options situ_sim_defaults;

/* Slot `count` of the backend. */
int situ_sim_number(char *reason, size_t size);

#endif
