/* For operations whose bits must not depend on what they are compiled with: while this is above 0, plans are made with
 * SITU_PLAN_ALONE. */
#ifndef SITU_RUN_APART_H
#define SITU_RUN_APART_H

extern _Atomic int situ_steps_apart;

#endif
