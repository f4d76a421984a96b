/* Checkpoints: the whole state of a training in one file, from which it goes on bit for bit as if it had never been interrupted.
 *
 *     situ_trainer *trainer = situ_trainer_new(.max_epochs = 90, .checkpoint = "run1", .resume = true);
 *     situ_trainer_fit(trainer, net, opt, train, held_out);       // the same program, started again, goes on where it was
 *
 * and for loops of your own:
 *
 *     if (there_is_a_file) situ_checkpoint_load("run.safetensors", net, opt, loader);
 *     for (int64_t epoch = situ_loader_epoch(loader); epoch < 90; situ_loader_start(loader, ++epoch)) {
 *         while (situ_loader_next(loader) > 0) ...;
 *         situ_checkpoint_save("run.safetensors", net, opt, loader);
 *     }
 *
 * A checkpoint is a file of safetensors. The parameters have their names in it, so that situ_module_load reads them out of it, and
 * so does any other reader of the format; the names of everything else begin with "situ/", the texts' with "situ.".
 */
#ifndef SITU_CHECKPOINT_H
#define SITU_CHECKPOINT_H

#include <situ/data.h>
#include <situ/file.h>
#include <situ/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_checkpoint_save_options {
    SITU_OPTION_HEAD;
    const char *metadata; /* = none: texts of your own, as in situ_save; situ_archive_metadata reads them */
} situ_checkpoint_save_options;
/* Writes parameters and running moments, the key and the number of calls on which dropout depends, the optimizer's moments, steps,
 * hyper-parameters, groups, averages and held gradients, its schedule, and the loader's position in its epoch. opt and loader may
 * be NULL. Waits until everything is computed and the file is on disk. 0 or a negative code; then the old file, if any, is
 * complete. */
SITU_API int situ_checkpoint_save(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader,
    const situ_checkpoint_save_options *options, situ_site site);
/* Restores their state, whatever devices they are on: the network may not have been called yet, the optimizer has to be of the same
 * kind, the loader has to have the same data in the same order. Hyper-parameters and schedule come from the file, except a schedule
 * that is a function, which has to be set before. The loader's next batch is the one after the last that it had given. A difference
 * is an error that says what differs, and nothing is changed. NULL for opt or loader skips that part of the file. 0 or a negative
 * code. */
SITU_API int situ_checkpoint_load(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/checkpoint.h>

#endif
