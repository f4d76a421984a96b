/* Calls of situ/checkpoint.h. Made by scripts/generate.py from include/situ/checkpoint.h: change that. */
#ifndef SITU_CALL_CHECKPOINT_H
#define SITU_CALL_CHECKPOINT_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_CHECKPOINT_SAVE_DEFAULTS ()

#ifndef __cplusplus
#define situ_checkpoint_save(...) situ_checkpoint_save_(__VA_ARGS__, )
#define situ_checkpoint_save_(path, net, opt, loader, ...) \
    SITU_OPTIONS_(situ_checkpoint_save_options, SITU_CHECKPOINT_SAVE_DEFAULTS, situ_checkpoint_save, ((path), \
    SITU_HANDLE(situ_module *, net), SITU_HANDLE(situ_optimizer *, opt), SITU_HANDLE(situ_loader *, loader),), \
    "situ_checkpoint_save(path, net, opt, loader, .metadata = ...)", __VA_ARGS__)
#define situ_checkpoint_load(path, net, opt, loader) \
    (situ_checkpoint_load)((path), SITU_HANDLE(situ_module *, net), SITU_HANDLE(situ_optimizer *, opt), \
    SITU_HANDLE(situ_loader *, loader), SITU_HERE)
#endif

#endif
