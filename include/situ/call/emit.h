/* Calls of situ/emit.h. Made by scripts/generate.py from include/situ/emit.h: change that. */
#ifndef SITU_CALL_EMIT_H
#define SITU_CALL_EMIT_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_EMIT_DEFAULTS ()
#define SITU_EMIT_TRAIN_DEFAULTS ()

#ifndef __cplusplus
#define situ_emit(...) situ_emit_(__VA_ARGS__, )
#define situ_emit_(net, path, inputs, ...) \
    SITU_OPTIONS_(situ_emit_options, SITU_EMIT_DEFAULTS, situ_emit, (SITU_HANDLE(situ_module *, net), (path), \
    (inputs),), "situ_emit(net, path, TENSORS(a, b), .name = ...)", __VA_ARGS__)
#define situ_emit_train(...) situ_emit_train_(__VA_ARGS__, )
#define situ_emit_train_(opt, path, inputs, target, ...) \
    SITU_OPTIONS_(situ_emit_train_options, SITU_EMIT_TRAIN_DEFAULTS, situ_emit_train, (SITU_HANDLE(situ_optimizer *, \
    opt), (path), (inputs), SITU_TENSOR(target),), \
    "situ_emit_train(opt, path, TENSORS(a, b), target, .name = ..., .loss = ...)", __VA_ARGS__)
#endif

#endif
