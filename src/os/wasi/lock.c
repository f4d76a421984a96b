/* Without fork no mutex has to be known. */
#include "os/lock.h"

void situ_lock_known(situ_known_lock *known, situ_mutex *lock) { (void)known, (void)lock; }
void situ_lock_forget(situ_known_lock *known) { (void)known; }
void situ_locks_each(void (*visit)(situ_mutex *lock)) { (void)visit; }
