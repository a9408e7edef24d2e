// SPDX-License-Identifier: MIT

#include "http/oidc/oidc_failure.h"

namespace volt::http {
namespace {

Status status_of(OidcError error) noexcept {
  switch (error) {  // no default: a new enumerator must be handled here
    case OidcError::unavailable:
      return Status::service_unavailable;
    case OidcError::bad_provider:
    case OidcError::bad_token:
      return Status::bad_gateway;
    case OidcError::unknown_login:
    case OidcError::refused_code:
      return Status::bad_request;
    case OidcError::refused_login:
      return Status::forbidden;
  }
  std::unreachable();
}

}  // namespace

OidcFailure::OidcFailure(OidcError error, std::string detail)
    : Problem(status_of(error), std::move(detail)), error_(error) {}

}  // namespace volt::http
