// SPDX-License-Identifier: MIT

#include "config/process/internal/place.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cstddef>

namespace volt::config {

Result<std::vector<Address>> addresses_of(const std::string& place) {
  if (const auto address = Address::parse(place)) return std::vector{*address};
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return error(std::errc::invalid_argument);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const std::string host = place.substr(0, colon);
  if (::getaddrinfo(host.c_str(), place.c_str() + colon + 1, &hints, &found) != 0) {
    return error(std::errc::address_not_available);
  }
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    addresses.push_back(Address::from(one->ai_addr, one->ai_addrlen));
  }
  ::freeaddrinfo(found);
  return addresses;
}

}  // namespace volt::config
