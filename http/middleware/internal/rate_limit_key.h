// SPDX-License-Identifier: MIT

// The client to which a request is charged, and the checks of rate limits.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "http/middleware/client_address.h"
#include "http/middleware/limits.h"

namespace volt::http::middleware {

// Calls `use` with the key of the request's client (RateLimitOptions::key). The view is valid during the call.
template <class Use>
auto with_rate_limit_key(const RateLimitOptions& options, Request& request, Use use) {
  if (options.key) return use(std::string_view(options.key(request)));
  constexpr std::size_t kSubnetBytes = 8;
  const ClientAddress client = ClientAddress::from(request);
  if (!client.ip()) return use(std::string_view());
  const auto& bytes = client.ip()->bytes();
  return use(std::string_view(reinterpret_cast<const char*>(bytes.data()),
                              client.ip()->is_v4() ? bytes.size() : kSubnetBytes));
}

// Throws std::invalid_argument unless the rate is valid.
void require_rate(const RateLimitOptions& options);

}  // namespace volt::http::middleware
