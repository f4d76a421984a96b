/* Proofs of your own training loops: a log of hashes by which `situ verify folder -- PROGRAM` repeats the loop, all of it or some
 * steps, and compares every bit (docs/proof.md). A trainer's proof is its option .proof.
 *
 *     situ_proof *proof = situ_proof_open("run1", net, opt, .loader = loader, .every = 100, .resume = true);
 *     for (int64_t epoch = situ_loader_epoch(loader); epoch < 9 && !done; situ_loader_start(loader, ++epoch))
 *         while (!done && situ_loader_next(loader) > 0) {
 *             ...                                                     // get x and y, compute the loss, step the optimizer
 *             done = situ_proof_step(proof, loss, TENSORS(x, y)) != 0;
 *         }
 *     situ_proof_close(proof, commitment);                            // char commitment[65], or NULL
 */
#ifndef SITU_PROOF_H
#define SITU_PROOF_H

#include <situ/data.h>
#include <situ/group.h>
#include <situ/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_proof situ_proof;
typedef struct SITU_BY_NAME situ_proof_open_options {
    SITU_OPTION_HEAD;
    situ_loader *loader; /* = none: the loader of the batches: its data go into the log, its position into the states */
    const char *note;    /* = none: options of the program itself, in one line; another program has another note */
    int64_t every;       /* = 0 in [0, 1e15]: steps between states from which verifying and resuming can start; 0: none are kept */
    bool resume;         /* = false: go on with the proof in the folder, from its last state, if there is one */
    situ_group *group;   /* = none: processes that run the same loop: the first one writes */
} situ_proof_open_options;
/* Begins a proof in a folder, before the first step: net has its first parameters (situ_module_init), or gets them at its first
 * call. opt may be NULL. With .resume, and under `situ verify`, it gives them the state of a file: the network, the optimizer
 * and the loader's position; a loop has to begin where these are, as in the example, or at step situ_proof_steps. NULL with an
 * error. */
SITU_API situ_proof *situ_proof_open(
    const char *folder, situ_module *net, situ_optimizer *opt, const situ_proof_open_options *options, situ_site site);
/* After each step of the optimizer, with the step's loss and its whole batch, also where several devices or processes computed
 * parts of it. Reads them only if an entry of this step is due. 0: go on; 1: verifying is done, end the loop; or a negative
 * code. */
SITU_API int situ_proof_step(situ_proof *proof, situ_tensor *loss, situ_list batch, situ_site site);
/* The steps so far, with those before a state that was loaded. */
SITU_API SITU_TOLD int64_t situ_proof_steps(const situ_proof *proof);
/* Writes the end of the log and frees the proof; network, optimizer and loader are still needed. commitment: NULL, or 65 bytes
 * for the last hash, which binds all before it and does not depend on time: the same loop has the same one. It is "" after an
 * error, under `situ verify`, and in other processes of a group than the first. 0 or a negative code. */
SITU_API int situ_proof_close(situ_proof *proof, char *commitment, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/proof.h>

#endif
