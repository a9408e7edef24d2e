// SPDX-License-Identifier: MIT

// Secrets that do not outlive their use: SecretBytes overwrites its bytes when it is destroyed, and wipe() does so at
// once. Memory that is freed keeps its content, and a later read out of bounds, a core dump or swap space may show it.
//
// What the compiler keeps in registers or spills to the stack cannot be overwritten, and neither can the copies that a
// caller makes.
//
// Threads: wipe() is a pure function; a SecretBytes is a value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace volt::crypto {

// Overwrites the bytes. The compiler does not remove the call, although nothing reads the bytes afterwards.
void wipe(std::span<std::byte> bytes) noexcept;
// Overwrites the text and the rest of its buffer, and makes it empty.
void wipe(std::string& text) noexcept;

class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::span<const std::byte> bytes) : bytes_(bytes.begin(), bytes.end()) {}
  SecretBytes(const SecretBytes&) = default;
  SecretBytes(SecretBytes&&) noexcept = default;
  SecretBytes& operator=(SecretBytes other) noexcept {
    bytes_.swap(other.bytes_);  // `other` overwrites the previous bytes
    return *this;
  }
  ~SecretBytes() { wipe(bytes_); }

  [[nodiscard]] std::span<const std::byte> view() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;  // never grows, because that would leave a copy in freed memory
};

}  // namespace volt::crypto
