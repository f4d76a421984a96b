/* A proof: a log of hashes of a training (proof_log.h), and states from which parts of it can be repeated. While `situ verify` runs
 * the program, SITU_VERIFY names the file of a plan; then nothing is written, and what is computed is compared with the log. */
#ifndef SITU_TRAIN_PROOF_H
#define SITU_TRAIN_PROOF_H

#include "train/fit.h"
#include "train/proof_log.h"

/* The steps of the first two entries, which decide how many steps are between later ones. */
enum { SITU_PROOF_FIRST = 1, SITU_PROOF_SECOND = 17 };

/* A range of steps to repeat: from the state after step `from` (0: from the beginning) to the entry of step `to`. */
typedef struct situ_proof_range {
    int64_t from, to;
} situ_proof_range;

struct situ_proof {
    char *folder, *told;   /* told: verifying: the file for what was found */
    bool verifies, writes; /* writes: this rank does */
    bool differs;
    situ_proof_log log;      /* verifying: what was proved */
    situ_proof_range *range; /* verifying: what to repeat */
    int64_t ranges, now;
    bool jump;   /* the present range is done */
    bool to_end; /* the last range goes up to the end of the training */
    char hash[SITU_SHA256_TEXT];
    int64_t last;                  /* step of the last entry */
    int64_t every, entries, bytes; /* every: steps between entries, 0: not chosen yet */
    int64_t states;                /* steps between states; 0: none */
    int64_t began, spent;          /* nanoseconds: when it began, what entries took */
    int64_t marked, first;         /* when the first entry was written, and what that took */
    situ_site site;
    const char *function;
};

/* What an entry is made of. batch NULL: the entry has none, and no loss. */
typedef struct situ_proof_step_state {
    int64_t step;
    situ_tensor *const *batch;
    int fields;
    float loss;
    situ_module *net;
    situ_optimizer *opt;
} situ_proof_step_state;

/* Is this program run by `situ verify`? */
bool situ_proof_verifying(void);
/* Opens the proof in a folder: reads the plan and the log if it verifies. NULL with an error. */
situ_proof *situ_proof_new(const char *folder, bool writes, const char *function, situ_site site);
void situ_proof_free(situ_proof *p);
/* Writes the first record, or compares it. `text` has its lines. 0 or a negative code. */
int situ_proof_start(situ_proof *p, const char *text);
/* Writes an entry, or compares it with the log's of this step. 0 or a negative code. */
int situ_proof_enter(situ_proof *p, const situ_proof_step_state *s);
/* Compares the present state, which a file gave, with the entry of its step. */
int situ_proof_compare_state(situ_proof *p, const situ_proof_step_state *s);
/* Writes the last record. */
int situ_proof_finish(situ_proof *p, int64_t steps, const char *reason, const char *ran);
/* Takes over the log of an earlier run up to the entry of this step; what follows it is removed. */
int situ_proof_resume(situ_proof *p, const char *text, int64_t step);
/* Verifying: tells what differs, and fails. */
int situ_proof_differs(situ_proof *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Verifying: the range is done if `step` is its last. True: there is another one, or the end. */
bool situ_proof_arrive(situ_proof *p, int64_t step);
/* Lines that say of which rows a set consists, in pieces with a hash for each. */
void situ_proof_data(FILE *out, const situ_dataset *data);
/* The hash of a tensor: its dtype, shape and the hashes of its pieces. */
void situ_proof_tensor(char hash[static SITU_SHA256_TEXT], const char *kind, const void *bytes, size_t size);

#endif
