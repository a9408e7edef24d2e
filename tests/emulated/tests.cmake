# SPDX-License-Identifier: MIT
# The tests of a cross build. They run under QEMU's user mode, which translates the program and passes its system calls
# to the kernel of this machine. It has no io_uring, so all of them run with epoll. The kernel sees QEMU, not the
# program: tests of what it does not pass on are excluded below, by name. (`*` stands for any text; names with commas end
# before them.)
# It cannot show what a weak memory order does either, because the code runs in the order of this machine's processor;
# the models do (tests/model).
if(NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "no emulator (qemu-user): the tests are built, not registered")
endif()

# volt_test_emulated(<name> <library> <folder>...): builds a binary like volt_test_binary, and registers it with epoll.
# `excluded` lists the test cases to leave out.
function(volt_test_emulated name library)
  volt_test_binary(${name} ${library} ${ARGN})
  if(NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  list(JOIN excluded "," names)
  add_test(NAME ${name}_epoll COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/quietly.sh ${CMAKE_CROSSCOMPILING_EMULATOR}
                                      $<TARGET_FILE:${name}> --test-case-exclude=${names})
  set_tests_properties(
    ${name}_epoll PROPERTIES ENVIRONMENT "VOLT_TEST_IO=epoll" TIMEOUT 1800 RUN_SERIAL ON)
endfunction()

set(excluded
    "without epoll_pwait2 in the kernel or the sandbox*" # installs a seccomp filter
    "where io_uring is not available*" # as above
    "concurrent appends do not overwrite each other" # pwritev2
    "datagrams of a multicast group*" # MCAST_JOIN_GROUP
    "a program gets its arguments*" # vfork: QEMU forks, so the child cannot report that its exec failed
    "a runtime that cannot create its threads throws" # RLIMIT_AS
)
volt_test_emulated(runtime_tests volt_runtime runtime)

set(excluded
    "nothing outside the directory is served" # openat2: without it, symbolic links are not followed
    "a path is opened only beneath its directory" # as above
    "without openat2 the path is walked name by name" # installs a seccomp filter
    "a path that is renamed all the time is given up" # as above
    "the process has memory*" # QEMU's /proc/self/stat has no figures
    "computation increases the CPU time" # as above
    "the metrics include connections*" # as above
    "a file system that cannot tell what waits is recognized*" # preadv2
    "the time for which a connection has waited in the backlog*" # TCP_INFO
    "reading a field of 8 KiB takes less than a millisecond*" # its speed is QEMU's
    "stalls of short computations are charged to their route*" # as above
    "a handler that blocks in the kernel is logged as blocked*" # it computes first, while QEMU translates it
    "handlers that only await*" # as above
    "clients that send large bodies slowly*" # its memory is QEMU's
    "bodies* then all requests are refused*" # as above
)
volt_test_emulated(http_tests volt_http http regressions)

set(excluded "")
volt_test_emulated(stress_tests volt_http stress)

# hello_test.py starts programs of a folder, so this folder has a program that starts hello under the emulator.
if(CMAKE_CROSSCOMPILING_EMULATOR AND TARGET hello)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  file(WRITE ${PROJECT_BINARY_DIR}/emulated/hello
       "#!/bin/sh\nexec ${emulator} '${PROJECT_BINARY_DIR}/bin/hello' \"$@\"\n")
  file(CHMOD ${PROJECT_BINARY_DIR}/emulated/hello FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  add_test(NAME hello_epoll COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/e2e/hello_test.py ${PROJECT_BINARY_DIR}/emulated)
  set_tests_properties(hello_epoll PROPERTIES ENVIRONMENT "VOLT_TEST_IO=epoll" TIMEOUT 300)
endif()
