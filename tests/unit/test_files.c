/* Files that are replaced as a whole, special files under their names, and which files are trusted. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cpu/gemm/tuning.h"
#include "os/file.h"
#include "support/child.h"
#include "test.h"
#include "train/svg.h"

#include <situ/error.h>
#include <situ/profile.h>
#include <situ/tune.h>

static char folder[64], path[128], other[256];
static situ_file file;

static bool place(void)
{
    snprintf(folder, sizeof folder, "/tmp/situ-files-XXXXXX");
    if (!mkdtemp(folder)) return false;
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    return true;
}

static void leave(void)
{
    unlink(path), rmdir(path);
    unlink(other);
    CHECK(!rmdir(folder)); /* nothing else was left there */
}

static int write_text(const char *where, const char *text)
{
    FILE *f = situ_file_begin(&file, where, false);
    if (!f) return errno;
    fputs(text, f);
    return situ_file_end(&file, true);
}

static bool holds(const char *where, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(where, "r");
    size_t n = f ? fread(found, 1, sizeof found - 1, f) : 0;
    if (f) fclose(f);
    return n == strlen(text) && !memcmp(found, text, n);
}

TEST(a_file_is_replaced_whole_or_not_at_all)
{
    CHECK(place());
    CHECK_EQ(write_text(path, "one"), 0);
    FILE *f = situ_file_begin(&file, path, false);
    CHECK(f && fputs("tw", f) >= 0);
    CHECK(situ_file_end(&file, false) != 0);
    CHECK(holds(path, "one"));
    CHECK_EQ(situ_file_check(path), 0);
    CHECK_EQ(situ_file_check(other), 0);
    CHECK(holds(path, "one") && access(other, F_OK));
    leave();
}

TEST(a_cache_believes_regular_files_of_its_user)
{
    CHECK(place());
    CHECK_EQ(write_text(path, ""), 0);
    chmod(path, 0644);
    FILE *f = situ_file_open_own(path);
    CHECK(f != NULL);
    if (f) fclose(f);
    chmod(path, 0666); /* another user may have written it */
    CHECK(situ_file_open_own(path) == NULL);
    chmod(path, 0644);
    CHECK(!symlink(path, other) && situ_file_open_own(other) == NULL);
    unlink(other);
    CHECK(!mkfifo(other, 0600) && situ_file_open_own(other) == NULL);
    leave();
}

TEST(permissions_stay_and_private_files_are_private)
{
    CHECK(place());
    struct stat s;
    mode_t mask = umask(002);
    FILE *f = situ_file_begin(&file, path, true); /* a cache shall believe its own files, whatever the umask */
    CHECK(f && !situ_file_end(&file, true));
    CHECK(!stat(path, &s) && (s.st_mode & 0777) == 0600);
    f = situ_file_open_own(path);
    CHECK(f != NULL);
    if (f) fclose(f);
    chmod(path, 0640);
    CHECK_EQ(write_text(path, "x"), 0);
    CHECK(!stat(path, &s) && (s.st_mode & 0777) == 0640);
    umask(mask);
    leave();
}

