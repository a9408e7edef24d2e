// SPDX-License-Identifier: MIT

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>

#include "runtime/resolve.h"

namespace volt {
namespace {

// Returns the error for a number of getaddrinfo(3).
std::error_code system_lookup_error(int number) {
  switch (number) {
    case EAI_SYSTEM:
      return {errno, std::system_category()};
    case EAI_MEMORY:
      return std::make_error_code(std::errc::not_enough_memory);
    case EAI_NONAME:
      return ResolveError::not_found;
    case EAI_NODATA:
      return ResolveError::no_address;
    default:  // EAI_AGAIN, EAI_FAIL: the function does not say whether a server failed or did not answer
      return ResolveError::server_failed;
  }
}

}  // namespace

Result<std::vector<Address>> look_up_name(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;  // otherwise each address is listed once for every socket type
  addrinfo* found = nullptr;
  const int number = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (number != 0) return std::unexpected(system_lookup_error(number));
  std::vector<Address> addresses;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    addresses.push_back(Address::from(info->ai_addr, info->ai_addrlen));
  }
  ::freeaddrinfo(found);
  return addresses;
}

}  // namespace volt
