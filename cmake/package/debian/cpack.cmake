# SPDX-License-Identifier: MIT
# `cpack` in the build folder makes two Debian packages:
#   libvolt-dev   the libraries, which are static, their headers, and the files with which other projects find them
#   volt          programs, their services, and the files that every program with Volt may use where it runs
set(CPACK_GENERATOR DEB)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests and other programs need not be built
set(CPACK_PACKAGE_NAME volt)
set(CPACK_PACKAGE_CONTACT "the authors of Volt <volt@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL development programs)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

# volt_lower_bounds(<result> <package>...): returns the packages for Depends, each at least in the version with which the
# libraries are compiled here.
function(volt_lower_bounds result)
  set(bounds "")
  foreach(package IN LISTS ARGN)
    execute_process(COMMAND dpkg-query -W -f "\${Version}" ${package} OUTPUT_VARIABLE version RESULT_VARIABLE failed
                    ERROR_QUIET)
    if(failed OR version STREQUAL "")
      list(APPEND bounds ${package})
    else()
      string(REGEX REPLACE "-[^-]*$" "" version ${version})  # without the revision of Debian
      list(APPEND bounds "${package} (>= ${version})")
    endif()
  endforeach()
  list(JOIN bounds ", " bounds)
  set(${result} ${bounds} PARENT_SCOPE)
endfunction()

# Programs that link the libraries link these, too, and the pkg-config files of Volt require theirs.
set(packages liburing-dev libc-ares-dev libssl-dev libargon2-dev libsimdjson-dev zlib1g-dev libbrotli-dev libzstd-dev)
foreach(pair pg=libpq-dev sqlite=libsqlite3-dev redis=libhiredis-dev)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 package)
  if(TARGET volt_${name})
    list(APPEND packages ${package})
  endif()
endforeach()
volt_lower_bounds(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${packages})
if(NOT llhttp_is_unpacked)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libllhttp-dev (>= 9.2)")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libvolt-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "volt (= ${PROJECT_VERSION})")  # has the commands for gdb
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "clang-19, cmake, ninja-build, pkg-config, doctest-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "HTTP/1.1 server framework in C++23 (development files)
Handlers are functions or coroutines, which run on a work-stealing runtime with
one worker per processor, over io_uring or epoll.

This package has the static libraries, their headers, the files for CMake and
pkg-config, volt-new, which makes a project that uses them, and volt-watch,
which builds and restarts its program after each change.")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME volt)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION httpd)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "gdb, libvolt-dev")
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION
    "HTTP/1.1 servers built with Volt, and files for operating others
volt-proxy is a reverse proxy for HTTP/1.1 and WebSocket. volt-hello is a small
server, to try what Volt does on a machine. Their hardened systemd services
are patterns for those of other programs; none is enabled by default.

Also here: all settings with their defaults, commands for gdb, and files for
Docker, Kubernetes and HAProxy. Programs with Volt do not need this package.")

# The files that Debian wants of each package.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/debian/compress.cmake)
foreach(pair development=libvolt-dev programs=volt)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES cmake/package/debian/copyright cmake/package/debian/changelog DESTINATION share/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
install(FILES cmake/package/debian/libvolt-dev.overrides DESTINATION share/lintian/overrides RENAME libvolt-dev
        COMPONENT development EXCLUDE_FROM_ALL)

set(control ${PROJECT_SOURCE_DIR}/cmake/package/debian/control)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_CONTROL_EXTRA ${control}/conffiles ${control}/postinst ${control}/prerm ${control}/postrm)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
