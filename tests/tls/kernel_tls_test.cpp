// SPDX-License-Identifier: MIT

#include "tls/kernel_tls.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace volt::tls {

TEST_SUITE_BEGIN("tls/kernel_tls");

TEST_CASE("the probe agrees with the kernel's list of protocols") {
  const KernelTls found = probe_kernel_tls();
  if (found == KernelTls::not_in_libssl) return;
  std::ifstream file("/proc/sys/net/ipv4/tcp_available_ulp");
  if (!file) return;  // a container may hide the file
  std::ostringstream listed;
  listed << " " << file.rdbuf();
  CHECK((found == KernelTls::possible) == (listed.str().find(" tls") != std::string::npos));
}

TEST_CASE("every result has a text") {
  for (const KernelTls found : {KernelTls::possible, KernelTls::not_in_kernel, KernelTls::not_in_libssl})
    CHECK_FALSE(to_text(found).empty());
}

TEST_SUITE_END();
}  // namespace volt::tls
