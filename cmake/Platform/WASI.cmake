# CMake 3.18 to 3.30 does not know this system.
set(WASI 1)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
