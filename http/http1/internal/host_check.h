// SPDX-License-Identifier: MIT

// HostCheck: checks the Host field of successive requests.
//
// It remembers the last valid host, because clients send the same one with each request. A comparison costs much less
// than message::valid_host() (loadtest/results/decisions.md). Whether a host is valid depends on nothing but its bytes,
// so the remembered host may outlive its connection.
//
// Threads: used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace volt::http::http1 {

class HostCheck {
 public:
  static constexpr std::size_t kBytesMax = 56;  // a longer host is checked each time

  // Returns message::valid_host(host). Remembers `host` if it is valid.
  bool valid(std::string_view host) noexcept;

 private:
  std::size_t size_ = 0;  // 0: none yet
  std::array<char, kBytesMax> bytes_;
};

}  // namespace volt::http::http1
