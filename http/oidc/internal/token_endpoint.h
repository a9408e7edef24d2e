// SPDX-License-Identifier: MIT

// The messages of the token endpoint: OpenID Connect Core sections 3.1.3 and 12, RFC 6749 sections 2.3.1, 5.1 and 5.2.
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/client/client.h"
#include "http/oidc/internal/failure.h"
#include "http/oidc/internal/form_text.h"
#include "http/oidc/internal/metadata.h"
#include "http/oidc/internal/provider.h"
#include "http/oidc/oidc_options.h"

namespace volt::http::oidc {

// The names are those of the response, because JSON is read by the names of members.
struct TokenAnswer {
  std::string access_token;
  std::string token_type;
  std::optional<std::string> id_token;
  std::optional<std::string> refresh_token;
  std::optional<std::int64_t> expires_in;
  std::optional<std::string> scope;
};

// Returns the request with the fields of `form` and the credentials of the client.
[[nodiscard]] ClientRequest token_request(const Metadata& metadata, const OidcOptions& options, FormText form);

[[nodiscard]] Outcome<TokenAnswer> read_tokens(const Answer& answer);

}  // namespace volt::http::oidc
