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
/* Writes parameters and running moments, the key and the number of calls that dropout goes by, the optimizer's moments, steps,
 * hyper-parameters, groups, averages and held gradients, its schedule, and the loader's place in its epoch. opt and loader may be
 * NULL. It waits for what was computed, and until the file is on the disk. 0 or a negative code; then what was there before is
 * whole. */
SITU_API int situ_checkpoint_save(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader,
    const situ_checkpoint_save_options *options, situ_site site);
/* Gives them all what they had, on whatever devices they are: a network that may not have been called yet, an optimizer of the same
 * kind, a loader of the same data in the same order; hyper-parameters and schedule are those of the file, except a schedule that is
 * a function, which has to be set before. The next batch of the loader is the one after those that it had given. What differs is
 * an error that says so, and changes nothing. NULL for opt or loader leaves that part of the file out. 0 or a negative code. */
SITU_API int situ_checkpoint_load(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/checkpoint.h>

#endif
