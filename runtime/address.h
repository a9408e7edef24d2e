// Address: where a socket is bound or connected. A value.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace volt {

class Address {
 public:
  Address() = default;

  // "127.0.0.1:8080", "[::1]:8080", ":8080" (every address), a numeric host and a port. Error: invalid_argument.
  [[nodiscard]] static Result<Address> parse(std::string_view text);
  [[nodiscard]] static Address from(const sockaddr* address, socklen_t bytes) noexcept;

  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  // As parse() reads it.
  [[nodiscard]] std::string to_string() const;

 private:
  sockaddr_storage storage_{};
  socklen_t size_bytes_ = 0;
};

}  // namespace volt
