# A plugin of PJRT that is broken as the environment says, for tests only (tests/fakepjrt/plugin.c).
add_library(fakepjrt MODULE tests/fakepjrt/plugin.c)
set_target_properties(fakepjrt PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt")
target_compile_options(fakepjrt PRIVATE -fvisibility=hidden)
target_include_directories(fakepjrt PRIVATE src)
target_link_libraries(fakepjrt PRIVATE situ_flags ${CMAKE_DL_LIBS})

# One that needs a library which the loader does not find.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt/absent.c" "int fakepjrt_absent(void);\nint fakepjrt_absent(void) { return 0; }\n")
add_library(fakepjrt_absent SHARED "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt/absent.c")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt/needy.c" "int fakepjrt_absent(void);\nint GetPjrtApi(void);\nint GetPjrtApi(void) { return fakepjrt_absent(); }\n")
add_library(fakepjrt_needy MODULE "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt/needy.c")
set_target_properties(fakepjrt_needy PROPERTIES PREFIX "" OUTPUT_NAME needy SKIP_BUILD_RPATH TRUE LIBRARY_OUTPUT_DIRECTORY
  "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt")
target_link_libraries(fakepjrt_needy PRIVATE fakepjrt_absent)
