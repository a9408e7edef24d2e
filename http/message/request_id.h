// SPDX-License-Identifier: MIT

// The identifier of a request, which appears in the logs of all services that handle the request. It is the client's
// X-Request-Id if acceptable_request_id() allows it, else a generated identifier.
//
// Generated identifiers are UUIDs of version 7 (RFC 9562 section 5.7), which sort by time. They are not secrets: each
// identifier of a source can be computed from the previous one (section 6.2, method 2), because a source increments a
// counter instead of drawing kernel randomness for each request.
//
// Threads: a RequestIdSource belongs to one thread; each worker has its own. Two sources begin at different random
// numbers. The other functions are pure.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace volt::http::message {

inline constexpr std::size_t kRequestIdBytesMax = 128;

// Returns whether `id` consists of 1 to 128 letters, digits and "-_.:=+/@": safe in a log line, a header, a path and a
// shell.
bool acceptable_request_id(std::string_view id) noexcept;

class RequestId {
 public:
  std::string_view view() const noexcept { return {text_.data(), text_.size()}; }

 private:
  friend class RequestIdSource;
  std::array<char, 36> text_{};
};

class RequestIdSource {
 public:
  RequestIdSource() noexcept;

  RequestId next(std::chrono::sys_time<std::chrono::milliseconds> now) noexcept;

 private:
  std::uint64_t high_;  // 12 bits are used: drawn at construction, then constant for this source
  std::uint64_t low_;   // 62 bits are used: drawn at construction, then incremented for each identifier
};

}  // namespace volt::http::message
