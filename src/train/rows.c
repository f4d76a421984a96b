/* Tables of the fields of a network, an optimizer and a loader that a checkpoint stores as text. */
#include <stddef.h>

#include "data/loader.h"
#include "optim/optimizer.h"
#include "train/checkpoint.h"

#define AT(T, field) offsetof(T, field)

const situ_status_row situ_checkpoint_module_rows[SITU_MODULE_ROWS] = {
    {"situ.network.calls", SITU_STATUS_INT64, AT(situ_module, steps), 0}};

const situ_status_row situ_checkpoint_optimizer_rows[SITU_OPTIMIZER_ROWS] = {
    {"situ.optimizer.steps", SITU_STATUS_INT64, AT(situ_optimizer, steps), 0},
    {"situ.optimizer.every", SITU_STATUS_INT, AT(situ_optimizer, every), 1},
    {"situ.optimizer.held", SITU_STATUS_INT, AT(situ_optimizer, held), 0},
    {"situ.optimizer.average", SITU_STATUS_DOUBLE, AT(situ_optimizer, average), 0},
    {"situ.optimizer.averaged", SITU_STATUS_INT64, AT(situ_optimizer, averaged), 0},
    {"situ.optimizer.swapped", SITU_STATUS_BOOL, AT(situ_optimizer, swapped), 0},
    {"situ.schedule.0", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[0]), 0},
    {"situ.schedule.1", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[1]), 0},
    {"situ.schedule.2", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[2]), 0},
    {"situ.schedule.3", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[3]), 0},
    {"situ.schedule.4", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[4]), 0},
    {"situ.schedule.5", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[5]), 0},
    {"situ.schedule.warmup", SITU_STATUS_INT64, AT(situ_optimizer, schedule.warmup), 0},
    {"situ.schedule.start", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.start), 0},
    {"situ.schedule.now", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.now), 0},
    {"situ.schedule.factor", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.factor), 0},
    {"situ.schedule.best", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.best), 0},
    {"situ.schedule.worse", SITU_STATUS_INT64, AT(situ_optimizer, schedule.worse), 0},
    {"situ.schedule.rest", SITU_STATUS_INT64, AT(situ_optimizer, schedule.rest), 0},
};

const situ_status_row situ_checkpoint_position_rows[SITU_PLACE_ROWS] = {
    {"situ.place.epoch", SITU_STATUS_INT64, AT(situ_loader_position, epoch), 0},
    {"situ.place.batches", SITU_STATUS_INT64, AT(situ_loader_position, batches), 0},
    {"situ.place.rows", SITU_STATUS_INT64, AT(situ_loader_position, rows), 0},
    {"situ.place.ended", SITU_STATUS_BOOL, AT(situ_loader_position, ended), 0},
};
