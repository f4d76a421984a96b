/* situ data: downloads well-known data sets. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <situ.h>

#include "os/file.h"
#include "os/plain.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "command.h"
#include "fetch.h"

enum { TO, URL, SUMS, PATH_BYTES = 3900, TAR_BLOCK = 512 };

static const cli_option options[] = {
    [TO] = {"to", "FOLDER", "where its files go (default: data/NAME)", 't'},
    [URL] = {"url", "BASE", "a mirror: files are at BASE/..., http or https", 'u'},
    [SUMS] = {"sums", "FILE", "checksums of the mirror's files, as sha256sum writes them (default: the known ones)", 's'},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_data = {
    .name = "data",
    .summary = "brings MNIST, Fashion-MNIST or CIFAR-10",
    .usage = "data get NAME [options]",
    .text = "Brings a data set by libcurl and checks its SHA-256: mnist (12 MB), fashion-mnist (31 MB) or cifar-10 (170 MB,\n"
            "unpacked 184 MB). A transfer that broke goes on where it was with the next call; files that are there are checked\n"
            "and not brought again. `situ train --data data/mnist`, situ_idx_folder and situ_cifar read them.\n",
    .options = options,
    .run = run,
};

typedef struct item {
    const char *name, *sha256;
} item;

/* Addresses and checksums are those that several public projects use. The tests serve their own files on loopback;
 * nothing was downloaded from these addresses when this was written. */
