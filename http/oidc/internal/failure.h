// SPDX-License-Identifier: MIT

// Failure: why a step of a login failed, before it becomes an OidcFailure.
#pragma once

#include <expected>
#include <string>

#include "http/oidc/oidc_failure.h"

namespace volt::http::oidc {

struct Failure {
  OidcError error;
  std::string reason;       // for the log
  std::string detail = {};  // for the client; empty: the text of `error`
};

template <class T>
using Outcome = std::expected<T, Failure>;

[[nodiscard]] inline std::unexpected<Failure> failed(OidcError error, std::string reason, std::string detail = {}) {
  return std::unexpected(Failure{error, std::move(reason), std::move(detail)});
}

}  // namespace volt::http::oidc
