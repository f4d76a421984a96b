/* The log of a proof: a text file of records. A record is some lines and a last one, "hash " and the SHA-256 of the hash before and
 * of these lines; so each hash covers everything above it.
 *
 *     situ proof 1             the first record: the version of the format, then what was trained
 *     step 45                  an entry: hashes of the batch, the loss and the state after this step
 *     end 135 epochs           the last record of a training that came to its end
 *
 * What depends on time stands in records aside: entries for which there was time between those that every run has, and notes. Such
 * a record hangs on the chain, and the chain does not go through it: its hash is of the chain's last hash and of its own lines.
 *
 *     aside step 40            an entry
 *     aside every 40           the steps between such entries
 *     aside ran 2.718 s, ...   how long the training took, and on what */
#ifndef SITU_TRAIN_PROOF_LOG_H
#define SITU_TRAIN_PROOF_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/sha256.h"

enum { SITU_PROOF_FORMAT = 1, SITU_PROOF_PATH = 4200, SITU_PROOF_WHY = 600 };

typedef struct situ_proof_record {
    const char *text; /* its lines, without that of the hash; ends with a zero */
    int64_t step;     /* of an entry or of the end; 0: the first record */
    int64_t end;      /* number of bytes of the file up to here */
    int line;         /* number of its first line */
    bool aside;
    char hash[SITU_SHA256_TEXT];
} situ_proof_record;

typedef struct situ_proof_log {
    char *text;
    situ_proof_record *record; /* the first is the beginning */
    int64_t records, room;
    bool ended;                   /* the last record says that the training came to its end */
    char chain[SITU_SHA256_TEXT]; /* the last hash of the chain */
    bool torn;                    /* after the last record there is a part of another one */
} situ_proof_log;

void situ_proof_path(char *path, size_t size, const char *folder);
/* The file of the state after a step. */
void situ_proof_state_path(char *path, size_t size, const char *folder, int64_t step);
/* The hash of a record: text[0..size-1] after a record with the hash `before`, "" for the first. */
void situ_proof_chain(const char *before, const char *text, size_t size, char hash[static SITU_SHA256_TEXT]);
/* Reads a log and checks that each hash is that of the lines above it. 0; else `why` (SITU_PROOF_WHY bytes) says what is wrong, and
 * the log has the records before that. -1: there is no such file; 1: it is no log, of another format, damaged or edited. */
int situ_proof_log_read(situ_proof_log *log, const char *folder, char *why);
void situ_proof_log_free(situ_proof_log *log);
/* The index of the first record of an entry of this step, or of one after it; the number of records if there is none. */
int64_t situ_proof_log_at(const situ_proof_log *log, int64_t step);
bool situ_proof_is_entry(const situ_proof_record *r);
/* The rest of a record's first line that begins with `word` and a blank, up to its end (*size bytes); NULL: there is none. */
const char *situ_proof_line(const char *text, const char *word, size_t *size);
/* The same as a number, 0 if there is none. */
int64_t situ_proof_number(const char *text, const char *word);

#endif
