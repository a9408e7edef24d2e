// SPDX-License-Identifier: MIT

// The common functions of heavy_driver and topics_driver, which use sockets and epoll without Volt.
//
// Threads: any.
#pragma once

#include <netinet/in.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace loadtest {

// Reports the error of the system call that has just failed, and ends the process.
[[noreturn]] inline void fail(const char* call) {
  std::perror(call);
  std::exit(1);
}

// Returns the processor time that this process has used.
[[nodiscard]] inline double own_cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

[[nodiscard]] inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace loadtest
