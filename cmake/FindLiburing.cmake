# SPDX-License-Identifier: MIT
# Finds the static library liburing. Target: Liburing::Liburing. A static library makes sure that its inline helpers and
# its functions have the same version, and programs run on machines without liburing.
find_path(Liburing_INCLUDE_DIR liburing.h)
find_library(Liburing_LIBRARY NAMES liburing.a)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Liburing REQUIRED_VARS Liburing_LIBRARY Liburing_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "install liburing-dev, or run ./dev build")
if(Liburing_FOUND AND NOT TARGET Liburing::Liburing)
  add_library(Liburing::Liburing STATIC IMPORTED)
  set_target_properties(Liburing::Liburing PROPERTIES IMPORTED_LOCATION ${Liburing_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${Liburing_INCLUDE_DIR})
endif()
mark_as_advanced(Liburing_INCLUDE_DIR Liburing_LIBRARY)
