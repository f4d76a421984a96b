#!/usr/bin/env bash
# Plugins that have the static library in them (docs/plugins.md): they are opened and closed again while their threads are there, many of
# them live in one process, and they export their own functions.
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
cat >"$folder/many.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { MOST = 64 };
static void *library[MOST];
static double result[MOST];

static void *work(void *at)
{
    long i = (long)at;
    result[i] = ((double (*)(double))dlsym(library[i], "plugin_run"))(2 + (double)i);
    return NULL;
}

/* All of them are there at once, and each works in a thread of its own and in this one. */
int main(int count, char **path)
{
    pthread_t thread[MOST];
    int n = count - 1, wrong = 0;
    for (int i = 0; i < n; i++)
        if (!(library[i] = dlopen(path[1 + i], RTLD_NOW | RTLD_LOCAL))) return fprintf(stderr, "number %d: %s\n", i + 1, dlerror()), 1;
    for (long i = 0; i < n; i++) pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
    for (long i = 0; i < n; i++) {
        double right = (2 + (double)i) * (2 + (double)i), there = result[i];
        work((void *)i);
        wrong += there != right || result[i] != right;
    }
    for (int i = 0; i < n; i++) dlclose(library[i]);
    return wrong ? 2 : 0;
}
C
flags="-std=gnu11 -O1 -fPIC -fvisibility=hidden -Iinclude"
if ! ${CC:-cc} $flags -shared "$folder/plugin.c" -Wl,--exclude-libs,libsitu.a "$build/libsitu.a" -lpthread -ldl -lm -o "$folder/plugin.so" 2>"$folder/log" ||
    ! ${CC:-cc} -O1 "$folder/host.c" -lpthread -ldl -o "$folder/host" 2>>"$folder/log" ||
    ! ${CC:-cc} -O1 "$folder/many.c" -lpthread -ldl -o "$folder/many" 2>>"$folder/log"; then
    cat "$folder/log"
    echo "FAIL plugin: it cannot be built"
    exit 0
fi
cp "$folder/plugin.so" "$folder/second.so"
if "$folder/host" "$folder/plugin.so" "$folder/second.so" 2>"$folder/log"; then echo "PASS plugin: two of them are closed while their threads are there"; else
    echo "FAIL plugin: closed while its threads are there ($?): $(tail -n 1 "$folder/log")"
fi

many=()
for i in 1 2 3 4 5 6 7 8; do cp "$folder/plugin.so" "$folder/many$i.so" && many+=("$folder/many$i.so"); done
if "$folder/many" "${many[@]}" 2>"$folder/log"; then echo "PASS plugin: eight of them work in one process"; else
    echo "FAIL plugin: eight in one process ($?): $(tail -n 1 "$folder/log")"
fi
# The loader keeps about 2,000 bytes for libraries that are opened late and ask for thread-local memory at a fixed place.
if command -v readelf >/dev/null; then
    if readelf -dW "$folder/plugin.so" | grep -q STATIC_TLS; then echo "FAIL plugin: it takes thread-local memory from the loader's reserve"; else
        echo "PASS plugin: it takes nothing from the loader's reserve of thread-local memory"
    fi
fi

# The three ways of docs/plugins.md to export one's own functions alone; and that there is something to hide.
exports() { nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^plugin_run$' | head -n 3 | tr '\n' ' '; }
hides() { # <way> <plugin>
    local others
    others=$(exports "$2")
    if [ -z "$others" ]; then echo "PASS plugin: it exports its own function alone ($1)"; else echo "FAIL plugin: $1: it exports $others"; fi
}
hides "--exclude-libs" "$folder/plugin.so"
printf '{ global: plugin_run; local: *; };\n' >"$folder/plugin.map"
if ${CC:-cc} $flags -shared "$folder/plugin.c" "$build/libsitu.a" -Wl,--version-script,"$folder/plugin.map" -lpthread -ldl -lm -o "$folder/listed.so"; then
    hides "a list of exports" "$folder/listed.so"
else echo "FAIL plugin: a list of exports: it cannot be linked"; fi
# A library of the plugin's author that has libsitu.a in it: one object whose other names are local.
if ${CC:-cc} $flags -c "$folder/plugin.c" -o "$folder/plugin.o" && ld -r "$folder/plugin.o" "$build/libsitu.a" -o "$folder/whole.o" &&
    objcopy --keep-global-symbol=plugin_run "$folder/whole.o" "$folder/hidden.o" &&
    ${CC:-cc} -shared "$folder/hidden.o" -lpthread -ldl -lm -o "$folder/merged.so"; then
    hides "one object" "$folder/merged.so"
else echo "FAIL plugin: one object: it cannot be linked"; fi
if ${CC:-cc} $flags -shared "$folder/plugin.c" "$build/libsitu.a" -lpthread -ldl -lm -o "$folder/open.so" && [ -n "$(exports "$folder/open.so")" ]; then
    echo "PASS plugin: without them it exports the library's functions too"
else echo "FAIL plugin: nothing is hidden by them"; fi
