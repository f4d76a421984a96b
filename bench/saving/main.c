/* Saves 1 GB as safetensors, alternating with dd, which writes as many bytes into the same folder and also waits for
 * the disk; then loads it by mapping.
 *     bench/saving [FOLDER] [ROUNDS] */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <situ.h>

#include "../clock.h"

enum { COUNT = 64, NUMBERS = 4 << 20, MOST = 99 };

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

static double peak(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

int main(int argc, char **argv)
{
    char file[4096], other[4096], command[8192];
    snprintf(file, sizeof file, "%s/situ-saving.safetensors", argc > 1 ? argv[1] : ".");
    snprintf(other, sizeof other, "%s/situ-saving.dd", argc > 1 ? argv[1] : ".");
    snprintf(command, sizeof command, "dd if=/dev/zero of='%s' bs=16M count=64 conv=fsync 2>/dev/null", other);
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    if (rounds < 1 || rounds > MOST) return fprintf(stderr, "usage: bench/saving [FOLDER] [ROUNDS below 100]\n"), 2;
    situ_tensor *x[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = situ_uniform(situ_key(i), SHAPE(NUMBERS));
    if (situ_eval(TENSORS_OF(x, COUNT))) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    char names[COUNT * 8] = "";
    for (int i = 0; i < COUNT; i++) snprintf(names + strlen(names), 8, "%sx%d", i ? "," : "", i);
    for (int i = 0; i < COUNT; i++)
        if (situ_wait(x[i])) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    double own[MOST], dd[MOST], ratio[MOST], before = peak();
    for (int i = 0; i < rounds; i++) {
        for (int turn = 0; turn < 2; turn++) {
            unlink(file);
            unlink(other);
            sync();
            double start = now();
            int rc = (turn ^ i) & 1 ? system(command) : situ_save(file, TENSORS_OF(x, COUNT), .names = names);
            if (rc) return fprintf(stderr, "not written: %s\n", situ_error_message()), 1;
            *((turn ^ i) & 1 ? &dd[i] : &own[i]) = now() - start;
        }
        ratio[i] = dd[i] / own[i];
        printf("situ %.2f GB/s, dd %.2f\n", 1.073742 / own[i], 1.073742 / dd[i]);
        fflush(stdout);
    }
    double saved = peak();
    unlink(other);
    if (situ_save(file, TENSORS_OF(x, COUNT), .names = names)) return 1;
    double start = now();
    situ_archive *archive = situ_archive_open(file);
    situ_tensor *first = archive ? situ_archive_get(archive, situ_archive_name(archive, 0)) : NULL;
    double took = now() - start;
    printf("speed beside dd, median %.2f (%d rounds); memory of saving %.0f MB; opened and one tensor taken in %.2f ms, memory %.0f MB\n",
        median(ratio, rounds), rounds, saved - before, 1e3 * took, peak() - saved);
    unlink(file);
    return !first || situ_failed();
}
