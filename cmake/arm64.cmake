# SPDX-License-Identifier: MIT
# The toolchain of the preset arm64: clang compiles for ARM64 with the libraries that `./dev build arm64` unpacks under
# build/packages/arm64 (or another sysroot, given as CMAKE_SYSROOT), and CTest runs the tests under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)  # the system's own linker links only for the system's processor
endforeach()

if(NOT CMAKE_SYSROOT)
  set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/packages/arm64)
  cmake_path(NORMAL_PATH CMAKE_SYSROOT)
endif()
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Programs are those of the build machine. Everything else comes from the sysroot, also what pkg-config finds.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR}
    "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

find_program(VOLT_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(VOLT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${VOLT_QEMU} -L ${CMAKE_SYSROOT})
endif()
