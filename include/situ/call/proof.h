/* Calls of situ/proof.h. Made by scripts/generate.py from include/situ/proof.h: change that. */
#ifndef SITU_CALL_PROOF_H
#define SITU_CALL_PROOF_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_PROOF_OPEN_DEFAULTS ()

#ifndef __cplusplus
#define situ_proof_open(...) situ_proof_open_(__VA_ARGS__, )
#define situ_proof_open_(folder, net, opt, ...) \
    SITU_OPTIONS_(situ_proof_open_options, SITU_PROOF_OPEN_DEFAULTS, situ_proof_open, ((folder), \
    SITU_HANDLE(situ_module *, net), SITU_HANDLE(situ_optimizer *, opt),), \
    "situ_proof_open(folder, net, opt, .loader = ..., .note = ..., .every = ..., ...)", __VA_ARGS__)
#define situ_proof_step(proof, loss, ...) \
    (situ_proof_step)(SITU_HANDLE(situ_proof *, proof), SITU_TENSOR(loss), (__VA_ARGS__), SITU_HERE)
#define situ_proof_close(proof, commitment) \
    (situ_proof_close)(SITU_HANDLE(situ_proof *, proof), (commitment), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_proof_steps(proof) SITU_AT_(situ_proof_steps, SITU_HANDLE(const situ_proof *, proof))
#endif

#endif
