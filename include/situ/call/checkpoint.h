/* Calls of situ/checkpoint.h. Made by scripts/generate.py from include/situ/checkpoint.h: change that. */
#ifndef SITU_CALL_CHECKPOINT_H
#define SITU_CALL_CHECKPOINT_H

#define SITU_CHECKPOINT_SAVE_DEFAULTS ()

#ifndef __cplusplus
#define situ_checkpoint_save(...) situ_checkpoint_save_(__VA_ARGS__, )
#define situ_checkpoint_save_(path, net, opt, loader, ...) \
    SITU_OPTIONS_(situ_checkpoint_save_options, SITU_CHECKPOINT_SAVE_DEFAULTS, situ_checkpoint_save, ((path), (net), \
    (opt), (loader),), __VA_ARGS__)
#define situ_checkpoint_load(path, net, opt, loader) (situ_checkpoint_load)((path), (net), (opt), (loader), SITU_HERE)
#endif

#endif