static const struct {
    const char *name, *base;
    bool packed; /* a tar archive of the files */
    item file[4];
} sets[] = {
    {"mnist", "https://ossci-datasets.s3.amazonaws.com/mnist", false,
        {{"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
            {"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
            {"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
            {"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}},
    {"fashion-mnist", "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com", false,
        {{"train-images-idx3-ubyte.gz", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
            {"train-labels-idx1-ubyte.gz", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
            {"t10k-images-idx3-ubyte.gz", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
            {"t10k-labels-idx1-ubyte.gz", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}}},
    {"cifar-10", "https://www.cs.toronto.edu/~kriz", true,
        {{"cifar-10-binary.tar.gz", "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}}},
};
enum { SETS = sizeof sets / sizeof *sets, FILES = 4 };

/* ---- checksums of a mirror -------------------------------------------------------------------------------------------------- */

/* Finds the line "<64 digits>  name" or "... *name"; false, with a message. */
static bool sum_of(const char *list, const char *path, const char *name, char out[65])
{
    for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t n = strspn(line, "0123456789abcdef"), length = strcspn(line, "\r\n");
        if (n != 64 || length < 67 || line[64] != ' ' || length - 66 != strlen(name) || memcmp(line + 66, name, length - 66))
            continue;
        memcpy(out, line, 64);
        out[64] = 0;
        return true;
    }
    fprintf(stderr, "situ data: %s has no line \"SHA-256  %s\", as sha256sum writes it\n", path, name);
    return false;
}

/* ---- tar -------------------------------------------------------------------------------------------------------------------- */

static int damaged(const char *path)
{
    fprintf(stderr, "situ data: %s is damaged: no whole tar; remove it\n", path);
    return -1;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    situ_file f;
    FILE *stream = situ_file_begin(&f, path, false);
    int why = stream ? 0 : errno;
    if (stream) why = situ_file_end(&f, fwrite(bytes, 1, size, stream) == size);
    if (why) fprintf(stderr, "situ data: %s: %s\n", path, situ_plain_reason(why));
    return why ? -1 : 0;
}

/* Extracts the regular files ending in ".bin", without their folders, from a tar that may be gzip. */
static int unpack(const char *path, const char *folder)
{
    void *bytes;
    size_t size;
    if (situ_read_file(path, &bytes, &size)) return cli_fail("data"), -1;
    int rc = 0, found = 0;
    const char *p = bytes, *end = p + size;
    while (!rc && end - p >= TAR_BLOCK && *p) {
        char name[101], to[4096], octal[13];
        snprintf(name, sizeof name, "%.100s", p);
        snprintf(octal, sizeof octal, "%.12s", p + 124);
        unsigned long long n = strtoull(octal, NULL, 8);
        char kind = p[156];
        const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name, *dot = strrchr(last, '.');
        p += TAR_BLOCK;
        if (n > (unsigned long long)(end - p)) rc = damaged(path);
        else if ((kind == '0' || !kind) && dot && !strcmp(dot, ".bin")) {
            if (snprintf(to, sizeof to, "%s/%s", folder, last) >= (int)sizeof to) rc = damaged(path);
            else rc = write_file(to, p, (size_t)n);
            found++;
        }
        size_t step = ((size_t)n + TAR_BLOCK - 1) & ~(size_t)(TAR_BLOCK - 1);
        p += step < (size_t)(end - p) ? step : (size_t)(end - p);
    }
    situ_counted_free(bytes);
    return rc ? rc : found ? 0 : damaged(path);
}

/* ---- the command ------------------------------------------------------------------------------------------------------------ */

/* Creates the folder and its parents. */
static int make_folder(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = 0;
        if (mkdir(path, 0777) && errno != EEXIST && (!slash || (errno != EROFS && errno != EACCES))) {
            fprintf(stderr, "situ data: %s: %s\n", path, situ_plain_reason(errno));
            return -1;
        }
        if (!slash) return 0;
        *slash = '/';
    }
}

static int get(int set, const char *folder, const char *base, const char *sums)
{
    void *list = NULL;
    size_t size;
    int rc = make_folder(folder);
    if (!rc && sums && situ_read_file(sums, &list, &size)) {
        cli_fail("data");
        rc = -1;
    }
    size_t end = strlen(base);
    while (end && base[end - 1] == '/') end--;
    for (int i = 0; !rc && i < FILES && sets[set].file[i].name; i++) {
        const item *f = &sets[set].file[i];
        char url[4096], path[4096], sum[65];
        snprintf(sum, sizeof sum, "%s", f->sha256);
        if (list && !sum_of(list, sums, f->name, sum)) rc = -1;
        snprintf(url, sizeof url, "%.*s/%s", (int)end, base, f->name);
        snprintf(path, sizeof path, "%s/%s", folder, f->name);
        if (!rc) rc = cli_fetch(url, path, sum);
        if (!rc && sets[set].packed) rc = unpack(path, folder);
    }
    situ_counted_free(list);
    if (!rc) printf("%s is in %s\n", sets[set].name, folder);
    return rc ? EXIT_FAILED : EXIT_DONE;
}

static int find_set(const char *name)
{
    const char *names[SETS];
    for (int i = 0; i < SETS; i++) {
        names[i] = sets[i].name;
        if (!strcmp(name, names[i])) return i;
    }
    const char *near = cli_nearest(name, names, SETS);
    fprintf(stderr, "situ data: there is no data set %s%s%s%s\n`situ data --help` lists them\n", name,
        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return -1;
}

static int run(int argc, char **argv)
{
    const char *value, *folder = NULL, *base = NULL, *sums = NULL;
    int rest, got;
    while ((got = cli_next_option(&cli_data, argc, argv, &value, &rest)) >= 0) {
        if (got == TO) folder = value;
        if (got == URL) base = value;
        if (got == SUMS) sums = value;
    }
    if (got != -1) return got == -3 ? EXIT_DONE : EXIT_USAGE;
    if (argc - rest != 2 || strcmp(argv[rest], "get")) {
        fprintf(stderr, "situ data: it is `situ data get NAME`; `situ data --help` lists the names\n");
        return EXIT_USAGE;
    }
    int set = find_set(argv[rest + 1]);
    if (set < 0) return EXIT_USAGE;
    char own[64];
    snprintf(own, sizeof own, "data/%s", sets[set].name);
    if (!folder) folder = own;
    if (strlen(folder) > PATH_BYTES || (base && strlen(base) > PATH_BYTES)) {
        fprintf(stderr, "situ data: --%s has more than %d bytes\n", strlen(folder) > PATH_BYTES ? "to" : "url", PATH_BYTES);
        return EXIT_USAGE;
    }
    if (!*folder || (base && strncmp(base, "http://", 7) && strncmp(base, "https://", 8))) {
        fprintf(stderr, "situ data: --to takes a folder, --url an address that begins with http:// or https://\n");
        return EXIT_USAGE;
    }
    return get(set, folder, base ? base : sets[set].base, sums);
}
