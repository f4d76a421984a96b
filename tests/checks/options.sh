#!/usr/bin/env bash
# Options mean what is written, or the compiler or the call refuses them: snippets with what is to come of them, in gcc and
# clang; and every struct of options begins in C++ with C's defaults.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${SITU_BUILD_DIR:-build}" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# SNIPPET | what it prints, or "refused" (it does not compile), or words of the error of the call
cat >"$place/snippets" <<'END'
show(situ_conv2d(ones(1,1,4,4), ones(1,1,3,3), .padding = 1)) | [1,1,4,4]
show(situ_conv2d(ones(1,1,5,5), ones(1,1,3,3), .stride = 2)) | [1,1,2,2]
show(situ_max_pool2d(ones(1,1,4,4), SHAPE(2), .stride = 1)) | [1,1,3,3]
show(situ_sum(ones(2,3), .axes = 1)) | [2]
show(situ_sum(ones(2,3), .axes = 0)) | [3]
show(situ_sum(ones(2,3), .axes = -1, .keepdims = true)) | [2,1]
show(situ_squeeze(ones(1,1,3), .axes = 0)) | [1,3]
show(situ_slice(ones(5), .start = 1)) | [4]
show(situ_slice(ones(5), .stop = 0)) | [0]
show(situ_slice(ones(5), .step = 2)) | [3]
show(situ_fftn(ones(4), .s = 8)) | [8]
show(situ_slice(ones(5,5), .start = 1)) | one number
show(situ_conv2d(ones(1,1,4,4), ones(1,1,3,3), .padding = {1, 1})) | is no shape
show(situ_conv2d(ones(1,1,4,4), ones(1,1,3,3), .padding = 1, 1)) | refused
show(situ_zeros(SHAPE(2), .device = (situ_device){SITU_CPU, 0}, .dtype = SITU_F64)) | [2]
show(situ_max_pool2d(ones(1,1,4,4), SHAPE(2), .stride = (situ_shape){{1, 1}, 2})) | [1,1,3,3]
show(situ_sum(ones(2,3), .axes = {0})) | no list of axes
show(situ_sum(ones(2,3), .axes = {0, 1})) | no list of axes
show(situ_sum(ones(2,3), .axes = AXES(0, 0))) | named twice
show(situ_zeros(SHAPE(2), .device = 1)) | no device
show(situ_sum(ones(2,3), .ord = 3)) | refused
show(situ_max(ones(2,3), .correction = 1)) | refused
show(situ_max(ones(2,3), .dtype = SITU_F64)) | refused
show(situ_zeros(SHAPE(2), .borrow = true)) | refused
show(situ_normal(situ_key(0), SHAPE(2), .low = 1)) | refused
show(situ_key(0, .dtype = SITU_F32)) | refused
show(situ_max_pool2d(ones(1,1,4,4), SHAPE(2), .count_padding = false)) | refused
show(situ_linear_scan(ones(2), ones(2), .initial = true)) | refused
show(situ_guard_open(.ord = 1)) | refused
show(situ_unique(ones(2), .fill = 1)) | refused
show(situ_avg_pool2d(ones(1,1,4,4), SHAPE(2), .dilation = SHAPE(2))) | refused
show(situ_nonzero(ones(2), .inverse = NULL)) | refused
show(situ_matrix_norm(ones(2,2), .ord = 1)) | SITU_INDUCED
show(situ_conv2d(ones(1,1,4,4), ones(1,1,3,3), .groups = 1.5)) | refused
show(situ_softmax(ones(2), .axis = x)) | refused
show(situ_reshape(ones(2,3), SHAPE(2.5))) | refused
show(situ_ones(SHAPE(1,1,1,1,1,1,1,1,1))) | refused
show(situ_eye(2.5)) | refused
show(situ_add(x, &x)) | refused
show(situ_add(x, 2.5L)) | refused
show(situ_add(x, "2")) | refused
show(situ_add(x, numbers)) | refused
show(situ_add(x, NULL)) | NULL
show(situ_add(x, 'a')) | [2]
show(situ_sum(x, 1)) | refused
show(situ_sum(x, 0)) | refused
show(situ_sum(x, .keepdims = true, 0)) | refused
show(situ_values(1, 2, 3)) | [3]
printf("%s", situ_dtype_name(situ_dtype_of(situ_values(1, -2, 3)))) | i64
printf("%s", situ_dtype_name(situ_dtype_of(situ_values(1, 2.5, 3)))) | f32
printf("%g", situ_item(situ_sum(situ_values(1, 2.5f, 'a')))) | 100.5
printf("%lld", (long long)situ_item_int(situ_values(9007199254740993))) | 9007199254740993
situ_values(x) | refused
situ_values("1", 2) | refused
show(situ_from_host((float[]){1}, SHAPE(1))) | [1]
show(situ_from_host((double *)numbers + 1, SHAPE(2))) | [2]
show(situ_from_host((float[]){1, 2}, SHAPE(2))) | refused
situ_module_free((situ_optimizer *)0) | refused
situ_eye(2.0) | refused
situ_dropout_layer(0.5), situ_flatten_layer(1) | refused
show(situ_eye(2, .columns = -5)) | negative
show(situ_uniform(situ_key(0), SHAPE(2), .low = 2, .high = 1)) | no range
printf("%g", situ_item(situ_sum(situ_from_host(numbers, SHAPE(3))))) | 6
printf("%s", situ_dtype_name(situ_dtype_of(situ_from_host(bytes, SHAPE(4))))) | u8
printf("%s", situ_dtype_name(situ_dtype_of(situ_from_host(table, SHAPE(2, 2))))) | i32
show(situ_from_host(bytes, SHAPE(5))) | bytes are needed
show(situ_from_host(numbers, SHAPE(3), .dtype = SITU_F32)) | points to f64
printf("%d", situ_read(x, numbers, 8)) | points to f64
situ_item(2.5) | refused
show(situ_where(x > 0, x, 0)) | refused
show(situ_where(situ_greater(x, 0), x, 0)) | [2]
show(situ_all(x == x)) | refused
show(situ_any(!x)) | refused
show(situ_sum(x > x)) | refused
show(situ_logical_and(x > 0, x < x)) | refused
show(situ_logical_not(x != x)) | refused
situ_eval(TENSORS(x, 3)) | refused
show(situ_concat(TENSORS(x, 1))) | refused
show(situ_concat(TENSORS(x, x))) | [4]
show(situ_from_host(pointers, SHAPE(2))) | refused
situ_read(x, pointers, 8) | refused
situ_sequential(situ_relu_layer(), 3) | refused
printf("%d", situ_sequential(situ_relu_layer()) && situ_sequential()) | 1
show(situ_pow(situ_arange(0, 3, 1), -1)) | fractions
show(situ_scatter(situ_arange(0, 2, 1), situ_zeros(SHAPE(1), .dtype = SITU_I64), x)) | does not hold
END
status=0
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "SKIP options: no $compiler"; continue; }
    count=0
    while IFS='|' read -r snippet wanted; do
        wanted=${wanted# } count=$((count + 1))
        cat >"$place/program.c" <<C
#include <situ.h>
static void show(situ_tensor *t)
{
    if (situ_wait(t)) return;
    printf("[");
    for (int i = 0; i < situ_ndim(t); i++) printf("%s%lld", i ? "," : "", (long long)situ_dim(t, i));
    printf("]");
}
#define ones(...) situ_ones(SHAPE(__VA_ARGS__))
int main(void)
{
    double numbers[] = {1, 2, 3};
    unsigned char bytes[] = {1, 2, 3, 4};
    int table[2][2] = {{1, 2}, {3, 4}};
    float *pointers[2] = {0};
    situ_tensor *x = ones(2);
    (void)numbers, (void)bytes, (void)table, (void)pointers, (void)x, (void)show;
    $snippet;
    printf("%s", situ_error_message());
    return 0;
}
C
        if ! $compiler -std=c11 -Iinclude "$place/program.c" -o "$place/program" -L"$build" -lsitu -Wl,-rpath,"$build" >"$place/log" 2>&1; then
            got=refused
        else
            got=$("$place/program" 2>&1)
        fi
        case $got in *"$wanted"*) ;; *) echo "FAIL options: $snippet by $compiler: \"$got\", not \"$wanted\""; status=1;; esac
    done <"$place/snippets"
    [ $status -ne 0 ] || echo "PASS options: $count snippets by $compiler"
