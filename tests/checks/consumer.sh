#!/usr/bin/env bash
# Installs into a fresh prefix and builds a small program against it: by CMake (shared and static) and by pkg-config.
set -u
cd "$(dirname "$0")/../.." || exit 1
build="${SITU_BUILD_DIR:-build}"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
status=0

verdict() { # STATUS NAME LOG
    if [ "$1" -eq 0 ]; then
        echo "PASS consumer: $2"
    else
        echo "FAIL consumer: $2: $(tail -n 3 "$3" | tr '\n' ' ')"
        status=1
    fi
}

cmake --install "$build" --prefix "$place/prefix" >"$place/install.log" 2>&1
verdict $? "install" "$place/install.log"
[ $status -eq 0 ] || exit 1

mkdir "$place/program"
cat >"$place/program/main.c" <<'C'
#include <situ.h>
#include <string.h>
int main(void) { return strcmp(situ_code_name(SITU_BAD_SHAPE), "bad shape") || situ_failed(); }
C
cat >"$place/program/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(consumer C)
find_package(situ 0.1 REQUIRED)
add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE situ::situ)
add_executable(with_static main.c)
target_link_libraries(with_static PRIVATE situ::static)
CMAKE
{
    cmake -S "$place/program" -B "$place/cmake" -DCMAKE_PREFIX_PATH="$place/prefix" &&
        cmake --build "$place/cmake" && "$place/cmake/with_shared" && "$place/cmake/with_static"
} >"$place/cmake.log" 2>&1
verdict $? "CMake package, shared and static" "$place/cmake.log"

if command -v pkg-config >/dev/null; then
    mv "$place/prefix" "$place/moved" # the files must not know where they were installed
    library_folder=$(dirname "$(find "$place/moved" -name libsitu.so)")
    export PKG_CONFIG_PATH="$library_folder/pkgconfig"
    {
        # shellcheck disable=SC2046
        ${CC:-cc} -std=c11 "$place/program/main.c" -o "$place/with_pkg_config" $(pkg-config --cflags --libs situ) &&
            LD_LIBRARY_PATH="$library_folder" "$place/with_pkg_config"
    } >"$place/pkg-config.log" 2>&1
    verdict $? "pkg-config, after the prefix was moved" "$place/pkg-config.log"
else
    echo "SKIP consumer: no pkg-config"
fi
exit $status
