// SPDX-License-Identifier: MIT

#include "tls/error.h"

#include <string>

namespace volt::tls {
namespace {

const char* message_of(Error error) noexcept {
  switch (error) {
    case Error::truncated:
      return "the connection ended without close_notify";
    case Error::plain_http:
      return "plain HTTP on a TLS port";
    case Error::negotiation_failed:
      return "the client and the server have no version, cipher or protocol in common";
    case Error::certificate_refused:
      return "the peer's certificate is missing or was refused";
    case Error::refused_by_peer:
      return "the peer aborted the connection with an alert";
    case Error::malformed:
      return "malformed TLS";
    case Error::internal:
      return "internal TLS error";
  }
  return "unknown TLS error";
}

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "tls"; }
  std::string message(int value) const override { return message_of(static_cast<Error>(value)); }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

}  // namespace volt::tls
