# A CUDA driver, NVRTC and NVML without a card, for tests only (tests/fakecuda/fakecuda.h): build/fakecuda/. Sanitizers are
# left out: kernels run as coroutines on stacks that these do not know.
set(SITU_FAKECUDA_DIR "${CMAKE_CURRENT_BINARY_DIR}/fakecuda")

add_library(fakecuda_flags INTERFACE)
target_compile_options(fakecuda_flags INTERFACE -std=gnu11 -O2 -g1 -fvisibility=hidden -ftls-model=initial-exec -Wall -Wextra -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wvla "-Wa,-I${situ_root}")
if(SITU_WARNINGS_AS_ERRORS)
  target_compile_options(fakecuda_flags INTERFACE -Werror)
endif()

add_library(fakecuda_kernel_side OBJECT tests/fakecuda/kernel_side.c)
set_target_properties(fakecuda_kernel_side PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(fakecuda_kernel_side PRIVATE -fno-builtin)
target_link_libraries(fakecuda_kernel_side PRIVATE fakecuda_flags)

file(GLOB fakecuda_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/fakecuda/*.c")
list(FILTER fakecuda_sources EXCLUDE REGEX "/(kernel_side|nvrtc|nvml|cublaslt|cudnn|nccl)\\.c$")
add_library(fakecuda_driver SHARED ${fakecuda_sources})
situ_embedded_files("${CMAKE_CURRENT_SOURCE_DIR}/tests/fakecuda/compile.c")
set_target_properties(fakecuda_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX ".so.1")
# libsitu may close it; the executor and what tests ask it for stay
target_link_options(fakecuda_driver PRIVATE -Wl,-soname,libfakecuda.so.1 -Wl,-z,defs -Wl,-z,nodelete)
target_link_libraries(fakecuda_driver PRIVATE fakecuda_flags Threads::Threads ${CMAKE_DL_LIBS})
add_custom_command(TARGET fakecuda_driver POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND} -E copy_if_different
  $<TARGET_OBJECTS:fakecuda_kernel_side> "${SITU_FAKECUDA_DIR}/kernel_side.o"
  COMMAND ${CMAKE_COMMAND} -E create_symlink libcuda.so.1 "${SITU_FAKECUDA_DIR}/libfakecuda.so.1")
add_dependencies(fakecuda_driver fakecuda_kernel_side)

foreach(name nvrtc nvml cublaslt cudnn nccl)
  add_library(fakecuda_${name} SHARED tests/fakecuda/${name}.c)
  target_link_options(fakecuda_${name} PRIVATE -Wl,-z,nodelete)
  target_link_libraries(fakecuda_${name} PRIVATE fakecuda_flags fakecuda_driver m)
endforeach()
set_target_properties(fakecuda_nvrtc PROPERTIES PREFIX "" OUTPUT_NAME libnvrtc)
set_target_properties(fakecuda_nvml PROPERTIES PREFIX "" OUTPUT_NAME libnvidia-ml)
set_target_properties(fakecuda_cublaslt PROPERTIES PREFIX "" OUTPUT_NAME libcublasLt)
set_target_properties(fakecuda_cudnn PROPERTIES PREFIX "" OUTPUT_NAME libcudnn)
set_target_properties(fakecuda_nccl PROPERTIES PREFIX "" OUTPUT_NAME libnccl)
set_target_properties(fakecuda_driver fakecuda_nvrtc fakecuda_nvml fakecuda_cublaslt fakecuda_cudnn fakecuda_nccl PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${SITU_FAKECUDA_DIR}"
  BUILD_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
