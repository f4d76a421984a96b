/* A proof: a log of hashes of a training (proof_log.h), and states from which parts of it can be repeated. While `situ verify` runs
 * the program, SITU_VERIFY names the file of a plan; then nothing is written, and what is computed is compared with the log. */
#ifndef SITU_TRAIN_PROOF_H
#define SITU_TRAIN_PROOF_H

#include <situ/proof.h>

#include "base/handle.h"
#include "train/fit.h"
#include "train/proof_log.h"

/* The steps of the first two entries, which decide how many steps are between entries aside; and the steps between entries that
 * every run has, whatever time it took. */
enum { SITU_PROOF_FIRST = 1, SITU_PROOF_SECOND = 17, SITU_PROOF_GRID = 5000 };

/* A range of steps to repeat: from the state after step `from` (0: from the beginning) to the entry of step `to`. */
typedef struct situ_proof_range {
    int64_t from, to;
} situ_proof_range;

struct situ_proof {
    situ_handle handle;
    char *folder, *told;   /* told: verifying: the file for what was found */
    bool verifies, writes; /* writes: this rank does */
    bool differs;
    situ_proof_log log;      /* verifying: what was proved */
    situ_proof_range *range; /* verifying: what to repeat */
    int64_t ranges, now;
    bool jump;   /* the present range is done */
    bool to_end; /* the last range goes up to the end of the training */
    char hash[SITU_SHA256_TEXT];
    int64_t last, chained;         /* steps of the last entry, and of the last one in the chain */
    int64_t every, entries, bytes; /* every: steps between entries, 0: not chosen yet */
    int64_t states;                /* steps between states; 0: none */
    int64_t began, spent;          /* nanoseconds: when it began, what entries took */
    int64_t marked, first;         /* when the first entry was written, and what that took */
    situ_site site;
    const char *function;
    struct situ_proof_loop *loop; /* of a program's own loop (proof_loop.c), or NULL */
};

/* What an entry is made of. batch NULL: the entry has none, and no loss: the state at the end. last: known to be the last step. */
typedef struct situ_proof_step_state {
    int64_t step;
    situ_tensor *const *batch;
    int fields;
    float loss;
    bool last;
    situ_module *net;
    situ_optimizer *opt;
} situ_proof_step_state;

/* Is this program run by `situ verify`? */
bool situ_proof_verifying(void);
/* Opens the proof in a folder: reads the plan and the log if it verifies. NULL with an error. */
situ_proof *situ_proof_new(const char *folder, bool writes, const char *function, situ_site site);
void situ_proof_free(situ_proof *p);
void situ_proof_loop_free(struct situ_proof_loop *l);
/* Writes the first record, or compares it. `text` has its lines. 0 or a negative code. */
int situ_proof_start(situ_proof *p, const char *text);
/* Is an entry of this step written, if the training may go on after it? */
bool situ_proof_due(const situ_proof *p, int64_t step);
/* Writes an entry, or compares it with the log's of this step. 0 or a negative code. */
int situ_proof_enter(situ_proof *p, const situ_proof_step_state *s);
/* The words of how long the training ran, and on what. */
void situ_proof_ran(const situ_proof *p, const char *device, int ranks, char *text, size_t size);
/* Compares the present state, which a file gave, with the entry of its step. */
int situ_proof_compare_state(situ_proof *p, const situ_proof_step_state *s);
/* Writes the last records; `ran`: how long, and on what. */
int situ_proof_finish(situ_proof *p, int64_t steps, const char *reason, const char *ran);
/* Takes over the log of an earlier run up to this step; what follows it is removed. */
int situ_proof_resume(situ_proof *p, const char *text, int64_t step);
/* Verifying: sets whether the log has an entry of this step with a batch. Fails if the log has its end before. */
int situ_proof_verify_step(situ_proof *p, int64_t step, bool *entry);
/* Verifying: compares a state at the end of a training, if the log has one of this step. */
int situ_proof_verify_state(situ_proof *p, const situ_proof_step_state *s);
/* Verifying: the training ended after the step of this state. */
int situ_proof_verify_end(situ_proof *p, const situ_proof_step_state *s, const char *reason);
/* Verifying: tells what differs, and fails. */
int situ_proof_differs(situ_proof *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Verifying: the range is done if `step` is its last. True: there is another one, or the end. */
bool situ_proof_arrive(situ_proof *p, int64_t step);
/* Lines that say of which rows a set consists, in pieces with a hash for each. */
void situ_proof_data(FILE *out, const situ_dataset *data);
/* Lines that name the optimizer and its hyper-parameters, with this learning rate. */
void situ_proof_options(FILE *out, const situ_optimizer *opt, double rate);
/* The hash of a tensor: its dtype, shape and the hashes of its pieces. */
void situ_proof_tensor(char hash[static SITU_SHA256_TEXT], const char *kind, const void *bytes, size_t size);

#endif
