// SPDX-License-Identifier: MIT

// Trace: the calls between the server and its kernel: all of them as a hash, the last ones as text.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace volt::simulation {

// Returns the FNV-1a hash of `bytes`, continued from `hash`.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view bytes,
                                              std::uint64_t hash = 0xcbf29ce484222325) noexcept {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

class Trace {
 public:
  struct Call {
    std::int64_t time_ns = 0;
    const char* name = "";  // a string literal
    int fd = -1;
    std::int64_t argument = 0;
    std::int64_t result = 0;
    int error = 0;                // errno, if the result is an error
    std::uint64_t data_hash = 0;  // hash of the transferred bytes
  };

  // From now on, prints every call to `file`.
  void print_to(std::FILE* file) noexcept { file_ = file; }

  void add(const Call& call) noexcept;
  void print_tail(std::FILE* file) const noexcept;

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kTail = 256;
  static void print(const Call& call, std::FILE* file) noexcept;

  std::array<Call, kTail> tail_;
  std::uint64_t size_ = 0;
  std::uint64_t hash_ = hash_of({});
  std::FILE* file_ = nullptr;
};

}  // namespace volt::simulation
