// SPDX-License-Identifier: MIT

// fetched: what an HttpClient got, in one line to compare with.
#pragma once

#include <string>
#include <utility>

#include "http/client/client.h"
#include "runtime/task.h"

namespace volt::test {

// Status and body, or what went wrong.
inline Task<std::string> fetch(http::HttpClient& client, http::ClientRequest request) {
  Result<http::ClientResponse> response = co_await client.send(std::move(request));
  if (!response) co_return response.error().message();
  const Result<std::string> body = co_await response->text();
  const std::string status = std::to_string(static_cast<int>(response->status()));
  co_return status + " " + (body ? *body : body.error().message());
}

}  // namespace volt::test
