/* Files that are replaced whole, and what is believed of a cache. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static char folder[64], path[128], part[256];
static bool place(void)
{
    snprintf(folder, sizeof folder, "/tmp/situ-files-XXXXXX");
    if (!mkdtemp(folder)) return false;
    snprintf(path, sizeof path, "%s/file", folder);
    return true;
}

TEST(a_file_is_replaced_whole_or_not_at_all)
{
    CHECK(place());
    FILE *f = situ_file_begin(path, false, part, sizeof part);
    CHECK(f && fputs("one", f) >= 0);
    CHECK_EQ(situ_file_end(f, part, path, true), 0);
    f = situ_file_begin(path, false, part, sizeof part);
    CHECK(f && fputs("tw", f) >= 0);
    CHECK(situ_file_end(f, part, path, false) != 0);
    struct stat s;
    CHECK(!stat(path, &s) && s.st_size == 3);
    CHECK(access(part, F_OK) != 0);
    unlink(path);
    rmdir(folder);
}

TEST(a_cache_believes_regular_files_of_its_user)
{
    CHECK(place());
    FILE *f = situ_file_begin(path, false, part, sizeof part);
    CHECK(f && !situ_file_end(f, part, path, true));
    chmod(path, 0644);
    f = situ_file_own(path);
    CHECK(f != NULL);
    if (f) fclose(f);
    chmod(path, 0666); /* anybody may have written it */
    CHECK(situ_file_own(path) == NULL);
    snprintf(part, sizeof part, "%s/link", folder);
    chmod(path, 0644);
    CHECK(!symlink(path, part) && situ_file_own(part) == NULL);
    unlink(part);
    CHECK(!mkfifo(part, 0600) && situ_file_own(part) == NULL);
    unlink(part);
    unlink(path);
    rmdir(folder);
}

TEST(permissions_stay_and_private_files_are_private)
{
    CHECK(place());
    struct stat s;
    mode_t mask = umask(002);
    FILE *f = situ_file_begin(path, true, part, sizeof part); /* a cache shall believe its own files, whatever the umask */
    CHECK(f && !situ_file_end(f, part, path, true));
    CHECK(!stat(path, &s) && (s.st_mode & 0777) == 0600);
    f = situ_file_own(path);
    CHECK(f != NULL);
    if (f) fclose(f);
    chmod(path, 0640);
    f = situ_file_begin(path, false, part, sizeof part);
    CHECK(f && !situ_file_end(f, part, path, true));
    CHECK(!stat(path, &s) && (s.st_mode & 0777) == 0640);
    umask(mask);
    unlink(path);
    rmdir(folder);
}
