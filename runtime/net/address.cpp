// SPDX-License-Identifier: MIT

#include "runtime/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace volt {
namespace {

constexpr std::string_view kUnix = "unix:";

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  if (text.starts_with(kUnix)) return parse_unix(text.substr(kUnix.size()));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return error(std::errc::invalid_argument);
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, port);
  if (failure != std::errc{} || stop != end) return error(std::errc::invalid_argument);

  std::string host(text.substr(0, colon));
  if (host.find('\0') != std::string::npos) return error(std::errc::invalid_argument);  // inet_pton would stop there
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() && !bracketed) host = "0.0.0.0";

  Address address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage_);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage_);
  if (!bracketed && ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.size_bytes_ = sizeof v4;
    return address;
  }
  if (bracketed && ::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    address.size_bytes_ = sizeof v6;
    return address;
  }
  return error(std::errc::invalid_argument);
}

Result<Address> Address::parse_unix(std::string_view name) noexcept {
  const bool abstract = name.starts_with('@');
  Address address;
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage_);
  // A path needs one more byte for its terminating zero byte. An abstract name does not: its zero byte takes the place
  // of the '@'.
  const std::size_t bytes = name.size() + (abstract ? 0 : 1);
  if (name.size() < (abstract ? 2 : 1) || bytes > sizeof local.sun_path || name.contains('\0')) {
    return error(std::errc::invalid_argument);
  }
  local.sun_family = AF_UNIX;
  name.copy(local.sun_path, name.size());
  if (abstract) local.sun_path[0] = '\0';
  address.size_bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + bytes);
  return address;
}

Address Address::from(const sockaddr* address, socklen_t bytes) noexcept {
  Address result;
  result.size_bytes_ = bytes;
  std::memcpy(&result.storage_, address, bytes);
  return result;
}

std::uint16_t Address::port() const noexcept {
  if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(storage_).sin6_port);
  if (family() != AF_INET) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in&>(storage_).sin_port);
}

Address Address::at_port(std::uint16_t port) const noexcept {
  Address moved = *this;
  if (family() == AF_INET) reinterpret_cast<sockaddr_in&>(moved.storage_).sin_port = htons(port);
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(moved.storage_).sin6_port = htons(port);
  return moved;
}

std::string_view Address::unix_name() const noexcept {
  constexpr std::size_t kBegin = offsetof(sockaddr_un, sun_path);
  if (family() != AF_UNIX || size_bytes_ <= kBegin) return {};
  const auto& local = reinterpret_cast<const sockaddr_un&>(storage_);
  const std::string_view name(local.sun_path, size_bytes_ - kBegin);
  return name.front() == '\0' ? name : name.substr(0, name.find('\0'));
}

std::string_view Address::path() const noexcept {
  const std::string_view name = unix_name();
  return name.starts_with('\0') ? std::string_view() : name;
}

std::string Address::to_string() const {
  if (family() == AF_UNIX) {
    std::string text(unix_name());
    std::ranges::replace(text, '\0', '@');  // also the zero bytes within a name that another program chose
    return std::string(kUnix) + text;
  }
  char text[INET6_ADDRSTRLEN] = {};
  const bool is_v6 = family() == AF_INET6;
  const void* host = is_v6 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(storage_).sin6_addr)
                           : static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(storage_).sin_addr);
  ::inet_ntop(family(), host, text, sizeof text);
  const std::string port_text = std::to_string(port());
  return is_v6 ? "[" + std::string(text) + "]:" + port_text : std::string(text) + ":" + port_text;
}

}  // namespace volt