TEST(links_are_followed_and_folders_refused)
{
    CHECK(place());
    struct stat s;
    char between[512], inside[512];
    static situ_file f;
    snprintf(between, sizeof between, "%s.between", path);
    snprintf(inside, sizeof inside, "%s.folder", path);
    const char *last = strrchr(other, '/') + 1;
    CHECK_EQ(write_text(other, "good"), 0);
    CHECK(!symlink(last, between) && !symlink(between, path)); /* by a whole path, then by a name alone */
    CHECK_EQ(write_text(path, "new"), 0);
    CHECK(!lstat(path, &s) && S_ISLNK(s.st_mode) && !lstat(between, &s) && S_ISLNK(s.st_mode));
    CHECK(!lstat(other, &s) && S_ISREG(s.st_mode) && holds(other, "new"));
    CHECK_EQ(situ_file_append(path, " end", 4), 0);
    CHECK(holds(other, "new end"));
    unlink(other); /* to nothing: what it names is made */
    CHECK_EQ(situ_file_check(path), 0);
    CHECK(access(other, F_OK));
    CHECK_EQ(write_text(path, "made"), 0);
    CHECK(!lstat(path, &s) && S_ISLNK(s.st_mode) && holds(other, "made"));
    /* what other users could read or plant must not be reached through a link */
    CHECK(situ_file_begin(&f, path, true) && fputs("own", f.stream) >= 0 && !situ_file_end(&f, true));
    CHECK(!lstat(path, &s) && S_ISREG(s.st_mode) && holds(path, "own") && holds(other, "made"));
    CHECK(!unlink(path) && !symlink(other, path) && (geteuid() || !lchown(path, 12345, 12345)));
    if (!geteuid()) {
        CHECK_EQ(write_text(path, "safe"), 0);
        CHECK(!lstat(path, &s) && S_ISREG(s.st_mode) && holds(path, "safe") && holds(other, "made"));
    }
    CHECK(!unlink(path) && !symlink(path, path)); /* in a circle */
    CHECK_EQ(write_text(path, "x"), ELOOP);
    CHECK_EQ(situ_file_append(path, "x", 1), ELOOP);
    CHECK(!unlink(path) && !symlink("/dev/null", path));
    CHECK_EQ(write_text(path, "x"), 0);
    CHECK(!lstat(path, &s) && S_ISLNK(s.st_mode));
    CHECK(!unlink(path) && !mkdir(inside, 0700) && !symlink(inside, path));
    CHECK_EQ(situ_file_check(path), EISDIR);
    CHECK(!unlink(path) && !unlink(between) && !unlink(other) && !rmdir(inside) && !mkdir(path, 0700));
    CHECK_EQ(situ_file_check(path), EISDIR);
    CHECK_EQ(write_text(path, "x"), EISDIR);
    leave();
}

/* Not replaced by a file: they belong to the system, and somebody may be reading them. */
TEST(pipes_and_devices_are_written_to)
{
    CHECK(place());
    struct stat s;
    char got[16] = "";
    CHECK(!mkfifo(path, 0600));
    CHECK_EQ(write_text(path, "nobody"), ENXIO); /* at the other end: no wait */
    int end = open(path, O_RDONLY | O_NONBLOCK);
    CHECK_EQ(situ_file_check(path), 0);
    CHECK_EQ(write_text(path, "pipe"), 0);
    CHECK(read(end, got, sizeof got) == 4 && !memcmp(got, "pipe", 4));
    CHECK(!lstat(path, &s) && S_ISFIFO(s.st_mode));
    CHECK_EQ(write_text("/dev/null", "x"), 0);
    CHECK(!lstat("/dev/null", &s) && S_ISCHR(s.st_mode));
    CHECK_EQ(write_text("/dev/full", "x"), ENOSPC);
    close(end);
    leave();
}

/* A link of the system to an open file, as /dev/stdout is one: it is the open file that is meant. */
TEST(names_of_open_files_are_written_to)
{
    CHECK(place());
    struct stat s;
    char name[64];
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    CHECK(fd >= 0 && write(fd, "a", 1) == 1);
    CHECK_EQ(write_text(name, "b"), 0);
    CHECK(holds(path, "ab") && !lstat(name, &s) && S_ISLNK(s.st_mode));
    close(fd);
    leave();
}

/* ---- what would end the process ------------------------------------------------------------------------------------------ */

static int child_with_small_files(void)
{
    signal(SIGXFSZ, SIG_DFL);
    struct rlimit most = {4096, 4096};
    if (setrlimit(RLIMIT_FSIZE, &most)) return 1;
    FILE *f = situ_file_begin(&file, path, false);
    for (int i = 0; i < 4000 && f; i++) fputs("0123456789", f);
    if (!f || situ_file_end(&file, true) != EFBIG) return 2;
    sigset_t pending;
    if (sigpending(&pending) || sigismember(&pending, SIGXFSZ)) return 3;
    return holds(path, "good") ? 0 : 4;
}

static int child_without_reader(void)
{
    signal(SIGPIPE, SIG_DFL);
    int end = open(other, O_RDONLY | O_NONBLOCK);
    FILE *f = situ_file_begin(&file, other, false);
    close(end);
    if (!f || fputs("x", f) < 0 || situ_file_end(&file, true) != EPIPE) return 2;
    sigset_t now;
    return pthread_sigmask(SIG_SETMASK, NULL, &now) || sigismember(&now, SIGPIPE);
}

