// SPDX-License-Identifier: MIT

// Address: the address to which a socket is bound or connected. A value type.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace volt {

class Address {
 public:
  Address() = default;

  // Parses one of these forms: a numeric host and a port, such as "127.0.0.1:8080" or "[::1]:8080"; ":8080", which
  // means all IPv4 addresses; "unix:/run/app.sock", a path of at most 107 bytes; "unix:@name", a name in Linux'
  // abstract namespace (unix(7)), which needs no file and disappears with its socket. Error: invalid_argument.
  [[nodiscard]] static Result<Address> parse(std::string_view text);
  [[nodiscard]] static Address from(const sockaddr* address, socklen_t bytes) noexcept;

  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  // Returns the port, or 0 for a unix socket.
  [[nodiscard]] std::uint16_t port() const noexcept;
  // Returns this host with another port. For a unix socket, returns an unchanged copy.
  [[nodiscard]] Address at_port(std::uint16_t port) const noexcept;
  // Returns the path of a unix socket in the file system; empty for every other address. The view is valid as long as
  // this address.
  [[nodiscard]] std::string_view path() const noexcept;
  // Returns the text form that parse() reads. For a unix socket without a name, such as a client's, the result is
  // "unix:".
  [[nodiscard]] std::string to_string() const;

 private:
  [[nodiscard]] static Result<Address> parse_unix(std::string_view name) noexcept;
  // Returns the bytes of a unix socket's name. The first byte of an abstract name is 0.
  [[nodiscard]] std::string_view unix_name() const noexcept;

  sockaddr_storage storage_{};
  socklen_t size_bytes_ = 0;
};

[[nodiscard]] inline bool operator==(const Address& a, const Address& b) noexcept {
  return a.size_bytes() == b.size_bytes() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace volt
