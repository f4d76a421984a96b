/* Checkpoints inside: what goes into one, and the trainer's folder of them. */
#ifndef SITU_TRAIN_CHECKPOINT_H
#define SITU_TRAIN_CHECKPOINT_H

#include <situ/checkpoint.h>

#include "train/status.h"

enum { SITU_MODULE_ROWS = 1, SITU_OPTIMIZER_ROWS = 19, SITU_PLACE_ROWS = 4 };
extern const situ_status_row situ_checkpoint_module_rows[SITU_MODULE_ROWS];       /* of a situ_module */
extern const situ_status_row situ_checkpoint_optimizer_rows[SITU_OPTIMIZER_ROWS]; /* of a situ_optimizer */
extern const situ_status_row situ_checkpoint_place_rows[SITU_PLACE_ROWS];         /* of a situ_loader_place */

/* The state of these; loader and opt may be NULL. `before`: the batch that the loader gave last does not count. */
void situ_checkpoint_gather(situ_status *s, situ_module *net, situ_optimizer *opt, const situ_loader *loader, bool before);
/* Is this a checkpoint, and does it fit? 0 or a negative code with what differs; `text` (size bytes) has differences that were
 * found before. */
int situ_checkpoint_check(situ_archive *a, situ_module *net, const situ_optimizer *opt, const situ_loader *loader, char *text,
    size_t size, const char *function, situ_site site);
/* Gives them their state, all of it or nothing; after the check. 0 or a negative code (restore.c). */
int situ_checkpoint_give(
    situ_archive *a, situ_module *net, situ_optimizer *opt, situ_loader *loader, const char *function, situ_site site);

#endif
