/* Operations whose bits must not depend on which others stand beside them: while this is above 0, plans are made with
 * SITU_PLAN_ALONE. */
#ifndef SITU_RUN_APART_H
#define SITU_RUN_APART_H

extern _Atomic int situ_steps_apart;

#endif
