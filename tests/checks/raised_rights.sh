#!/usr/bin/env bash
# A program with raised rights (set-user-ID) takes no file, library or device from its caller's environment. Needs root, and a folder
# whose programs may have such rights.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${SITU_BUILD_DIR:-build}" && pwd) || { echo "FAIL raised_rights: nothing is built"; exit 1; }
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    echo "SKIP raised_rights: needs root and setpriv"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/p.c" <<'C'
#include <situ.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    printf("as user %d: device %d, GPUs %d, threads %d\n%s\n", (int)geteuid(), situ_default_device().kind, situ_num_gpus(), situ_threads(), situ_tuning());
    printf("sum %g\n", situ_item(situ_sum(situ_matmul(situ_ones(SHAPE(8, 8)), situ_ones(SHAPE(8, 8))))));
    puts(situ_error_message());
    return 0;
}
C
"${CC:-cc}" -std=gnu11 -Iinclude "$folder/p.c" -o "$folder/p" "$build/libsitu.a" -lm -lpthread -ldl 2>"$folder/log" ||
    { head -3 "$folder/log"; echo "FAIL raised_rights: the program does not compile"; exit 1; }
cp "$folder/p" "$folder/raised"
chmod 755 "$folder" && chmod 4755 "$folder/raised"
mkdir -m 777 "$folder/open"
ask() { # PROGRAM: as a user without rights
    (cd "$folder/open" && env SITU_TRACE="$folder/open/trace" SITU_TUNING="$folder/open/tuning" SITU_THREADS=3 SITU_SIM_GPUS=2 SITU_DEVICE=nonsense \
        SITU_DIGEST=1 SITU_DEBUG=plan HOME="$folder/open" XDG_CACHE_HOME="$folder/open/cache" SITU_LIBCUDA="$folder/open/lib.so" \
        timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups "$1" 2>&1)
}
plain=$(ask "$folder/p") raised=$(cd "$folder/open" && rm -f trace && ask "$folder/raised")
if ! grep -q 'GPUs 2, threads 3' <<<"$plain"; then
    echo "FAIL raised_rights: without them the environment is read: $plain"
elif ! grep -q 'as user 0:' <<<"$raised"; then
    echo "SKIP raised_rights: programs in $folder cannot have them"
elif grep -qE 'GPUs 2|threads 3|open/|nonsense|digest|matmul' <<<"$raised" || ! grep -q 'sum 512' <<<"$raised" || [ -n "$(ls -A "$folder/open")" ]; then
    echo "FAIL raised_rights: $raised; files: $(ls -A "$folder/open")"
else
    echo "PASS raised_rights: a program that has them takes nothing from its caller's environment"
fi
