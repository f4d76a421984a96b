/* Number and options of simulated GPUs. */
#ifndef SITU_BACKEND_SIM_CONFIGURE_H
#define SITU_BACKEND_SIM_CONFIGURE_H

#include "backend/sim/sim.h"

/* The device, if it is simulated; NULL with an error. */
situ_dev *situ_sim_opened(situ_device d, const char *call);

/* Slots `count` and `cpu_opened` of the backend. */
int situ_sim_number(char *reason, size_t size);
void situ_sim_beside_cpu(void);
/* How many there are. */
int situ_sim_count_now(void);

#endif
