/* Steps whose bits must not depend on which steps stand beside them: while this is above 0, devices that compile several as one do
 * not. */
#ifndef SITU_RUN_APART_H
#define SITU_RUN_APART_H

extern _Atomic int situ_steps_apart;

#endif
