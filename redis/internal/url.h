// SPDX-License-Identifier: MIT

// Target: the server and the login that PoolOptions::url names.
//
// Threads: values and a pure function.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace volt::redis::internal {

struct Target {
  bool tls = false;
  std::string host = {};  // without the brackets of an IPv6 address; empty for a unix socket
  std::uint16_t port = 6379;
  std::string path = {};  // of a unix socket
  std::string user = {};  // empty: the default user
  std::string password = {};
  std::uint32_t database = 0;

  // Returns the server and the database, for log lines: host:port/0.
  [[nodiscard]] std::string name() const;
};

// Parses a URL. Error: a sentence, without the URL, which may contain a password.
[[nodiscard]] std::expected<Target, std::string> parse_url(std::string_view url);

}  // namespace volt::redis::internal
