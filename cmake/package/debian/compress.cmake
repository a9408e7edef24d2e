# SPDX-License-Identifier: MIT
# CPack runs it before it makes the packages: Debian compresses manual pages and changelogs, without the time.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share/man/*.1
     ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share/doc/*/changelog)
if(files)
  execute_process(COMMAND gzip -9nf ${files} COMMAND_ERROR_IS_FATAL ANY)
endif()
