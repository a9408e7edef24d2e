// SPDX-License-Identifier: MIT

// ClientConcurrencyOptions: how many requests an HttpClient has in progress at each server.
//
//   HttpClient client({.concurrency = {.running_max = 64}});
//
// A request is in progress until its response has been read to the end or is destroyed. A request that finds
// running_max others waits, in order of arrival. It ends with ClientError::too_many_requests if waiting_max others wait
// already, or after wait_max. An upgraded connection does not count.
#pragma once

#include <chrono>
#include <cstdint>

namespace volt::http {

struct ClientConcurrencyOptions {
  std::uint32_t running_max = 0;  // requests in progress at each server; 0: not limited
  std::uint32_t waiting_max = 256;
  std::chrono::nanoseconds wait_max = std::chrono::milliseconds(500);
};

}  // namespace volt::http
