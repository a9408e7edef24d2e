// SPDX-License-Identifier: MIT

// HostCheck: checks the Host field of request after request.
//
// It remembers the last valid host, because clients send the same one with each request. A comparison costs much
// less than message::valid_host() (loadtest/results/decisions.md). Whether a host is valid depends on nothing
// but its bytes, so that the memory may be kept from one connection to the next.
//
// Threads: used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace volt::http::http1 {

class HostCheck {
 public:
  // Returns the same as message::valid_host().
  bool valid(std::string_view host) noexcept;

 private:
  static constexpr std::size_t kBytesMax = 56;  // a longer host is checked each time

  std::size_t size_ = 0;  // 0: none yet
  std::array<char, kBytesMax> bytes_;
};

}  // namespace volt::http::http1
