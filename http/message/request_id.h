// What a request is called in the logs of all who had to do with it: the client's X-Request-Id if it is harmless, else
// one of ours.
//
// Ours are UUIDs of version 7 (RFC 9562 section 5.7), which sort by time. They tell requests apart and hide nothing:
// within a source each follows from the one before (section 6.2, method 2), because a draw of the kernel's randomness
// for each request buys nothing here. Never use one as a secret.
//
// Threads: a source belongs to one thread, as one of each worker does; two sources start at different random places.
// The rest are pure functions.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace volt::http::message {

inline constexpr std::size_t kRequestIdBytesMax = 128;

// Letters, digits and "-_.:=+/@", at most 128 of them: safe in a log line, a header, a path and a shell.
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
  std::uint64_t high_;  // of which 12 bits are used: this source's, never changed
  std::uint64_t low_;   // of which 62 bits are used: drawn, then counted on
};

}  // namespace volt::http::message
