// SPDX-License-Identifier: MIT

#include "config/process/health_check.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/process/internal/place.h"
#include "runtime/address.h"
#include "runtime/file_descriptor.h"

namespace volt::config {
namespace {

constexpr timeval kIoTimeout{.tv_sec = 2, .tv_usec = 0};  // for each of connect, send and receive
constexpr std::string_view kRequest = "GET /healthz HTTP/1.0\r\n\r\n";
constexpr std::string_view kHealthy = "HTTP/1.1 200 ";

std::unexpected<std::string> failed(const std::string& place) {
  const bool too_late = errno == EAGAIN || errno == EINPROGRESS;  // socket(7), SO_RCVTIMEO
  const std::error_code why(too_late ? ETIMEDOUT : errno, std::generic_category());
  return std::unexpected(place + ": " + why.message());
}

std::expected<void, std::string> check_health_at(const Address& address, const std::string& place) {
  const FileDescriptor server(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!server) return failed(place);
  for (const int option : {SO_SNDTIMEO, SO_RCVTIMEO}) {
    ::setsockopt(server.get(), SOL_SOCKET, option, &kIoTimeout, sizeof kIoTimeout);
  }
  if (::connect(server.get(), address.data(), address.size_bytes()) != 0) return failed(place);
  if (::send(server.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) return failed(place);
  char response[4096];
  const ssize_t count =
      ::recv(server.get(), response, sizeof response, MSG_WAITALL);  // until the buffer is full or the peer closes
  if (count < 0) return failed(place);
  const std::string_view head(response, static_cast<std::size_t>(count));
  if (!head.starts_with(kHealthy)) {
    return std::unexpected(place + ": unexpected response: " + std::string(head.substr(0, head.find("\r\n"))));
  }
  return {};
}

}  // namespace

std::expected<void, std::string> check_health(const std::string& place) {
  const Result<std::vector<Address>> addresses = addresses_of(place);
  if (!addresses) {
    const bool is_name = addresses.error() == std::errc::address_not_available;
    return std::unexpected(place + (is_name ? ": the host name has no address" : ": not a valid address"));
  }
  std::expected<void, std::string> health;
  for (const Address& address : *addresses) {
    health = check_health_at(address, place);
    if (health) break;
  }
  return health;
}

}  // namespace volt::config