done

# the bytes of each struct, without those between and behind the fields, which nobody writes
names=$(sed -n 's/^SITU_HPP_DEFAULTS(\([a-z0-9_]*\), .*/\1/p' include/situ/call/defaults.hpp)
{ echo '#include <situ.h>
#include <string.h>
static void bytes(const char *name, const void *p, size_t n) { printf("%s", name); for (size_t i = 0; i < n; i++) printf("%02x", ((const unsigned char *)p)[i]); printf("\n"); }
int main(void) {'
  for n in $names; do echo "{ situ_${n}_options o = {SITU_DEFAULTS(SITU_$(echo "$n" | tr a-z A-Z)_DEFAULTS) .size = sizeof o, .unnamed = SITU_NAMED}; __builtin_clear_padding(&o); bytes(\"$n \", &o, sizeof o); }"; done
  echo 'return 0; }'; } >"$place/c.c"
{ echo '#include <situ.hpp>
#include <cstring>
#include <cstdio>
template <class T> void bytes(const char *name) { alignas(T) unsigned char m[sizeof(T)]; std::memset(m, 0, sizeof m); __builtin_clear_padding(new (m) situ::options<T>); std::printf("%s", name); for (unsigned char b : m) std::printf("%02x", b); std::printf("\n"); }
int main() {'
  for n in $names; do echo "bytes<situ_${n}_options>(\"$n \");"; done
  echo '}'; } >"$place/cpp.cpp"
${CC:-cc} -std=gnu11 -Iinclude "$place/c.c" -o "$place/c" && "$place/c" >"$place/c.out" &&
    ${CXX:-c++} -std=c++17 -Iinclude "$place/cpp.cpp" -o "$place/cpp" -L"$build" -lsitu -Wl,-rpath,"$build" && "$place/cpp" >"$place/cpp.out"
if [ -s "$place/c.out" ] && cmp -s "$place/c.out" "$place/cpp.out"; then
    echo "PASS options: $(wc -l <"$place/c.out") structs begin in C++ as in C"
else
    echo "FAIL options: in C++ and C differ $(diff "$place/c.out" "$place/cpp.out" | sed -n 's/^[<>] \([a-z0-9_]*\) .*/\1/p' | sort -u | tr '\n' ' ')"
fi
# no struct is left out
for n in $(cat include/situ/*.h | sed -n 's/^typedef struct SITU_BY_NAME situ_\([a-z0-9_]*\)_options.*/\1/p'); do
    echo "$names" | grep -qx "$n" || { echo "FAIL options: situ.hpp has no defaults of situ_${n}_options"; status=1; }
done
exit $status
