#!/usr/bin/env bash
# Whatever a variable of the environment says: the program computes or is told what is wrong; it does not crash, wait, or write where
# it was not told to. Each variable of src/base/environment.def with each of these values.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${SITU_BUILD_DIR:-build}" && pwd) || { echo "FAIL environment_values: nothing is built"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/p.c" <<'C'
#include <situ.h>
#include <stdio.h>
static void tell(void)
{
    situ_error e;
    if (situ_error_take(&e)) puts(e.message);
}
int main(void)
{
    situ_tensor *x = situ_sin(situ_reshape(situ_arange(0, 64, 1, .dtype = SITU_F32), SHAPE(8, 8)));
    double sum = situ_item(situ_sum(situ_matmul(x, x)));
    if (situ_failed()) tell();
    else printf("sum %g\n", sum);
    situ_device_info info;
    for (int i = 0; i < situ_num_gpus() && i < 2; i++)
        if (situ_device_describe(situ_gpu(i), &info)) tell();
    if (situ_num_gpus() > 0 && situ_wait(situ_add(situ_ones(SHAPE(3), .device = situ_gpu(0)), 1))) tell();
    tell();
    puts(situ_tuning());
    situ_shutdown();
    return 0;
}
C
"${CC:-cc}" -std=gnu11 -Iinclude "$folder/p.c" -o "$folder/p" -L"$build" -lsitu -Wl,-rpath,"$build" 2>"$folder/log" ||
    { head -3 "$folder/log"; echo "FAIL environment_values: the program does not compile"; exit 1; }
mkdir "$folder/dir" "$folder/in" && mkfifo "$folder/fifo" && cd "$folder/in" || exit 1
long=$(printf 'x%.0s' {1..20000})
values=("" 0 -1 1e999 99999999999999999999 nan '%s%n%s' $'\xff\xfe\x01' "$long" ',, ;a=b:' "$folder/fifo" "$folder/dir" /dev/null /dev/zero)
unset SITU_SIM_GPUS
tried=0 bad=0
for name in $(sed -nE 's/^VARIABLE\([01], (\w+),.*/\1/p' "$OLDPWD/src/base/environment.def"); do
    for value in "${values[@]}"; do
        env "$name=$value" timeout 20 "$folder/p" >"$folder/out" 2>&1 </dev/null
        status=$?
        tried=$((tried + 1))
        if [ "$status" -ne 0 ] || ! grep -qa . "$folder/out"; then
            echo "FAIL environment_values: $name=${value:0:40}: ended with $status: $(head -c 200 "$folder/out" | tr '\n\0' '  ')"
            bad=1
        fi
    done
done
shopt -s nullglob dotglob
for file in *; do # the trace has been written where it was told to
    named=0
    for value in "${values[@]}"; do [ "$file" = "$value" ] && named=1; done
    [ "$named" = 1 ] || { echo "FAIL environment_values: $file was written, which nobody named"; bad=1; }
done
[ "$bad" = 1 ] || echo "PASS environment_values: $tried programs with unexpected values compute or say why not"
