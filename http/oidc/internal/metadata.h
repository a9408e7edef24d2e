// SPDX-License-Identifier: MIT

// Metadata: the discovery document of a provider (OpenID Connect Discovery 1.0 section 3), as far as a login needs it.
//
// Threads: values and pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::oidc {

// The names are those of the document, because JSON is read by the names of members.
struct Metadata {
  std::string issuer;
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::optional<std::string> userinfo_endpoint;
  std::optional<std::string> end_session_endpoint;  // RP-Initiated Logout 1.0 section 2.1
  std::vector<std::string> response_types_supported;
  std::optional<std::vector<std::string>> token_endpoint_auth_methods_supported;  // none: client_secret_basic
  std::optional<bool> authorization_response_iss_parameter_supported;             // RFC 9207 section 3
};

// Returns the place of the document: section 4.
[[nodiscard]] std::string metadata_uri(std::string_view issuer);

// Returns whether `uri` is an absolute https URI, or http if `allow_http`, without a fragment, in visible ASCII.
[[nodiscard]] bool is_endpoint(std::string_view uri, bool allow_http) noexcept;

// Parses the document and checks it: section 4.3. The error is a sentence for the log.
[[nodiscard]] std::expected<Metadata, std::string> parse_metadata(std::string_view json, std::string_view issuer,
                                                                  bool allow_http);

}  // namespace volt::http::oidc
