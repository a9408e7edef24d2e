// SPDX-License-Identifier: MIT

#include "http/http1/internal/host_check.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "http/message/host.h"

namespace volt::http::http1 {
TEST_SUITE_BEGIN("http/http1/internal/host_check");

TEST_CASE("each host is judged as without a memory, whatever came before") {
  const std::string longest_remembered(HostCheck::kBytesMax, 'a');
  const std::string longer = longest_remembered + 'a';
  const std::string_view hosts[] = {
      "example.com",    "example.co",  "example.com:80",   "example.com:x", "a",     "",     "A",
      "127.0.0.1:8080", "127.0.0.256", longest_remembered, longer,          "[::1]", "[::1", "a b",
  };
  for (const std::string_view before : hosts) {
    for (const std::string_view host : hosts) {
      CAPTURE(before);
      CAPTURE(host);
      HostCheck check;
      CHECK(check.valid(before) == message::valid_host(before));
      CHECK(check.valid(host) == message::valid_host(host));
      CHECK(check.valid(host) == message::valid_host(host));
      CHECK(check.valid(before) == message::valid_host(before));
    }
  }
}

TEST_CASE("what is remembered does not change with the buffer of the first host") {
  HostCheck check;
  std::string buffer = "example.com";
  CHECK(check.valid(buffer));
  buffer = "example com";
  CHECK_FALSE(check.valid(buffer));
  CHECK(check.valid("example.com"));
}

TEST_SUITE_END();
}  // namespace volt::http::http1
