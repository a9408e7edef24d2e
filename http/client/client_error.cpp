// SPDX-License-Identifier: MIT

#include "http/client/client_error.h"

#include <string>

namespace volt::http {
namespace {

class ClientCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "http client"; }
  [[nodiscard]] std::string message(int number) const override {
    switch (static_cast<ClientError>(number)) {
      case ClientError::bad_uri:
        return "invalid URI: expected http://host[:port]/path or https://host[:port]/path";
      case ClientError::no_tls:
        return "the URI is https, but the client has no TLS transport (ClientOptions::tls)";
      case ClientError::malformed:
        return "the response is malformed";
      case ClientError::too_large:
        return "the response is too large";
      case ClientError::truncated:
        return "the connection ended before the response did";
      case ClientError::upgraded:
        return "the server switched to a protocol that the request did not ask for";
      case ClientError::circuit_open:
        return "the circuit is open: earlier requests to the server failed";
      case ClientError::too_many_requests:
        return "too many requests to the server are in progress";
    }
    return "unknown";
  }
};

}  // namespace

const std::error_category& client_category() noexcept {
  static const ClientCategory category;
  return category;
}

}  // namespace volt::http
