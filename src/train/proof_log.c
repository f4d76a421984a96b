#include "train/proof_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/file.h"
#include "os/plain.h"

void situ_proof_path(char *path, size_t size, const char *folder) { snprintf(path, size, "%s/proof.log", folder); }

void situ_proof_state_path(char *path, size_t size, const char *folder, int64_t step)
{
    snprintf(path, size, "%s/proof-%012lld.safetensors", folder, (long long)step);
}

void situ_proof_chain(const char *before, const char *text, size_t size, char hash[static SITU_SHA256_TEXT])
{
    situ_sha256 h;
    situ_sha256_start(&h);
    situ_sha256_add(&h, before, strlen(before));
    situ_sha256_add(&h, text, size);
    situ_sha256_end(&h, hash);
}

const char *situ_proof_line(const char *text, const char *word, size_t *size)
{
    size_t n = strlen(word);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (!strncmp(line, word, n) && line[n] == ' ') {
            *size = length - n - 1;
            return line + n + 1;
        }
        line += length + (line[length] == '\n');
    }
    *size = 0;
    return NULL;
}

int64_t situ_proof_number(const char *text, const char *word)
{
    size_t size;
    const char *at = situ_proof_line(text, word, &size);
    return at && situ_is_digit(*at) ? strtoll(at, NULL, 10) : 0;
}

/* A word at the beginning of a record, whether it stands aside or not. */
static bool begins(const char *text, const char *word)
{
    if (!strncmp(text, "aside ", 6)) text += 6;
    return !strncmp(text, word, strlen(word));
}

bool situ_proof_is_entry(const situ_proof_record *r) { return begins(r->text, "step "); }

int64_t situ_proof_log_at(const situ_proof_log *log, int64_t step)
{
    int64_t low = 1, entries = log->records - log->ended, high = entries;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (log->record[middle].step < step) low = middle + 1;
        else high = middle;
    }
    while (low < entries && !situ_proof_is_entry(&log->record[low])) low++;
    return low < entries ? low : log->records;
}

void situ_proof_log_free(situ_proof_log *log)
{
    situ_free(log->text);
    situ_free(log->record);
    *log = (situ_proof_log){0};
}

/* The whole file, with a zero at its end; NULL with `why`. */
static char *load(const char *path, size_t *size, char *why)
{
    situ_file_about about;
    situ_file_kind kind = situ_file_inspect(path, &about);
    FILE *file = kind == SITU_FILE_REGULAR ? situ_file_open(path) : NULL;
    if (!file) {
        const char *reason =
            kind == SITU_FILE_NONE || kind == SITU_FILE_REGULAR ? situ_plain_reason(errno) : "it is no regular file";
        snprintf(why, SITU_PROOF_WHY, "%.400s: %s", path, reason);
        return NULL;
    }
    char *text = situ_malloc((size_t)about.size + 1);
    *size = text ? fread(text, 1, (size_t)about.size, file) : 0;
    if (text) text[*size] = 0;
    else snprintf(why, SITU_PROOF_WHY, "%.400s: out of host memory", path);
    fclose(file);
    return text;
}

static bool is_hash(const char *line, size_t length)
{
    return length == 69 && !strncmp(line, "hash ", 5) && strspn(line + 5, "0123456789abcdef") == 64;
}

static int add(situ_proof_log *log, situ_proof_record *r)
{
    if (log->records == log->room) {
        int64_t room = 2 * log->room + 64;
        situ_proof_record *grown = situ_realloc(log->record, (size_t)room * sizeof *grown);
        if (!grown) return 1;
        log->record = grown;
        log->room = room;
    }
    log->record[log->records++] = *r;
    return 0;
}

/* Does the record stand where it may? Sets its step: a note's is that of the record before. Of a step there may be an entry aside,
 * and then one of the chain. */
static bool follows(const situ_proof_log *log, situ_proof_record *r)
{
    const situ_proof_record *last = log->records ? &log->record[log->records - 1] : NULL;
    bool entry = situ_proof_is_entry(r), end = !strncmp(r->text, "end ", 4);
    if (!last || log->ended) return !last && !strncmp(r->text, "situ proof ", 11);
    if (!entry && !end) {
        r->step = last->step;
        return r->aside;
    }
    r->step = situ_proof_number(r->text, r->aside ? "aside step" : entry ? "step" : "end");
    return r->step > last->step || (r->step == last->step && (end || (!r->aside && last->step && last->aside)));
}

static int say(char *why, const char *path, int line, const char *what)
{
    snprintf(why, SITU_PROOF_WHY, "%.300s:%d: %s", path, line, what);
    return 1;
}

/* Takes the record that begins at `text` and ends before the line `last`, which has its hash. */
static int take(situ_proof_log *log, const char *path, char *text, char *last, int line, int at, char *why)
{
    char hash[SITU_SHA256_TEXT];
    situ_proof_record r = {.text = text, .line = line, .end = last + 70 - log->text, .aside = !strncmp(text, "aside ", 6)};
    situ_proof_chain(log->chain, text, (size_t)(last - text), hash);
    if (strncmp(hash, last + 5, 64))
        return say(
            why, path, at, "this hash is not that of what stands above it: the log was edited, or lines were taken out of it");
    strcpy(r.hash, hash);
    *last = 0;
    if (!log->records && situ_proof_number(text, "situ proof") != SITU_PROOF_FORMAT)
        return say(why, path, line, "this log has another format; this version of situ reads and writes format 1");
    if (!follows(log, &r)) return say(why, path, line, "this record cannot stand here: the log was put together of others");
    log->ended = !strncmp(text, "end ", 4);
    if (!r.aside) strcpy(log->chain, hash);
    return add(log, &r) ? say(why, path, line, "out of host memory") : 0;
}

int situ_proof_log_read(situ_proof_log *log, const char *folder, char *why)
{
    char path[SITU_PROOF_PATH];
    size_t size = 0;
    situ_proof_path(path, sizeof path, folder);
    *log = (situ_proof_log){0};
    *why = 0;
    if (!(log->text = load(path, &size, why))) return -1;
    if (strncmp(log->text, "situ proof ", 11)) return say(why, path, 1, "this is no log of a proof");
    char *begin = log->text;
    int first = 1, at = 1,
        rc = strlen(log->text) == size ? 0 : say(why, path, 1, "there is a zero byte in this log: it was edited");
    for (char *line = begin, *next; !rc && (next = strchr(line, '\n')); line = next + 1, at++) {
        if (!is_hash(line, (size_t)(next - line))) continue;
        rc = take(log, path, begin, line, first, at, why);
        begin = next + 1;
        first = at + 1;
    }
    log->torn = !rc && *begin;
    if (!rc && !log->records) rc = say(why, path, 1, "the log ends before its first hash: it was cut");
    return rc;
}
