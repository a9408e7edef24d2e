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
        return "this is no URI of HTTP";
      case ClientError::no_tls:
        return "the client has no TLS";
      case ClientError::refused_peer:
        return "no terms with the server";
      case ClientError::malformed:
        return "the answer is malformed";
      case ClientError::too_large:
        return "the answer is too large";
      case ClientError::truncated:
        return "the connection ended before the answer did";
      case ClientError::upgraded:
        return "the server changes protocols unasked";
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
