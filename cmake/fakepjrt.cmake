# A plugin of PJRT that is broken as the environment says, for tests only (tests/fakepjrt/plugin.c).
add_library(fakepjrt MODULE tests/fakepjrt/plugin.c)
set_target_properties(fakepjrt PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fakepjrt")
target_compile_options(fakepjrt PRIVATE -fvisibility=hidden)
target_include_directories(fakepjrt PRIVATE src)
target_link_libraries(fakepjrt PRIVATE situ_flags ${CMAKE_DL_LIBS})