TEST(limits_and_lost_readers_are_errors_and_no_signals)
{
    CHECK(place());
    CHECK_EQ(write_text(path, "good"), 0);
    CHECK(!mkfifo(other, 0600));
    CHECK_EQ(status_of_child(child_with_small_files), 0);
    CHECK_EQ(status_of_child(child_without_reader), 0);
    leave();
}

static void write_for_ever(void)
{
    static char text[30000];
    for (unsigned i = 0;; i++) {
        memset(text, 'a' + (int)(i % 26), sizeof text - 1);
        if (write_text(path, text)) _exit(1);
    }
}

TEST(a_killed_process_leaves_the_old_file_or_the_new)
{
    CHECK(place());
    static char text[30001];
    CHECK_EQ(write_text(path, ""), 0);
    for (int i = 0, status; i < 30; i++) {
        pid_t child = fork();
        if (!child) write_for_ever();
        usleep((useconds_t)(200 + 331 * i));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        FILE *f = fopen(path, "r");
        size_t n = f ? fread(text, 1, sizeof text, f) : 1;
        if (f) fclose(f);
        bool whole = n == 0 || n == 29999;
        for (size_t k = 1; k < n && whole; k++) whole = text[k] == text[0];
        CHECK(whole);
        for (int k = 0; k < 100; k++) { /* what was under way */
            snprintf(other, sizeof other, "%s.%ld.%d", path, (long)child, k);
            unlink(other);
        }
    }
    leave();
}

/* ---- whatever stands where a file is named ------------------------------------------------------------------------------ */

static int save_trace(const char *where)
{
    CHECK_EQ(situ_profile_start(16), 0);
    int rc = situ_profile_save(where);
    situ_profile_stop();
    return rc;
}

static int save_curves(const char *where) { return situ_svg_curves(where, "t", "x", 0, NULL); }
static int save_bars(const char *where) { return situ_svg_bars(where, "t", 0, NULL); }

static int save_tuning(const char *where)
{
    const situ_tune_size small = {8, 8, 8, SITU_F32};
    return situ_tune(where, .sizes = &small, .count = 1, .seconds = 0);
}

TEST(nothing_is_replaced_by_a_file_that_is_none)
{
    static int (*const save[])(const char *) = {save_trace, save_curves, save_bars, save_tuning};
    for (size_t i = 0; i < sizeof save / sizeof *save; i++) {
        struct stat s;
        CHECK(place());
        CHECK(!mkdir(path, 0700));
        CHECK_FAILS(SITU_IO, save[i](path), path);
        CHECK(!rmdir(path) && !mkfifo(path, 0600));
        CHECK_FAILS(SITU_IO, save[i](path), path);
        CHECK(!lstat(path, &s) && S_ISFIFO(s.st_mode));
        int rc = save[i]("/dev/null");
        CHECK(rc == 0 || rc == -SITU_IO);
        situ_error_take(NULL);
        CHECK(!lstat("/dev/null", &s) && S_ISCHR(s.st_mode));
        CHECK_FAILS(SITU_IO, save[i]("/proc/version"));
        snprintf(other, sizeof other, "%s/no/such/folder\001", path);
        CHECK(save[i](other) < 0);
        situ_error_take(NULL);
        unlink(path);
        CHECK_EQ(save[i](path), 0);
        CHECK(!lstat(path, &s) && S_ISREG(s.st_mode) && s.st_size > 0);
        leave();
    }
}

TEST(tuning_of_others_is_not_used)
{
    CHECK(place());
    CHECK_EQ(save_tuning(path), 0);
    situ_tuning_use(path);
    CHECK(strstr(situ_tuning(), ": 1 sizes"));
    chmod(path, 0664); /* a group of its own, as a umask of 002 expects */
    situ_tuning_use(path);
    CHECK(strstr(situ_tuning(), ": 1 sizes"));
    chmod(path, 0666);
    situ_tuning_use(path);
    CHECK(strstr(situ_tuning(), "is not used: everybody may write it"));
    chmod(path, 0644);
    if (!chown(path, 12345, 12345)) {
        situ_tuning_use(path);
        CHECK(strstr(situ_tuning(), "is not used: it belongs to another user"));
    }
    situ_tuning_use(NULL);
    leave();
}
