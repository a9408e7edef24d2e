# SPDX-License-Identifier: MIT
# Finds PostgreSQL's client library, for pg/internal. Target: Libpq::Libpq. (CMake's own FindPostgreSQL requires the
# headers of the server.)
find_path(Libpq_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
find_library(Libpq_LIBRARY NAMES pq)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libpq REQUIRED_VARS Libpq_LIBRARY Libpq_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "install libpq-dev, or configure with -DVOLT_PG=OFF")
if(Libpq_FOUND AND NOT TARGET Libpq::Libpq)
  add_library(Libpq::Libpq UNKNOWN IMPORTED)
  set_target_properties(Libpq::Libpq PROPERTIES IMPORTED_LOCATION ${Libpq_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${Libpq_INCLUDE_DIR})
endif()
mark_as_advanced(Libpq_INCLUDE_DIR Libpq_LIBRARY)
