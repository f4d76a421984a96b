# For WebAssembly (wasm32-wasi) by Debian's clang, lld, wasi-libc and libclang-rt-*-dev-wasm32. One thread, no processes:
#   cmake -S . -B build-wasi -DCMAKE_TOOLCHAIN_FILE=cmake/wasi.cmake -DSITU_PARTS=core,net,train
# -DSITU_WASM_SIMD=OFF is for a runtime without vectors.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
find_program(CMAKE_AR NAMES llvm-ar llvm-ar-14)
find_program(CMAKE_RANLIB NAMES llvm-ranlib llvm-ranlib-14)
option(SITU_WASM_SIMD "Use the vectors of WebAssembly" ON)
if(SITU_WASM_SIMD)
  set(CMAKE_C_FLAGS_INIT "-msimd128")
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=4194304,--stack-first")
