# Headers, libraries, command, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)

list(TRANSFORM situ_kinds TOLOWER OUTPUT_VARIABLE situ_libraries)
list(TRANSFORM situ_libraries PREPEND situ_)
install(TARGETS ${situ_libraries} EXPORT situTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET situ_command)
  install(TARGETS situ_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/situ")
install(EXPORT situTargets NAMESPACE situ:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/situConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/situConfig.cmake"
  INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/situConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/situConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/situConfigVersion.cmake"
  DESTINATION "${package_folder}")

# The pkg-config file finds its prefix from its own place, so that an installation may be moved.
file(RELATIVE_PATH SITU_PREFIX_FROM_PKGCONFIG "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/situ.pc.in "${CMAKE_CURRENT_BINARY_DIR}/situ.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/situ.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
