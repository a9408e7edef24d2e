// SPDX-License-Identifier: MIT

#include "tls/kernel_tls.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

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

TEST_CASE("the texts of the results differ, so the log shows which part lacks support") {
  const std::set<std::string_view> texts = {to_text(KernelTls::possible), to_text(KernelTls::not_in_kernel),
                                            to_text(KernelTls::not_in_libssl)};
  CHECK(texts.size() == 3);
  CHECK_FALSE(texts.contains(""));
}

TEST_SUITE_END();
}  // namespace volt::tls
