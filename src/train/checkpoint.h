/* Inside of checkpoints: their contents, and how the trainer saves them to its folder. */
#ifndef SITU_TRAIN_CHECKPOINT_H
#define SITU_TRAIN_CHECKPOINT_H

#include <situ/checkpoint.h>

#include "train/status.h"

enum { SITU_MODULE_ROWS = 1, SITU_OPTIMIZER_ROWS = 19, SITU_PLACE_ROWS = 4 };
extern const situ_status_row situ_checkpoint_module_rows[SITU_MODULE_ROWS];       /* fields of a situ_module */
extern const situ_status_row situ_checkpoint_optimizer_rows[SITU_OPTIMIZER_ROWS]; /* fields of a situ_optimizer */
extern const situ_status_row situ_checkpoint_position_rows[SITU_PLACE_ROWS];      /* fields of a situ_loader_position */

/* Collects the state of these objects; loader and opt may be NULL. `before`: the state before the last batch of the
 * loader. */
void situ_checkpoint_gather(situ_status *s, situ_module *net, situ_optimizer *opt, const situ_loader *loader, bool before);
/* Checks that the file is a checkpoint and fits these objects. 0 or a negative code; the message lists all
 * differences, beginning with those already in `text` (size bytes). */
int situ_checkpoint_check(situ_archive *a, situ_module *net, const situ_optimizer *opt, const situ_loader *loader, char *text,
    size_t size, const char *function, situ_site site);
/* Loads the state into the objects, all of it or nothing; called after the check. 0 or a negative code (restore.c). */
int situ_checkpoint_give(
    situ_archive *a, situ_module *net, situ_optimizer *opt, situ_loader *loader, const char *function, situ_site site);

#endif
