# SPDX-License-Identifier: MIT
# volt_shipped(<target>...): compiles Volt's own libraries and programs with the options of what is installed. Many memory
# errors then end the process instead of letting an attacker continue, and two builds of one tree are equal byte for byte,
# wherever they are made. docs/security.md has the measured price of each option, and tests/hardening checks the results.
#
# The options are private: users choose those of their own programs. Tests do without them, because the sanitizers find
# more errors there.
option(VOLT_HARDENING "Compile Volt with stack protector, fortified libc calls and checked indexes" ON)

# __FILE__ and the debug information name sources relative to the root of the repository, from where debuggers find them.
# Of two maps that match, the last one applies.
set(volt_shipped_options -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)

if(VOLT_HARDENING)
  list(APPEND volt_shipped_options -D_GLIBCXX_ASSERTIONS)
endif()
if(VOLT_HARDENING AND NOT VOLT_SANITIZE AND NOT VOLT_FUZZERS)  # the sanitizers check more, and these would hide from them
  list(APPEND volt_shipped_options -fstack-protector-strong -ftrivial-auto-var-init=zero)
  # It needs optimization. It is undefined first, because some distributions define it as 2.
  list(APPEND volt_shipped_options $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
       $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The fortified headers mark write(2) and others, and g++ warns although the result is cast to void. clang, which does
    # not, checks this code too.
    list(APPEND volt_shipped_options -Wno-unused-result)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND volt_shipped_options -fcf-protection=return)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND volt_shipped_options -mbranch-protection=standard)
  endif()
  # The files that cost most on the way of every request do without a stack protector and checked indexes, whose price is
  # 5 % of the instructions there (docs/security.md). Fuzz targets and sanitizers check these files with all of it.
  set_source_files_properties(
    http/http1/internal/request_line.cpp http/http1/request_decoder.cpp http/route/internal/path_tree.cpp
    http/route/route_tree.cpp http/server/internal/request_context.cpp http/server/internal/respond.cpp
    http/server/internal/service.cpp http/web/request.cpp http/web/response.cpp
    PROPERTIES COMPILE_OPTIONS "-fno-stack-protector;-U_GLIBCXX_ASSERTIONS")
  # The loader makes its tables of functions read-only before main().
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

function(volt_shipped)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${volt_shipped_options})
  endforeach()
endfunction()
