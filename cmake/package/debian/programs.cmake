# SPDX-License-Identifier: MIT
# Two programs of apps/, each with its service, settings and manual page: most of the Debian package `volt`. The libraries
# are static, so that no program with Volt needs this package. It is for machines where such programs run: to try what
# Volt does there, as a proxy in front of them, and as a pattern for their services.
#
# The programs have a prefix, because Debian has a program `hello`. (Left out: `files`, which takes uploads from every
# client, and the other examples, which are there to be read.)

# volt_install_program(<name> <port> <ops port> <description>): installs bin/<name> as volt-<name>.
function(volt_install_program name port ops_port description)
  set(full_name volt-${name})
  set(made ${PROJECT_BINARY_DIR}/debian/${full_name})
  set(component COMPONENT programs)
  # Optional, because `cmake --install` is also called where only the libraries have been built.
  install(PROGRAMS $<TARGET_FILE:${name}> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${full_name} ${component} OPTIONAL)
  set(installed "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${full_name}")
  install(CODE "if(CMAKE_INSTALL_DO_STRIP AND EXISTS \"${installed}\")
    execute_process(COMMAND \"${CMAKE_STRIP}\" \"${installed}\" COMMAND_ERROR_IS_FATAL ANY)
  endif()" ${component})

  configure_file(cmake/package/debian/program.1.in ${made}.1 @ONLY)
  install(FILES ${made}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${component})

  # Parts of the system, which `cmake --install` without a component leaves alone.
  configure_file(cmake/package/debian/${name}.toml.in ${made}.toml @ONLY)
  install(FILES ${made}.toml DESTINATION /etc/${full_name} RENAME volt.toml ${component} EXCLUDE_FROM_ALL)
  foreach(kind service socket)  # the units of hello with other names
    set(pattern ${PROJECT_SOURCE_DIR}/config/deploy/volt-hello.${kind})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pattern})
    file(READ ${pattern} unit)
    string(REPLACE "volt-hello" ${full_name} unit "${unit}")
    string(REGEX REPLACE "(program|service) hello" "\\1 ${name}" unit "${unit}")
    string(REGEX REPLACE "\nExecStart=[^\n]*"
           "\nExecStart=/usr/bin/${full_name} --config /etc/${full_name}/volt.toml --listen systemd:" unit "${unit}")
    string(REGEX REPLACE "\nDocumentation=[^\n]*" "\nDocumentation=man:${full_name}(1)" unit "${unit}")
    string(REPLACE "ListenStream=8080" "ListenStream=${port}" unit "${unit}")
    file(CONFIGURE OUTPUT ${made}.${kind} CONTENT "${unit}" @ONLY)
    install(FILES ${made}.${kind} DESTINATION lib/systemd/system ${component} EXCLUDE_FROM_ALL)
  endforeach()
endfunction()

volt_install_program(hello 8080 9090 "a small server, to try what Volt does on a machine")
volt_install_program(proxy 8081 9091 "a reverse proxy for HTTP/1.1 and WebSocket")
install(DIRECTORY config/deploy DESTINATION ${CMAKE_INSTALL_DATADIR}/volt COMPONENT programs)
