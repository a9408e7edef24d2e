# SPDX-License-Identifier: MIT
# What recipes_test.py runs the port with in place of vcpkg: `cmake -D NAME=VALUE.. -P vcpkg_functions.cmake`. The functions
# take what those of vcpkg take and do what they do for one configuration, but compile nothing.
cmake_minimum_required(VERSION 3.25)

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${option}=ON)
    else()
      list(APPEND options -D${option}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure does not take ${arg_UNPARSED_ARGUMENTS}")
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${BUILD_FOLDER} -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
            -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib
            -DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON ${arg_OPTIONS}
    ERROR_VARIABLE errors OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  if(errors MATCHES "not used by the project:.*VOLT_")
    message(FATAL_ERROR "${errors}")
  endif()
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND ${INSTALL} ${BUILD_FOLDER} ${CURRENT_PACKAGES_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  set(target ${CURRENT_PACKAGES_DIR}/share/volt)
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*)
  file(COPY ${files} DESTINATION ${target})
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib/cmake)
  # The files are two folders below the prefix instead of three.
  file(READ ${target}/voltTargets.cmake targets)
  string(REPLACE [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]]
         [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]] fixed "${targets}")
  if(fixed STREQUAL targets)
    message(FATAL_ERROR "voltTargets.cmake finds the prefix in another way than vcpkg corrects")
  endif()
  file(WRITE ${target}/voltTargets.cmake "${fixed}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/volt/copyright)
endfunction()

include(${PORT_FOLDER}/portfile.cmake)
