#!/usr/bin/env bash
# A plugin that has the static library in it: it is opened and closed again while its threads are there, and exports its own functions.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${SITU_BUILD_DIR:-build}
[ -f "$build/libsitu.a" ] || { echo "SKIP plugin: $build/libsitu.a is not built"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/plugin.c" <<'C'
#include <situ.h>

__attribute__((visibility("default"))) double plugin_run(double x)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *big = situ_full(SHAPE(512, 512), x);
    double y = situ_item(situ_sum(situ_matmul(big, big))) / (512.0 * 512 * 512);
    (void)situ_item(situ_reshape(big, SHAPE(3))); /* an error, whose text is the thread's */
    situ_scope_close(scope);
    situ_error_take(NULL);
    return y;
}
C
cat >"$folder/host.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t closed;
static void *library;

/* Uses the plugin, and ends after it was closed. */
static void *work(void *result)
{
    *(double *)result = ((double (*)(double))dlsym(library, "plugin_run"))(2);
    pthread_barrier_wait(&closed);
    pthread_barrier_wait(&closed);
    return NULL;
}

int main(int count, char **path)
{
    for (int round = 0; round < 3; round++)
        for (int i = 1; i < count; i++) {
            pthread_t thread;
            double result = 0;
            if (!(library = dlopen(path[i], RTLD_NOW | RTLD_LOCAL))) return fprintf(stderr, "%s\n", dlerror()), 1;
            pthread_barrier_init(&closed, NULL, 2);
            pthread_create(&thread, NULL, work, &result);
            pthread_barrier_wait(&closed);
            dlclose(library);
            pthread_barrier_wait(&closed);
            pthread_join(thread, NULL);
            if (result != 4) return 2;
        }
    return 0;
}
C
flags="-std=gnu11 -O1 -fPIC -fvisibility=hidden -Iinclude"
if ! ${CC:-cc} $flags -shared "$folder/plugin.c" -Wl,--exclude-libs,libsitu.a "$build/libsitu.a" -lpthread -ldl -lm -o "$folder/plugin.so" 2>"$folder/log" ||
    ! ${CC:-cc} -O1 "$folder/host.c" -lpthread -ldl -o "$folder/host" 2>>"$folder/log"; then
    cat "$folder/log"
    echo "FAIL plugin: it cannot be built"
    exit 0
fi
cp "$folder/plugin.so" "$folder/second.so"
if "$folder/host" "$folder/plugin.so" "$folder/second.so" 2>"$folder/log"; then echo "PASS plugin: two of them are closed while their threads are there"; else
    echo "FAIL plugin: closed while its threads are there ($?): $(tail -n 1 "$folder/log")"
fi
exported=$(nm -D --defined-only "$folder/plugin.so" | awk '{ print $3 }' | grep -v '^plugin_run$' | head -n 3 | tr '\n' ' ')
if [ -z "$exported" ]; then echo "PASS plugin: it exports its own function alone"; else echo "FAIL plugin: it exports $exported"; fi
