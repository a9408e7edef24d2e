# SPDX-License-Identifier: MIT
# Finds the static library llhttp. Target: Llhttp::Llhttp. Looks first where `./dev` unpacks it (build/packages/llhttp),
# then where an installed Volt has put it (lib/volt), then in the system.
# Callers must require version 9.2: earlier versions accept requests that Volt must refuse.
set(unpacked ${CMAKE_CURRENT_LIST_DIR}/../build/packages/llhttp/usr)
cmake_path(NORMAL_PATH unpacked)
set(brought ${CMAKE_CURRENT_LIST_DIR}/../../volt ${CMAKE_CURRENT_LIST_DIR}/../../lib/volt)  # from lib/cmake or share
find_path(Llhttp_INCLUDE_DIR llhttp.h HINTS ${unpacked}/include ${brought})
file(GLOB unpacked_libraries ${unpacked}/lib/*)
find_library(Llhttp_LIBRARY NAMES libllhttp.a HINTS ${unpacked_libraries} ${brought})

unset(Llhttp_VERSION)
if(Llhttp_INCLUDE_DIR)
  file(STRINGS ${Llhttp_INCLUDE_DIR}/llhttp.h lines REGEX "#define LLHTTP_VERSION_(MAJOR|MINOR|PATCH) ")
  foreach(part MAJOR MINOR PATCH)
    if(lines MATCHES "LLHTTP_VERSION_${part} ([0-9]+)")
      list(APPEND Llhttp_VERSION ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN Llhttp_VERSION "." Llhttp_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Llhttp REQUIRED_VARS Llhttp_LIBRARY Llhttp_INCLUDE_DIR VERSION_VAR Llhttp_VERSION
  REASON_FAILURE_MESSAGE "run ./dev build once: it installs libllhttp-dev or unpacks it under build/packages")
if(Llhttp_FOUND AND NOT TARGET Llhttp::Llhttp)
  add_library(Llhttp::Llhttp STATIC IMPORTED)
  set_target_properties(Llhttp::Llhttp PROPERTIES IMPORTED_LOCATION ${Llhttp_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${Llhttp_INCLUDE_DIR})
endif()
mark_as_advanced(Llhttp_INCLUDE_DIR Llhttp_LIBRARY)
