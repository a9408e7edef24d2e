# SPDX-License-Identifier: MIT
# Finds zlib, brotli and zstd, for http/coding. Target: Compressors::Compressors.
find_path(Compressors_ZLIB_INCLUDE_DIR zlib.h)
find_path(Compressors_BROTLI_INCLUDE_DIR brotli/encode.h)
find_path(Compressors_ZSTD_INCLUDE_DIR zstd.h)
set(variables "")
foreach(library z brotlienc brotlidec brotlicommon zstd)
  find_library(Compressors_${library}_LIBRARY NAMES ${library})
  list(APPEND variables Compressors_${library}_LIBRARY)
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Compressors
  REQUIRED_VARS ${variables} Compressors_ZLIB_INCLUDE_DIR Compressors_BROTLI_INCLUDE_DIR Compressors_ZSTD_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install zlib1g-dev, libbrotli-dev and libzstd-dev")
if(Compressors_FOUND AND NOT TARGET Compressors::Compressors)
  add_library(Compressors::Compressors INTERFACE IMPORTED)
  set(libraries "")
  foreach(variable IN LISTS variables)
    list(APPEND libraries ${${variable}})
  endforeach()
  set_target_properties(Compressors::Compressors PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endif()
mark_as_advanced(${variables} Compressors_ZLIB_INCLUDE_DIR Compressors_BROTLI_INCLUDE_DIR Compressors_ZSTD_INCLUDE_DIR)
