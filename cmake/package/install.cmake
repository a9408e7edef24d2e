# SPDX-License-Identifier: MIT
# The files that `cmake --install` and `cpack` copy. First of all the libraries, their public headers, and the files with
# which other projects find them:
#   find_package(volt)  and  target_link_libraries(app PRIVATE volt::config)
#   pkg-config --cflags --libs volt        (and volt-pg, volt-sqlite, volt-redis, volt-sessions, volt-stores, volt-topics)
# All paths are relative, so the installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(include_folder ${CMAKE_INSTALL_INCLUDEDIR}/volt)  # a separate folder, so that <http/http.h> cannot conflict
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/volt)
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# volt_private_headers(<result> <public header>...): returns the headers of this project that the public headers
# include, directly or indirectly, without the public headers themselves.
function(volt_private_headers result)
  set(seen ${ARGN})
  set(found "")
  set(pending ${ARGN})
  while(pending)
    list(POP_FRONT pending header)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included ${line})
      if(NOT included IN_LIST seen)
        list(APPEND seen ${included})
        list(APPEND pending ${included})
        list(APPEND found ${included})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The component of what programs with Volt are built with. The other one, programs, is what they may use where they run.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(public_headers "")
foreach(name runtime crypto tracing http tls migrations database pg sqlite redis sessions stores topics config)
  if(NOT TARGET volt_${name})  # see VOLT_PG and the like
    continue()
  endif()
  set_target_properties(volt_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(volt_${name} PUBLIC $<INSTALL_INTERFACE:${include_folder}>)
  get_target_property(headers volt_${name} HEADER_SET)
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND public_headers ${header})
  endforeach()
  install(TARGETS volt_${name} EXPORT volt ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          FILE_SET HEADERS DESTINATION ${include_folder})
endforeach()
volt_private_headers(private_headers ${public_headers})
foreach(header IN LISTS private_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${include_folder}/${folder})
endforeach()

# The dependencies of the static libraries: packages of the system, and llhttp itself if the system's is too old.
install(FILES cmake/FindLiburing.cmake cmake/FindCares.cmake cmake/FindLlhttp.cmake cmake/FindCompressors.cmake cmake/FindLibpq.cmake
              cmake/FindHiredis.cmake cmake/FindArgon2.cmake
        DESTINATION ${package_folder})
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${Llhttp_LIBRARY} llhttp_is_unpacked)
if(llhttp_is_unpacked)
  install(FILES ${Llhttp_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR}/volt)
  install(FILES ${Llhttp_INCLUDE_DIR}/llhttp.h DESTINATION ${CMAKE_INSTALL_LIBDIR}/volt)
endif()

install(EXPORT volt NAMESPACE volt:: DESTINATION ${package_folder} FILE voltTargets.cmake)
configure_package_config_file(cmake/package/voltConfig.cmake.in voltConfig.cmake INSTALL_DESTINATION ${package_folder}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(voltConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/voltConfig.cmake ${PROJECT_BINARY_DIR}/voltConfigVersion.cmake
        cmake/package/compiler.cmake DESTINATION ${package_folder})

file(RELATIVE_PATH prefix_from_pkgconfig /${pkgconfig_folder} /)
list(JOIN volt_session_databases " " session_packages)  # which volt-sessions requires
string(REPLACE "_" "-" session_packages "${session_packages}")
foreach(name volt volt-pg volt-sqlite volt-redis volt-sessions volt-stores volt-topics)
  string(REPLACE "-" "_" target ${name})
  if(NOT name STREQUAL "volt" AND NOT TARGET ${target})
    continue()
  endif()
  configure_file(cmake/package/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_folder})
endforeach()

foreach(name volt-new volt-watch)
  install(PROGRAMS cmake/package/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  configure_file(cmake/package/debian/${name}.1.in debian/${name}.1 @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/debian/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
install(DIRECTORY cmake/package/template DESTINATION ${CMAKE_INSTALL_DATADIR}/volt)

install(FILES config/default.toml config/debug/volt-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/volt COMPONENT programs)
# Optional, because an image of a project builds Volt from what .dockerignore lets in (cmake/package/template/Dockerfile).
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs OPTIONAL)
if(TARGET hello AND TARGET proxy AND EXISTS ${PROJECT_SOURCE_DIR}/config/deploy)  # which .dockerignore keeps out
  include(cmake/package/debian/programs.cmake)
  if(PROJECT_IS_TOP_LEVEL)
    include(cmake/package/debian/cpack.cmake)
  endif()
endif()
