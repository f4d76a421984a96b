#!/usr/bin/env bash
# What the process may have is the CPU's limit: too much is an error that names the tensors, and the program goes on.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-$PWD/build}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/p.c" <<'TEXT'
#include <situ.h>
#include <stdio.h>
int main(void)
{
    situ_memory m;
    situ_memory_of(situ_cpu(), &m);
    printf("limit %d\n", m.limit > 0);
    situ_scope *s = situ_scope_open();
    for (int i = 0; i < 64 && !situ_error_take(NULL); i++) {
        situ_tensor *t = situ_name(situ_full(SHAPE(64, 1024, 1024), 1.0), "large");
        if (situ_wait(t)) puts(situ_error_message());
    }
    situ_scope_close(s);
    return 0;
}
TEXT
if ! "${CC:-cc}" -Iinclude "$folder/p.c" -L"$build" -lsitu -Wl,-rpath,"$build" -o "$folder/p" 2>"$folder/log"; then
    echo "SKIP memory_allowed: a program does not link: $(head -n 1 "$folder/log")"
    exit 0
fi
out=$( (ulimit -v 4000000 && "$folder/p") 2>&1)
status=$?
if [ $status -eq 0 ] && grep -q '^limit 1' <<<"$out" && grep -q 'the limit is.*' <<<"$out" && grep -q '"large"' <<<"$out"; then
    echo "PASS memory_allowed: more than the process may have is an error that lists the largest tensors"
else
    echo "FAIL memory_allowed: status $status: $out"
fi
out=$( (ulimit -v 4000000 && SITU_CPU_MEMORY=0 "$folder/p") 2>&1 | head -n 1)
if [ "$out" = "limit 0" ]; then echo "PASS memory_allowed: SITU_CPU_MEMORY says otherwise"; else echo "FAIL memory_allowed: $out"; fi
